# SPDX-License-Identifier: Apache-2.0
"""Brackets: choosing columns and rows, and setting them; adding and dropping columns."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.ndarray import ndarray
from ...arrays.selection import compress, flatnonzero, take, where
from ...arrays.sizes import without_wide
from ...columns.arrow import has_arrow
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.datetime.ticks import Ticks
from ...columns.functions.functions import isin
from ...columns.objects import Objects, is_missing
from ...columns.text.strings import Strings
from ...io.fallback import pandas_at_work
from ..arithmetic.operators import compared
from ..classes import CLASSES, frame, is_frame, is_series, series
from ..combine.concat import with_row
from ..core import as_axis
from ..data.column_labels import Labels, list_of
from ..data.lazy import as_they_are
from ..data.values import broadcast, can_miss, fits, hasnans, is_scalar, isna, make
from ..expressions.deferred import selected
from ..fallback.convert import to_pandas
from ..index.base import make_index
from .placement import is_mask

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Label, Level
    from ..dataframe import DataFrame
    from ..series import Series


def _holds_bools(column: Any) -> bool:
    """Whether values are bools, or objects that may be."""
    return isinstance(column, Objects) or column.dtype == np.bool_


def _without_gaps(mask: Any, na: bool) -> Any:
    values = mask._values if is_series(mask) else make(mask)
    return mask if not isinstance(values, Column) or values.valid is None else asarray(values.fillna(na))


class FrameSelecting:
    """Brackets of frames."""

    __slots__ = ()

    def __getitem__(self: Any, key: Any) -> Any:
        if isinstance(key, str):  # the most frequent first
            places = self._labels.places.get(key)
            if places is not None and len(places) == 1:
                return self._series(places[0])
        if callable(key):
            key = key(self)
        if isinstance(key, slice):
            return self._cut(self._row_slice(key))
        if is_frame(key):
            if not all(_holds_bools(one) for one in key._columns):
                raise TypeError(f"Boolean array expected for the condition, not {key._columns[0].dtype}")
            return self.where(key)
        if is_mask(key):
            if len(key) != len(self):
                raise ValueError(f"Item wrong length {len(key)} instead of {len(self)}.")
            return self._filter_rows(key)
        if is_scalar(key) or isinstance(key, tuple):
            return self._of_label(key)
        if isinstance(key, (dict, set)):
            raise TypeError(f"Passing a {type(key).__name__} as an indexer is not supported. Use a list instead.")
        return self._at(self._labels.where(key))

    def _row_slice(self: Any, key: slice) -> slice:
        ends = [end for end in (key.start, key.stop) if end is not None]
        if all(isinstance(end, (int, np.integer)) for end in ends) or not ends:
            return key
        found: slice = self._index.slice_indexer(key.start, key.stop, key.step)
        return found

    def _of_label(self: Any, label: Label) -> Any:
        places = self._labels.find(label)
        if not places:
            raise KeyError(label)
        if label in self._labels.places:
            return self._series(places[0]) if len(places) == 1 else self._at(places)
        begin = label if isinstance(label, tuple) else (label,)
        rest = [self._labels.values[place][len(begin) :] for place in places]
        names = self._labels.names[len(begin) :]
        labels = Labels([one[0] for one in rest] if len(names) == 1 else rest, names)
        return frame([self._columns[place] for place in places], labels, self._index)

    def __setitem__(self: Any, key: object, value: object) -> None:
        if is_frame(key):
            self._replace(self.mask(key, value))
        elif is_mask(key):
            self.loc[key] = value
        elif isinstance(key, slice):
            self.iloc[self._row_slice(key)] = value
        elif isinstance(key, (list, np.ndarray)) or hasattr(key, "_labels_of_index"):
            self._set_columns(list_of(key), value)
        else:
            self._set_column(key, self._as_column(value))

    def _as_column(self: Any, value: Any) -> Any:
        """A column of what a caller sets: by labels when it is a Series."""
        if is_frame(value):
            if len(value._columns) != 1:
                raise ValueError("Cannot set a DataFrame with multiple columns to the single column")
            value = value._series(0)
        if type(value).__module__.startswith("pandas.") and hasattr(value, "index") and hasattr(value, "name"):
            value = series(make(value), make_index(value.index), value.name)
        if isinstance(value, dict):
            value = CLASSES["Series"](value)
        if is_series(value):
            self._grow(value._index)
            if value._index._same(self._index):
                return value._values
            return value._to_index(self._index)._values
        if is_scalar(value):
            return broadcast(value, len(self))
        column = make(value)
        self._grow(make_index(range(column.size)))
        if column.size != len(self):
            raise ValueError(f"Length of values ({column.size}) does not match length of index ({len(self)})")
        return column

    def _grow(self: Any, index: Any) -> None:
        """A frame without rows gets those of what is set, missing in the columns that it has."""
        if len(self) or not index.size:
            return
        if not self._columns:
            self._index = index
        else:
            named = index if self._index.nlevels > 1 or self._index.name is None else index._renamed(self._index.name)
            self._replace(self.reindex(index=named))

    def _set_column(self: Any, label: Label, column: object) -> None:
        places = self._labels.places.get(label)
        if places is None:
            self._hold([*as_they_are(self._columns), column])
            if self._labels.nlevels > 1 and not isinstance(label, tuple):
                label = (label, *[""] * (self._labels.nlevels - 1))
            self._labels = Labels([*self._labels.values, label], self._labels.names)
            return
        held = as_they_are(self._columns)
        self._hold([column if place in places else one for place, one in enumerate(held)])

    def _set_columns(self: Any, labels: list[Any], value: Any) -> None:
        if is_frame(value):
            if len(value._columns) != len(labels):
                raise ValueError("Columns must be same length as key")
            held = [self._as_column(value._series(place)) for place in range(len(labels))]
        elif is_scalar(value) or is_series(value):
            held = [self._as_column(value)] * len(labels)
        elif np.ndim(value) == 2 or (isinstance(value, (list, tuple)) and value and not is_scalar(value[0])):
            table = value if isinstance(value, (np.ndarray, ndarray)) else np.asarray(value)
            if table.shape[1] != len(labels):
                raise ValueError("Columns must be same length as key")
            held = [self._as_column(table[:, place]) for place in range(len(labels))]
        else:
            if len(value) != len(labels):
                raise ValueError("Columns must be same length as key")
            held = [self._as_column(one) for one in value]
        for label, column in zip(labels, held, strict=True):
            self._set_column(label, column)

    def __setattr__(self: Any, name: str, value: object) -> None:
        # Columns may be set as attributes once they are there, as in pandas.
        if not name.startswith("_") and not hasattr(type(self), name) and name in self._labels.places:
            self[name] = value
        else:
            object.__setattr__(self, name, value)

    def __delitem__(self: Any, key: object) -> None:
        self._replace(self.drop(columns=[key]))

    def __contains__(self: Any, key: object) -> bool:
        return key in self._labels

    def __iter__(self: Any) -> Iterator[Any]:
        return iter(self._labels.values)

    def keys(self: Any) -> Any:
        """The columns' labels.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.keys()
        Index(['a', 'b'], dtype='str')
        """
        return self.columns

    def get(self: Any, key: object, default: Any = None) -> Any:
        """The columns of a label, or another value when there is none.

        Parameters
        ----------
        key : label
            The label.
        default : object, optional
            What is returned where the label does not exist.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.get("z", "none")
        'none'
        """
        try:
            return self[key]
        except (KeyError, IndexError, ValueError):
            return default

    def items(self: Any) -> Iterator[tuple[Any, Any]]:
        """Pairs of labels and columns.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> [label for label, column in df.items()]
        ['a', 'b']
        """
        for place, label in enumerate(self._labels.values):
            yield label, self._series(place)

    def assign(self: Any, **columns: Any) -> Any:
        """The frame with more columns; functions are given the frame so far.

        Parameters
        ----------
        **columns
            Label → values, or a function of the frame so far.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2]}).assign(b=lambda df: df.a * 2)
           a  b
        0  1  2
        1  2  4
        """
        made = self.copy()
        for label, value in columns.items():
            made[label] = value(made) if callable(value) else value
        return made

    def insert(self: Any, loc: int, column: object, value: object, allow_duplicates: bool = False) -> None:
        """A column at a place, in this very frame. ValueError when its label is there.

        Parameters
        ----------
        loc : int
            The place.
        column : label
            The label of the new column.
        value : scalar or array_like
            The column's values.
        allow_duplicates : bool, default False
            Whether a label may come twice.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.insert(1, "c", [7, 8, 9])
        >>> df
           a  c    b
        0  1  7  4.0
        1  2  8  NaN
        2  3  9  6.0
        """
        if column in self._labels.places and not allow_duplicates:
            raise ValueError(f"cannot insert {column}, already exists")
        if not 0 <= loc <= len(self._columns):
            raise IndexError(f"index {loc} is out of bounds for axis 0 with size {len(self._columns)}")
        made = self._as_column(value)
        held = as_they_are(self._columns)
        self._hold([*held[:loc], made, *held[loc:]])
        values = self._labels.values
        self._labels = Labels([*values[:loc], column, *values[loc:]], self._labels.names)

    def drop(
        self: Any, labels: Any = None, *, axis: int | str = 0, index: Any = None, columns: Any = None,
        level: object = None,
        inplace: bool = False, errors: str = "raise",
    ) -> Any:  # fmt: skip
        """The frame without some rows or columns. KeyError when one is not here.

        Parameters
        ----------
        labels : label or array_like, optional
            The labels.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether `labels` are those of rows or of columns.
        index : label or array_like, optional
            Labels of rows.
        columns : label or array_like, optional
            Labels of columns.
        level : int or label, optional
            The level of a MultiIndex, by place or name.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        errors : {'raise', 'ignore'}, default 'raise'
            Whether labels that do not exist are a KeyError, or are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1], "b": [2]}).drop(columns="a")
           b
        0  2
        """
        if labels is not None:
            index, columns = (labels, None) if as_axis(axis) == 0 else (None, labels)
        elif index is None and columns is None:
            raise ValueError("Need to specify at least one of 'labels', 'index' or 'columns'")
        made = self
        if columns is not None:
            wanted = [columns] if is_scalar(columns) or isinstance(columns, tuple) else list_of(columns)
            gone = [self._labels.find(label) for label in wanted]
            lost = [label for label, places in zip(wanted, gone, strict=True) if not places]
            if lost and errors != "ignore":
                raise KeyError(f"{lost} not found in axis")
            out = {place for places in gone for place in places}
            made = made._at([place for place in range(len(self._columns)) if place not in out])
        if index is not None:
            made = drop_rows(made, index, errors, level)
        return self._or_inplace(made, inplace)

    def filter(
        self: Any,
        items: Any = None,
        like: Any = None,
        regex: Any = None,
        axis: int | str | None = None,
        *,
        cond: Any = None,
        na: bool = False,
    ) -> Any:
        """The columns, or rows, whose labels are among some, contain a string, or match; with `cond` rows by a mask.

        Parameters
        ----------
        items : list of labels, optional
            Labels that are taken, in this order.
        like : str, optional
            Labels that contain this.
        regex : str, optional
            Labels in which this regular expression is found.
        axis : {0 or 'index', 1 or 'columns'}, optional
            Whether labels of rows (0) or of columns (1) count; of a frame columns unless given.
        cond : array_like of bool or expression, optional
            Rows by a condition instead of labels.
        na : bool, default False
            What a missing condition counts as.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.filter(like="a")
           a
        0  1
        1  2
        2  3
        """
        if callable(items):
            items, cond = None, items
        if cond is not None:
            mask = cond(self) if callable(cond) else cond
            if axis in (1, "columns"):
                return self._at(self._labels.where(list_of(mask)))
            return self[_without_gaps(mask, na)]
        labels = self._labels.values if axis in (None, 1, "columns") else self._index.to_list()
        if items is not None:
            known = set(labels)
            kept: Any = [label for label in items if label in known]
            return self[kept] if axis in (None, 1, "columns") else self.loc[kept]
        if (like is None) == (regex is None):
            raise TypeError("Keyword arguments `items`, `like`, or `regex` are mutually exclusive")
        expression = None if regex is None else re.compile(regex)
        mask = [
            str(like) in str(label) if expression is None else expression.search(str(label)) is not None
            for label in labels
        ]
        if axis in (None, 1, "columns"):
            return self._at([place for place, one in enumerate(mask) if one])
        return self[np.array(mask, dtype=bool)]

    def select(self: Any, /, *args: object, **kwargs: object) -> DataFrame:
        """Some columns by label, and computed ones: by functions of the frame, or of expressions of `col`.

        Parameters
        ----------
        *args
            Labels, or expressions of `col`.
        **kwargs
            Label → expression, or function of the frame.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2], "b": [3, 4]}).select("b", c=lambda df: df.a + df.b)
           b  c
        0  3  4
        1  4  6
        """
        made = selected(self, args, kwargs)
        return frame([one for _, one in made], Labels([label for label, _ in made], self._labels.names), self._index)

    def select_dtypes(self: Any, include: Any = None, exclude: Any = None) -> DataFrame:
        """The columns of some kinds: ``number``, ``object``, ``str``, ``bool``, ``datetime``, … or a dtype.

        Parameters
        ----------
        include : dtype, list of dtypes or 'all', optional
            The dtypes of columns that are taken; numbers unless given.
        exclude : dtype or list of dtypes, optional
            The dtypes of columns that are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.select_dtypes("float64")
             b
        0  4.0
        1  NaN
        2  6.0
        """
        rows = self._cut(slice(0, 0)).to_pandas()  # what the kinds are called, and how they overlap, is pandas' to say
        rows.columns = range(len(self._columns))
        with pandas_at_work("select_dtypes"):
            return self._at(list(rows.select_dtypes(to_pandas(include), to_pandas(exclude)).columns))

    def isin(self: Any, values: Any) -> DataFrame:
        """Which elements are among some values; by column, when a dict says so.

        Parameters
        ----------
        values : array_like, dict, Series or DataFrame
            The values; by column, or at the same labels.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.isin([1, 6])
               a      b
        0   True  False
        1  False  False
        2  False   True
        """
        if isinstance(values, dict):
            pairs = zip(self._labels.values, self._columns, strict=True)
            return self._new([_among(column, values.get(label, [])) for label, column in pairs])
        if is_frame(values):
            other = values.reindex(index=self._index, columns=self._labels)
            return self._new([_equal(a, b) for a, b in zip(self._columns, other._columns, strict=True)])
        return self._new([_among(column, values) for column in self._columns])


def _equal(a: Any, b: Any) -> Any:
    found = a == b if fits(a, b) or fits(b, a) else asarray(np.zeros(a.size, dtype=bool))
    return found.fillna(False) if isinstance(found, Column) else found


#: So many strings are compared one by one rather than numbered with the column's.
FEW = 16


def _among(column: Any, values: Any) -> Any:
    """Which values are among others."""
    if is_scalar(values):
        raise TypeError(
            f"only list-like objects are allowed to be passed to isin(), you passed a `{type(values).__name__}`"
        )
    if not (isinstance(values, range) or hasattr(values, "dtype") or has_arrow(values)):
        values = list(values)
    if isinstance(values, list) and not isinstance(column, Objects):
        values = without_wide(values)
    tests = make(values)
    if isinstance(column, Categorical):
        known, codes = _among(column.categories, values), column.codes
        gone = codes < 0
        found = take(known, where(gone, 0, codes)) & ~gone if known.size else asarray(np.zeros(codes.size, dtype=bool))
        return found | gone if hasnans(tests) else found
    missing = can_miss(column) and _asks_for_missing(column, tests, values)
    if hasnans(tests):
        tests = tests.dropna() if isinstance(tests, Column) else compress(~isna(tests), tests)
    found = _among_there(column, tests)
    return found | isna(column) if missing else found


def _asks_for_missing(column: object, tests: Any, values: Any) -> bool:
    """Whether the requested values contain the column's missing value: NA for nullable numbers, NaT for datetimes and
    durations, any missing value for other columns."""
    if isinstance(column, Ticks):
        listed_alone = isinstance(values, list) and bool(isna(tests).all())  # NaT alone is of any kind
        if isinstance(tests, Ticks) and not listed_alone:
            return _of_one_kind(tests, column) and hasnans(tests)
    elif type(column) is not Column or (type(tests) is Column and hasattr(values, "dtype")):
        return hasnans(tests)
    name = "NaTType" if isinstance(column, Ticks) else "NAType"
    listed = isinstance(values, list) or getattr(values, "dtype", None) == np.dtype(object)
    return listed and any(type(one).__name__ == name for one in values)


def _of_one_kind(tests: Any, column: Any) -> bool:
    """Whether values can be equal to those of a column of datetimes or durations."""
    return type(tests) is type(column) and (tests._meta.zone is None) == (column._meta.zone is None)


def _among_there(column: Any, tests: Any) -> Any:
    """Which values are among others, of which none is missing."""
    if tests.size == 0 or column.size == 0:
        return asarray(np.zeros(column.size, dtype=bool))
    if isinstance(column, Objects):
        held = tests.tolist() if isinstance(tests, ndarray) else tests.to_list()
        return asarray(np.array([one in held for one in column.to_list()], dtype=bool))
    if isinstance(column, Ticks) and isinstance(tests, Objects):
        tests = make([one for one in tests.to_list() if isinstance(make([one]), type(column))])
    if isinstance(column, Ticks) and not _of_one_kind(tests, column):
        return asarray(np.zeros(column.size, dtype=bool))
    if not (fits(tests, column) or type(tests) is type(column)):
        held = set(tests.to_list()) if isinstance(tests, Column) else set(tests.tolist())
        kept = [one for one in held if fits(one, column)]
        if not kept:
            return asarray(np.zeros(column.size, dtype=bool))
        tests = make(kept)
    if isinstance(column, Strings) and isinstance(tests, Strings) and tests.size <= FEW:
        return reduce(operator.or_, (compared(operator.eq, column, one) for one in tests.to_list()))
    return isin(column, tests)


def drop_rows(rows: Any, labels: object, errors: str = "raise", level: Level = None) -> Any:
    """Without the rows that have some labels."""
    index = rows._index
    if level is not None:
        held, wanted = index.get_level_values(level), [labels] if is_scalar(labels) else list_of(labels)
        gone = asarray(held.isin([one for one in wanted if not is_missing(one)]))
        gone = gone | asarray(held.isna()) if any(map(is_missing, wanted)) else gone
        return rows._take(flatnonzero(asarray(~gone)))
    if is_scalar(labels) or isinstance(labels, tuple):
        if errors == "ignore" and labels not in index:
            return rows
        try:
            found = index._rows_of(labels)
        except KeyError:
            raise KeyError(f"{[labels]} not found in axis") from None
    else:
        wanted = make_index(labels if not isinstance(labels, (set, dict)) else list(labels))
        kept = wanted._take(flatnonzero(asarray(wanted.isin(index._values)))) if wanted.nlevels == 1 else wanted
        if kept.size < wanted.size and errors != "ignore":
            lost = [label for label in wanted.to_list() if label not in index]
            raise KeyError(f"{lost} not found in axis")
        found = index._all_rows(kept) if kept.size else asarray(np.zeros(0, np.int64))
    mask = np.ones(len(rows), dtype=bool)
    mask[found.to_numpy()] = False
    return rows._take(flatnonzero(asarray(mask)))


class SeriesSelecting:
    """Brackets of Series."""

    __slots__ = ()

    def __getitem__(self: Any, key: object) -> Any:
        if callable(key):
            key = key(self)
        if isinstance(key, slice):
            ends = [end for end in (key.start, key.stop) if end is not None]
            whole = all(isinstance(end, (int, np.integer)) for end in ends)
            return self._cut(key if whole else self._index.slice_indexer(key.start, key.stop, key.step))
        if is_mask(key):
            return self._filter_rows(key)
        return self.loc[key]

    def __setitem__(self: Any, key: Any, value: Any) -> None:
        if isinstance(key, slice) and all(isinstance(e, (int, np.integer)) or e is None for e in (key.start, key.stop)):
            self.iloc[key] = value
        elif is_scalar(key) and not isinstance(key, slice) and key not in self._index:
            self._replace(with_row(self, key, None, value))
        else:
            self.loc[key] = value

    def __delitem__(self: Any, key: object) -> None:
        self._replace(drop_rows(self, key))

    def __contains__(self: Any, key: object) -> bool:
        return key in self._index

    def __iter__(self: Any) -> Iterator[Any]:
        return iter(self.to_list())

    def keys(self: Any) -> Any:
        """The index.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.keys()
        Index(['a', 'b', 'c'], dtype='str')
        """
        return self._index

    def items(self: Any) -> Iterator[tuple[Any, Any]]:
        """Pairs of labels and values.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> list(s.items())
        [('a', 3), ('b', 1), ('c', 2)]
        """
        return zip(self._index.to_list(), self.to_list(), strict=True)

    def get(self: Any, key: object, default: Any = None) -> Any:
        """The value of a label, or another when there is none.

        Parameters
        ----------
        key : label
            The label.
        default : object, optional
            What is returned where the label does not exist.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.get("z", 0)
        0
        """
        try:
            return self[key]
        except (KeyError, IndexError, ValueError):
            return default

    def drop(
        self: Any, labels: Any = None, *, axis: int | str = 0, index: Any = None, columns: Any = None,
        level: object = None,
        inplace: bool = False, errors: str = "raise",
    ) -> Any:  # fmt: skip
        """The Series without some labels.

        Parameters
        ----------
        labels : label or array_like, optional
            The labels.
        axis : None or 0, default 0
            A Series has one axis.
        index : label or array_like, optional
            Labels of rows.
        columns : label or array_like, optional
            Labels of columns.
        level : int or label, optional
            The level of a MultiIndex, by place or name.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        errors : {'raise', 'ignore'}, default 'raise'
            Whether labels that do not exist are a KeyError, or are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.drop("a")
        b    1
        c    2
        dtype: int64
        """
        made = drop_rows(self, labels if labels is not None else index, errors, level)
        return self._or_inplace(made, inplace)

    def filter(self: Any, items: Any = None, like: Any = None, regex: Any = None, axis: int | str | None = None) -> Any:
        """The values whose labels are among some, contain a string, or match an expression.

        Parameters
        ----------
        items : list of labels, optional
            Labels that are taken, in this order.
        like : str, optional
            Labels that contain this.
        regex : str, optional
            Labels in which this regular expression is found.
        axis : None or 0
            A Series has one axis.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.filter(items=["a", "c"])
        a    3
        c    2
        dtype: int64
        """
        if items is not None:
            return self.loc[[label for label in items if label in self._index]]
        expression = None if regex is None else re.compile(regex)
        mask = [
            str(like) in str(one) if expression is None else bool(expression.search(str(one))) for one in self._index
        ]
        return self[np.array(mask, dtype=bool)]

    def isin(self: Any, values: ArrayLike) -> Series:
        """Which values are among some.

        Parameters
        ----------
        values : array_like
            The values.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series(["a", "b"]).isin(["b", "c"]).to_list()
        [False, True]
        """
        return self._new(_among(self._values, values))
