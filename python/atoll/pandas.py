# SPDX-License-Identifier: Apache-2.0
"""A stand-in for pandas: ``import atoll.pandas as pd``.

What Atoll has under pandas' names is Atoll's; what it lacks is done by pandas, on data that is collected for it, with a
warning that names it once.

Examples
--------
>>> import atoll.pandas as pd
>>> pd.DataFrame({"a": [1, 2]}).a.sum().item()
3
"""

from __future__ import annotations

import warnings
from functools import wraps
from typing import Any

import numpy as np

from .columns.functions import isna as _isna
from .columns.functions import notna as _notna
from .frame import (
    DataFrame,
    Index,
    MultiIndex,
    RangeIndex,
    Series,
    concat,
    crosstab,
    cut,
    get_dummies,
    melt,
    merge,
    merge_asof,
    pivot,
    pivot_table,
    qcut,
)
from .frame.classes import is_frame, is_series

__all__ = [
    "DataFrame",
    "FallbackWarning",
    "Index",
    "MultiIndex",
    "RangeIndex",
    "Series",
    "concat",
    "crosstab",
    "cut",
    "get_dummies",
    "isna",
    "isnull",
    "melt",
    "merge",
    "merge_asof",
    "notna",
    "notnull",
    "pivot",
    "pivot_table",
    "qcut",
    "unique",
]

_named: set[str] = set()


class FallbackWarning(UserWarning):
    """Something was done by pandas itself, on data that was collected for it."""


def isna(obj: Any) -> Any:
    """Which values are missing; of one value, whether it is."""
    if is_frame(obj) or is_series(obj) or isinstance(obj, Index):
        return obj.isna()
    return obj is None or bool(obj != obj) if np.isscalar(obj) or obj is None else _isna(obj)


def notna(obj: Any) -> Any:
    """Which values are there; of one value, whether it is."""
    if is_frame(obj) or is_series(obj) or isinstance(obj, Index):
        return obj.notna()
    return not isna(obj) if np.isscalar(obj) or obj is None else _notna(obj)


isnull, notnull = isna, notna


def unique(values: Any) -> Any:
    """Each value once, in order of its first row."""
    return (values if is_series(values) else Series(values)).unique()


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    import pandas

    found = getattr(pandas, name)
    if not callable(found) or isinstance(found, type):
        return found

    @wraps(found)
    def function(*args: Any, **kwargs: Any) -> Any:
        if name not in _named:
            _named.add(name)
            warnings.warn(f"{name} is pandas' own: data is collected for it", FallbackWarning, stacklevel=2)
        made = found(*map(_to_pandas, args), **{key: _to_pandas(value) for key, value in kwargs.items()})
        return _from_pandas(made)

    return function


def _to_pandas(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(_to_pandas, value))
    return value.to_pandas() if is_frame(value) or is_series(value) or isinstance(value, Index) else value


def _from_pandas(value: Any) -> Any:
    import pandas

    if isinstance(value, pandas.DataFrame):
        return DataFrame(value)
    if isinstance(value, pandas.Series):
        return Series(value)
    return Index(value) if isinstance(value, pandas.Index) else value
