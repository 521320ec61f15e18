# SPDX-License-Identifier: Apache-2.0
"""Rows to columns and columns to rows: melt, pivot, stack, unstack, crosstab, get_dummies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, full
from ...arrays.ndarray import ndarray
from ...arrays.repeating import repeat, tile
from ...arrays.selection import flatnonzero, where
from ...arrays.sizes import require_room
from ...columns.categorical.categorical import Categorical
from ...columns.column import as_column
from ...columns.objects import Objects
from ...io.fallback import by_pandas, pandas_at_work
from ..classes import CLASSES, frame, is_frame, is_series, series
from ..combine.concat import concat
from ..core import column_or_level, is_numeric
from ..data.column_labels import Labels
from ..data.dtypes import kind_of, to_list
from ..data.values import choose, gaps, hasnans, is_scalar, isna, join_rows, make, take, take_or_miss
from ..index.base import index_of, range_index
from ..index.lookup import duplicated

if TYPE_CHECKING:
    from ...annotations import ArrayLike, DTypeLike, Label, Level


def melt(
    self: Any, id_vars: Any = None, value_vars: Any = None, var_name: Any = None, value_name: Any = "value",
    col_level: Any = None, ignore_index: bool = True,
) -> Any:  # fmt: skip
    """Columns one below another: a row for each element, which says which column it is from.

    Parameters
    ----------
    id_vars : label or list of labels, optional
        Columns that stay, and repeat.
    value_vars : label or list of labels, optional
        Columns that become rows; all others unless given.
    var_name : label, optional
        The name of the column of labels.
    value_name : label, default 'value'
        The name of the column of values.
    col_level : int or label, optional
        The level of columns with several levels that gets the name.
    ignore_index : bool, default True
        Whether rows are labelled 0, 1, 2, …; else labels repeat.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.DataFrame({"k": [1, 2], "a": [3, 4]}).melt("k")
       k variable  value
    0  1        a      3
    1  2        a      4
    """
    ids = [] if id_vars is None else [id_vars] if is_scalar(id_vars) else list(id_vars)
    if value_vars is None:
        wanted = [label for label in self._labels.values if label not in ids]
    else:
        wanted = [value_vars] if is_scalar(value_vars) else list(value_vars)
    lost = [label for label in [*ids, *wanted] if label not in self._labels.places]
    if lost:
        raise KeyError(f"The following id_vars or value_vars are not present in the DataFrame: {lost}")
    if value_name in self._labels.places and value_name not in wanted and value_name in ids:
        raise ValueError(f"value_name ({value_name}) cannot match an element in the DataFrame columns.")
    size, count = len(self), len(wanted)
    rows = tile(arange(size), count) if count else arange(0)
    columns = [take(self._column(label), rows) for label in ids]
    if self._labels.nlevels == 1:
        columns.append(take(make(wanted), repeat(arange(count), size)))
        titles = [var_name or self._labels.names[0] or "variable"]
    else:
        levels = zip(*wanted, strict=True)
        columns.extend(take(make(list(level)), repeat(arange(count), size)) for level in levels)
        titles = [name or f"variable_{place}" for place, name in enumerate(self._labels.names)]
    columns.append(join_rows([self._column(label) for label in wanted]))
    index = range_index(size * count) if ignore_index else self._index._take(rows)
    return frame(columns, Labels([*ids, *titles, value_name]), index)


def spread(values: list[Any], names: list[Any], rows: Any, columns: Any, fill: Any = None) -> Any:
    """Values at their row and column labels: a frame with a column for each of `columns`' labels.

    `rows` and `columns` are indexes of as many labels as there are values. ValueError when two values share a place.
    """
    row_labels, column_labels = _distinct(rows), _distinct(columns)
    at_row, at_column = _places(row_labels, rows), _places(column_labels, columns)
    height, width = row_labels.size, column_labels.size
    cell = at_row * width + at_column
    if cell.size and bool(duplicated([cell]).any()):
        raise ValueError("Index contains duplicate entries, cannot reshape")
    source = full(height * width, -1)
    source[cell] = arange(cell.size)
    held, labels = [], []
    wanted = column_labels.to_list()
    if fill is None and bool((source < 0).any()):  # what misses values in one column does in all, as in pandas
        values = [
            one.astype(np.float64) if isinstance(one, ndarray) and one.dtype.kind in "iu" else one for one in values
        ]
    for name, one in zip(names, values, strict=True):
        for place, label in enumerate(wanted):
            at = source[place::width].copy()
            gone = gaps(at)
            column = take_or_miss(one, at, gone)
            held.append(column if gone is None or fill is None else choose(gone, fill, take(one, _clean(at))))
            parts = label if isinstance(label, tuple) else (label,)
            labels.append(label if name is _ALONE else (name, *parts))
    titles = list(column_labels.names) if names == [_ALONE] else [None, *column_labels.names]
    return frame(held, Labels(labels, titles), row_labels)


def _distinct(labels: Any) -> Any:
    """Each label once, in order; a missing one is the first."""
    made = labels._take(flatnonzero(~duplicated(labels._labels_of_index)))._ordered()
    if made.nlevels > 1 or not hasnans(made._values):
        return made
    gone = isna(made._values)
    return made._take(flatnonzero(gone)).append(made._take(flatnonzero(~gone)))


_ALONE = object()


def _clean(rows: Any) -> Any:
    return where(rows < 0, 0, rows)


def _places(labels: Any, of: Any) -> Any:
    """Where each label of `of` is among `labels`, missing ones too."""
    if labels.nlevels == 1 and bool(isna(labels._values).any()):
        table = {(_key(one)): place for place, one in enumerate(labels.to_list())}
        return asarray(np.array([table[_key(one)] for one in of.to_list()], dtype=np.int64))
    return labels._indexer(of)


def _key(label: Label) -> Any:
    return None if label != label else label


def _listed(labels: Any) -> list[Any]:
    return [labels] if is_scalar(labels) or isinstance(labels, tuple) else list(labels)


def _axis_of(self: Any, labels: Any) -> Any:
    """An index of some columns."""
    columns = [column_or_level(self, label) for label in labels]
    if len(columns) == 1:
        return index_of(columns[0], labels[0])
    return CLASSES["MultiIndex"]._of(columns, labels)


def pivot(self: Any, *, columns: object, index: object = None, values: Any = None) -> Any:
    """A column's values as labels of columns: a row for each label of `index`. ValueError when two share a place.

    Parameters
    ----------
    columns : label or list of labels
        The column whose values become labels of columns.
    index : label or list of labels, optional
        The column whose values become labels of rows; the index unless given.
    values : label or list of labels, optional
        The columns that are spread; all others unless given.

    Examples
    --------
    >>> import atoll as ak
    >>> df = ak.DataFrame({"r": [0, 0, 1], "c": ["x", "y", "x"], "v": [1, 2, 3]})
    >>> df.pivot(index="r", columns="c", values="v").loc[0, "y"].item()
    2.0
    """
    across = _listed(columns)
    down = None if index is None else _listed(index)
    rows = self._index if down is None else _axis_of(self, down)
    if values is None:
        taken = {*across, *(down or [])}
        names: list[Any] = [label for label in self._labels.values if label not in taken]
        return spread([self._column(label) for label in names], names, rows, _axis_of(self, across))
    if is_scalar(values):
        return spread([self._column(values)], [_ALONE], rows, _axis_of(self, across))
    return spread([self._column(label) for label in values], list(values), rows, _axis_of(self, across))


def pivot_table(
    self: Any, values: ArrayLike = None, index: object = None, columns: object = None, aggfunc: Any = "mean",
    fill_value: object = None, margins: bool = False, dropna: bool = True, margins_name: str = "All",
    observed: bool = True, sort: bool = True,
) -> Any:  # fmt: skip
    """Figures of groups as a table: groups of `index` down, those of `columns` across.

    Parameters
    ----------
    values : label or list of labels, optional
        The columns that are combined; all numbers unless given.
    index : label, array_like or list of these, optional
        Keys of the rows.
    columns : label, array_like or list of these, optional
        Keys of the columns.
    aggfunc : str, callable, list or dict, default 'mean'
        How values that share a place are combined.
    fill_value : scalar, optional
        What stands where no rows are.
    margins : bool, default False
        Whether totals of rows and columns are added.
    dropna : bool, default True
        Whether columns that are missing throughout are left out.
    margins_name : str, default 'All'
        The label of the totals.
    observed : bool, default True
        Whether categories that do not occur are left out.
    sort : bool, default True
        Whether the result is sorted.

    Examples
    --------
    >>> import atoll as ak
    >>> df = ak.DataFrame({"r": [0, 0, 1], "c": ["x", "x", "y"], "v": [1, 3, 5]})
    >>> df.pivot_table("v", "r", "c", aggfunc="sum").loc[0, "x"].item()
    4.0
    """
    down = [] if index is None else _keys(index)
    across = [] if columns is None else _keys(columns)
    if isinstance(aggfunc, (list, tuple)):
        rest = (fill_value, margins, dropna, margins_name, observed, sort)
        parts = [pivot_table(self, values, index, columns, one, *rest) for one in aggfunc]
        names = [one if isinstance(one, str) else one.__name__ for one in aggfunc]
        return concat(parts, axis=1, keys=names)
    keyed = {key for key in [*down, *across] if is_scalar(key)}
    if values is not None:
        wanted = _listed(values)
        for label in wanted:
            if label not in self._labels.places:
                raise KeyError(label)
    elif isinstance(aggfunc, dict):
        wanted = list(aggfunc)
    else:
        wanted = [label for label in self._labels.values if label not in keyed]
    simple = all(is_scalar(key) for key in [*down, *across]) and isinstance(aggfunc, str)
    if margins and not (simple and dropna and sort and down):
        by_pandas("pivot_table", ["margins"])
        held = {
            "index": index, "columns": columns, "aggfunc": aggfunc, "fill_value": fill_value, "dropna": dropna,
            "sort": sort, "observed": observed,
        }  # fmt: skip
        with pandas_at_work("pivot_table"):
            return CLASSES["DataFrame"](
                self.to_pandas().pivot_table(values, margins=True, margins_name=margins_name, **held)
            )
    if margins:
        kept = self[list(dict.fromkeys([*down, *across, *wanted]))].dropna()
        alone = values is not None and is_scalar(values) and bool(across)
        order = wanted if alone or not across else sorted(wanted)
        table = pivot_table(self, values, index, columns, aggfunc, fill_value, observed=observed)
        made = _with_margins(kept, table, down, across, order, aggfunc, margins_name, alone)
        return made if fill_value is None else made.fillna(fill_value)
    made = self.groupby([*down, *across], sort=sort, observed=observed)[wanted].agg(aggfunc)
    if dropna:
        made = made.dropna(how="all")
    made = made[sorted(made._labels.values)] if values is None or not is_scalar(values) else made
    table = made
    if across:
        levels = made._index
        rows = levels._levels(list(range(len(down)))) if down else None
        names = [_ALONE] if values is not None and is_scalar(values) else list(made._labels.values)
        columns_index = levels._levels(list(range(len(down), levels.nlevels))) if down else levels
        if rows is None:
            table = made.T
        else:
            table = spread(made._columns, names, rows, columns_index, fill_value)
        whole = fill_value is not None and all(str(kind_of(one)).startswith("int") for one in made._columns)
        if whole:
            table = table._new([one.astype(np.int64) for one in table._columns])
    if fill_value is not None:
        table = table.fillna(fill_value)
    if dropna and is_frame(table):
        table = table.dropna(how="all", axis=1)
    return table


def _keys(keys: object) -> list[Any]:
    return [keys] if is_scalar(keys) or not isinstance(keys, (list, tuple)) else list(keys)


def _with_margins(
    rows: Any, table: Any, down: list[Any], across: list[Any], wanted: list[Any], aggfunc: Any, name: str | None,
    alone: bool
) -> Any:  # fmt: skip
    """A pivot table with a column of aggregates of whole rows for each value, and a row of those of whole columns.

    Parameters
    ----------
    rows : DataFrame
        The rows without missing keys and values.
    table : DataFrame
        The table of their groups.
    down, across : list of labels
        The keys of the table's rows and columns.
    wanted : list of labels
        The columns that are aggregated.
    name
        The label of the margins.
    alone : bool
        Whether the table's columns have the labels of `across` only, without that of the one value.
    """
    whole = {label: rows[label].agg(aggfunc) for label in wanted}
    columns, labels = _with_row_margins(rows, table, down, across, wanted, aggfunc, name, alone)
    if across:
        found = rows.groupby(across)[wanted].agg(aggfunc)
        by_column = {label: dict(zip(found._index.to_list(), found[label].to_list(), strict=True)) for label in wanted}
        last = [_of_whole_column(label, by_column, whole, wanted, name, alone) for label in labels]
    else:
        last = [whole[label] for label in labels]
    held = [_one_more(column, value) for column, value in zip(columns, last, strict=True)]
    return frame(held, Labels(labels, table._labels.names), _index_with_margin(table._index, name))


def _with_row_margins(
    rows: Any, table: Any, down: list[Any], across: list[Any], wanted: list[Any], aggfunc: Any, name: Label, alone: bool
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """The table's columns and their labels, with the margins of rows behind the columns of each value."""
    if not across:
        return list(table._columns), list(table._labels.values)
    found = rows.groupby(down)[wanted].agg(aggfunc).reindex(table._index)
    columns, labels = [], []
    cells = list(table._columns)
    if len({str(kind_of(column)) for column in cells}) > 1:  # pandas transposes the table, which gives all one dtype
        cells = [column.astype(np.float64) if _is_whole(column) else column for column in cells]
    more = ("",) * (len(across) - 1)
    for value in wanted:
        for label, column in zip(table._labels.values, cells, strict=True):
            if alone or label[0] == value:
                columns.append(column)
                labels.append(label)
        columns.append(found._column(value))
        key = (name, *more) if alone else (value, name, *more)
        labels.append(key if len(key) > 1 else name)
    return columns, labels


