# SPDX-License-Identifier: Apache-2.0
"""Alignment: rows of two objects that have the same label, side by side."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from ...arrays.creation import arange, empty_like, full
from ...arrays.selection import flatnonzero, where
from ...arrays.sorting import coargsort
from ...columns.groupby.groupby import groupby
from ...columns.joins.equal import join
from ..classes import series
from ..core import as_axis
from ..data.column_labels import Labels, labels_of
from ..data.dtypes import kind_of
from ..data.lazy import as_they_are
from ..data.values import broadcast, choose, gaps, join_rows, take, take_or_miss
from ..index.base import IndexCore, comparable, make_index, range_index, same_values
from ..index.sets import in_one_zone, rows_in_order, with_labels
from ..select.placement import fitting

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Axes, Level


class Aligned(NamedTuple):
    """An index, and the rows of two others that stand at each of its labels; -1 where there is none.

    Rows are None where they are the side's own, all in order.
    """

    index: Any
    left: Any
    right: Any


def align_rows(left: Any, right: Any, how: str = "outer") -> Aligned:
    """Two indexes as one: labels of either (``outer``, in order), of both (``inner``), or of one side."""
    left, right = in_one_zone(left, right)
    if left._same(right):
        names = left._common_name(right)
        return Aligned(left if names == left.names else left._named(names), None, None)
    if how in ("left", "right") and (right if how == "left" else left).is_unique:
        if how == "left":
            return Aligned(left, None, right._indexer(left))
        return Aligned(right, left._indexer(right), None)
    if not all(map(comparable, left._labels_of_index, right._labels_of_index)) or left.nlevels != right.nlevels:
        if left.nlevels != right.nlevels:
            raise NotImplementedError("indexes of different numbers of levels do not align; use merge")
        index = {"left": left, "right": right}.get(how) or (left.union(right) if how == "outer" else left[:0])
        return Aligned(index, left._indexer(index), right._indexer(index))
    if how == "outer" and left.size == right.size and left.nlevels == 1 and left.is_unique and right.is_unique:
        found = left._matched(right)
        if not bool((found < 0).any()):  # the same labels in another order: each is looked up once
            places = empty_like(found)
            places[found] = arange(found.size)
            order = None if left.is_monotonic_increasing else rows_in_order(left._labels_of_index)
            index = left._named(left._common_name(right))
            return Aligned(index, None, places) if order is None else Aligned(index._take(order), order, places[order])
    rows = join(left._labels_of_index, right._labels_of_index, how)
    labels = [
        coalesced(a, rows.left, b, rows.right)
        for a, b in zip(left._labels_of_index, right._labels_of_index, strict=True)
    ]
    own, other = rows.left, rows.right
    if how == "outer":
        order = rows_in_order(labels)
        labels = [take(one, order) for one in labels]
        own, other = take(own, order), take(other, order)
    return Aligned(with_labels(left, labels, left._common_name(right))._named(left._common_name(right)), own, other)


def coalesced(left: Any, left_rows: Any, right: Any, right_rows: Any) -> Any:
    """The left value of each pair of rows, or the right one where there is no left row."""
    gone = gaps(left_rows)
    if gone is None:
        return take(left, left_rows)
    if left.size == 0:
        return take(right, right_rows)
    both = join_rows([left, right])
    return take(both, where(gone, right_rows + left.size, left_rows))


def placed(values: ArrayLike, rows: Any) -> Any:
    """Values at the rows that an alignment gives: missing where it says -1."""
    return values if rows is None else take_or_miss(values, rows, gaps(rows))


def union_of(indexes: list[Any], sort: Any = None) -> Any:
    """One index of all labels."""
    return reduce(lambda a, b: a if a._same(b) else a.union(b, sort=sort), in_one_zone(*indexes))


def align_labels(left: Labels, right: Labels, how: str = "outer") -> Labels:
    """Column labels of either side, in order when they differ."""
    if left.same(right):
        return left
    if how == "left":
        return left
    if how == "right":
        return right
    if how == "inner":
        return Labels([label for label in left.values if label in right.places], left.names)
    held: list[Any] = [*left.values, *(label for label in right.values if label not in left.places)]
    try:
        return Labels(sorted(held), left.names)
    except TypeError:
        return Labels(held, left.names)


def columns_for(frame: Any, labels: Labels, fill_value: object = None) -> list[Any]:
    """A frame's columns under these labels; missing ones, or of a value, where it has none."""
    if labels is frame._labels:
        return as_they_are(frame._columns)
    held = as_they_are(frame._columns)
    found = []
    for label in labels.values:
        places = frame._labels.places.get(label)
        if places is None:
            found.append(missing_column(len(frame)) if fill_value is None else broadcast(fill_value, len(frame)))
        else:
            found.extend(held[place] for place in places)
    return found


