# SPDX-License-Identifier: Apache-2.0
"""Indexes as sets: union, intersection, difference; appending, inserting and dropping labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.selection import flatnonzero
from ...arrays.sorting import coargsort
from ...columns.column import as_column
from ...columns.joins.equal import join
from ..classes import CLASSES
from ..data.values import join_rows, make
from .base import IndexCore, make_index
from .lookup import duplicated, is_increasing

if TYPE_CHECKING:
    from ...annotations import Level


def with_labels(index: Any, columns: list[Any], name: Any = None) -> Any:
    """An index of some columns of labels: of one, or of several levels."""
    if len(columns) > 1:
        return CLASSES["MultiIndex"]._of(columns, name if isinstance(name, list) else index.names)
    return index._with(columns[0])._renamed(index.name if name is None else name)


def rows_in_order(columns: list[Any]) -> Any:
    """Rows by the order of their labels, missing ones last."""
    keys = [as_column(column).ranks() for column in columns]
    return coargsort(keys)


def in_one_zone(*indexes: Any) -> tuple[Any, ...]:
    """Indexes of datetimes in UTC, where their time zones differ; others as they are."""
    zones = [getattr(one, "tz", None) for one in indexes]
    if None in zones or len(set(map(str, zones))) == 1:
        return indexes
    return tuple(one.tz_convert("UTC") for one in indexes)


class IndexSets(IndexCore):
    """Set operations."""

    __slots__ = ()

    def append(self, other: Any) -> Any:
        """The labels of this one and of others behind them.

        Parameters
        ----------
        other : Index or list of Index
            What comes behind.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.append(ak.Index(["z"]))
        Index(['b', 'a', 'c', 'z'], dtype='str')
        """
        others = [make_index(one) for one in (other if isinstance(other, (list, tuple)) else [other])]
        parts = [self, *others]
        levels = zip(*(part._labels_of_index for part in parts), strict=True)
        names = [name if all(name in part.names for part in parts) else None for name in self.names]
        return with_labels(self, [join_rows(level) for level in levels], names)._named(names)

    def _named(self, names: list[Any]) -> Any:
        return self._renamed(names[0])

    def _common_name(self, other: Any) -> list[Any]:
        return [a if a == b else None for a, b in zip(self.names, other.names, strict=True)]

    def union(self, other: Any, sort: Any = None) -> Any:
        """Labels of either, each once, in order unless `sort` is False.

        Parameters
        ----------
        other : Index or array_like
            The other labels.
        sort : {None, True, False}
            Whether the result is sorted; None: where its labels can be compared.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([3, 1]).union([2, 1])
        Index([1, 2, 3], dtype='int64')
        """
        self, other = in_one_zone(self, make_index(other))
        if self._same(other):
            return self
        if not (self.is_unique and other.is_unique):
            raise NotImplementedError("labels that repeat are in a union as often as in the index that has them most")
        both = self.append(other)._named(self._common_name(other))
        both = both[~duplicated(both._labels_of_index)]
        return both if sort is False else both._ordered()

    def _ordered(self) -> Any:
        if self.nlevels == 1 and is_increasing(self._values):
            return self
        try:
            return self._take(rows_in_order(self._labels_of_index))
        except TypeError:  # labels that do not compare stay where they are
            return self

    def intersection(self, other: object, sort: Any = False) -> Any:
        """Labels that both have, in this one's order unless `sort` is True.

        Parameters
        ----------
        other : Index or array_like
            The other labels.
        sort : {None, True, False}, default False
            Whether the result is sorted; None: where its labels can be compared.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.intersection(["c", "b", "z"])
        Index(['b', 'c'], dtype='str')
        """
        return self._kept(other, "semi", sort)

    def difference(self, other: object, sort: Any = None) -> Any:
        """Labels that only this one has, in order unless `sort` is False.

        Parameters
        ----------
        other : Index or array_like
            The other labels.
        sort : {None, True, False}
            Whether the result is sorted; None: where its labels can be compared.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.difference(["a"])
        Index(['b', 'c'], dtype='str')
        """
        kept = self._kept(other, "anti", False)
        return kept if sort is False else kept._ordered()

    def symmetric_difference(self, other: Any, result_name: Any = None, sort: Any = None) -> Any:
        """Labels that one of the two has.

        Parameters
        ----------
        other : Index or array_like
            The other labels.
        result_name : label, optional
            The name of the result.
        sort : {None, True, False}
            Whether the result is sorted; None: where its labels can be compared.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.symmetric_difference(["a", "z"])
        Index(['b', 'c', 'z'], dtype='str')
        """
        self, other = in_one_zone(self, make_index(other))
        made = self.difference(other, sort=False).append(other.difference(self, sort=False))
        made = made if sort is False else made._ordered()
        return made if result_name is None else made._renamed(result_name)

    def _kept(self, other: Any, how: str, sort: Any) -> Any:
        other = make_index(other)
        if how == "semi":  # labels of both
            self, other = in_one_zone(self, other)
        rows = join(self._labels_of_index, other._labels_of_index, how).left
        kept = self._take(rows)
        kept = kept[~duplicated(kept._labels_of_index)]._named(self._common_name(other))
        return kept._ordered() if sort else kept

    def insert(self, loc: int, item: object) -> Any:
        """The labels with one more at a place.

        Parameters
        ----------
        loc : int
            The place before which it goes.
        item : label
            The label.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.insert(1, "z")
        Index(['b', 'z', 'a', 'c'], dtype='str')
        """
        loc = loc + self.size if loc < 0 else loc
        one = make([item])
        return self._with(join_rows([self._values[:loc], one, self._values[loc:]]))

    def delete(self, loc: Any) -> Any:
        """The labels without those at some places.

        Parameters
        ----------
        loc : int or array_like of int
            The places.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.delete(0)
        Index(['a', 'c'], dtype='str')
        """
        keep = np.delete(np.arange(self.size), loc)
        return self._take(asarray(keep))

    def drop(self, labels: Any, errors: str = "raise") -> Any:
        """The labels without some. KeyError when one is not here.

        Parameters
        ----------
        labels : label or array_like
            The labels.
        errors : {'raise', 'ignore'}, default 'raise'
            Whether labels that do not exist are a KeyError, or are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.drop("a")
        Index(['b', 'c'], dtype='str')
        """
        labels = [labels] if isinstance(labels, (str, int, float)) else labels
        wanted = make_index(labels)
        found = join(wanted._labels_of_index, self._labels_of_index, "anti").left
        if found.size and errors != "ignore":
            raise KeyError(f"{wanted._take(found).to_list()} not found in axis")
        return self._take(join(self._labels_of_index, wanted._labels_of_index, "anti").left)

    def equals(self, other: object) -> bool:
        """Whether another has the same labels in the same order.

        Parameters
        ----------
        other : object
            What is compared.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.equals(ak.Index(["b", "a", "c"]))
        True
        """
        return isinstance(other, IndexCore) and self._same(other)

    def identical(self, other: Any) -> bool:
        """Whether it has the same names, too.

        Parameters
        ----------
        other : object
            What is compared.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.identical(index.rename("letter"))
        False
        """
        return self.equals(other) and self.names == other.names and str(self.dtype) == str(other.dtype)

    def duplicated(self, keep: str | bool = "first") -> Any:
        """Which labels repeat others: a NumPy array of bools.

        Parameters
        ----------
        keep : {'first', 'last', False}, default 'first'
            Which of equal ones is kept; False: none.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 1, 2]).duplicated()
        array([False,  True, False])
        """
        return duplicated(self._labels_of_index, keep).to_numpy()

    def drop_duplicates(self, *, keep: str | bool = "first") -> Any:
        """Each label once.

        Parameters
        ----------
        keep : {'first', 'last', False}, default 'first'
            Which of equal ones is kept; False: none.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 1, 2]).drop_duplicates()
        Index([1, 2], dtype='int64')
        """
        return self._take(flatnonzero(~duplicated(self._labels_of_index, keep)))

    def unique(self: Any, level: Level = None) -> Any:
        """Each label once, in order of the first rows.

        Parameters
        ----------
        level : int or label, optional
            The level; all unless given.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([2, 1, 2]).unique()
        Index([2, 1], dtype='int64')
        """
        return self.drop_duplicates() if level is None else self.get_level_values(level).drop_duplicates()

    def reindex(self: Any, target: Any, method: str | None = None) -> tuple[Any, Any]:
        """Another index, and where its labels are in this one.

        Parameters
        ----------
        target : array_like
            The labels that are wanted.
        method : str, optional
            As in `get_indexer`.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.reindex(["c", "z"])
        (Index(['c', 'z'], dtype='str'), array([ 2, -1]))
        """
        target = make_index(target)
        return target, self.get_indexer(target, method)

    def join(self, other: Any, *, how: str = "left", sort: bool = False) -> Any:
        """Labels as a join of rows by them would have.

        Parameters
        ----------
        other : Index
            The other labels.
        how : {'left', 'right', 'inner', 'outer'}, default 'left'
            Which labels the result has.
        sort : bool, default False
            Whether the result is sorted.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.join(ak.Index(["c", "z"]), how="inner")
        Index(['c'], dtype='str')
        """
        self, other = in_one_zone(self, make_index(other))
        made = {"left": self, "right": other}.get(how)
        if made is None:
            made = self.union(other) if how == "outer" else self.intersection(other)
        return made._ordered() if sort else made
