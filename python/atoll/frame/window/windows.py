# SPDX-License-Identifier: Apache-2.0
"""Operations on rows in order: shifts, differences, cumulative aggregates, ranks, windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.creation import arange
from ...arrays.joining import stack
from ...arrays.ndarray import ndarray
from ...arrays.ufuncs import isinf
from ...columns.column import Column
from ...columns.datetime.frequency import frequency
from ...columns.datetime.offsets import applied
from ...columns.functions.functions import where
from ...columns.functions.ranks import rank
from ...columns.window import cumulative as running
from ...columns.window import windows
from ...columns.window.bounded import BoundedWindows
from ...columns.window.cumulative import column_or_values
from ...columns.window.weighted import WeightedWindows
from ...extras import module
from ..classes import CLASSES, frame, is_frame, series
from ..combine.align import missing_column
from ..combine.concat import concat
from ..core import as_axis, is_numeric
from ..data.column_labels import Labels, labels_of
from ..data.dtypes import kind_of
from ..data.values import settle, take
from ..own.elements import called, of_each
from .across_columns import changed, cumulated, grown, ranked, shifted


def as_numbers(values: Any) -> Any:
    """Numbers in the types of pandas' cumulative aggregates: bools become integers."""
    return values.astype(np.int64) if isinstance(values, ndarray) and values.dtype.kind == "b" else values


def _finite(values: Any) -> Any:
    """Values with NaN in place of infinite ones, which are missing to windows, as in pandas."""
    held = values.values if type(values) is Column else values
    if held.dtype.kind != "f" or not bool(isinf(held).any()):
        return values
    return where(isinf(values), np.nan, values)


def as_before(made: Any, values: object) -> Any:
    """The result of a running operation in pandas' types: floats where integers got missing values."""
    if isinstance(values, ndarray) and not isinstance(made, ndarray) and made.values.dtype.kind in "iuf":
        return settle(made.astype(np.float64))
    return settle(made)


def difference_of_rows(column: Any, periods: int) -> Any:
    """Each value less the one `periods` rows before. Of bools: whether the two differ, as in pandas."""
    if (isinstance(column, ndarray) or type(column) is Column) and column.dtype.kind == "b":
        return settle(column_or_values(column) ^ running.shift(column, periods))
    return as_before(running.change(as_numbers(column), periods), column)


def _shifted_by_several(of: Any, periods: list[int], freq: Any, fill_value: Any, suffix: Any) -> Any:
    """The columns shifted by each of some numbers of rows, side by side."""
    end = "" if suffix is None else f"{suffix}"
    whole = of.to_frame() if of.ndim == 1 else of
    made = [whole.shift(by, freq, fill_value=fill_value).add_suffix(f"{end}_{by}", axis=1) for by in periods]
    return concat(made, axis=1)


def _bounded(of: Any, indexer: Any, min_periods: Any, center: bool, closed: str, step: Any) -> Windowed:
    """Windows that a pandas.api.indexers.BaseIndexer says."""
    least = indexer.window_size if min_periods is None else min_periods
    begins, ends = indexer.get_window_bounds(len(of), min_periods, center, closed, step)
    rows = len(range(0, len(of), step or 1))
    if len(begins) != rows:
        raise ValueError(f"start and end bounds are of {len(begins)} windows, and there are {rows} rows")
    return Windowed(of, lambda one: BoundedWindows(as_numbers(one), begins, ends, least), None, step)


def _weighted(
    of: object, window: object, min_periods: int | None, center: bool, win_type: Any, step: int | None
) -> Windowed:
    """Windows with weights that scipy.signal.windows makes."""
    if not isinstance(window, int) or window < 0:
        raise ValueError("window must be an integer 0 or greater")
    if not isinstance(win_type, str):
        raise ValueError(f"Invalid win_type {win_type}")
    shapes = module("scipy.signal.windows", "a win_type")
    if not hasattr(shapes, win_type):
        raise ValueError(f"Invalid win_type {win_type}")
    shape = getattr(shapes, win_type)

    def weights(**options: object) -> Any:
        return shape(window, **options)

    def each(one: Any) -> Any:
        return WeightedWindows(windows.rolling(as_numbers(one), window, min_periods, center, None, step), weights)

    return Windowed(of, each, None, step)


