# SPDX-License-Identifier: Apache-2.0
"""Rows in order of their groups, one group behind the other, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..arrays.array import expr_of, wrap
from ..arrays.creation import arange, empty, empty_like, full
from ..arrays.repeating import repeat
from ..arrays.scans import cumsum
from ..arrays.selection import take, where
from ..arrays.sorting import argsort
from ..arrays.ufuncs import maximum
from ..session import current
from .column import Column

if TYPE_CHECKING:
    from ..arrays.ndarray import ndarray

#: From so many rows for each group and thread on, rows are dealt to groups; else they are sorted.
DEALT = 8


class InGroups:
    """Where each row goes in order of groups; rows of one group keep their order.

    Attributes
    ----------
    places : ndarray of int64
        Of each row in that order.
    sizes : ndarray of int64
        How many rows each group has.
    """

    __slots__ = ("_firsts", "_order", "_segments", "places", "sizes")
    places: ndarray
    sizes: ndarray
    _order: ndarray | None
    _segments: ndarray | None
    _firsts: ndarray | None

    def __init__(self, places: ndarray, sizes: ndarray) -> None:
        self.places, self.sizes = places, sizes
        self._order = self._segments = self._firsts = None

    @classmethod
    def of(cls, groups: ndarray, sizes: ndarray) -> InGroups:
        """Of the number of each row's group, and how many rows groups have."""
        count = int(sizes.size)
        session = current()
        if count * session.pes * session.threads * DEALT <= groups.size:
            return cls(wrap(_core.group_places(expr_of(groups), count)), sizes)
        order = argsort(groups)
        inverse = empty_like(order)
        inverse[order] = arange(order.size)
        return cls(inverse, sizes)

    @property
    def order(self) -> ndarray:
        """The row at each place."""
        if self._order is None:
            order = empty(self.places.size, dtype=np.int64)
            order[self.places] = arange(self.places.size)
            self._order = order  # whole, or not at all
        return self._order

    @property
    def segments(self) -> ndarray:
        """The numbers of groups in that order, ascending: int64."""
        if self._segments is None:
            self._segments = repeat(arange(self.sizes.size), self.sizes)
        return self._segments

    @property
    def firsts(self) -> ndarray:
        """Whether a group begins at each place: an eighth of what `segments` take."""
        if self._firsts is None:
            firsts = full(self.places.size, False)
            firsts[cumsum(self.sizes) - self.sizes] = True
            self._firsts = firsts
        return self._firsts

    def forth(self, column: Any) -> Any:
        """A column in order of groups."""
        if isinstance(column, Column):
            return column.take(self.order)
        ordered = empty_like(column)
        ordered[self.places] = column
        return ordered

    def back(self, column: Any) -> Any:
        """A column that is in order of groups, in order of rows."""
        return column.take(self.places) if isinstance(column, Column) else take(column, self.places)

    def rows(self, places: ndarray) -> ndarray:
        """From places, of which each place has one, to rows, of which each row has one; -1 stays."""
        rows = take(self.order, maximum(places, 0)) if places.size else places
        return self.back(where(places < 0, -1, rows))