def _of_whole_column(
    label: str, by_column: dict[Any, Any], whole: dict[Any, Any], wanted: list[Any], name: Label, alone: bool
) -> Any:  # fmt: skip
    """The aggregate of a whole column of the table."""
    value, key = (wanted[0], label) if alone else (label[0], label[1:] if len(label) > 2 else label[1])
    first = key[0] if isinstance(key, tuple) else key
    return whole[value] if first == name else by_column[value].get(key, np.nan)


def _one_more(column: Any, value: Any) -> Any:
    """A column with one more value, of its dtype where that holds the value."""
    if _is_whole(column) and float(value).is_integer():
        return join_rows([column, make(np.array([value], dtype=column.dtype))])
    return join_rows([column, make([value])])


def _is_whole(column: Any) -> bool:
    return isinstance(column, ndarray) and column.dtype.kind in "iu"


def _index_with_margin(index: Any, name: Any) -> Any:
    """The labels of the table's rows, and that of the margin."""
    labels = [name, *[""] * (index.nlevels - 1)]
    held = [
        join_rows([level, make([label])]) if type(level) is type(make([label])) else _of_several_kinds(level, label)
        for level, label in zip(index._labels_of_index, labels, strict=True)
    ]
    if index.nlevels == 1:
        return index_of(held[0], index.name)
    return type(index)._of(held, list(index.names))


