# SPDX-License-Identifier: Apache-2.0
"""The frequency of datetimes and timedeltas, inferred from their differences."""

from __future__ import annotations

from typing import Any

from ...columns.datetime.datetimes import Datetimes
from ...columns.datetime.ticks import Ticks
from ...io.fallback import pandas_at_work

_WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_DAY = 86_400_000_000_000
_UNITS = (("h", 3_600_000_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
          ("ns", 1))  # fmt: skip


def inferred(index: Any) -> Any:
    """Result of `pandas.infer_freq` for three labels at the same distances: a name or an offset."""
    import pandas as pd

    step = frequency_of(index)
    with pandas_at_work("infer_freq"):
        if isinstance(index._values, Datetimes):
            return pd.infer_freq(pd.date_range("2000-01-03", periods=3, freq=step, unit="ns"))
        return pd.infer_freq(pd.timedelta_range("0 days", periods=3, freq=step, unit="ns"))


def frequency_of(index: Any) -> str:
    """The name of the step between labels. NotImplementedError where steps are of a calendar: pandas knows these."""
    values = index._values
    if not isinstance(values, Ticks):
        raise NotImplementedError("steps of other labels are pandas'")
    if values.size < 3:
        raise ValueError("Need at least 3 dates to infer frequency")
    if getattr(values, "tz", None) is not None or bool(values.isna().any()):
        raise NotImplementedError("zones, Series and missing values are pandas'")
    ticks = values._values
    steps = ticks[1:] - ticks[:-1]
    step = int(steps[0])
    if step <= 0 or values.unit not in ("s", "ms", "us", "ns") or not bool((steps == step).all()):
        raise NotImplementedError("steps that differ are pandas'")
    length = step * {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000}.get(values.unit, 1)
    if length % _DAY:
        unit, size = next((unit, size) for unit, size in _UNITS if length % size == 0)
        return _named(length // size, unit)
    days = length // _DAY
    if isinstance(values, Datetimes) and days % 7 == 0:
        first = int(values[:1].dayofweek[0])
        return _named(days // 7, f"W-{_WEEKDAYS[first]}")
    if days >= 28 or days % 7 == 0:
        raise NotImplementedError("steps that may be months are pandas'")
    return _named(days, "D")


def _named(count: int, unit: str) -> str:
    return unit if count == 1 else f"{count}{unit}"
