# SPDX-License-Identifier: Apache-2.0
"""The same assertions of objects of NumPy and pandas, too, which become Arkouda's first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numpy.arrays import pdarray
from ..numpy.pdarraycreation import array
from ..numpy.segarray import SegArray
from ..numpy.strings import Strings
from ..objects import entitled
from ..pandas.categorical import Categorical
from ..pandas.dataframe import DataFrame
from ..pandas.index import Index, MultiIndex
from ..pandas.series import Series
from . import _asserters

__all__ = [
    "assert_almost_equivalent", "assert_arkouda_array_equivalent", "assert_equivalent", "assert_frame_equivalent",
    "assert_index_equivalent", "assert_series_equivalent",
]  # fmt: skip

_OWN = (DataFrame, Series, Index, SegArray, Categorical, Strings, pdarray, np.generic, bool, int, float, str)


def _convert_to_arkouda(obj: object) -> Any:
    if isinstance(obj, _OWN):
        return obj
    if isinstance(obj, np.ndarray):
        return array(np.ascontiguousarray(obj))
    import pandas as pd

    kinds = (
        (pd.MultiIndex, MultiIndex), (pd.Index, Index), (pd.Series, Series), (pd.DataFrame, DataFrame),
        (pd.Categorical, Categorical),
    )  # fmt: skip
    for kind, made in kinds:
        if isinstance(obj, kind):
            return made(obj)
    raise TypeError(f"obj must be an arkouda, numpy or pandas object, but was type: {type(obj)}")


def _equivalent(name: str, original: str, doc: str, *, kinds: Any = None) -> Any:
    check = getattr(_asserters, original)

    def compare(left: object, right: object, *args: object, **options: object) -> None:
        sides = [_convert_to_arkouda(one) for one in (left, right)]
        if kinds is not None:
            for one in sides:
                if not isinstance(one, kinds):
                    raise TypeError(f"{name} does not compare {type(one).__name__}")
        check(*sides, *args, **options)

    return entitled(compare, name, doc)


assert_almost_equivalent = _equivalent(
    "assert_almost_equivalent", "assert_almost_equal", "Both are equal within tolerances, once both are Arkouda's."
)
assert_equivalent = _equivalent("assert_equivalent", "assert_equal", "Both are equal, once both are Arkouda's.")
assert_arkouda_array_equivalent = _equivalent(
    "assert_arkouda_array_equivalent", "assert_arkouda_array_equal", "Both arrays are equal, once both are Arkouda's.",
    kinds=(pdarray, Strings, Categorical, SegArray),
)  # fmt: skip
assert_index_equivalent = _equivalent(
    "assert_index_equivalent", "assert_index_equal", "Both indexes are equal, once both are Arkouda's.", kinds=Index
)
assert_series_equivalent = _equivalent(
    "assert_series_equivalent", "assert_series_equal", "Both Series are equal, once both are Arkouda's.", kinds=Series
)
assert_frame_equivalent = _equivalent(
    "assert_frame_equivalent", "assert_frame_equal", "Both frames are equal, once both are Arkouda's.", kinds=DataFrame
)
