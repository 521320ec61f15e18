# SPDX-License-Identifier: Apache-2.0
"""Two objects as one: `combine_first`, `combine`, `update`, `compare`, and joins by order, `merge_asof`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange
from ...arrays.ndarray import ndarray
from ...arrays.selection import flatnonzero, where
from ...columns.column import Column
from ...columns.joins.ordered import join_asof
from ..classes import frame, is_frame, is_series, series
from ..combine.concat import concat
from ..core import key_column
from ..data.column_labels import Labels
from ..data.values import choose, hasnans, hide, is_scalar, isna, join_rows, nullable, take, take_or_miss
from ..index.base import range_index
from .align import align_rows, placed
from .merge import beside

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..dataframe import DataFrame
    from ..series import Series


def merge_ordered(
    left: Any, right: Any, on: Any = None, left_on: Any = None, right_on: Any = None, left_by: Any = None,
    right_by: Any = None, fill_method: Any = None, suffixes: Any = ("_x", "_y"), how: str = "outer",
) -> Any:  # fmt: skip
    """Two frames whose rows are in order as one that is: joined by keys, gaps filled from the row before if asked.

    Examples
    --------
    >>> import atoll.pandas as pd
    >>> a, b = pd.DataFrame({"k": [1, 3], "x": [1, 2]}), pd.DataFrame({"k": [2], "y": [9]})
    >>> pd.merge_ordered(a, b, on="k", fill_method="ffill").x.to_list()
    [1, 1, 2]
    """
    if fill_method not in (None, "ffill"):
        raise ValueError("fill_method must be 'ffill' or None")
    by = left_by if left_by is not None else right_by
    if by is None:
        return _in_order(left, right, on, left_on, right_on, fill_method, suffixes, how)
    if left_by is not None and right_by is not None:
        raise ValueError("Can only group either left or right frames")
    keys = [by] if isinstance(by, str) else list(by)
    of, other = (left, right) if left_by is not None else (right, left)
    parts = []
    for key, part in of.groupby(keys if len(keys) > 1 else keys[0], sort=False):
        pair = (part, other) if left_by is not None else (other, part)
        made = _in_order(*pair, on, left_on, right_on, fill_method, suffixes, how)
        for name, value in zip(keys, key if isinstance(key, tuple) else (key,), strict=True):
            made[name] = value
        parts.append(made)
    return concat(parts, ignore_index=True)


def _in_order(
    left: Any, right: Any, on: Any, left_on: Any, right_on: Any, fill_method: Any, suffixes: Any, how: str
) -> Any:
    keys: dict[str, Any] = {"on": on} if on is not None else {"left_on": left_on, "right_on": right_on}
    if on is None and left_on is None:
        keys = {"on": [label for label in left._labels.values if label in right._labels.places]}
    if fill_method is None:
        return left.merge(right, how=how, sort=True, suffixes=suffixes, **keys)
    names: Any = keys.get("on", keys.get("left_on"))
    sides: list[Any] = []
    for side, own in ((left, keys.get("on", left_on)), (right, keys.get("on", right_on))):
        listed = [own] if isinstance(own, str) else list(own)
        rows = series(arange(len(side)), side._index)
        sides.append(side[listed].assign(**{f"row {len(sides)}": rows}))
    made = sides[0].merge(sides[1], how=how, sort=True, **keys)
    rows = [made[f"row {place}"].ffill()._values for place in (0, 1)]
    listed = [names] if isinstance(names, str) else list(names)
    columns, labels = [], []
    for side, at, end, other in ((left, rows[0], suffixes[0], right), (right, rows[1], suffixes[1], left)):
        gone = isna(at)
        places = where(gone, 0, at).astype(np.int64)
        for label in side._labels.values:
            if label in listed:
                if side is left:
                    columns.append(made[label]._values)
                    labels.append(label)
                continue
            columns.append(take_or_miss(side._column(label), places, gone if bool(gone.any()) else None))
            clash = label in other._labels.places
            labels.append(f"{label}{end}" if clash and end else label)
    return frame(columns, Labels(labels), made._index)


def merge_asof(
    left: Any, right: Any, on: Any = None, left_on: Any = None, right_on: Any = None, left_index: bool = False,
    right_index: bool = False, by: Any = None, left_by: Any = None, right_by: Any = None, suffixes: Any = ("_x", "_y"),
    tolerance: Any = None, allow_exact_matches: bool = True, direction: str = "backward",
) -> Any:  # fmt: skip
    """Each row of one frame beside the row of another whose key is nearest; both are in order of it.

    Examples
    --------
    >>> import atoll as ak
    >>> from atoll.frame import merge_asof
    >>> trades = ak.DataFrame({"t": [1, 5, 10], "size": [7, 8, 9]})
    >>> quotes = ak.DataFrame({"t": [1, 4, 9], "bid": [1.5, 2.5, 3.5]})
    >>> merge_asof(trades, quotes, on="t").bid.to_list()
    [1.5, 2.5, 3.5]
    """
    if on is None and left_on is not None and is_scalar(left_on) and left_on == right_on:
        on = left_on
    if on is not None:
        left_on = right_on = on
    if by is None and left_by is not None and left_by == right_by:
        by = left_by
    if by is not None:
        left_by = right_by = by
    a = left._index._values if left_index else key_column(left, left_on)
    b = right._index._values if right_index else key_column(right, right_on)
    keys = None
    if left_by is not None:
        pair = []
        for of, names in ((left, left_by), (right, right_by)):
            columns = [of._column(name) for name in ([names] if is_scalar(names) else names)]
            pair.append(columns if len(columns) > 1 else columns[0])
        keys = (pair[0], pair[1])
    rows = join_asof(a, b, keys, direction, tolerance, allow_exact_matches)
    shared = {on: left._column(on)} if on is not None else {}
    for name in [by] if is_scalar(by) and by is not None else (by or []):
        shared[name] = left._column(name)
    index = left._index if left_index or right_index else range_index(len(left))
    return beside(left, right, rows.left, rows.right, suffixes, shared, index)


def _first(own: Any, own_rows: Any, other: Any, other_rows: Any) -> Any:
    """The own value of each pair of rows, or the other's where there is no own row."""
    own_rows = arange(own.size) if own_rows is None else own_rows
    other_rows = arange(other.size) if other_rows is None else other_rows
    gone = own_rows < 0
    if hasnans(own):
        gone = gone | take(isna(own), where(own_rows < 0, 0, own_rows))
    behind = where(other_rows < 0, where(own_rows < 0, -1, own_rows), other_rows + own.size)
    return placed(join_rows([own, other]), where(gone, behind, own_rows))


