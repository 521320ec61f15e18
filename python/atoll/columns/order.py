# SPDX-License-Identifier: Apache-2.0
"""Rows in order of their groups, one group behind the other, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..arrays.array import expr_of, wrap
from ..arrays.creation import arange, empty, empty_like
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
    segments : ndarray of int64
        The numbers of groups in that order, ascending.
    """

    __slots__ = ("_order", "places", "segments")
    places: ndarray
    segments: ndarray
    _order: ndarray | None

    def __init__(self, places: ndarray, segments: ndarray, order: ndarray | None = None) -> None:
        self.places, self.segments, self._order = places, segments, order

    @classmethod
    def of(cls, groups: ndarray, sizes: ndarray) -> InGroups:
        """Of the number of each row's group, and how many rows groups have."""
        count = int(sizes.size)
        session = current()
        if count * session.pes * session.threads * DEALT <= groups.size:
            places, segments = _core.group_places(expr_of(groups), count)
            return cls(wrap(places), wrap(segments))
        order = argsort(groups)
        inverse = empty_like(order)
        inverse[order] = arange(order.size)
        return cls(inverse, take(groups, order), order)

    @property
    def order(self) -> ndarray:
        """The row at each place."""
        if self._order is None:
            self._order = empty(self.places.size, dtype=np.int64)
            self._order[self.places] = arange(self.places.size)
        return self._order

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
