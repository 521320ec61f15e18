# SPDX-License-Identifier: Apache-2.0
"""The base class of indexes, and their construction from columns of labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...columns.column import Column
from ...columns.foreign import Foreign
from ...columns.functions.functions import unique
from ...columns.groupby.groupby import groupby
from ...columns.joins.equal import join
from ..classes import CLASSES
from ..data.dtypes import item_of, kind_of, to_list
from ..data.values import cut, fits, isna, take

if TYPE_CHECKING:
    from ...annotations import Label


class FrozenList(list[Any]):
    """A list of an index's names or levels, which prints as pandas' FrozenList."""

    def __repr__(self) -> str:
        held = [one.tolist() if hasattr(one, "tolist") else one for one in self]
        return f"FrozenList({held})"

    def __str__(self) -> str:
        return repr(self).removeprefix("FrozenList(").removesuffix(")")

    def union(self, other: Sequence[Any]) -> FrozenList:
        """These and then those of another."""
        return FrozenList([*self, *other])

    def difference(self, other: Sequence[Any]) -> FrozenList:
        """The elements that `other` does not contain."""
        return FrozenList([one for one in self if one not in other])

    def __hash__(self) -> int:  # type: ignore[override]  # pandas' has one
        return hash(tuple(self))

    def __eq__(self, other: object) -> bool:
        return list.__eq__(self, list(other) if isinstance(other, tuple) else other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other


class IndexCore:
    """Base of all indexes: one or several columns of labels."""

    __pandas_priority__ = 2001  # see SeriesCore
    __slots__ = ("__weakref__", "_column", "_held", "_name")
    _column: Any
    _held: bool  # a caller has it, and may rename it: one frame or Series alone uses it
    _name: Any

    @property
    def _values(self) -> Any:
        """The labels as a column."""
        return self._column

    @property
    def _labels_of_index(self) -> list[Any]:
        """The labels' columns: one, or one for each level."""
        return [self._values]

    def _view(self) -> Any:
        """Another index of the same labels, with a name of its own."""
        made = object.__new__(type(self))
        for slot in ("_column", "_name", "_range", "_freq"):
            if hasattr(self, slot):
                setattr(made, slot, getattr(self, slot))
        return made

    def _shared(self) -> Any:
        """An index that another frame or Series may share: this one, unless a caller has it."""
        return self._view() if getattr(self, "_held", False) else self

    def _for_caller(self) -> Any:
        """An index that a caller may rename: this one, unless other frames or Series share it."""
        if getattr(self, "_held", False):
            return self
        made = self._view()
        made._held = True
        return made

    def __copy__(self) -> Any:
        return self._view()

    def __deepcopy__(self, memo: Any) -> Any:
        return self._view()

    def __reduce__(self) -> Any:
        return _again, (self._column, self._name, getattr(self, "freqstr", None))

    @property
    def names(self) -> list[Any]:
        """The names of its levels."""
        return FrozenList([self._name])

    @names.setter
    def names(self, values: Sequence[Hashable]) -> None:
        if len(values) != 1:
            raise ValueError(f"Length of new names must be 1, got {len(values)}")
        (self._name,) = values

    @property
    def nlevels(self) -> int:
        """How many levels it has."""
        return 1

    @property
    def size(self) -> int:
        """How many labels there are."""
        return int(self._values.size)

    def __len__(self) -> int:
        return self.size

    @property
    def shape(self) -> tuple[int]:
        """The same as a tuple."""
        return (self.size,)

    @property
    def ndim(self) -> int:
        """Always 1."""
        return 1

    @property
    def empty(self) -> bool:
        """Whether there is no label."""
        return self.size == 0

    @property
    def dtype(self) -> Any:
        """The labels' dtype."""
        return kind_of(self._values)

    def _with(self, data: Any) -> Any:
        """An index of the same name with other labels."""
        return index_of(data, self._name)

    def _replace(self, other: object) -> None:
        """Becomes another of its class: what `inplace` asks for."""
        for name in ("_column", "_name", "_range", "_freq"):
            if hasattr(other, name):
                setattr(self, name, getattr(other, name))

    def _take(self, rows: Any) -> Any:
        return self._with(take(self._values, rows))

    def _cut(self, rows: slice) -> Any:
        return self._with(cut(self._values, rows))

    def _label(self, row: int) -> Any:
        return item_of(self._values, row)

    def _renamed(self, name: Label) -> Any:
        made = object.__new__(type(self))
        made._column, made._name = self._column, name
        return made

    def to_list(self) -> list[Any]:
        """The labels as Python values."""
        return to_list(self._values)

    tolist = to_list

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_list())

    def _same(self, other: IndexCore) -> bool:
        """Whether another has the same labels in the same order."""
        if self is other or (self._column is not None and self._column is other._column):
            return True
        if self.size != other.size or self.nlevels != other.nlevels:
            return False
        return all(map(same_values, self._labels_of_index, other._labels_of_index))

    def _indexer(self, wanted: object) -> Any:
        """The row of each label of another index; -1 of those that are not here. ValueError when labels repeat."""
        if not self.is_unique:
            raise ValueError("cannot reindex on an axis with duplicate labels")
        return IndexCore._matched(self, wanted)

    def _matched(self, wanted: Any) -> Any:
        """The same of an index that is known to have each label once."""
        own, other = self._labels_of_index, wanted._labels_of_index
        if not all(map(comparable, own, other)):
            return asarray(np.full(wanted.size, -1))
        return join(other, own, "left").right

    @property
    def is_unique(self) -> bool:
        """Whether no label repeats."""
        return count_distinct(self._labels_of_index) == self.size

    @property
    def has_duplicates(self) -> bool:
        """Whether a label repeats."""
        return not self.is_unique


