# SPDX-License-Identifier: Apache-2.0
"""State of Series and DataFrame: columns, their labels, and an index of rows. No column is ever changed in place.

So every frame is a copy on write: what two frames share, neither can alter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from ..columns.objects import Objects
from ..columns.text.strings import Strings
from .classes import frame, put, series
from .data.column_labels import Labels, labels_of
from .data.dtypes import kind_of, to_list
from .data.lazy import Columns, as_they_are, choose_rows, cut_rows
from .data.values import cut, take, take_or_miss
from .fallback.convert import told_kind
from .index.base import make_index

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..annotations import ArrayLike, Label
    from .dataframe import DataFrame
    from .series import Series


def _series_of(values: object, index: Any, name: str | None) -> Any:
    return series(values, index, name)


def _frame_of(columns: list[Any], labels: list[Any], names: list[Any], index: object) -> Any:
    return frame(columns, Labels(labels, names), index)


#: What gives attributes that our classes lack, from the object and the name; `atoll.pandas` puts pandas' own here.
ELSEWHERE: list[Any] = []


def _from_elsewhere(rows: Any, name: str) -> Any:
    for provide in ELSEWHERE:
        found = provide(rows, name)
        if found is not None:
            return found
    raise AttributeError(f"'{type(rows).__name__}' object has no attribute '{name}'")


_ATTRIBUTES = 100  # labels among which one is looked for that is asked for as an attribute


class Rows:
    """Common base of Series and DataFrame: rows with an index."""

    __slots__ = ()
    _index: Any

    # Methods are defined idea by idea, and every class has them all.
    def __getattr__(self, name: str) -> Any:
        return _from_elsewhere(self, name)

    @property
    def index(self) -> Any:
        """The labels of the rows."""
        made = self._index._for_caller()
        if made is not self._index:
            put(self, "_index", made)
        return made

    @index.setter
    def index(self, labels: Any) -> None:
        self._index = self._checked_index(labels)

    def _checked_index(self, labels: object) -> Any:
        made = make_index(labels)
        if made.size != len(self):
            raise ValueError(
                f"Length mismatch: Expected axis has {len(self)} elements, new values have {made.size} elements"
            )
        return made

    def __len__(self) -> int:
        return int(self._index.size)

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it."""
        return len(self) == 0

    def __bool__(self) -> bool:
        raise ValueError(
            f"The truth value of a {type(self).__name__} is ambiguous. Use a.empty, a.item(), a.any() or a.all()."
        )

    __hash__ = None  # type: ignore[assignment]  # == is elementwise

    def pop(self: Any, item: object) -> Any:
        """Takes a column out of this very frame, a value out of this very Series.

        Parameters
        ----------
        item : label
            The label.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.pop("a")
        0    1
        1    2
        2    3
        Name: a, dtype: int64
        >>> df
             b
        0  4.0
        1  NaN
        2  6.0
        """
        made = self[item]
        del self[item]
        return made

    def _take(self, rows: Any) -> Any:
        """The rows with these numbers, none of them negative."""
        raise NotImplementedError

    def _cut(self, rows: slice) -> Any:
        """A slice of the rows."""
        raise NotImplementedError

    def _with_index(self, index: Any) -> Any:
        raise NotImplementedError

    def head(self, n: int = 5) -> Any:
        """The first rows; all but the last when `n` is negative.

        Parameters
        ----------
        n : int, default 5
            How many rows; negative: all but so many.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.head(2)
        a    3
        b    1
        dtype: int64
        """
        return self._cut(slice(None, n))

    def tail(self, n: int = 5) -> Any:
        """The last rows; all but the first when `n` is negative.

        Parameters
        ----------
        n : int, default 5
            How many rows; negative: all but so many.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.tail(2)
        b    1
        c    2
        dtype: int64
        """
        return self._cut(slice(-n if n else len(self), None))

    def copy(self, deep: bool = True) -> Any:
        """The same rows; nothing is copied until one of the two changes.

        Parameters
        ----------
        deep : bool, default True
            Whether `groupby` takes a copied column for other values than the frame's column. Memory is shared in
            any case until one of the two changes.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> other = s.copy()
        >>> other["a"] = 0
        >>> s["a"]
        np.int64(3)
        """
        made = self._with_index(self._index)
        if deep and made.ndim == 1:
            made._copied = True
        return made

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def pipe(self, func: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """``func(self, …)``; a pair of function and name passes self under that name.

        Parameters
        ----------
        func : callable or pair
            The function; of a pair (function, name) the object is given under the name.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.pipe(lambda x, y: x + y, 1)
        a    4
        b    2
        c    3
        dtype: int64
        """
        if isinstance(func, tuple):
            func, name = func
            return func(*args, **{name: self}, **kwargs)
        return func(self, *args, **kwargs)

    def _replace(self, other: object) -> None:
        """Becomes another: what `inplace` asks for."""
        for name in ("_columns", "_labels", "_values", "_index", "_name"):
            if hasattr(type(other), name) and name in _SLOTS[type(self).__name__]:
                setattr(self, name, getattr(other, name))

    def _or_inplace(self, made: object, inplace: bool) -> Any:
        if not inplace:
            return made
        self._replace(made)
        return None

    def _or_itself(self, made: object, inplace: bool) -> Any:
        """The same of the methods that pandas lets return the object itself, so that calls chain."""
        if not inplace:
            return made
        self._replace(made)
        return self


_SLOTS = {"Series": ("_values", "_index", "_name"), "DataFrame": ("_columns", "_labels", "_index")}


class SeriesCore(Rows):
    """A column with an index and a name."""

    #: Objects of pandas with a lower number leave an operator with ours to ours.
    __pandas_priority__ = 3001
    __slots__ = ("__weakref__", "_copied", "_index", "_name", "_values")
    _copied: bool
    _values: Any
    _name: Any

    def __reduce__(self) -> Any:
        return _series_of, (self._values, self._index, self._name)

    def __getattr__(self, name: str) -> Any:
        # Labels of few rows, which a row of a frame has, are attributes, as in pandas.
        if not name.startswith("_") and self._index.nlevels == 1 and len(self) <= _ATTRIBUTES:
            labels = self._index._values
            if isinstance(labels, (Strings, Objects)) and name in self._index:
                return self.loc[name]
        own = getattr(type(self), name, None)
        if isinstance(own, property) and own.fget is not None:  # it is not for such values, and says so
            return own.fget(self)
        return _from_elsewhere(self, name)

    @property
    def name(self) -> Any:
        """The name: the column's label in a frame."""
        return self._name

    @name.setter
    def name(self, value: Any) -> None:
        self._name = value

    @property
    def dtype(self) -> Any:
        """The kind of the values."""
        return told_kind(kind_of(self._values))

    dtypes = dtype

    @property
    def shape(self) -> tuple[int]:
        """How many rows there are, as a tuple."""
        return (len(self),)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self)

    @property
    def ndim(self) -> int:
        """1"""
        return 1

    @property
    def T(self) -> Self:
        """The Series itself: it has one axis."""
        return self

    def transpose(self, *args: object, **options: object) -> Self:
        """The Series itself: it has one axis.

        Parameters
        ----------
        *args
            No effect, as NumPy passes them.
        **options
            No effect, as NumPy passes them.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.transpose()
        a    3
        b    1
        c    2
        dtype: int64
        """
        return self

    @property
    def axes(self) -> list[Any]:
        """The index, in a list."""
        return [self._index]

    def _new(self, values: object) -> Series:
        """The same rows with other values."""
        return series(values, self._index, self._name)

    def _take(self, rows: Any) -> Series:
        return series(take(self._values, rows), self._index._take(rows), self._name)

    def _cut(self, rows: slice) -> Series:
        return series(cut(self._values, rows), self._index._cut(rows), self._name)

    def _with_index(self, index: Any) -> Series:
        return series(self._values, index, self._name)

    def _reindexed(self, rows: Any, gone: Any, index: object) -> Series:
        """The rows with these numbers under another index; missing where `gone`."""
        return series(take_or_miss(self._values, rows, gone), index, self._name)

    def to_frame(self, name: Label = None) -> DataFrame:
        """A frame of this one column.

        Parameters
        ----------
        name : label, optional
            The column's label; the Series' name unless given.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.to_frame("v")
           v
        a  3
        b  1
        c  2
        """
        label = name if name is not None else self._name
        return frame([self._values], labels_of([0 if label is None else label]), self._index)

    def to_list(self) -> list[Any]:
        """The values as Python's.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.to_list()
        [3, 1, 2]
        """
        return to_list(self._values)

    tolist = to_list