def _differ(own: Any, other: Any) -> Any:
    """Which values differ; missing ones are equal."""
    a, b = nullable(own), nullable(other)
    found = a != b
    found = found.fillna(False) if isinstance(found, Column) else found
    return (found & ~(isna(own) & isna(other))) | (isna(own) ^ isna(other))


class SeriesCombining:
    """Two Series as one."""

    __slots__ = ()

    def combine_first(self: Any, other: Any) -> Series:
        """The values, and those of another where one is missing.

        Parameters
        ----------
        other : Series or DataFrame
            What fills the gaps.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1.0, None]).combine_first(ak.Series([5.0, 6.0])).to_list()
        [1.0, 6.0]
        """
        aligned = align_rows(self._index, other._index)
        return series(_first(self._values, aligned.left, other._values, aligned.right), aligned.index, self._name)

    def combine(self: Any, other: Any, func: Callable[..., Any], fill_value: Any = None) -> Any:
        """A function of each pair of values with the same label.

        Parameters
        ----------
        other : Series or DataFrame
            The other one.
        func : callable
            The function: of two values (of a Series), of two columns (of a frame).
        fill_value : scalar, optional
            What stands in for a value that is missing on one side.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> index = ak.Index(["b", "a", "c"])
        >>> s.combine(ak.Series([2, 2, 2], index=["a", "b", "c"]), max)
        a    3
        b    2
        c    2
        dtype: int64
        """
        aligned = align_rows(self._index, other._index)
        a, b = (
            one._with_index(aligned.index) if rows is None else one._to_index(aligned.index, fill_value=fill_value)
            for one, rows in ((self, aligned.left), (other, aligned.right))
        )
        held = [func(x, y) for x, y in zip(a.to_list(), b.to_list(), strict=True)]
        name = self._name if self._name == other._name else None
        return type(self)(held, index=aligned.index, name=name)

    def update(self: Any, other: Any) -> None:
        """Takes over the values of another that are there, in this very Series.

        Parameters
        ----------
        other : Series or DataFrame
            Where the values come from.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> index = ak.Index(["b", "a", "c"])
        >>> s.update(ak.Series([10], index=["b"]))
        >>> s
        a     3
        b    10
        c     2
        dtype: int64
        """
        other = other if is_series(other) else type(self)(other)
        one = other._to_index(self._index)
        self._values = _updated(self._values, choose(isna(one._values), self._values, one._values))

    def compare(
        self: Any, other: Any, align_axis: Any = 1, keep_shape: bool = False, keep_equal: bool = False,
        result_names: Any = ("self", "other"),
    ) -> Any:  # fmt: skip
        """The rows that differ, side by side.

        Parameters
        ----------
        other : Series or DataFrame
            What is compared; it has the same labels.
        align_axis : {0 or 'index', 1 or 'columns'}, default 1
            Whether the two are put side by side (1) or one below the other (0).
        keep_shape : bool, default False
            Whether rows and columns without a difference are kept.
        keep_equal : bool, default False
            Whether equal values are shown; else they are missing.
        result_names : pair of str, default ('self', 'other')
            The labels of the two.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> index = ak.Index(["b", "a", "c"])
        >>> s.compare(ak.Series([3, 5, 2], index=["a", "b", "c"]))
           self  other
        b   1.0    5.0
        """
        if not self._index._same(other._index):
            raise ValueError("Can only compare identically-labeled Series objects")
        mask = _differ(self._values, other._values)
        made = frame([self._values, other._values], Labels(result_names), self._index)
        made = made if keep_equal else made._new([hide(one, ~mask) for one in made._columns])
        made = made if keep_shape else made._take(flatnonzero(mask))
        return made if align_axis in (1, "columns") else made.stack()


