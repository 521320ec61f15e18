# SPDX-License-Identifier: Apache-2.0
"""Groups of time: `resample`, and `Grouper` for `groupby`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.creation import arange, full
from ..arrays.selection import where
from ..columns.column import Column
from ..columns.dates.bins import TimeBins, time_bins
from ..columns.dates.datetimes import Datetimes
from ..columns.dates.period_steps import ORDER, period_step
from ..columns.dates.periods import Periods
from ..columns.dates.timedeltas import Timedeltas
from .axis import index_of, range_index
from .classes import define, is_frame, is_series, series
from .grouping import grouped
from .values import take_or_miss

#: Figures of bins without rows.
OF_NONE = {"sum": 0, "count": 0, "size": 0, "nunique": 0, "prod": 1}


class Grouper:
    """What `groupby` groups by: a column or a level of the index, by steps of time when a frequency is named.

    Examples
    --------
    >>> import atoll as ak
    >>> from atoll.frame import Grouper
    >>> df = ak.DataFrame({"d": ak.to_datetime(["2026-01-05", "2026-01-20", "2026-02-01"]), "x": [1, 2, 3]})
    >>> df.groupby(Grouper(key="d", freq="MS")).x.sum().to_list()
    [3, 3]
    """

    __slots__ = ("closed", "freq", "key", "label", "level", "offset", "origin")

    def __init__(
        self, key: Any = None, level: Any = None, freq: Any = None, sort: bool = False, closed: Any = None,
        label: Any = None, origin: Any = "start_day", offset: Any = None, dropna: bool = True,
    ) -> None:  # fmt: skip
        self.key, self.level, self.freq = key, level, freq
        self.closed, self.label, self.origin, self.offset = closed, label, origin, offset

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
            return period_bins(values, self.freq), name
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

    def column_of(self, of: Any) -> tuple[Any, Any]:
        """For each row the label of its group, as a key among others."""
        if self.freq is None:
            return self.values_of(of)
        bins, name = self.bins(of)
        gone = bins.numbers < 0
        return take_or_miss(bins.labels, where(gone, 0, bins.numbers), gone if gone.any() else None), name


def period_bins(values: Periods, freq: Any) -> TimeBins:
    """Bins of longer or shorter periods: also those between the first and the last that no row is in."""
    step = period_step(freq)
    if step.n > 1:
        raise NotImplementedError("bins of several periods: resample by one of them, or by moments (to_timestamp)")
    longer = ORDER.index(step.base) <= ORDER.index(values.step.base)
    begins = values.asfreq(step, "end" if longer else "start")
    there = begins.dropna()
    if there.size == 0:
        return TimeBins(full(values.size, -1, dtype=np.int64), begins[:0])
    ends = there if longer else values.dropna().asfreq(step, "end")
    first, last = int(there._values.min()), int(ends._values.max())
    labels = Periods(arange(last - first + 1) + first, step)
    numbers = begins._values - first
    return TimeBins(numbers if begins.valid is None else where(begins.valid, numbers, -1), labels)


class Resampler:
    """Rows by steps of time; figures also of steps without rows. `resample` makes it."""

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

    def __getitem__(self, key: Any) -> Resampler:
        return Resampler(self._of, self._grouper, key)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if is_frame(self._of) and name in self._of._labels.places:
            return self[name]

        known = getattr(self._groups(), name)
        if not callable(known):
            return known

        def method(*args: Any, **options: Any) -> Any:
            return self._every_bin(getattr(self._groups(), name)(*args, **options), OF_NONE.get(name))

        return method

    def _every_bin(self, made: Any, otherwise: Any) -> Any:
        """Figures of the bins that have rows, to all bins."""
        if not (is_series(made) or is_frame(made)):
            return made
        count = self._bins.labels.size
        spread = made._to_index(range_index(count), fill_value=otherwise) if len(made) < count else made
        index = index_of(self._bins.labels, self._name)
        return spread._with_index(index if isinstance(index._values, Periods) else index._stepping(self._grouper.freq))

    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Figures of each step, by name or function."""
        otherwise = OF_NONE.get(func) if isinstance(func, str) else None
        return self._every_bin(self._groups().agg(func, *args, **kwargs), otherwise)

    aggregate = agg

    def ffill(self, limit: Any = None) -> Any:
        """The first value of each step; of steps without rows the last one before."""
        return self.first().ffill(limit=limit)

    def bfill(self, limit: Any = None) -> Any:
        """The first value of each step; of steps without rows the next one behind."""
        return self.first().bfill(limit=limit)

    def asfreq(self, fill_value: Any = None) -> Any:
        """The first value of each step; missing where there is none."""
        made = self.first()
        return made if fill_value is None else made.fillna(fill_value)


def of_rows(numbers: Any, of: Any) -> Any:
    """Numbers of bins as a Series of the rows."""
    return series(numbers, of._index)


class Resampling:
    """`resample` of frames and Series."""

    __slots__ = ()

    def resample(
        self: Any, rule: Any, closed: Any = None, label: Any = None, convention: Any = None, on: Any = None,
        level: Any = None, origin: Any = "start_day", offset: Any = None, group_keys: bool = False,
    ) -> Any:  # fmt: skip
        """Rows by steps of time: of the index, or of the column that `on` names.

        Examples
        --------
        >>> import atoll as ak
        >>> days = ak.Index(ak.date_range("2026-01-30", periods=4))
        >>> ak.Series([1, 2, 3, 4], index=days).resample("MS").sum().to_list()
        [3, 7]
        """
        return Resampler(self, Grouper(on, level, rule, False, closed, label, origin, offset))

    def to_period(self: Any, freq: Any = None, axis: Any = 0, copy: Any = None) -> Any:
        """The rows labelled by the periods that their moments are in."""
        return self._with_index(self._index.to_period(freq))

    def to_timestamp(self: Any, freq: Any = None, how: str = "start", axis: Any = 0, copy: Any = None) -> Any:
        """The rows labelled by the moments at which their periods begin, or with ``how="end"`` end."""
        if not hasattr(self._index, "to_timestamp"):
            raise TypeError(f"unsupported Type {type(self._index).__name__}")
        return self._with_index(self._index.to_timestamp(freq, how))

    def asfreq(self: Any, freq: Any, method: Any = None, fill_value: Any = None, **options: Any) -> Any:
        """The rows at each step of time; missing where there is none."""
        made = self.resample(freq).asfreq(fill_value)
        return made.ffill() if method in ("ffill", "pad") else made.bfill() if method in ("bfill", "backfill") else made


define(Grouper)
define(Resampler)
