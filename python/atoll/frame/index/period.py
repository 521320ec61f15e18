# SPDX-License-Identifier: Apache-2.0
"""PeriodIndex: labels that are months, quarters, days, …"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange
from ...arrays.selection import flatnonzero
from ...columns.column import Column
from ...columns.datetime.datetimes import Datetimes
from ...columns.datetime.frequency import MONTHS
from ...columns.datetime.period import Period
from ...columns.datetime.period_steps import ORDER, WEEKDAYS, PeriodStep, at_end, period_step, step_of_frequency
from ...columns.datetime.periods import PARTS, Periods
from ...columns.objects import is_missing
from ..classes import define
from ..data.values import make
from ..display.format import texts_of
from ..fallback.convert import in_pandas, period_offset
from .base import INDEX_CLASSES, index_of
from .index import Index
from .methods import extras_of, labels_repr

if TYPE_CHECKING:
    from ...annotations import ColumnType, Label

__all__ = ["Period", "PeriodIndex", "period_range"]


class PeriodIndex(Index):
    """Labels that are periods of one length.

    Parameters
    ----------
    data : array_like
        Periods, strings or datetimes.
    freq : str, optional
        How long they are; by default as the data tell it.
    name : hashable, optional
        The index' name.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.PeriodIndex(["2026-01", "2026-02"], freq="M")
    PeriodIndex(['2026-01', '2026-02'], dtype='period[M]')
    """

    __slots__ = ()
    _column: Periods

    def __new__(
        cls, data: object = None, freq: object = None, dtype: ColumnType = None, copy: bool = False, name: Label = None
    ) -> Any:
        name = getattr(data, "name", None) if name is None else name
        if dtype is not None:
            freq = getattr(dtype, "freq", None) or str(dtype).removeprefix("period[").removesuffix("]")
        held = data._values if hasattr(data, "_values") and hasattr(data, "_labels_of_index") else data
        held = held._values if hasattr(held, "_values") and hasattr(held, "_index") else held
        if not isinstance(held, (Periods, Datetimes)) and hasattr(held, "dtype") and held.dtype.kind == "M":
            held = make(held)
        return index_of(Periods.of([] if held is None else held, freq), name)

    @classmethod
    def from_ordinals(cls, ordinals: Any, *, freq: object, name: Label = None) -> Any:
        """The index of periods by their numbers."""
        return index_of(Periods(make(ordinals), freq), name)

    @classmethod
    def from_fields(
        cls, *, year: Any = None, quarter: Any = None, month: Any = None, day: Any = None, hour: Any = None,
        minute: Any = None, second: Any = None, freq: object = None,
    ) -> Any:  # fmt: skip
        """The index of periods by their parts."""
        given = {"year": year, "quarter": quarter, "month": month, "day": day, "hour": hour, "minute": minute,
                 "second": second}  # fmt: skip
        fields = {
            name: list(one) if hasattr(one, "__iter__") else one for name, one in given.items() if one is not None
        }
        if freq is None:
            finest = next(name for name in reversed(given) if name in fields)
            freq = {"month": "M", "day": "D", "hour": "h", "minute": "min", "second": "s"}.get(
                finest, finest[0].upper()
            )
        size = max(len(one) if isinstance(one, list) else 1 for one in fields.values())
        rows = [{k: int(v[i] if isinstance(v, list) else v) for k, v in fields.items()} for i in range(size)]
        return cls([Period(freq=freq, **row) for row in rows], freq=freq)

    @property
    def freq(self) -> Any:
        """How long the periods are: pandas' offset where pandas is in use."""
        return period_offset(self.freqstr) if in_pandas() else Period(ordinal=0, freq=self._column.step).freq

    @property
    def freqstr(self) -> str:
        """The same by pandas' name."""
        return self._column.freqstr

    @property
    def _shown_step(self) -> str:
        return self._column.freqstr

    @property
    def inferred_type(self) -> str:
        """The dtype of the labels."""
        return "period"

    @property
    def is_full(self) -> bool:
        """Whether no period between the first and the last is left out."""
        if not self.is_monotonic_increasing:
            raise ValueError("Index is not monotonic")
        ordinals = self._column._values
        return bool(self.size < 2 or ((ordinals[1:] - ordinals[:-1]) < 2).all())

    def to_timestamp(self, freq: object = None, how: str = "start") -> Any:
        """The datetimes at which the periods begin, or with ``how="end"`` their last ones."""
        made = index_of(self._column.to_timestamp(freq, how), self._name)
        even = self.size > 1 and self.is_monotonic_increasing and self.is_full and self.is_unique
        step = _BEGINNINGS.get(self._column.step.base)
        if not even or step is None or at_end(how) or self._column.step.n > 1:
            return made
        anchored = {"Q": "QS", "Y": "YS"}.get(self._column.step.base)
        if anchored is not None:
            step = anchored + "-" + MONTHS[(self._column.step.anchor + 1) % (3 if anchored == "QS" else 12)]
        elif self._column.step.base == "W":  # which begin the day behind their last one
            step = "W-" + WEEKDAYS[(self._column.step.anchor + 1) % 7]
        return made._stepping(step)

    def asfreq(self, freq: object = None, how: str = "E") -> Any:
        """Periods of another length."""
        return index_of(self._column.asfreq(freq, how), self._name)

    def shift(self, periods: int = 1, freq: object = None) -> Any:
        """Labels so many periods later."""
        return self._with(self._column + periods)

    def to_pandas(self) -> Any:
        """A pandas PeriodIndex."""
        import pandas as pd

        return pd.PeriodIndex(self._column.to_pandas().array, name=self._name)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and (hasattr(Periods, name) or name in PARTS):
            found = getattr(self._column, name)
            if callable(found) and not isinstance(found, Column) and not hasattr(found, "dtype"):
                return lambda *args, **options: self._with(found(*args, **options))
            made = self._with(found) if hasattr(found, "dtype") and hasattr(found, "size") else found
            return (
                np.asarray(found.fillna(False) if isinstance(found, Column) else found)
                if name.startswith("is_")
                else made
            )
        return super().__getattr__(name)

    def __sub__(self, other: object) -> Any:
        if isinstance(other, (Period, PeriodIndex)):
            found = self._column - (other._column if isinstance(other, PeriodIndex) else other)
            step = self._column.step
            held = [None if is_missing(one) else Period(ordinal=int(one), freq=step) - Period(ordinal=0, freq=step)
                    for one in found.tolist()]  # fmt: skip
            return Index(np.array([*held, None], dtype=object)[:-1], name=self._name)
        return super().__sub__(other)

    # -- lookup --

    def _span(self, label: str) -> tuple[int, int]:
        """The numbers of the first and of the last period that a string means."""
        try:
            told = Period.of(label)
        except ValueError:
            raise KeyError(label) from None
        own = self._column.step
        if ORDER.index(told.step.base) >= ORDER.index(own.base):
            ordinal = told.asfreq(own.one).ordinal
            return ordinal, ordinal
        return told.asfreq(own.one, "start").ordinal, told.asfreq(own.one, "end").ordinal

    def _rows_of(self, key: object) -> Any:
        if not isinstance(key, str):
            if hasattr(key, "to_datetime64") or isinstance(key, np.datetime64):
                key = Period.of(key, self._column.step)
            return super()._rows_of(key)
        first, last = self._span(key)
        found = (self._column._values >= first) & (self._column._values <= last) & self._column.notna()
        rows = flatnonzero(found)
        if rows.size == 0:
            raise KeyError(key)
        return rows

    def _row_of(self, key: object) -> Any:
        rows = self._rows_of(key)
        coarse = isinstance(key, str) and len(set(self._span(key))) > 1
        return int(rows[0]) if rows.size == 1 and not coarse else rows

    def __contains__(self, key: object) -> bool:
        try:
            return bool(self._rows_of(key).size)
        except (KeyError, ValueError):
            return False

    def _bound(self, label: Label, side: str) -> int:
        if isinstance(label, str):
            first, last = self._span(label)
            label = Period(ordinal=first if side == "left" else last, freq=self._column.step)
        elif label is not None and not isinstance(label, Period):
            label = Period.of(label, self._column.step)
        return super()._bound(label, side)

    def __repr__(self) -> str:
        extras = extras_of(self, f"dtype='{self._column.kind}'")
        return labels_repr("PeriodIndex", self, self.size, extras, lambda part: map(repr, texts_of(part._column)))


