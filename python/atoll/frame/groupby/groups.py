# SPDX-License-Identifier: Apache-2.0
"""Group-by: aggregates of groups as Series and frames, over `ak.groupby`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.joining import concatenate
from ...arrays.ndarray import ndarray
from ...arrays.selection import flatnonzero, take, where
from ...arrays.sorting import argsort
from ...columns.column import Column
from ...columns.groupby.groupby import groupby
from ...columns.groupby.grouped import NanIsMissing
from ...columns.objects import Objects
from ...columns.text.strings import Strings
from ..arithmetic.elementwise import mapped
from ..classes import CLASSES, define, is_frame, is_series, series
from ..combine.concat import concat
from ..core import is_numeric, key_column
from ..data.dtypes import kind_of
from ..data.values import hide, is_scalar, isna, make, nullable, settle
from ..data.values import take as take_rows
from ..display.completion import GroupCompletion
from ..display.html import GroupsHtml
from ..fallback.convert import from_pandas
from ..index.base import index_of, range_index
from ..own.groups import each_group

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...annotations import ArrayLike, Level

#: Figures that the engine computes together, in one pass.
TOGETHER = ("sum", "mean", "min", "max", "var", "std", "size", "count", "first", "last")
#: Aggregates of strings that are strings.
OF_ANY = ("min", "max", "first", "last", "count", "nunique", "size", "mode")


#: Functions that are aggregates of the engine, too.
BUILT_IN: dict[Any, str] = {
    sum: "sum", min: "min", max: "max", any: "any", all: "all", np.sum: "sum", np.mean: "mean", np.min: "min",
    np.max: "max", np.median: "median", np.prod: "prod",
}  # fmt: skip


def _typed(column: Any) -> Any:
    """A key's column; objects that are all missing are NaN, as in pandas."""
    if isinstance(column, Objects) and column.size and bool(isna(column).all()):
        return asarray(np.full(column.size, np.nan))
    return column


class Groups:
    """Groups of rows by some columns: numbered in order of their keys, or with `sort` False of their first rows."""

    __slots__ = ("by", "given", "names", "observed")

    def __init__(
        self, columns: list[Any], names: list[Any], dropna: bool = True, sort: bool = True, observed: bool = True
    ) -> None:
        held = [nullable(one) if dropna else _typed(one) for one in columns]
        self.given = columns
        self.by = groupby(held if len(held) > 1 else held[0], dropna, observed, sort)
        self.names = names
        self.observed = observed

    def index(self) -> Any:
        """The groups' keys as an index."""
        keys = self.by.keys
        held = keys if isinstance(keys, tuple) else (keys,)
        columns = [_key_like(one, settle(key)) for one, key in zip(self.given, held, strict=True)]
        if len(columns) == 1:
            return index_of(columns[0], self.names[0])
        return CLASSES["MultiIndex"]._of(columns, self.names)

    def size(self) -> Any:
        """Rows in each group."""
        return self.by.size()

    def numbers(self) -> Any:
        """For each row the number of its group; -1 of rows in none."""
        return self.by.ngroup()


def _key_like(given: Any, key: Any) -> Any:
    """A key column in the dtype of the column that rows are grouped by: nullable, where that is."""
    return Column(key, None) if type(given) is Column and isinstance(key, ndarray) and key.dtype.kind in "iub" else key


def figure(groups: Groups, values: ArrayLike, name: str, **options: object) -> Any:
    """One figure of a column for each group."""
    return figures(groups, [(values, name)], **options)[0]


def figures(groups: Groups, wanted: list[tuple[Any, str]], **options: object) -> list[Any]:
    """Several aggregates of columns for each group; the engine's own aggregates take one pass."""
    by = groups.by
    found: dict[int, Any] = {}
    together: dict[str, tuple[Any, str]] = {}
    known: dict[tuple[int, bool], Any] = {}
    for place, (values, name) in enumerate(wanted):
        if name in TOGETHER and not options and not _alone_only(values, name):
            column = known.setdefault((id(values), name in NanIsMissing.FIGURES), _for_engine(values, name))
            if name == "sum" and isinstance(column, ndarray) and column.dtype.kind == "b":
                column = column.astype(np.int64)
            if name in ("sum", "mean", "var", "std") and not is_numeric(values) and not _has(values, name):
                raise TypeError(f"agg function failed [how->{name},dtype->{kind_of(values)}]")
            together[str(place)] = (column, name)
        else:
            found[place] = _alone(by, values, name, options)
    if together:
        for key, made in by.agg(together).items():
            found[int(key)] = made
    return [settle(_as_pandas(found[place], wanted[place])) for place in range(len(wanted))]


