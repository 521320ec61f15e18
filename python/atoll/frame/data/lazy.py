# SPDX-License-Identifier: Apache-2.0
"""Columns whose rows are taken when they are asked for: a filter or a join leaves many, and few are used."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any, SupportsIndex

import numpy as np

from ...arrays.creation import arange, zeros
from ...arrays.selection import where
from ...arrays.sorting import argsort
from .values import cut, make, take, take_or_miss

#: A slice of a column with so many rows is not cut before it is needed.
FEW_TO_CUT = 1 << 14
_FEW = 4  # of so many rows one at most is worth being read alone where rows do not ascend


class Chosen:
    """Rows that several columns wait for. `gone` says where there is none; None: nowhere."""

    __slots__ = ("_ascend", "gone", "rows")

    def __init__(self, rows: Any, gone: Any = None) -> None:
        self.rows, self.gone = rows, gone
        self._ascend: bool | None = None

    @property
    def ascend(self) -> bool:
        """Whether no row number is less than the one before."""
        if self._ascend is None:
            self._ascend = self.rows.size < 2 or bool((self.rows[1:] >= self.rows[:-1]).all())
        return self._ascend


class Pending:
    """Rows of a column, taken when first needed."""

    __slots__ = ("_base", "_chosen", "_made")

    def __init__(self, base: Any, chosen: Chosen) -> None:
        self._base, self._chosen = base, chosen
        self._made: Any = None

    def made(self) -> Any:
        """The column."""
        if self._made is None:
            base = self._base
            if type(base) is Unread:
                self._made = base.some(self._chosen)
            if self._made is None:
                base = base.made() if type(base) is Unread else base
                self._made = take_or_miss(base, self._chosen.rows, self._chosen.gone)
            self._base = self._chosen = None  # type: ignore[assignment]  # neither is asked for any more
        return self._made


class Sliced:
    """A slice of a column of few rows, cut when first needed: what the calls cost is more than what it keeps."""

    __slots__ = ("_base", "_made", "_rows")

    def __init__(self, base: Any, rows: slice) -> None:
        self._base, self._rows = base, rows
        self._made: Any = None

    def __len__(self) -> int:
        return len(range(*self._rows.indices(self._base.size))) if self._made is None else int(self._made.size)

    @property
    def nbytes(self) -> int:
        """Bytes that it will take, about."""
        return 8 * len(self)

    def made(self) -> Any:
        """The column."""
        if self._made is None:
            self._made = cut(self._base, self._rows)
            self._base = None
        return self._made


class Unread:
    """A column that is read when it is first needed, all of it or some rows."""

    __slots__ = ("_made", "_of")

    def __init__(self, of: Any) -> None:
        """`of` has `size` and `read()`, which gives the column, and `read_rows(rows)`, whose rows ascend."""
        self._of = of
        self._made: Any = None

    def made(self) -> Any:
        """The column."""
        if self._made is None:
            self._made, self._of = self._of.read(), None
        return self._made

    def some(self, chosen: Chosen) -> Any:
        """Some rows; None when they are better taken of the whole column."""
        rows = chosen.rows
        if self._made is not None or chosen.gone is not None:
            return None
        if chosen.ascend:
            return self._of.read_rows(rows)
        if rows.size * _FEW > self._of.size:
            return None
        order = argsort(rows)
        return take(self._of.read_rows(take(rows, order)), inverse(order))


class MatrixRow:
    """A row of a NumPy matrix, which is made a column when it is first needed."""

    __slots__ = ("matrix", "place")

    def __init__(self, matrix: np.ndarray[Any, Any], place: int) -> None:
        self.matrix, self.place = matrix, place

    def __len__(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes that it will take."""
        return len(self) * self.matrix.itemsize

    def made(self) -> Any:
        """The column."""
        return make(self.matrix[self.place])


def inverse(order: Any) -> Any:
    """Where each row has gone in an order."""
    places = zeros(order.size, dtype=np.int64)
    places[order] = arange(order.size)
    return places


_WAITING = frozenset((MatrixRow, Pending, Sliced, Unread))


class Columns(list[Any]):
    """A frame's columns; one that is pending is made when it is read."""

    __slots__ = ()

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        if isinstance(place, slice):
            return [self[at] for at in range(len(self))[place]]
        found = list.__getitem__(self, place)
        if type(found) in _WAITING:
            found = found.made()
            self[place] = found
        return found

    def __iter__(self) -> Iterator[Any]:
        for place in range(len(self)):
            yield self[place]


def rows_as_columns(matrix: np.ndarray[Any, Any]) -> Columns:
    """A column of each row of a matrix, made when it is needed."""
    return Columns(map(MatrixRow, repeat(matrix), range(len(matrix))))


def matrix_of(columns: list[Any]) -> np.ndarray[Any, Any] | None:
    """The matrix whose rows these columns are, all of them in order; None when they are not."""
    held = as_they_are(columns)
    matrix = held[-1].matrix if held and type(held[-1]) is MatrixRow else None
    if matrix is None or len(matrix) != len(held):
        return None
    for place, one in enumerate(held):
        if type(one) is not MatrixRow or one.place != place or one.matrix is not matrix:
            return None
    return matrix


def as_they_are(columns: list[Any]) -> list[Any]:
    """The columns, pending ones as such."""
    return list.copy(columns)


def choose_rows(columns: list[Any], rows: Any, gone: Any = None) -> Columns:
    """Rows of columns, when they are needed. Of columns that wait for the same rows, these are put together once."""
    every = Chosen(rows, gone)
    known: dict[int, Chosen] = {}
    chosen = Columns()
    safe = rows if gone is None else where(gone, 0, rows)
    for one in as_they_are(columns):
        if type(one) in (MatrixRow, Sliced):
            one = one.made()
        if type(one) is not Pending or one._made is not None:
            chosen.append(Pending(one if type(one) is not Pending else one._made, every))
            continue
        before = one._chosen
        if before.rows.size == 0:
            chosen.append(Pending(one.made(), every))
            continue
        if id(before) not in known:
            missing = None if before.gone is None else take(before.gone, safe)
            missing = gone if missing is None else missing if gone is None else missing | gone
            known[id(before)] = Chosen(take(before.rows, safe), missing)
        chosen.append(Pending(one._base, known[id(before)]))
    return chosen


def cut_rows(columns: list[Any], rows: slice) -> Columns:
    """A slice of the rows of columns."""
    known: dict[int, Chosen] = {}
    chosen = Columns()
    for one in as_they_are(columns):
        if type(one) is not Pending or one._made is not None:
            base = one.made() if type(one) in _WAITING else one
            chosen.append(Sliced(base, rows) if base.size <= FEW_TO_CUT else cut(base, rows))
            continue
        before = one._chosen
        if id(before) not in known:
            gone = None if before.gone is None else cut(before.gone, rows)
            known[id(before)] = Chosen(cut(before.rows, rows), gone)
        chosen.append(Pending(one._base, known[id(before)]))
    return chosen
