# SPDX-License-Identifier: Apache-2.0
"""Index: the labels of rows. A RangeIndex is three numbers, and nothing is made of it until it is needed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray
from ...arrays.ndarray import ndarray
from ...arrays.selection import where
from ..classes import CLASSES, Tabular, define
from ..data.dtypes import cast
from ..data.values import make
from ..fallback.convert import to_pandas
from .base import IndexCore, index_of, of_range, stepping_as
from .lookup import IndexLookup
from .methods import IndexMethods
from .more_methods import IndexOthers
from .sets import IndexSets

if TYPE_CHECKING:
    from ...annotations import ColumnType, DTypeLike, Label


class Index(IndexMethods, IndexSets, IndexLookup, IndexOthers, metaclass=Tabular):
    """Labels of rows: numbers, strings, dates, … of one kind.

    Parameters
    ----------
    data : array_like
        The labels; a `range` makes a RangeIndex, tuples make a MultiIndex.
    dtype : dtype, optional
        Their kind.
    copy : bool
        Nothing depends on it: an index never changes.
    name : hashable, optional
        The index' name.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.Index(["b", "a"], name="key")
    Index(['b', 'a'], dtype='str', name='key')
    >>> ak.Index(range(3))
    RangeIndex(start=0, stop=3, step=1)
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # == is elementwise

    def __new__(
        cls,
        data: Any = None,
        dtype: DTypeLike = None,
        copy: bool = False,
        name: str | None = None,
        tupleize_cols: bool = True,
    ) -> Any:
        if data is None:
            data = []
        if name is not None and not isinstance(name, Hashable):
            raise TypeError(f"{cls.__name__}.name must be a hashable type")
        if isinstance(data, IndexCore):
            name = getattr(data, "name", None) if name is None else name
            return data._renamed(name) if dtype is None else index_of(cast(data._values, dtype), name)
        if isinstance(data, range) and dtype is None:
            return CLASSES["RangeIndex"](data, name=name)
        if name is None:
            name = getattr(data, "name", None)
        if tupleize_cols and isinstance(data, (list, tuple)) and data and all(isinstance(one, tuple) for one in data):
            return CLASSES["MultiIndex"].from_tuples(data, names=name)
        if not (hasattr(data, "__len__") or hasattr(data, "__iter__")) or isinstance(data, (str, bytes)):
            raise TypeError(f"Index(...) must be called with a collection of some kind, {data!r} was passed")
        made = index_of(make(data, dtype), name)
        return made if dtype is not None else stepping_as(made, data)


class RangeIndex(Index):
    """The labels of a range: three numbers.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.RangeIndex(2, 10, 3).to_list()
    [2, 5, 8]
    """

    __slots__ = ("_range",)
    _range: range

    def __new__(
        cls,
        start: Any = None,
        stop: Any = None,
        step: Any = None,
        dtype: ColumnType = None,
        copy: bool = False,
        name: Any = None,
    ) -> Any:
        if name is not None and not isinstance(name, Hashable):
            raise TypeError(f"{cls.__name__}.name must be a hashable type")
        if isinstance(start, RangeIndex):
            start, name = start._range, start._name if name is None else name
        if start is None and stop is None:
            raise TypeError("RangeIndex(...) must be called with integers")
        if not isinstance(start, range):
            start = range(0 if stop is None else start or 0, start if stop is None else stop, step or 1)
        return of_range(start, name)

    def __reduce__(self) -> Any:
        return of_range, (self._range, self._name)

    @classmethod
    def from_range(cls, data: range, name: Label = None, dtype: ColumnType = None) -> Any:
        """The index of a Python range.

        Parameters
        ----------
        cls : None
            No effect.
        data : range
            The range.
        name : label, optional
            The name of the result.
        dtype : dtype, optional
            The dtype of the result.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.RangeIndex.from_range(range(0, 6, 2))
        RangeIndex(start=0, stop=6, step=2)
        """
        return of_range(data, name)

    @property
    def _values(self) -> Any:
        if self._column is None:
            self._column = arange(self._range.start, self._range.stop, self._range.step)
        return self._column

    @property
    def start(self) -> int:
        """The first label."""
        return self._range.start

    @property
    def stop(self) -> int:
        """The label behind the last."""
        return self._range.stop

    @property
    def step(self) -> int:
        """The difference of neighbours."""
        return self._range.step

    @property
    def size(self) -> int:
        """How many labels there are."""
        return len(self._range)

    @property
    def dtype(self) -> Any:
        """int64"""
        return np.dtype(np.int64)

    @property
    def is_unique(self) -> bool:
        """Always."""
        return True

    def _renamed(self, name: Label) -> Any:
        return of_range(self._range, name)

    def _take(self, rows: Any) -> Any:
        return index_of(rows if self._plain() else rows * self.step + self.start, self._name)

    def __repr__(self) -> str:
        name = "" if self._name is None else f", name={self._name!r}"
        return f"RangeIndex(start={self.start}, stop={self.stop}, step={self.step}{name})"

    def _plain(self) -> bool:
        return self.start == 0 and self.step == 1

    def _cut(self, rows: slice) -> Any:
        return of_range(self._range[rows], self._name)

    def _label(self, row: int) -> int:
        return self._range[row]

    def to_pandas(self) -> Any:
        """A pandas RangeIndex.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> type(index.to_pandas()).__module__.split(".")[0]
        'pandas'
        """
        import pandas as pd

        return pd.RangeIndex(self.start, self.stop, self.step, name=to_pandas(self._name))

    def to_list(self) -> list[Any]:
        """The labels as Python values.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.to_list()
        ['b', 'a', 'c']
        """
        return list(self._range)

    tolist = to_list

    def _same(self, other: IndexCore) -> bool:
        if isinstance(other, RangeIndex):
            return self._range == other._range
        return IndexCore._same(self, other)

    def _place(self, key: Any) -> int:
        """The row of a label; -1 when it is not here."""
        whole = isinstance(key, (int, np.integer)) or (
            isinstance(key, (float, np.floating)) and float(key).is_integer()
        )
        return self._range.index(int(key)) if whole and int(key) in self._range else -1

    def _rows_of(self, key: object) -> Any:
        return asarray([self._row_of(key)])

    def _row_of(self, key: object) -> int:
        place = self._place(key)
        if place < 0:
            raise KeyError(key)
        return place

    def __contains__(self, key: object) -> bool:
        return self._place(key) >= 0

    def _bound(self, label: Label, side: str) -> int:
        place = self._place(label) if label is not None else -1
        if place < 0:
            return IndexLookup._bound(self, label, side)
        return place if side == "left" else place + 1

    @property
    def is_monotonic_increasing(self) -> bool:
        """Whether labels are in ascending order."""
        return self.step > 0 or self.size < 2

    @property
    def is_monotonic_decreasing(self) -> bool:
        """Whether labels are in descending order."""
        return self.step < 0 or self.size < 2

    def _indexer(self, wanted: Any) -> Any:
        if isinstance(wanted, RangeIndex) and wanted._range == self._range:
            return arange(self.size)
        labels = wanted._values
        if wanted.nlevels > 1 or not isinstance(labels, ndarray) or labels.dtype.kind not in "iu":
            return IndexCore._indexer(self, wanted)
        rows = (labels.astype(np.int64) - self.start) // self.step
        return where((rows >= 0) & (rows < self.size) & (rows * self.step + self.start == labels), rows, -1)


define(Index)
define(RangeIndex)
