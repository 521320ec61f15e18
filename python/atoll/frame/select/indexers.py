# SPDX-License-Identifier: Apache-2.0
"""Indexing by label and by place: `loc`, `iloc`, `at`, `iat`."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, zeros
from ...arrays.ndarray import ndarray
from ...arrays.selection import flatnonzero, where
from ...columns.column import Column
from ..classes import is_frame, is_series
from ..combine.concat import with_row
from ..core import as_axis
from ..data.dtypes import all_missing
from ..data.lazy import Columns, as_they_are
from ..data.values import broadcast, is_scalar, make
from ..index.base import IndexCore
from .placement import is_mask, is_several, locate_rows, put, row_values

if TYPE_CHECKING:
    from ...annotations import Level


def mask_values(rows: Any, key: Any) -> Any:
    """A mask as an array, by the rows' labels when it is a Series; missing values in it select nothing."""
    if is_series(key) and not key._index._same(rows._index):
        key = key.reindex(rows._index)
        if key.hasnans:
            raise IndexError(
                "Unalignable boolean Series provided as indexer (index of the boolean Series and of the indexed "
                "object do not match)."
            )
    values = make(key)
    if isinstance(values, Column):
        values = asarray(values.fillna(False))
    if values.size != len(rows):
        raise IndexError(f"Boolean index has wrong length: {values.size} instead of {len(rows)}")
    return values


class _Indexer:
    """The object that brackets after `loc`, `iloc`, `at` and `iat` index."""

    __slots__ = ("_axis", "_of")

    def __init__(self, of: Any, axis: int | None = None) -> None:
        self._of, self._axis = of, axis

    def __call__(self, axis: int | str | None = None) -> Any:
        """The same of one axis alone: what brackets have is all of it."""
        return type(self)(self._of, None if axis is None else as_axis(axis))

    def _parts(self, key: Any) -> tuple[Any, Any]:
        """Rows and columns."""
        if self._axis is not None:
            return (key, slice(None)) if self._axis == 0 else (slice(None), key)
        if self._of.ndim == 1 or not isinstance(key, tuple):
            return key, slice(None)
        if self._of._index.nlevels > 1 and self._is_row(key):
            return key, slice(None)
        if len(key) != 2:
            raise IndexError("Too many indexers")
        return key

    def _is_row(self, key: tuple[Any, ...]) -> bool:
        return False

    def _rows(self, key: object) -> Any:
        """An int, a slice, or an array of rows."""
        raise NotImplementedError

    def _places(self, key: object) -> Any:
        """Columns: an int, or a list of places."""
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Any:
        if callable(key):
            key = key(self._of)
        row_key, column_key = self._parts(key)
        rows = self._rows(row_key)
        if self._of.ndim == 1:
            return self._chosen(self._of, rows, row_key)
        if isinstance(column_key, slice) and column_key == slice(None):
            return self._chosen(self._of, rows, row_key)
        places = self._places(column_key)
        if isinstance(places, int):
            return self._chosen(self._of._series(places), rows, row_key)
        return self._chosen(self._columns_at(places, column_key), rows, row_key)

    def _columns_at(self, places: list[int], key: Any) -> Any:
        return self._of._at(places)

    def _chosen(self, of: Any, rows: Any, key: object) -> Any:
        if isinstance(rows, int):
            return row_values(of, rows)
        if isinstance(rows, slice):
            return of._cut(rows)
        return of._take(rows)

    def __setitem__(self, key: Any, value: Any) -> None:
        of = self._of
        if callable(key):
            key = key(of)
        row_key, column_key = self._parts(key)
        try:
            rows = self._rows(row_key)
        except KeyError:
            return self._enlarge(row_key, column_key, value)
        mask, places = self._wanted(rows)
        if of.ndim == 1:
            of._values = put(of._values, mask, places, self._side(value, rows, None))
            return None
        columns = self._columns_to_set(column_key, value)
        held: list[Any] = Columns(as_they_are(of._columns))
        several = not is_scalar(value) and not is_series(value) and not is_frame(value)
        whole = mask is None
        for i, place in enumerate(columns):
            one = value
            if is_frame(value):
                one = value[of._labels.values[place]]
            elif is_series(value) and isinstance(rows, int):
                one = value._values[i] if value._index.size == len(columns) else value[of._labels.values[place]]
            elif several and (isinstance(rows, int) or len(columns) > 1):
                one = self._of_column(value, i, len(columns), rows)
            side = self._side(one, rows, place)
            fresh = whole and not is_scalar(side)
            held[place] = side if fresh else put(held[place], mask, places, side)
        of._columns = held
        return None

    def _of_column(self, value: Any, i: int, count: int, rows: Any) -> Any:
        shape = np.shape(value)
        if len(shape) == 2:
            return value[:, i] if hasattr(value, "ndim") else [row[i] for row in value]
        if isinstance(rows, int) or count == len(value):
            if len(value) != count:
                raise ValueError("Must have equal len keys and value when setting with an iterable")
            return value[i]
        return value

    def _side(self, value: Any, rows: Any, place: Any) -> Any:
        """The values to assign: one for each assigned row, or one for all."""
        if is_series(value):
            of = self._of
            index = of._index if isinstance(rows, slice) and rows == slice(None) else _index_at(of._index, rows)
            return value._values if value._index._same(index) else value.reindex(index)._values
        return value if is_scalar(value) else make(value)

    def _wanted(self, rows: Any) -> tuple[Any, Any]:
        """A mask of the rows that are set, and for each row its place among them; None for all."""
        size = len(self._of)
        if isinstance(rows, slice) and rows == slice(None):
            return None, None
        if isinstance(rows, int):
            rows = asarray([rows])
        elif isinstance(rows, slice):
            rows = arange(size)[rows]
        mask, places = zeros(size, dtype=bool), zeros(size, dtype=np.int64)
        mask[rows] = True
        places[rows] = arange(rows.size)
        return mask, places

    def _columns_to_set(self, key: object, value: object) -> list[int]:
        places = self._places(key)
        return [places] if isinstance(places, int) else places

    def _enlarge(self, row_key: Any, column_key: Any, value: object) -> None:
        raise


