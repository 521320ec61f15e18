# SPDX-License-Identifier: Apache-2.0
"""The labels of a frame's columns: few, and known to each process that runs the script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.ndarray import ndarray
from ...columns.column import Column
from ...columns.objects import Objects
from ..classes import CLASSES, define, is_series
from ..index.base import IndexCore, index_of, make_index
from .values import is_scalar, make

if TYPE_CHECKING:
    from ...annotations import Label


class Labels:
    """Column labels and the names of their levels; tuples when there are several levels. Never changes."""

    __slots__ = ("_index", "_names", "_of", "_places", "values")

    def __init__(self, values: Iterable[Any], names: Sequence[Any] = (None,)) -> None:
        self.values = list(values)
        self._names = list(names)
        self._places: dict[Any, list[int]] | None = None
        self._index: Any = None
        self._of: Any = None  # labels of which these are some, and their places there

    @property
    def names(self) -> list[Any]:
        """The names of the levels, as the Index that a caller has seen tells them."""
        return self._names if self._index is None else list(self._index.names)

    def shared(self) -> Labels:
        """Labels that another frame may share: these, unless a caller has their Index and may rename it."""
        return self._with(self._index._view()) if getattr(self._index, "_held", False) else self

    def for_caller(self) -> Labels:
        """These labels with an Index that a caller may have and rename; see `shared`."""
        index = self.index()
        made = index._for_caller()
        return self if made is index else self._with(made)

    def _with(self, index: object) -> Labels:
        made = Labels(self.values, self.names)
        made._places, made._index = self._places, index
        return made

    def __len__(self) -> int:
        return len(self.values)

    @property
    def places(self) -> dict[Any, list[int]]:
        """Where each label is."""
        if self._places is None:
            self._places = {}
            for place, label in enumerate(self.values):
                self._places.setdefault(label, []).append(place)
        return self._places

    @property
    def nlevels(self) -> int:
        """How many levels the labels have."""
        return len(self.names)

    @property
    def is_unique(self) -> bool:
        """Whether no label repeats."""
        return len(self.places) == len(self.values)

    def find(self, label: Label) -> list[int]:
        """The places of a label: of several levels also of what begins with it. Empty when it is not here."""
        try:
            found = self.places.get(label)
        except TypeError:
            return []
        if found is not None or self.nlevels == 1:
            return found or []
        begin = label if isinstance(label, tuple) else (label,)
        return [place for place, one in enumerate(self.values) if one[: len(begin)] == begin]

    def __contains__(self, label: Label) -> bool:
        return bool(self.find(label))

    def same(self, other: Labels) -> bool:
        """Whether another has the same labels in the same order."""
        return self is other or self.values == other.values

    def of(self, places: Iterable[int]) -> Labels:
        """The labels at some positions."""
        places = list(places)
        if places == list(range(len(self))):
            return self
        made = Labels([self.values[place] for place in places], self.names)
        if self.nlevels == 1:  # the dtype of all labels is that of some
            made._of = self, places
        return made

    def where(self, key: object) -> list[int]:
        """The places that a list of labels, a mask, or a slice of labels means. KeyError when one is not here."""
        if isinstance(key, slice):
            return self.between(key)
        key = list_of(key)
        if key and all(isinstance(one, (bool, np.bool_)) for one in key):
            if len(key) != len(self):
                raise IndexError(f"Boolean index has wrong length: {len(key)} instead of {len(self)}")
            return [place for place, one in enumerate(key) if one]
        found = [self.find(label) for label in key]
        lost = [label for label, places in zip(key, found, strict=True) if not places]
        if lost and len(lost) == len(key):
            raise KeyError(f"None of [{make_index(lost)!r}] are in the [columns]")
        if lost:
            raise KeyError(f"{lost} not in index")
        return [place for places in found for place in places]

    def at_levels(self, key: tuple[Any, ...]) -> list[int]:
        """The places that a label, a list of labels, a mask or a slice for each level means; as lists have them.

        KeyError when a label is at no place of its level.
        """
        if len(key) > self.nlevels:
            raise KeyError(key)
        places, ranks = list(range(len(self))), []
        lists = []
        for one, level in zip(key, zip(*self.values, strict=True), strict=False):
            rank: dict[int, Any] = dict.fromkeys(places, 0)
            if isinstance(one, slice):
                if one != slice(None):
                    rank = {place: place for place in places if _lies_in(one, level[place])}
            elif is_scalar(one):
                if one not in level:
                    raise KeyError(one)
                rank = {place: 0 for place in places if level[place] == one}
            else:
                wanted = list_of(one)
                if wanted and all(isinstance(label, (bool, np.bool_)) for label in wanted):
                    rank = {place: place for place in Labels(level).where(wanted)}
                elif lost := [label for label in wanted if label not in level]:
                    raise KeyError(f"{lost} not in index")
                else:
                    order = {label: number for number, label in reversed(list(enumerate(wanted)))}
                    rank = {place: order[level[place]] for place in places if level[place] in order}
                    lists.append((wanted, level))
            places = [place for place in places if place in rank]
            ranks.append(rank)
        if any(not _in_order(wanted, level) for wanted, level in lists):  # else they stay as they are, as in pandas
            places.sort(key=lambda place: [rank[place] for rank in ranks])
        return places

    def between(self, key: slice) -> list[int]:
        """The places of a slice of labels, both ends included."""
        first, last = 0, len(self)
        for end in (key.start, key.stop):
            if end is not None and not self.find(end):
                raise KeyError(end)
        if key.start is not None:
            first = self.find(key.start)[0]
        if key.stop is not None:
            last = self.find(key.stop)[-1] + 1
        return list(range(first, last))[:: key.step]

    def index(self) -> Any:
        """The labels as an Index, or a MultiIndex."""
        if self._index is None and self._of is not None:
            (source, places), self._of = self._of, None
            kept = source.index()._take(asarray(np.array(places, np.int64)))
            self._index = kept if self.names == source.names else kept._renamed(self.names[0])
        if self._index is None:
            if self.nlevels > 1:
                self._index = CLASSES["MultiIndex"].from_tuples(self.values, names=self.names)
            elif all(type(one) is int for one in self.values) and self.values == list(range(len(self))):
                self._index = CLASSES["RangeIndex"](len(self), name=self.names[0])
            else:
                column = make(self.values) if not any(isinstance(one, tuple) for one in self.values) else None
                self._index = index_of(Objects(self.values) if column is None else column, self.names[0])
        return self._index


def _lies_in(cut: slice, label: Label) -> bool:
    return (cut.start is None or cut.start <= label) and (cut.stop is None or label <= cut.stop)


def _in_order(wanted: list[Any], level: tuple[Any, ...]) -> bool:
    """Whether some labels stand in the order of their level's."""
    try:
        held = sorted(set(level))
    except TypeError:
        held = list(dict.fromkeys(level))
    places = [held.index(label) for label in wanted]
    return places == sorted(places)


