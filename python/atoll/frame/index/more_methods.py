# SPDX-License-Identifier: Apache-2.0
"""Less frequent methods of Index and MultiIndex."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray
from ...arrays.repeating import repeat
from ...arrays.selection import flatnonzero
from ...columns.datetime.ticks import Ticks
from ...columns.joins.equal import join
from ..classes import CLASSES, series
from ..data.dtypes import kind_of
from ..data.values import choose, is_scalar, make
from ..select.times import last_at
from .base import IndexCore, make_index
from .sets import rows_in_order

if TYPE_CHECKING:
    from ...annotations import ArrayLike, ColumnType, Label, Level

_INFERRED = {"i": "integer", "u": "integer", "f": "floating", "b": "boolean", "c": "complex", "M": "datetime64"}


class IndexOthers(IndexCore):
    """Figures, lookups and replacements."""

    __slots__ = ()

    @property
    def T(self) -> Any:
        """The index itself: it has one axis."""
        return self

    def transpose(self, *args: object, **options: object) -> Any:
        """The index itself: it has one axis.

        Parameters
        ----------
        *args
            No effect, as NumPy passes them.
        **options
            No effect, as NumPy passes them.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.transpose()
        Index(['b', 'a', 'c'], dtype='str')
        """
        return self

    def ravel(self, order: str = "C") -> Any:
        """The index itself.

        Parameters
        ----------
        order : str, default 'C'
            No effect: there is one axis.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.ravel() is not None
        True
        """
        return self

    @property
    def inferred_type(self) -> str:
        """Kind of the labels: "integer", "floating", "string", "mixed", …"""
        if self.nlevels > 1:
            return "mixed"
        kind = kind_of(self._values)
        if str(kind) == "str":
            return "string"
        if str(kind) != "object":
            return _INFERRED.get(kind.kind, str(kind))
        held = [one for one in self.to_list() if one == one and one is not None]
        kinds = {type(one) for one in held}
        if kinds <= {str}:
            return "string" if held else "empty"
        names = {int: "integer", float: "floating", bool: "boolean"}
        if kinds <= {int, float} and len(kinds) > 1:
            return "mixed-integer-float"
        return (
            names.get(next(iter(kinds)), "mixed") if len(kinds) == 1 else "mixed-integer" if int in kinds else "mixed"
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the labels, on all PEs together."""
        if hasattr(self, "_range"):
            held = self._range
            return sum(map(sys.getsizeof, (held, held.start, held.stop, held.step)))
        return sum(int(column.nbytes) for column in self._labels_of_index)

    def memory_usage(self, deep: bool = False) -> int:
        """Bytes of the labels, on all PEs together.

        Parameters
        ----------
        deep : bool, default False
            No effect: strings are always counted with their bytes.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1.5, 2.5]).memory_usage()
        16
        """
        return self.nbytes

    def is_(self, other: object) -> bool:
        """Whether another is this very index, or a view of it.

        Parameters
        ----------
        other : object
            What is compared.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.is_(index.view())
        True
        """
        if self is other or not isinstance(other, IndexCore):
            return self is other
        if hasattr(self, "_range"):
            return self._range is getattr(other, "_range", None)
        return self._column is not None and self._column is other._column

    def infer_objects(self, copy: bool = True) -> Any:
        """Labels of objects in the kind that holds them all.

        Parameters
        ----------
        copy : bool, default True
            No effect, as in pandas 3.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 2], dtype=object).infer_objects()
        Index([1, 2], dtype='int64')
        """
        return self._with(make(self.to_list())) if str(self.dtype) == "object" and self.nlevels == 1 else self

    def to_flat_index(self) -> Any:
        """The index itself; of several levels, tuples.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.to_flat_index()
        Index(['b', 'a', 'c'], dtype='str')
        """
        return self

    # -- lookup --

    def get_slice_bound(self: Any, label: Label, side: str) -> int:
        """The row at which labels from (``left``) or up to (``right``) a label begin or end.

        Parameters
        ----------
        label : label
            The label.
        side : {'left', 'right'}
            Whether the row of the first such label is wanted, or the one behind the last.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 2, 2, 3]).get_slice_bound(2, "right")
        3
        """
        if side not in ("left", "right"):
            raise ValueError(f"Invalid value for side kwarg, must be either 'left' or 'right': {side}")
        found: int = self._bound(label, side)
        return found

    def get_indexer_non_unique(self, target: object) -> tuple[Any, Any]:
        """For each of some labels all of its rows, -1 where it is not here; and which of them are not.

        Parameters
        ----------
        target : array_like
            Labels that are looked up.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index(["a", "b", "a"]).get_indexer_non_unique(["a", "z"])
        (array([ 0,  2, -1]), array([1]))
        """
        wanted = make_index(target)
        try:
            found = join(wanted._labels_of_index, self._labels_of_index, "left")
        except TypeError:  # labels of another kind
            return np.full(wanted.size, -1), np.arange(wanted.size)
        assert found.right is not None
        return found.right.to_numpy(), found.left[found.right < 0].to_numpy()

    def asof(self: Any, label: Label) -> Any:
        """The last label at or before another; NaN where there is none.

        Parameters
        ----------
        label : label
            The label that is looked up.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 3, 5]).asof(4)
        np.int64(3)
        """
        if not self.is_monotonic_increasing:
            raise ValueError("index must be monotonic increasing or decreasing")
        row = int(last_at(self._values, make_index([label])._values)[0])
        return np.nan if row < 0 else self._label(row)

    def asof_locs(self: Any, where: object, mask: object) -> Any:
        """The row of the last label, among those of a mask, at or before each of others; -1 where there is none.

        Parameters
        ----------
        where : label or array_like
            Labels that are looked up.
        mask : array_like of bool
            Which labels count.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> ak.Index([1, 3, 5]).asof_locs(ak.Index([2, 6]), np.array([True, True, False]))
        array([0, 1])
        """
        rows = np.flatnonzero(np.asarray(mask))
        kept = self._take(asarray(rows))
        found = last_at(kept._values, make_index(where)._values).to_numpy()
        return np.where(found < 0, -1, rows[found] if rows.size else -1)

    # -- others --

    def groupby(self: Any, values: ArrayLike) -> dict[Any, Any]:
        """For each of some values, given row by row, the labels of its rows.

        Parameters
        ----------
        values : array_like
            The group of each row.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.groupby([0, 1, 0])
        {0: Index(['b', 'c'], dtype='str'), 1: Index(['a'], dtype='str')}
        """
        keys = CLASSES["Series"](make_index(values)._values)
        return {key: self._take(rows) for key, rows in keys.groupby(keys)._rows()}

    def putmask(self: Any, mask: object, value: object) -> Any:
        """The labels with others where a mask is true.

        Parameters
        ----------
        mask : array_like of bool
            Which labels are replaced.
        value : scalar or array_like
            The replacement.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.putmask([True, False, False], "z")
        Index(['z', 'a', 'c'], dtype='str')
        """
        other = value if is_scalar(value) else make_index(value)._values
        return self._with(choose(make(np.asarray(mask, dtype=bool)), other, self._values))

    def replace(self: Any, to_replace: Any, value: object = None, regex: Any = False) -> Any:
        """The labels with some of them replaced.

        Parameters
        ----------
        to_replace : scalar, list, dict or regular expression
            What is replaced; a dict has the replacements, or those of each column.
        value : scalar or list, optional
            The replacement.
        regex : bool or pattern, default False
            Whether strings are regular expressions; or the expression itself.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.replace("a", "z")
        Index(['b', 'z', 'c'], dtype='str')
        """
        return self._with(self.to_series().replace(to_replace, value, regex=regex)._values)

    def round(self: Any, decimals: Any = 0, **options: object) -> Any:
        """The labels rounded: numbers to decimals, datetimes and durations to a frequency.

        Parameters
        ----------
        decimals : int or str, default 0
            Decimals; of datetimes a frequency.
        **options
            `ambiguous` and `nonexistent` of datetimes, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1.26, 2.0]).round(1)
        Index([1.3, 2.0], dtype='float64')
        """
        values: Any = self._values
        if isinstance(values, Ticks):
            held: Any = values
            return self._with(held.round(decimals, **options))
        return self._with(self.to_series().round(decimals)._values)

    def diff(self: Any, periods: int = 1) -> Any:
        """Each label less the one some rows before.

        Parameters
        ----------
        periods : int, default 1
            How many rows before.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Index([1, 4, 9]).diff()
        Index([nan, 3.0, 5.0], dtype='float64')
        """
        return self._with(self.to_series().diff(periods)._values)

    def sortlevel(
        self: Any, level: Level = 0, ascending: Any = True, sort_remaining: bool = True, na_position: str = "first"
    ) -> tuple[Any, Any]:
        """The labels in order, first by one level, and their rows before.

        Parameters
        ----------
        level : int or label, default 0
            The level of a MultiIndex, by place or name.
        ascending : bool or list of bool, default True
            Whether the smallest comes first; a list has one for each key.
        sort_remaining : bool, default True
            Whether rows with equal labels of the level are sorted by the other levels.
        na_position : {'last', 'first'}, default 'first'
            Where missing values go.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> index.sortlevel()
        (Index(['a', 'b', 'c'], dtype='str'), array([1, 0, 2]))
        """
        if self.nlevels == 1:
            made, rows = self.sort_values(return_indexer=True, ascending=bool(ascending), na_position=na_position)
            return made, rows
        places = [self._level(one) for one in (level if isinstance(level, (list, tuple)) else [level])]
        rest = [place for place in range(self.nlevels) if place not in places] if sort_remaining else []
        frame = CLASSES["DataFrame"]({place: self._column[place] for place in [*places, *rest]})
        directions = list(ascending) if isinstance(ascending, (list, tuple)) else [ascending] * len(places)
        directions += [directions[0]] * len(rest)
        order = frame.sort_values([*places, *rest], ascending=directions, kind="stable", na_position=na_position)
        rows = order._index._values
        return self._take(rows), rows.to_numpy()


