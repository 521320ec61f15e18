# SPDX-License-Identifier: Apache-2.0
"""Order: sorting by values and labels, the largest and smallest, ranks, repeats and distinct values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray
from ...arrays.ndarray import ndarray
from ...arrays.selection import flatnonzero, take, where
from ...arrays.sorting import argsort, coargsort
from ...arrays.sorting import sort as sort_array
from ...columns.categorical.categorical import Categorical
from ...columns.column import as_column
from ...columns.functions.functions import unique
from ..classes import CLASSES, frame, series
from ..core import as_axis, key_column
from ..data.column_labels import Labels
from ..data.dtypes import kind_of
from ..data.values import can_miss, cut, is_scalar, isna, join_rows, make, nullable, settle
from ..data.values import take as take_rows
from ..groupby.groups import Groups
from ..groupby.more_methods import random_generator
from ..index.base import index_of, range_index
from ..index.lookup import duplicated, is_increasing
from ..reshape.cut import cut as cut_into_bins

if TYPE_CHECKING:
    from ...annotations import Axes, Level
    from ..series import Series


def order_of(values: Any, ascending: bool = True, nulls: str = "last") -> Any:
    """The rows of one column in the order of its values, equal ones in order of rows."""
    if isinstance(values, ndarray):
        if values.dtype.kind != "f" or (ascending and nulls == "last"):
            return argsort(values) if ascending else argsort(values, descending=True)
        values = nullable(values)
        if isinstance(values, ndarray):
            return argsort(values, descending=not ascending)
    return values.argsort(descending=not ascending, nulls=nulls)


def order_by(columns: list[Any], ascending: list[bool], nulls: str = "last") -> Any:
    """The rows by several columns."""
    if nulls not in ("first", "last"):
        raise ValueError(f"invalid na_position: {nulls}")
    if len(columns) == 1:
        return order_of(columns[0], ascending[0], nulls)
    if all(ascending) and nulls == "last":
        return coargsort([as_column(column).ranks() for column in columns])
    keys = []
    for column, up in zip(columns, ascending, strict=True):
        column = nullable(column)
        gone = isna(column)
        key = as_column(column).ranks()
        if not up:
            key = -key if key.dtype.kind in "fi" else -key.astype(np.int64)
        if gone.any():
            keys.append(gone if nulls == "last" else ~gone)
            key = where(gone, 0, key)
        keys.append(key)
    return coargsort(keys)


class Sorting:
    """Sorting by labels."""

    __slots__ = ()

    def sort_index(
        self: Any, *, axis: int | str | None = 0, level: Level = None, ascending: Any = True, inplace: bool = False,
        kind: str = "quicksort", na_position: str = "last", sort_remaining: bool = True, ignore_index: bool = False,
        key: Any = None,
    ) -> Any:  # fmt: skip
        """The rows in order of their labels.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether rows (0) or columns (1) are sorted.
        level : int, label or list of these, optional
            The levels that count; all unless given.
        ascending : bool or list of bool, default True
            Whether the smallest comes first; a list has one for each key.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        kind : str, default 'quicksort'
            No effect: the order is always stable.
        na_position : {'last', 'first'}, default 'last'
            Where missing values go.
        sort_remaining : bool, default True
            Whether rows with equal labels of the level are sorted by the other levels.
        ignore_index : bool, default False
            Whether the result is labelled 0, 1, 2, …
        key : callable, optional
            A function of the values (or labels) whose results are compared instead.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.sort_index(ascending=False)
           a    b
        2  3  6.0
        1  2  NaN
        0  1  4.0
        """
        if as_axis(axis) == 1:
            values = self._labels.values
            order = sorted(range(len(values)), key=values.__getitem__, reverse=not ascending)
            return self._or_inplace(self._at(order), inplace)
        columns = self._index._labels_of_index
        if level is not None:
            places = [self._index._level(one) for one in (level if isinstance(level, (list, tuple)) else [level])]
            rest = [place for place in range(len(columns)) if place not in places] if sort_remaining else []
            columns = [columns[place] for place in [*places, *rest]]
        if key is not None:
            columns = [make(key(index_of(column))) for column in columns]
        if len(columns) == 1 and ascending is True and is_increasing(columns[0]):
            made = self.copy()
        else:
            ups = [bool(ascending)] * len(columns) if isinstance(ascending, (bool, int)) else list(ascending)
            ups += [True] * (len(columns) - len(ups))
            made = self._take(order_by(columns, ups, na_position))
        return self._or_inplace(made._with_index(range_index(len(made))) if ignore_index else made, inplace)

    def sample(
        self: Any, n: Any = None, frac: Any = None, replace: bool = False, weights: Any = None,
        random_state: Any = None, axis: int | str | None = None, ignore_index: bool = False,
    ) -> Any:  # fmt: skip
        """Some rows by chance; a seed says which.

        Parameters
        ----------
        n : int, optional
            How many.
        frac : float, optional
            How many, as a share of the rows, instead of `n`.
        replace : bool, default False
            Whether a row may be chosen more than once.
        weights : array_like or label, optional
            How often each row is chosen, relative to the others.
        random_state : int or Generator, optional
            A seed, or a source of random numbers; the same seed chooses the same rows on any number of PEs.
        axis : {0 or 'index', 1 or 'columns'}, optional
            Whether rows (0) or columns (1) are chosen.
        ignore_index : bool, default False
            Whether the result is labelled 0, 1, 2, …

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> len(df.sample(2, random_state=1))
        2
        """
        size = round(frac * len(self)) if n is None and frac is not None else 1 if n is None else n
        if size > len(self) and not replace:
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        generator = random_generator(random_state)
        share = None
        if weights is not None:
            share = self[weights].to_numpy() if isinstance(weights, str) else np.asarray(weights, dtype=np.float64)
            share = share / share.sum()
        made = self._take(asarray(generator.choice(len(self), size, replace=replace, p=share).astype(np.int64)))
        return made._with_index(range_index(len(made))) if ignore_index else made


class SeriesSorting(Sorting):
    """Order of a Series."""

    __slots__ = ()

    def sort_values(
        self: Any, *, axis: int | str | None = 0, ascending: Any = True, inplace: bool = False, kind: str = "quicksort",
        na_position: str = "last", ignore_index: bool = False, key: Any = None,
    ) -> Any:  # fmt: skip
        """The rows in order of their values; equal ones in order of rows.

        Parameters
        ----------
        axis : None or 0, default 0
            A Series has one axis.
        ascending : bool or list of bool, default True
            Whether the smallest comes first; a list has one for each key.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        kind : str, default 'quicksort'
            No effect: the order is always stable.
        na_position : {'last', 'first'}, default 'last'
            Where missing values go.
        ignore_index : bool, default False
            Whether the result is labelled 0, 1, 2, …
        key : callable, optional
            A function of the values (or labels) whose results are compared instead.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.sort_values()
        b    1
        c    2
        a    3
        dtype: int64
        """
        if na_position not in ("first", "last"):
            raise ValueError(f"invalid na_position: {na_position}")
        values = self._values if key is None else make(key(self))
        up = ascending[0] if isinstance(ascending, (list, tuple)) else ascending
        made = self._take(order_of(values, bool(up), na_position))
        return self._or_inplace(made._with_index(range_index(len(made))) if ignore_index else made, inplace)

    def argsort(
        self: Any, axis: int | str | None = 0, kind: str = "quicksort", order: str | None = None, stable: Any = None
    ) -> Series:
        """The rows in the order of their values.

        Parameters
        ----------
        axis : None or 0, default 0
            A Series has one axis.
        kind : str, default 'quicksort'
            No effect: the order is always stable.
        order : None
            No effect.
        stable : bool, optional
            No effect: the order is always stable.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.argsort()
        a    1
        b    2
        c    0
        dtype: int64
        """
        return series(order_of(self._values), self._index, self._name)

    def nlargest(self: Any, n: int = 5, keep: str = "first") -> Any:
        """The largest values, in descending order.

        Parameters
        ----------
        n : int, default 5
            How many.
        keep : {'first', 'last', 'all'}, default 'first'
            Which of equal ones are kept where not all have room; 'all': all of them.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.nlargest(2)
        a    3
        c    2
        dtype: int64
        """
        return _ends(self, [self._values], n, keep, largest=True)

    def nsmallest(self: Any, n: int = 5, keep: str = "first") -> Any:
        """The smallest values, in ascending order.

        Parameters
        ----------
        n : int, default 5
            How many.
        keep : {'first', 'last', 'all'}, default 'first'
            Which of equal ones are kept where not all have room; 'all': all of them.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.nsmallest(2)
        b    1
        c    2
        dtype: int64
        """
        return _ends(self, [self._values], n, keep, largest=False)

    def searchsorted(self: Any, value: object, side: str = "left", sorter: Any = None) -> Any:
        """Where values would go into this Series, which is in order.

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
        >>> ak.Series([1, 3, 5]).searchsorted(4)
        np.int64(2)
        """
        return self._index_of_values().searchsorted(value, side, sorter)

    def _index_of_values(self: Any) -> Any:
        return index_of(self._values)

    @property
    def is_monotonic_increasing(self: Any) -> bool:
        """Whether values are in ascending order."""
        return is_increasing(self._values)

    @property
    def is_monotonic_decreasing(self: Any) -> bool:
        """Whether values are in descending order."""
        return is_increasing(self._values[::-1])

    @property
    def is_unique(self: Any) -> bool:
        """Whether no value repeats."""
        return not bool(duplicated([self._values]).any())

    def duplicated(self: Any, keep: str | bool = "first") -> Series:
        """Which values repeat others.

        Parameters
        ----------
        keep : {'first', 'last', False}, default 'first'
            Which of equal ones is kept; False: none.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 1, 2]).duplicated()
        0    False
        1     True
        2    False
        dtype: bool
        """
        return self._new(duplicated([self._values], keep))

    def drop_duplicates(
        self: Any, *, keep: str | bool = "first", inplace: bool = False, ignore_index: bool = False
    ) -> Any:
        """Each value once.

        Parameters
        ----------
        keep : {'first', 'last', False}, default 'first'
            Which of equal ones is kept; False: none.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        ignore_index : bool, default False
            Whether the result is labelled 0, 1, 2, …

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 1, 2]).drop_duplicates()
        0    1
        2    2
        dtype: int64
        """
        made = self._take(flatnonzero(~duplicated([self._values], keep)))
        return self._or_inplace(made._with_index(range_index(len(made))) if ignore_index else made, inplace)

    def unique(self: Any) -> Any:
        """Each value once, in order of its first row: an array or a column.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([2, 1, 2]).unique()
        array([2, 1])
        """
        if can_miss(self._values):
            return take_rows(self._values, flatnonzero(~duplicated([self._values])))
        _, first = unique(self._values, return_index=True)
        return take_rows(self._values, sort_array(first))

    def factorize(self: Any, sort: bool = False, use_na_sentinel: bool = True) -> tuple[Any, Any]:
        """For each value its number among the distinct ones, -1 of missing ones; and these, in order of first rows.

        Parameters
        ----------
        sort : bool, default False
            Whether distinct values are sorted; else they are in order of their first rows.
        use_na_sentinel : bool, default True
            Whether missing values get the number -1; else they are a value of their own.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([7, 7, 3]).factorize()
        (array([0, 0, 1]), Index([7, 3], dtype='int64'))
        """
        numbers, distinct, first = as_column(nullable(self._values)).numbers()
        if not sort:
            order = argsort(first)
            places = argsort(order)
            numbers = where(numbers < 0, -1, take(places, where(numbers < 0, 0, numbers))) if places.size else numbers
            distinct = take_rows(distinct, order)
        if not use_na_sentinel and bool((numbers < 0).any()):
            return self._with_missing_numbered(numbers, distinct, sort)
        return numbers, index_of(distinct)

    def _with_missing_numbered(self: Any, numbers: Any, distinct: Any, sort: bool) -> tuple[Any, Any]:
        """Numbers in which missing values have one, too: by their first row, or with `sort` the last."""
        place = int(distinct.size)
        first = int(flatnonzero(numbers < 0)[0])
        if not sort:
            before = numbers[:first]
            place = int(before.max()) + 1 if first else 0
        numbers = where(numbers < 0, place, where(numbers >= place, numbers + 1, numbers))
        missing = take_rows(self._values, asarray(np.array([first])))
        parts = [cut(distinct, slice(None, place)), missing, cut(distinct, slice(place, None))]
        return numbers, index_of(settle(join_rows([part for part in parts if part.size])))

    def value_counts(
        self: Any, normalize: bool = False, sort: bool = True, ascending: bool = False, bins: object = None,
        dropna: bool = True,
    ) -> Any:  # fmt: skip
        """How often each value occurs, the most frequent first.

        Parameters
        ----------
        normalize : bool, default False
            Whether shares of all rows are given instead of counts.
        sort : bool, default True
            Whether the most frequent come first; else they are in order of their first rows.
        ascending : bool or list of bool, default False
            Whether the smallest comes first; a list has one for each key.
        bins : int or sequence, optional
            Numbers are counted in this many bins of equal width, or in bins with these edges.
        dropna : bool, default True
            Whether missing values are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series(["b", "a", "b"]).value_counts()
        b    2
        a    1
        Name: count, dtype: int64
        """
        if bins is not None:
            binned = cut_into_bins(self, bins, include_lowest=True)
            held = binned._new(binned._values.decode()).groupby(binned._values, observed=False).size()
            counts = series(held._values, index_of(held._index._values.decode()), "count")
            if sort:
                counts = counts._take(argsort(counts._values, descending=not ascending))
            total = len(self.dropna()) if dropna else len(self)
            return counts if not normalize else series(counts._values / total, counts._index, "proportion")
        if isinstance(self._values, Categorical):  # also those categories that no row has
            counts = self._values.value_counts(dropna)
            return _ordered(
                series(counts._values, counts._index._renamed(self._name), "count"), normalize, sort, ascending
            )
        return count_rows([self._values], [self._name], normalize, sort, ascending, dropna)

    def mode(self: Any, dropna: bool = True) -> Series:
        """The most frequent values, in order.

        Parameters
        ----------
        dropna : bool, default True
            Whether missing values are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 1, 2]).mode()
        0    1
        dtype: int64
        """
        counts = self.value_counts(sort=False, dropna=dropna)
        if not len(counts):
            return series(take_rows(self._values, np.arange(0)), range_index(0), self._name)
        values = counts._index._take(flatnonzero(counts._values == counts._values.max()))._values
        return series(take_rows(values, order_of(values)), range_index(values.size), self._name)


def count_rows(columns: list[Any], names: list[Any], normalize: bool, sort: bool, ascending: bool, dropna: bool) -> Any:
    """How often each combination of values occurs: a Series by them."""
    groups = Groups([nullable(one) for one in columns], names, dropna=dropna, sort=False)
    return _ordered(series(groups.size(), groups.index(), "count"), normalize, sort, ascending)


def _ordered(counts: Any, normalize: bool, sort: bool, ascending: bool) -> Any:
    """Counts in order, and as shares of all."""
    if sort:
        counts = counts._take(argsort(counts._values, descending=not ascending))
    if normalize:
        counts = series(counts._values / counts._values.sum(), counts._index, "proportion")
    return counts


def _ends(rows: Any, columns: list[Any], n: int, keep: str, largest: bool) -> Any:
    """The first rows by some columns."""
    if keep not in ("first", "last", "all"):
        raise ValueError('keep must be either "first", "last" or "all"')
    for column in columns:
        if str(kind_of(column)) in ("str", "object"):
            raise TypeError(f"Cannot use method 'n{'largest' if largest else 'smallest'}' with dtype {kind_of(column)}")
    size = len(rows)
    held = columns
    flip = keep == "last"
    if flip:  # the last of equal rows first: rows are looked at from their end
        backwards = arange(size - 1, -1, -1)
        held = [take_rows(column, backwards) for column in held]
    order = order_by(held, [not largest] * len(held))
    if keep == "all" and n < size and n > 0:
        last = order[n - 1]
        same = None
        for column in held:
            value = column[int(last)]
            found = isna(column) if value is None or value != value else column == value
            same = found if same is None else same & found
        n = int(flatnonzero(take(same, order))[-1]) + 1
    order = order[: max(n, 0)]
    if flip:
        order = size - 1 - order
    return rows._take(order)


class FrameSorting(Sorting):
    """Order of a frame."""

    __slots__ = ()

    def sort_values(
        self: Any, by: Any, *, axis: Axes = 0, ascending: Any = True, inplace: bool = False, kind: Any = "quicksort",
        na_position: str = "last", ignore_index: bool = False, key: Any = None,
    ) -> Any:  # fmt: skip
        """The rows in order of some columns; equal ones in order of rows.

        Parameters
        ----------
        by : label or list of labels
            The columns, or names of levels of the index.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether rows (0) or columns (1) are sorted.
        ascending : bool or list of bool, default True
            Whether the smallest comes first; a list has one for each key.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        kind : str, default 'quicksort'
            No effect: the order is always stable.
        na_position : {'last', 'first'}, default 'last'
            Where missing values go.
        ignore_index : bool, default False
            Whether the result is labelled 0, 1, 2, …
        key : callable, optional
            A function of the values (or labels) whose results are compared instead.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [2, 1], "b": ["x", "y"]}).sort_values("a")
           a  b
        1  1  y
        0  2  x
        """
        names = list(by) if isinstance(by, list) else [by]
        ups = list(ascending) if isinstance(ascending, (list, tuple)) else [ascending] * len(names)
        if len(ups) != len(names):
            raise ValueError(f"Length of ascending ({len(ups)}) != length of by ({len(names)})")
        columns = [key_column(self, name) for name in names]
        if key is not None:
            columns = [
                make(key(series(column, self._index, name))) for column, name in zip(columns, names, strict=True)
            ]
            if any(one.size != len(self) for one in columns):
                raise ValueError("User-provided `key` function must not change the shape of the array.")
        made = self._take(order_by(columns, [bool(up) for up in ups], na_position)) if names else self.copy()
        return self._or_inplace(made._with_index(range_index(len(made))) if ignore_index else made, inplace)

    def nlargest(self: Any, n: int, columns: object, keep: str = "first") -> Any:
        """The rows with the largest values, in descending order.

        Parameters
        ----------
        n : int
            How many.
        columns : label or list of labels
            The columns that are compared.
        keep : {'first', 'last', 'all'}, default 'first'
            Which of equal ones are kept where not all have room; 'all': all of them.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.nlargest(2, "a")
           a    b
        2  3  6.0
        1  2  NaN
        """
        return _ends(self, _compared(self, columns), n, keep, largest=True)

    def nsmallest(self: Any, n: int, columns: object, keep: str = "first") -> Any:
        """The rows with the smallest values, in ascending order.

        Parameters
        ----------
        n : int
            How many.
        columns : label or list of labels
            The columns that are compared.
        keep : {'first', 'last', 'all'}, default 'first'
            Which of equal ones are kept where not all have room; 'all': all of them.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.nsmallest(2, "a")
           a    b
        0  1  4.0
        1  2  NaN
        """
        return _ends(self, _compared(self, columns), n, keep, largest=False)

    def duplicated(self: Any, subset: Any = None, keep: str | bool = "first") -> Series:
        """Which rows repeat others.

        Parameters
        ----------
        subset : label or list of labels, optional
            The columns that count; all unless given.
        keep : {'first', 'last', False}, default 'first'
            Which of equal ones is kept; False: none.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 1], "b": [2, 2]}).duplicated()
        0    False
        1     True
        dtype: bool
        """
        columns = self._columns if subset is None else _columns(self, subset)
        return series(duplicated(columns, keep), self._index)

    def drop_duplicates(
        self: Any, subset: Any = None, *, keep: str | bool = "first", inplace: bool = False, ignore_index: bool = False
    ) -> Any:
        """Each row once.

        Parameters
        ----------
        subset : label or list of labels, optional
            The columns that count; all unless given.
        keep : {'first', 'last', False}, default 'first'
            Which of equal ones is kept; False: none.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        ignore_index : bool, default False
            Whether the result is labelled 0, 1, 2, …

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 1], "b": [2, 2]}).drop_duplicates()
           a  b
        0  1  2
        """
        columns = self._columns if subset is None else _columns(self, subset)
        made = self._take(flatnonzero(~duplicated(columns, keep))) if columns else self.copy()
        return self._or_inplace(made._with_index(range_index(len(made))) if ignore_index else made, inplace)

    def value_counts(
        self: Any, subset: Any = None, normalize: bool = False, sort: bool = True, ascending: bool = False,
        dropna: bool = True,
    ) -> Any:  # fmt: skip
        """How often each row occurs, the most frequent first.

        Parameters
        ----------
        subset : label or list of labels, optional
            The columns that count; all unless given.
        normalize : bool, default False
            Whether shares of all rows are given instead of counts.
        sort : bool, default True
            Whether the most frequent come first; else they are in order of their first rows.
        ascending : bool or list of bool, default False
            Whether the smallest comes first; a list has one for each key.
        dropna : bool, default True
            Whether missing values are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 1, 2]}).value_counts()
        a
        1    2
        2    1
        Name: count, dtype: int64
        """
        names = self._labels.values if subset is None else [subset] if is_scalar(subset) else list(subset)
        counts = count_rows([key_column(self, one) for one in names], names, normalize, sort, ascending, dropna)
        if counts._index.nlevels == 1 and not is_scalar(subset):
            counts._index = CLASSES["MultiIndex"]._of([counts._index._values], names)
        return counts

    def mode(self: Any, axis: int | str | None = 0, numeric_only: bool = False, dropna: bool = True) -> Any:
        """The most frequent values of each column, or with ``axis=1`` of each row.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: of each column; 1: of each row.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.
        dropna : bool, default True
            Whether missing values are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 1, 2]}).mode()
           a
        0  1
        """
        if axis in (1, "columns"):
            return (self.select_dtypes("number") if numeric_only else self).T.mode(dropna=dropna).T
        modes = [one.mode(dropna) for one in (self.select_dtypes("number") if numeric_only else self)._each()]
        size = max((len(one) for one in modes), default=0)
        names = [one._name for one in modes]
        return frame([one.reindex(range_index(size))._values for one in modes], Labels(names), range_index(size))


def _compared(self: Any, labels: Any) -> list[Any]:
    """The columns that nlargest and nsmallest compare. As in pandas, only several may not have the name of a level."""
    columns = _columns(self, labels)
    return columns if len(columns) == 1 else [key_column(self, label) for label in labels]


def _columns(self: Any, labels: Any) -> list[Any]:
    wanted = list(labels) if isinstance(labels, (list, tuple, np.ndarray)) or hasattr(labels, "to_list") else [labels]
    lost = [label for label in wanted if label not in self._labels]
    if lost:
        raise KeyError(lost)
    return [self._column(label) for label in wanted]
