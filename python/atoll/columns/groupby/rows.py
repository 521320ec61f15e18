# SPDX-License-Identifier: Apache-2.0
"""Row-wise results of groups: positions, cumulative aggregates, shifts, windows."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, full
from ...arrays.histograms import bincount
from ...arrays.selection import flatnonzero, take
from ...arrays.sorting import coargsort
from ..column import Column
from ..functions.functions import where
from ..functions.ranks import rank_of
from ..window.cumulative import cumulate, difference, filling_rows, ratio, shifted_rows, take_or_missing, valid_rows
from ..window.windows import EwmWindows, Frame, Rows, Windows, rolling_frame
from .aggregates import FiguresByGroup

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

#: What `transform` computes for each row by itself.
OF_ROWS = (
    "cumsum", "cumprod", "cummin", "cummax", "rank", "shift", "diff", "pct_change", "ffill", "bfill",
)  # fmt: skip


class RowsByGroup(FiguresByGroup):
    """An element for each row; missing, or NaN, in rows that are in no group."""

    __slots__ = ()

    # -- places --

    def cumcount(self, ascending: bool = True) -> ndarray:
        """For each row how many rows of its group come before it, or after it: int64; -1 of rows in no group.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([7, 5, 7, 7])).cumcount()
        array([0, 0, 1, 2])
        """
        places = self._places()
        return self._to_rows(places if ascending else take(self.size(), self._ngroup()) - 1 - places, -1)

    def unique(self, values: ArrayLike) -> Any:
        """The distinct values of each group in order of their first rows: a column of lists, without missing ones.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([2, 1, 2, 2])).unique(ak.array([7, 8, 5, 7]))
        lists([[8], [7, 5]])
        """
        from ..nested.lists import lists_of
        from ..nested.ragged import Ragged

        column = self._column(values)
        groups = self.ngroup()
        there = groups >= 0 if not isinstance(column, Column) else (groups >= 0) & column.notna()
        rows = flatnonzero(there)
        own = take(groups, rows)
        held = column.take(rows)._like_valid() if isinstance(column, Column) else take(column, rows)
        pairs = type(self)([own, held])
        group, first = pairs.keys[0], pairs.first(arange(rows.size))
        order = coargsort([group, first])
        first = take(first, order)
        child = held.take(first) if isinstance(held, Column) else take(held, first)
        return lists_of(Ragged.of_lengths(asarray(bincount(group, minlength=self.ngroups)), child))

    def head(self, n: int = 5) -> ndarray:
        """Rows that are among the first `n` of their group, ascending: int64."""
        place = self.cumcount()
        return flatnonzero((place >= 0) & (place < n))

    def tail(self, n: int = 5) -> ndarray:
        """Rows that are among the last `n` of their group, ascending: int64."""
        place, sizes = self.cumcount(), self._to_rows(take(self.size(), self._ngroup()), 0)
        return flatnonzero((place >= 0) & (sizes - place <= n))

    def filter(self, chosen: Any) -> ndarray:
        """Rows of the groups for which `chosen`, a bool per group, is true, ascending: int64.

        Examples
        --------
        >>> import atoll as ak
        >>> g = ak.groupby(ak.array([7, 5, 7]))
        >>> g.filter(g.size() > 1)
        array([0, 2])
        """
        mask: Any = asarray(chosen)
        mask = mask.fillna(False) if isinstance(mask, Column) else mask
        if mask.shape != (self.ngroups,) or mask.dtype != np.bool_:
            raise ValueError(
                f"filter needs a bool per group, ({self.ngroups},), got {mask.dtype} of shape {mask.shape}"
            )
        return self._in_all(flatnonzero(take(mask, self._ngroup())))

    def rank(
        self,
        values: ArrayLike,
        method: str = "average",
        ascending: bool = True,
        na_option: str = "keep",
        pct: bool = False,
    ) -> ndarray:
        """The place of each value in the order of its group, from 1 on: float64. See `ak.rank`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([7, 5, 7])).rank(ak.array([3.0, 9.0, 1.0]))
        array([2., 1., 1.])
        """
        column = self._column(values)
        ranks = rank_of(column, self._ngroup(), self.ngroups, method, ascending, na_option, pct)
        return self._in_all_rows(ranks)

    # -- running aggregates --

    def cumsum(self, values: ArrayLike, skipna: bool = True) -> Any:
        """Sum of the group's values up to each row; missing where a value is, or NaN.

        With `skipna` later rows pass over those; without, all later ones are missing, too. Integers wrap, as int64 or
        uint64; floats keep their type. So do `cumprod`, `cummin` and `cummax`, of which the last two keep any type.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([7, 5, 7, 7])).cumsum(ak.array([1, 2, 3, 4]))
        array([1, 2, 4, 8])
        """
        return self._running("sum", values, skipna)

    def cumprod(self, values: ArrayLike, skipna: bool = True) -> Any:
        """Product of the group's values up to each row."""
        return self._running("prod", values, skipna)

    def cummin(self, values: ArrayLike, skipna: bool = True) -> Any:
        """The group's smallest value up to each row."""
        return self._running("min", values, skipna)

    def cummax(self, values: ArrayLike, skipna: bool = True) -> Any:
        """The group's largest value up to each row."""
        return self._running("max", values, skipna)

    def _running(self, kind: str, values: ArrayLike, skipna: bool) -> Any:
        column = self._column(values)
        groups = self._in_groups()
        return self._in_all_rows(groups.back(cumulate(groups.forth(column), kind, groups.firsts, skipna)))

    # -- neighbours --

    def shift(self, values: ArrayLike, periods: int = 1, fill_value: ArrayLike = None) -> Any:
        """The value `periods` rows of the group before each row; ahead when negative. See `ak.shift`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([7, 5, 7])).shift(ak.array([1.0, 2.0, 3.0]))
        array([nan, nan,  1.])
        """
        return self._in_all_rows(self._shifted(self._column(values), periods, fill_value))

    def diff(self, values: Any, periods: int = 1) -> Any:
        """Difference of each value and the one `periods` rows before it in the group. See `ak.change`."""
        column = self._column(values)
        return self._in_all_rows(difference(column, self._shifted(column, periods, None)))

    def pct_change(self, values: Any, periods: int = 1) -> Any:
        """By what part each value is more than that `periods` rows of the group before. See `ak.pct_change`."""
        column = self._column(values)
        return self._in_all_rows(ratio(column, self._shifted(column, periods, None)))

    def ffill(self, values: Any, limit: int | None = None) -> Any:
        """The group's last value that is not missing in place of missing ones, and of NaN. See `ak.ffill`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([7, 5, 7])).ffill(ak.array(["a", None, None]))
        strings(['a', None, 'a'])
        """
        return self._filled(values, limit, forward=True)

    def bfill(self, values: ArrayLike, limit: int | None = None) -> Any:
        """The group's next value that is not missing in place of missing ones, and of NaN."""
        return self._filled(values, limit, forward=False)

    def _filled(self, values: ArrayLike, limit: int | None, *, forward: bool) -> Any:
        column = self._column(values)
        groups = self._in_groups()
        valid = valid_rows(column)
        places = filling_rows(None if valid is None else groups.forth(valid), limit, groups.segments, forward=forward)
        return self._in_all_rows(column if places is None else take_or_missing(column, groups.rows(places)))

    def _shifted(self, column: Any, periods: int, fill_value: ArrayLike) -> Any:
        groups = self._in_groups()
        places = shifted_rows(column.size, operator.index(periods), groups.segments)
        if fill_value is not None:
            return _shifted_or(column, groups.rows(places), fill_value)
        if isinstance(column, Column):
            return take_or_missing(column, groups.rows(places))
        return groups.back(take_or_missing(groups.forth(column), places))

    # -- windows --

    def rolling(
        self, values: ArrayLike, window: Any, min_periods: int | None = None, center: bool = False,
        closed: str | None = None,
        on: object = None,
    ) -> Windows:  # fmt: skip
        """Windows over the rows of the group before each row, and itself. See `ak.rolling`.

        Aggregates are in order of rows, not of groups.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([7, 5, 7])).rolling(ak.array([1.0, 2.0, 3.0]), 2, min_periods=1).sum()
        array([1., 2., 4.])
        """
        rows = self._window_rows()
        return Windows(self._whole(values), rows, rolling_frame(window, min_periods, center, closed, None, on, rows))

    def expanding(self, values: ArrayLike, min_periods: int = 1) -> Windows:
        """Windows over all rows of the group up to each row. See `ak.expanding`."""
        return Windows(self._whole(values), self._window_rows(), Frame("expanding", min_periods=min_periods))

    def ewm(
        self, values: ArrayLike, com: float | None = None, span: float | None = None, halflife: Any = None,
        alpha: float | None = None, min_periods: int = 0, adjust: bool = True, ignore_na: bool = False,
        times: Any = None,
    ) -> EwmWindows:  # fmt: skip
        """Windows over the rows of the group up to each row, with weights that decay. See `ak.ewm`."""
        rows = self._window_rows()
        return EwmWindows(self._whole(values), rows, com, span, halflife, alpha, min_periods, adjust, ignore_na, times)

    def _window_rows(self) -> Rows:
        groups, rows = self._in_groups(), self._plain.rows

        def forth(column: ndarray) -> ndarray:
            ordered: ndarray = groups.forth(column if rows is None else take(column, rows))
            return ordered

        def back(figures: ndarray) -> ndarray:
            spread: ndarray = self._in_all_rows(groups.back(figures))
            return spread

        return Rows(self._rows, groups.segments, forth, back)

    def _whole(self, values: ArrayLike) -> Any:
        column: Any = asarray(values)
        if column.shape != (self._rows,):
            raise ValueError(f"values must have the shape of the keys, {(self._rows,)}, got {column.shape}")
        return column

    # -- any of them --

    def transform(self, values: ArrayLike, figure: str, **options: object) -> Any:
        """For each row an aggregate of its group, by name, or a function of ordered rows (`cumsum`, `rank`, `shift` …).

        Examples
        --------
        >>> import atoll as ak
        >>> g = ak.groupby(ak.array([7, 5, 7]))
        >>> g.transform(ak.array([1.0, 2.0, 3.0]), "mean")
        array([2., 2., 2.])
        >>> g.transform(ak.array([1.0, 2.0, 3.0]), "cumsum")
        array([1., 2., 4.])
        """
        if figure in OF_ROWS:
            return getattr(self, figure)(values, **options)
        return self.broadcast(self.figure(values, figure, **options))

    # -- back to all rows --

    def _in_all_rows(self, figures: Any) -> Any:
        """From the rows that are in a group to all: missing elsewhere."""
        if self._plain.rows is None:
            return figures
        places = full(self._rows, -1, dtype=np.int64)
        places[self._plain.rows] = arange(self._plain.rows.size)
        return take_or_missing(figures, places)


def _shifted_or(column: Any, rows: ndarray, value: Any) -> Any:
    if column.size == 0:
        return column
    there = where(rows < 0, 0, rows)
    return where(rows < 0, value, column.take(there) if isinstance(column, Column) else take(column, there))
