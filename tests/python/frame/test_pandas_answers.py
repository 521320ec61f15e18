# SPDX-License-Identifier: Apache-2.0
"""Expressions of pandas_answers.txt give pandas' answers: values, kinds, labels, order, errors, printed texts."""

from pathlib import Path

import answers
import numpy as np
import pandas as pd
import pytest
from frame.frames import same

import atoll as ak_init
import atoll.pandas as ak
from atoll.io import fallback


@pytest.fixture(scope="module", params=[(1, 2), (3, 1)], ids=["1x2", "3x1"], autouse=True)
def session(request):
    ak_init.shutdown()
    with ak_init.init(*request.param) as session:
        yield session


def things(m):
    """Frames and Series to ask: numbers with gaps, texts with gaps, bools, labels that repeat."""
    df = m.DataFrame(
        {
            "a": [3, 1, 2, 1, 3, 2, 1],
            "b": [1.5, np.nan, -2.0, 4.25, np.nan, 0.0, 1.5],
            "c": ["x", "y", None, "x", "zed", "y", "x"],
            "d": [True, False, True, True, False, False, True],
        }
    )
    other = m.DataFrame({"a": [1, 2, 2, 5], "e": [10.0, 20.0, 30.0, 40.0], "b": [7, 8, 9, 10]})
    s = m.Series([4, 1, 3, 2], index=["p", "q", "r", "s"], name="n")
    f = m.Series([1.5, np.nan, 3.0, -1.0, np.nan, 2.0])
    t = m.Series(["pear", "Fig", None, "apple", "fig tree"], name="fruit")
    mi = m.Series(range(6), index=m.MultiIndex.from_product([["u", "v"], [1, 2, 3]], names=["k", "l"]))
    return {"m": m, "np": np, "df": df, "other": other, "s": s, "f": f, "t": t, "mi": mi}


@answers.parametrize(Path(__file__).with_name("pandas_answers.txt"))
def test_answer(case):
    # Atoll answers every line itself but those of the sections that say otherwise.
    fallback.forget()
    refused = () if case.section.endswith("answered by pandas") else (ak.FallbackWarning,)
    answers.compare(lambda: case.evaluate(things(pd)), lambda: case.evaluate(things(ak), *refused), same)
