# SPDX-License-Identifier: Apache-2.0
"""One duration as frames give it: Python's, with what pandas' Timedelta adds; and what stands for no time at all."""

from __future__ import annotations

import datetime
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..operators import Compared
from .frequency import frequency
from .period import boxers
from .tick import CLOCK, UNITS, Tick, tick_of
from .timedeltas import text_of_duration

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["NaT", "Timedelta"]

_PARTS = {
    "weeks": 7 * UNITS["D"], "days": UNITS["D"], "hours": CLOCK["h"], "minutes": CLOCK["min"],
    "seconds": UNITS["s"], "milliseconds": UNITS["ms"], "microseconds": UNITS["us"], "nanoseconds": 1,
}  # fmt: skip
_PARTS_OF_NONE = frozenset((
    "year", "month", "day", "hour", "minute", "second", "microsecond", "nanosecond", "quarter", "week", "dayofweek",
    "day_of_week", "dayofyear", "day_of_year", "days_in_month", "days", "seconds",
))  # fmt: skip


class NaTType:
    """No datetime and no duration: equal to nothing, not even to itself; its parts are NaN."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    def __lt__(self, other: object) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __hash__(self) -> int:
        return hash("NaT")

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return "NaT"

    def __add__(self, other: object) -> Any:
        return self

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __add__

    def __neg__(self) -> Any:
        return self

    def to_datetime64(self) -> np.datetime64:
        """NumPy's."""
        return np.datetime64("NaT")

    to_numpy = to_datetime64
    tzinfo = None

    def __float__(self) -> float:
        return float("nan")

    def __getattr__(self, name: str) -> Any:
        if name in _PARTS_OF_NONE:
            return float("nan")
        raise AttributeError(name)


#: What stands for a missing datetime or duration.
NaT = NaTType()


class TimedeltaParts(NamedTuple):
    """Components of a timedelta."""

    days: int
    hours: int
    minutes: int
    seconds: int
    milliseconds: int
    microseconds: int
    nanoseconds: int

    def __repr__(self) -> str:
        return "Components(" + ", ".join(f"{name}={one}" for name, one in self._asdict().items()) + ")"


