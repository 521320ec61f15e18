# SPDX-License-Identifier: Apache-2.0
"""Columns of intervals: two columns of bounds, and which of the two belong to them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...arrays.array import Array
from ...arrays.creation import asarray, full
from ...arrays.selection import flatnonzero, take, where
from ...arrays.sorting import coargsort
from ..column import ORDINAL, Column, as_column, both, chosen_valid, column_or_array, valid_of_all
from ..datetime.ticks import Ticks
from ..datetime.timestamp import boxed, boxed_list
from ..functions.functions import concatenate, unique
from ..non_numeric import NonNumericColumn
from ..objects import is_missing, object_array
from .interval import Interval, check_closed, closes

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["Intervals"]


class Bounds(NamedTuple):
    """Left and right bounds of rows: arrays, or columns in which nothing is missing."""

    left: Any
    right: Any

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(self.left.size)

    @property
    def nbytes(self) -> int:
        """Bytes of both, on all PEs together."""
        return int(self.left.nbytes + self.right.nbytes)

    def each(self, function: Callable[[Any], Any]) -> Bounds:
        """Applies a function to both bounds."""
        return Bounds(function(self.left), function(self.right))


class Intervals(NonNumericColumn):
    """A column of intervals between numbers, datetimes or timedeltas, of which some rows may have none.

    They are in order of their left bounds, then of their right ones.

    Parameters
    ----------
    left, right : array_like
        The bounds; an interval is missing where its left one is.
    closed : {"right", "left", "both", "neither"}
        Which bounds belong to the intervals.

    Raises
    ------
    ValueError
        Lengths that differ; a left bound behind the right one.

    Examples
    --------
    >>> from atoll.columns.interval.intervals import Intervals
    >>> a = Intervals([0, 1, 4], [1, 4, 9])
    >>> a
    intervals([(0, 1], (1, 4], (4, 9]])
    >>> a.contains(4), a.length
    (array([False,  True, False]), array([1, 3, 5]))
    """

    __slots__ = ("_closed",)
    _decides = 2
    _values: Bounds
    _closed: str

    def __init__(self, left: Any, right: Any, closed: str = "right") -> None:
        check_closed(closed)
        sides = [as_column(left), as_column(right)]
        if sides[0].size != sides[1].size:
            raise ValueError("left and right must have the same length")
        if sides[0].kind == "text" or sides[1].kind == "text":
            raise TypeError("category, object, and string subtypes are not supported for IntervalIndex")
        valid = both(*(_valid(side) for side in sides))
        held: list[Any] = [side.values for side in sides]
        if all(isinstance(one, Array) for one in held) and len({one.dtype for one in held}) > 1:
            common = np.result_type(*(one.dtype for one in held))
            held = [one.astype(common) for one in held]
        turned = held[0] > held[1]
        if bool((turned if valid is None else turned & valid).any()):
            raise ValueError("left side of interval must be <= right side")
        self._values, self._valid, self._closed = Bounds(*held), valid, closed

    @classmethod
    def _made(cls, bounds: Bounds, valid: ndarray | None, closed: str) -> Intervals:
        column: Intervals = object.__new__(cls)
        column._values, column._valid, column._closed = bounds, valid, closed
        return column

    @classmethod
    def of(cls, values: Iterable[Any], closed: str | None = None) -> Intervals:
        """The column of some intervals, None or NaN where there is none. TypeError for anything else."""
        held = list(values)
        there = [one for one in held if not is_missing(one)]
        for one in there:
            if not hasattr(one, "closed") or not hasattr(one, "left"):
                raise TypeError(f"type {type(one)} with value {one} is not an interval")
        kinds = {one.closed for one in there}
        if len(kinds) > 1 and closed is None:
            raise ValueError("intervals must all be closed on the same side")
        if not there:
            missing = full(len(held), 0.0)
            return cls._made(Bounds(missing, missing), full(len(held), False), closed or "right")
        filled = [there[0] if is_missing(one) else one for one in held]
        sides = (as_column(asarray([getattr(one, side) for one in filled])) for side in ("left", "right"))
        made = cls(next(sides), next(sides), closed or kinds.pop())
        gone = np.array([is_missing(one) for one in held])
        return made._hiding(asarray(gone)) if gone.any() else made

    def _like(self, values: Any, valid: ndarray | None) -> Any:
        return self._made(values, valid, self._closed)

    # -- what it is --

    @property
    def values(self) -> Any:
        """The column itself, with nothing missing."""
        return self._like(self._values, None)

    @property
    def subtype(self) -> str:
        """The dtype of the bounds."""
        left = self._values.left
        return left.kind if isinstance(left, Column) else str(left.dtype)

    @property
    def kind(self) -> str:
        """The dtype, such as "interval[int64, right]"."""
        return f"interval[{self.subtype}, {self._closed}]"

    @property
    def dtype(self) -> Any:
        """NumPy has no type of intervals: objects."""
        return np.dtype(object)

    @property
    def closed(self) -> str:
        """Which bounds belong to the intervals: "left", "right", "both" or "neither"."""
        return self._closed

    def _side(self, values: ArrayLike) -> Any:
        if self._valid is None:
            return values
        return values._hiding(~self._valid) if isinstance(values, Column) else Column(values, self._valid)

    @property
    def left(self) -> Any:
        """The left bounds."""
        return self._side(self._values.left)

    @property
    def right(self) -> Any:
        """The right bounds."""
        return self._side(self._values.right)

    @property
    def length(self) -> Any:
        """How far the bounds are apart."""
        return self._side(self._values.right - self._values.left)

    @property
    def mid(self) -> Any:
        """Midpoints of the intervals."""
        left, right = self._values
        if isinstance(left, Column):
            return self._side(left + (right - left) * 0.5)
        return self._side(0.5 * (left + right))

    @property
    def is_empty(self) -> ndarray:
        """Which intervals contain nothing: bool."""
        return (self._values.left == self._values.right) & (self._closed != "both") & self.notna()

    def set_closed(self, closed: str) -> Intervals:
        """The same bounds, of which others belong to the intervals."""
        return self._made(self._values, self._valid, check_closed(closed))

    def contains(self, other: Any) -> ndarray:
        """Which intervals contain a value: bool."""
        if hasattr(other, "closed"):
            raise NotImplementedError("contains not implemented for two intervals")
        at_left, at_right = closes(self._closed)
        left, right = self._values
        after = left <= other if at_left else left < other
        found = after & (other <= right if at_right else right > other)
        return found & self.notna()

    def overlaps(self, other: Any) -> ndarray:
        """Which intervals have a point in common with another: bool."""
        if not hasattr(other, "closed") or not hasattr(other, "left"):
            raise TypeError(f"`other` must be Interval-like, got {type(other).__name__}")
        own, others = closes(self._closed), closes(other.closed)
        left, right = self._values
        begins = left <= other.right if own[0] and others[1] else left < other.right
        ends = right >= other.left if own[1] and others[0] else right > other.left
        if other.left == other.right and other.closed != "both":  # empty ones have no point
            return full(self.size, False)
        return begins & ends & self.notna() & ~self.is_empty

    def to_tuples(self, na_tuple: bool = True) -> list[Any]:
        """The bounds as tuples."""
        pairs = list(zip(self.left.tolist(), self.right.tolist(), strict=True))
        return [(np.nan, np.nan) if none is None else (none, right) for none, right in pairs]

    # -- rows --

    def _take(self, rows: ndarray) -> Bounds:
        return self._values.each(lambda side: side.take(rows) if isinstance(side, Column) else take(side, rows))

    def _slice(self, start: int, step: int, count: int) -> Bounds:
        return self._values.each(lambda side: _copied(side[start : start + count * step : step][:count]))

    def _item(self, row: int) -> Any:
        left, right = (boxed(side, row) if isinstance(side, Ticks) else _one(side[row]) for side in self._values)
        return Interval(left, right, self._closed)

    def to_list(self) -> list[Any]:
        """Intervals, None where there is none."""
        pairs = zip(*(_listed(side) for side in self._values), strict=True)
        return self._with_none([Interval(left, right, self._closed) for left, right in pairs])

    tolist = to_list

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array of intervals, NaN where there is none."""
        return object_array([np.nan if one is None else one for one in self.to_list()])

    def to_arrow(self) -> Any:
        """A pyarrow array of structs of the two bounds."""
        import pyarrow as pa

        sides = [as_column(side).to_arrow() for side in self._values]
        mask = None if self._valid is None else pa.array(~self._valid.to_numpy())
        return pa.StructArray.from_arrays(sides, ["left", "right"], mask=mask)

    def to_pandas(self) -> Any:
        """A pandas Series of intervals."""
        import pandas as pd

        sides = []
        for side in self._values:
            made = as_column(side).to_pandas()
            made = made if isinstance(side, Column) else pd.Series(side.to_numpy())
            sides.append(made if self._valid is None else made.where(self._valid.to_numpy()))
        return pd.Series(pd.arrays.IntervalArray.from_arrays(*sides, closed=self._closed))

    def __reduce__(self) -> Any:
        return _made, (self._values.left, self._values.right, self._valid, self._closed)

    def astype(self, dtype: Any) -> Any:
        """As strings, or as they are."""
        if dtype is str or (isinstance(dtype, str) and dtype in ("str", "string")):
            return asarray([None if one is None else str(one) for one in self.to_list()], dtype="str")
        if str(dtype) in ("interval", self.kind):
            return self
        raise TypeError(f"Cannot cast intervals to dtype {dtype}")

    def _show(self, value: ArrayLike) -> str:
        return "nan" if value is None else str(value)

    def __repr__(self) -> str:
        return self._repr("intervals", [])

    # -- comparison --

    def _sides_of(self, other: Any) -> Intervals | Interval | None:
        if isinstance(other, Intervals) or (hasattr(other, "closed") and hasattr(other, "left")):
            return other
        if isinstance(other, (list, np.ndarray)) and len(other) == self.size:
            return Intervals.of(other)
        return None

    def _compared(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        found = self._sides_of(other)
        if found is None:
            if operation in (operator.eq, operator.ne):
                return full(self.size, operation is operator.ne)
            return NotImplemented
        bounds = found._values if isinstance(found, Intervals) else Bounds(found.left, found.right)
        valid = both(self._valid, found._valid) if isinstance(found, Intervals) else self._valid
        (left, right), (other_left, other_right) = self._values, bounds
        if operation in (operator.eq, operator.ne):
            equal = (left == other_left) & (right == other_right) & (found.closed == self._closed)
            return column_or_array(equal if operation is operator.eq else ~equal, valid)
        same = left == other_left
        below = operation(left, other_left) & ~same
        return column_or_array(below | (same & operation(right, other_right)), valid)

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        return NotImplemented

    # -- order and distinct values --

    def _there(self) -> Any:
        return self.dropna()

    def _argsort(self) -> ndarray:
        return coargsort([as_column(side).ranks() for side in self._values])

    def min(self) -> Any:
        """The first interval in order, None when there is none."""
        there = self.dropna()
        return there[int(there._argsort()[0])] if there.size else None

    def max(self) -> Any:
        """The last interval in order, None when there is none."""
        there = self.dropna()
        return there[int(there._argsort()[there.size - 1])] if there.size else None

    def numbers(self) -> tuple[ndarray, Any, ndarray]:
        """As of every column; see `Column.numbers`."""
        there: Any = self.dropna()
        places = [as_column(side)._key() for side in there._values]
        pairs = places[0][0] * max(int(places[1][1].size), 1) + places[1][0]
        _, first, numbers = unique(pairs, return_index=True, return_inverse=True)
        distinct = there._rows(first)
        numbers, first = self._spread(numbers, first)
        return numbers, distinct, first

    def _grouped(self, figure: str) -> tuple[ndarray, Callable[[ndarray, ndarray | None], Any]]:
        if figure not in ORDINAL:
            raise TypeError(f"intervals have no {figure}")
        numbers, distinct, _ = self.numbers()

        def back(rows: ndarray, valid: ndarray | None) -> Any:
            made = distinct[rows] if distinct.size else self._all_missing(rows.size)
            return made if valid is None else made._hiding(~valid)

        return numbers, back

    # -- what kinds do in their own way --

    def fillna(self, value: ArrayLike) -> Any:
        """The column with an interval where there is none."""
        return self if self._valid is None else self._choose(self._valid, self.values, value)

    def _own(self, value: ArrayLike, size: int) -> Intervals:
        if isinstance(value, Intervals):
            if value._closed != self._closed:
                raise ValueError(f"'value.closed' is '{value._closed}', expected '{self._closed}'.")
            return value
        if is_missing(value):
            return self._all_missing(size)
        found = self._sides_of(value)
        if found is None or isinstance(found, Intervals):
            raise TypeError(f"'value' should be an interval type, got {type(value)} instead.")
        one = Intervals.of([found], self._closed)
        return one._rows(full(size, 0, dtype=np.int64))

    def _choose(self, mask: ndarray, yes: ArrayLike, no: ArrayLike) -> Any:
        sides = [self._own(value, mask.size) for value in (yes, no)]
        bounds = (where(mask, a, b) for a, b in zip(sides[0]._values, sides[1]._values, strict=True))
        return self._made(Bounds(*map(_of_where, bounds)), chosen_valid(mask, *(s._valid for s in sides)), self._closed)

    def _all_missing(self, size: int) -> Any:
        nothing = self._values.each(lambda side: _nothing(side, size))
        return self._made(nothing, full(size, False), self._closed)

    def _fitting(self, other: Column) -> Any:
        if isinstance(other, Intervals):
            return other
        try:
            return Intervals.of(other.to_list())
        except TypeError:
            return self._all_missing(other.size)

    def _together(self, columns: Sequence[Column]) -> Any:
        own = [column if isinstance(column, Intervals) else self._fitting(column) for column in columns]
        if len({one._closed for one in own}) > 1:
            raise ValueError("Intervals must all be closed on the same side.")
        sides = (concatenate([one._values[side] for one in own]) for side in (0, 1))
        return self._made(Bounds(*sides), valid_of_all(own), self._closed)


def _made(left: ArrayLike, right: ArrayLike, valid: ndarray | None, closed: str) -> Intervals:
    return Intervals._made(Bounds(left, right), valid, closed)


def overlapping(column: Intervals) -> bool:
    """Whether any two intervals have a point in common."""
    ordered = column._rows(column._argsort())
    empty = ordered.is_empty
    if bool(empty.any()):
        ordered = ordered._rows(flatnonzero(~empty))
    if ordered.size < 2:
        return False
    at_left, at_right = closes(column.closed)
    left, right = ordered._values.left[1:], ordered._values.right[:-1]
    return bool((left <= right if at_left and at_right else left < right).any())


def _valid(side: Column) -> ndarray | None:
    if type(side) is Column and side.dtype.kind == "f":
        gone = side.values != side.values
        return both(side.valid, ~gone) if bool(gone.any()) else side.valid
    return side.valid


def _copied(side: Any) -> Any:
    return side.copy() if isinstance(side, Array) else side


def _of_where(side: Any) -> Any:
    return side.values if isinstance(side, Column) else side


def _nothing(side: Any, size: int) -> Any:
    return side._all_missing(size).values if isinstance(side, Column) else full(size, 0, dtype=side.dtype)


def _listed(side: Any) -> list[Any]:
    return boxed_list(side) if isinstance(side, Ticks) else side.tolist()


def _one(value: ArrayLike) -> Any:
    return value.item() if isinstance(value, np.generic) and value.dtype.kind not in "mM" else value
