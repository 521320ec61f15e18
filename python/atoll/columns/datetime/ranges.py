# SPDX-License-Identifier: Apache-2.0
"""Regular sequences of datetimes and timedeltas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, full
from .datetimes import Datetimes
from .engine import mapped
from .frequency import FIRST, FIRST_BUSINESS, Frequency, frequency
from .offsets import WORKING
from .tick import MOST, UNITS, OutOfBoundsDatetime, Tick, finest, zone_name
from .ticks import operand
from .timedeltas import Timedeltas

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["bdate_range", "date_range", "timedelta_range"]


def date_range(
    start: Any = None, end: Any = None, periods: int | None = None, freq: Any = None, tz: Any = None,
    normalize: bool = False, inclusive: str = "both", unit: str | None = None,
) -> Datetimes:  # fmt: skip
    """Datetimes one step after another.

    Parameters
    ----------
    start, end : text, datetime or datetime64, optional
        The first and the last. Steps of the calendar begin at the first that is not before `start`.
    periods : int, optional
        How many.
    freq : str, optional
        The step: D h min s ms us ns, B (Monday to Friday), W and W-MON …, MS ME QS QE YS YE (QS-FEB …) and the same of
        business days (BMS …), multiples as "2h30min"; by default "D". Without it, start, end and periods give equal
        steps.
    tz : str, optional
        A time zone: days and steps of the calendar are by its clock.
    normalize : bool
        Begin and end at midnight.
    inclusive : str
        "both", "left", "right", "neither": whether ends that are met belong to it.
    unit : str, optional
        s, ms, us, ns; by default what the ends and the step need, us at least.

    Returns
    -------
    Datetimes
        Of the three of start, end and periods two are needed.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.date_range("2026-11-24", periods=3)
    datetimes(['2026-11-24', '2026-11-25', '2026-11-26'], dtype=datetime64[us])
    >>> ak.date_range("2026-01-15", "2026-06-01", freq="ME")
    datetimes(['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'], dtype=datetime64[us])
    """
    periods = _count(start, end, periods, freq)
    step = None if freq is None and periods is not None and None not in (start, end) else frequency(freq or "D")
    ends = [None if one is None else _moment(one) for one in (start, end)]
    zone = _zone_of(ends, tz)
    unit = unit or finest("us", *(one.unit for one in ends if one is not None), _unit_of(step))
    local_steps = step is None or step.kind != "fixed" or step.days
    first, last = (None if one is None else _number(one, unit, zone, local_steps and step is not None) for one in ends)
    if normalize:
        day = UNITS["D"] // UNITS[unit]
        first, last = (None if one is None else one // day * day for one in (first, last))
    values = _spread(first, last, periods) if step is None else _stepped(first, last, periods, step, unit)
    values = _without_ends(values, first, last, inclusive)
    if zone is None:
        return Datetimes._made(values, None, unit)
    if local_steps and step is not None:
        return Datetimes._made(values, None, unit).tz_localize(zone)
    return Datetimes._made(values, None, unit, zone)


def bdate_range(
    start: ArrayLike = None, end: ArrayLike = None, periods: int | None = None, freq: object = "B", tz: object = None,
    normalize: bool = True, inclusive: str = "both",
) -> Datetimes:  # fmt: skip
    """`date_range` of business days, Monday to Friday.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.bdate_range("2026-11-27", periods=2)
    datetimes(['2026-11-27', '2026-11-30'], dtype=datetime64[us])
    """
    return date_range(start, end, periods, freq, tz, normalize, inclusive)


def timedelta_range(
    start: Any = None, end: Any = None, periods: int | None = None, freq: Any = None, closed: str | None = None,
    unit: str | None = None,
) -> Timedeltas:  # fmt: skip
    """Timedeltas one step after another; see `date_range`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.timedelta_range("1 day", periods=3, freq="12h")
    timedeltas(['1 days 00:00:00', '1 days 12:00:00', '2 days 00:00:00'], dtype=timedelta64[us])
    """
    periods = _count(start, end, periods, freq)
    step = None if freq is None and periods is not None and None not in (start, end) else frequency(freq or "D")
    if step is not None and step.kind != "fixed":
        raise ValueError(f"{freq} is a non-fixed frequency, which durations do not have")
    ends = [None if one is None else _duration(one) for one in (start, end)]
    unit = unit or finest("us", *(one.unit for one in ends if one is not None), _unit_of(step))
    first, last = (None if one is None else one.to(unit) for one in ends)
    values = _spread(first, last, periods) if step is None else _stepped(first, last, periods, step, unit)
    inclusive = {None: "both", "left": "left", "right": "right"}.get(closed)
    if inclusive is None:
        raise ValueError(f"closed is 'left', 'right' or None, not {closed!r}")
    return Timedeltas._made(_without_ends(values, first, last, inclusive), None, unit)


# -- what is asked --


def _count(start: Any, end: Any, periods: Any, freq: Any) -> int | None:
    given = sum(one is not None for one in (start, end, periods))
    if given < 2 or (given == 3 and freq is not None):
        raise ValueError(
            "Of the four parameters: start, end, periods, and freq, exactly three must be specified (freq is 'D' when "
            "left out)"
        )
    if periods is None:
        return None
    if isinstance(periods, bool) or not hasattr(periods, "__index__"):
        raise TypeError(f"periods must be an integer, got {periods!r}")
    count = int(periods)
    if count < 0:
        raise ValueError(f"Number of periods must be non-negative, got {count}")
    return count


def _moment(value: ArrayLike) -> Tick:
    from .parsing import to_datetime

    found = operand(to_datetime(value) if isinstance(value, str) else value)
    if not isinstance(found, Tick) or found.letter != "M" or found.value is None:
        raise ValueError(f"{value!r} is no moment; neither `start` nor `end` can be NaT")
    return found


def _duration(value: ArrayLike) -> Tick:
    from .parsing import to_timedelta

    found = operand(to_timedelta(value) if isinstance(value, str) else value)
    if not isinstance(found, Tick) or found.letter != "m" or found.value is None:
        raise ValueError(f"{value!r} is no duration")
    return found


def _zone_of(ends: list[Tick | None], tz: object) -> str | None:
    zones_given = {one.zone for one in ends if one is not None and one.zone is not None}
    if len(zones_given) > 1:
        raise TypeError("Start and end cannot both be tz-aware with different timezones")
    given = zone_name(tz)
    if given is not None and zones_given - {given}:
        raise AssertionError("Inferred time zone not equal to passed time zone")
    return given or next(iter(zones_given), None)


def _unit_of(step: Frequency | None) -> str:
    """The unit that a step needs."""
    if step is None or step.kind != "fixed":
        return "s"
    return next(unit for unit in ("s", "ms", "us", "ns") if step.nanoseconds % UNITS[unit] == 0)


def _number(one: Tick, unit: str, zone: str | None, local: bool) -> int:
    """The clock's time, or UTC's."""
    if zone is None or (one.zone is None and local):
        return one.to(unit)
    moment = Datetimes._made(asarray(np.array([one.to(unit)])), None, unit, one.zone)
    if one.zone is None:
        moment = moment.tz_localize(zone)
    return int((moment._like_zone(zone)._local() if local else moment)._values[0])


# -- numbers --


def _spread(first: Any, last: Any, periods: Any) -> ndarray:
    if periods == 1:
        return full(1, first, dtype=np.int64)
    whole, left = divmod(last - first, max(periods - 1, 1))
    rows = arange(periods)
    return asarray(first + rows * whole + (rows.astype(np.float64) * left / max(periods - 1, 1)).astype(np.int64))


def _stepped(first: int | None, last: int | None, periods: int | None, step: Frequency, unit: str) -> ndarray:
    """From `first` on, or up to `last`."""
    if step.n == 0 or (step.kind == "fixed" and step.nanoseconds == 0):
        raise ValueError(f"Offset {step} did not increment date")
    if step.kind == "fixed":
        return _progress(first, last, periods, step.nanoseconds // UNITS[unit])
    if step.kind == "week":
        return _weeks(first, last, periods, step, UNITS["D"] // UNITS[unit])
    return _counted(first, last, periods, step, unit)


def _progress(first: int | None, last: int | None, periods: int | None, by: int) -> ndarray:
    if periods is None:
        assert first is not None
        assert last is not None
        periods = max((last - first) // by + 1, 0)
    if first is None:
        assert last is not None
        first = last - (periods - 1) * by
    if periods and not (-MOST <= first <= MOST and -MOST <= first + (periods - 1) * by <= MOST):
        raise OutOfBoundsDatetime("Cannot generate range with these ends and periods: they do not fit 64 bits")
    return arange(periods) * by + first


def _weeks(first: int | None, last: int | None, periods: int | None, step: Frequency, day: int) -> ndarray:
    anchor = step.anchor
    assert anchor is not None

    def ahead(value: int) -> int:
        return (anchor - value // day - 3) % 7

    forward = step.n > 0
    if first is not None:
        days = ahead(first)
        first += (days if forward or days == 0 else days - 7) * day
    elif last is not None:
        days = ahead(last)
        last += (days if days == 0 or not forward else days - 7) * day
    return _progress(first, last, periods, 7 * day * step.n)


def _counted(first: int | None, last: int | None, periods: int | None, step: Frequency, unit: str) -> ndarray:
    """Steps that are numbered: months and their multiples, business days. The time of day is that of the ends."""
    day = UNITS["D"] // UNITS[unit]
    forward = step.n > 0
    end = first if first is not None else last
    assert end is not None
    time = end % day
    start = None if first is None else _place(first, day, step, up=forward)
    stop = None if last is None else _place(last, day, step, up=not forward)
    numbers = _progress(start, stop, periods, step.n)
    if step.kind == "business":
        days = mapped(numbers, "business_day", "D", [WORKING])
    else:
        assert step.anchor is not None
        start_month = step.anchor if step.at in (FIRST, FIRST_BUSINESS) else step.anchor + 1
        days = mapped(numbers, "of_period", "D", [step.months, start_month % step.months, step.at])
    values = Datetimes._made(days, None, "D").as_unit(unit)._values + time
    if periods is None:
        assert last is not None
        values = values[values <= last] if forward else values[values >= last]
    return values


def _place(value: int, day: int, step: Frequency, up: bool) -> int:
    """The number of the step at a datetime, else of the next one, or of the one before."""
    date = asarray(np.array([value // day]))
    if step.kind == "business":
        number, there = (int(mapped(date, name, "D", [WORKING])[0]) for name in ("business_number", "is_business"))
        return number if there or up else number - 1
    assert step.anchor is not None
    start_month = step.anchor if step.at in (FIRST, FIRST_BUSINESS) else step.anchor + 1
    numbers = [step.months, start_month % step.months]
    number = int(mapped(date, "period", "D", numbers)[0])
    stands = int(mapped(asarray(np.array([number])), "of_period", "D", [*numbers, step.at])[0])
    here = value // day
    if stands < here and up:
        return number + 1
    return number - 1 if stands > here and not up else number


def _without_ends(values: ndarray, first: int | None, last: int | None, inclusive: str) -> ndarray:
    if inclusive not in ("both", "left", "right", "neither"):
        raise ValueError("Inclusive has to be either 'both', 'neither', 'left' or 'right'")
    if inclusive in ("right", "neither") and first is not None and values.size and int(values[0]) == first:
        values = values[1:]
    if inclusive in ("left", "neither") and last is not None and values.size and int(values[-1]) == last:
        values = values[:-1]
    return values
