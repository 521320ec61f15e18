# SPDX-License-Identifier: Apache-2.0
"""`info` of Series and frames prints what pandas prints, but for the memory, which is Atoll's own."""

import io
import re

import pandas as pd
import pytest

import atoll as ak

_OBJECTS = {
    "series": lambda m: m.Series([1, None, 3], index=list("abc"), name="x"),
    "strings": lambda m: m.Series(["a", None]),
    "no rows": lambda m: m.Series([], dtype="int64"),
    "levels": lambda m: m.Series([1, 2], index=m.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
    "frame": lambda m: m.DataFrame({"a": [1, None], "b": ["x", "y"]}),
    "empty": lambda m: m.DataFrame(),
    "wide": lambda m: m.DataFrame({f"c{place}": [1] for place in range(101)}),
}
_OPTIONS = [
    {}, {"verbose": False}, {"verbose": True}, {"show_counts": False}, {"show_counts": True}, {"max_cols": 1},
    {"memory_usage": False}, {"memory_usage": "deep"},
]  # fmt: skip


def shown(module, make, options):
    text = io.StringIO()
    try:
        make(module).info(buf=text, **options)
    except ValueError as error:
        return str(error)
    return re.sub(r"(memory usage: ).*", r"\1", text.getvalue().replace("<class 'atoll.", "<class 'pandas."))


@pytest.mark.parametrize("options", _OPTIONS, ids=str)
@pytest.mark.parametrize("kind", _OBJECTS)
def test_info_prints_what_pandas_prints(kind, options):
    make = _OBJECTS[kind]
    assert shown(ak, make, options) == shown(pd, make, options)
