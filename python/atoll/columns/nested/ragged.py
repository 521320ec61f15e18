# SPDX-License-Identifier: Apache-2.0
"""Rows of different lengths, as Arrow lays out lists: where each begins in the elements of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, full, zeros
from ...arrays.histograms import searchsorted
from ...arrays.joining import concatenate as concatenate_arrays
from ...arrays.scans import cumsum
from ...arrays.selection import take, where
from ...arrays.sizes import total_of
from ..functions.functions import concatenate

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray


class Ragged:
    """Row i is elements [offsets[i], offsets[i + 1]) of a child, which is an array or a column.

    Both are distributed by themselves: a row's elements need not lie on the PE that has its offset.
    """

    __slots__ = ("_ids", "child", "offsets")
    offsets: ndarray  # int64, one more than rows, from 0 to the size of the child
    child: Any

    def __init__(self, offsets: ndarray, child: Any) -> None:
        self.offsets, self.child = offsets, child
        self._ids: ndarray | None = None

    @classmethod
    def of_lengths(cls, lengths: ndarray, child: Any) -> Ragged:
        """Rows of these lengths, concatenated."""
        return cls(offsets_of(lengths), child)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(self.offsets.size) - 1

    @property
    def nbytes(self) -> int:
        """Bytes of offsets and child, on all PEs together."""
        return int(self.offsets.nbytes) + int(self.child.nbytes)

    @property
    def starts(self) -> ndarray:
        """Where each row begins."""
        return self.offsets[:-1]

    @property
    def lengths(self) -> ndarray:
        """Elements of each row."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def ids(self) -> ndarray:
        """For each element the row that it is in."""
        if self._ids is None:
            self._ids = ids_of(self.offsets)
        return self._ids

    @property
    def places(self) -> ndarray:
        """For each element its place in its row."""
        return arange(self.child.size) - take(self.starts, self.ids) if self.child.size else arange(0)

    def gather(self, first: ndarray, counts: ndarray, step: int = 1) -> Ragged:
        """Rows of `counts` elements each: of the child those from `first` on, each `step` behind the one before."""
        offsets = offsets_of(counts)
        ids = ids_of(offsets)
        at = arange(ids.size)
        rows = at * step + take(first - offsets[:-1] * step, ids) if ids.size else at
        made = Ragged(offsets, self.child[rows])
        made._ids = ids
        return made

    def take(self, rows: ndarray) -> Ragged:
        """Rows by number; negative ones count from the end."""
        return self.gather(take(self.starts, rows), take(self.lengths, rows))

    def slice(self, start: int, count: int) -> Ragged:
        """Rows side by side."""
        offsets = self.offsets[start : start + count + 1]
        first, last = int(offsets[0]), int(offsets[count])
        return Ragged(offsets - first, self.child[first:last])

    def beside(self, other: Ragged) -> Ragged:
        """Each row with that of another behind it."""
        offsets = self.offsets + other.offsets
        ids = ids_of(offsets)
        if ids.size == 0:
            return Ragged(offsets, self.child)
        own, place = take(self.lengths, ids), arange(ids.size) - take(offsets[:-1], ids)
        behind = take(other.starts, ids) - own + int(self.child.size)
        rows = place + where(place < own, take(self.starts, ids), behind)
        return Ragged(offsets, concatenate([self.child, other.child])[rows])


def offsets_of(lengths: ndarray) -> ndarray:
    """Where rows of these lengths begin, and where the last ends; MemoryError when that is beyond what memory holds."""
    total_of(lengths)
    offsets: ndarray = concatenate_arrays([zeros(1, dtype=np.int64), cumsum(lengths.astype(np.int64))])
    return offsets


def ids_of(offsets: ndarray) -> ndarray:
    """For each element the row that it is in."""
    ids: ndarray = searchsorted(offsets[1:], arange(int(offsets[offsets.size - 1])), "right")
    return ids


def together(parts: Sequence[Ragged]) -> Ragged:
    """The rows of several, concatenated."""
    lengths: ndarray = concatenate_arrays([part.lengths for part in parts])
    return Ragged.of_lengths(lengths, concatenate([part.child for part in parts]))


def following(starts: ndarray, last: int) -> ndarray:
    """Where the next one begins; `last` behind the last."""
    ends: ndarray = concatenate_arrays([starts[1:], full(1, last, dtype=np.int64)]) if starts.size else starts
    return ends
