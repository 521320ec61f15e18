# SPDX-License-Identifier: Apache-2.0
"""Datetimes and timedeltas at multiples of a length."""

from __future__ import annotations

from typing import Any

from .engine import mapped
from .frequency import Frequency
from .tick import NAT, UNITS, finest
from .ticks import Ticks


def rounded_to(column: Any, how: str, step: Frequency) -> Any:
    """Datetimes or timedeltas at multiples of a frequency of fixed length."""
    length = step.nanoseconds
    if length <= 0:
        raise ValueError(f"Division by zero in rounding: a frequency of {length} ns")
    if UNITS[column._unit] % length == 0:
        return column
    unit = column._unit
    if unit != "D" and length % UNITS[unit]:
        raise ValueError(f"multiples of {length} ns are no whole numbers of {unit}: convert to a finer unit by as_unit")
    while length % UNITS[unit]:  # a step that is no whole number of units
        unit = finest(unit, next(u for u in ("s", "ms", "us", "ns") if UNITS[u] < UNITS[unit]))
    fine = column.as_unit(unit)
    values = mapped(fine._values, how, unit, [length // UNITS[unit], 0])
    fine._refuse(values == NAT, f"rounded does not fit 64 bits of {unit}")
    return fine._like(values, fine._valid).as_unit(column._unit)


def is_whole(column: Ticks, unit: str) -> bool:
    """Whether all that are there are integers of a unit."""
    if UNITS[unit] <= UNITS[column._unit]:
        return True
    bad = mapped(column._values, "floor", column._unit, [UNITS[unit] // UNITS[column._unit], 0]) != column._values
    return not bool((bad if column._valid is None else bad & column._valid).any())
