# SPDX-License-Identifier: Apache-2.0
"""Columns whose rows are taken when they are asked for: a filter or a join leaves many, and few are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, SupportsIndex

from ..arrays.selection import where
from .values import cut, take, take_or_miss


class Pending:
    """Rows of a column, taken when first needed. `gone` says where there is none; None: nowhere."""

    __slots__ = ("_base", "_gone", "_made", "_rows")

    def __init__(self, base: Any, rows: Any, gone: Any = None) -> None:
        self._base, self._rows, self._gone, self._made = base, rows, gone, None

    def made(self) -> Any:
        """The column."""
        if self._made is None:
            base = self._base.made() if type(self._base) is Unread else self._base
            self._made = take_or_miss(base, self._rows, self._gone)
            self._base = self._rows = self._gone = None
        return self._made


class Unread:
    """A column that a function reads when it is first needed."""

    __slots__ = ("_made", "_read")

    def __init__(self, read: Callable[[], Any]) -> None:
        self._read: Callable[[], Any] | None = read
        self._made: Any = None

    def made(self) -> Any:
        """The column."""
        if self._read is not None:
            self._made, self._read = self._read(), None
        return self._made


class Columns(list[Any]):
    """A frame's columns; one that is pending is made when it is read."""

    __slots__ = ()

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        if isinstance(place, slice):
            return [self[at] for at in range(len(self))[place]]
        found = list.__getitem__(self, place)
        if type(found) is Pending or type(found) is Unread:
            found = found.made()
            self[place] = found
        return found

    def __iter__(self) -> Iterator[Any]:
        for place in range(len(self)):
            yield self[place]


def as_they_are(columns: list[Any]) -> list[Any]:
    """The columns, pending ones as such."""
    return list.copy(columns)


def choose_rows(columns: list[Any], rows: Any, gone: Any = None) -> Columns:
    """Rows of columns, when they are needed. Of columns that wait for the same rows, these are put together once."""
    known: dict[int, tuple[Any, Any]] = {}
    chosen = Columns()
    safe = rows if gone is None else where(gone, 0, rows)
    for one in as_they_are(columns):
        if type(one) is not Pending or one._made is not None:
            chosen.append(Pending(one if type(one) is not Pending else one._made, rows, gone))
            continue
        if one._rows.size == 0:
            chosen.append(Pending(one.made(), rows, gone))
            continue
        if id(one._rows) not in known:
            missing = None if one._gone is None else take(one._gone, safe)
            missing = gone if missing is None else missing if gone is None else missing | gone
            known[id(one._rows)] = (take(one._rows, safe), missing)
        chosen.append(Pending(one._base, *known[id(one._rows)]))
    return chosen


def cut_rows(columns: list[Any], rows: slice) -> Columns:
    """A slice of the rows of columns."""
    known: dict[int, tuple[Any, Any]] = {}
    chosen = Columns()
    for one in as_they_are(columns):
        if type(one) is not Pending or one._made is not None:
            one = one.made() if type(one) is Unread else one
            chosen.append(cut(one if type(one) is not Pending else one._made, rows))
            continue
        if id(one._rows) not in known:
            known[id(one._rows)] = (cut(one._rows, rows), None if one._gone is None else cut(one._gone, rows))
        chosen.append(Pending(one._base, *known[id(one._rows)]))
    return chosen
