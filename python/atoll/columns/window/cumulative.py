# SPDX-License-Identifier: Apache-2.0
"""Functions of neighbouring rows: cumulative aggregates, shifts, differences, filling; of a column or its segments."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ...arrays import scans
from ...arrays.array import Array, expr_of, wrap
from ...arrays.composed import clip
from ...arrays.creation import arange, asarray, full
from ...arrays.joining import concatenate
from ...arrays.selection import flatnonzero, take
from ...arrays.ufuncs import isnan, maximum, minimum
from ..column import Column, as_column
from ..functions.functions import _also, check_axis, where

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = [
    "bfill", "change", "cummax", "cummin", "cumprod", "cumsum", "ffill", "interpolate", "pct_change", "shift",
]  # fmt: skip


def column_or_values(values: ArrayLike) -> Any:
    """A column as it is, an array when nothing can be missing; 1-dimensional."""
    made: Any = asarray(values)
    if made.ndim != 1:
        raise ValueError(f"a column is 1-dimensional, got shape {made.shape}")
    return made.values if type(made) is Column and made.valid is None else made


def length_in_unit(length: Any, dtype: Any) -> float:
    """A length of time in the unit of a dtype of dates."""
    if isinstance(length, str):
        import pandas as pd

        length = pd.Timedelta(length)
    if not isinstance(length, np.timedelta64):
        length = length.to_timedelta64() if hasattr(length, "to_timedelta64") else np.timedelta64(length)
    unit: Any = np.datetime_data(dtype)[0]
    return float(length / np.timedelta64(1, unit))


def valid_rows(values: Any) -> ndarray | None:
    """Which values are there, and no NaN; None when all are sure to be."""
    if isinstance(values, Column):
        valid = values.valid
        if type(values) is not Column or values.dtype.kind != "f":
            return valid
        there = ~isnan(values.values)
        return there if valid is None else valid & there
    return ~isnan(values) if values.dtype.kind == "f" else None


def take_or_missing(values: Any, rows: ndarray) -> Any:
    """The rows with these numbers, missing where one is -1: NaN of arrays of floats."""
    if values.size == 0:
        values = column_of_missing(values, 1)
    missing = rows < 0
    there = maximum(rows, 0)
    if isinstance(values, Column):
        return values.take(there)._hiding(missing)
    taken = take(values, there)
    return where(missing, np.nan, taken) if taken.dtype.kind == "f" else Column(taken, ~missing)


def column_of_missing(values: Any, size: int) -> Any:
    """A column of the values' kind without a value; NaN of arrays of floats."""
    if isinstance(values, Column):
        return values._all_missing(size)
    if values.dtype.kind == "f":
        return full(size, np.nan, dtype=values.dtype)
    return Column(full(size, 0, dtype=values.dtype), full(size, False))


# -- running aggregates --

#: Of which no aggregate changes: sum and product; extremes have the type's ends.
NEUTRAL = {"sum": 0, "prod": 1}


def cumulate(values: Any, kind: str, segments: ndarray | None = None, skipna: bool = True) -> Any:
    """Running sum, prod, min or max; missing where a value is, which the others pass over (or none does: `skipna`).

    `segments`: their numbers, or bools that say where they begin.
    """
    if not isinstance(values, Column):
        return _cumulated(values, kind, segments, skipna)
    numbers, back = values._grouped(kind)
    valid = valid_rows(values) if skipna else values.valid
    if valid is not None:
        numbers = where(valid, numbers, _neutral(kind, numbers.dtype))
    figures = _cumulated(numbers, kind, segments, False)
    if not skipna and valid is not None:
        valid = _cumulated(valid, "min", segments, False)
    return back(figures if valid is None else where(valid, figures, 0), valid)


def _cumulated(numbers: ndarray, kind: str, segments: ndarray | None, skipna: bool) -> ndarray:
    if kind in NEUTRAL and numbers.dtype.kind in "biu":
        numbers = numbers.astype(np.uint64 if numbers.dtype.kind == "u" else np.int64)
    return wrap(_core.cumulate(expr_of(numbers), expr_or_none(segments), kind, skipna))


def _neutral(kind: str, dtype: Any) -> Any:
    if kind in NEUTRAL:
        return dtype.type(NEUTRAL[kind])
    if dtype.kind == "f":
        return dtype.type(np.inf if kind == "min" else -np.inf)
    if dtype.kind == "b":
        return np.bool_(kind == "min")
    return dtype.type(np.iinfo(dtype).max if kind == "min" else np.iinfo(dtype).min)


