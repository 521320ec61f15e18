# SPDX-License-Identifier: Apache-2.0
"""Methods of Index: selecting, comparing, ordering, converting, printing."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange
from ...arrays.ndarray import ndarray
from ...arrays.repeating import repeat
from ...arrays.selection import flatnonzero
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column, as_column
from ...columns.datetime.ticks import Ticks
from ...columns.datetime.timestamp import NaT, of_value
from ..classes import CLASSES, frame, is_series, series
from ..data.column_labels import labels_of
from ..data.dtypes import cast, kind_of, to_list
from ..data.values import choose, isna, make
from ..display.format import option
from ..fallback.convert import from_pandas, in_pandas, pandas_of, stepping, to_pandas, told, told_kind
from .base import IndexCore, make_index, range_index

if TYPE_CHECKING:
    from ...annotations import ArrayLike, ColumnType, DTypeLike, Label, Level

Text = str  # a class below has a property of that name
#: Indexes with more labels than this show their ends.
#: Labels at each end of a long index.
_ENDS = 10
WIDTH = 80


def _compared(name: str) -> Any:
    compare: Callable[[Any, Any], Any] = getattr(operator, name)

    def method(self: Any, other: object) -> Any:
        if isinstance(other, IndexCore):
            other = other._values
        elif is_series(other):
            return NotImplemented
        elif isinstance(other, (list, np.ndarray)):
            other = make(other)
        found = compare(self._values, other)
        return as_column(found).fillna(name == "ne").to_numpy()

    method.__name__ = f"__{name}__"
    method.__doc__ = "Label by label: a NumPy array of bools."
    return method


def _computed(name: str, reflected: bool = False) -> Any:
    compute: Callable[[Any, Any], Any] = getattr(operator, name)

    def method(self: Any, other: object) -> Any:
        if is_series(other) or isinstance(other, CLASSES["DataFrame"]):
            return NotImplemented
        if isinstance(other, IndexCore):
            other = other._values
        elif isinstance(other, (list, np.ndarray)):
            other = make(other)
        own = self._values
        return self._with(compute(other, own) if reflected else compute(own, other))

    method.__doc__ = "Label by label."
    return method


def _changed(name: str) -> Any:
    compute: Callable[[Any], Any] = getattr(operator, name)

    def method(self: Any) -> Any:
        return self._with(compute(self._values))

    method.__doc__ = "Label by label."
    return method


class IndexMethods(IndexCore):
    """Methods that all indexes of one level have."""

    __slots__ = ()

    @property
    def name(self) -> Any:
        """The index' name."""
        return self._name

    @name.setter
    def name(self, value: Hashable) -> None:
        if not isinstance(value, Hashable):
            raise TypeError(f"{type(self).__name__}.name must be a hashable type")
        self._name = value

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._cut(key)
        if isinstance(key, (list, np.ndarray, ndarray, Column)) or is_series(key):
            mask = make(key) if len(key) else make(np.zeros(0, np.int64))
            return self._take(as_column(range_index(self.size)._values)._row_numbers(mask) if self.size else mask)
        if isinstance(key, tuple):
            raise ValueError("Multi-dimensional indexing (e.g. `obj[:, None]`) is not supported by indexes")
        if isinstance(key, (bool, np.bool_)):
            raise IndexError("only integers, slices and arrays of integers or bools are valid indices")
        row = operator.index(key)
        if not -self.size <= row < self.size:
            raise IndexError(f"index {row} is out of bounds for axis 0 with size {self.size}")
        return self._label(row + self.size if row < 0 else row)

    __eq__: Any = _compared("eq")
    __ne__: Any = _compared("ne")
    __lt__, __le__, __gt__, __ge__ = _compared("lt"), _compared("le"), _compared("gt"), _compared("ge")
    __add__, __radd__ = _computed("add"), _computed("add", reflected=True)
    __sub__, __rsub__ = _computed("sub"), _computed("sub", reflected=True)
    __mul__, __rmul__ = _computed("mul"), _computed("mul", reflected=True)
    __truediv__, __floordiv__ = _computed("truediv"), _computed("floordiv")
    __mod__, __pow__ = _computed("mod"), _computed("pow")
    __rtruediv__, __rfloordiv__ = _computed("truediv", reflected=True), _computed("floordiv", reflected=True)
    __rmod__, __rpow__ = _computed("mod", reflected=True), _computed("pow", reflected=True)
    __and__, __or__, __xor__ = _computed("and_"), _computed("or_"), _computed("xor")
    __neg__, __pos__, __abs__, __invert__ = _changed("neg"), _changed("pos"), _changed("abs"), _changed("invert")

    def __divmod__(self, other: object) -> Any:
        return self // other, self % other

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: object) -> Any:
        made = getattr(ufunc, method)(*map(to_pandas, inputs), **options)
        return from_pandas(made)

    def __bool__(self) -> bool:
        raise ValueError(
            f"The truth value of a {type(self).__name__} is ambiguous. Use a.empty, a.item(), a.any() or a.all()."
        )

    # -- to others --

    @property
    def values(self) -> np.ndarray[Any, Any]:
        """The labels as a NumPy array, which is read-only."""
        found = self.to_numpy()
        found.flags.writeable = False
        return found

    @property
    def array(self) -> Any:
        """The labels as a column or array; as pandas' array where single values are pandas', too."""
        return self.to_pandas().array if in_pandas() else self._values

    def to_numpy(self, dtype: ColumnType = None, copy: bool = False, na_value: Any = None) -> np.ndarray[Any, Any]:
        """The labels as a NumPy array: of objects where they are strings.

        Parameters
        ----------
        dtype : dtype, optional
            The dtype of the result.
        copy : bool, default False
            Whether the array is one of its own in any case.
        na_value : scalar, optional
            What stands for missing values.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.to_numpy()
        array(['b', 'a', 'c'], dtype=object)
        """
        values = self._values
        numbers = isinstance(values, Categorical) and isinstance(values.categories, ndarray) and in_pandas()
        if isinstance(values, ndarray) or (numbers and values.valid is None):
            found = values.to_numpy()
        else:
            found = np.array(to_list(values), dtype=object) if values.dtype.kind not in "mM" else values.to_numpy()
        return found if dtype is None else found.astype(dtype)

    def __array__(self, dtype: ColumnType = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.to_numpy(dtype)

    @property
    def dtype(self) -> Any:
        """The labels' dtype."""
        return told_kind(kind_of(self._values))

    def to_pandas(self) -> Any:
        """A pandas Index."""
        import pandas as pd

        if type(self).__name__ == "RangeIndex":
            return pd.RangeIndex(self.start, self.stop, self.step, name=to_pandas(self.name))
        held = pandas_of(self._values)
        made = pd.Index(held, name=to_pandas(self.name), dtype=held.dtype)
        step = getattr(self, "freqstr", None) if isinstance(made, (pd.DatetimeIndex, pd.TimedeltaIndex)) else None
        return made if step is None else stepping(made, step)

    def to_series(self, index: Any = None, name: str | None = None) -> Any:
        """A Series of the labels, with themselves as index.

        Parameters
        ----------
        index : array_like, optional
            The Series' index; the labels themselves unless given.
        name : label, optional
            The Series' name; the index' name unless given.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.to_series()
        b    b
        a    a
        c    c
        dtype: str
        """
        return series(self._values, self if index is None else make_index(index), self.name if name is None else name)

    def to_frame(self, index: bool = True, name: Label = None) -> Any:
        """A frame with the labels as its column.

        Parameters
        ----------
        index : bool, default True
            Whether the labels are the frame's index, too.
        name : label, optional
            The column's label; the index' name unless given.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.to_frame(index=False, name="label")
          label
        0     b
        1     a
        2     c
        """
        label = (0 if self.name is None else self.name) if name is None else name
        own = self if index else range_index(self.size)
        return frame([self._values], labels_of([label]), own)

    def item(self) -> Any:
        """The only label.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index(["a"]).item()
        'a'
        """
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        only = self._label(0)
        return only.item() if isinstance(only, np.generic) and only.dtype.kind not in "mM" else only

    # -- values --

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Any:
        """The labels as another kind.

        Parameters
        ----------
        dtype : dtype or dict
            The dtype; of a frame also a dict of columns and dtypes.
        copy : bool, default True
            No effect: an index never changes.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 2]).astype("float64")
        Index([1.0, 2.0], dtype='float64')
        """
        return self._with(cast(self._values, dtype))

    def rename(self, name: Label, *, inplace: bool = False) -> Any:
        """The same labels under another name.

        Parameters
        ----------
        name : label
            The name.
        inplace : bool, default False
            Whether this object changes, and None is returned.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.rename("letter")
        Index(['b', 'a', 'c'], dtype='str', name='letter')
        """
        if inplace:
            self._name = name
            return None
        return self._renamed(name)

    def set_names(self, names: object, *, level: Level = None, inplace: bool = False) -> Any:
        """As `rename`; a list of names for as many levels.

        Parameters
        ----------
        names : label or list of labels
            The names.
        level : int or label, optional
            The level of a MultiIndex, by place or name.
        inplace : bool, default False
            Whether this object changes, and None is returned.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.set_names("letter")
        Index(['b', 'a', 'c'], dtype='str', name='letter')
        """
        return self.rename(names[0] if isinstance(names, (list, tuple)) and level is None else names, inplace=inplace)

    def copy(self, name: str | None = None, deep: bool = False) -> Any:
        """The same labels: an index never changes.

        Parameters
        ----------
        name : label, optional
            The name of the result; the same unless given.
        deep : bool, default False
            No effect: an index never changes.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.copy(name="letter")
        Index(['b', 'a', 'c'], dtype='str', name='letter')
        """
        return self._renamed(self.name if name is None else name)

    def view(self, cls: Any = None) -> Any:
        """The index itself.

        Parameters
        ----------
        cls : None
            No effect.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.view() is not None
        True
        """
        return self._renamed(self.name)

    def map(self, mapper: object, na_action: str | None = None) -> Any:
        """Maps each label by a function, a dict or a Series.

        Parameters
        ----------
        mapper : callable, dict or Series
            What each label becomes.
        na_action : {None, 'ignore'}
            'ignore': missing values stay missing, and are not given to the function.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.map(str.upper)
        Index(['B', 'A', 'C'], dtype='str')
        """
        made, own = self.to_series().map(mapper, na_action)._values, self._values
        if isinstance(made, ndarray) and isinstance(own, ndarray) and _may_be_smaller(made.dtype, own.dtype):
            small = made.astype(own.dtype)
            made = small if bool(((small == made) | (made != made)).all()) else made
        return make_index(made)._renamed(self.name)

    def __setitem__(self, key: object, value: object) -> None:
        raise TypeError("Index does not support mutable operations")

    def isin(self, values: ArrayLike, level: Level = None) -> np.ndarray[Any, Any]:
        """Which labels are among some values.

        Parameters
        ----------
        values : array_like
            Values that are looked for.
        level : int or label, optional
            The level that is looked at.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.isin(["a", "z"])
        array([False,  True, False])
        """
        return self.to_series().isin(values).to_numpy()

    def isna(self) -> np.ndarray[Any, Any]:
        """Which labels are missing.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1.0, None]).isna()
        array([False,  True])
        """
        return isna(self._values).to_numpy()

    def notna(self) -> np.ndarray[Any, Any]:
        """Which are there.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1.0, None]).notna()
        array([ True, False])
        """
        return ~self.isna()

    isnull, notnull = isna, notna

    @property
    def hasnans(self) -> bool:
        """Whether a label is missing."""
        return bool(isna(self._values).any())

    def fillna(self, value: object) -> Any:
        """The labels with a value where one is missing.

        Parameters
        ----------
        value : scalar
            The label.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1.0, None]).fillna(0)
        Index([1.0, 0.0], dtype='float64')
        """
        return self._with(choose(isna(self._values), value, self._values)) if self.hasnans else self

    def dropna(self, how: str = "any") -> Any:
        """The labels that are there.

        Parameters
        ----------
        how : {'any', 'all'}, default 'any'
            Of several levels: whether one or all of a row's labels have to be missing.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1.0, None]).dropna()
        Index([1.0], dtype='float64')
        """
        return self._take(flatnonzero(~isna(self._values))) if self.hasnans else self

    def where(self, cond: Any, other: object = np.nan) -> Any:
        """The labels where a mask is true, else another.

        Parameters
        ----------
        cond : array_like of bool
            The condition of each label.
        other : scalar or array_like, default nan
            What the other labels become.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 2, 3]).where([True, False, True], 0)
        Index([1, 0, 3], dtype='int64')
        """
        return self._with(choose(make(cond), self._values, other))

    def take(self, indices: ArrayLike, axis: int = 0, allow_fill: bool = True, fill_value: object = None) -> Any:
        """The labels at some places.

        Parameters
        ----------
        indices : array_like of int
            Places of rows; negative ones count from the end.
        axis : int, default 0
            0: there is one axis.
        allow_fill : bool, default True
            Whether -1 stands for a missing label where `fill_value` is given.
        fill_value : scalar, optional
            Where it is given, -1 stands for a missing label.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.take([2, 0])
        Index(['c', 'b'], dtype='str')
        """
        return self[make(indices)]

    def repeat(self, repeats: Any, axis: int | str | None = None) -> Any:
        """Each label several times.

        Parameters
        ----------
        repeats : int or array_like of int
            How often each row comes; one number for all, or one for each.
        axis : None
            There is one axis.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.repeat(2)
        Index(['b', 'b', 'a', 'a', 'c', 'c'], dtype='str')
        """
        return self._take(repeat(arange(self.size), repeats))

    # -- order and counts --

    def argsort(self) -> Any:
        """The rows in the order of their labels, as a NumPy array.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.argsort()
        array([1, 0, 2])
        """
        return as_column(self._values).argsort().to_numpy()

    def sort_values(
        self, *, return_indexer: bool = False, ascending: bool = True, na_position: str = "last", key: Any = None
    ) -> Any:
        """The labels in order.

        Parameters
        ----------
        return_indexer : bool, default False
            Whether the places of the labels before are returned too.
        ascending : bool or list of bool, default True
            Whether the smallest comes first; a list has one for each key.
        na_position : {'last', 'first'}, default 'last'
            Where missing values go.
        key : callable, optional
            A function of the values (or labels) whose results are compared instead.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.sort_values()
        Index(['a', 'b', 'c'], dtype='str')
        """
        keyed = self._values if key is None else make(key(self))
        order = as_column(keyed).argsort(descending=not ascending, nulls=na_position)
        return (self._take(order), order.to_numpy()) if return_indexer else self._take(order)

    def min(self, axis: int | str | None = None, skipna: bool = True) -> Any:
        """The smallest label.

        Parameters
        ----------
        axis : None or 0
            There is one axis.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.min()
        'a'
        """
        return self.to_series().min()

    def max(self, axis: int | str | None = None, skipna: bool = True) -> Any:
        """The largest label.

        Parameters
        ----------
        axis : None or 0
            There is one axis.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.max()
        'c'
        """
        return self.to_series().max()

    def argmin(self, axis: int | str | None = None, skipna: bool = True) -> int:
        """The row of the smallest label.

        Parameters
        ----------
        axis : None or 0
            There is one axis.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.argmin()
        np.int64(1)
        """
        return self.to_series().argmin(axis, skipna)

    def argmax(self, axis: int | str | None = None, skipna: bool = True) -> int:
        """The row of the largest label.

        Parameters
        ----------
        axis : None or 0
            There is one axis.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.argmax()
        np.int64(2)
        """
        return self.to_series().argmax(axis, skipna)

    def any(self) -> bool:
        """Whether a label is true.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([0, 1]).any()
        np.True_
        """
        return self.to_series().any()

    def all(self) -> bool:
        """Whether all are.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([0, 1]).all()
        np.False_
        """
        return self.to_series().all()

    def nunique(self, dropna: bool = True) -> int:
        """How many distinct labels there are.

        Parameters
        ----------
        dropna : bool, default True
            Whether missing values are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 1, 2]).nunique()
        2
        """
        return self.to_series().nunique(dropna)

    def value_counts(self, **options: object) -> Any:
        """How often each label occurs: a Series.

        Parameters
        ----------
        **options
            Those of `Series.value_counts`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 1, 2]).value_counts()
        1    2
        2    1
        Name: count, dtype: int64
        """
        return self.to_series().value_counts(**options)

    def factorize(self, sort: bool = False, use_na_sentinel: bool = True) -> Any:
        """For each label its number among the distinct ones, and these.

        Parameters
        ----------
        sort : bool, default False
            Whether distinct values are sorted; else they are in order of their first rows.
        use_na_sentinel : bool, default True
            Whether missing values get the number -1; else they are a value of their own.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([7, 7, 3]).factorize()
        (array([0, 0, 1]), Index([7, 3], dtype='int64'))
        """
        codes, distinct = self.to_series().factorize(sort, use_na_sentinel)
        return codes, distinct

    def shift(self, periods: int = 1, freq: object = None) -> Any:
        """Labels of dates moved by a length of time.

        Parameters
        ----------
        periods : int, default 1
            How many steps.
        freq : str or DateOffset, optional
            A length of time, as ``'h'`` or ``'D'``.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index(ak.date_range("2024-02-28", periods=2)).shift(1, "D")
        DatetimeIndex(['2024-02-29', '2024-03-01'], dtype='datetime64[us]', freq=None)
        """
        return self._with(self.to_series().shift(periods, freq)._index._values)

    # -- levels --

    def get_level_values(self, level: Level) -> Any:
        """The index itself: it has one level.

        Parameters
        ----------
        level : int or label
            0, or the name.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.get_level_values(0)
        Index(['b', 'a', 'c'], dtype='str')
        """
        self._level(level)
        return self

    def _level(self, level: Level) -> int:
        if level in (0, -1) or level == self.name:
            return 0
        if isinstance(level, int):
            raise IndexError(f"Too many levels: Index has only 1 level, not {level + 1}")
        raise KeyError(f"Requested level ({level}) does not match index name ({self.name})")

    def droplevel(self, level: Level = 0) -> Any:
        """Refused: an index needs a level.

        Parameters
        ----------
        level : int or label, default 0
            The level.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.MultiIndex.from_tuples([("a", 1), ("b", 2)]).droplevel(1)
        Index(['a', 'b'], dtype='str')
        """
        for one in level if isinstance(level, (list, tuple)) else [level]:
            self._level(one)
        raise ValueError("Cannot remove 1 levels from an index with 1 levels: at least one level must be left.")

    def __getattr__(self, name: Text) -> Any:
        values = None if name.startswith("_") else self._values
        if isinstance(values, Ticks) and hasattr(values, name):
            found = getattr(values, name)
            if isinstance(found, (ndarray, Column)):
                return self._with(found)
            if callable(found):

                def method(*args: object, **options: object) -> Any:
                    made = found(*args, **options)
                    if made is None and name == "mean":
                        return told(NaT)
                    return self._with(made) if isinstance(made, (ndarray, Column)) else of_value(made)

                return method
            return found
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def str(self) -> Any:
        """Methods of strings, label by label."""
        return self.to_series().str._of_index(self)

    def __repr__(self) -> Any:
        return labels_repr(type(self).__name__, self, self.size, extras_of(self, f"dtype='{self.dtype}'"))


def _may_be_smaller(made: Any, own: Any) -> bool:
    """Whether mapped labels are integers, or floats, that the dtype of the labels may hold, too."""
    return made != own and ((made.kind in "iu" and own.kind in "iu") or (made.kind == own.kind == "f"))


def extras_of(index: Any, *first: str) -> list[str]:
    """The attributes printed behind the labels: dtype, name, and the length of long indexes."""
    named = [] if index.name is None else [f"name={index.name!r}"]
    return [*first, *named, *([f"length={index.size}"] if index.size > _most_shown(index.size) else [])]


def _most_shown(size: int) -> int:
    """Labels of which all are printed: pandas' option, a hundred unless it is set."""
    most = option("max_seq_items")
    return size if most is None else int(most)


def labels_repr(name: str, labels: Any, size: int, extras: list[str], texts: Callable[[Any], Any] | None = None) -> str:
    """The labels in brackets, in lines of at most 80 characters; the ends of long ones."""
    texts = texts or _all_shown
    most = _most_shown(size)
    long = size > most
    ends = min(most // 2, _ENDS)
    head = list(texts(labels[:ends])) if long else []
    data = _in_lines(head, list(texts(labels[size - ends :] if long else labels)), "\n" + " " * (len(name) + 2))
    indent = len(name) + 1
    length = len(data.rsplit("\n", 1)[-1]) if "\n" in data else indent + len(data)
    parts: list[str] = []
    for place, extra in enumerate(extras):
        between = ", " if parts else ""
        if length + len(between) + len(extra) + (place < len(extras) - 1) > WIDTH:
            parts.append(between.rstrip() + "\n" + " " * indent + extra)
            length = indent + len(extra)
        else:
            parts.append(between + extra)
            length += len(between) + len(extra)
    tail = "".join(parts)
    return f"{name}({data.rstrip() if tail.startswith(chr(10)) else data}{tail})"


def _in_lines(head: list[str], tail: list[str], start: str) -> str:
    """Strings in brackets, as pandas breaks them: those before the dots, if any, and those behind."""
    if not head and len(tail) < 2:
        return f"[{tail[0] if tail else ''}], "
    texts = all(not one.startswith("'") for one in tail)
    if texts and (head or not len(", ".join(tail)) < WIDTH):
        width = max(map(len, [*head, *tail]))
        head, tail = [one.rjust(width) for one in head], [one.rjust(width) for one in tail]
    made, line = "", start

    def extend(text: str, width: int) -> None:
        nonlocal made, line
        if len(line.rstrip()) + len(text.rstrip()) >= width:
            made += line.rstrip()
            line = start
        line += text

    for one in head:
        extend(one + ", ", WIDTH)
    if head:
        made += line.rstrip() + start + "..."
        line = start
    for one in tail[:-1]:
        extend(one + ", ", WIDTH)
    extend(tail[-1], WIDTH - 2)
    made += line + "],"
    return "[" + (made + (start[:-1] if len(made) > WIDTH else " "))[len(start) :]


def _all_shown(labels: Any) -> Any:
    return map(shown_label, labels.to_list())


def shown_label(label: Label) -> str:
    if isinstance(label, str):
        return repr(label)
    return "nan" if label != label else str(label)
