# SPDX-License-Identifier: Apache-2.0
"""Groups of time: `resample`, and `Grouper` for `groupby`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, full
from ...arrays.selection import flatnonzero, where
from ...columns.column import Column
from ...columns.datetime.bins import TimeBins, time_bins
from ...columns.datetime.datetimes import Datetimes
from ...columns.datetime.period_steps import ORDER, period_step
from ...columns.datetime.periods import Periods
from ...columns.datetime.ranges import date_range as moments_range
from ...columns.datetime.timedeltas import Timedeltas
from ..classes import define, frame, is_frame, is_series, series
from ..data.values import gaps, is_scalar, join_rows, make, take, take_or_miss
from ..index.base import index_of, range_index
from ..select.times import Clock
from .groups import BUILT_IN, grouped

if TYPE_CHECKING:
    from ...annotations import Level

#: Figures of bins without rows.
OF_NONE = {"sum": 0, "count": 0, "size": 0, "nunique": 0, "prod": 1, "any": False, "all": True}


class Grouper:
    """A key of `groupby`: a column or a level of the index, in steps of time when a frequency is given.

    Examples
    --------
    >>> import atoll as ak
    >>> from atoll.frame import Grouper
    >>> df = ak.DataFrame({"d": ak.to_datetime(["2026-01-05", "2026-01-20", "2026-02-01"]), "x": [1, 2, 3]})
    >>> df.groupby(Grouper(key="d", freq="MS")).x.sum().to_list()
    [3, 3]
    """

    __slots__ = ("closed", "convention", "freq", "key", "label", "level", "offset", "origin")

    def __init__(
        self, key: Any = None, level: Any = None, freq: Any = None, sort: bool = False, closed: Any = None,
        label: Any = None, origin: Any = "start_day", offset: Any = None, dropna: bool = True, convention: Any = None,
    ) -> None:  # fmt: skip
        self.key, self.level, self.freq = key, level, freq
        self.closed, self.label, self.origin, self.offset = closed, label, origin, offset
        self.convention = convention

    def values_of(self, of: Any) -> tuple[Any, Any]:
        """The column that is grouped by, and its name."""
        if self.key is not None:
            return of._column(self.key), self.key
        index = of._index if self.level is None else of._index.get_level_values(self.level)
        return index._values, index.name

    def bins(self, of: Any) -> tuple[TimeBins, Any]:
        """The bins of the rows, and the name of what is grouped by."""
        values, name = self.values_of(of)
        if isinstance(values, Periods):
            return period_bins(values, self.freq, self.convention == "end"), name
        if isinstance(values, Timedeltas):
            moments = Datetimes._made(values._values, values._valid, values._unit)
            origin = "start" if self.origin == "start_day" else self.origin
            found = time_bins(moments, self.freq, self.closed, self.label, origin, self.offset)
            labels: Any = found.labels
            return TimeBins(found.numbers, Timedeltas._made(labels._values, None, labels._unit)), name
        if not isinstance(values, Datetimes):
            raise TypeError(
                "Only valid with DatetimeIndex, TimedeltaIndex or PeriodIndex, but got an instance of "
                f"'{getattr(values, 'kind', values.dtype)}'"
            )
        return time_bins(values, self.freq, self.closed, self.label, self.origin, self.offset), name

    def column_of(self, of: object) -> tuple[Any, Any]:
        """For each row the label of its group, as a key among others."""
        if self.freq is None:
            return self.values_of(of)
        bins, name = self.bins(of)
        gone = bins.numbers < 0
        return take_or_miss(bins.labels, where(gone, 0, bins.numbers), gone if gone.any() else None), name


def period_bins(values: Periods, freq: object, at_end: bool = False) -> TimeBins:
    """Bins of longer or shorter periods: also those between the first and the last that no row is in."""
    step = period_step(freq)
    if step.n > 1:
        raise NotImplementedError("bins of several periods: resample by one of them, or by moments (to_timestamp)")
    longer = ORDER.index(step.base) <= ORDER.index(values.step.base)
    begins = values.asfreq(step, "end" if longer or at_end else "start")
    there = begins.dropna()
    if there.size == 0:
        return TimeBins(full(values.size, -1, dtype=np.int64), begins[:0])
    ends = there if longer else values.dropna().asfreq(step, "end")
    first, last = int(there._values.min()), int(ends._values.max())
    labels = Periods(arange(last - first + 1) + first, step)
    numbers = begins._values - first
    return TimeBins(numbers if begins.valid is None else where(begins.valid, numbers, -1), labels)


class Resampler:
    """Rows grouped by steps of time, with aggregates also for empty steps; made by `resample`."""

    def __init__(self, of: Any, grouper: Grouper, chosen: Any = None) -> None:
        self._of, self._grouper, self._chosen = of, grouper, chosen
        self._bins, self._name = grouper.bins(of)

    def _groups(self) -> Any:
        gone = self._bins.numbers < 0
        numbers = Column(self._bins.numbers, ~gone) if gone.any() else self._bins.numbers
        of = self._of
        if is_frame(of) and self._grouper.key is not None:
            of = of.drop(columns=[self._grouper.key])
        made = grouped(of, [of_rows(numbers, of)], None, True, True, True, True, True)
        return made if self._chosen is None else made[self._chosen]

    def __getitem__(self, key: object) -> Resampler:
        return Resampler(self._of, self._grouper, key)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if is_frame(self._of) and name in self._of._labels.places:
            return self[name]

        known = getattr(self._groups(), name)
        if not callable(known):
            return known

        def method(*args: object, **options: object) -> Any:
            asked = options.get("min_count", 0) or (len(args) > 1 and args[1])
            least = asked if name in ("sum", "prod") and isinstance(asked, int) else 0
            of_none = None if least > 0 else OF_NONE.get(name)
            return self._every_bin(getattr(self._groups(), name)(*args, **options), lambda: of_none)

        return method

    def _every_bin(self, made: Any, otherwise: Callable[[], Any]) -> Any:
        """Figures of the bins that have rows, to all bins: those without any have what `otherwise` gives.

        That is one value, or a list of one for each column.
        """
        if not (is_series(made) or is_frame(made)):
            return made
        every = range_index(self._bins.labels.size)
        if len(made) == len(every):
            spread = made
        else:
            value = otherwise()
            parts = [made] if is_series(made) else made._each()
            values = value if isinstance(value, list) else [value] * len(parts)
            held = [_with_others(part, every, one) for part, one in zip(parts, values, strict=True)]
            spread = series(held[0], every, made._name) if is_series(made) else frame(held, made._labels, every)
        index = index_of(self._bins.labels, self._name)
        return spread._with_index(index if isinstance(index._values, Periods) else index._stepping(self._grouper.freq))

    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Figures of each step, by name or function."""
        groups = self._groups()
        made = groups.agg(func, *args, **kwargs)
        options = {} if func is None else kwargs
        return self._every_bin(
            made, lambda: [_of_none(of, how, args, options) for of, how in _wanted(groups._of, func, kwargs)]
        )

    aggregate = agg

    def _steps(self) -> tuple[Any, Any]:
        """The rows, which stand in order of their datetimes, and the labels of all steps."""
        of, column = self._of, self._grouper.values_of(self._of)[0]
        if self._grouper.key is not None:
            of = of.drop(columns=[self._grouper.key])
        of = of if self._chosen is None else of[self._chosen]
        labels = index_of(self._bins.labels, self._name)
        stepped = labels if isinstance(labels._values, Periods) else labels._stepping(self._grouper.freq)
        if isinstance(column, Periods):
            starts = index_of(self._bins.labels, self._name)
            own = column.asfreq(self._bins.labels.step, "end" if self._grouper.convention == "end" else "start")
            return of._with_index(index_of(own, self._name)), starts
        return of._with_index(index_of(column, self._name)), stepped

    def _at_steps(self, method: str, limit: int | None = None) -> Any:
        of, steps = self._steps()
        rows = of._index._nearest(steps, method)
        if limit is not None:
            exact = of._index._indexer(steps)
            sides = ("ffill", "bfill") if method == "nearest" else (method,)
            near = [within(of._index._nearest(steps, one), exact, limit, one) for one in sides]
            rows = where(near[0] == rows, rows, -1) if len(near) == 1 else where(
                (near[0] == rows) | (near[1] == rows), rows, -1
            )  # fmt: skip
        return of._reindexed(rows, gaps(rows), steps)

    def ffill(self, limit: int | None = None) -> Any:
        """The values at each step; where no row is the last ones before."""
        return self._at_steps("ffill", limit)

    def bfill(self, limit: int | None = None) -> Any:
        """The values at each step; where no row is the next ones behind."""
        return self._at_steps("bfill", limit)

    def nearest(self, limit: int | None = None) -> Any:
        """The values of the row nearest to each step."""
        return self._at_steps("nearest", limit)

    def asfreq(self, fill_value: object = None) -> Any:
        """The values at each step; missing where no row is."""
        of, steps = self._steps()
        return of._to_index(steps, fill_value=fill_value)

    def interpolate(self, method: str = "linear", **options: object) -> Any:
        """The values at each step, on the line between the rows' where none is."""
        of, steps = self._steps()
        every = of._index.union(steps)
        return of._to_index(every).interpolate("index" if method == "time" else method, **options)._to_index(steps)

    def get_group(self, name: str | None) -> Any:
        """The rows of the step with a label."""
        labels = index_of(self._bins.labels, self._name)
        row = labels._row_of(name)
        number = row if isinstance(row, int) else int(row[0])
        return self._of._take(flatnonzero(self._bins.numbers == number))

    def transform(self, func: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """A figure of each step, or what a function makes of its rows, row by row."""
        return self._groups().transform(func, *args, **kwargs)

    def apply(self, func: object, *args: Any, **kwargs: Any) -> Any:
        """A function of each step's rows."""
        groups = self._groups()
        made = groups.apply(func, *args, **kwargs)

        def otherwise() -> Any:
            found = _of_none(groups._of, func, args, kwargs)
            if is_series(found) and is_frame(made):
                table = found.to_dict()
                return [table.get(label) for label in made._labels.values]
            return found if is_scalar(found) else None

        return self._every_bin(made, otherwise)


def _wanted(of: Any, func: Callable[..., Any], named: dict[str, Any]) -> list[tuple[Any, Any]]:
    """The Series and the figure of each column that `agg` makes."""
    if func is None and is_frame(of):
        return [(of[label], how) for label, how in named.values()]
    if isinstance(func, dict) and is_frame(of):
        several = [(label, how if isinstance(how, (list, tuple)) else [how]) for label, how in func.items()]
        return [(of[label], how) for label, figures in several for how in figures]
    func = named if func is None else func
    figures = list(func.values()) if isinstance(func, dict) else func if isinstance(func, (list, tuple)) else [func]
    figures = [how[1] if isinstance(how, tuple) else how for how in figures]
    return [(one, how) for one in ([of] if is_series(of) else of._each()) for how in figures]


def _of_none(of: Any, how: Any, args: Any, options: Any) -> Any:
    """The figure of a bin without rows: what a function makes of nothing; None where it is missing."""
    if callable(how) and how not in BUILT_IN:
        return how(of._cut(slice(0, 0)), *args, **options)
    return OF_NONE.get(BUILT_IN.get(how, how))


def _with_others(figures: Any, every: Any, value: object) -> Any:
    """A figure of each bin: a value, in whatever kind it needs, where there is none."""
    value = value if is_scalar(value) else None
    try:
        return figures._to_index(every, fill_value=value)._values
    except TypeError:
        rows = figures._index._indexer(every)
        return take(join_rows([figures._values, make([value])]), where(rows < 0, len(figures), rows))


def within(rows: Any, exact: Any, limit: int, method: str) -> Any:
    """Rows that stand for steps: each for at most `limit` of them beside the one that it is at."""
    held, at = rows.to_numpy(), exact.to_numpy()
    if method == "bfill":
        return asarray(_first_of_runs(held[::-1], at[::-1], limit)[::-1].copy())
    return asarray(_first_of_runs(held, at, limit))


def _first_of_runs(rows: np.ndarray[Any, Any], exact: np.ndarray[Any, Any], limit: int) -> np.ndarray[Any, Any]:
    starts = np.r_[True, rows[1:] != rows[:-1]] if rows.size else np.zeros(0, bool)
    run = np.cumsum(starts) - 1
    first = np.flatnonzero(starts)[run]
    place = np.arange(rows.size) - first + (exact[first] != rows[first])
    return np.where(place > limit, -1, rows)


def of_rows(numbers: Any, of: Any) -> Any:
    """Numbers of bins as a Series of the rows."""
    return series(numbers, of._index)


def _of_times(index: Any) -> Any:
    """An index of datetimes as it is; TypeError for others."""
    if not isinstance(index._values, Datetimes):
        raise TypeError("index is not a valid DatetimeIndex or PeriodIndex")
    return index


class Resampling(Clock):
    """`resample` of frames and Series."""

    __slots__ = ()

    def resample(
        self: Any, rule: Any, closed: Any = None, label: Any = None, convention: Any = None, on: Any = None,
        level: object = None, origin: Any = "start_day", offset: Any = None, group_keys: bool = False,
    ) -> Any:  # fmt: skip
        """Rows by steps of time: of the index, or of the column that `on` names.

        Parameters
        ----------
        rule : str or DateOffset
            The length of a step, as ``'D'`` or ``'15min'``.
        closed : {'left', 'right'}, optional
            Which end belongs to a step; 'left' unless given, but for ends of months, quarters, years and weeks.
        label : {'left', 'right'}, optional
            Which end labels a step, likewise.
        convention : str, optional
            No effect on datetimes, as in pandas.
        on : label, optional
            The column of datetimes; the index unless given.
        level : int or label, optional
            The level of datetimes.
        origin : str or datetime, default 'start_day'
            Where steps begin to count: 'start_day', 'start', 'end', 'end_day', 'epoch' or a time.
        offset : str or timedelta, optional
            What is added to the origin.
        group_keys : bool, default False
            Whether `apply` puts keys before the labels of the rows.

        Examples
        --------
        >>> import atoll as ak
        >>> days = ak.Index(ak.date_range("2026-01-30", periods=4))
        >>> ak.Series([1, 2, 3, 4], index=days).resample("MS").sum().to_list()
        [3, 7]
        """
        return Resampler(self, Grouper(on, level, rule, False, closed, label, origin, offset, convention=convention))

    def tz_localize(self: Any, tz: object, axis: int | str | None = 0, level: Level = None, **options: object) -> Any:
        """The same rows, the labels' datetimes taken as a zone's.

        Parameters
        ----------
        tz : str or tzinfo
            The time zone, as ``'Europe/Paris'``; None: none.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether labels of rows or of columns change.
        level : int or label, optional
            The level of a MultiIndex, by place or name.
        **options
            `ambiguous`, `nonexistent` and `copy`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> times = ak.date_range("2024-02-28", periods=1)
        >>> ak.Series([1], index=times).tz_localize("Europe/Paris").index[0]
        Timestamp('2024-02-28 00:00:00+0100', tz='Europe/Paris')
        """
        return self._with_index(_of_times(self._index).tz_localize(tz, **options))

    def tz_convert(
        self: Any, tz: object, axis: int | str | None = 0, level: Level = None, copy: bool | None = None
    ) -> Any:
        """The same rows, the labels' datetimes told in another zone.

        Parameters
        ----------
        tz : str or tzinfo
            The time zone, as ``'Europe/Paris'``; None: none.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether labels of rows or of columns change.
        level : int or label, optional
            The level of a MultiIndex, by place or name.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> times = ak.date_range("2024-02-28", periods=1, tz="UTC")
        >>> ak.Series([1], index=times).tz_convert("Asia/Tokyo").index[0]
        Timestamp('2024-02-28 09:00:00+0900', tz='Asia/Tokyo')
        """
        return self._with_index(_of_times(self._index).tz_convert(tz))

    def to_period(self: Any, freq: object = None, axis: int | str | None = 0, copy: bool | None = None) -> Any:
        """The rows labelled by the periods that their datetimes are in.

        Parameters
        ----------
        freq : str, optional
            The length of the periods; found out unless given.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether labels of rows or of columns change.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> times = ak.date_range("2024-02-28", periods=2)
        >>> ak.Series([1, 2], index=times).to_period("M").index
        PeriodIndex(['2024-02', '2024-02'], dtype='period[M]')
        """
        return self._with_index(self._index.to_period(freq))

    def to_timestamp(
        self: Any, freq: object = None, how: str = "start", axis: int | str | None = 0, copy: bool | None = None
    ) -> Any:
        """The rows labelled by the datetimes at which their periods begin, or with ``how="end"`` end.

        Parameters
        ----------
        freq : str, optional
            The unit of the datetimes.
        how : {'start', 'end'}, default 'start'
            Which end.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether labels of rows or of columns change.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> ak.Series([1, 2], index=ak.period_range("2024-01", periods=2, freq="M")).to_timestamp().index
        DatetimeIndex(['2024-01-01', '2024-02-01'], dtype='datetime64[us]', freq='MS')
        """
        if not hasattr(self._index, "to_timestamp"):
            raise TypeError(f"unsupported Type {type(self._index).__name__}")
        return self._with_index(self._index.to_timestamp(freq, how))

    def asfreq(self: Any, freq: Any, method: str | None = None, fill_value: Any = None, **options: Any) -> Any:
        """The rows at each step of time from the first label to the last; missing where there is none.

        Parameters
        ----------
        freq : str or DateOffset
            A length of time, as ``'h'`` or ``'D'``.
        method : {None, 'ffill', 'bfill'}
            What fills steps that are not here.
        fill_value : scalar, optional
            The same by a value.
        **options
            `how` and `normalize`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> times = ak.date_range("2024-02-28", periods=2, freq="2D")
        >>> ak.Series([1, 2], index=times).asfreq("D")
        2024-02-28    1.0
        2024-02-29    NaN
        2024-03-01    2.0
        Freq: D, dtype: float64
        """
        if method not in (None, "ffill", "pad", "bfill", "backfill"):
            raise ValueError(f"Invalid fill method. Expecting pad (ffill) or backfill (bfill). Got {method}")
        labels = _of_times(self._index)
        if not labels.size or options or bool(labels._values.isna().any()):
            raise NotImplementedError("labels without a first and a last one, and options, are pandas' (asfreq)")
        found = moments_range(labels.min(), labels.max(), None, freq).as_unit(labels._values.unit)
        steps = index_of(found, labels.name)._stepping(freq)
        if method is None:
            return self._to_index(steps, fill_value=fill_value)
        # Only steps without a row are filled: a value that is missing in a row stays so.
        rows = self._index._nearest(steps, "ffill" if method in ("ffill", "pad") else "bfill")
        return self._reindexed(rows, gaps(rows), steps)


define(Grouper)
define(Resampler)