def _of_several_kinds(level: object, label: str) -> Any:
    """Labels of several kinds, which are objects."""
    return Objects([*index_of(level).to_list(), label])


def crosstab(
    index: object, columns: object, values: ArrayLike = None, rownames: Any = None, colnames: Any = None,
    aggfunc: Any = None,
    margins: bool = False, margins_name: str = "All", dropna: bool = True, normalize: bool | str = False,
) -> Any:  # fmt: skip
    """How often each pair of values occurs: those of one Series down, those of another across.

    Examples
    --------
    >>> import atoll as ak
    >>> from atoll.frame import crosstab
    >>> crosstab(ak.Series(["a", "b", "a"]), ak.Series([1, 1, 2])).to_numpy().tolist()
    [[1, 1], [1, 0]]
    """
    if (values is None) != (aggfunc is None):
        raise ValueError("values and aggfunc go together.")
    rows, cols = (one if isinstance(one, list) and one and is_series(one[0]) else [one] for one in (index, columns))
    if not dropna and (len(rows) > 1 or len(cols) > 1 or any(hasnans(one._values) for one in [*rows, *cols])):
        raise NotImplementedError("pairs that do not occur, and missing values, are pandas' to count")
    names = [getattr(one, "name", None) for one in [*rows, *cols]]
    numbered = [*(f"row_{place}" for place in range(len(rows))), *(f"col_{place}" for place in range(len(cols)))]
    titles = [other if name is None else name for name, other in zip(names, numbered, strict=True)]
    for place, name in enumerate([*(rownames or [None] * len(rows)), *(colnames or [None] * len(cols))]):
        titles[place] = name if name is not None else titles[place]
    keys = [f"k{place}" for place in range(len(titles))]
    table = CLASSES["DataFrame"](dict(zip(keys, [*rows, *cols], strict=True)))
    table["v"] = 1 if values is None else values
    down, across = keys[: len(rows)], keys[len(rows) :]
    how = "sum" if values is None else aggfunc
    made = table.pivot_table("v", down, across, how, 0 if values is None else None, margins, margins_name=margins_name)
    made._index = made._index._named(titles[: len(rows)])
    made._labels = Labels(made._labels.values, titles[len(rows) :])
    return _shares_of(made, normalize, margins_name if margins else None).fillna(0) if normalize is not False else made


