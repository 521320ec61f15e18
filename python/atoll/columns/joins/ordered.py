# SPDX-License-Identifier: Apache-2.0
"""Joins by order: the nearest key of another table, keys within intervals, intervals that overlap."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ...arrays.array import expr_of, wrap
from ...arrays.creation import arange, asarray
from ...arrays.histograms import bincount, searchsorted
from ...arrays.joining import concatenate as joined
from ...arrays.repeating import repeat
from ...arrays.scans import cumsum, is_sorted
from ...arrays.selection import flatnonzero, take
from ...arrays.sorting import argsort, coargsort
from ...arrays.ufuncs import maximum
from ..column import Column, as_column, both
from ..functions.functions import concatenate, where
from ..group_order import InGroups
from ..keys import are_several
from ..window.cumulative import column_or_values, length_in_unit, valid_rows
from .equal import JoinedRows

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["join_asof", "join_between", "join_overlaps"]

DIRECTIONS = ("backward", "forward", "nearest")
CLOSED = ("both", "left", "right", "neither")

#: What a pair takes while pairs are made and brought in order; so few are not worth asking how much is free.
PAIR_BYTES, FEW_PAIRS = 64, 1 << 20
#: Groups that always cost nothing beside the rows.
FEW_NUMBERS = 1024


def join_asof(
    left: ArrayLike, right: ArrayLike, by: tuple[Any, Any] | None = None, direction: str = "backward",
    tolerance: Any = None,
    allow_exact_matches: bool = True,
) -> JoinedRows:  # fmt: skip
    """For each row of one table the row of another whose key is nearest.

    Parameters
    ----------
    left, right : array_like or Column
        The tables' keys, ascending: numbers or dates, none missing, no NaN.
    by : (left, right), optional
        Further keys, one on either side or as many: only rows in which these are equal are joined.
    direction : str
        "backward": the last right key that is not larger; "forward": the first that is not smaller; "nearest": of both
        the one that is less far, the smaller one when they are equally far.
    tolerance : number or timedelta, optional
        How far keys may be apart.
    allow_exact_matches : bool
        Whether equal keys are joined.

    Returns
    -------
    JoinedRows
        Every left row, and the right row or -1.

    Raises
    ------
    ValueError
        Keys that are not in order, or missing; a negative tolerance; an unknown direction.
    MemoryError
        When the right rows that a PE's left rows may meet do not fit.

    Notes
    -----
    One pass over both sides; with `by` the rows are brought in order of its values before. Each PE reads those right
    rows that its left ones may meet.

    Examples
    --------
    >>> import atoll as ak
    >>> trades, quotes = ak.array([3, 7, 9]), ak.array([1, 4, 9])
    >>> ak.join_asof(trades, quotes).right
    array([0, 1, 2])
    >>> ak.join_asof(trades, quotes, direction="forward", tolerance=1).right
    array([ 1, -1,  2])
    """
    if direction not in DIRECTIONS:
        raise ValueError(f"MergeError: direction invalid: {direction}; there are {', '.join(DIRECTIONS)}")
    keys, near = _ordered_keys(left, right, tolerance)
    exact = bool(allow_exact_matches)
    own, other = keys
    if by is None:
        found = wrap(_core.asof_rows(expr_of(own), None, expr_of(other), None, direction, exact, near))
        return JoinedRows(arange(own.size), found)
    for side, key in zip(("left", "right"), keys, strict=True):
        if not is_sorted(key):
            raise ValueError(f"{side} keys must be sorted")
    mine, theirs = _by(by, own.size, other.size)
    left_by, right_by = expr_of(mine.segments), expr_of(theirs.segments)
    own, ordered = mine.forth(own), theirs.forth(other)
    found = wrap(_core.asof_rows(expr_of(own), left_by, expr_of(ordered), right_by, direction, exact, near))
    if other.size:
        found = where(found < 0, -1, take(theirs.order, maximum(found, 0)))
    return JoinedRows(arange(own.size), mine.back(found))


def _ordered_keys(left: ArrayLike, right: ArrayLike, tolerance: Any) -> tuple[list[ndarray], float]:
    """Keys as arrays of one of the engine's three types, and the tolerance in their unit."""
    columns = [column_or_values(left), column_or_values(right)]
    near = math.inf
    for side, column in zip(("left", "right"), columns, strict=True):
        valid = valid_rows(column)
        if valid is not None and not bool(valid.all()):
            raise ValueError(f"Merge keys contain null values on {side} side")
    kinds = [np.dtype(column.dtype).kind for column in columns]
    if any(kind in "OTSUV" for kind in kinds) or (("M" in kinds or "m" in kinds) and kinds[0] != kinds[1]):
        raise TypeError(f"keys must be numbers or dates on both sides, got {columns[0].dtype} and {columns[1].dtype}")
    if kinds[0] in "Mm":
        common = np.result_type(columns[0].dtype, columns[1].dtype)
        columns = [column.astype(common) for column in columns]
        if tolerance is not None:
            tolerance = length_in_unit(tolerance, common)
    arrays = [column._values if isinstance(column, Column) else column for column in columns]
    common = np.result_type(*(array.dtype for array in arrays))
    if common.kind == "f" and all(array.dtype.kind in "iub" for array in arrays):
        raise TypeError(f"keys of {arrays[0].dtype} and {arrays[1].dtype} have no common type that holds both")
    wide = np.float64 if common.kind == "f" else np.uint64 if common == np.uint64 else np.int64
    if tolerance is not None:
        near = float(tolerance)
        if not near >= 0:
            raise ValueError("tolerance must be positive")
    return [array.astype(wide) for array in arrays], near


