# SPDX-License-Identifier: Apache-2.0
"""Business days, by NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.array import Array
from ...arrays.creation import asarray
from ...arrays.selection import where
from ..column import Column, both, column_or_array
from .datetimes import Datetimes
from .engine import mapped
from .tick import UNITS, Tick
from .ticks import operand

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["busday_count", "busday_offset", "busdaycalendar", "is_busday"]

_ROLLS = ("raise", "nat", "forward", "following", "backward", "preceding", "modifiedfollowing", "modifiedpreceding")


class busdaycalendar:
    """A calendar of business days: the weekdays of a mask, except holidays.

    Parameters
    ----------
    weekmask : str or sequence of bool
        Seven from Monday on, "1111100", or names, "Mon Tue Wed Thu Fri".
    holidays : array_like of dates
        Days that are not business days.

    Examples
    --------
    >>> import atoll as ak
    >>> calendar = ak.busdaycalendar(holidays=["2026-12-25"])
    >>> ak.busday_count("2026-12-24", "2026-12-29", busdaycal=calendar)
    np.int64(2)
    """

    def __init__(self, weekmask: Any = "1111100", holidays: Any = ()) -> None:
        theirs = np.busdaycalendar(weekmask, np.atleast_1d(np.asarray(_numpy_dates(holidays), "M8[D]")))
        self.weekmask, self.holidays = theirs.weekmask, theirs.holidays

    @property
    def _numbers(self) -> list[int]:
        week = sum(1 << day for day, is_open in enumerate(self.weekmask) if is_open)
        return [week, *self.holidays.view(np.int64).tolist()]


def is_busday(dates: Any, weekmask: Any = "1111100", holidays: Any = None, busdaycal: Any = None) -> Any:
    """A mask of business days.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.is_busday(ak.date_range("2026-11-27", periods=3))
    array([ True, False, False])
    """
    calendar = _calendar(weekmask, holidays, busdaycal)
    days, valid, single = _days(dates)
    found = mapped(days, "is_business", "D", calendar._numbers)
    return bool(found[0]) if single else column_or_array(found, valid)


def busday_count(
    begindates: Any, enddates: Any, weekmask: Any = "1111100", holidays: Any = (), busdaycal: Any = None
) -> Any:
    """Number of business days from the first dates on, before the second ones: int64.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.busday_count(ak.date_range("2026-11-27", periods=3), "2026-12-01")
    array([2, 1, 1])
    """
    calendar = _calendar(weekmask, holidays, busdaycal)
    (begin, first, one), (end, last, other) = _days(begindates), _days(enddates)
    back = begin > end  # then the days after the second date, up to the first, counted negatively
    count = _number(end + back, calendar) - _number(begin + back, calendar)
    return count[0] if one and other else column_or_array(count, both(first, last))


def busday_offset(
    dates: Any,
    offsets: Any,
    roll: str = "raise",
    weekmask: Any = "1111100",
    holidays: Any = None,
    busdaycal: Any = None,
) -> Any:
    """Dates shifted by a number of business days.

    Parameters
    ----------
    dates, offsets : array_like
        Dates, and integers.
    roll : str
        Rule that first moves a date that is not a business day: "forward" ("following"), "backward" ("preceding"),
        "modifiedfollowing", "modifiedpreceding" (as these, but not out of the month), "nat", or "raise".

    Examples
    --------
    >>> import atoll as ak
    >>> ak.busday_offset(ak.array(["2026-11-28"], dtype="M8[D]"), 1, roll="forward")
    datetimes(['2026-12-01'], dtype=datetime64[D])
    """
    if roll not in _ROLLS:
        raise ValueError(f"Invalid business day roll parameter {roll!r}; there are {', '.join(_ROLLS)}")
    calendar = _calendar(weekmask, holidays, busdaycal)
    days, valid, single = _days(dates)
    steps: Any = asarray(offsets)
    if isinstance(steps, Column):
        valid, steps = both(valid, steps.valid), steps.values
    closed = ~mapped(days, "is_business", "D", calendar._numbers)
    column = Datetimes._made(days, valid, "D")
    if roll == "raise":
        column._refuse(closed, "is no business day; see the roll argument", ValueError)
    number = _number(days, calendar)
    if roll in ("backward", "preceding"):
        number = number - closed
    elif roll.startswith("modified"):
        number = number - (closed & _leaves_month(days, number, calendar, roll))
    moved = mapped(number + steps, "business_day", "D", calendar._numbers)
    if roll == "nat" and bool(closed.any()):
        valid = both(valid, ~closed)
    result = Datetimes._made(moved, valid, "D")
    return result[0] if single and steps.ndim == 0 else result


def _leaves_month(days: ndarray, number: ndarray, calendar: busdaycalendar, roll: str) -> ndarray:
    """Mask of dates for which the rule takes the day before: the next business day is in another month."""
    month = mapped(days, "month", "D")
    if roll == "modifiedfollowing":
        return mapped(mapped(number, "business_day", "D", calendar._numbers), "month", "D") != month
    return mapped(mapped(number - 1, "business_day", "D", calendar._numbers), "month", "D") == month


def _number(days: ndarray, calendar: busdaycalendar) -> ndarray:
    return mapped(days, "business_number", "D", calendar._numbers)


def _calendar(weekmask: Any, holidays: Any, given: Any) -> busdaycalendar:
    if given is not None:
        return given if isinstance(given, busdaycalendar) else busdaycalendar(given.weekmask, given.holidays)
    return busdaycalendar(weekmask, () if holidays is None else holidays)


def _numpy_dates(values: ArrayLike) -> Any:
    return values.as_unit("D").to_numpy() if isinstance(values, Datetimes) else values


def _days(dates: Any) -> tuple[ndarray, ndarray | None, bool]:
    """Days since 1970, their validity, and whether the input is a single date."""
    if isinstance(dates, str):
        dates = np.datetime64(dates, "D")
    found = operand(dates)
    if isinstance(found, Tick) and found.letter == "M":
        if found.value is None:
            raise ValueError("NaT is no date to count business days from")
        return asarray(np.array([found.value * UNITS[found.unit] // UNITS["D"]])), None, True
    if (
        not isinstance(found, Datetimes)
        and isinstance(dates, (list, tuple, np.ndarray))
        and not isinstance(dates, Array)
    ):
        found = operand(np.asarray(dates, "M8[D]"))
    if not isinstance(found, Datetimes):
        raise TypeError(f"business days are found of dates, not of {type(dates).__name__}")
    column = found._local().as_unit("D")
    return (
        where(column._valid, column._values, 0) if column._valid is not None else column._values,
        column._valid,
        False,
    )