def expr_or_none(array: ndarray | None) -> _core.Expr | None:
    """The array as an expression of the engine; None stays None."""
    return None if array is None else expr_of(array)


@_also(scans.cumsum)
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    check_axis(axis)
    return cumulate(_typed(a, dtype, out), "sum")


@_also(scans.cumprod)
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    check_axis(axis)
    return cumulate(_typed(a, dtype, out), "prod")


def _typed(a: Any, dtype: Any, out: Any) -> Any:
    if out is not None:
        raise TypeError("out= is for arrays; a running sum of a column is a new column")
    column = as_column(a)
    return column if dtype is None else column.astype(dtype)


def cummin(values: ArrayLike) -> Any:
    """The smallest value up to each row; missing where a value is, or NaN, which later rows pass over.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cummin(ak.array([3, None, 1, 2]))
    column([3, None, 1, 1], dtype=int64)
    """
    return cumulate(column_or_values(values), "min")


def cummax(values: ArrayLike) -> Any:
    """The largest value up to each row; see `cummin`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cummax(ak.array(["a", "c", "b"]))
    strings(['a', 'c', 'c'])
    """
    return cumulate(column_or_values(values), "max")


# -- neighbours --


def shifted_rows(size: int, periods: int, segments: ndarray | None = None) -> ndarray:
    """For each row the one `periods` before it; -1 where there is none in its segment."""
    rows = arange(size) - periods
    inside = (rows >= 0) & (rows < size)
    if segments is not None and size:
        inside = inside & (take(segments, clip(rows, 0, size - 1)) == segments)
    return where(inside, rows, -1)


def shift(values: ArrayLike, periods: int = 1, fill_value: ArrayLike = None) -> Any:
    """Each row's value `periods` rows before it.

    Parameters
    ----------
    values : array_like or Column
        1-dimensional.
    periods : int
        How far back; ahead when negative.
    fill_value : optional
        The value of rows that have none there. By default it is missing: NaN of an array of floats.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.shift(ak.array([1, 2, 3]))
    column([None, 1, 2], dtype=int64)
    >>> ak.shift(ak.array(["a", "b"]), -1, fill_value="?")
    strings(['b', '?'])
    """
    column = column_or_values(values)
    periods, size = operator.index(periods), column.size
    if periods == 0:
        return column
    count = min(abs(periods), size)
    kept = column[: size - count] if periods > 0 else column[count:]
    if fill_value is not None:
        ends = filled_column(column, count, fill_value)
    else:
        ends = column_of_missing(column, count)
    parts = [ends, kept] if periods > 0 else [kept, ends]
    columns = [part for part in parts if isinstance(part, Column)]
    if not columns:
        return concatenate(parts)
    return columns[0]._together([part if isinstance(part, Column) else Column(part) for part in parts])


def filled_column(values: Any, size: int, value: Any) -> Any:
    """A column of the values' kind that holds one value."""
    if isinstance(values, Column):
        return values._all_missing(size).fillna(value)
    return full(size, value, dtype=np.result_type(values.dtype, value))


def change(values: Any, periods: int = 1) -> Any:
    """Difference of each row's value and the one `periods` rows before it: pandas' `Series.diff`.

    Missing where either is; an array of floats gives NaN there. Bools are counted as integers.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.change(ak.array([1, 4, 9]))
    column([None, 3, 5], dtype=int64)
    """
    column = column_or_values(values)
    return difference(column, shift(column, periods))


def difference(values: Any, before: Any) -> Any:
    """values - before, which bools have as integers."""
    if type(values) is not Column and isinstance(values, Column):
        return values - before
    if values.dtype.kind == "b":
        values, before = values.astype(np.int64), before.astype(np.int64)
    return values - before


def pct_change(values: ArrayLike, periods: int = 1) -> Any:
    """By what part each row's value is more than the one `periods` rows before it.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.pct_change(ak.array([2.0, 3.0, 1.5]))
    array([ nan,  0.5, -0.5])
    """
    column = column_or_values(values)
    return ratio(column, shift(column, periods))


def ratio(values: ArrayLike, before: Any) -> Any:
    """values / before - 1; of arrays an array, with NaN where `before` is missing."""
    part = values / before - 1
    return part.fillna(np.nan) if isinstance(part, Column) and isinstance(values, Array) else part


