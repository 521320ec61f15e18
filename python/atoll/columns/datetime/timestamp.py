# SPDX-License-Identifier: Apache-2.0
"""One datetime as frames give it: Python's datetime, with what pandas' Timestamp adds; rows of columns as such."""

from __future__ import annotations

import datetime
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..operators import Compared
from .frequency import frequency
from .period import Period, boxers
from .tick import UNITS, Tick, tick_of, tzinfo_of, zone_name
from .timedelta import NaT, Timedelta, compared_to_another, length_of, rounded, unit_length

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["NaT", "Timedelta", "Timestamp", "boxed"]

_EPOCH = datetime.datetime(1970, 1, 1)


class Timestamp(Compared, datetime.datetime):
    """A datetime: a datetime of Python, to the nanosecond, with what pandas' Timestamp adds.

    Examples
    --------
    >>> import atoll as ak
    >>> t = ak.Series(ak.to_datetime(["2026-11-24 10:30"])).iloc[0]
    >>> t, t.year, t.day_name(), t.floor("h")
    (Timestamp('2026-11-24 10:30:00'), 2026, 'Tuesday', Timestamp('2026-11-24 10:00:00'))
    """

    __slots__ = ("_nanosecond", "_unit")
    _nanosecond: int
    _unit: str

    def __new__(cls, value: Any = None, *fields: Any, tz: object = None, unit: str | None = None, **parts: Any) -> Any:
        if fields or "year" in parts or (isinstance(value, int) and parts):
            nanosecond = parts.pop("nanosecond", 0)
            if tz is not None:
                parts["tzinfo"] = tzinfo_of(zone_name(tz) or "UTC")
            made = datetime.datetime.__new__(cls, *([] if value is None else [value]), *fields, **parts)
            made._nanosecond, made._unit = nanosecond, "ns" if nanosecond else "us"
            return made
        tick = _tick(value, unit)
        if tick.value is None:
            return NaT
        made = of_tick(tick)
        if tz is not None and isinstance(made, Timestamp):
            if isinstance(value, (int, float, np.number)):  # counted from 1970 in UTC
                made = made.tz_localize("UTC")
            made = made.tz_localize(tz) if made.tzinfo is None else made.tz_convert(tz)
        return made

    @classmethod
    def _made(cls, moment: datetime.datetime, nanosecond: int, unit: str) -> Timestamp:
        made = datetime.datetime.__new__(
            cls, moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond,
            moment.tzinfo, fold=moment.fold,
        )  # fmt: skip
        made._nanosecond, made._unit = nanosecond, unit
        return made

    def __reduce__(self) -> Any:
        return Timestamp._made, (self.to_pydatetime(), self._nanosecond, self._unit)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()

    # -- what it is --

    @property
    def nanosecond(self) -> int:
        """Nanoseconds of the microsecond."""
        return self._nanosecond

    @property
    def unit(self) -> str:
        """The unit of the column that it is from."""
        return self._unit

    @property
    def value(self) -> int:
        """Nanoseconds since 1970, in UTC."""
        utc = self.to_pydatetime() if self.tzinfo is None else self.astimezone(datetime.UTC).replace(tzinfo=None)
        utc = datetime.datetime(*utc.timetuple()[:6], utc.microsecond)  # it is UTC by now
        return (utc - _EPOCH) // datetime.timedelta(microseconds=1) * 1000 + self._nanosecond

    @property
    def tz(self) -> Any:
        """The time zone, None when there is none."""
        return self.tzinfo

    def to_pydatetime(self, warn: bool = True) -> datetime.datetime:
        """Python's datetime."""
        return datetime.datetime(
            self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond, self.tzinfo,
            fold=self.fold,
        )  # fmt: skip

    def to_datetime64(self) -> Any:
        """NumPy's datetime64 of the datetime's unit, in UTC."""
        return np.array(self.value // UNITS[self._unit], f"M8[{self._unit}]")[()]

    to_numpy = to_datetime64

    @property
    def asm8(self) -> Any:
        """The same."""
        return self.to_datetime64()

    def as_unit(self, unit: str) -> Timestamp:
        """The same datetime in another unit."""
        left = self.value % UNITS[unit]
        moved = self - Timedelta(left) if left else self
        return Timestamp._made(moved.to_pydatetime(), moved._nanosecond, unit)

    # -- parts --

    @property
    def quarter(self) -> int:
        """The quarter, from 1."""
        return (self.month - 1) // 3 + 1

    @property
    def dayofweek(self) -> int:
        """The day of the week, Monday is 0."""
        return self.weekday()

    day_of_week = dayofweek

    @property
    def dayofyear(self) -> int:
        """The day of the year, from 1."""
        return self.timetuple().tm_yday

    day_of_year = dayofyear

    @property
    def week(self) -> int:
        """The week as ISO 8601 counts them."""
        return self.isocalendar().week

    weekofyear = week

    @property
    def days_in_month(self) -> int:
        """How many days the month has."""
        return Period.of(self.to_pydatetime(), "M").days_in_month

    daysinmonth = days_in_month

    @property
    def is_leap_year(self) -> bool:
        """Whether the year has 366 days."""
        return self.year % 4 == 0 and (self.year % 100 != 0 or self.year % 400 == 0)

    @property
    def is_month_start(self) -> bool:
        """Whether it is the first day of a month."""
        return self.day == 1

    @property
    def is_month_end(self) -> bool:
        """Whether it is the last day of a month."""
        return self.day == self.days_in_month

    @property
    def is_quarter_start(self) -> bool:
        """Whether it is the first day of a quarter."""
        return self.day == 1 and self.month % 3 == 1

    @property
    def is_quarter_end(self) -> bool:
        """Whether it is the last day of a quarter."""
        return self.is_month_end and self.month % 3 == 0

    @property
    def is_year_start(self) -> bool:
        """Whether it is 1 January."""
        return self.day == 1 == self.month

    @property
    def is_year_end(self) -> bool:
        """Whether it is 31 December."""
        return self.month == 12 and self.day == 31

    def day_name(self, locale: None = None) -> str:
        """The English name of the day of the week."""
        return ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[self.weekday()]

    def month_name(self, locale: None = None) -> str:
        """The English name of the month."""
        return ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                "November", "December")[self.month - 1]  # fmt: skip

    # -- other datetimes --

    def normalize(self) -> Timestamp:
        """The midnight before."""
        return self.floor("D")

    def _rounded(self, freq: Any, how: str) -> Timestamp:
        naive = self.tz_localize(None) if self.tzinfo is not None else self
        length = frequency(freq).nanoseconds
        made = of_tick(Tick("M", rounded(naive.value, length, how), "ns"), self._unit)
        return made if self.tzinfo is None else made.tz_localize(self.tzinfo)

    def floor(self, freq: object, **options: object) -> Timestamp:
        """Rounded down to a multiple of a frequency."""
        return self._rounded(freq, "floor")

    def ceil(self, freq: object, **options: object) -> Timestamp:
        """Rounded up."""
        return self._rounded(freq, "ceil")

    def round(self, freq: object, **options: object) -> Timestamp:
        """Rounded to the nearest, halves to the even multiple."""
        return self._rounded(freq, "round")

    def tz_localize(self, tz: object, ambiguous: object = "raise", nonexistent: object = "raise") -> Timestamp:
        """The datetime at which the clock of a zone shows this; None: what the clock shows, without a zone."""
        zone = None if tz is None else tzinfo_of(zone_name(tz) or "UTC")
        if zone is not None and self.tzinfo is not None:
            raise TypeError("Cannot localize tz-aware Timestamp, use tz_convert for conversions")
        if zone is not None:
            return _localized(self, zone, ambiguous, nonexistent)
        return Timestamp._made(self.to_pydatetime().replace(tzinfo=zone), self._nanosecond, self._unit)

    def tz_convert(self, tz: object) -> Timestamp:
        """The same datetime by the clock of another zone; None: that of UTC, without a zone."""
        if self.tzinfo is None:
            raise TypeError("Cannot convert tz-naive Timestamp, use tz_localize to localize")
        zone = datetime.UTC if tz is None else tzinfo_of(zone_name(tz) or "UTC")
        made = self.to_pydatetime().astimezone(zone)
        return Timestamp._made(made.replace(tzinfo=None) if tz is None else made, self._nanosecond, self._unit)

    def to_period(self, freq: object = None) -> Period:
        """The period that it is in."""
        return Period.of(self.to_pydatetime(), freq)

    def to_julian_date(self) -> float:
        """Days since noon of 1 January 4713 BC."""
        return self.value / UNITS["D"] + 2440587.5

    # -- arithmetic and comparison --

    def __add__(self, other: Any) -> Any:
        if _is_offset(other):
            return _stepped(self, other, 1)
        length = length_of(other)
        if length is None:
            return NotImplemented
        unit = "ns" if length % 1000 else self._unit
        nanoseconds = self._nanosecond + length
        begin = self.to_pydatetime()
        if begin.tzinfo is not None:  # a length of time passes in UTC, whatever clocks do meanwhile
            begin = begin.astimezone(datetime.UTC)
        made = begin + datetime.timedelta(microseconds=nanoseconds // 1000)
        return Timestamp._made(made if self.tzinfo is None else made.astimezone(self.tzinfo), nanoseconds % 1000, unit)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if _is_offset(other):
            return _stepped(self, other, -1)
        length = length_of(other)
        if length is not None:
            return self + Timedelta(-length)
        tick = tick_of(other)
        if tick is None:
            return NotImplemented
        if tick.value is None:
            return NaT
        if (tick.zone is None) != (self.tzinfo is None):
            raise TypeError("Cannot subtract tz-naive and tz-aware datetime-like objects.")
        return Timedelta(self.value - tick.value * UNITS[tick.unit])

    def __rsub__(self, other: Any) -> Any:
        found = of_value(other)
        return NotImplemented if not isinstance(found, Timestamp) else found - self

    def _against(self, other: Any) -> int | None:
        tick = tick_of(other) if not isinstance(other, str) else None
        if tick is None or tick.letter != "M" or tick.value is None or (tick.zone is None) != (self.tzinfo is None):
            return None
        return tick.value * UNITS[tick.unit]

    def _compared(self, other: Any, operation: Any) -> Any:
        if getattr(other, "shape", ()) != ():  # columns and arrays compare themselves
            return NotImplemented
        found = self._against(other)
        if found is not None:
            return operation(self.value, found)
        if isinstance(other, datetime.datetime) and operation not in (operator.eq, operator.ne):
            raise TypeError("Cannot compare tz-naive and tz-aware timestamps")
        return compared_to_another(other, operation)

    def __hash__(self) -> int:
        return datetime.datetime.__hash__(self) if not self._nanosecond else hash(self.value)

    # -- text --

    def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:
        """As text by ISO 8601."""
        text = self.to_pydatetime().isoformat(sep, timespec)
        if not self._nanosecond or timespec not in ("auto", "nanoseconds"):
            return text
        whole = self.to_pydatetime().replace(tzinfo=None).isoformat(sep, "microseconds")
        return f"{whole}{self._nanosecond:03}{self.to_pydatetime().isoformat(sep, 'seconds')[19:]}"

    def __str__(self) -> str:
        return self.isoformat(" ")

    def __repr__(self) -> str:
        zone = "" if self.tzinfo is None else f", tz='{zone_name(self.tzinfo)}'"
        text = str(self)
        if zone and text[-3] == ":":
            text = text[:-3] + text[-2:]
        return f"Timestamp('{text}'{zone})"


def _localized(moment: Timestamp, zone: datetime.tzinfo, ambiguous: object, nonexistent: object) -> Any:
    """The datetime at which a zone's clock shows a time, by the rules for times that it shows twice or never."""
    shown = moment.to_pydatetime()
    first, second = (shown.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return Timestamp._made(first, moment._nanosecond, moment._unit)
    from .creation import ticks_from_objects

    column: Any = ticks_from_objects([moment], np.zeros(1, bool))
    return boxed(column.tz_localize(zone_name(zone), ambiguous=ambiguous, nonexistent=nonexistent), 0)


def _tick(value: ArrayLike, unit: str | None) -> Tick:
    from .parsing import to_datetime

    if isinstance(value, (int, np.integer)):
        return Tick("M", int(value) * unit_length(unit or "ns"), "ns")
    if isinstance(value, (float, np.floating)):
        return Tick("M", None if value != value else round(value * unit_length(unit or "ns")), "ns")
    if value is None or (isinstance(value, str) and value in ("", "NaT", "nan")) or value is NaT:
        return Tick("M", None, "s")
    found = tick_of(to_datetime(value) if isinstance(value, str) else value)
    if found is None:
        raise TypeError(f"Cannot convert input [{value!r}] of type {type(value)} to Timestamp")
    return found


def _is_offset(value: ArrayLike) -> bool:
    return not isinstance(value, (datetime.timedelta, np.timedelta64)) and (
        (hasattr(value, "freqstr") and hasattr(value, "n")) or type(value).__name__ == "DateOffset"
    )


def _stepped(moment: Timestamp, offset: object, sign: int) -> Any:
    """A datetime so many steps of the calendar later."""
    from .creation import ticks_from_objects

    column: Any = ticks_from_objects([moment], np.zeros(1, bool))
    return boxed(column + offset if sign > 0 else column - offset, 0)


def of_tick(tick: Tick, unit: str | None = None) -> Any:
    """A tick as a Timestamp or a Timedelta; as NumPy's where Python has no such year."""
    if tick.value is None:
        return NaT
    total = tick.value * UNITS[tick.unit]
    if tick.letter == "m":
        try:
            return Timedelta._made(total, "s" if tick.unit == "D" else tick.unit)
        except OverflowError:
            return np.timedelta64(tick.value, "us" if tick.unit == "us" else "s" if tick.unit == "s" else "ns")
    unit = unit or ("s" if tick.unit == "D" else tick.unit)
    try:
        moment = _EPOCH + datetime.timedelta(microseconds=total // 1000)
        if tick.zone is not None:
            moment = moment.replace(tzinfo=datetime.UTC).astimezone(tzinfo_of(tick.zone))
    except OverflowError:
        return np.array(tick.value, f"M8[{tick.unit}]")[()]
    return Timestamp._made(moment, total % 1000, unit)


def of_value(value: ArrayLike) -> Any:
    """A datetime or a timedelta of Python or NumPy as a Timestamp or a Timedelta; anything else as it is."""
    tick = tick_of(value)
    return value if tick is None or tick.letter == "t" else of_tick(tick)


def boxed(column: Any, row: int) -> Any:
    """A row of a column of datetimes or timedeltas."""
    if column.valid is not None and not bool(column.valid[row]):
        return NaT
    return of_tick(Tick(column._letter, int(column._values[row]), column.unit, column._zone))


def boxed_list(column: Any) -> list[Any]:
    """All rows of a column of datetimes or timedeltas."""
    letter, unit, zone = column._letter, column.unit, column._zone
    held = [of_tick(Tick(letter, one, unit, zone)) for one in column._values.tolist()]
    if column.valid is None:
        return held
    return [one if there else NaT for one, there in zip(held, column.valid.tolist(), strict=True)]


boxers.append(of_tick)
