# SPDX-License-Identifier: Apache-2.0
"""One period: a month, a quarter, a day, …"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ...pandas_errors import pandas_error
from ..operators import Ordered
from .period_steps import OF_MONTHS, PeriodStep, at_end, period_step, step_of_frequency
from .tick import CLOCK, UNITS, Tick, tick_of

__all__ = ["Period"]

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_QUARTER = re.compile(r"(?:(\d{4})[- ]?Q([1-4])|Q([1-4])[- ]?(\d{4})|([1-4])Q(\d{4}))", re.IGNORECASE)
_WRITTEN = re.compile(
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](\d{1,2})(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?)?)?)?"
)


#: Makes a Timestamp of a tick: the module of Timestamps puts it here, frames load it.
boxers: list[Callable[[Tick], Any]] = []


class Period(Ordered):
    """A span of time of a usual length: pandas' Period.

    Parameters
    ----------
    value : str, datetime, Period or int, optional
        What it is or lies in it; an integer is a year.
    freq : str, optional
        Its length: "Y", "Q", "M", "W", "B", "D", "h", "min", "s", "ms", "us", "ns", of years, quarters and weeks also
        with what ends them ("Q-NOV"). By default as the text tells it.
    ordinal : int, optional
        How many such lengths since the one of 1970-01-01, instead of a value.
    year, month, quarter, day, hour, minute, second : int, optional
        Parts, instead of a value.

    Examples
    --------
    >>> from atoll.columns.datetime.period import Period
    >>> p = Period("2026-02", freq="M")
    >>> p + 1, p.days_in_month, p.asfreq("D", "start")
    (Period('2026-03', 'M'), 28, Period('2026-02-01', 'D'))
    """

    __slots__ = ("ordinal", "step")
    ordinal: int
    step: PeriodStep

    def __init__(
        self, value: Any = None, freq: Any = None, ordinal: int | None = None, year: int | None = None,
        month: int | None = None, quarter: int | None = None, day: int | None = None, hour: int | None = None,
        minute: int | None = None, second: int | None = None,
    ) -> None:  # fmt: skip
        if ordinal is not None:
            if freq is None:
                raise ValueError("Must supply freq for ordinal value")
            self.ordinal, self.step = int(ordinal), period_step(freq)
            return
        if value is None:
            if freq is None:
                raise ValueError("If value is None, freq cannot be None")
            if year is None:
                raise ValueError("Only value or ordinal but not both should be given but not both")
            step = period_step(freq)
            if quarter is not None:
                last = step.anchor if step.base == "Q" else 11
                months = year * 12 + quarter * 3 - 3 - (11 - last)
                year, month = months // 12, months % 12 + 1
            clock = (hour or 0) * 3600 + (minute or 0) * 60 + (second or 0)
            made = _of_day(_day(year, month or 1, day or 1), clock * UNITS["s"], step)
            self.ordinal, self.step = made, step
            return
        made_of = Period.of(value, freq)
        self.ordinal, self.step = made_of.ordinal, made_of.step

    @classmethod
    def of(cls, value: Any, freq: Any = None) -> Period:
        """The period that a value is, tells, or lies in."""
        step = None if freq is None else period_step(freq)
        if isinstance(value, Period):
            return value if step is None or step == value.step else value.asfreq(step)
        if hasattr(value, "ordinal") and hasattr(value, "freqstr"):  # pandas'
            own = cls(ordinal=value.ordinal, freq=value.freqstr)
            return own if step is None or step == own.step else own.asfreq(step)
        if isinstance(value, str):
            return _read(value, step)
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            if step is None:
                raise ValueError("Must supply freq for datetime value")
            return cls(ordinal=_of_day(_day(int(value), 1, 1), 0, step), freq=step)
        tick = tick_of(value)
        if tick is None or tick.letter != "M":
            raise ValueError(f"Value must be Period, string, integer, or datetime, not {type(value).__name__}")
        if step is None:
            raise ValueError("Must supply freq for datetime value")
        days, rest = divmod(_local_ns(tick, value), UNITS["D"])
        return cls(ordinal=_of_day(days, rest, step), freq=step)

    @classmethod
    def now(cls, freq: object) -> Period:
        """The period that it is now."""
        return cls.of(datetime.datetime.now(), freq)  # a period has the clock of its place

    @staticmethod
    def steps(value: Any, step: PeriodStep) -> int | None:
        """How many single lengths an integer, or a timedelta, is; None of anything else."""
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            return int(value) * step.n
        if isinstance(value, Steps):
            return value.n
        if hasattr(value, "freqstr") and hasattr(value, "n") and not hasattr(value, "ordinal"):  # pandas' offsets
            return int(value.n) if _base_of_offset(value) == step.base else None
        tick = tick_of(value)
        if tick is None or tick.letter != "m" or tick.value is None:
            return None
        length = {"D": UNITS["D"], **CLOCK}.get(step.base)
        total = tick.value * UNITS[tick.unit]
        if length is None or total % length:
            raise ValueError(f"Input cannot be converted to Period(freq={step.name})")
        return total // length

    # -- what it is --

    @property
    def freqstr(self) -> str:
        """How long it is, by pandas' name."""
        return self.step.name

    @property
    def freq(self) -> Any:
        """How long it is: shown as pandas' offset."""
        return Steps(self.step.n, self.step)

    def _start_ns(self, beyond: int = 0) -> int:
        ordinal = self.ordinal + beyond
        if self.step.base in CLOCK:
            return ordinal * CLOCK[self.step.base]
        return int(self.step.first_day(ordinal)) * UNITS["D"]

    def _end_ns(self) -> int:
        """Behind it; a business day is a day."""
        return self._start_ns(self.step.n - 1) + UNITS["D"] if self.step.base == "B" else self._start_ns(self.step.n)

    def _moment(self, nanoseconds: int) -> Any:
        unit = self.step.unit
        tick = Tick("M", nanoseconds // UNITS[unit], unit)
        return boxers[0](tick) if boxers else np.array(tick.value, f"M8[{unit}]")[()]

    @property
    def start_time(self) -> Any:
        """The datetime at which it begins."""
        return self._moment(self._start_ns())

    @property
    def end_time(self) -> Any:
        """Its last datetime."""
        return self._moment(self._end_ns() - UNITS[self.step.unit])

    def to_timestamp(self, freq: object = None, how: str = "start") -> Any:
        """The datetime at which it begins, or with ``how="end"`` its last one."""
        if at_end(how):
            return self.end_time
        return self.start_time if freq is None else self.asfreq(freq, "start").start_time

    def asfreq(self, freq: object, how: str = "E") -> Period:
        """The period of another length that it ends in, or with ``how="start"`` begins in."""
        step = period_step(freq)
        if step.one == self.step.one:
            return Period(ordinal=self.ordinal, freq=step)
        of_end = at_end(how)
        moment = self._end_ns() - 1 if of_end else self._start_ns()
        days, rest = divmod(moment, UNITS["D"])
        return Period(ordinal=_of_day(days, rest, step, step.back(self.step, of_end)), freq=step)

    # -- parts --

    def _date(self) -> datetime.datetime:
        base = self.step.base
        moment = self._start_ns(1) - UNITS["D"] if base in ("Y", "Q", "M", "W") else self._start_ns()
        return datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=moment // 1000)

    @property
    def year(self) -> int:
        """The year."""
        return self._date().year

    @property
    def month(self) -> int:
        """The month, from 1."""
        return self._date().month

    @property
    def day(self) -> int:
        """The day of the month."""
        return self._date().day

    @property
    def hour(self) -> int:
        """The hour."""
        return self._date().hour

    @property
    def minute(self) -> int:
        """The minute."""
        return self._date().minute

    @property
    def second(self) -> int:
        """The second."""
        return self._date().second

    @property
    def dayofweek(self) -> int:
        """The day of the week, Monday is 0."""
        return self._date().weekday()

    day_of_week = weekday = dayofweek

    @property
    def dayofyear(self) -> int:
        """The day of the year, from 1."""
        return self._date().timetuple().tm_yday

    day_of_year = dayofyear

    @property
    def week(self) -> int:
        """The week as ISO 8601 counts them."""
        return self._date().isocalendar().week

    weekofyear = week

    @property
    def quarter(self) -> int:
        """The quarter, from 1."""
        return self.ordinal % 4 + 1 if self.step.base == "Q" else (self.month - 1) // 3 + 1

    @property
    def qyear(self) -> int:
        """The year that the quarter belongs to, where years do not end in December."""
        return self.ordinal // 4 + 1970 if self.step.base == "Q" else self.year

    @property
    def days_in_month(self) -> int:
        """How many days the month has."""
        date = self._date()
        following = datetime.date(date.year + date.month // 12, date.month % 12 + 1, 1)
        return (following - datetime.date(date.year, date.month, 1)).days

    daysinmonth = days_in_month

    @property
    def is_leap_year(self) -> bool:
        """Whether the year has 366 days."""
        year = self.year
        return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)

    def strftime(self, fmt: str | None = None) -> str:
        """As text: as pandas writes periods of that length, or by a format of strftime."""
        if fmt is None:
            return str(self)
        date = self._date()
        fmt = (
            fmt.replace("%q", str(self.quarter)).replace("%F", str(self.qyear)).replace("%f", f"{self.qyear % 100:02}")
        )
        return date.strftime(fmt)

    # -- arithmetic and comparison --

    def __add__(self, other: Any) -> Any:
        found = Period.steps(other, self.step)
        return NotImplemented if found is None else Period(ordinal=self.ordinal + found, freq=self.step)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Period):
            self._check(other)
            return Steps(self.ordinal - other.ordinal, self.step)
        found = Period.steps(other, self.step)
        return NotImplemented if found is None else Period(ordinal=self.ordinal - found, freq=self.step)

    def _check(self, other: Period) -> None:
        if self.step.one != other.step.one:
            raise pandas_error("IncompatibleFrequency", TypeError)(
                f"Input has different freq={other.freqstr} from Period(freq={self.freqstr})"
            )

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Period):
            if not (hasattr(other, "ordinal") and hasattr(other, "freqstr")) or hasattr(other, "size"):
                return NotImplemented
            other = Period.of(other)
        return self.step == other.step and self.ordinal == other.ordinal

    def __hash__(self) -> int:
        return hash((self.ordinal, self.step.name))

    def _compared(self, other: Any, operation: Any) -> Any:
        if not isinstance(other, Period):
            return NotImplemented
        self._check(other)
        return operation(self.ordinal, other.ordinal)

    def __str__(self) -> str:
        base = self.step.base
        if base == "Q":
            return f"{self.qyear}Q{self.quarter}"
        days, rest = divmod(self._start_ns(), UNITS["D"])
        first = datetime.date.fromordinal(_EPOCH + days)
        if base == "Y":
            return str(self.year)
        if base == "M":
            return f"{first.year}-{first.month:02}"
        if base == "W":
            return f"{first}/{first + datetime.timedelta(days=6)}"
        if base in ("D", "B"):
            return str(first)
        seconds, fraction = divmod(rest, UNITS["s"])
        hour, minute, second = seconds // 3600, seconds // 60 % 60, seconds % 60
        if base in ("h", "min"):
            return f"{first} {hour:02}:{minute:02}"
        digits = {"s": 0, "ms": 3, "us": 6, "ns": 9}[base]
        return f"{first} {hour:02}:{minute:02}:{second:02}" + ("." + f"{fraction:09}"[:digits] if digits else "")

    def __repr__(self) -> str:
        return f"Period('{self}', '{self.freqstr}')"