class Timedelta(Compared, datetime.timedelta):
    """A timedelta: a timedelta of Python, to the nanosecond, with what pandas' Timedelta adds.

    Examples
    --------
    >>> from atoll.columns.datetime.timedelta import Timedelta
    >>> d = Timedelta("1 days 02:00:00")
    >>> d, d.total_seconds(), d / 2
    (Timedelta('1 days 02:00:00'), 93600.0, Timedelta('0 days 13:00:00'))
    """

    __slots__ = ("_ns", "_unit")
    _ns: int
    _unit: str | None

    def __new__(cls, value: ArrayLike = None, unit: str | None = None, **parts: Any) -> Any:
        if value is None:
            total = round(sum(count * _PARTS[name] for name, count in parts.items()))
        elif isinstance(value, (int, float, np.integer, np.floating)):
            total = round(value * unit_length(unit))
        else:
            tick = tick_of(value) if not isinstance(value, str) else _read(value)
            if tick is None:
                raise ValueError(
                    f"Value must be Timedelta, string, integer, float, timedelta, not {type(value).__name__}"
                )
            if tick.value is None:
                return NaT
            total = tick.value * UNITS[tick.unit]
        return cls._made(total)

    @classmethod
    def _made(cls, total: int, unit: str | None = None) -> Any:
        """A timedelta of nanoseconds; `unit` is the resolution of the column that it comes from."""
        made = datetime.timedelta.__new__(cls, microseconds=total // 1000)
        made._ns = total
        made._unit = unit
        return made

    def __reduce__(self) -> Any:
        return Timedelta._made, (self._ns, self._unit)

    @property
    def value(self) -> int:
        """Nanoseconds."""
        return self._ns

    @property
    def unit(self) -> str:
        """The resolution: that of the column it comes from, else microseconds, or nanoseconds where needed."""
        return self._unit or ("us" if self._ns % 1000 == 0 else "ns")

    @property
    def nanoseconds(self) -> int:
        """Nanoseconds of the microsecond."""
        return self._ns % 1000

    @property
    def components(self) -> TimedeltaParts:
        """Days, hours, minutes and so on."""
        days, left = divmod(self._ns, UNITS["D"])
        hours, left = divmod(left, _PARTS["hours"])
        minutes, left = divmod(left, _PARTS["minutes"])
        seconds, left = divmod(left, UNITS["s"])
        return TimedeltaParts(days, hours, minutes, seconds, left // 10**6, left // 1000 % 1000, left % 1000)

    def total_seconds(self) -> float:
        """Seconds."""
        return self._ns / UNITS["s"]

    def to_timedelta64(self) -> Any:
        """NumPy's timedelta64."""
        return np.array(self._ns // UNITS[self.unit], f"m8[{self.unit}]")[()]

    to_numpy = to_timedelta64

    @property
    def asm8(self) -> Any:
        """The same."""
        return self.to_timedelta64()

    def to_pytimedelta(self) -> datetime.timedelta:
        """Python's timedelta."""
        return datetime.timedelta(microseconds=self._ns // 1000)

    def _rounded(self, freq: Any, how: str) -> Timedelta:
        return Timedelta(rounded(self._ns, frequency(freq).nanoseconds, how))

    def floor(self, freq: object) -> Timedelta:
        """Rounded down to a multiple of a frequency."""
        return self._rounded(freq, "floor")

    def ceil(self, freq: object) -> Timedelta:
        """Rounded up."""
        return self._rounded(freq, "ceil")

    def round(self, freq: object) -> Timedelta:
        """Rounded to the nearest, halves to the even multiple."""
        return self._rounded(freq, "round")

    def __add__(self, other: Any) -> Any:
        length = length_of(other)
        if length is not None:
            return Timedelta(self._ns + length)
        moment = _moment(other)
        return NotImplemented if moment is None else moment + self

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        length = length_of(other)
        return NotImplemented if length is None else Timedelta(self._ns - length)

    def __rsub__(self, other: Any) -> Any:
        length = length_of(other)
        if length is not None:
            return Timedelta(length - self._ns)
        moment = _moment(other)
        return NotImplemented if moment is None else moment - self

    def __mul__(self, other: object) -> Any:
        return Timedelta(self._ns * other) if isinstance(other, (int, float, np.number)) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        length = length_of(other)
        if length is not None:
            return self._ns / length
        return Timedelta(self._ns / other) if isinstance(other, (int, float, np.number)) else NotImplemented

    def __floordiv__(self, other: Any) -> Any:
        length = length_of(other)
        if length is not None:
            return self._ns // length
        return Timedelta(float(self._ns // other)) if isinstance(other, (int, float)) else NotImplemented

    def __mod__(self, other: Any) -> Any:
        length = length_of(other)
        return NotImplemented if length is None else Timedelta(self._ns % length)

    def __neg__(self) -> Any:
        return Timedelta(-self._ns)

    def __abs__(self) -> Any:
        return Timedelta(abs(self._ns))

    def _compared(self, other: Any, operation: Any) -> Any:
        if getattr(other, "shape", ()) != ():  # columns and arrays compare themselves
            return NotImplemented
        length = length_of(other)
        return compared_to_another(other, operation) if length is None else operation(self._ns, length)

    def __hash__(self) -> int:
        return datetime.timedelta.__hash__(self) if self._ns % 1000 == 0 else hash(self._ns)

    def isoformat(self) -> str:
        """As text by ISO 8601."""
        held = self.components
        fraction = f"{held.milliseconds:03}{held.microseconds:03}{held.nanoseconds:03}".rstrip("0")
        seconds = f"{held.seconds}{'.' + fraction if fraction else ''}"
        return f"P{held.days}DT{held.hours}H{held.minutes}M{seconds}S"

    def __str__(self) -> str:
        return text_of_duration(self._ns)

    def __repr__(self) -> str:
        return f"Timedelta('{self}')"


def _moment(value: ArrayLike) -> Any:
    """A datetime of Python or NumPy as a Timestamp; None of anything else."""
    tick = tick_of(value) if isinstance(value, (datetime.datetime, np.datetime64)) else None
    return None if tick is None else boxers[0](tick)


def compared_to_another(other: object, operation: Callable[[Any, Any], Any]) -> Any:
    """A datetime or duration beside what is no such one: equal to none, and NaT is neither before nor behind it."""
    if operation in (operator.eq, operator.ne):
        return operation is operator.ne
    return False if other is NaT else NotImplemented


def rounded(value: int, length: int, how: str) -> int:
    down = value // length * length
    if how == "floor" or down == value:
        return down
    if how == "ceil":
        return down + length
    twice = 2 * (value - down)
    odd = down // length % 2 == 1
    return down + length if twice > length or (twice == length and odd) else down


def unit_length(unit: str | None) -> int:
    names = {"W": _PARTS["weeks"], "m": CLOCK["min"], **CLOCK, **UNITS, **_PARTS}
    if unit is not None and unit not in names and f"{unit}s" not in names:
        raise ValueError(f"invalid unit abbreviation: {unit}")
    return 1 if unit is None else names[unit if unit in names else f"{unit}s"]


def _read(text: str) -> Tick:
    from .parsing import to_timedelta

    found = tick_of(to_timedelta(text))
    assert found is not None
    return found


def length_of(value: ArrayLike) -> int | None:
    """Nanoseconds of a timedelta; None of anything else."""
    if isinstance(value, Timedelta):
        return value._ns
    if not isinstance(value, (datetime.timedelta, np.timedelta64)) and not hasattr(value, "to_timedelta64"):
        return None
    tick = tick_of(value)
    return None if tick is None or tick.value is None or tick.letter != "m" else tick.value * UNITS[tick.unit]