class FrameCore(Rows):
    """Columns of one length with labels, and an index of rows."""

    __pandas_priority__ = 4001  # see SeriesCore
    __slots__ = ("__weakref__", "_columns", "_index", "_labels")
    _columns: list[Any]
    _labels: Any

    def __reduce__(self) -> Any:
        return _frame_of, (list(self._columns), self._labels.values, self._labels.names, self._index)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            places = self._labels.places.get(name)
            if places is not None and len(places) == 1:
                return self._series(places[0])
            if places is not None:
                return self._at(places)
        return _from_elsewhere(self, name)

    @property
    def columns(self) -> Any:
        """The columns' labels, as an Index."""
        made = self._labels.for_caller()
        if made is not self._labels:
            put(self, "_labels", made)
        return made.index()

    @columns.setter
    def columns(self, labels: object) -> None:
        made = labels_of(labels)
        if len(made) != len(self._columns):
            raise ValueError(
                f"Length mismatch: Expected axis has {len(self._columns)} elements, "
                f"new values have {len(made)} elements"
            )
        self._labels = made

    @property
    def axes(self) -> list[Any]:
        """Index and columns."""
        return [self.index, self.columns]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self._columns)

    @property
    def size(self) -> int:
        """Rows times columns."""
        return len(self) * len(self._columns)

    @property
    def ndim(self) -> int:
        """2"""
        return 2

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it."""
        return self.size == 0

    @property
    def dtypes(self) -> Series:
        """The kind of each column: a Series of objects."""
        return self._per_column([told_kind(kind_of(column)) for column in self._columns], Objects)

    def _per_column(self, values: ArrayLike, make: Any = None) -> Series:
        """A Series with a value for each column."""
        return series(values if make is None else make(values), self.columns)

    def _hold(self, columns: list[Any]) -> None:
        """Has other columns from now on."""
        self._columns = Columns(columns)

    def _series(self, place: int) -> Series:
        """A column as a Series."""
        return series(self._columns[place], self._index, self._labels.values[place])

    def _each(self) -> list[Any]:
        """All columns as Series."""
        return [self._series(place) for place in range(len(self._columns))]

    def _at(self, places: list[int]) -> DataFrame:
        """The frame of some columns."""
        held = as_they_are(self._columns)
        return frame([held[place] for place in places], self._labels.of(places), self._index)

    def _new(self, columns: list[Any], labels: Any = None) -> DataFrame:
        """The same rows with other columns."""
        return frame(columns, self._labels if labels is None else labels, self._index)

    def _take(self, rows: Any) -> DataFrame:
        return frame(choose_rows(self._columns, rows), self._labels, self._index._take(rows))

    def _cut(self, rows: slice) -> DataFrame:
        return frame(cut_rows(self._columns, rows), self._labels, self._index._cut(rows))

    def _with_index(self, index: Any) -> DataFrame:
        return frame(as_they_are(self._columns), self._labels, index)

    def _reindexed(self, rows: Any, gone: Any, index: object) -> DataFrame:
        return frame(choose_rows(self._columns, rows, gone), self._labels, index)

    def _column(self, label: Label) -> Any:
        """The column of a label that is there once."""
        places = self._labels.find(label)
        if not places:
            raise KeyError(label)
        if len(places) > 1:
            raise ValueError(f"The column label {label!r} is not unique.")
        return self._columns[places[0]]


def numeric_places(columns: list[Any], bools: bool = True) -> list[int]:
    """Which columns hold numbers."""
    return [place for place, column in enumerate(columns) if is_numeric(column, bools)]


def is_numeric(column: Any, bools: bool = True) -> bool:
    """Whether a column holds numbers."""
    kind = kind_of(column)
    letter = kind.numpy.kind if getattr(kind, "numpy", None) is not None else getattr(kind, "kind", "O")
    return letter in ("biufc" if bools else "iufc")


def as_axis(axis: int | str | None) -> int:
    """0 or 1 of what a caller gives as an axis."""
    if axis in (0, "index", "rows"):
        return 0
    if axis in (1, "columns"):
        return 1
    raise ValueError(f"No axis named {axis} for object type DataFrame")


def column_or_level(self: Any, name: Label) -> Any:
    """The column of a label, or the level of the index that has it as its name."""
    if name in self._labels.places:
        return self._column(name)
    if name in self._index.names and name is not None:
        return self._index.get_level_values(name)._values
    raise KeyError(name)


def key_column(self: Any, name: Label) -> Any:
    """The same. ValueError where both have the name."""
    if name in self._labels.places and name is not None and name in self._index.names:
        raise ValueError(f"{name!r} is both an index level and a column label, which is ambiguous.")
    return column_or_level(self, name)