def _index_at(index: Any, rows: Any) -> Any:
    if isinstance(rows, int):
        return index._cut(slice(rows, rows + 1))
    return index._cut(rows) if isinstance(rows, slice) else index._take(rows)


def _is_label(key: object) -> bool:
    return isinstance(key, tuple) or not is_several(key)


class Loc(_Indexer):
    """By labels: `frame.loc[rows, columns]`."""

    __slots__ = ()

    def _is_row(self, key: tuple[Any, ...]) -> bool:
        if len(key) == 2 and isinstance(key[0], tuple):
            return False
        return all(is_scalar(one) for one in key) and key in self._of._index

    def _rows(self, key: Any) -> Any:
        of = self._of
        if callable(key):
            key = key(of)
        if is_mask(key):
            return flatnonzero(mask_values(of, key))
        if isinstance(key, slice):
            return key if key == slice(None) else of._index.slice_indexer(key.start, key.stop, key.step)
        return locate_rows(of._index, key)

    def _places(self, key: Any) -> Any:
        labels = self._of._labels
        if callable(key):
            key = key(self._of)
        if isinstance(key, slice) or (not is_scalar(key) and not isinstance(key, tuple)):
            return labels.where(key)
        if self._is_by_levels(key):
            return labels.at_levels(key)
        places = labels.find(key)
        if not places and isinstance(key, tuple) and labels.nlevels == 1:
            return labels.where(list(key))
        if not places:
            raise KeyError(key)
        return places[0] if len(places) == 1 and key in labels.places else places

    def _is_by_levels(self, key: Any) -> bool:
        """Whether a key of columns says something of several labels for some of their levels."""
        return isinstance(key, tuple) and self._of._labels.nlevels > 1 and any(map(is_several, key))

    def _columns_at(self, places: list[int], key: Any) -> Any:
        made = super()._columns_at(places, key)
        if self._is_by_levels(key) and not any(isinstance(one, slice) or is_mask(one) for one in key):
            fixed = [level for level, one in enumerate(key) if not is_several(one)]  # a label beside lists goes
            return made.droplevel(fixed, axis=1) if fixed else made
        label = key if isinstance(key, tuple) else (key,)
        if _is_label(key) and len(label) < self._of._labels.nlevels and not any(map(is_several, label)):
            return made.droplevel(list(range(len(label))), axis=1)
        return made

    def _chosen(self, of: Any, rows: Any, key: Any) -> Any:
        made = super()._chosen(of, rows, key)
        index = of._index
        if index.nlevels > 1 and not isinstance(rows, int) and _is_label(key):
            parts = key if isinstance(key, tuple) else (key,)
            cuts = [
                one for one in parts
                if is_mask(one) or (isinstance(one, slice) and (self._of.ndim == 2 or one != slice(None)))
            ]  # fmt: skip
            fixed = [place for place, one in enumerate(parts) if not is_several(one)]
            if not cuts and 0 < len(fixed) < index.nlevels:
                return made._with_index(made._index.droplevel(fixed))
        return made

    def _columns_to_set(self, key: Any, value: Any) -> list[int]:
        of = self._of
        if self._is_by_levels(key):
            return of._labels.at_levels(key)
        label = _is_label(key)
        wanted = [key] if label else key
        if isinstance(wanted, list) and not is_mask(wanted):
            for label in wanted:
                if label not in of._labels:
                    like = np.nan if is_frame(value) else value
                    of[label] = all_missing(broadcast(like, 1) if is_scalar(like) else make(like), len(of))
        return super()._columns_to_set(key, value)

    def _enlarge(self, row_key: Any, column_key: Any, value: Any) -> None:
        """A row with a label that was not there."""
        of = self._of
        if isinstance(row_key, slice) or (not is_scalar(row_key) and not isinstance(row_key, tuple)):
            raise KeyError(row_key)
        of._replace(with_row(of, row_key, column_key, value))


