# SPDX-License-Identifier: Apache-2.0
"""Where labels are in an index."""

from __future__ import annotations

import datetime
import itertools
import operator
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, ones
from ...arrays.selection import flatnonzero, where
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.datetime.datetimes import Datetimes
from ...columns.datetime.timestamp import boxed
from ...columns.functions.functions import searchsorted
from ...columns.groupby.groupby import groupby
from ...columns.joins.equal import join
from ...columns.objects import Objects, is_missing
from ..data.values import fits, hide, is_scalar, isna, make
from .base import IndexCore, make_index

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Label


def equals_label(values: ArrayLike, label: str) -> Any:
    """Which of some labels are this one: an array of bools; None when no label of that kind can be."""
    if is_missing(label):
        return isna(values)
    if isinstance(values, Datetimes) and isinstance(label, str):
        return _in_span(values, label)
    if isinstance(values, Objects):
        return asarray(np.array([one == label for one in values.to_list()], dtype=bool))
    if not is_scalar(label) or not fits(label, values):
        return None
    found = values == label
    return found.fillna(False) if isinstance(found, Column) else found


#: What may end a datetime string: its distance from UTC.
_OFFSET = re.compile(r"(?<=\d\d:\d\d)[\d:.]*?(Z|[+-]\d\d:?\d\d)$")


def span_of(values: Datetimes, label: str) -> tuple[Any, Any]:
    """First datetime, and the one past the last, that a string such as "2024-05" denotes at its precision.
    In a column with a time zone, a string without one is local time."""
    offset = _OFFSET.search(label)
    zone = values.tz if offset is None else datetime.datetime.fromisoformat(f"2000-01-01T00:00{offset[1]}").tzinfo
    if offset is not None and values.tz is None:
        raise KeyError(label)
    try:
        start = np.datetime64((label if offset is None else label[: offset.start(1)]).replace(" ", "T"))
    except ValueError:
        raise KeyError(label) from None
    if zone is None:
        return start, start + 1
    shown = make(np.array([start, start + 1]).astype("M8[us]")).tz_localize(zone, True, "shift_forward")
    return boxed(shown, 0), boxed(shown, 1)


def _in_span(values: Datetimes, label: str) -> Any:
    start, stop = span_of(values, label)
    found = (values >= start) & (values < stop)
    return found.fillna(False) if isinstance(found, Column) else found


def is_increasing(values: Any, strictly: bool = False) -> bool:
    """Whether labels are in order; missing ones are in none."""
    if isinstance(values, Objects):
        held = values.to_list()
        try:
            return all(a <= b for a, b in itertools.pairwise(held))
        except TypeError:
            return False
    if isinstance(values, Categorical):  # as its categories lie
        values = hide(values.codes, values.codes < 0)
    if values.size < 2:
        return True
    compare = operator.gt if strictly else operator.ge
    found = compare(values[1:], values[:-1])
    return bool((found.fillna(False) if isinstance(found, Column) else found).all())