def missing_column(size: int) -> Any:
    """A column of which nothing is known: NaN."""
    return full(size, float("nan"))


def _check_joined_by_level(wanted: Any, index: Any) -> None:
    """As pandas: labels of a level, and those of which it is one, are there once."""
    if not wanted.is_unique:
        raise NotImplementedError("labels of a level repeat: give each once")
    if not index.is_unique:
        raise ValueError("cannot reindex on an axis with duplicate labels")


class Aligning:
    """Reindexing and aligning, of Series and frames."""

    __slots__ = ()

    def _to_index(self: Any, index: Any, method: str | None = None, fill_value: Any = None) -> Any:
        """The rows of some labels; missing, or a value, where a label is not here."""
        if index._same(self._index) and method is None:
            return self._with_index(index)
        rows = self._index._indexer(index) if method is None else self._index._nearest(index, method)
        return self._at_rows(rows, index, fill_value)

    def _at_rows(self: Any, rows: Any, index: object, fill_value: object = None) -> Any:
        """Rows under an index: missing, or a value, where their number is -1."""
        gone = gaps(rows)
        if gone is None or fill_value is None or fill_value != fill_value:
            return self._reindexed(rows, gone, index)
        if not len(self):
            return self._reindexed(rows, gone, index).fillna(fill_value)
        made = self._reindexed(where(gone, 0, rows), None, index)
        return made._each_column(lambda values: choose(gone, fitting(fill_value, values), values))

    def _by_level(self: Any, labels: object, level: Level) -> Any:
        """The rows with some labels of a level, in the order of these; those of the levels before it stay together."""
        index = self._index
        wanted = make_index(labels)
        _check_joined_by_level(wanted, index)
        at = wanted._indexer(index.get_level_values(level))
        before = index._labels_of_index[: index._level(level)]
        keys = [groupby(before if len(before) > 1 else before[0], dropna=False, sort=False).ngroup()] if before else []
        rows = flatnonzero(at >= 0)
        return self._take(rows[coargsort([key[rows] for key in [*keys, at]])])

    def align(
        self: Any, other: Any, join: str = "outer", axis: int | str | None = None, level: Level = None,
        copy: bool | None = None,
        fill_value: object = None,
    ) -> Any:  # fmt: skip
        """Two objects with one index, and frames with the same columns.

        Parameters
        ----------
        other : Series or DataFrame
            The other object.
        join : {'outer', 'inner', 'left', 'right'}, default 'outer'
            Which labels the result has: of either, of both, of this one, or of the other one.
        axis : {0 or 'index', 1 or 'columns'}, optional
            The axis whose labels are made the same; both unless given.
        level : int or label, optional
            The level of a MultiIndex, by place or name.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.
        fill_value : scalar, optional
            What stands in for a value that is missing on one side.

        Examples
        --------
        >>> import atoll as ak
        >>> a, b = ak.Series([1, 2], index=["x", "y"]).align(ak.Series([3], index=["y"]))
        >>> b
        x    NaN
        y    3.0
        dtype: float64
        """
        if level is not None:
            raise NotImplementedError("align by a level: reindex(level=) one of the two, or merge them")
        both = self.ndim == 2 and other.ndim == 2
        if self.ndim == 2 and not both and axis is None:
            raise ValueError("Must specify axis=0 or 1")
        across = self.ndim == 2 and axis is not None and as_axis(axis) == 1
        pair = [self, other]
        if across and not both:
            labels = align_labels(self._labels, labels_of(other._index), join)
            pair = [self._new(columns_for(self, labels), labels), other._to_index(labels.index())]
        elif not across:
            aligned = align_rows(self._index, other._index, join)
            sides = zip(pair, (aligned.left, aligned.right), strict=True)
            value = fill_value if both else None
            pair = [
                one._with_index(aligned.index) if rows is None else one._at_rows(rows, aligned.index, value)
                for one, rows in sides
            ]
        if both and (across or axis is None):
            labels = align_labels(self._labels, other._labels, join)
            pair = [one._new(columns_for(one, labels, fill_value), labels) for one in pair]
        if fill_value is not None and not both:  # beside a Series all that is missing, as in pandas
            pair = [one.fillna(fill_value) for one in pair]
        return tuple(pair)

    def equals(self: Any, other: Any) -> bool:
        """Whether another has the same labels, kinds and values, missing ones in the same places.

        Parameters
        ----------
        other : object
            What is compared.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.equals(s.copy())
        True
        """
        if type(other) is not type(self) or not self._index._same(other._index):
            return False
        if self.ndim == 1:
            pairs = [(self._values, other._values)]
        elif not self._labels.same(other._labels):
            return False
        else:
            pairs = list(zip(self._columns, other._columns, strict=True))
        return all(str(kind_of(a)) == str(kind_of(b)) and same_values(a, b) for a, b in pairs)

    def reindex_like(self: Any, other: Any, **options: object) -> Any:
        """The rows, and columns, of another.

        Parameters
        ----------
        other : Series or DataFrame
            Whose labels are taken.
        **options
            Those of `reindex`.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> index = ak.Index(["b", "a", "c"])
        >>> s.reindex_like(ak.Series([0, 0], index=["c", "z"]))
        c    2.0
        z    NaN
        dtype: float64
        """
        if self.ndim == 2:
            return self.reindex(index=other._index, columns=other._labels)
        return self.reindex(other._index)


