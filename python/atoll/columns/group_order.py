# SPDX-License-Identifier: Apache-2.0
"""Permutation of rows to the order of their groups, and back."""

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

#: With at least this many rows per group and thread, rows are distributed to groups; else they are sorted.
DEALT = 8


class InGroups:
    """The stable permutation of rows to the order of their groups.

    Attributes
    ----------
    places : ndarray of int64
        The position of each row in group order.
    sizes : ndarray of int64
        The number of rows of each group.
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
        """From the group number of each row, and the sizes of the groups."""
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
        """The row at each position: the inverse permutation."""
        if self._order is None:
            order = empty(self.places.size, dtype=np.int64)
            order[self.places] = arange(self.places.size)
            self._order = order  # assigned only when complete
        return self._order

    @property
    def segments(self) -> ndarray:
        """The group number at each position, ascending: int64."""
        if self._segments is None:
            self._segments = repeat(arange(self.sizes.size), self.sizes)
        return self._segments

    @property
    def firsts(self) -> ndarray:
        """Whether a group begins at each position; needs an eighth of the memory of `segments`."""
        if self._firsts is None:
            firsts = full(self.places.size, False)
            firsts[cumsum(self.sizes) - self.sizes] = True
            self._firsts = firsts
        return self._firsts

    def forth(self, column: Any) -> Any:
        """Permutes a column to group order."""
        if isinstance(column, Column):
            return column.take(self.order)
        ordered = empty_like(column)
        ordered[self.places] = column
        return ordered

    def back(self, column: Any) -> Any:
        """Permutes a column in group order to row order."""
        return column.take(self.places) if isinstance(column, Column) else take(column, self.places)

    def rows(self, places: ndarray) -> ndarray:
        """Converts positions in group order to row numbers, and permutes to row order; -1 stays."""
        rows = take(self.order, maximum(places, 0)) if places.size else places
        return self.back(where(places < 0, -1, rows))