class FrameCombining:
    """Two frames as one."""

    __slots__ = ()

    def combine_first(self: Any, other: Any) -> DataFrame:
        """The elements, and those of another where one is missing.

        Parameters
        ----------
        other : Series or DataFrame
            What fills the gaps.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.combine_first(ak.DataFrame({"b": [0.0, 0.5, 0.0]}))
           a    b
        0  1  4.0
        1  2  0.5
        2  3  6.0
        """
        aligned = align_rows(self._index, other._index)
        held = list(dict.fromkeys([*self._labels.values, *other._labels.values]))
        labels = Labels(held, self._labels.names)
        columns = []
        for label in labels.values:
            if label not in other._labels.places:
                columns.append(placed(self._column(label), aligned.left))
            elif label not in self._labels.places:
                columns.append(placed(other._column(label), aligned.right))
            else:
                columns.append(_first(self._column(label), aligned.left, other._column(label), aligned.right))
        return frame(columns, labels, aligned.index)

    def combine(
        self: Any, other: Any, func: Callable[..., Any], fill_value: object = None, overwrite: bool = True
    ) -> Any:
        """A function of each pair of columns with the same label.

        Parameters
        ----------
        other : Series or DataFrame
            The other one.
        func : callable
            The function: of two values (of a Series), of two columns (of a frame).
        fill_value : scalar, optional
            What stands in for a value that is missing on one side.
        overwrite : bool, default True
            Whether columns that the other one does not have become missing.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.combine(df * 2, lambda x, y: x + y)
           a     b
        0  3  12.0
        1  6   NaN
        2  9  18.0
        """
        a, b = self.align(other)
        if fill_value is not None:
            a, b = a.fillna(fill_value), b.fillna(fill_value)
        held = []
        for place, one in enumerate(a._each()):
            kept = not overwrite and a._labels.values[place] not in other._labels.places
            held.append((one if kept else func(one, b._series(place)))._values)
        return a._new(held)

    def update(self: Any, other: Any, join: str = "left", overwrite: bool = True, **options: object) -> None:
        """Takes over the elements of another that are there, in this very frame.

        Parameters
        ----------
        other : Series or DataFrame
            Where the values come from.
        join : {'left'}, default 'left'
            Rows of this frame are kept.
        overwrite : bool, default True
            Whether values that exist are replaced.
        **options
            `filter_func` and `errors`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> index = ak.Index(["b", "a", "c"])
        >>> df.update(ak.DataFrame({"b": [5.0]}, index=[1]))
        >>> df
           a    b
        0  1  4.0
        1  2  5.0
        2  3  6.0
        """
        other = other.to_frame() if is_series(other) else other if is_frame(other) else type(self)(other)
        one = other._to_index(self._index)
        held = []
        for label, column in zip(self._labels.values, self._columns, strict=True):
            if label not in one._labels.places:
                held.append(column)
                continue
            new = one._column(label)
            keep = isna(new) if overwrite else isna(new) | ~isna(column)
            held.append(_updated(column, choose(keep, column, new)))
        self._hold(held)

    def compare(
        self: Any, other: Any, align_axis: Any = 1, keep_shape: bool = False, keep_equal: bool = False,
        result_names: Any = ("self", "other"),
    ) -> Any:  # fmt: skip
        """The rows and columns that differ, side by side.

        Parameters
        ----------
        other : Series or DataFrame
            What is compared; it has the same labels.
        align_axis : {0 or 'index', 1 or 'columns'}, default 1
            Whether the two are put side by side (1) or one below the other (0).
        keep_shape : bool, default False
            Whether rows and columns without a difference are kept.
        keep_equal : bool, default False
            Whether equal values are shown; else they are missing.
        result_names : pair of str, default ('self', 'other')
            The labels of the two.

        Examples
        --------
        >>> import atoll as ak
        >>> a, b = ak.DataFrame({"x": [1, 2]}), ak.DataFrame({"x": [1, 5]})
        >>> a.compare(b).shape
        (1, 2)
        """
        if not (self._index._same(other._index) and self._labels.same(other._labels)):
            raise ValueError("Can only compare identically-labeled (both index and columns) DataFrame objects")
        masks = [_differ(a, b) for a, b in zip(self._columns, other._columns, strict=True)]
        places = [place for place, mask in enumerate(masks) if keep_shape or bool(mask.any())]
        columns: list[Any] = []
        labels: list[Any] = []
        anywhere: Any = None
        for place in places:
            anywhere = masks[place] if anywhere is None else anywhere | masks[place]
            whole = keep_equal or bool(masks[place].all())
            for name, of in zip(result_names, (self, other), strict=True):
                column = of._columns[place]
                columns.append(column if whole else hide(column, ~masks[place]))
                labels.append((self._labels.values[place], name))
        made = frame(columns, Labels(labels, [None, None]), self._index)
        if not keep_shape:
            made = made._take(arange(0) if anywhere is None else flatnonzero(anywhere))
        return made if align_axis in (1, "columns") else made.stack()


def _updated(old: Any, new: Any) -> Any:
    """New values in the dtype of the old ones; a TypeError where they do not fit, as in pandas."""
    if not (isinstance(old, ndarray) and isinstance(new, ndarray)) or old.dtype == new.dtype:
        return new
    made = new.astype(old.dtype)
    if not bool((made == new).all()):
        raise TypeError(f"Invalid value for dtype '{old.dtype}': update keeps dtypes. Convert the columns first?")
    return made
