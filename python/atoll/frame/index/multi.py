# SPDX-License-Identifier: Apache-2.0
"""MultiIndex: labels of several levels, a column for each."""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, full
from ...arrays.ndarray import ndarray
from ...arrays.repeating import repeat, tile
from ...arrays.selection import flatnonzero
from ...arrays.sizes import product_of
from ...columns.column import Column, as_column
from ...columns.functions.functions import unique
from ...columns.objects import Objects, object_array
from ...pandas_errors import pandas_error
from ..classes import CLASSES, Tabular, define, frame, is_series
from ..data.dtypes import item_of, to_list
from ..data.values import cut, isna, make, take
from .base import FrozenList, IndexCore, index_of, make_index, range_index
from .lookup import duplicated, equals_label, is_increasing
from .more_methods import MultiIndexOthers, coded
from .sets import IndexSets, rows_in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...annotations import ArrayLike, ColumnType, Label, Level


def _require_levels(levels: Sequence[Any]) -> None:
    if len(levels) == 0:
        raise ValueError("Must pass non-zero number of levels/codes")


def _distinct(level: Any, place: int) -> Any:
    """A level's labels, which have to differ."""
    labels = to_list(level)
    if len(set(labels)) != len(labels):
        repeated = [label for label, times in Counter(labels).items() if times > 1]
        raise ValueError(f"Level values must be unique. Duplicate values on level {place}: {repeated}")
    return level


def _is_one(level: Any) -> bool:
    """Whether a level is given as one label, where its labels are asked for."""
    return isinstance(level, (str, bytes)) or not hasattr(level, "__iter__")


def _checked_names(names: Any) -> Any:
    """The levels' names, each of which may be a key of a dict."""
    if names is None:
        return None
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise ValueError("Names should be list-like for a MultiIndex")
    names = list(names)
    for name in names:
        if not isinstance(name, Hashable):
            raise TypeError("MultiIndex.name must be a hashable type")
    return names


def _refused(name: str) -> Any:
    """An operator that labels of several levels have not."""

    def method(self: Any, *others: object) -> Any:
        raise TypeError(f"cannot perform {name} with this index type: {type(self).__name__}")

    return method


def _compared(name: str) -> Any:
    """A comparison by order, row by row, with a tuple or with another index."""
    compare = getattr(operator, name)

    def method(self: Any, other: object) -> Any:
        if isinstance(other, IndexCore) and other.size != self.size:
            raise ValueError("Lengths must match to compare")
        held = other.to_list() if isinstance(other, IndexCore) else [other] * self.size
        return np.array([compare(a, b) for a, b in zip(self.to_list(), held, strict=True)], dtype=bool)

    return method


