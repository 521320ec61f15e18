# SPDX-License-Identifier: Apache-2.0
"""Frequencies: pandas' names for steps of time, and calendar steps of columns of datetimes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .tick import CLOCK, UNITS, tick_of

if TYPE_CHECKING:
    pass

#: Steps of one length, in nanoseconds.
_FIXED = {"D": UNITS["D"], **CLOCK}
_WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
#: Where in a month a step stands, as the engine counts it.
FIRST, LAST, FIRST_BUSINESS, LAST_BUSINESS = range(4)
#: Steps of months: how many, where they stand, and the month of the year they are anchored at.
_PERIODS = {
    "MS": (1, FIRST, 0), "ME": (1, LAST, 0), "BMS": (1, FIRST_BUSINESS, 0), "BME": (1, LAST_BUSINESS, 0),
    "QS": (3, FIRST, 0), "QE": (3, LAST, 11), "BQS": (3, FIRST_BUSINESS, 0), "BQE": (3, LAST_BUSINESS, 11),
    "YS": (12, FIRST, 0), "YE": (12, LAST, 11), "BYS": (12, FIRST_BUSINESS, 0), "BYE": (12, LAST_BUSINESS, 11),
}  # fmt: skip
_FORMER = {
    "H": "h", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns", "M": "ME", "Q": "QE", "Y": "YE", "A": "YE",
    "BM": "BME", "BQ": "BQE", "BY": "BYE", "AS": "YS", "d": "D", "b": "B", "w": "W",
}  # fmt: skip
_PART = re.compile(r"([+-]?\d*\.?\d*)\s*([A-Za-z]+(?:-[A-Za-z]{3})?)\s*")


@dataclass(frozen=True)
class Frequency:
    """`n` steps of a kind.

    Attributes
    ----------
    kind : str
        "fixed": of `length` nanoseconds; "week": to a weekday (`anchor`; None: seven days); "period": of `months`
        months; "business": days from Monday to Friday; "months": the same day some months later.
    days : bool
        Fixed steps of whole days: in a time zone they are days of its calendar.
    """

    kind: str
    n: int
    length: int = 0
    anchor: int | None = None
    months: int = 0
    at: int = FIRST
    days: bool = False

    def __neg__(self) -> Frequency:
        return replace(self, n=-self.n)

    def times(self, n: int) -> Frequency:
        """The frequency multiplied by an integer."""
        return replace(self, n=self.n * n)

    @property
    def at_end(self) -> bool:
        """Whether it stands at the end of what it counts: bins are then closed on the right, and named by it."""
        return (self.kind == "period" and self.at in (LAST, LAST_BUSINESS)) or (
            self.kind == "week" and self.anchor is not None
        )

    @property
    def nanoseconds(self) -> int:
        """The length of all `n` steps; ValueError when steps have no fixed length."""
        if self.kind == "fixed":
            return self.n * self.length
        raise ValueError(f"{self} is a non-fixed frequency")


def frequency(value: Any) -> Frequency:
    """Parses pandas' name of a frequency, one of pandas' offsets, or a timedelta.

    Raises
    ------
    ValueError
        A name that is none.
    """
    if isinstance(value, Frequency):
        return value
    if isinstance(value, str):
        return _named(value)
    name = getattr(value, "freqstr", None)
    if name is not None and type(value).__name__ != "DateOffset":
        return _named(name)
    tick = tick_of(value)
    if tick is not None and tick.letter == "m" and tick.value is not None:
        return Frequency("fixed", 1, tick.value * UNITS[tick.unit])
    raise ValueError(f"Invalid frequency: {value!r}")


def _named(name: str) -> Frequency:
    total, at, parts = 0, 0, []
    while at < len(name):
        found = _PART.match(name, at)
        if found is None:
            raise ValueError(f"Invalid frequency: {name}")
        parts.append(found.groups())
        at = found.end()
    if not parts:
        raise ValueError("Invalid frequency: ''")
    if len(parts) == 1 and parts[0][1].partition("-")[0] not in _FIXED:
        return _calendar(name, *parts[0])
    for number, unit in parts:
        if unit not in _FIXED:
            raise _unknown(name, unit)
        count = float(number) if "." in number else int(number + "1" if number in ("", "+", "-") else number)
        total += round(count * _FIXED[unit])
    if len(parts) == 1 and "." not in parts[0][0]:
        unit = parts[0][1]
        return Frequency("fixed", total // _FIXED[unit], _FIXED[unit], days=unit == "D")
    return Frequency("fixed", 1, total)


def _calendar(name: str, number: str, unit: str) -> Frequency:
    if "." in number:
        raise ValueError(f"Invalid frequency: {name}: steps of the calendar are whole")
    n = int(number + "1" if number in ("", "+", "-") else number)
    base, _, anchor = unit.partition("-")
    if base == "B" and not anchor:
        return Frequency("business", n)
    if base == "W" and anchor in ("", *_WEEKDAYS):
        return Frequency("week", n, anchor=_WEEKDAYS.index(anchor or "SUN"))
    if base not in _PERIODS:
        raise _unknown(name, unit)
    months, at, month = _PERIODS[base]
    if anchor:
        if months == 1 or anchor not in MONTHS:
            raise _unknown(name, unit)
        month = MONTHS.index(anchor)
    return Frequency("period", n, months=months, anchor=month, at=at)


def _unknown(name: str, unit: str) -> ValueError:
    new = _FORMER.get(unit.partition("-")[0])
    hint = f", did you mean {new!r}?" if new else ". There are D h min s ms us ns B W MS ME QS QE YS YE and multiples"
    return ValueError(f"Invalid frequency: {name}{hint}")
