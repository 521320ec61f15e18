# SPDX-License-Identifier: Apache-2.0
"""Lengths of periods: months, quarters, weeks, …, and which of them a day or a datetime is in.

A period is an integer: how many of its length lie between it and that of 1970-01-01, as pandas counts them. What is
computed here is done with Python's integers and with arrays alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from .frequency import MONTHS

WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
#: Lengths of months.
OF_MONTHS = {"M": 1, "Q": 3, "Y": 12}
#: From coarse to fine.
ORDER = ("Y", "Q", "M", "W", "B", "D", "h", "min", "s", "ms", "us", "ns")
#: pandas' names of lengths, as they are printed where steps are shown.
_SHOWN = {
    "Y": "YearEnd", "Q": "QuarterEnd", "M": "MonthEnd", "W": "Week", "B": "BusinessDay", "D": "Day", "h": "Hour",
    "min": "Minute", "s": "Second", "ms": "Milli", "us": "Micro", "ns": "Nano",
}  # fmt: skip
_FORMS = {
    "Y": "%Y", "M": "%Y-%m", "B": "%Y-%m-%d", "D": "%Y-%m-%d", "h": "%Y-%m-%d %H:00", "min": "%Y-%m-%d %H:%M",
    "s": "%Y-%m-%d %H:%M:%S", "ms": "%Y-%m-%d %H:%M:%S.%3f", "us": "%Y-%m-%d %H:%M:%S.%6f",
    "ns": "%Y-%m-%d %H:%M:%S.%9f",
}  # fmt: skip
_FORMER = {"A": "Y", "H": "h", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns"}
_OF_OFFSETS = {"ME": "M", "MS": "M", "QE": "Q", "QS": "Q", "YE": "Y", "YS": "Y", "BME": "M", "BQE": "Q", "BYE": "Y"}
_NAME = re.compile(r"(\d*)\s*([A-Za-z]+)(?:-([A-Za-z]{3}))?")


@dataclass(frozen=True)
class PeriodStep:
    """`n` lengths of a kind.

    Attributes
    ----------
    base : str
        One of `ORDER`.
    anchor : int
        The month that ends years and quarters, 0 for January; the weekday that ends weeks, 0 for Sunday.
    n : int
        How many.
    """

    base: str
    anchor: int = 0
    n: int = 1

    @property
    def name(self) -> str:
        """As pandas names it: "M", "Q-DEC", "2h"."""
        anchors = MONTHS if self.base in ("Y", "Q") else WEEKDAYS
        end = f"-{anchors[self.anchor]}" if self.base in ("Y", "Q", "W") else ""
        return f"{'' if self.n == 1 else self.n}{self.base}{end}"

    @property
    def one(self) -> PeriodStep:
        """A single length of the kind."""
        return self if self.n == 1 else replace(self, n=1)

    @property
    def form(self) -> str:
        """How periods are written, for strftime; of quarters and weeks in a way of their own."""
        return _FORMS.get(self.base, "%Y-%m-%d")

    @property
    def unit(self) -> str:
        """The unit of datetimes at which periods begin and end."""
        return "ns" if self.base == "ns" else "us"

    def shown(self, count: int) -> str:
        """A number of periods as pandas prints a difference: "<3 * MonthEnds>"."""
        count = count * self.n
        details = {"Y": f": month={self.anchor + 1}", "Q": f": startingMonth={self.anchor + 1}"}.get(self.base, "")
        if self.base == "W":
            details = f": weekday={(self.anchor + 6) % 7}"
        name = _SHOWN[self.base]
        return f"<{name if count == 1 else f'{count} * {name}s'}{details}>"

    # -- days and datetimes to periods --

    def of_months(self, months: Any) -> Any:
        """The number of a period of months, of months since the year 0."""
        length = OF_MONTHS[self.base]
        shift = 0 if self.base == "M" else 11 - self.anchor
        return (months + shift) // length - 1970 * (12 // length)

    def back(self, source: PeriodStep, at_end: bool) -> bool:
        """Whether a weekend belongs to the Friday before it, when periods become business days: as pandas has it."""
        return self.base == "B" and at_end == (source.base in ("Y", "Q", "M", "W"))

    def of_days(self, days: Any, back: bool = False) -> Any:
        """The number of a period of weeks or days, of days since 1970-01-01; `back`: a weekend is of the Friday."""
        if self.base == "W":
            return (days + 3 - self.anchor) // 7 + 1
        if self.base == "B":  # days of a weekend belong to the Monday behind it
            of_week = (days + 3) % 7
            saturday, sunday = 1 * (of_week == 5), 1 * (of_week == 6)
            days = days - saturday - 2 * sunday if back else days + 2 * saturday + sunday
            return (days + 4) // 7 * 5 + (days + 4) % 7 - 4
        return days

    # -- periods to days --

    def first_day(self, ordinals: Any) -> Any:
        """The first day of each period of days and more, as days since 1970-01-01."""
        if self.base in OF_MONTHS:
            length = OF_MONTHS[self.base]
            shift = 0 if self.base == "M" else 11 - self.anchor
            months = (ordinals + 1970 * (12 // length)) * length - shift
            return days_of(months // 12, months % 12 + 1)
        if self.base == "W":
            return ordinals * 7 + self.anchor - 10
        if self.base == "B":
            return (ordinals + 3) // 5 * 7 + (ordinals + 3) % 5 - 3
        return ordinals


def days_of(year: Any, month: Any) -> Any:
    """Days since 1970-01-01 of the first day of months, by the calendar of today."""
    late = month <= 2
    year = year - 1 * late
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * ((month + 9) % 12) + 2) // 5
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def period_step(freq: Any) -> PeriodStep:
    """Parses pandas' name of a period length. ValueError for an unknown name."""
    if isinstance(freq, PeriodStep):
        return freq
    name = getattr(freq, "freqstr", freq)
    found = _NAME.fullmatch(name.strip()) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"Invalid frequency: {freq}")
    number, base, anchor = found.groups()
    if base in _OF_OFFSETS:
        raise ValueError(f"Invalid frequency: {freq}, failed to parse with error message: ValueError(\"for Period, "
                         f"please use '{_OF_OFFSETS[base]}' instead of '{base}'\")")  # fmt: skip
    if base not in ORDER or (anchor and base not in ("Y", "Q", "W")):
        new = _FORMER.get(base)
        raise ValueError(f"Invalid frequency: {freq}" + (f", did you mean {new!r}?" if new else ""))
    place = 0
    if base in ("Y", "Q"):
        place = _place(MONTHS, anchor or "DEC", freq)
    elif base == "W":
        place = _place(WEEKDAYS, anchor or "SUN", freq)
    return PeriodStep(base, place, int(number or 1))


def step_of_frequency(freq: object) -> PeriodStep:
    """The length of the periods whose ends, or beginnings, steps of time are: "M" of "ME" and of "MS"."""
    name = str(getattr(freq, "freqstr", freq))
    found = _NAME.fullmatch(name)
    if found is None:
        raise ValueError(f"Invalid frequency: {freq}")
    number, base, anchor = found.groups()
    if base in ("QS", "YS", "BQS", "BYS") and anchor:  # begins there: the month before ends it
        anchor = MONTHS[(MONTHS.index(anchor) - 1) % 12]
    return period_step(f"{number}{_OF_OFFSETS.get(base, base)}{'-' + anchor if anchor else ''}")


def at_end(how: str) -> bool:
    """Whether a period's end is meant, rather than its start. ValueError for what means neither."""
    found = str(how).upper()
    if found not in ("S", "E", "START", "END", "BEGIN", "FINISH"):
        raise ValueError(f"how must be one of 'start', 'end', 's', 'e', got {how!r}")
    return found in ("E", "END", "FINISH")


def _place(names: tuple[str, ...], name: str, freq: object) -> int:
    if name.upper() not in names:
        raise ValueError(f"Invalid frequency: {freq}")
    return names.index(name.upper())