class MultiIndex(MultiIndexOthers, IndexSets, metaclass=Tabular):  # type: ignore[misc]  # labels of a level are dropped, too
    """Labels of several levels, each a column of one kind.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.MultiIndex.from_product([["a", "b"], [1, 2]], names=["x", "y"])
    MultiIndex([('a', 1),
                ('a', 2),
                ('b', 1),
                ('b', 2)],
               names=['x', 'y'])
    """

    __slots__ = ("_own_name",)
    __hash__ = None  # type: ignore[assignment]  # == is elementwise
    _own_name: Hashable

    def __new__(
        cls, levels: Any = None, codes: Any = None, sortorder: Any = None, names: object = None, **options: object
    ) -> Any:
        if levels is None or codes is None or len(levels) != len(codes):
            raise ValueError("Length of levels and codes must be the same.")
        _require_levels(levels)
        columns = [coded(_distinct(make(level), place), np.asarray(code))
                   for place, (level, code) in enumerate(zip(levels, codes, strict=True))]  # fmt: skip
        if len({column.size for column in columns}) > 1:
            raise ValueError(f"Unequal code lengths: {[column.size for column in columns]}")
        return cls._of(columns, _checked_names(names))

    @classmethod
    def _of(cls, columns: list[Any], names: Any = None) -> Any:
        made = object.__new__(cls)
        made._column = list(columns)
        made._name = [None] * len(columns) if names is None else list(names)
        if len(made._name) != len(columns):
            raise ValueError("Length of names must match number of levels in MultiIndex.")
        return made

    @classmethod
    def from_arrays(cls, arrays: Sequence[Any], sortorder: Any = None, names: object = None) -> Any:
        """An index of one column for each level."""
        if isinstance(arrays, (str, bytes)) or not hasattr(arrays, "__iter__"):
            raise TypeError("Input must be a list / sequence of array-likes.")
        arrays = list(arrays)
        if any(map(_is_one, arrays)):
            raise TypeError("Input must be a list / sequence of array-likes.")
        _require_levels(arrays)
        if names is None:
            names = [getattr(one, "name", None) for one in arrays]
        columns = [make(one) for one in arrays]
        if len({column.size for column in columns}) > 1:
            raise ValueError("all arrays must be same length")
        return cls._of(columns, names)

    @classmethod
    def from_tuples(cls, tuples: Any, sortorder: Any = None, names: Any = None) -> Any:
        """An index of tuples, each a row."""
        rows = tuples.to_list() if isinstance(tuples, IndexCore) else list(tuples)
        if not rows:
            if names is None:
                raise TypeError("Cannot infer number of levels from empty list")
            return cls._of([make([]) for _ in names], names)
        return cls._of([make(list(column)) for column in zip(*rows, strict=True)], names)

    @classmethod
    def from_product(cls, iterables: Any, sortorder: Any = None, names: object = None) -> Any:
        """An index of all combinations."""
        if isinstance(iterables, (str, bytes)) or not hasattr(iterables, "__iter__"):
            raise TypeError("Input must be a list / sequence of iterables.")
        iterables = list(iterables)
        if any(map(_is_one, iterables)):
            raise TypeError("Input must be list-like")
        _require_levels(iterables)
        if names is None:
            names = [getattr(one, "name", None) for one in iterables]
        columns = [make(one) for one in iterables]
        size = product_of(column.size for column in columns)
        made, inner = [], size
        for column in columns:
            inner //= max(column.size, 1)
            rows = repeat(arange(column.size), inner)
            made.append(take(column, tile(rows, size // max(rows.size, 1))))
        return cls._of(made, names)

    @classmethod
    def from_frame(cls, df: Any, sortorder: Any = None, names: Any = None) -> Any:
        """An index of a frame's columns."""
        return cls._of(list(df._columns), list(df._labels.values) if names is None else names)

    # -- what it is --

    @property
    def _values(self) -> Any:
        return Objects(self.to_list())

    @property
    def _labels_of_index(self) -> list[Any]:
        columns: list[Any] = self._column
        return columns

    @property
    def size(self) -> int:
        """How many labels there are."""
        return int(self._column[0].size)

    @property
    def name(self) -> Any:
        """A name beside those of the levels, which nothing uses; None unless it is set."""
        return getattr(self, "_own_name", None)

    @name.setter
    def name(self, value: Hashable) -> None:
        self._own_name = value

    @property
    def names(self) -> list[Any]:
        """The levels' names."""
        return FrozenList(self._name)

    @names.setter
    def names(self, values: Any) -> None:
        if isinstance(values, str) or not hasattr(values, "__len__"):
            raise ValueError("Names should be list-like for a MultiIndex")
        if len(values) != self.nlevels:
            raise ValueError("Length of names must match number of levels in MultiIndex.")
        self._name = list(values)

    @property
    def nlevels(self) -> int:
        """How many levels there are."""
        return len(self._column)

    @property
    def dtype(self) -> Any:
        """Labels are tuples: objects."""
        return np.dtype(object)

    @property
    def levels(self) -> list[Any]:
        """The distinct labels of each level, in order."""
        return FrozenList(index_of(unique(one), name) for one, name in zip(self._column, self._name, strict=True))

    @property
    def codes(self) -> list[Any]:
        """For each level the number of each row's label among `levels`."""
        return FrozenList(as_column(one).numbers()[0].to_numpy() for one in self._column)

    @property
    def levshape(self) -> tuple[int, ...]:
        """How many distinct labels each level has."""
        return tuple(len(level) for level in self.levels)

    # -- rows --

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a MultiIndex is ambiguous. Use a.empty, a.item(), a.any() or a.all().")

    def __setitem__(self, key: object, value: object) -> None:
        raise TypeError("Index does not support mutable operations")

    def _take(self, rows: Any) -> Any:
        return self._of([take(column, rows) for column in self._column], self._name)

    def _cut(self, rows: slice) -> Any:
        return self._of([cut(column, rows) for column in self._column], self._name)

    def _label(self, row: int) -> tuple[Any, ...]:
        return tuple(item_of(column, row) for column in self._column)

    def _renamed(self, name: Label) -> Any:
        return self._of(self._column, name if isinstance(name, (list, tuple)) else self._name)

    def _named(self, names: list[Any]) -> Any:
        return self._of(self._column, names)

    def _with(self, data: Any) -> Any:
        return self.from_tuples(to_list(data), names=self._name)

    def to_list(self) -> list[Any]:
        """The labels as tuples."""
        return list(zip(*map(to_list, self._column), strict=True))

    tolist = to_list

    @property
    def values(self) -> np.ndarray[Any, Any]:
        """The labels as a NumPy array of tuples."""
        return self.to_numpy()

    def to_numpy(self, dtype: ColumnType = None, copy: bool = False) -> np.ndarray[Any, Any]:
        """The labels as a NumPy array of tuples."""
        return object_array(self.to_list())

    def __array__(self, dtype: ColumnType = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.to_numpy()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_list())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._cut(key)
        if isinstance(key, (list, np.ndarray, ndarray, Column)) or is_series(key):
            return self._take(range_index(self.size)[key]._values)
        row = operator.index(key)
        if not -self.size <= row < self.size:
            raise IndexError(f"index {row} is out of bounds for axis 0 with size {self.size}")
        return self._label(row + self.size if row < 0 else row)

    def take(self, indices: ArrayLike) -> Any:
        """The labels at some places."""
        return self[make(indices)]

    def copy(self, names: Any = None, deep: bool = False) -> Any:
        """The same labels: an index never changes."""
        return self._of(self._column, self._name if names is None else names)

    # -- lookup --

    def _mask(self, key: tuple[Any, ...]) -> Any:
        if len(key) > self.nlevels:
            raise KeyError(key)
        mask = full(self.size, True)
        for column, label in zip(self._column, key, strict=False):
            if isinstance(label, slice) and label == slice(None):
                continue
            found = equals_label(column, label)
            if found is None:
                raise KeyError(key)
            mask = mask & found
        return mask

    def _rows_of(self, key: object) -> Any:
        rows = flatnonzero(self._mask(key if isinstance(key, tuple) else (key,)))
        if rows.size == 0:
            raise KeyError(key)
        return rows

    def _row_of(self, key: object) -> Any:
        rows = self._rows_of(key)
        whole = isinstance(key, tuple) and len(key) == self.nlevels and slice(None) not in key
        return int(rows[0]) if whole and rows.size == 1 else rows

    def get_loc(self, key: object) -> Any:
        """The row of a label; a slice or a mask of the rows that begin so."""
        rows = self._row_of(key)
        if isinstance(rows, int):
            return rows
        first, last = int(rows[0]), int(rows[-1])
        if last - first + 1 == rows.size:
            return slice(first, last + 1)
        return self._mask(key if isinstance(key, tuple) else (key,)).to_numpy()

    def get_indexer(self, target: Any, method: str | None = None) -> Any:
        """For each of some labels its row, -1 when it is not here."""
        return self._indexer(make_index(target) if isinstance(target, IndexCore) else self.from_tuples(target))

    def _all_rows(self, wanted: Any, missing: bool = False) -> Any:
        if wanted.nlevels == 1:  # labels of the first level
            return index_of(self._column[0])._all_rows(wanted, missing)
        return CLASSES["Index"]._all_rows(self, wanted, missing)

    def __contains__(self, key: object) -> bool:
        hash(key)
        try:
            return bool(self._mask(key if isinstance(key, tuple) else (key,)).any())
        except KeyError:
            return False

    @property
    def is_monotonic_increasing(self) -> bool:
        """Whether labels are in ascending order."""
        return is_increasing(rows_in_order(self._column))

    @property
    def is_monotonic_decreasing(self) -> bool:
        """Whether labels are in descending order."""
        return is_increasing(rows_in_order(self._column)[::-1])

    def slice_locs(self, start: int | None = None, end: int | None = None, step: int | None = None) -> tuple[int, int]:
        """The rows at which labels from `start` to `end`, both included, begin and end.

        KeyError where levels that these name are not in order.
        """
        named = [len(one) if isinstance(one, tuple) else 1 for one in (start, end) if one is not None]
        if named and not is_increasing(rows_in_order(self._column[: max(named)])):
            raise pandas_error("UnsortedIndexError", KeyError)(
                f"cannot slice by labels of {max(named)} levels (these levels are not sorted). Call sort_index() first?"
            )
        first = 0 if start is None else int(self._rows_of(start)[0])
        last = self.size if end is None else int(self._rows_of(end)[-1]) + 1
        return first, last

    # -- levels --

    def _level(self, level: Level) -> int:
        if level in self._name:
            return self._name.index(level)
        if isinstance(level, int):
            if not -self.nlevels <= level < self.nlevels:
                raise IndexError(f"Too many levels: Index has only {self.nlevels} levels, not {level + 1}")
            return level % self.nlevels
        raise KeyError(f"Level {level} not found")

    def get_level_values(self, level: Level) -> Any:
        """The labels of one level, row by row."""
        place = self._level(level)
        return index_of(self._column[place], self._name[place])

    def droplevel(self, level: Level = 0) -> Any:
        """The index without some levels."""
        gone = {self._level(one) for one in (level if isinstance(level, (list, tuple)) else [level])}
        kept = [place for place in range(self.nlevels) if place not in gone]
        if not kept:
            raise ValueError(
                f"Cannot remove {len(gone)} levels from an index with {self.nlevels} levels: "
                "at least one level must be left."
            )
        return self._levels(kept)

    def _levels(self, kept: list[int]) -> Any:
        if len(kept) == 1:
            return index_of(self._column[kept[0]], self._name[kept[0]])
        return self._of([self._column[place] for place in kept], [self._name[place] for place in kept])

    def swaplevel(self, i: int = -2, j: Any = -1) -> Any:
        """The index with two levels exchanged."""
        order = list(range(self.nlevels))
        a, b = self._level(i), self._level(j)
        order[a], order[b] = b, a
        return self._levels(order)

    def reorder_levels(self, order: Any) -> Any:
        """The index with its levels in another order."""
        return self._levels([self._level(one) for one in order])

    def rename(self, name: Any, *, level: Level = None, inplace: bool = False) -> Any:
        """The same labels, with other names of the levels."""
        names = list(self._name)
        if level is not None:
            names[self._level(level)] = name
        else:
            names = list(name)
        if inplace:
            self._name = names
            return None
        return self._of(self._column, names)

    def set_names(self, names: Any, *, level: object = None, inplace: bool = False) -> Any:
        """The same labels, with other names of some levels: by a dict of old names and new ones, or by level."""
        if isinstance(names, dict):
            names, level = [names.get(one, one) for one in self._name], None
        return self.rename(names, level=level, inplace=inplace)

    # -- others --

    def isna(self) -> np.ndarray[Any, Any]:
        """Refused, as in pandas: a label has several parts."""
        raise NotImplementedError("isna is not defined for MultiIndex")

    def dropna(self, how: str = "any") -> Any:
        """The labels of which no level is missing."""
        gone = [isna(column) for column in self._column]
        mask = gone[0]
        for one in gone[1:]:
            mask = mask | one if how == "any" else mask & one
        return self._take(flatnonzero(~mask))

    def sort_values(self, *, ascending: bool = True, **options: object) -> Any:
        """The labels in order."""
        order = rows_in_order(self._column)
        return self._take(order if ascending else order[::-1])

    def isin(self, values: Any, level: Level = None) -> np.ndarray[Any, Any]:
        """Which labels are among some tuples, or which of one level among some values."""
        if level is not None:
            return self.get_level_values(level).isin(values)
        found = self.from_tuples(list(values), names=self._name)._uniques()._indexer(self)
        return (found >= 0).to_numpy()

    def _uniques(self) -> Any:
        return self._take(flatnonzero(~duplicated(self._column)))

    def to_frame(self, index: bool = True, name: str | None = None, allow_duplicates: bool = False) -> Any:
        """A frame with a column for each level."""
        names = self._name if name is None else list(name)
        labels = [place if one is None else one for place, one in enumerate(names)]
        return frame(list(self._column), CLASSES["Labels"](labels), self if index else range_index(self.size))

    def remove_unused_levels(self) -> Any:
        """The index itself: it keeps no labels that do not occur."""
        return self

    def to_pandas(self) -> Any:
        """A pandas MultiIndex."""
        import pandas as pd

        return pd.MultiIndex.from_arrays([index_of(one).to_pandas() for one in self._column], names=self._name)

    def __eq__(self, other: object) -> Any:
        if isinstance(other, IndexCore) and other.size != self.size:
            raise ValueError("Lengths must match to compare")
        held = other.to_list() if isinstance(other, IndexCore) else [other] * self.size
        return np.array([a == b for a, b in itertools.zip_longest(self.to_list(), held)], dtype=bool)

    def __ne__(self, other: object) -> Any:
        return ~(self == other)

    __lt__, __le__, __gt__, __ge__ = map(_compared, ("lt", "le", "gt", "ge"))
    __add__, __radd__, __sub__, __rsub__, __mul__, __rmul__ = map(
        _refused, ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__")
    )
    __truediv__, __rtruediv__, __floordiv__, __rfloordiv__, __mod__, __rmod__ = map(
        _refused, ("__truediv__", "__rtruediv__", "__floordiv__", "__rfloordiv__", "__mod__", "__rmod__")
    )
    __neg__, __pos__, __abs__, __invert__ = map(_refused, ("__neg__", "__pos__", "__abs__", "__invert__"))

    def __repr__(self) -> str:
        long = self.size > 100
        rows = [*self[:10].to_list(), *self[self.size - 10 :].to_list()] if long else self.to_list()
        cells = [[repr(v) if isinstance(v, str) else _plain(v) for v in row] for row in rows]
        widths = [max((len(row[i]) for row in cells), default=0) for i in range(self.nlevels)]
        end = ",)" if self.nlevels == 1 else ")"
        texts = ["(" + ", ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) + end for row in cells]
        if long:
            texts.insert(10, "...")
        body = ",\n            ".join(texts).replace("...,", "...")
        extras = [] if all(name is None for name in self._name) else [f"names={self._name!r}"]
        if long:
            extras.append(f"length={self.size}")
        tail = "".join(",\n           " + extra if place == 0 else ", " + extra for place, extra in enumerate(extras))
        return f"MultiIndex([{body}]{tail or ',' + chr(10) + ' ' * 11})"


def _plain(value: object) -> str:
    return "nan" if value != value else str(value)


define(MultiIndex)