class IndexLookup(IndexCore):
    """Labels to rows."""

    __slots__ = ()

    def get_loc(self, key: object) -> Any:
        """The row of a label; a slice of neighbouring rows, or a mask, when it repeats.

        Parameters
        ----------
        key : label
            The label.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index(["a", "b"]).get_loc("b")
        1
        """
        rows = self._rows_of(key)
        if rows.size == 1:
            return int(rows[0])
        first, last = int(rows[0]), int(rows[-1])
        if last - first + 1 == rows.size:
            return slice(first, last + 1)
        mask = np.zeros(self.size, dtype=bool)
        mask[rows.to_numpy()] = True
        return mask

    def _rows_of(self, key: Any) -> Any:
        """All rows that have a label."""
        found = equals_label(self._values, key)
        rows = None if found is None else flatnonzero(found)
        if rows is None or rows.size == 0:
            raise KeyError(key)
        return rows

    def _row_of(self, key: object) -> Any:
        """The row of a label that does not repeat, as an int; an array of rows of one that does."""
        rows = self._rows_of(key)
        return int(rows[0]) if rows.size == 1 else rows

    def __contains__(self, key: Any) -> bool:
        found = equals_label(self._values, key)
        return found is not None and bool(found.any())

    def get_indexer(self, target: Any, method: str | None = None, limit: Any = None, tolerance: Any = None) -> Any:
        """For each of some labels its row, -1 when it is not here.

        Parameters
        ----------
        target : array_like
            Labels that are looked up.
        method : {None, 'ffill', 'bfill', 'nearest'}
            Which neighbour stands in for a label that is not here.
        limit : int, optional
            How many labels in a row a neighbour stands in for, at most.
        tolerance : scalar, optional
            How far a label may be from its neighbour, at most.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index(["a", "b"]).get_indexer(["b", "z"])
        array([ 1, -1])
        """
        target = make_index(target)
        if method is None:
            return self._indexer(target)
        return self._nearest(target, method)

    def _nearest(self, target: Any, method: str) -> Any:
        """The row of each label, or of its neighbour: "ffill" the one below, "bfill" the one above, "nearest"."""
        if not self.is_monotonic_increasing:
            raise ValueError("index must be monotonic increasing or decreasing")
        own, wanted = self._values, target._values
        below = searchsorted(own, wanted, side="right") - 1
        if method in ("ffill", "pad"):
            return below
        above = searchsorted(own, wanted, side="left")
        above = where(above >= own.size, -1, above)
        if method in ("bfill", "backfill"):
            return above
        if method != "nearest":
            raise ValueError(f"Invalid fill method. Expecting pad (ffill), backfill (bfill) or nearest. Got {method}")
        last = own.size - 1
        low, high = own[where(below < 0, 0, below)], own[where(above < 0, last, above)]
        closer = (below >= 0) & ((above < 0) | (abs(wanted - low) < abs(high - wanted)))
        return where(closer, below, above)

    def get_indexer_for(self, target: object) -> Any:
        """As `get_indexer`, also where labels repeat: then all their rows.

        Parameters
        ----------
        target : array_like
            Labels that are looked up.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.get_indexer_for(["c", "z"])
        array([ 2, -1])
        """
        return self._all_rows(make_index(target), missing=True)

    def _all_rows(self, wanted: Any, missing: bool = False) -> Any:
        """The rows of some labels, in their order; of one that repeats all. KeyError when one is not here."""
        if self.is_unique:
            rows = self._indexer(wanted)
        else:
            rows = join(wanted._labels_of_index, self._labels_of_index, "left").right
        if not missing and wanted.size:
            gone = rows < 0
            if gone.any():
                lost = wanted.to_list() if self.is_unique else [one for one in wanted.to_list() if one not in self]
                held = [one for one, out in zip(lost, gone.tolist(), strict=True) if out] if self.is_unique else lost
                if len(held) == wanted.size:
                    raise KeyError(f"None of [{wanted!r}] are in the [index]")
                raise KeyError(f"{held} not in index")
        return rows

    @property
    def is_monotonic_increasing(self) -> bool:
        """Whether labels are in ascending order."""
        return is_increasing(self._values)

    @property
    def is_monotonic_decreasing(self) -> bool:
        """Whether labels are in descending order."""
        return is_increasing(self._values[::-1])

    def slice_locs(self, start: int | None = None, end: int | None = None, step: int | None = None) -> tuple[int, int]:
        """The rows at which labels from `start` to `end`, both included, begin and end.

        Parameters
        ----------
        start : label, optional
            The first label.
        end : label, optional
            The last label, included.
        step : int, optional
            Each how many rows.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 2, 3, 4]).slice_locs(2, 3)
        (1, 3)
        """
        return self._bound(start, "left"), self._bound(end, "right")

    def slice_indexer(self, start: int | None = None, end: int | None = None, step: int | None = None) -> slice:
        """The same as a slice.

        Parameters
        ----------
        start : label, optional
            The first label.
        end : label, optional
            The last label, included.
        step : int, optional
            Each how many rows.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 2, 3, 4]).slice_indexer(2, 3)
        slice(1, 3, None)
        """
        first, last = self.slice_locs(start, end)
        return slice(first, last, step)

    def _bound(self, label: Label, side: str) -> int:
        if label is None:
            return 0 if side == "left" else self.size
        rising = self.is_monotonic_increasing
        if isinstance(self._values, Datetimes) and isinstance(label, str):
            if not rising:
                raise KeyError(f"{label!r} (the labels are not in order). Sort the rows by their index?")
            start, stop = span_of(self._values, label)
            label, side = (start, "left") if side == "left" else (stop, "left")
        if rising or self.is_monotonic_decreasing:
            if not fits(label, self._values) and not isinstance(self._values, Objects):
                raise TypeError(f"cannot do slice indexing on {type(self).__name__} with these indexers [{label!r}]")
            if rising:
                return int(_search(self._values, label, side))
            return self.size - int(_search(self._values[::-1], label, "right" if side == "left" else "left"))
        rows = self._rows_of(label)
        if rows.size > 1 and int(rows[-1]) - int(rows[0]) + 1 != rows.size:
            raise KeyError(f"Cannot get {side} slice bound for non-unique label: {label!r}")
        return int(rows[0]) if side == "left" else int(rows[-1]) + 1

    def searchsorted(self, value: object, side: str = "left", sorter: Any = None) -> Any:
        """Where values would go into labels that are in order.

        Parameters
        ----------
        value : scalar or array_like
            The values.
        side : {'left', 'right'}, default 'left'
            Whether equal values come behind the place (left) or before it (right).
        sorter : array_like of int, optional
            The order in which the values would be sorted.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 3, 5]).searchsorted(4)
        np.int64(2)
        """
        return searchsorted(self._values, value, side, sorter)


def _search(values: ArrayLike, label: Label, side: str) -> Any:
    if isinstance(values, Objects):
        search: Any = np.searchsorted  # of objects, which its types leave out
        return search(values.to_numpy(), label, side=side)
    if isinstance(values, Column) and not isinstance(label, str):
        below = values < label if side == "left" else values <= label
        return (below.fillna(False) if isinstance(below, Column) else below).sum()
    return searchsorted(values, label, side)


def duplicated(columns: list[Any], keep: str | bool = "first") -> Any:
    """Which rows repeat others: all but the first, all but the last, or all (False)."""
    size = columns[0].size
    if size == 0:
        return ones(0, dtype=bool)
    groups = groupby(columns if len(columns) > 1 else columns[0], dropna=False)
    if keep is False:
        return groups.broadcast(groups.size()) > 1
    if keep not in ("first", "last"):
        raise ValueError('keep must be either "first", "last" or False')
    rows = arange(size)
    kept = groups.first(rows) if keep == "first" else groups.last(rows)
    mask = ones(size, dtype=bool)
    mask[kept] = False
    return mask
