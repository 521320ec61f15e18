# SPDX-License-Identifier: Apache-2.0
"""`pivot_table(margins=True)` is Atoll's own, with pandas' answers."""

import itertools
import warnings

import numpy as np
import pandas
import pytest

import atoll.pandas as pd
from atoll.io import fallback

RANDOM = np.random.default_rng(1)
SIZE = 40
DATA = {
    "a": RANDOM.choice(list("xyz"), SIZE),
    "b": RANDOM.choice(["p", "q"], SIZE),
    "k": RANDOM.integers(0, 3, SIZE),
    "c": RANDOM.choice(["u", "v"], SIZE),
    "v": RANDOM.integers(0, 50, SIZE),
    "w": np.where(RANDOM.random(SIZE) < 0.2, np.nan, RANDOM.random(SIZE)),
}
VALUES = ["v", "w", ["v"], ["w", "v"]]
INDEX = ["a", ["a", "b"], ["k", "a"]]
COLUMNS = [None, "c", ["c", "b"]]


@pytest.mark.parametrize(("values", "index", "columns"), [
    (values, index, columns) for values, index, columns in itertools.product(VALUES, INDEX, COLUMNS)
    if not (columns == ["c", "b"] and "b" in index)
])  # fmt: skip
def test_margins(values, index, columns):
    fallback.forget()
    for options in ({"aggfunc": "mean"}, {"aggfunc": "sum", "fill_value": 0}, {"aggfunc": "max", "margins_name": "T"}):
        given = {"values": values, "index": index, "columns": columns, "margins": True, **options}
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.FallbackWarning)
            made = pd.DataFrame(DATA).pivot_table(**given)
        expected = pandas.DataFrame(DATA).pivot_table(**given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pandas.testing.assert_frame_equal(made.to_pandas(), expected)


@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")
def test_margins_that_pandas_makes():
    given = {"values": "v", "index": "a", "columns": "c", "margins": True, "aggfunc": {"v": "sum"}, "dropna": False}
    expected = pandas.DataFrame(DATA).pivot_table(**given)
    pandas.testing.assert_frame_equal(pd.DataFrame(DATA).pivot_table(**given).to_pandas(), expected)