def _by(by: Any, n: int, m: int) -> tuple[InGroups, InGroups]:
    """Both sides in order of the numbers of their values of `by`; a missing value equals nothing."""
    left, right = by
    lefts, rights = ((list(side) if are_several(side) else [side]) for side in (left, right))
    if len(lefts) != len(rights):
        raise ValueError(f"by needs as many keys on either side, got {len(lefts)} and {len(rights)}")
    number: ndarray | None = None
    missing: ndarray | None = None
    for a, b in zip(lefts, rights, strict=True):
        own, other = column_or_values(a), column_or_values(b)
        if own.size != n or other.size != m:
            raise ValueError(f"by must have the lengths of the keys, {n} and {m}, got {own.size} and {other.size}")
        numbers = _numbers(concatenate([own, other]))
        missing = numbers < 0 if missing is None else missing | (numbers < 0)
        count = int(numbers.max()) + 2 if numbers.size else 2
        number = numbers if number is None else as_column(number * count + numbers).numbers()[0]
    assert number is not None
    assert missing is not None
    count = int(number.max()) + 1 if number.size else 0
    own, other = where(missing[:n], count, number[:n]), where(missing[n:], count + 1, number[n:])
    mine, theirs = (InGroups.of(side, asarray(bincount(side, minlength=count + 2))) for side in (own, other))
    return mine, theirs