def _shares_of(made: Any, normalize: bool | str, margin: Any) -> Any:
    """A table's shares of its rows, columns or all; margins are shares of the others."""
    if normalize is True or normalize == "all":
        return made / (made.to_numpy().sum() if margin is None else made.loc[margin, margin])
    if normalize not in ("index", "columns", 0, 1):
        raise ValueError("Not a valid normalize argument")
    if normalize in ("index", 0):
        made = made if margin is None else made.drop(columns=margin)
        return made.div(made.sum(axis=1), axis=0)
    made = made if margin is None else made.drop(index=margin)
    return made / made.sum()


def get_dummies(
    data: Any, prefix: Any = None, prefix_sep: str = "_", dummy_na: bool = False, columns: Any = None,
    sparse: bool = False, drop_first: bool = False, dtype: DTypeLike = None,
) -> Any:  # fmt: skip
    """A column of bools for each value that occurs.

    Examples
    --------
    >>> import atoll as ak
    >>> from atoll.frame import get_dummies
    >>> get_dummies(ak.Series(["a", "b", "a"])).sum().to_dict()
    {'a': 2, 'b': 1}
    """
    if is_frame(data):
        wanted = (
            [label for label, one in zip(data._labels.values, data._columns, strict=True) if not is_numeric(one)]
            if columns is None
            else list(columns)
        )
        made = data[[label for label in data._labels.values if label not in wanted]]
        prefixes = dict(
            zip(wanted, prefix if isinstance(prefix, (list, tuple)) else [prefix] * len(wanted), strict=True)
        )
        if isinstance(prefix, dict):
            prefixes = prefix
        for label in wanted:
            title = label if prefixes.get(label) is None else prefixes[label]
            part = get_dummies(data[label], title, prefix_sep, dummy_na, None, sparse, drop_first, dtype)
            made = made._new([*made._columns, *part._columns], Labels([*made._labels.values, *part._labels.values]))
        return made
    of = data if is_series(data) else CLASSES["Series"](data)
    if isinstance(of._values, Categorical):  # also of categories that no row has
        numbers, names = of._values.codes, to_list(of._values.categories)
    else:
        numbers, distinct, _ = as_column(of._values).numbers()
        names = to_list(distinct)
    first = 1 if drop_first else 0
    kind = np.bool_ if dtype is None else dtype
    require_room(of.size * len(names) * np.dtype(kind).itemsize, f"{len(names)} columns of {of.size} rows")
    held = [(numbers == place).astype(kind) for place in range(first, len(names))]
    labels = [one if prefix is None else f"{prefix}{prefix_sep}{one}" for one in names[first:]]
    if dummy_na:
        held.append((numbers < 0).astype(kind))
        labels.append(np.nan if prefix is None else f"{prefix}{prefix_sep}nan")
    return frame(held, Labels(labels), of._index)