class ILoc(_Indexer):
    """By places: `frame.iloc[rows, columns]`."""

    __slots__ = ()

    def _rows(self, key: Any) -> Any:
        return self._at(key, len(self._of))

    def _places(self, key: Any) -> Any:
        found = self._at(key, len(self._of._columns))
        if isinstance(found, int):
            return found
        if isinstance(found, slice):
            return list(range(len(self._of._columns)))[found]
        return found.tolist()

    def _at(self, key: Any, size: int) -> Any:
        if callable(key):
            key = key(self._of)
        if isinstance(key, slice):
            return key
        if is_mask(key):
            if is_series(key):
                raise ValueError("iLocation based boolean indexing cannot use an indexable as a mask")
            return flatnonzero(mask_values(range(size), key))
        if is_series(key):
            key = key._values
        if isinstance(key, (list, np.ndarray, ndarray, IndexCore, range)):
            rows = make(key) if len(key) else zeros(0, dtype=np.int64)
            if not isinstance(rows, ndarray) or rows.dtype.kind not in "iu":
                raise IndexError(".iloc requires numeric indexers, got " + str(key))
            if rows.size and (bool((rows >= size).any()) or bool((rows < -size).any())):
                raise IndexError("positional indexers are out-of-bounds")
            return _from_end(rows.astype(np.int64), size)
        try:
            row = operator.index(key)
        except TypeError:
            raise TypeError(f"Cannot index by location index with a non-integer key, got {key!r}") from None
        if not -size <= row < size:
            raise IndexError("single positional indexer is out-of-bounds")
        return row + size if row < 0 else row


def _from_end(rows: Any, size: int) -> Any:
    return where(rows < 0, rows + size, rows)


class At(_Indexer):
    """One value by its labels."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return self._of.loc[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._of.loc[key] = value


class IAt(_Indexer):
    """One value by its place."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return self._of.iloc[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._of.iloc[key] = value