class Running:
    """Operations that depend on the order of rows."""

    __slots__ = ()

    def shift(
        self: Any,
        periods: Any = 1,
        freq: Any = None,
        axis: int | str | None = 0,
        fill_value: Any = None,
        suffix: Any = None,
    ) -> Any:
        """Each row's values some rows later; missing where there was none.

        Parameters
        ----------
        periods : int or sequence of int, default 1
            How many rows; negative: in the other direction; several make several columns.
        freq : str or DateOffset, optional
            A length of time, as ``'h'`` or ``'D'``.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether values move down the rows (0) or across the columns (1).
        fill_value : scalar, optional
            What stands where there was no row; missing unless given.
        suffix : str, optional
            What is put behind the labels of columns, for several `periods`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 2, 3]).shift().to_list()
        [nan, 1.0, 2.0]
        """
        if not isinstance(periods, (int, np.integer, str)):
            return _shifted_by_several(self, list(periods), freq, fill_value, suffix)
        periods = int(periods)
        if freq == "infer":
            freq = self._index.freqstr or self._index.inferred_freq
            if freq is None:
                raise ValueError("Freq was not set in the index hence cannot be inferred")
        if freq is not None:
            steps = frequency(freq).times(periods) if isinstance(freq, str) else None
            labels = self._index._values
            moved = self._index._with(labels + periods * freq if steps is None else applied(labels, steps))
            known = getattr(self._index, "freqstr", None)
            return self._with_index(moved if known is None or not moved.size else moved._stepping(known))
        if self.ndim == 2 and as_axis(axis) == 1:
            return shifted(self, periods, fill_value)
        return self._each_column(lambda one: as_before(running.shift(one, periods, fill_value), one))

    def diff(self: Any, periods: int = 1, axis: int | str | None = 0) -> Any:
        """Each value less the one some rows before.

        Parameters
        ----------
        periods : int, default 1
            How many rows; negative: in the other direction.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether rows (0) or columns (1) are subtracted.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.diff()
        a    NaN
        b   -2.0
        c    1.0
        dtype: float64
        """
        if self.ndim == 2 and as_axis(axis) == 1:
            return changed(self, periods)
        return self._each_column(lambda one: difference_of_rows(one, periods))

    def pct_change(self: Any, periods: int = 1, fill_method: Any = None, freq: object = None, **options: Any) -> Any:
        """By which part each value has grown since some rows before.

        Parameters
        ----------
        periods : int, default 1
            How many rows; negative: in the other direction.
        fill_method : None
            Not supported, as in pandas 3.
        freq : str or DateOffset, optional
            A length of time, as ``'h'`` or ``'D'``.
        **options
            `axis`, as in `shift`.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.pct_change()
        a         NaN
        b   -0.666667
        c    1.000000
        dtype: float64
        """
        if self.ndim == 2 and as_axis(options.get("axis", 0)) == 1:
            return grown(self, periods)
        return self._each_column(lambda one: as_before(running.pct_change(one, periods), one))

    def cumsum(self: Any, axis: int | str | None = 0, skipna: bool = True, *args: object, **kwargs: object) -> Any:
        """Running sums.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows; 1: across the columns.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.
        *args
            No effect, as NumPy passes them.
        **kwargs
            No effect, as NumPy passes them.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.cumsum()
        a    3
        b    4
        c    6
        dtype: int64
        """
        return self._cumulated("sum", skipna, axis)

    def cumprod(self: Any, axis: int | str | None = 0, skipna: bool = True, *args: object, **kwargs: object) -> Any:
        """Running products.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows; 1: across the columns.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.
        *args
            No effect, as NumPy passes them.
        **kwargs
            No effect, as NumPy passes them.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.cumprod()
        a    3
        b    3
        c    6
        dtype: int64
        """
        return self._cumulated("prod", skipna, axis)

    def cummin(self: Any, axis: int | str | None = 0, skipna: bool = True, *args: object, **kwargs: object) -> Any:
        """Smallest values so far.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows; 1: across the columns.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.
        *args
            No effect, as NumPy passes them.
        **kwargs
            No effect, as NumPy passes them.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.cummin()
        a    3
        b    1
        c    1
        dtype: int64
        """
        return self._cumulated("min", skipna, axis)

    def cummax(self: Any, axis: int | str | None = 0, skipna: bool = True, *args: object, **kwargs: object) -> Any:
        """Largest values so far.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows; 1: across the columns.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.
        *args
            No effect, as NumPy passes them.
        **kwargs
            No effect, as NumPy passes them.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.cummax()
        a    3
        b    3
        c    3
        dtype: int64
        """
        return self._cumulated("max", skipna, axis)

    def _cumulated(self: Any, kind: str, skipna: bool, axis: int | str | None = 0) -> Any:
        if self.ndim == 2 and as_axis(axis) == 1:
            return cumulated(self, kind, skipna)
        return self._each_column(lambda one: settle(running.cumulate(one, kind, None, skipna)))

    def rank(
        self: Any, axis: int | str | None = 0, method: str = "average", numeric_only: bool = False,
        na_option: str = "keep",
        ascending: bool = True, pct: bool = False,
    ) -> Any:  # fmt: skip
        """The place of each value in their order, from 1 on.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether values are ranked within columns (0) or rows (1).
        method : {'average', 'min', 'max', 'first', 'dense'}, default 'average'
            What equal values get.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.
        na_option : {'keep', 'top', 'bottom'}, default 'keep'
            What missing values get: no rank, the smallest ones, the largest ones.
        ascending : bool or list of bool, default True
            Whether the smallest comes first; a list has one for each key.
        pct : bool, default False
            Whether ranks are shares of the number of values.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rank()
        a    3.0
        b    1.0
        c    2.0
        dtype: float64
        """
        made = self
        if numeric_only and self.ndim == 2:
            made = self._at([place for place, one in enumerate(self._columns) if is_numeric(one)])
        if as_axis(axis) == 1 and self.ndim == 2:
            return ranked(made, method, na_option, ascending, pct)
        return made._each_column(lambda one: rank(one, method, ascending, na_option, pct))

    def rolling(
        self: Any, window: Any, min_periods: Any = None, center: bool = False, win_type: Any = None, on: object = None,
        closed: Any = None, step: Any = None, method: str = "single",
    ) -> Any:  # fmt: skip
        """Windows over the rows before each row: by count, by time, or as an indexer of pandas says.

        With `win_type`, a name in scipy.signal.windows, `sum`, `mean`, `var` and `std` are weighted, and take what
        makes that window, as ``std=3`` for "gaussian".

        Parameters
        ----------
        window : int, str, timedelta or indexer
            Rows of a window, or a length of time.
        min_periods : int, optional
            Values that are needed for a result; those of a whole window unless given.
        center : bool, default False
            Whether a window has its row in the middle.
        win_type : str, optional
            The weights of a window's rows, as SciPy names them; None: all the same.
        on : label, optional
            The column that takes the place of the index.
        closed : {'right', 'left', 'both', 'neither'}, optional
            Which ends belong to the interval.
        step : int, optional
            Each how many rows a window ends.
        method : {'single', 'table'}, default 'single'
            Whether columns are looked at one by one; 'table' is pandas' own work.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1.0, 3.0, 2.0]).rolling(2).mean().to_list()
        [nan, 2.0, 2.5]
        """
        if hasattr(window, "get_window_bounds"):
            return _bounded(self, window, min_periods, center, closed, step)
        if win_type is not None:
            return _weighted(self, window, min_periods, center, win_type, step)
        times = None
        if on is not None:
            times = self._column(on)
        elif not isinstance(window, int):
            times = self._index._values
        return Windowed(
            self,
            lambda one: windows.rolling(as_numbers(one), window, min_periods, center, closed, step, times),
            on,
            step,
        )

    def expanding(self: Any, min_periods: int = 1, method: str = "single") -> Any:
        """Windows over all rows up to each row.

        Parameters
        ----------
        min_periods : int, default 1
            Values that are needed for a result; with fewer it is missing.
        method : {'single', 'table'}, default 'single'
            Whether columns are looked at one by one; 'table' is pandas' own work.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.expanding().sum()
        a    3.0
        b    4.0
        c    6.0
        dtype: float64
        """
        return Windowed(self, lambda one: windows.expanding(as_numbers(one), min_periods))

    def ewm(
        self: Any, com: Any = None, span: Any = None, halflife: Any = None, alpha: Any = None,
        min_periods: int | None = 0,
        adjust: bool = True, ignore_na: bool = False, times: object = None, **options: object,
    ) -> Any:  # fmt: skip
        """All rows up to each row, with weights that decay exponentially.

        Parameters
        ----------
        com : float, optional
            The decay by the centre of mass.
        span : float, optional
            The decay by the span.
        halflife : float or timedelta, optional
            The decay by the distance at which a weight is halved.
        alpha : float, optional
            The decay itself, between 0 and 1.
        min_periods : int, default 0
            Values that are needed for a result; with fewer it is missing.
        adjust : bool, default True
            Whether the first weights are corrected for the rows that are not there.
        ignore_na : bool, default False
            Whether missing values take no place in the decay.
        times : array_like of datetime, optional
            Times of the rows, which `halflife` refers to.
        **options
            `method`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.ewm(alpha=0.5).mean()
        a    3.000000
        b    1.666667
        c    1.857143
        dtype: float64
        """
        times = getattr(times, "_values", times)
        return Windowed(
            self,
            lambda one: windows.ewm(
                as_numbers(one), com, span, halflife, alpha, min_periods or 0, adjust, ignore_na, times
            ),
        )