class SeriesReshaping:
    """Levels of a Series' index as columns."""

    __slots__ = ()

    def unstack(self: Any, level: Level = -1, fill_value: object = None, sort: bool = True) -> Any:
        """A level of the index as labels of columns.

        Parameters
        ----------
        level : int or label, default -1
            The level of a MultiIndex, by place or name.
        fill_value : scalar, optional
            What stands where a row has no such label.
        sort : bool, default True
            Whether labels are sorted; else they keep the order of their levels.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.MultiIndex.from_product([["a", "b"], [1, 2]])
        >>> ak.Series([1, 2, 3, 4], index=index).unstack().to_numpy().tolist()
        [[1, 2], [3, 4]]
        """
        if self._index.nlevels < 2:
            raise ValueError(f"index must be a MultiIndex to unstack, {type(self._index)} was passed")
        places = [self._index._level(one) for one in _listed(level)]
        rest = [place for place in range(self._index.nlevels) if place not in places]
        rows, columns = self._index._levels(rest), self._index._levels(places)
        return spread([self._values], [_ALONE], rows, columns, fill_value)


class FrameReshaping:
    """Columns to rows, rows to columns."""

    __slots__ = ()

    melt = melt
    pivot = pivot
    pivot_table = pivot_table

    def unstack(self: Any, level: Level = -1, fill_value: object = None, sort: bool = True) -> Any:
        """A level of the index as a level of the columns' labels.

        Parameters
        ----------
        level : int or label, default -1
            The level of a MultiIndex, by place or name.
        fill_value : scalar, optional
            What stands where a row has no such label.
        sort : bool, default True
            Whether labels are sorted; else they keep the order of their levels.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.unstack()
        a  0    1.0
           1    2.0
           2    3.0
        b  0    4.0
           1    NaN
           2    6.0
        dtype: float64
        """
        if self._index.nlevels < 2:
            for one in _listed(level):
                self._index._level(one)
            return self._end_to_end()
        places = [self._index._level(one) for one in _listed(level)]
        rest = [place for place in range(self._index.nlevels) if place not in places]
        made = spread(
            self._columns, list(self._labels.values), self._index._levels(rest), self._index._levels(places), fill_value
        )
        if self._labels.nlevels > 1:
            values = [(*label[0], *label[1:]) for label in made._labels.values]
            made._labels = Labels(values, [*self._labels.names, *made._labels.names[1:]])
        else:
            made._labels = Labels(made._labels.values, [self._labels.names[0], *made._labels.names[1:]])
        return made

    def _end_to_end(self: Any) -> Any:
        """The columns one below another, labelled by their labels and the index."""
        size, count = len(self), len(self._columns)
        values = join_rows(list(self._columns)) if count else make([])
        of_columns, of_rows = repeat(arange(count), size), tile(arange(size), count)
        titles = self._labels.values
        levels = [titles] if self._labels.nlevels == 1 else [list(level) for level in zip(*titles, strict=True)]
        outer = [take(make(level), of_columns) for level in levels]
        index = CLASSES["MultiIndex"]._of(
            [*outer, *self._index._take(of_rows)._labels_of_index], [*self._labels.names, *self._index.names]
        )
        return series(values, index)

    def stack(self: Any, level: Level = -1, dropna: Any = None, sort: Any = None, future_stack: bool = True) -> Any:
        """The columns' labels, or a level of them, as a level of the index.

        Parameters
        ----------
        level : int or label, default -1
            The level of a MultiIndex, by place or name.
        dropna : bool, optional
            Not supported with `future_stack`, as in pandas 3.
        sort : bool, optional
            Not supported with `future_stack`, as in pandas 3.
        future_stack : bool, default True
            True, as in pandas 3: absent labels make no rows of their own.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1], "b": [2]}).stack().to_list()
        [1, 2]
        """
        size = len(self)
        if self._labels.nlevels == 1:
            count = len(self._columns)
            values = join_rows(list(self._columns)) if count else make([])
            order = _by_rows(size, count)
            rows = repeat(arange(size), count)
            outer = self._index._take(rows)
            inner = take(make(self._labels.values), tile(arange(count), size))
            columns = [*outer._labels_of_index, inner]
            index = CLASSES["MultiIndex"]._of(columns, [*outer.names, self._labels.names[0]])
            return series(take(values, order), index)
        if isinstance(level, (list, tuple)):
            places = [one if isinstance(one, int) else self._labels.names.index(one) for one in level]
            made = self
            for one in places:  # what is left of a level's place when those before it have gone
                made = made.stack(one - sum(gone < one for gone in places[: places.index(one)]))
            return made
        place = level if isinstance(level, int) else self._labels.names.index(level)
        place %= self._labels.nlevels
        inner_labels = list(dict.fromkeys(label[place] for label in self._labels.values))
        rest = list(dict.fromkeys(label[:place] + label[place + 1 :] for label in self._labels.values))
        order = _by_rows(size, len(inner_labels))
        held = []
        for one in rest:
            parts = []
            for inner_label in inner_labels:
                full_label = (*one[:place], inner_label, *one[place:])
                found = self._labels.places.get(full_label)
                parts.append(full(size, np.nan) if found is None else self._columns[found[0]])
            held.append(take(join_rows(parts), order))
        outer = self._index._take(repeat(arange(size), len(inner_labels)))
        columns = [*outer._labels_of_index, take(make(inner_labels), tile(arange(len(inner_labels)), size))]
        names = [*outer.names, self._labels.names[place]]
        left = [name for at, name in enumerate(self._labels.names) if at != place]
        labels = Labels([one[0] for one in rest] if len(left) == 1 else rest, left)
        return frame(held, labels, CLASSES["MultiIndex"]._of(columns, names))


def _by_rows(size: int, count: int) -> Any:
    """Rows of columns one below another, in the order of the frame's rows."""
    return asarray(np.arange(size * count).reshape(count, size).T.reshape(-1).copy()) if size * count else arange(0)