class Steps:
    """How many lengths lie between two periods: what pandas shows as an offset."""

    __slots__ = ("_step", "n")

    def __init__(self, n: int, step: PeriodStep) -> None:
        self.n, self._step = n, step.one

    def __index__(self) -> int:
        return self.n

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, np.integer)):
            return bool(self.n == other)
        return getattr(other, "n", None) == self.n

    def __hash__(self) -> int:
        return hash(self.n)

    @property
    def freqstr(self) -> str:
        """By pandas' name."""
        return PeriodStep(self._step.base, self._step.anchor, self.n).name

    def __repr__(self) -> str:
        return self._step.shown(self.n)


def _base_of_offset(offset: object) -> str | None:
    """The kind of length that one of pandas' offsets is, None where periods have no such one."""
    try:
        return step_of_frequency(offset).base
    except ValueError:
        return None


def _day(year: int, month: int, day: int) -> int:
    return datetime.date(year, month, day).toordinal() - _EPOCH


def _of_day(days: int, nanoseconds: int, step: PeriodStep, back: bool = False) -> int:
    """The period of a day and a time of day."""
    if step.base in CLOCK:
        return (days * UNITS["D"] + nanoseconds) // CLOCK[step.base]
    if step.base in OF_MONTHS:
        date = datetime.date.fromordinal(_EPOCH + days)
        return int(step.of_months(date.year * 12 + date.month - 1))
    return int(step.of_days(days, back))