class Windowed:
    """Windows of a Series, or of each column of a frame; `rolling`, `expanding` and `ewm` make it."""

    def __init__(self, of: Any, windows_of: Callable[[Any], Any], on: Any = None, step: Any = None) -> None:
        self._of, self._windows, self._on, self._step = of, windows_of, on, step

    def __getitem__(self, key: Any) -> Windowed:
        return Windowed(self._of[key], self._windows, None, self._step)

    def _index(self) -> Any:
        return self._of._index if self._step is None else self._of._index._cut(slice(None, None, self._step))

    def _made(self, figure: Callable[[Any], Any], finite: bool = True) -> Any:
        """An aggregate of each column's windows; `finite`: of its finite values."""
        of = self._of

        def windows_of(one: Any) -> Any:
            return self._windows(_finite(one) if finite else one)

        if of.ndim == 1:
            if not is_numeric(of._values):
                raise TypeError(f"No numeric types to aggregate: dtype {kind_of(of._values)}")
            return series(settle(figure(windows_of(of._values))), self._index(), of._name)
        held = []
        for label, one in zip(of._labels.values, of._columns, strict=True):
            if label == self._on and self._on is not None:
                held.append(one)
            elif not is_numeric(one):
                raise TypeError(f"Cannot aggregate non-numeric type: {kind_of(one)}")
            else:
                held.append(settle(figure(windows_of(one))))
        return frame(held, of._labels, self._index())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._of.ndim == 2 and name in self._of._labels.places:
            return self[name]

        def method(*args: object, numeric_only: bool = False, **options: object) -> Any:
            options.pop("engine", None)
            return self._made(lambda one: getattr(one, name)(*args, **options), finite=name != "count")

        return method

    def apply(self, func: Callable[..., Any], raw: bool = False, **options: object) -> Any:
        """A function of each window's values.

        Parameters
        ----------
        func : callable or str
            The function, or the name of a method.
        raw : bool, default False
            Whether `func` is given NumPy arrays instead of Series.
        **options
            `engine`, `engine_kwargs`, `args` and `kwargs`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rolling(2).apply(lambda values: values.max() - values.min())
        a    NaN
        b    2.0
        c    1.0
        dtype: float64
        """
        kind = CLASSES["Series"]

        def alone(row: Any) -> Any:
            return func(row if raw else kind(row))

        def each(windows: Any, inside: Any, least: int) -> Any:
            rows: Any = np.asarray(windows)
            made = np.full(len(rows), np.nan)
            places = np.flatnonzero((~np.isnan(rows)).sum(axis=1) >= least)
            rows, there = rows[places], np.asarray(inside)[places]
            if not there.all():
                rows = [row[known] for row, known in zip(rows, there, strict=True)]
            made[places] = called(of_each(lambda begin, end: rows[begin:end], alone), len(rows), func)
            return made

        return self._made(lambda one: one.each(alone) if isinstance(one, BoundedWindows) else one.applied(each))

    def _paired(self, name: str, other: Any, options: dict[str, Any]) -> Any:
        pairwise = options.pop("pairwise", None)
        if options.pop("numeric_only", False) and self._of.ndim == 2:
            held = [
                label
                for label, one in zip(self._of._labels.values, self._of._columns, strict=True)
                if is_numeric(one, False)
            ]
            return self[held]._paired(name, other, {"pairwise": pairwise, **options})
        if self._of.ndim == 2 and (is_frame(other) or other is None):
            if pairwise or (pairwise is None and other is None):
                return self._matrices(name, self._of if other is None else other, options)
            return self._of_same_labels(name, self._of if other is None else other, options)
        if is_frame(other):
            held_by_label = [getattr(self, name)(other[label], **options)._values for label in other._labels.values]
            return frame(held_by_label, other._labels, self._index())
        other = self._of if other is None else other
        values = other._values if other._index._same(self._of._index) else other._to_index(self._of._index)._values
        values = _finite(values) if is_numeric(values) else values
        made = self._made(lambda one: getattr(one, name)(values, **options))
        return made if self._of.ndim == 2 or other._name == self._of._name else made.rename(None)

    def _of_same_labels(self, name: str, other: Any, options: dict[str, Any]) -> Any:
        """A figure of each column and another frame's column of the same label; missing where one frame has none."""
        own, labels = self._of._labels, self._of._labels
        if not own.same(other._labels):
            labels = labels_of(self._of.columns.union(other.columns))
        rows = self._index()
        held = [
            getattr(self[label], name)(other[label], **options)._values
            if label in own.places and label in other._labels.places
            else missing_column(rows.size)
            for label in labels.values
        ]
        return frame(held, labels, rows)

    def _matrices(self, name: str, other: Any, options: dict[str, Any]) -> Any:
        """A figure of each column and each of another frame's: for each row a matrix, the other's labels its rows."""
        rows, width = self._index(), len(other._labels)
        held = [
            stack(
                [getattr(self[label], name)(other[one], **options)._values for one in other._labels.values], axis=1
            ).reshape(-1)
            for label in self._of._labels.values
        ]
        numbers = arange(rows.size * width)
        levels = [take(level, numbers // width) for level in rows._labels_of_index]
        inner = [take(level, numbers % width) for level in other.columns._labels_of_index]
        index = CLASSES["MultiIndex"]._of([*levels, *inner], [*rows.names, *other._labels.names])
        return frame(held, self._of._labels, index)

    def corr(self, other: object = None, **options: object) -> Any:
        """Correlations with another's values in each window.

        Of a frame alone, or with ``pairwise=True``, a matrix for each row: of each column with each other.

        Parameters
        ----------
        other : Series or DataFrame, optional
            The other values; the columns of this frame with each other unless given.
        **options
            `pairwise`, `ddof` and `numeric_only`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1.0, 3.0], "b": [2.0, 1.0]}).rolling(2).corr().loc[1]["b"].round(9).to_list()
        [-1.0, 1.0]
        """
        return self._paired("corr", other, options)

    def cov(self, other: object = None, **options: object) -> Any:
        """Covariances with another's values in each window.

        Parameters
        ----------
        other : Series or DataFrame, optional
            The other values; the columns of this frame with each other unless given.
        **options
            `pairwise`, `ddof` and `numeric_only`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rolling(2).cov(s)
        a    NaN
        b    2.0
        c    0.5
        dtype: float64
        """
        return self._paired("cov", other, options)

    def rank(self, method: str = "average", ascending: bool = True, pct: bool = False, **options: object) -> Any:
        """The place of the last value among those of its window, from 1 on.

        Parameters
        ----------
        method : {'average', 'min', 'max', 'first', 'dense'}, default 'average'
            What equal values get.
        ascending : bool or list of bool, default True
            Whether the smallest comes first; a list has one for each key.
        pct : bool, default False
            Whether ranks are shares of the number of values.
        **options
            `numeric_only`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rolling(2).rank()
        a    NaN
        b    1.0
        c    2.0
        dtype: float64
        """
        return self._made(lambda one: one.rank(method, ascending, pct))

    def pipe(self, func: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """``func(self, …)``

        Parameters
        ----------
        func : callable or pair
            The function; of a pair (function, name) the windows are given under the name.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rolling(2).pipe(lambda windows: windows.max() - windows.min())
        a    NaN
        b    2.0
        c    1.0
        dtype: float64
        """
        return func(self, *args, **kwargs)

    def first(self, numeric_only: bool = False) -> Any:
        """The first value of each window.

        Parameters
        ----------
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rolling(2).first()
        a    NaN
        b    3.0
        c    1.0
        dtype: float64
        """
        return self.apply(lambda row: row[~np.isnan(row)][0], raw=True)

    def last(self, numeric_only: bool = False) -> Any:
        """The last value of each window.

        Parameters
        ----------
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rolling(2).last()
        a    NaN
        b    1.0
        c    2.0
        dtype: float64
        """
        return self.apply(lambda row: row[~np.isnan(row)][-1], raw=True)

    def nunique(self, numeric_only: bool = False) -> Any:
        """How many distinct values each window has.

        Parameters
        ----------
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rolling(2).nunique()
        a    NaN
        b    2.0
        c    2.0
        dtype: float64
        """
        return self.apply(lambda row: np.unique(row[~np.isnan(row)]).size, raw=True)

    def agg(self, func: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """Figures of each window: one, or several as columns.

        Parameters
        ----------
        func : callable, str, list or dict
            The function, or the name of a method; a dict has those of each column.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.rolling(2).agg(["min", "max"])
           min  max
        a  NaN  NaN
        b  1.0  3.0
        c  1.0  2.0
        """
        if isinstance(func, str):
            return getattr(self, func)(*args, **kwargs)
        if callable(func):
            return self.apply(func)
        if isinstance(func, dict):
            held = {label: self[label].agg(one) for label, one in func.items()}
            if not any(is_frame(one) for one in held.values()):
                return frame([one._values for one in held.values()], Labels(held), self._index())
            tables = [
                one if is_frame(one) else one.to_frame(how if isinstance(how, str) else how.__name__)
                for one, how in zip(held.values(), func.values(), strict=True)
            ]
            pairs = [(label, name) for label, one in zip(held, tables, strict=True) for name in one._labels.values]
            columns = [column for one in tables for column in one._columns]
            return frame(columns, Labels(pairs, [None, None]), self._index())
        names = [one if isinstance(one, str) else one.__name__ for one in func]
        if self._of.ndim == 1:
            return frame([self.agg(one)._values for one in func], Labels(names), self._index())
        labels = [(label, name) for label in self._of._labels.values for name in names]
        held_all = [self[label].agg(one)._values for label in self._of._labels.values for one in func]
        return frame(held_all, Labels(labels, [None, None]), self._index())

    aggregate = agg