class Indexing:
    """`loc`, `iloc`, `at`, `iat`, and what is like them."""

    __slots__ = ()

    @property
    def loc(self) -> Loc:
        """By labels: ``[rows]`` or ``[rows, columns]``; slices include both ends.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2], "b": [3, 4]}, index=["x", "y"])
        >>> int(df.loc["y", "a"])
        2
        """
        return Loc(self)

    @property
    def iloc(self) -> ILoc:
        """By places: ``[rows]`` or ``[rows, columns]``."""
        return ILoc(self)

    @property
    def at(self) -> At:
        """One value by its labels."""
        return At(self)

    @property
    def iat(self) -> IAt:
        """One value by its place."""
        return IAt(self)

    def take(self: Any, indices: Any, axis: int | str = 0) -> Any:
        """The rows, or columns, at some places; negative ones count from the end.

        Parameters
        ----------
        indices : array_like of int
            Places of rows; negative ones count from the end.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether `indices` are those of rows or of columns.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.take([-1, 0])
        c    2
        a    3
        dtype: int64
        """
        return self.iloc[make(indices)] if axis in (0, "index") else self.iloc[:, list(indices)]

    def xs(self: Any, key: object, axis: int | str | None = 0, level: Level = None, drop_level: bool = True) -> Any:
        """The rows that have a label at some level.

        Parameters
        ----------
        key : label or tuple
            The label, or those of several levels.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        level : int, label or list of these, optional
            The levels of `key`; the first ones unless given.
        drop_level : bool, default True
            Whether the level is left out of the result's index.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> m = ak.Series([1, 2, 3], index=ak.MultiIndex.from_tuples([("x", 1), ("x", 2), ("y", 1)]))
        >>> m.xs("x")
        1    1
        2    2
        dtype: int64
        """
        if isinstance(key, list):
            raise TypeError("list keys are not supported in xs, pass a tuple instead")
        if axis in (1, "columns"):
            if level is None and (drop_level or self._labels.nlevels == 1):
                return self[key if drop_level else [key]]
            return self.T.xs(key, level=level, drop_level=drop_level).T
        keys = key if isinstance(key, tuple) else (key,)
        whole = self._index.nlevels == 1 or (is_series(self) and self._index.nlevels <= len(keys))
        if level is None and (drop_level or whole):
            return self.loc[key]
        levels = list(range(len(keys))) if level is None else level if isinstance(level, (list, tuple)) else [level]
        mask = None
        for one, label in zip(levels, keys, strict=True):
            found = self._index.get_level_values(one)._values == label
            mask = found if mask is None else mask & found
        rows = flatnonzero(mask_values(self, mask))
        if rows.size == 0:
            raise KeyError(key)
        made = self._take(rows)
        return made._with_index(made._index.droplevel(list(levels))) if drop_level else made

    def truncate(
        self: Any, before: Any = None, after: Any = None, axis: int | str | None = 0, copy: bool = True
    ) -> Any:
        """The rows, or columns, whose labels lie between two.

        Parameters
        ----------
        before : label, optional
            The first label that is kept.
        after : label, optional
            The last label that is kept.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether rows (0) or columns (1) are left out.
        copy : bool, default True
            No effect, as in pandas 3: the result shares memory until one of the two changes.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.truncate(before=1)
           a    b
        1  2  NaN
        2  3  6.0
        """
        if self.ndim == 2 and axis in (1, "columns"):
            return self._at(
                [
                    place
                    for place, one in enumerate(self._labels.values)
                    if (before is None or one >= before) and (after is None or one <= after)
                ]
            )
        if before is not None and after is not None and before > after:
            raise ValueError(f"Truncate: {after} must be after {before}")
        if len(self) and not self._index.is_monotonic_increasing:
            if not self._index.is_monotonic_decreasing:
                raise ValueError("truncate requires a sorted index")
            before, after = after, before
        return self.loc[before:after]

    def first_valid_index(self: Any) -> Any:
        """The label of the first row that has a value.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df["b"].first_valid_index()
        0
        """
        rows = flatnonzero(_any_there(self))
        return self._index[int(rows[0])] if rows.size else None

    def last_valid_index(self: Any) -> Any:
        """The label of the last row that has a value.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df["b"].last_valid_index()
        2
        """
        rows = flatnonzero(_any_there(self))
        return self._index[int(rows[-1])] if rows.size else None

    def _filter_rows(self: Any, key: object) -> Any:
        """The rows of a mask."""
        return self._take(flatnonzero(mask_values(self, key)))


def _any_there(rows: Any) -> Any:
    if rows.ndim == 1:
        return rows.notna()._values
    return make(rows.notna().any(axis=1)._values.astype(bool) if len(rows) else np.zeros(0, bool))
