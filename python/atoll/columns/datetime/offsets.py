# SPDX-License-Identifier: Apache-2.0
"""Steps of the calendar added to columns of datetimes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .frequency import Frequency, frequency
from .tick import NAT, OutOfBoundsDatetime

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from .datetimes import Datetimes

__all__ = ["DateOffset"]

#: Monday to Friday, as the engine takes days of the week.
WORKING = 0b0011111


class DateOffset:
    """A step of the calendar, to add to datetimes or take from them: pandas' DateOffset.

    Parameters
    ----------
    n : int
        How many times.
    years, months, weeks, days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds : int
        How far. Months come first: the day is the last of its month where the month has no such day.

    Examples
    --------
    >>> import atoll as ak
    >>> import numpy as np
    >>> a = ak.array(np.array(["2026-01-31", "2024-02-29"], "M8[D]"))
    >>> a + ak.DateOffset(months=1)
    datetimes(['2026-02-28', '2024-03-29'], dtype=datetime64[D])
    """

    _UNITS: ClassVar[dict[str, int]] = {
        "weeks": 604_800 * 10**9, "days": 86_400 * 10**9, "hours": 3_600 * 10**9, "minutes": 60 * 10**9,
        "seconds": 10**9, "milliseconds": 10**6, "microseconds": 10**3, "nanoseconds": 1,
    }  # fmt: skip

    def __init__(self, n: int = 1, **lengths: int) -> None:
        known = {"years", "months", *self._UNITS}
        for name in lengths:
            if name not in known:
                raise TypeError(f"DateOffset has no {name!r}; there are {', '.join(sorted(known))}")
        if not lengths:
            lengths = {"days": 1}
        self.n = n
        self.months = n * (12 * lengths.get("years", 0) + lengths.get("months", 0))
        self.days = n * (7 * lengths.get("weeks", 0) + lengths.get("days", 0))
        self.nanoseconds = n * sum(
            count * self._UNITS[name]
            for name, count in lengths.items()
            if name in self._UNITS and name not in ("weeks", "days")
        )
        self._lengths = lengths

    def __neg__(self) -> DateOffset:
        return DateOffset(-self.n, **self._lengths)

    def __repr__(self) -> str:
        lengths = ", ".join(f"{name}={count}" for name, count in self._lengths.items())
        return f"DateOffset({'' if self.n == 1 else f'{self.n}, '}{lengths})"


def is_offset(value: ArrayLike) -> bool:
    """Whether it is a step of the calendar: ours, or one of pandas'."""
    return isinstance(value, (DateOffset, Frequency)) or hasattr(value, "freqstr")


def moved(column: Datetimes, offset: Any, sign: int) -> Datetimes:
    """The datetimes so many steps later; in a time zone by its clock."""
    if type(offset).__name__ == "DateOffset" and not isinstance(offset, DateOffset):  # pandas'
        kwds = dict(offset.kwds)
        offset = DateOffset(offset.n, **kwds)
    if isinstance(offset, DateOffset):
        local = column._local()
        if offset.months:
            local = stepped(local, "add_months", [sign * offset.months])
        if offset.days:
            local = local + np.timedelta64(sign * offset.days, "D")
        result = local._in_zone(column._zone)
        return (
            result + np.timedelta64(sign * offset.nanoseconds, "ns").astype(_unit_for(offset.nanoseconds))
            if offset.nanoseconds
            else result
        )
    step = frequency(offset).times(sign)
    if step.kind == "fixed" and not (step.days and column._zone is not None):
        length = step.nanoseconds
        return column + np.timedelta64(length, "ns").astype(_unit_for(length))
    return applied(column._local(), step)._in_zone(column._zone)


def _unit_for(nanoseconds: int) -> str:
    for unit, size in (("m8[s]", 10**9), ("m8[ms]", 10**6), ("m8[us]", 10**3)):
        if nanoseconds % size == 0:
            return unit
    return "m8[ns]"


def applied(local: Datetimes, step: Frequency) -> Datetimes:
    """Datetimes without a zone `step.n` steps later."""
    if step.kind == "fixed":
        return local + np.timedelta64(step.nanoseconds, "ns").astype(_unit_for(step.nanoseconds))
    if step.kind == "week":
        assert step.anchor is not None
        return stepped(local, "weekly", [step.n, step.anchor])
    if step.kind == "business":
        return stepped(local, "business_step", [step.n, WORKING])
    assert step.anchor is not None
    return stepped(local, "anchored", [step.n, step.months, step.anchor, step.at])


def stepped(column: Datetimes, name: str, numbers: list[int]) -> Datetimes:
    """The checked result of the engine's operation."""
    result = column._mapped(name, numbers)
    column._refuse(result == NAT, f"moved does not fit 64 bits of {column._unit}", OutOfBoundsDatetime)
    return column._like(result, column._valid)
