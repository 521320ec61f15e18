# SPDX-License-Identifier: Apache-2.0
"""Values as numbers, and as numbers of their distinct ones: `to_numeric`, `factorize`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.column import Column
from ...columns.datetime.ticks import Ticks
from ...columns.objects import Objects, is_missing
from ...columns.text.strings import Strings
from ..classes import is_series, series
from ..index.base import IndexCore, index_of, range_index
from .dtypes import cast
from .values import is_scalar, make, settle

if TYPE_CHECKING:
    from ...annotations import ArrayLike

_DOWN = {"integer": "i", "signed": "i", "unsigned": "u", "float": "f"}


def to_numeric(arg: Any, errors: str = "raise", downcast: Any = None, dtype_backend: Any = None) -> Any:
    """Strings and objects as the numbers that they are.

    Parameters
    ----------
    arg : Series, index, array_like or scalar
        What becomes numbers; numbers stay what they are, datetimes and durations become whole numbers of their unit.
    errors : {"raise", "coerce"}
        What becomes of what is no number: ValueError, or NaN.
    downcast : {"integer", "signed", "unsigned", "float"}, optional
        To the smallest such type that holds all values.

    Examples
    --------
    >>> import atoll.pandas as pd
    >>> pd.to_numeric(pd.Series(["1.5", "x"]), errors="coerce").to_list()
    [1.5, nan]
    """
    if errors not in ("raise", "coerce"):
        raise ValueError("invalid error value specified")
    if downcast is not None and downcast not in _DOWN:
        raise ValueError("invalid downcasting method provided")
    if is_scalar(arg):
        return to_numeric(make([arg]), errors, downcast)[0]
    values = arg._values if is_series(arg) or isinstance(arg, IndexCore) else make(arg)
    made = _lowered(_numbers(values, errors), downcast)
    if is_series(arg):
        return series(made, arg._index, arg._name)
    if isinstance(arg, IndexCore):
        return index_of(made, arg._name)
    return made.to_numpy() if isinstance(arg, (list, tuple, np.ndarray)) else made


def _numbers(values: ArrayLike, errors: str) -> Any:
    if isinstance(values, Strings):
        try:
            return settle(_integers(values))
        except (ValueError, OverflowError):
            try:
                return settle(values.astype(np.float64, errors=errors))
            except ValueError as error:
                text = str(error).partition(": ")[2].partition(". With")[0].strip("'")
                raise ValueError(f'Unable to parse string "{text}"') from None
    if isinstance(values, Objects):
        return make([_number(one, errors, row) for row, one in enumerate(values.to_list())])
    return cast(values, np.int64) if isinstance(values, Ticks) else values


def _integers(values: Strings) -> Any:
    found = values.astype(np.int64)
    return found.astype(np.float64) if isinstance(found, Column) else found


def _number(value: Any, errors: str, row: int) -> Any:
    if is_missing(value):
        return np.nan
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return value
    try:
        return int(value) if isinstance(value, str) and value.strip().lstrip("+-").isdecimal() else float(value)
    except (TypeError, ValueError):
        if errors == "coerce":
            return np.nan
        if isinstance(value, str):
            raise ValueError(f'Unable to parse string "{value}" at position {row}') from None
        raise TypeError(f"Invalid object type at position {row}") from None


def _lowered(values: Any, downcast: Any) -> Any:
    if type(values) is Column:
        kind = _lowered(values.dropna().values, downcast).dtype
        return Column(values.values.astype(kind), values.valid)
    if downcast is None or not isinstance(values, ndarray) or values.size == 0 or values.dtype.kind not in "iuf":
        return values
    kind = _DOWN[downcast]
    if kind == "f":
        small = values.astype(np.float32)
        same = (small.astype(np.float64) == values) | (values != values)
        return small if bool(same.all()) else values
    if values.dtype.kind == "f" and not bool((values == values.round(0)).all()):
        return values
    low, high = values.min(), values.max()
    if kind == "u" and low < 0:
        return values
    for bits in (8, 16, 32, 64):
        limits = np.iinfo(f"{kind}{bits // 8}")
        if limits.min <= low and high <= limits.max:
            return values.astype(f"{'u' if kind == 'u' else ''}int{bits}")
    return values


def factorize(values: Any, sort: bool = False, use_na_sentinel: bool = True, size_hint: Any = None) -> Any:
    """For each value its number among the distinct ones, -1 of missing ones; and these, in order of first rows.

    Examples
    --------
    >>> import atoll.pandas as pd
    >>> pd.factorize(pd.Series(["b", "a", "b"]))[0]
    array([0, 1, 0])
    """
    held = values._values if is_series(values) or isinstance(values, IndexCore) else make(values)
    codes, distinct = series(held, range_index(held.size)).factorize(sort, use_na_sentinel)
    codes = codes.to_numpy()
    return codes, (distinct if is_series(values) or isinstance(values, IndexCore) else distinct.to_numpy())