_BEGINNINGS = {"Y": "YS", "Q": "QS", "M": "MS", "W": "W", "D": "D", "B": "B", "h": "h", "min": "min", "s": "s"}


def period_range(
    start: object = None, end: object = None, periods: Any = None, freq: Any = None, name: str | None = None
) -> Any:
    """Periods one behind another.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.period_range("2026-01", periods=3, freq="M")
    PeriodIndex(['2026-01', '2026-02', '2026-03'], dtype='period[M]')
    """
    if sum(one is not None for one in (start, end, periods)) != 2:
        raise ValueError("Of the three parameters: start, end, and periods, exactly two must be specified")
    if freq is None:
        given = next((one for one in (start, end) if isinstance(one, Period)), None)
        freq = given.step if given is not None else "D"
    step = period_step(freq)
    first, last = (None if one is None else _ordinal(one, step) for one in (start, end))
    if first is None:
        assert last is not None
        first = last - (int(periods) - 1) * step.n
    count = int(periods) if periods is not None else (last - first) // step.n + 1  # type: ignore[operator]  # then given
    return index_of(Periods(arange(max(count, 0)) * step.n + first, step), name)


def _ordinal(value: object, step: PeriodStep) -> int:
    if isinstance(value, Period):
        return value.asfreq(step.one).ordinal
    return Period.of(value, step).ordinal


def to_period(moments: Any, freq: object, known: Any = None) -> Periods:
    """The periods of datetimes; their length by default that of the steps they are known to stand apart."""
    if freq is None and known is None:
        raise ValueError("You must pass a freq argument as current index has none.")
    return Periods.of_moments(moments, step_of_frequency(known) if freq is None else period_step(freq))


define(PeriodIndex)
INDEX_CLASSES[Periods] = "PeriodIndex"