def _numbers(values: Any) -> ndarray:
    """Small numbers that are equal where values are, negative where one is missing."""
    if not isinstance(values, Column) and values.size and values.dtype.kind in "iub":
        low, high = int(values.min()), int(values.max())
        # As they are: telling which there are takes as long as the join.
        if high - low < max(FEW_NUMBERS, values.size // 64) and high < 1 << 63:
            return values.astype(np.int64) - low
    return as_column(values).numbers()[0]


def join_between(values: ArrayLike, low: ArrayLike, high: ArrayLike, closed: str = "both") -> JoinedRows:
    """Rows of one table whose key lies in an interval of another.

    Parameters
    ----------
    values : array_like or Column
        The left table's keys.
    low, high : array_like or Column
        The ends of the right table's intervals.
    closed : str
        Which ends belong to them: "both", "left", "right" or "neither".

    Returns
    -------
    JoinedRows
        Pairs in order of left and then of right rows. Missing keys and ends, and NaN, are in no pair.

    Raises
    ------
    MemoryError
        When the pairs do not fit: found before they are made.

    Examples
    --------
    >>> import atoll as ak
    >>> rows = ak.join_between(ak.array([5, 1, 9]), ak.array([0, 4]), ak.array([5, 6]))
    >>> rows.left, rows.right
    (array([0, 0, 1]), array([0, 1, 0]))
    """
    if closed not in CLOSED:
        raise ValueError("closed must be 'both', 'left', 'right' or 'neither'")
    (points, [keys]), (intervals, [lows, highs]) = _tables([values], [low, high])
    points, keys = _ascending(points, keys)
    left, right = _within(points, keys, intervals, lows, highs, closed)
    return _in_order(left, right)


def join_overlaps(left_low: Any, left_high: Any, right_low: Any, right_high: Any, closed: str = "both") -> JoinedRows:
    """Rows of two tables of intervals that overlap.

    Parameters
    ----------
    left_low, left_high, right_low, right_high : array_like or Column
        The intervals' ends. One whose upper end is below its lower one overlaps nothing.
    closed : str
        "both": intervals that only touch overlap, too; "neither": they do not.

    Returns
    -------
    JoinedRows
        Pairs in order of left and then of right rows.

    Raises
    ------
    MemoryError
        When the pairs do not fit: found before they are made.

    Examples
    --------
    >>> import atoll as ak
    >>> rows = ak.join_overlaps(ak.array([0, 8]), ak.array([4, 9]), ak.array([3, 5]), ak.array([7, 8]))
    >>> rows.left, rows.right
    (array([0, 1]), array([0, 1]))
    """
    if closed not in ("both", "neither"):
        raise ValueError("closed must be 'both' or 'neither'")
    (a, [a_low, a_high]), (b, [b_low, b_high]) = _tables([left_low, left_high], [right_low, right_high])
    # The right one begins in the left one, or the left one in the right one, behind its beginning.
    ends = {"both": ("both", "right"), "neither": ("left", "neither")}[closed]
    real_a, real_b = (
        (low <= high if closed == "both" else low < high) for low, high in ((a_low, a_high), (b_low, b_high))
    )
    a, a_low, a_high = a[real_a], a_low[real_a], a_high[real_a]
    b, b_low, b_high = b[real_b], b_low[real_b], b_high[real_b]
    right, left = _within(*_ascending(b, b_low), a, a_low, a_high, ends[0])
    more_left, more_right = _within(*_ascending(a, a_low), b, b_low, b_high, ends[1])
    return _in_order(joined([left, more_left]), joined([right, more_right]))


def _tables(*tables: list[Any]) -> list[tuple[ndarray, list[ndarray]]]:
    """For each table its rows that have all of its columns, and these columns, in one type."""
    columns = [[column_or_values(side) for side in table] for table in tables]
    every = [column for table in columns for column in table]
    kinds = {np.dtype(column.dtype).kind for column in every}
    if kinds & set("OTSUV"):
        raise TypeError("intervals are of numbers or dates")
    if kinds & set("Mm"):
        if len(kinds) > 1:
            raise TypeError("either all ends of intervals are dates or none")
        common = np.result_type(*(column.dtype for column in every))
        columns = [[column.astype(common) for column in table] for table in columns]
    made = []
    for table in columns:
        if any(column.size != table[0].size for column in table):
            raise ValueError(f"ends must have one length, got {table[0].size} and {table[1].size}")
        valid: ndarray | None = None
        for column in table:
            there = valid_rows(column)
            valid = both(valid, there)
        arrays = [column._values if isinstance(column, Column) else column for column in table]
        rows = arange(table[0].size) if valid is None else flatnonzero(valid)
        made.append((rows, arrays if valid is None else [take(array, rows) for array in arrays]))
    common = np.result_type(*(array.dtype for _, arrays in made for array in arrays))
    if common.kind == "f" and all(array.dtype.kind in "iub" for _, arrays in made for array in arrays):
        raise TypeError("int64 and uint64 have no common type that holds both; convert one with astype")
    return [(rows, [array.astype(common) for array in arrays]) for rows, arrays in made]


def _ascending(rows: ndarray, keys: ndarray) -> tuple[ndarray, ndarray]:
    order = argsort(keys)
    return take(rows, order), take(keys, order)


def _within(
    points: ndarray, keys: ndarray, intervals: ndarray, low: ndarray, high: ndarray, closed: str
) -> tuple[ndarray, ndarray]:
    """Points, whose keys are ascending, and the intervals they lie in."""
    begin = searchsorted(keys, low, side="left" if closed in ("both", "left") else "right")
    end = searchsorted(keys, high, side="right" if closed in ("both", "right") else "left")
    count = maximum(end - begin, 0)
    pairs = int(count.sum())
    _check_memory(pairs)
    interval = repeat(arange(count.size), count)
    place = arange(pairs) + take(begin - (cumsum(count) - count), interval)
    return take(points, place), take(intervals, interval)


def _check_memory(pairs: int) -> None:
    need = pairs * PAIR_BYTES
    if pairs < FEW_PAIRS or need <= (free := int(_core.info()["memory_available_bytes"])):
        return
    raise MemoryError(
        f"{pairs} pairs need some {need >> 20} MiB, and {free >> 20} MiB are free. Join parts of the tables, one after "
        "another"
    )


def _in_order(left: ndarray, right: ndarray) -> JoinedRows:
    order = coargsort([left, right])
    return JoinedRows(take(left, order), take(right, order))
