# SPDX-License-Identifier: Apache-2.0
"""What pandas' options for display say holds for our frames, too."""

import numpy as np
import pandas
import pytest

import atoll.pandas as pd

pytestmark = pytest.mark.usefixtures("one_session")

OPTIONS = [
    ("max_rows", 8), ("min_rows", 4), ("max_columns", 4), ("max_columns", None), ("precision", 2),
    ("float_format", "{:.3e}".format), ("max_colwidth", 8), ("max_colwidth", None),
    ("unicode.east_asian_width", True), ("max_rows", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), OPTIONS)
def test_options(name, value):
    rng = np.random.default_rng(5)
    numbers = rng.normal(size=(70, 12)) * 10.0 ** rng.integers(-2, 5, 12)
    things = [lambda m: m.DataFrame({"日本": ["語", "ab"], "b": ["x" * 60, "y"], "c": [1, 2]})]
    if name != "max_colwidth":  # which cuts numbers, too, in pandas
        things.append(lambda m: m.DataFrame(numbers, columns=[f"column_{place}" for place in range(12)]))
        things.append(lambda m: m.Series(numbers[:, 3], name="one"))
    with pd.option_context(f"display.{name}", value):
        for make in things:
            assert repr(make(pd)) == repr(make(pandas))


def test_rows_of_a_text():
    numbers = np.arange(30)
    for options in ({"max_rows": 4}, {"max_rows": 10, "min_rows": 4}):
        assert pd.Series(numbers).to_string(**options) == pandas.Series(numbers).to_string(**options)
        ours, theirs = pd.DataFrame({"a": numbers}), pandas.DataFrame({"a": numbers})
        assert ours.to_string(**options) == theirs.to_string(**options)
