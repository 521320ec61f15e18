# SPDX-License-Identifier: Apache-2.0
"""Labels: renaming them, columns as index and index as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...columns.categorical.categorical import Categorical
from ..arithmetic.elementwise import mapped
from ..classes import CLASSES, frame, is_series, series
from ..core import as_axis
from ..data.column_labels import Labels
from ..data.dtypes import to_list
from ..data.lazy import as_they_are
from ..data.values import is_scalar, make
from ..index.base import index_of, make_index, range_index

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...annotations import ArrayLike, Label, Level


def _mapped(labels: list[Any], mapper: Any) -> list[Any]:
    if callable(mapper):
        return [mapper(label) for label in labels]
    table = dict(mapper.items())
    return [table.get(label, label) for label in labels]


def _rows_relabelled(index: Any, mapper: Any, level: object, errors: str) -> Any:
    """An index whose labels, or those of its levels, or of one of them, are others."""
    if index.nlevels == 1:
        labels = index.to_list()
        _check_known(labels, mapper, errors)
        if isinstance(index._values, Categorical):
            return index_of(_level_relabelled(index._values, labels, mapper))._named(index.names)
        return make_index(_mapped(labels, mapper))._named(index.names)
    places = range(index.nlevels) if level is None else [index._level(level)]
    columns = list(index._labels_of_index)
    held = [to_list(columns[place]) for place in places]
    _check_known([label for labels in held for label in labels], mapper, errors)
    for place, labels in zip(places, held, strict=True):
        columns[place] = _level_relabelled(columns[place], labels, mapper)
    return type(index)._of(columns, index.names)


def _level_relabelled(values: ArrayLike, labels: list[Any], mapper: object) -> Any:
    """The labels of a level under other names: itself where these are the same, categories where these are such."""
    if isinstance(values, Categorical):
        return mapped(values, lambda label: _mapped([label], mapper)[0])
    made = _mapped(labels, mapper)
    kept = all(a is b or (type(a) is type(b) and a == b) for a, b in zip(labels, made, strict=True))
    return values if kept else make(made)


def _check_known(labels: list[Any], mapper: Any, errors: str) -> None:
    if errors == "raise" and not callable(mapper):
        lost = [label for label in dict(mapper.items()) if label not in labels]
        if lost:
            raise KeyError(f"{lost} not found in axis")


class Labelling:
    """Names and labels of rows."""

    __slots__ = ()

    def rename_axis(
        self: Any, mapper: object = None, *, index: object = None, columns: object = None, axis: int | str | None = 0,
        inplace: bool = False,
        copy: bool | None = None,
    ) -> Any:  # fmt: skip
        """The same rows, the index under another name.

        Parameters
        ----------
        mapper : label or list of labels, optional
            The name of the axis `axis`.
        index : label or list of labels, optional
            The name of the index.
        columns : label or list of labels, optional
            The name of the columns.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether the index (0) or the columns (1) change.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rename_axis("letter")
        letter
        a    3
        b    1
        c    2
        dtype: int64
        """
        given = mapper is not None or (index is None and columns is None)
        rows = (given and as_axis(axis) == 0) or index is not None
        labels = (given and as_axis(axis) == 1) or columns is not None
        if given:
            index = columns = mapper
        made = self
        if rows:
            made = made._with_index(_renamed(made._index, index))
        if labels:
            names = _names(columns, made._labels.names)
            made = made._new(as_they_are(made._columns), Labels(made._labels.values, names))
        return self._or_inplace(made, inplace)

    def set_axis(self: Any, labels: object, *, axis: int | str | None = 0, copy: bool | None = None) -> Any:
        """The same rows under other labels.

        Parameters
        ----------
        labels : array_like
            The labels.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether rows or columns get them.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.set_axis(["x", "y", "z"])
        x    3
        y    1
        z    2
        dtype: int64
        """
        if as_axis(axis) == 1:
            made = self.copy()
            made.columns = labels
            return made
        return self._with_index(self._checked_index(labels))

    def add_prefix(self: Any, prefix: str, axis: int | str | None = None) -> Any:
        """Labels with a string before them.

        Parameters
        ----------
        prefix : str
            What is put before.
        axis : {0 or 'index', 1 or 'columns'}, optional
            Whether labels of rows or of columns change; of a frame those of columns unless given.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.add_prefix("old_")
           old_a  old_b
        0      1    4.0
        1      2    NaN
        2      3    6.0
        """
        return self._relabelled(lambda label: f"{prefix}{label}", axis)

    def add_suffix(self: Any, suffix: str, axis: int | str | None = None) -> Any:
        """Labels with a string behind them.

        Parameters
        ----------
        suffix : str
            What is put behind.
        axis : {0 or 'index', 1 or 'columns'}, optional
            Whether labels of rows or of columns change; of a frame those of columns unless given.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.add_suffix("_old")
           a_old  b_old
        0      1    4.0
        1      2    NaN
        2      3    6.0
        """
        return self._relabelled(lambda label: f"{label}{suffix}", axis)

    def _relabelled(self: Any, function: Callable[..., Any], axis: int | str | None) -> Any:
        if self.ndim == 2 and axis in (None, 1, "columns"):
            return self.rename(columns=function)
        return self.rename(index=function)

    def droplevel(self: Any, level: Level, axis: int | str | None = 0) -> Any:
        """The same rows without some levels of their labels.

        Parameters
        ----------
        level : int or label
            The level of a MultiIndex, by place or name.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether the index (0) or the columns (1) change.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> m = ak.Series([1, 2], index=ak.MultiIndex.from_tuples([("x", 1), ("y", 2)]))
        >>> m.droplevel(0)
        1    1
        2    2
        dtype: int64
        """
        if as_axis(axis) == 1:
            made = self.copy()
            made.columns = self.columns.droplevel(level)
            return made
        return self._with_index(self._index.droplevel(level))

    def swaplevel(self: Any, i: int = -2, j: Any = -1, axis: int | str | None = 0, copy: bool | None = None) -> Any:
        """The same rows with two levels of their labels exchanged.

        Parameters
        ----------
        i : int or label, default -2
            One level.
        j : int or label, default -1
            The other level.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether the index (0) or the columns (1) change.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> m = ak.Series([1, 2], index=ak.MultiIndex.from_tuples([("x", 1), ("y", 2)]))
        >>> m.swaplevel()
        1  x    1
        2  y    2
        dtype: int64
        """
        if as_axis(axis) == 1:
            made = self.copy()
            made.columns = self.columns.swaplevel(i, j)
            return made
        if self._index.nlevels < 2:
            raise TypeError("Can only swap levels on a hierarchical axis.")
        return self._with_index(self._index.swaplevel(i, j))

    def reorder_levels(self: Any, order: str | None, axis: int | str | None = 0) -> Any:
        """The same rows with the levels of their labels in another order.

        Parameters
        ----------
        order : list of int or label
            The levels in their new order.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether the index (0) or the columns (1) change.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> m = ak.Series([1, 2], index=ak.MultiIndex.from_tuples([("x", 1), ("y", 2)]))
        >>> m.reorder_levels([1, 0])
        1  x    1
        2  y    2
        dtype: int64
        """
        return self._with_index(self._index.reorder_levels(order))

    def squeeze(self: Any, axis: int | str | None = None) -> Any:
        """A Series of one column, a value of one row and column.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, optional
            Which axis may vanish; both unless given.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [7]}).squeeze()
        np.int64(7)
        """
        if self.ndim == 1:
            return self.iloc[0] if len(self) == 1 else self
        made = self
        if len(self._columns) == 1 and (axis is None or as_axis(axis) == 1):
            made = self._series(0)
        if len(self) == 1 and (axis is None or as_axis(axis) == 0):
            made = made.iloc[0]
        return made


def _names(mapper: Any, names: list[Any]) -> list[Any]:
    if callable(mapper):
        return [mapper(name) for name in names]
    if isinstance(mapper, dict):
        return [mapper.get(name, name) for name in names]
    return [mapper] if is_scalar(mapper) else list(mapper)


def _renamed(index: Any, mapper: Any) -> Any:
    names = _names(mapper, index.names)
    if len(names) != index.nlevels:
        raise ValueError(f"Length of new names must be {index.nlevels}, got {len(names)}")
    return index._named(names)


def reset(index: Any, level: object, names: Any, taken: Any) -> tuple[list[Any], list[Any], Any]:
    """Levels that become columns: their labels, values, and the index that is left."""
    places = (
        list(range(index.nlevels))
        if level is None
        else [index._level(one) for one in (level if isinstance(level, (list, tuple)) else [level])]
    )
    if names is not None:
        titles = [names] if is_scalar(names) else list(names)
    else:
        titles = []
        for place in places:
            name = index.names[place]
            if name is None:
                name = f"level_{place}" if index.nlevels > 1 else ("index" if "index" not in taken else "level_0")
            titles.append(name)
    columns = [index._labels_of_index[place] for place in places]
    kept = [place for place in range(index.nlevels) if place not in places]
    left = index._levels(kept) if kept else range_index(index.size)
    return titles, columns, left


class SeriesLabelling(Labelling):
    """Names and labels of Series."""

    __slots__ = ()

    def rename(
        self: Any, index: Any = None, *, axis: int | str | None = None, copy: bool | None = None,
        inplace: bool = False, level: Level = None,
        errors: str = "ignore",
    ) -> Any:  # fmt: skip
        """The Series under another name; with a function or a dict, its labels renamed.

        Parameters
        ----------
        index : scalar, callable, dict or Series, optional
            The name; or what labels of rows become.
        axis : None or 0
            A Series has one axis.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        level : int or label, optional
            The level of a MultiIndex, by place or name.
        errors : {'raise', 'ignore'}, default 'ignore'
            Whether labels that do not exist are a KeyError, or are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rename("v").name
        'v'
        """
        if callable(index) or hasattr(index, "items"):
            made = self._with_index(_rows_relabelled(self._index, index, level, errors))
        else:
            made = series(self._values, self._index, index)
        return self._or_inplace(made, inplace)

    def reset_index(
        self: Any, level: Level = None, *, drop: bool = False, name: Label = "__none", inplace: bool = False,
        allow_duplicates: bool = False,
    ) -> Any:  # fmt: skip
        """Numbers as labels; those that were there become columns of a frame, or are dropped.

        Parameters
        ----------
        level : int, label or list of these, optional
            The levels that leave the index; all unless given.
        drop : bool, default False
            Whether they are dropped instead of becoming columns.
        name : label, default '__none'
            The label of the column of values.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        allow_duplicates : bool, default False
            Whether a label may come twice.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.reset_index(name="v")
          index  v
        0     a  3
        1     b  1
        2     c  2
        """
        if drop:
            _, _, left = reset(self._index, level, None, ())
            return self._or_inplace(self._with_index(left), inplace)
        label = self._name if name == "__none" else name
        return self.to_frame(0 if label is None else label).reset_index(level)


class FrameLabelling(Labelling):
    """Names and labels of frames."""

    __slots__ = ()

    def rename(
        self: Any, mapper: object = None, *, index: object = None, columns: object = None,
        axis: int | str | None = None, copy: bool | None = None,
        inplace: bool = False, level: Level = None, errors: str = "ignore",
    ) -> Any:  # fmt: skip
        """Columns, or rows, under other labels: by a dict or a function.

        Parameters
        ----------
        mapper : callable, dict or Series, optional
            What the labels of the axis `axis` become.
        index : callable, dict or Series, optional
            What labels of rows become.
        columns : callable, dict or Series, optional
            What labels of columns become.
        axis : {0 or 'index', 1 or 'columns'}, optional
            Whether `mapper` is that of rows or of columns.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        level : int or label, optional
            The level of a MultiIndex, by place or name.
        errors : {'raise', 'ignore'}, default 'ignore'
            Whether labels that do not exist are a KeyError, or are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1]}).rename(columns={"a": "x"})
           x
        0  1
        """
        if mapper is not None:
            index, columns = (mapper, None) if as_axis(axis or 0) == 0 else (None, mapper)
        elif index is None and columns is None:
            raise TypeError("must pass an index to rename")
        made = self
        if columns is not None:
            _check_known(self._labels.values, columns, errors)
            values = self._labels.values
            if self._labels.nlevels > 1:
                values = [tuple(_mapped(list(label), columns)) for label in values]
            else:
                values = _mapped(values, columns)
            made = made._new(as_they_are(self._columns), Labels(values, self._labels.names))
        if index is not None:
            made = made._with_index(_rows_relabelled(made._index, index, level, errors))
        return self._or_inplace(made, inplace)

    def set_index(
        self: Any, keys: Any, *, drop: bool = True, append: bool = False, inplace: bool = False,
        verify_integrity: bool = False,
    ) -> Any:  # fmt: skip
        """Columns as the index.

        Parameters
        ----------
        keys : label, array_like or list of these
            The columns, or arrays, that become the index.
        drop : bool, default True
            Whether the columns leave the frame.
        append : bool, default False
            Whether the columns become further levels of the index.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        verify_integrity : bool, default False
            Whether labels that repeat are a ValueError.

        Examples
        --------
        >>> import atoll as ak
        >>> int(ak.DataFrame({"a": ["x", "y"], "b": [1, 2]}).set_index("a").loc["y", "b"])
        2
        """
        wanted = keys if isinstance(keys, list) else [keys]
        columns, names, out = [], [], set()
        if append:
            columns, names = list(self._index._labels_of_index), list(self._index.names)
        lost = [key for key in wanted if (is_scalar(key) or isinstance(key, tuple)) and key not in self._labels.places]
        if lost:
            raise KeyError(f"None of {lost} are in the columns")
        for key in wanted:
            if is_scalar(key) or isinstance(key, tuple):
                columns.append(self._column(key))
                names.append(key)
                out.add(key)
            elif hasattr(key, "_labels_of_index"):
                columns.extend(key._labels_of_index)
                names.extend(key.names)
            else:
                columns.append(key._values if is_series(key) else make(key))
                names.append(getattr(key, "name", None))
        if any(column.size != len(self) for column in columns):
            raise ValueError(f"Length mismatch: Expected {len(self)} rows, received array of another length")
        index = index_of(columns[0], names[0]) if len(columns) == 1 else CLASSES["MultiIndex"]._of(columns, names)
        if verify_integrity and not index.is_unique:
            raise ValueError(f"Index has duplicate keys: {index[index.duplicated()].unique()!r}")
        kept = [place for place, label in enumerate(self._labels.values) if not (drop and label in out)]
        return self._or_inplace(self._at(kept)._with_index(index), inplace)

    def reset_index(
        self: Any, level: Level = None, *, drop: bool = False, inplace: bool = False, col_level: Any = 0,
        col_fill: Any = "", allow_duplicates: bool = False, names: object = None,
    ) -> Any:  # fmt: skip
        """Numbers as labels; those that were there become columns, or are dropped.

        Parameters
        ----------
        level : int, label or list of these, optional
            The levels that leave the index; all unless given.
        drop : bool, default False
            Whether they are dropped instead of becoming columns.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        col_level : int or label, default 0
            The level of columns with several levels that gets the name.
        col_fill : label, default ''
            What the other levels get.
        allow_duplicates : bool, default False
            Whether a label may come twice.
        names : label or list of labels, optional
            The labels of the new columns.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2]}, index=["x", "y"]).reset_index()
          index  a
        0     x  1
        1     y  2
        """
        titles, columns, left = reset(self._index, level, names, self._labels.places)
        if drop:
            return self._or_inplace(self._with_index(left), inplace)
        for title in titles:
            if title in self._labels.places and not allow_duplicates:
                raise ValueError(f"cannot insert {title}, already exists")
        if self._labels.nlevels > 1:
            titles = [
                one if isinstance(one, tuple) else (one, *[col_fill] * (self._labels.nlevels - 1)) for one in titles
            ]
        labels = Labels([*titles, *self._labels.values], self._labels.names)
        return self._or_inplace(frame([*columns, *as_they_are(self._columns)], labels, left), inplace)