class SeriesAligning(Aligning):
    """Reindexing of Series."""

    __slots__ = ()

    def reindex(
        self: Any, index: Any = None, *, method: str | None = None, fill_value: Any = None, **options: Any
    ) -> Any:
        """The values of some labels, in their order; missing where a label is not here.

        Parameters
        ----------
        index : array_like, optional
            Labels of the rows.
        method : {None, 'ffill', 'bfill', 'nearest'}
            What fills labels that are not here: a neighbour's values.
        fill_value : scalar, optional
            What fills labels that are not here; missing unless given.
        **options
            `level`, `limit`, `tolerance` and `copy`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 2], index=["a", "b"]).reindex(["b", "c"], fill_value=0)
        b    2
        c    0
        dtype: int64
        """
        if options.get("level") is not None and self._index.nlevels > 1:
            return self._by_level(index, options["level"])
        return self._to_index(index_like(self, index), method, fill_value)


class FrameAligning(Aligning):
    """Reindexing of frames."""

    __slots__ = ()

    def reindex(
        self: Any, labels: Any = None, *, index: Any = None, columns: Any = None, axis: Axes = None,
        method: object = None,
        fill_value: object = None, **options: object,
    ) -> Any:  # fmt: skip
        """The rows of some labels, and the columns of some, in their order; missing where one is not here.

        Parameters
        ----------
        labels : array_like, optional
            Labels of the axis `axis`.
        index : array_like, optional
            Labels of the rows.
        columns : array_like, optional
            Labels of the columns.
        axis : {0 or 'index', 1 or 'columns'}, optional
            Which labels `labels` are.
        method : {None, 'ffill', 'bfill', 'nearest'}
            What fills labels that are not here: a neighbour's values.
        fill_value : scalar, optional
            What fills labels that are not here; missing unless given.
        **options
            `level`, `limit`, `tolerance` and `copy`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.reindex([2, 0, 7], columns=["b"])
             b
        2  6.0
        0  4.0
        7  NaN
        """
        if labels is not None and axis in (1, "columns"):
            columns = labels
        elif labels is not None:
            index = labels
        made = self
        level = options.get("level")
        if columns is not None and level is not None and made._labels.nlevels > 1:
            every = range_index(len(made._labels))
            numbered = series(every._values, made._labels.index())._by_level(columns, level)
            made = made._at(numbered.to_list())
        elif columns is not None:
            wanted = labels_of(columns)
            if wanted is not made._labels and len(made._labels.places) < len(made._labels.values):
                raise ValueError("cannot reindex on an axis with duplicate labels")
            made = made._new(columns_for(made, wanted, fill_value), wanted)
        if index is not None and level is not None and made._index.nlevels > 1:
            return made._by_level(index, level)
        return made if index is None else made._to_index(index_like(made, index), method, fill_value)


def index_like(rows: Any, labels: object) -> Any:
    """Labels as an index; without a name of their own they take that of the rows' index."""
    if isinstance(labels, IndexCore):
        return labels
    made = make_index(labels)
    if made.nlevels == 1 and rows._index.nlevels == 1 and made.name is None:
        return made._renamed(rows._index.name)
    return made._named(rows._index.names) if made.nlevels == rows._index.nlevels else made