def _alone_only(values: ArrayLike, name: str) -> bool:
    return isinstance(values, Objects) or (isinstance(values, Strings) and name == "sum")


def _has(values: ArrayLike, name: str) -> bool:
    return not isinstance(values, (ndarray, Strings)) and type(values) is not Column and hasattr(values, name)


def _for_engine(values: Any, name: str) -> Any:
    if isinstance(values, ndarray) and values.dtype.kind == "f" and name in NanIsMissing.FIGURES:
        return NanIsMissing(values)
    return nullable(values)


def _as_pandas(made: object, wanted: tuple[Any, str]) -> Any:
    values, _name = wanted
    if isinstance(made, Column) and isinstance(made.values, ndarray) and isinstance(values, ndarray):
        return where(made.isna(), np.nan, made.values) if made.valid is not None else made.values
    return made


def _alone(by: Any, values: Any, name: str, options: dict[str, Any]) -> Any:
    if name == "nunique" and options.get("dropna") is False:
        return _alone(by, values, name, {}) + by.any(isna(values)).astype(np.int64)
    if isinstance(values, Objects) or (name == "sum" and isinstance(values, Strings)):
        return _by_rows(by, values, lambda part: getattr(series(part, range_index(part.size)), name)())
    is_single = isinstance(values, ndarray) and values.dtype == np.float32
    if is_single and name == "quantile":
        values = values.astype(np.float64)  # as pandas' result, whereas its median is float32
    column = _for_engine(values, name)
    if name in ("any", "all"):
        return getattr(by, name)(column.fillna(name == "all") if isinstance(column, Column) else column)
    if name in ("median", "quantile", "var", "std", "sem", "skew", "kurt", "prod") and not (
        is_numeric(values) or _has(values, name)
    ):
        raise TypeError(f"agg function failed [how->{name},dtype->{kind_of(values)}]")
    least = options.pop("min_count", 0)
    made = by.size() if name == "size" else getattr(by, name)(column, **options)
    if is_single and name in ("skew", "kurt"):
        made = made.astype(np.float32)
    if least > 0:
        few = by.count(column) < least
        made = hide(settle(made), few) if bool(few.any()) else made
    return made


def _by_rows(by: Any, values: ArrayLike, function: Callable[..., Any]) -> Any:
    numbers = by.ngroup()
    order = argsort(numbers)
    sizes = by.size().tolist()
    ordered = take_rows(values, order)
    begin = int((numbers < 0).sum())
    made = []
    for size in sizes:
        made.append(function(ordered[begin : begin + size]))
        begin += size
    return make(made) if made else asarray(np.zeros(0))


class GroupsByKey(dict[Any, Any]):
    """Labels by group; printed as lists."""

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{key!r}: {labels.to_list()}" for key, labels in self.items()) + "}"