def list_of(labels: Any) -> list[Any]:
    """A sequence of labels, whatever holds them, as a list."""
    if isinstance(labels, IndexCore):
        return labels.to_list()
    if is_series(labels):
        labels = labels._values
    if isinstance(labels, (ndarray, Column)):
        return labels.tolist()
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def labels_of(columns: Any) -> Labels:
    """Column labels of what a caller gives as them."""
    if isinstance(columns, Labels):
        return columns
    if isinstance(columns, IndexCore):
        made = Labels(columns.to_list(), columns.names)
        made._index = columns._view()
        return made
    if type(columns).__name__ == "MultiIndex" and hasattr(columns, "get_level_values"):
        return Labels(list(columns), columns.names)
    held = list_of(columns)
    if len(held) > 1 and all(isinstance(one, list) for one in held) and len({len(one) for one in held}) == 1:
        held = list(zip(*held, strict=True))
    if held and all(isinstance(one, tuple) for one in held) and len({len(one) for one in held}) == 1:
        return Labels(held, [None] * len(held[0]))
    made = Labels(held, [getattr(columns, "name", None)])
    if not held:  # labels that are given, if none, are of no kind; a frame without any has a range
        made._index = index_of(Objects([]), getattr(columns, "name", None))
    return made


define(Labels)
