# SPDX-License-Identifier: Apache-2.0
"""Datetimes and timedeltas read from strings, in the unit that they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..column import both
from ..text.strings import Strings
from .engine import measured, per_day
from .tick import NAT, OutOfBoundsTimedelta

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray

#: What the engine gives instead: not readable, finer than the unit, too far away, an offset where none may be.
UNREADABLE, FINER, FAR, OTHER_ZONE = NAT, NAT + 1, NAT + 2, NAT + 3


def read_strings(
    strings: Strings, made: Any, read: Callable[[str], ndarray], errors: str, expected: str, too_far: type[ValueError]
) -> Any:
    """A column of class `made`: in microseconds, or in nanoseconds where a string needs them.

    `read` gives the numbers in a unit. Strings that cannot be read are missing, or an error unless `errors` is
    "coerce"; `too_far` is the class of the error for values that do not fit 64 bits.
    """
    unit = "us"
    values = read(unit)
    bad = values <= OTHER_ZONE
    if bool(bad.any()) and bool((values == FINER).any()):
        unit = "ns"
        values = read(unit)
        bad = values <= OTHER_ZONE
    bad = bad if strings._valid is None else bad & strings._valid
    valid = strings._valid
    if bool(bad.any()):
        if errors == "raise":
            row = int(bad.argmax())
            raise _why(int(values[row]), row, strings[row], unit, expected, too_far)
        valid = both(valid, ~bad)
    return made._made(values, valid, unit)


def _why(code: int, row: int, text: str, unit: str, expected: str, too_far: type[ValueError]) -> ValueError:
    if code == FAR:
        return too_far(f"row {row}: {text!r} does not fit 64 bits of {unit}")
    if code == OTHER_ZONE:
        return ValueError(
            f"row {row}: {text!r}: texts with and without an offset from UTC do not go into one column; use utc=True"
        )
    return ValueError(f'row {row}: {text!r} does not match {expected}; errors="coerce" makes such rows missing')


def read_durations(strings: Strings, made: Any, errors: str = "raise") -> Any:
    """A column of timedeltas, of class `made`, of strings."""

    def read(unit: str) -> ndarray:
        return measured(strings, "read_duration", [], [per_day(unit)])

    return read_strings(strings, made, read, errors, "a duration", OutOfBoundsTimedelta)
