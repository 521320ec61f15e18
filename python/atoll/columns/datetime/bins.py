# SPDX-License-Identifier: Apache-2.0
"""Time bins, which group rows by a frequency, as pandas' resample does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...arrays.creation import arange, asarray, full
from ...arrays.histograms import searchsorted
from ...arrays.selection import where
from .datetimes import Datetimes
from .engine import mapped
from .frequency import Frequency, frequency
from .offsets import applied
from .ranges import date_range
from .tick import UNITS, Tick, finest
from .ticks import operand

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray

__all__ = ["TimeBins", "time_bins"]


class TimeBins(NamedTuple):
    """The bin number of each row, -1 for a missing datetime, and the label of every bin, also of empty ones."""

    numbers: ndarray
    labels: Any


def time_bins(
    moments: Datetimes, freq: Any, closed: str | None = None, label: str | None = None, origin: object = "start_day",
    offset: object = None,
) -> TimeBins:  # fmt: skip
    """Bins of one step of a frequency each, from the first datetime to the last: those of pandas' resample.

    Parameters
    ----------
    datetimes : Datetimes
        In any order.
    freq : str
        As `date_range` has them.
    closed : str, optional
        The end that belongs to a bin, "left" or "right"; by default "right" of ME QE YE, of business ends and of weeks.
    label : str, optional
        The end that labels a bin; by default as `closed`.
    origin : str or datetime
        What bins of fixed length are counted from: "start_day" (the first day's midnight), "start", "epoch", "end",
        "end_day", or a datetime.
    offset : duration, optional
        Added to the origin.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.to_datetime(ak.array(["2026-11-24 10:05", "2026-11-24 12:30", "2026-11-24 10:59"]))
    >>> bins = ak.time_bins(a, "h")
    >>> bins.numbers
    array([0, 2, 0])
    >>> bins.labels
    datetimes(['2026-11-24 10:00:00', '2026-11-24 11:00:00', '2026-11-24 12:00:00'], dtype=datetime64[us])
    """
    step = frequency(freq)
    usual = "right" if step.at_end or (isinstance(origin, str) and origin in ("end", "end_day")) else "left"
    closed, label = closed or usual, label or usual
    for side in (closed, label):
        if side not in ("left", "right"):
            raise ValueError(f"Unsupported value {side} for `closed` or `label`: it is 'left' or 'right'")
    there = moments._there()
    if there.size == 0:
        return TimeBins(full(moments.size, -1, dtype=np.int64), moments[:0])
    if step.kind == "fixed" and not (step.days and moments._zone is not None):
        return _fixed(moments, step, closed, label, origin, offset)
    if step.kind == "fixed":  # days of the zone's calendar
        bins = _fixed(moments._local(), step, closed, label, origin, offset)
        return TimeBins(bins.numbers, bins.labels.tz_localize(moments._zone, True, "shift_forward"))
    return _by_calendar(moments, step, closed, label)


def _missing_out(moments: Datetimes, numbers: ndarray) -> ndarray:
    return numbers if moments._valid is None else where(moments._valid, numbers, -1)


def _fixed(moments: Datetimes, step: Frequency, closed: str, label: str, origin: object, offset: object) -> TimeBins:
    unit = finest(moments._unit, next(u for u in ("D", "s", "ms", "us", "ns") if step.nanoseconds % UNITS[u] == 0))
    column = moments.as_unit(unit)
    length = step.nanoseconds // UNITS[unit]
    if length <= 0:
        raise ValueError(f"bins need a length above 0, not {length}")
    there = column._there()
    first, last = int(there.min()), int(there.max())
    zero = _origin(column, first, last, length, origin, offset, unit)
    before, behind = (first - zero) % length, (last - zero) % length
    if closed == "right":
        start = first - (before or length)
        stop = last + ((length - behind) if behind else 0)
        numbers = -mapped(-(column._values - start), "floored", unit, [length]) - 1
    else:
        start, stop = first - before, last + length - behind
        numbers = mapped(column._values - start, "floored", unit, [length])
    count = (stop - start) // length
    labels = arange(count) * length + (start if label == "left" else start + length)
    return TimeBins(_missing_out(column, numbers), Datetimes._made(labels, None, unit, moments._zone))


def _origin(column: Datetimes, first: int, last: int, length: int, origin: Any, offset: Any, unit: str) -> int:
    """A boundary of bins, in units."""

    def midnight(moment: int) -> int:
        one = column._like(asarray(np.array([moment])), None)
        return int(one.normalize()._values[0])

    if origin == "epoch":
        zero = 0
    elif origin == "start_day":
        zero = midnight(first)
    elif origin == "start":
        zero = first
    elif origin in ("end", "end_day"):
        end = last if origin == "end" else -(-last // (UNITS["D"] // UNITS[unit])) * (UNITS["D"] // UNITS[unit])
        zero = end
    else:
        found: Any = column._own(origin) if not isinstance(origin, str) else column._read(origin)
        if not isinstance(found, Tick) or found.value is None:
            raise ValueError(f"'origin' is 'epoch', 'start', 'start_day', 'end', 'end_day' or a moment, not {origin!r}")
        zero = found.to(unit)
    if offset is not None:
        from .parsing import to_timedelta

        ahead = operand(to_timedelta(offset) if isinstance(offset, str) else offset)
        if not isinstance(ahead, Tick) or ahead.letter != "m":
            raise ValueError(f"offset is a duration, not {offset!r}")
        zero += ahead.to(unit)
    return zero


def _by_calendar(moments: Datetimes, step: Frequency, closed: str, label: str) -> TimeBins:
    """Boundaries are midnights of calendar days; a bin that includes its end includes that whole day."""
    local = moments._local()
    days = local.as_unit("D")
    there = days._there()
    ends = Datetimes._made(asarray(np.array([int(there.min()), int(there.max())])), None, "D")
    one = replace(step, n=1)
    if closed == "left":
        first = applied(applied(ends, one), -one)[:1]  # the step at or before it
    else:
        first = applied(ends, -step)[:1]
    last = applied(ends, step)[1:]
    if closed == "right" and not step.at_end:
        days = local
    edges = date_range(first[0], last[0], freq=step, unit="s").as_unit(days._unit)._values
    side = "right" if closed == "left" else "left"
    places = searchsorted(edges, days._values, side) - 1
    there = days._there()
    low, high = (
        int(searchsorted(edges, asarray(np.array([int(end)])), side)[0]) - 1 for end in (there.min(), there.max())
    )
    if closed == "right" and not step.at_end:
        low = 0  # pandas begins one step before the first day
    count = high - low + 1
    labels = edges[low : low + count] if label == "left" else edges[low + 1 : low + 1 + count]
    made = Datetimes._made(labels, None, days._unit).as_unit(
        "s" if moments._unit == "D" and moments._zone else moments._unit
    )
    made = made if moments._zone is None else made.tz_localize(moments._zone, True, "shift_forward")
    return TimeBins(_missing_out(moments, places - low), made)