def _local_ns(tick: Tick, value: Any) -> int:
    """Nanoseconds since 1970 by the clock of the datetime's own zone."""
    if tick.value is None:
        raise ValueError("NaT is in no period")
    total = tick.value * UNITS[tick.unit]
    offset = value.utcoffset() if tick.zone is not None and hasattr(value, "utcoffset") else None
    return total + (0 if offset is None else round(offset.total_seconds()) * UNITS["s"])


def _read(text: str, step: PeriodStep | None) -> Period:
    text = text.strip()
    quarter = _QUARTER.fullmatch(text)
    if quarter is not None:
        parts = [one for one in quarter.groups() if one is not None]
        year, number = (int(parts[0]), int(parts[1])) if len(parts[0]) == 4 else (int(parts[1]), int(parts[0]))
        found = Period(freq=step if step is not None and step.base == "Q" else "Q", year=year, quarter=number)
        return found if step is None or step.base == "Q" else found.asfreq(step, "start")
    if len(text) == 21 and text[10] == "/":
        begin, end = text.split("/")
        if step is not None:
            return _read(begin, step)
        last = datetime.date.fromisoformat(end)
        return _read(begin, period_step("W-" + last.strftime("%a").upper()))
    written = _WRITTEN.fullmatch(text)
    if written is None:
        from .parsing import to_datetime

        tick = tick_of(to_datetime(text))
        if tick is None or tick.value is None:
            raise ValueError(f"Given date string {text!r} is not a period")
        days, rest = divmod(tick.value * UNITS[tick.unit], UNITS["D"])
        step = step or period_step("D" if rest == 0 else "s" if rest % UNITS["s"] == 0 else "us")
        return Period(ordinal=_of_day(days, rest, step), freq=step)
    year_, month, day, hour, minute, second, fraction = written.groups()
    if step is None:
        step = period_step(
            "Y" if month is None else "M" if day is None else "D" if hour is None else "h" if minute is None
            else "min" if second is None else "s" if fraction is None
            else "ms" if len(fraction) <= 3 else "us" if len(fraction) <= 6 else "ns"
        )  # fmt: skip
    try:
        days = _day(int(year_), int(month or 1), int(day or 1))
    except ValueError as error:
        raise ValueError(f"Given date string {text!r} is not a period: {error}") from None
    seconds = int(hour or 0) * 3600 + int(minute or 0) * 60 + int(second or 0)
    rest = seconds * UNITS["s"] + int((fraction or "").ljust(9, "0") or 0)
    return Period(ordinal=_of_day(days, rest, step), freq=step)
