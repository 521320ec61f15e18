# SPDX-License-Identifier: Apache-2.0
"""Creation of columns of datetimes, timedeltas and times of day from foreign values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from . import datetimes as _datetimes
from . import timedeltas as _timedeltas
from .tick import (
    MOST,
    UNITS,
    Letter,
    OutOfBoundsDatetime,
    OutOfBoundsTimedelta,
    Tick,
    finest,
    tick_of,
    unit_of,
    zone_name,
)
from .ticks import CLASSES, Ticks

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray

del _datetimes, _timedeltas  # their import registers them in CLASSES


def ticks_from_numpy(values: np.ndarray[Any, Any], zone: str | None = None) -> Ticks:
    """A column of a 1-d array of datetime64 or timedelta64; with a zone its values are those of UTC."""
    if values.ndim != 1:
        raise ValueError(f"a column is 1-dimensional, got shape {values.shape}")
    letter = values.dtype.kind
    unit, count = unit_of(values.dtype)
    if count == 0 or (letter == "m" and unit == "D"):
        if count == 0 and letter == "m":
            raise TypeError(f"{values.dtype} has no fixed length: months and years differ")
        values, unit, count = _as_unit(values, "D" if letter == "M" else "s"), "D" if letter == "M" else "s", 1
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    missing = np.isnat(values)
    numbers = np.ascontiguousarray(values).view(np.int64)
    if count != 1:
        most = MOST // count
        if bool(((np.abs(numbers) > most) & ~missing).any()):
            raise (OutOfBoundsDatetime if letter == "M" else OutOfBoundsTimedelta)(
                f"a value of {values.dtype} does not fit 64 bits of {unit}"
            )
        numbers = numbers * count
    return _column(letter, numbers, missing, unit, zone)


def _as_unit(values: np.ndarray[Any, Any], unit: str) -> np.ndarray[Any, Any]:
    return values.astype(f"{values.dtype.kind}8[{unit}]")


def _column(
    letter: Letter, numbers: np.ndarray[Any, Any], missing: np.ndarray[Any, Any], unit: str, zone: str | None
) -> Ticks:
    valid: ndarray | None = asarray(~missing) if bool(missing.any()) else None
    return CLASSES[letter]._made(asarray(numbers), valid, unit, zone)


def ticks_from_objects(values: Sequence[Any], missing: np.ndarray[Any, Any]) -> Ticks | None:
    """A column of objects of Python, NumPy or pandas; None if the first value, missing ones aside, is another type."""
    ticks: list[Tick] = []
    missing = missing | np.fromiter((value != value for value in values), bool, len(values))
    for value, none in zip(values, missing.tolist(), strict=True):
        if none:
            continue
        tick = tick_of(value)
        if tick is None:
            if not ticks:
                return None
            raise TypeError(f"{value!r} does not go into one column with {values[0]!r}")
        ticks.append(tick)
    there = [tick for tick in ticks if tick.value is not None]
    letters = {tick.letter for tick in there} or {"M"}
    if len(letters) > 1:
        raise TypeError("moments, durations and times of day do not go into one column")
    zones = {tick.zone for tick in there} or {None}
    if None in zones and len(zones) > 1:
        raise ValueError("Cannot mix tz-aware with tz-naive values")
    if len(zones) > 1:
        raise ValueError("Mixed timezones detected. Pass utc=True in ak.to_datetime or convert them to one zone first")
    unit = finest(*{tick.unit for tick in there}) if there else "s"
    letter = letters.pop()
    unit = "s" if letter != "M" and unit == "D" else unit
    numbers = np.zeros(len(values), np.int64)
    places = np.flatnonzero(~missing)
    for place, tick in zip(places.tolist(), ticks, strict=True):
        if tick.value is None:
            missing[place] = True
        else:
            numbers[place] = tick.to(unit)
    return _column(letter, numbers, missing, unit, zones.pop())


def ticks_from_arrow(array: Any) -> Ticks:
    """A column of an Arrow array of timestamps, dates, timedeltas or times."""
    import pyarrow as pa

    kind, zone = array.type, None
    letter: Letter = "M" if pa.types.is_timestamp(kind) or pa.types.is_date(kind) else "t"
    width: Any = np.int32 if pa.types.is_date32(kind) or pa.types.is_time32(kind) else np.int64
    unit = "D" if pa.types.is_date(kind) else kind.unit
    if pa.types.is_duration(kind):
        letter = "m"
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        zone = zone_name(kind.tz)
    buffer = array.buffers()[1]
    if buffer is None or len(array) == 0:
        numbers = np.zeros(len(array), np.int64)
    else:
        numbers = np.frombuffer(buffer, width)[array.offset : array.offset + len(array)].astype(np.int64, copy=False)
    if pa.types.is_date64(kind):
        numbers = numbers // (UNITS["D"] // UNITS["ms"])
    missing = ~array.is_valid().to_numpy(zero_copy_only=False) if array.null_count else np.zeros(len(array), bool)
    return _column(letter, numbers, missing, unit, zone)


def ticks(values: Any, dtype: np.dtype[Any]) -> Ticks:
    """Values as a column of a NumPy dtype: integers in its units, or strings and objects as NumPy converts them."""
    unit = np.datetime_data(dtype)[0]
    found = values if isinstance(values, np.ndarray) else None
    if found is None or found.dtype.kind == "O":
        objects = np.empty(len(values), object)
        objects[:] = list(values)
        nothing = np.array([value is None for value in objects], bool)
        made = ticks_from_objects(list(objects), nothing)
        if made is None:
            made = ticks_from_numpy(np.asarray(list(values), dtype=dtype))
    else:
        made = ticks_from_numpy(found.astype(dtype) if found.dtype.kind != dtype.kind else found)
    if made.dtype.kind != dtype.kind:
        raise TypeError(f"{made.kind} cannot become {dtype}")
    return made if unit == "generic" else made.astype(dtype)