# -- filling --


def ffill(values: ArrayLike, limit: int | None = None) -> Any:
    """The last value that is not missing in place of missing ones, and of NaN.

    Parameters
    ----------
    values : array_like or Column
        1-dimensional, of any kind.
    limit : int, optional
        How many missing values in a row are filled at most.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ffill(ak.array(["a", None, None, "b"]), limit=1)
    strings(['a', 'a', None, 'b'])
    """
    return fill(values, limit, forward=True)


def bfill(values: ArrayLike, limit: int | None = None) -> Any:
    """The next value that is not missing in place of missing ones, and of NaN. See `ffill`."""
    return fill(values, limit, forward=False)


def fill(values: ArrayLike, limit: int | None, *, forward: bool) -> Any:
    """`ffill` or `bfill` of a whole column."""
    column = column_or_values(values)
    rows = filling_rows(valid_rows(column), limit, forward=forward)
    return column if rows is None else take_or_missing(column, rows)


def filling_rows(
    valid: ndarray | None, limit: int | None, segments: ndarray | None = None, *, forward: bool
) -> ndarray | None:
    """For each row the one whose value fills it, itself if it has one; -1: none. None: nothing is missing."""
    if limit is not None and operator.index(limit) <= 0:
        raise ValueError("Limit must be greater than 0")
    if valid is None:
        return None
    there = flatnonzero(valid)
    if there.size == 0:
        return full(valid.size, -1, dtype=np.int64)
    upto = scans.cumsum(valid)
    number = upto - 1 if forward else upto - valid
    found = number >= 0 if forward else number < there.size
    rows = take(there, clip(number, 0, there.size - 1))
    if segments is not None:
        found = found & (take(segments, rows) == segments)
    if limit is not None:
        found = found & (abs(rows - arange(valid.size)) <= limit)
    return where(found, rows, -1)


def interpolate(
    values: ArrayLike, method: str = "linear", limit: int | None = None, limit_direction: str = "forward",
    limit_area: str | None = None,
) -> Any:  # fmt: skip
    """Values on straight lines between those that are not missing, in place of missing ones and NaN.

    Parameters
    ----------
    values : array_like or Column
        1-dimensional, numbers.
    method : str
        "linear": rows count as evenly spaced.
    limit : int, optional
        How many missing values in a row are filled at most.
    limit_direction : str
        From which side: "forward" (also behind the last value, which stays the same), "backward" or "both".
    limit_area : str, optional
        "inside": only between values; "outside": only beyond them.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.interpolate(ak.array([1.0, None, None, 4.0, None]))
    array([1., 2., 3., 4., 4.])
    """
    if method != "linear":
        raise ValueError(f"method must be 'linear', got {method!r}")
    if limit_direction not in ("forward", "backward", "both"):
        raise ValueError(f"limit_direction must be 'forward', 'backward' or 'both', got {limit_direction!r}")
    if limit_area not in (None, "inside", "outside"):
        raise ValueError(f"limit_area must be 'inside', 'outside' or None, got {limit_area!r}")
    column = column_or_values(values)
    if isinstance(column, Column) and type(column) is not Column:
        raise TypeError(f"{column.kind} cannot be interpolated; only numbers can")
    valid = valid_rows(column)
    numbers = (column.values if isinstance(column, Column) else column).astype(np.float64)
    if valid is None:
        return numbers
    before, behind = (filling_rows(valid, None, forward=forward) for forward in (True, False))
    assert before is not None
    assert behind is not None
    inside = (before >= 0) & (behind >= 0)
    near_before, near_behind = filling_rows(valid, limit, forward=True), filling_rows(valid, limit, forward=False)
    assert near_before is not None
    assert near_behind is not None
    reached = {"forward": near_before >= 0, "backward": near_behind >= 0}
    filled = reached["forward"] | reached["backward"] if limit_direction == "both" else reached[limit_direction]
    if limit_area is not None:
        filled = filled & (valid | (inside if limit_area == "inside" else ~inside))
    low, high = where(before >= 0, before, behind), where(behind >= 0, behind, before)
    low, high = maximum(low, 0), maximum(high, 0)
    start, end = take(numbers, low), take(numbers, high)
    share = (arange(numbers.size) - low) / maximum(high - low, 1)
    line = where(valid, numbers, start + (end - start) * minimum(share, 1))
    return where(filled, line, np.nan)