def comparable(a: Any, b: Any) -> bool:
    """Whether values of two columns may be equal at all."""
    return a.size == 0 or b.size == 0 or fits(a, b) or fits(b, a) or type(a) is type(b)


def count_distinct(columns: list[Any]) -> int:
    """How many distinct rows some columns have together."""
    if len(columns) == 1:
        column = columns[0]
        gone = isinstance(column, Column) and column.valid is not None
        return int(unique(column).size) + int(gone and column.null_count > 0)
    return groupby(columns, dropna=False).ngroups


def same_values(a: Any, b: Any) -> bool:
    """Whether two columns have the same values, missing ones in the same rows."""
    if a is b:
        return True
    if a.size != b.size or not comparable(a, b):
        return False
    gone, other = isna(a), isna(b)
    equal = a == b
    if isinstance(equal, Column):
        equal = equal.fillna(False)
    return bool((equal | (gone & other)).all())


def index_of(values: object, name: Label = None) -> Any:
    """The index of a column of labels."""
    name_of_class = INDEX_CLASSES.get(type(values), "Index")
    made = object.__new__(CLASSES[_class_in_pandas(values) if type(values) is Foreign else name_of_class])
    made._column, made._name = values, name
    return made


def _class_in_pandas(values: Foreign) -> str:
    """The class of index that pandas makes of values of its own: of datetimes in a zone that only pandas knows, say."""
    import pandas as pd

    for kind, name in ((pd.DatetimeTZDtype, "DatetimeIndex"), (pd.PeriodDtype, "PeriodIndex"),
                       (pd.IntervalDtype, "IntervalIndex"), (pd.CategoricalDtype, "CategoricalIndex")):  # fmt: skip
        if isinstance(values.dtype, kind):
            return name
    return "Index"


def _again(data: Any, name: str | None, step: int | None) -> Any:
    """The index that was written for another process."""
    if isinstance(data, list):
        return CLASSES["MultiIndex"]._of(data, name)
    made = index_of(data, name)
    return made._stepping(step) if step is not None and hasattr(made, "_stepping") else made


#: Which index a kind of column makes, where it is a class of its own.
INDEX_CLASSES: dict[type, str] = {}


def stepping_as(made: Any, labels: object) -> Any:
    """An index with the frequency of the labels that it is made of: an index of pandas, or ours."""
    step = getattr(labels, "freqstr", None) if hasattr(made, "_stepping") else None
    if not isinstance(step, str):
        return made
    try:
        return made._stepping(step)
    except Exception:  # a step that only pandas has, by the name it has there
        made._freq = step
        return made


def make_index(labels: Any, name: str | None = None) -> Any:
    """An index of what a caller gives as one."""
    if isinstance(labels, IndexCore):
        if name is not None:
            return labels._renamed(name)
        return labels if getattr(labels, "_held", False) else labels._view()  # pandas shares what is given
    several = isinstance(labels, (list, tuple)) and len(labels) > 1
    if several and (
        all(hasattr(one, "__array__") for one in labels)
        or (all(isinstance(one, list) for one in labels) and len({len(one) for one in labels}) == 1)
    ):
        return CLASSES["MultiIndex"].from_arrays(labels)
    pandas_multi = type(labels).__name__ == "MultiIndex" and hasattr(labels, "get_level_values")
    if pandas_multi:
        levels = [labels.get_level_values(level) for level in range(labels.nlevels)]
        return CLASSES["MultiIndex"].from_arrays(levels, names=list(labels.names))
    if type(labels).__name__ == "RangeIndex":
        return range_index(len(labels), labels.start, labels.step, labels.name)
    return CLASSES["Index"](labels, name=name)


def of_range(values: range, name: Label) -> Any:
    made = object.__new__(CLASSES["RangeIndex"])
    made._range, made._name, made._column = values, name, None
    return made


def range_index(size: int, start: int = 0, step: int = 1, name: Label = None) -> Any:
    """The index of rows that have no labels of their own."""
    return of_range(range(start, start + size * step, step), name)
