# SPDX-License-Identifier: Apache-2.0
"""IntervalIndex: labels that are intervals, found by what lies in them."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, linspace
from ...arrays.selection import flatnonzero, take, where
from ...columns.datetime.ranges import date_range, timedelta_range
from ...columns.datetime.tick import tick_of
from ...columns.functions.functions import searchsorted
from ...columns.interval.interval import Closing, Interval, check_closed, closes
from ...columns.interval.intervals import Intervals, overlapping
from ...columns.objects import is_missing
from ..classes import define, is_series
from ..data.values import make, take_or_miss
from .base import INDEX_CLASSES, IndexCore, index_of, make_index
from .index import Index
from .methods import extras_of, labels_repr

if TYPE_CHECKING:
    from ...annotations import ColumnType, Label

__all__ = ["Interval", "IntervalIndex", "interval_range"]


class IntervalIndex(Closing, Index):
    """Labels that are intervals; `loc` and `get_loc` take also what lies in one of them.

    Parameters
    ----------
    data : array_like
        Intervals.
    closed : {"right", "left", "both", "neither"}, optional
        Which bounds belong to them.
    name : hashable, optional
        The index' name.

    Examples
    --------
    >>> import atoll as ak
    >>> i = ak.IntervalIndex.from_breaks([0, 1, 5])
    >>> i
    IntervalIndex([(0, 1], (1, 5]], dtype='interval[int64, right]')
    >>> ak.Series(["a", "b"], index=i).loc[3]
    'b'
    """

    __slots__ = ()
    _column: Intervals

    def __new__(
        cls, data: Any = None, closed: str | None = None, dtype: ColumnType = None, copy: bool = False,
        name: Label = None,
        verify_integrity: bool = True,
    ) -> Any:  # fmt: skip
        name = getattr(data, "name", None) if name is None else name
        held = data._values if hasattr(data, "_values") else make(data) if len(data) else Intervals([], [])
        if not isinstance(held, Intervals):
            held = Intervals.of(held.to_list(), closed)
        if closed is not None and held.closed != closed:
            held = held.set_closed(closed)
        return index_of(held, name)

    @classmethod
    def from_arrays(
        cls,
        left: object,
        right: object,
        closed: str = "right",
        name: Label = None,
        copy: bool = False,
        dtype: ColumnType = None,
    ) -> Any:
        """The index of two columns of bounds."""
        return index_of(Intervals(make(left), make(right), closed), name)

    @classmethod
    def from_breaks(
        cls, breaks: Any, closed: str = "right", name: Label = None, copy: bool = False, dtype: ColumnType = None
    ) -> Any:
        """The index of intervals between neighbouring bounds."""
        typed = str(getattr(breaks, "dtype", "object")) != "object"
        bounds = make(breaks) if len(breaks) or typed else make([], np.int64)
        return index_of(Intervals(bounds[:-1], bounds[1:], closed), name)

    @classmethod
    def from_tuples(
        cls, data: Any, closed: str = "right", name: Label = None, copy: bool = False, dtype: ColumnType = None
    ) -> Any:
        """The index of pairs of bounds."""
        if not len(data):
            return cls.from_breaks([], closed, name)
        pairs = [(np.nan, np.nan) if is_missing(one) else tuple(one) for one in data]
        left, right = zip(*pairs, strict=True)
        return cls.from_arrays(list(left), list(right), closed, name)

    # -- what it is --

    @property
    def closed(self) -> str:
        """Which bounds belong to the intervals."""
        return self._column.closed

    @property
    def left(self) -> Any:
        """The left bounds, an index."""
        return make_index(self._column.left)

    @property
    def right(self) -> Any:
        """The right bounds, an index."""
        return make_index(self._column.right)

    @property
    def mid(self) -> Any:
        """Midpoints of the intervals, an index."""
        return make_index(self._column.mid)

    @property
    def length(self) -> Any:
        """How far the bounds are apart, an index."""
        return make_index(self._column.length)

    @property
    def is_empty(self) -> np.ndarray[Any, Any]:
        """Which intervals contain nothing."""
        return self._column.is_empty.to_numpy()

    @property
    def is_overlapping(self) -> bool:
        """Whether two intervals have a point in common."""
        return overlapping(self._column.dropna())

    @property
    def is_non_overlapping_monotonic(self) -> bool:
        """Whether the intervals are in order, and no two have a point in common."""
        rising = self.is_monotonic_increasing or self.is_monotonic_decreasing
        return bool(rising and not self.is_overlapping)

    @property
    def inferred_type(self) -> str:
        """The dtype of the labels."""
        return "interval"

    def contains(self, other: Any) -> np.ndarray[Any, Any]:
        """Which intervals contain a value."""
        return self._column.contains(other).to_numpy()

    def overlaps(self, other: object) -> np.ndarray[Any, Any]:
        """Which intervals have a point in common with another."""
        return self._column.overlaps(other).to_numpy()

    def set_closed(self, closed: str) -> Any:
        """The same bounds, of which others belong to the intervals."""
        return self._with(self._column.set_closed(closed))

    def to_tuples(self, na_tuple: bool = True) -> Any:
        """The bounds as tuples, an index."""
        return Index(self._column.to_tuples(), tupleize_cols=False)

    def to_pandas(self) -> Any:
        """A pandas IntervalIndex."""
        import pandas as pd

        return pd.IntervalIndex(self._column.to_pandas().array, name=self.name)

    # -- lookup --

    def _rows_of(self, key: Any) -> Any:
        if _is_interval(key):
            found = self._column == key
            rows = flatnonzero(found.fillna(False) if hasattr(found, "fillna") else found)
        elif is_missing(key):
            rows = flatnonzero(self._column.isna())
        else:
            try:
                rows = flatnonzero(self._column.contains(key))
            except TypeError:
                raise KeyError(key) from None
        if rows.size == 0:
            raise KeyError(key)
        return rows

    def __contains__(self, key: object) -> bool:
        if not _is_interval(key):
            return False
        return bool((self._column == key).any())

    def _indexer(self, wanted: Any) -> Any:
        if isinstance(wanted._values, Intervals):
            return IndexCore._indexer(self, wanted)
        if self.is_overlapping:
            raise ValueError("cannot handle overlapping indices; use IntervalIndex.get_indexer_non_unique")
        return containing(self._column, wanted._values)

    def _all_rows(self, wanted: Any, missing: bool = False) -> Any:
        if isinstance(wanted._values, Intervals) or not self.is_overlapping:
            return super()._all_rows(wanted, missing)
        rows = [self._rows_of(one).to_numpy() for one in wanted.to_list()]
        return asarray(np.concatenate(rows))

    def _bound(self, label: Label, side: str) -> int:
        if label is None:
            return 0 if side == "left" else self.size
        if not self.is_non_overlapping_monotonic:
            raise KeyError("can only get slices from an IntervalIndex if bounds are non-overlapping and all monotonic "
                           "increasing or decreasing")  # fmt: skip
        try:
            rows = self._rows_of(label)
        except KeyError:
            if _is_interval(label):
                raise
            bounds = self._column.left if side == "right" else self._column.right
            return int(searchsorted(bounds, make([label]), "right" if side == "right" else "left")[0])
        return int(rows[0]) if side == "left" else int(rows[-1]) + 1

    def __repr__(self) -> str:
        extras = extras_of(self, f"dtype='{self._column.kind}'")
        return labels_repr("IntervalIndex", self, self.size, extras, lambda part: map(_text, part._column.to_list()))


def _text(label: Label) -> str:
    return "nan" if label is None else str(label)


def _is_interval(value: object) -> bool:
    return isinstance(value, Interval) or (hasattr(value, "closed_left") and hasattr(value, "left"))


def containing(intervals: Intervals, points: Any) -> Any:
    """For each point the interval that contains it, -1 where none does: of intervals that do not overlap."""
    order = intervals._argsort()
    ordered = intervals._rows(order)
    at_left, at_right = closes(intervals.closed)
    left, right = ordered._values
    below = searchsorted(left, points, "right" if at_left else "left") - 1
    near = where(below < 0, 0, below)
    if ordered.size == 0:
        return below
    ends = take_or_miss(right, near, None)
    inside = points <= ends if at_right else points < ends
    inside = inside.fillna(False) if hasattr(inside, "fillna") else inside
    found = (below >= 0) & inside & take(ordered.notna(), near)
    return where(found, take(order, near), -1)


def interval_range(
    start: Any = None,
    end: Any = None,
    periods: Any = None,
    freq: Any = None,
    name: str | None = None,
    closed: str = "right",
) -> Any:
    """Intervals one behind another: of numbers, or of datetimes.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.interval_range(0, 3)
    IntervalIndex([(0, 1], (1, 2], (2, 3]], dtype='interval[int64, right]')
    """
    check_closed(closed)
    ends = [tick_of(one) if not isinstance(one, str) else None for one in (start, end)]
    if any(one is not None for one in ends):
        step = freq if freq is not None else (None if None not in (start, end, periods) else "D")
        many = None if periods is None else periods + 1
        if any(one is not None and one.letter == "m" for one in ends):
            return IntervalIndex.from_breaks(timedelta_range(start, end, many, step), closed, name)
        return IntervalIndex.from_breaks(date_range(start, end, many, step), closed, name)
    given = [one for one in (start, end, periods, freq) if one is not None]
    if freq is None and len(given) < 3:
        freq, given = 1, [*given, 1]
    if len(given) != 3:
        raise ValueError("Of the four parameters: start, end, periods, and freq, exactly three must be specified")
    for label, one in (("start", start), ("end", end)):
        if one is not None and not isinstance(one, (int, float, np.number)):
            raise ValueError(f"{label} must be numeric or datetime-like, got {one}")
    if freq is not None and not isinstance(freq, (int, float, np.number, datetime.timedelta)):
        raise ValueError(f"freq must be numeric or convertible to DateOffset, got {freq}")
    if freq is None:
        breaks = linspace(start, end, int(periods) + 1)
        whole = all(float(one).is_integer() for one in (start, end)) and (end - start) % periods == 0
        breaks = breaks.astype(np.int64) if whole else breaks
    else:
        if periods is None:
            periods = int((end - start) // freq)
        elif start is None:
            start = end - periods * freq
        breaks = arange(int(periods) + 1) * freq + start
    return IntervalIndex.from_breaks(breaks, closed, name)


def as_intervals(values: Any) -> Any:
    """The intervals of a Series, an index or a column; None of anything else."""
    held = values._values if is_series(values) or isinstance(values, IndexCore) else values
    return held if isinstance(held, Intervals) else None


define(IntervalIndex)
INDEX_CLASSES[Intervals] = "IntervalIndex"