class MultiIndexOthers(IndexOthers):
    """The same of several levels."""

    __slots__ = ()

    @property
    def array(self: Any) -> Any:
        """The labels as tuples."""
        return self._values

    @property
    def dtypes(self: Any) -> Any:
        """The kind of each level: a Series."""
        names = [f"level_{place}" if one is None else one for place, one in enumerate(self._name)]
        return CLASSES["Series"]([kind_of(one) for one in self._column], index=names, dtype=object)

    def to_flat_index(self: Any) -> Any:
        """An index of the labels as tuples."""
        return CLASSES["Index"](self.to_list(), tupleize_cols=False)

    def to_series(self: Any, index: Any = None, name: str | None = None) -> Any:
        """A Series of the labels as tuples, with themselves as index."""
        return series(self._values, self if index is None else make_index(index), name)

    def map(self: Any, mapper: Any, na_action: str | None = None) -> Any:
        """Maps each label by a function, a dict or a Series."""
        table = mapper if callable(mapper) else dict(mapper.items()).get
        return make_index([table(one) for one in self.to_list()])

    def argsort(self: Any, *args: object, na_position: str = "last", **options: object) -> Any:
        """The rows in the order of their labels."""
        return self.sortlevel(0, na_position=na_position)[1]

    def min(self: Any, axis: int | str | None = None, skipna: bool = True) -> Any:
        """The first label in order."""
        return self._label(int(rows_in_order(self._column)[0]))

    def max(self: Any, axis: int | str | None = None, skipna: bool = True) -> Any:
        """The last label in order."""
        return self._label(int(rows_in_order(self._column)[self.size - 1]))

    def astype(self: Any, dtype: ColumnType, copy: bool = True) -> Any:
        """The index itself: labels are tuples, which are objects."""
        if str(dtype) not in ("object", "<class 'object'>", "category"):
            raise TypeError("Setting a MultiIndex dtype to anything other than object is not supported")
        return self

    def repeat(self: Any, repeats: Any, axis: int | str | None = None) -> Any:
        """Each label several times."""
        return self._take(repeat(arange(self.size), repeats))

    def drop(self: Any, codes: Any, level: object = None, errors: str = "raise") -> Any:
        """The labels without some: whole ones, or those that have some labels at a level."""
        if level is None:
            listed = codes if isinstance(codes, (list, IndexCore)) else [codes]
            held = listed.to_list() if isinstance(listed, IndexCore) else listed
            mask = np.zeros(self.size, dtype=bool)
            for one in held:
                try:
                    mask[self._rows_of(one).to_numpy()] = True
                except KeyError:
                    if errors != "ignore":
                        raise
            return self._take(flatnonzero(asarray(~mask)))
        values = self.get_level_values(level)
        wanted = [codes] if is_scalar(codes) else list(codes)
        lost = [one for one in wanted if one not in values]
        if lost and errors != "ignore":
            raise KeyError(f"labels {lost} not found in level")
        return self._take(flatnonzero(asarray(~values.isin(wanted))))

    def set_levels(self: Any, levels: Any, *, level: Level = None, verify_integrity: bool = True) -> Any:
        """The same codes with other labels of the levels."""
        places, tables = self._chosen(levels, level)
        columns = list(self._column)
        for place, table in zip(places, tables, strict=True):
            made = make_index(table)
            codes = self.codes[place]
            if codes.size and codes.max() >= made.size:
                raise ValueError(
                    f"On level {place}, code max ({codes.max()}) >= length of level ({made.size}). "
                    "NOTE: this index is in an inconsistent state"
                )
            columns[place] = coded(made._values, codes)
        return self._of(columns, self._name)

    def set_codes(self: Any, codes: Any, *, level: Level = None, verify_integrity: bool = True) -> Any:
        """The levels' labels chosen by other codes."""
        places, tables = self._chosen(codes, level)
        columns = list(self._column)
        for place, one in zip(places, tables, strict=True):
            columns[place] = coded(self.levels[place]._values, np.asarray(one))
        return self._of(columns, self._name)

    def _chosen(self: Any, held: Any, level: Level) -> tuple[list[int], list[Any]]:
        if level is None:
            return list(range(self.nlevels)), list(held)
        if isinstance(level, (list, tuple)):
            return [self._level(one) for one in level], list(held)
        return [self._level(level)], [held]

    def get_loc_level(self: Any, key: object, level: Level = 0, drop_level: bool = True) -> tuple[Any, Any]:
        """Where a label of a level is, and the labels there without that level."""
        if isinstance(key, (list, tuple)):
            keys = tuple(key)
            loc = self.get_loc(keys)
            if isinstance(loc, int):
                return loc, None
            rest = self[loc]
            return loc, rest.droplevel(list(range(len(keys)))) if drop_level else rest
        place = self._level(level)
        if place == 0:
            loc = self.get_loc(key)
            loc = slice(loc, loc + 1) if isinstance(loc, int) else loc
        else:
            values = self.get_level_values(place)
            loc = np.asarray(values == key)
            if not loc.any():
                raise KeyError(key)
        rest = self[loc]
        return loc, rest.droplevel(place) if drop_level else rest

    def get_locs(self: Any, seq: Any) -> Any:
        """The rows by a label, a list or a slice for each level."""
        from ..select.placement import _by_levels

        return _by_levels(self, tuple(seq)).to_numpy()

    def slice_indexer(self: Any, start: int | None = None, end: int | None = None, step: int | None = None) -> slice:
        """The rows at which labels from `start` to `end`, both included, begin and end, as a slice."""
        first, last = self.slice_locs(start, end)
        return slice(first, last, step)

    def truncate(self: Any, before: Any = None, after: Any = None) -> Any:
        """The labels whose first level lies between two."""
        return self[self.slice_indexer(before, after)]

    def equal_levels(self: Any, other: Any) -> bool:
        """Whether another has the same labels at each level."""
        return self.nlevels == other.nlevels and all(
            a.equals(b) for a, b in zip(self.levels, other.levels, strict=True)
        )

    def factorize(self: Any, sort: bool = False, use_na_sentinel: bool = True) -> Any:
        """For each label its number among the distinct ones, and these."""
        distinct = self._uniques()
        distinct = distinct._ordered() if sort else distinct
        return distinct._indexer(self).to_numpy(), distinct

    def nunique(self: Any, dropna: bool = True) -> int:
        """How many distinct labels there are."""
        return int(self._uniques().size)

    def value_counts(self: Any, **options: object) -> Any:
        """How often each label occurs: a Series."""
        counts = self.to_frame(index=False).value_counts(**options)
        return counts._with_index(counts._index._named(self._name))

    def view(self: Any, cls: Any = None) -> Any:
        """The index itself."""
        return self._of(self._column, self._name)

    def notna(self: Any) -> Any:
        """Refused, as in pandas: a label has several parts."""
        raise NotImplementedError("isna is not defined for MultiIndex")

    isnull = notnull = notna


def coded(values: Any, codes: np.ndarray[Any, Any]) -> Any:
    """The labels with these numbers; a missing one where a number is negative."""
    gone = codes < 0
    if values.size == 0:
        values = make([np.nan])
    made = values[asarray(np.where(gone, 0, codes))]
    return choose(asarray(gone), np.nan, made) if gone.any() else made