class Grouped(GroupCompletion, GroupsHtml):
    """Common base of grouped frames and grouped Series."""

    def __init__(self, of: Any, groups: Groups, options: dict[str, Any]) -> None:
        self._of, self._groups, self._options = of, groups, options

    # -- the groups --

    @property
    def ngroups(self) -> int:
        """How many groups there are."""
        return self._groups.by.ngroups

    def __len__(self) -> int:
        return self.ngroups

    @property
    def groups(self) -> dict[Any, Any]:
        """For each key the labels of its rows."""
        return GroupsByKey((key, self._of._index._take(rows)) for key, rows in self._rows())

    @property
    def indices(self) -> dict[Any, Any]:
        """For each key its rows, as a NumPy array."""
        return {key: rows.to_numpy() for key, rows in self._rows()}

    def _rows(self) -> Iterator[tuple[Any, Any]]:
        numbers = self._groups.numbers()
        order = argsort(numbers)
        begin = int((numbers < 0).sum())
        keys = self._groups.index().to_list()
        for key, size in zip(keys, self._groups.size().tolist(), strict=True):
            yield key, order[begin : begin + size]
            begin += size

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for key, rows in self._rows():
            yield ((key,) if self._options["listed"] and not isinstance(key, tuple) else key), self._of._take(rows)

    def get_group(self, name: str | None) -> Any:
        """The rows of one group.

        Parameters
        ----------
        name : label or tuple
            The key.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.get_group("x")
           k  v
        0  x  1
        2  x  3
        """
        if self._options["listed"] and isinstance(name, tuple) and len(name) == 1:
            name = name[0]
        index = self._groups.index()
        if name not in index:
            raise KeyError(name)
        return self._of._take(flatnonzero(self._groups.numbers() == index._row_of(name)))

    def ngroup(self, ascending: bool = True) -> Any:
        """For each row the number of its group.

        Parameters
        ----------
        ascending : bool, default True
            Whether counting begins at the first; else at the last.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.ngroup()
        0    0
        1    1
        2    0
        dtype: int64
        """
        numbers = self._groups.numbers()
        return self._numbered(numbers if ascending else self.ngroups - 1 - numbers, numbers < 0)

    def cumcount(self, ascending: bool = True) -> Any:
        """For each row how many rows of its group come before it.

        Parameters
        ----------
        ascending : bool, default True
            Whether counting begins at the first; else at the last.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.cumcount()
        0    0
        1    0
        2    1
        dtype: int64
        """
        made = self._groups.by.cumcount(ascending)
        return self._numbered(made, made < 0)

    def _numbered(self, numbers: ndarray, gone: ndarray) -> Any:
        """Numbers of all rows: NaN, and so floats, where rows are in no group."""
        return series(where(gone, np.nan, numbers) if bool(gone.any()) else numbers, self._of._index)

    def head(self, n: int = 5) -> Any:
        """The first rows of each group.

        Parameters
        ----------
        n : int, default 5
            How many rows; negative: all but so many.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.head(1)
           k  v
        0  x  1
        1  y  2
        """
        return self._of._take(self._groups.by.head(n) if n >= 0 else self._but(n, last=True))

    def tail(self, n: int = 5) -> Any:
        """The last rows of each group.

        Parameters
        ----------
        n : int, default 5
            How many rows; negative: all but so many.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.tail(1)
           k  v
        1  y  2
        2  x  3
        """
        return self._of._take(self._groups.by.tail(n) if n >= 0 else self._but(n, last=False))

    def _but(self, n: int, last: bool) -> Any:
        by = self._groups.by
        place, sizes = by.cumcount(), by.broadcast(by.size())
        return flatnonzero(place < sizes + n if last else place >= -n)

    def nth(self, n: Any, dropna: Any = None) -> Any:
        """The rows at some places of each group.

        Parameters
        ----------
        n : int, slice or list of these
            The places within each group; negative ones count from its end.
        dropna : {None, 'any', 'all'}
            Rows with missing values that do not count.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.nth(0)
           k  v
        0  x  1
        1  y  2
        """
        if isinstance(n, slice):
            parts = [rows[n] for _, rows in self._rows()]
            order = concatenate(parts) if parts else asarray(np.zeros(0, np.int64))
            return self._of._take(order[argsort(order)])
        return self._of._take(self._groups.by.nth(n if isinstance(n, int) else list(n)))

    def size(self) -> Any:
        """How many rows each group has.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.size()
        k
        x    2
        y    1
        dtype: int64
        """
        name = self._of._name if self._of.ndim == 1 else None
        made = series(self._groups.size(), self._groups.index(), name)
        if self._options["as_index"]:
            return made
        return made._with_index(made._index).to_frame("size").reset_index()

    def filter(self, func: Any, dropna: bool = True, *args: Any, **kwargs: Any) -> Any:
        """The rows of the groups of which a function says True.

        Parameters
        ----------
        func : callable
            A function of a group's rows that says whether they are kept.
        dropna : bool, default True
            Whether the other rows are left out; else they are missing.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.filter(lambda rows: len(rows) > 1)
           k  v
        0  x  1
        2  x  3
        """
        kept = [bool(func(part, *args, **kwargs)) for _, part in self]
        mask = asarray(np.array([*kept, False]))
        return self._of._take(flatnonzero(take(mask, self._groups.numbers())))

    def pipe(self, func: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """``func(self, …)``

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
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.pipe(lambda g: g.max() - g.min())
           v
        k
        x  2
        y  0
        """
        return func(self, *args, **kwargs)

    def apply(self, func: Any, *args: Any, include_groups: bool = False, **kwargs: Any) -> Any:
        """A function of each group's rows; what it makes one behind another.

        Parameters
        ----------
        func : callable or str
            A function of the rows of each group.
        *args
            Further arguments of `func`.
        include_groups : bool, default False
            Not supported, as in pandas 3: functions never see the key columns.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.apply(lambda values: values.max() - values.min())
        k
        x    2
        y    0
        Name: v, dtype: int64
        """
        if isinstance(func, str):
            return getattr(self, func)(*args, **kwargs)
        groups = list(self._rows())
        keys, parts = [key for key, _ in groups], [rows for _, rows in groups]
        made = each_group(self._without_keys(), groups, func, args, kwargs, from_pandas)
        for key, one in zip(keys, made, strict=True):
            if is_series(one) and self._of.ndim == 1 and one._name == key:
                one._name = self._of._name
        index = self._groups.index()
        there = [place for place, one in enumerate(made) if one is not None]
        if made and len(there) < len(made) and (not there or not is_scalar(made[there[0]])):
            parts = [parts[p] for p in there]
            made, keys, index = [made[p] for p in there], [keys[p] for p in there], index._take(asarray(there))
        if not made:
            return series(make([], np.float64), index)
        if not (is_series(made[0]) or is_frame(made[0])):
            result = series(make(made), index, self._of._name if self._of.ndim == 1 else None)
            return result if self._options["as_index"] else result.to_frame().reset_index()
        if is_series(made[0]) and all(one._index._same(made[0]._index) for one in made) and self._of.ndim == 2:
            rows = [dict(zip(one._index.to_list(), one.to_list(), strict=True)) for one in made]
            table = type(self._of)(rows)._with_index(index)
            if all(isinstance(one._values, ndarray) for one in made) and len({str(one.dtype) for one in made}) == 1:
                table = table.astype(made[0].dtype)
            names = {one._name for one in made}
            return table.rename_axis(names.pop(), axis=1) if len(names) == 1 and None not in names else table
        like = (
            all(one._index._same(self._of._index._take(rows)) for one, rows in zip(made, parts, strict=True))
            and len(made) == self.ngroups
        )
        joined = concat(made)
        if like and not self._options["group_keys"]:
            return joined._to_index(self._of._index)
        if not self._options["group_keys"]:
            return joined
        counts = asarray(np.array([len(one) for one in made]))
        outer = index._take(asarray(np.repeat(np.arange(len(made)), counts.to_numpy())))
        columns = [*outer._labels_of_index, *joined._index._labels_of_index]
        return joined._with_index(CLASSES["MultiIndex"]._of(columns, [*index.names, *joined._index.names]))

    def _without_keys(self) -> Any:
        return self._of

    def _broadcast(self, made: object) -> Any:
        """Figures by group to the rows."""
        return _as_pandas(settle(self._groups.by.broadcast(made)), (made, ""))


def _keys(
    of: Any, by: Any, level: object, dropna: bool, sort: bool, observed: bool
) -> tuple[Groups, list[Any], set[Any]]:
    """The groups of what a caller groups by; the labels of the columns among the keys."""
    columns, names, used = [], [], set()
    if level is not None:
        for one in level if isinstance(level, (list, tuple)) else [level]:
            values = of._index.get_level_values(one)
            columns.append(values._values)
            names.append(values.name)
    listed = by if isinstance(by, list) else [] if by is None else [by]
    if isinstance(by, list) and len(by) == len(of) and by and all(is_scalar(one) for one in by) and level is None:
        known = {*of._index.names, *(of._labels.values if of.ndim == 2 else ())}
        objects = any(hasattr(one, "column_of") or hasattr(one, "freq") for one in by)
        if not objects and not all(one in known for one in by) and not any(map(callable, by)):
            listed = [make(by)]
    for one in listed:
        if isinstance(one, tuple) and not (of.ndim == 2 and one in of._labels.places):
            raise KeyError(one)
        if hasattr(one, "column_of"):
            column, name = one.column_of(of)
            if of.ndim == 2 and one.key is not None:
                used.add(one.key)
            columns.append(column)
            names.append(name)
        elif is_scalar(one) or isinstance(one, tuple):
            if callable(one):
                columns.append(mapped(of._index._values, one))
                names.append(None)
                continue
            if of.ndim == 2 and one in of._labels.places:
                columns.append(key_column(of, one))
                used.add(one)
            elif one in of._index.names:
                columns.append(of._index.get_level_values(one)._values)
            else:
                raise KeyError(one)
            names.append(one)
        elif is_series(one):
            columns.append(one._values if one._index._same(of._index) else one._to_index(of._index)._values)
            names.append(one._name)
            if is_column_of(of, one):
                used.add(one._name)
        elif isinstance(one, dict):
            columns.append(mapped(of._index._values, one))
            names.append(None)
        else:
            column = one._values if hasattr(one, "_labels_of_index") else make(one)
            if column.size != len(of):
                raise ValueError("Grouper and axis must be same length")
            columns.append(column)
            names.append(getattr(one, "name", None))
    if not columns:
        raise TypeError("You have to supply one of 'by' and 'level'")
    return Groups(columns, names, dropna, sort, observed), names, used


def is_column_of(of: Any, one: Any) -> bool:
    """Whether a Series is a column that was taken from a frame, as in ``df.groupby(df["k"])``, and no copy of it."""
    if getattr(one, "_copied", False):
        return False
    places: list[int] = of._labels.places.get(one._name, []) if of.ndim == 2 and isinstance(one._name, Hashable) else []
    return len(places) == 1 and bool(of._columns[places[0]] is one._values)


def grouped(
    of: Any, by: object, level: Level, as_index: bool, sort: bool, group_keys: bool, dropna: bool, observed: bool
) -> Any:
    """A frame or a Series by groups."""
    groups, names, used = _keys(of, by, level, dropna, sort, observed)
    options = {
        "as_index": as_index, "group_keys": group_keys, "listed": isinstance(by, list), "names": names, "used": used,
        "keys": list(groups.by._columns),
    }  # fmt: skip
    return CLASSES["DataFrameGroupBy" if of.ndim == 2 else "SeriesGroupBy"](of, groups, options)


class Grouping:
    """`groupby` of frames and Series."""

    __slots__ = ()

    def groupby(
        self: Any, by: object = None, level: Level = None, *, as_index: bool = True, sort: bool = True,
        group_keys: bool = True, observed: bool = True, dropna: bool = True,
    ) -> Any:  # fmt: skip
        """Rows by groups: of columns by label, of arrays, of what a function or a dict makes of the index' labels.

        Parameters
        ----------
        by : label, array_like, callable, dict, or list of these, optional
            The keys: columns, arrays, or what a function or dict makes of the labels.
        level : int, label or list of these, optional
            Levels of the index as keys.
        as_index : bool, default True
            Whether keys are the index of results; else they are columns.
        sort : bool, default True
            Whether groups are sorted by key; else they are in order of their first rows.
        group_keys : bool, default True
            Whether `apply` puts keys before the labels of the rows.
        observed : bool, default True
            Whether categories that do not occur are left out.
        dropna : bool, default True
            Whether rows with a missing key are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"k": ["b", "a", "b"], "x": [1, 2, 3]})
        >>> df.groupby("k").x.sum()
        k
        a    2
        b    4
        Name: x, dtype: int64
        """
        if getattr(by, "freq", None) is not None and hasattr(by, "bins"):
            return CLASSES["Resampler"](self, by)
        if callable(by) and not isinstance(by, (dict, list)) and not is_series(by):
            by = [series(mapped(self._index._values, by), self._index)]
        return grouped(self, by, level, as_index, sort, group_keys, dropna, observed)


def named(function: Callable[..., Any]) -> str:
    """The name that pandas gives to one of several functions."""
    return function if isinstance(function, str) else getattr(function, "__name__", "<lambda>")


define(Groups)
