# SPDX-License-Identifier: Apache-2.0
"""Datetimes and timedeltas of strings and numbers: `to_datetime`, `to_timedelta`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.array import Array
from ...arrays.creation import asarray, full
from ...arrays.selection import where
from ...arrays.sizes import is_wide
from ...arrays.ufuncs import rint, trunc
from ..column import Column, as_column, both
from ..objects import Objects
from ..text.strings import Strings, as_strings
from .datetimes import Datetimes
from .engine import mapped, measured, per_day
from .strings import OTHER_ZONE, UNREADABLE, read_durations, read_strings
from .tick import CLOCK, NAT, UNITS, OutOfBoundsDatetime, OutOfBoundsTimedelta, tick_of, zone_name
from .ticks import CLASSES, Ticks
from .timedeltas import Timedeltas

if TYPE_CHECKING:
    pass

__all__ = ["strptime", "to_datetime", "to_timedelta"]

#: Formats that the first text may have, besides ISO 8601, which is the empty one.
_DATES = ("%m/%d/%Y", "%m-%d-%Y", "%m.%d.%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%b %d %Y")
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", "T%H:%M:%S", "T%H:%M:%S.%f")
_OFFSETS = ("", "%z", " %z", " %Z")
#: Units of numbers, in nanoseconds.
_NUMBERS = {
    **UNITS, "d": UNITS["D"], "W": 7 * UNITS["D"], "h": 3_600 * UNITS["s"], "m": 60 * UNITS["s"],
    "min": 60 * UNITS["s"],
}  # fmt: skip


def _as_numbers(arg: object) -> Any:
    """A list of numbers as an array, anything else as it is."""
    if not isinstance(arg, (list, tuple)) or not all(isinstance(one, (int, float, np.number)) for one in arg):
        return arg
    found = np.asarray(arg)
    return found if found.dtype.kind in "iuf" and found.size else arg


def to_datetime(
    arg: Any, errors: str = "raise", dayfirst: bool = False, utc: bool = False, format: str | None = None,
    unit: str | None = None, origin: object = "unix",
) -> Any:  # fmt: skip
    """Datetimes of strings, numbers, dates, or columns of years, months and days.

    Parameters
    ----------
    arg : array_like, mapping or scalar
        Strings; numbers of units since the origin; datetimes; or a mapping of "year", "month", "day" (and
        "hour", "minute", "second", "ms", "us", "ns") to columns of integers.
    errors : str
        "raise", or "coerce": what cannot be read is missing.
    dayfirst : bool
        Whether the day stands before the month where no format is given.
    utc : bool
        Datetimes of UTC, whatever offsets the strings have.
    format : str, optional
        A format of Python's strptime (also %F, %T), "ISO8601", or "mixed" (ISO 8601 with and without parts). By default
        it is guessed from the first text, ISO 8601 before others, and all have to follow it. Numbers are read by it as
        the strings of their digits, of floats those before the point.
    unit : str, optional
        Of numbers: D, h, m, s, ms, us, ns.
    origin : str, number or datetime
        What numbers count from: "unix" (1970), "julian" (days), or a datetime.

    Returns
    -------
    Datetimes or scalar
        Strings give microseconds, or nanoseconds if necessary, in the zone of their offset from UTC if they have one.

    Raises
    ------
    ValueError
        A string that cannot be read, offsets that differ without `utc`, a datetime that does not fit.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.to_datetime(ak.array(["2026-11-24 12:30", None]))
    datetimes(['2026-11-24 12:30:00', NaT], dtype=datetime64[us])
    >>> ak.to_datetime(ak.array(["24.11.2026", "?"]), format="%d.%m.%Y", errors="coerce")
    datetimes(['2026-11-24', NaT], dtype=datetime64[us])
    >>> ak.to_datetime(ak.array([0, 86400]), unit="s")
    datetimes(['1970-01-01', '1970-01-02'], dtype=datetime64[s])
    """
    _check_errors(errors)
    if arg is None:
        return None
    if isinstance(arg, str) or not hasattr(arg, "__len__"):
        found = to_datetime([arg], errors, dayfirst, utc, format, unit, origin)
        return found[0]
    if isinstance(arg, Mapping) or type(arg).__name__ == "DataFrame":
        return _assembled(arg, errors)
    arg = _narrow(_as_numbers(arg), errors, unit, OutOfBoundsDatetime)
    texts = as_strings(arg) if not isinstance(arg, Array) else None
    if texts is None and format is not None and format != "mixed":
        texts = _digits(as_column(arg))
    if texts is not None:
        if unit is not None:
            raise ValueError("unit is for numbers; texts say themselves what they are")
        return _read_texts(texts, errors, dayfirst, utc, format)
    column = as_column(arg)
    if column.size == 0 and column.dtype.kind not in "mM":
        column = as_column(np.zeros(0, dtype="datetime64[s]"))
    if isinstance(column, Datetimes):
        return _in_utc(column) if utc else column
    if isinstance(column, Ticks) or column.dtype.kind not in "iuf":
        raise TypeError(f"{column.kind} is not convertible to datetime")
    moments = _of_numbers(column, errors, unit or "ns", origin)
    return _in_utc(moments) if utc else moments


def strptime(texts: Any, format: str, errors: str = "raise") -> Datetimes:
    """Datetimes of strings by a format of strptime: `to_datetime` with this format."""
    result: Datetimes = to_datetime(texts, errors=errors, format=format)
    return result


def to_timedelta(arg: Any, unit: str | None = None, errors: str = "raise") -> Any:
    """Timedeltas of strings or numbers.

    Parameters
    ----------
    arg : array_like or scalar
        Strings as "1 days 02:03:04.5", "90 min", "1h30m", "P1DT2H"; numbers of units; what already are timedeltas.
    unit : str, optional
        Of numbers: W, D, h, m, s, ms, us, ns; by default ns.
    errors : str
        "raise", or "coerce": what cannot be read is missing.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.to_timedelta(ak.array(["1 days 02:00:00", "90 min"]))
    timedeltas(['1 days 02:00:00', '0 days 01:30:00'], dtype=timedelta64[us])
    >>> ak.to_timedelta(ak.array([1.5]), unit="h")
    timedeltas(['0 days 01:30:00'], dtype=timedelta64[ns])
    """
    _check_errors(errors)
    if arg is None:
        return None
    if isinstance(arg, str) or not hasattr(arg, "__len__"):
        return to_timedelta([arg], unit, errors)[0]
    arg = _narrow(_as_numbers(arg), errors, unit, OutOfBoundsTimedelta)
    texts = as_strings(arg) if not isinstance(arg, Array) else None
    if texts is not None:
        if unit is not None:
            raise ValueError("unit must not be specified if the input contains a str")
        return read_durations(texts, Timedeltas, errors)
    column = as_column(arg)
    if isinstance(column, Timedeltas):
        return column
    if isinstance(column, Ticks) or column.dtype.kind not in "iuf":
        raise TypeError(f"{column.kind} is not convertible to timedelta")
    return _scaled(column, unit or "ns", Timedeltas, errors)


def _check_errors(errors: str) -> None:
    if errors not in ("raise", "coerce"):
        raise ValueError(f"errors must be one of 'raise' or 'coerce', not {errors!r}")


def _narrow(values: Any, errors: str, unit: str | None, error: type[ValueError]) -> Any:
    """A list's values. Integers of more than 64 bits are an error, or NaN where `errors` is "coerce"."""
    listed = values.to_list() if isinstance(values, Objects) else values
    wide = [one for one in listed if is_wide(one)] if isinstance(listed, (list, tuple)) else []
    if not wide:
        return values
    if errors == "raise":
        raise error(f"cannot convert input {wide[0]} with the unit '{unit or 'ns'}'")
    rest = [np.nan if is_wide(one) else one for one in listed]
    return asarray(rest) if all(isinstance(one, (int, float)) for one in rest) else rest


def _in_utc(column: Datetimes) -> Datetimes:
    return column.tz_localize("UTC") if column.tz is None else column.tz_convert("UTC")


# -- strings --


def _read_texts(texts: Strings, errors: str, dayfirst: bool, utc: bool, form: str | None) -> Datetimes:
    first = _first_of(texts)
    if form in ("ISO8601", "mixed"):
        form = ""
    elif form is None:
        form = _guessed(first, dayfirst, errors)
    zoned = first is not None and int(measured(_one(first), "read_offset", [form], [])[0]) != NAT
    offsets = 2 if utc else 1 if zoned else 0
    column = read_strings(
        texts, Datetimes, lambda to: measured(texts, "read_date", [form], [per_day(to), offsets]), errors,
        "ISO 8601" if form == "" else f'format "{form}"', OutOfBoundsDatetime,
    )  # fmt: skip
    if utc:
        return column._like_zone("UTC")
    return column._like_zone(_common_offset(texts, column, form)) if zoned else column


def _first_of(texts: Strings) -> str | None:
    """The first text that is not missing."""
    if texts.size == 0:
        return None
    row = 0 if texts._valid is None else int(texts._valid.argmax())
    found: str | None = texts[row]
    return found


def _one(text: str) -> Strings:
    found = as_strings([text])
    assert found is not None
    return found


def _guessed(first: str | None, dayfirst: bool, errors: str) -> str:
    """The format of a string."""
    if first is None or _reads(first, ""):
        return ""
    dates = [form.replace("%m", "%_").replace("%d", "%m").replace("%_", "%d") if dayfirst else form for form in _DATES]
    dates = [
        one for form, mirrored in zip(_DATES, dates, strict=True) for one in ((mirrored, form) if dayfirst else (form,))
    ]
    dates += [form.replace("%m", "%_").replace("%d", "%m").replace("%_", "%d") for form in _DATES[:3]]
    for date in dates:
        for time in _TIMES:
            for offset in _OFFSETS:
                if _reads(first, date + time + offset):
                    return date + time + offset
    if errors == "coerce":
        return ""
    raise ValueError(f"Could not infer the format of {first!r}; say it, as format='%d.%m.%Y'")


def _reads(text: str, form: str) -> bool:
    return int(measured(_one(text), "read_date", [form], [per_day("ns"), 2])[0]) not in (UNREADABLE, OTHER_ZONE)


def _common_offset(texts: Strings, column: Datetimes, form: str) -> str:
    offsets = measured(texts, "read_offset", [form], [])
    there = offsets if column._valid is None else where(column._valid, offsets, offsets.max())
    least, greatest = int(there.min()), int(there.max())
    if column._valid is not None and least != greatest:
        known = offsets[column._valid]
        least, greatest = int(known.min()), int(known.max())
    if least != greatest:
        raise ValueError("Mixed timezones detected. Pass utc=True in to_datetime to convert to a common timezone.")
    sign = "-" if least < 0 else "+"
    return zone_name(f"{sign}{abs(least) // 3600:02}:{abs(least) // 60 % 60:02}") or "UTC"


# -- numbers --


def _digits(column: Column) -> Strings | None:
    """Numbers as the strings of their digits, of floats those before the point: 20261124 is a date. None: others."""
    if isinstance(column, Ticks) or column.dtype.kind not in "iuf":
        return None
    if column.dtype.kind == "f":
        values = column.values.astype(np.float64)
        whole = abs(values) < 2.0**63  # NaN and infinities are missing, as in pandas
        column = Column(where(whole, values, 0.0).astype(np.int64), both(column.valid, whole))
    found: Strings = column.astype("str")
    return found


def _scaled(column: Column, unit: str, made: Any, errors: str) -> Any:
    """Datetimes or timedeltas (`made`) from numbers of a unit."""
    if unit not in _NUMBERS:
        raise ValueError(f"invalid unit abbreviation: {unit}; there are {', '.join(_NUMBERS)}")
    values, valid = column.values, column.valid
    target = unit if unit in ("s", "ms", "us", "ns") else "s"
    error = OutOfBoundsTimedelta if made is Timedeltas else OutOfBoundsDatetime
    if values.dtype.kind == "f":
        nan = values != values
        valid = both(valid, ~nan) if bool(nan.any()) else valid
        target = "ns"
        length, exact = _NUMBERS[unit], values.astype(np.float64)
        bad = ~(abs(exact * length) < 2.0**63) & ~nan
        exact = where(bad | nan, 0.0, exact)
        whole = trunc(exact)
        part = exact - whole
        if length > 1:  # to a millionth or so: what decimal fractions are meant to be
            digits = 10.0 ** min(9, len(str(length)) - 1)
            part = rint(part * digits) / digits
        result = whole.astype(np.int64) * length + trunc(part * length).astype(np.int64)
    else:
        factor = _NUMBERS[unit] // UNITS[target]
        bad = (values > (2**63 - 1) // factor) | (
            values < -((2**63 - 1) // factor) if values.dtype.kind == "i" else full(column.size, False)
        )
        result = values.astype(np.int64) * factor
    bad = bad if valid is None else bad & valid
    if bool(bad.any()):
        if errors == "raise":
            row = int(bad.argmax())
            raise error(
                f"row {row}: cannot convert input {values[row]} with the unit '{unit}': no 64 bits of {target} hold it"
            )
        valid = both(valid, ~bad)
    return made._made(result, valid, target)


def _of_numbers(column: Column, errors: str, unit: str, origin: Any) -> Datetimes:
    if origin == "julian":
        if unit != "D":
            raise ValueError("unit must be 'D' for origin='julian'")
        column = as_column(column.astype(np.float64) - 2_440_587.5)
        origin = "unix"
    result: Datetimes = _scaled(column, unit, Datetimes, errors)
    if isinstance(origin, str) and origin == "unix":
        return result
    start = np.datetime64(origin) if isinstance(origin, str) else origin
    if isinstance(origin, (int, float)) and not isinstance(origin, bool):
        start = _scaled(as_column(asarray([origin])), unit, Datetimes, "raise")[0]
    tick = tick_of(start)
    if tick is None or tick.letter != "M":
        raise ValueError(f"origin {origin!r} cannot be converted to a Timestamp")
    since = CLASSES["m"]._made(result._values, result._valid, result._unit)
    moments: Datetimes = since + start
    return moments


# -- parts --

_PARTS = {
    "year": ("year", "years", "Year"), "month": ("month", "months"), "day": ("day", "days"),
    "h": ("hour", "hours", "h"), "min": ("minute", "minutes", "m"), "s": ("second", "seconds", "s"),
    "ms": ("ms", "millisecond", "milliseconds"), "us": ("us", "microsecond", "microseconds"),
    "ns": ("ns", "nanosecond", "nanoseconds"),
}  # fmt: skip


def _assembled(columns: Any, errors: str) -> Datetimes:
    """Datetimes of years, months, days and so on."""
    found: dict[str, Column] = {}
    for name in columns:
        part = next((part for part, names in _PARTS.items() if str(name) in names), None)
        if part is None:
            raise ValueError(f"extra keys have been passed to the datetime assemblage: [{name}]")
        found[part] = as_column(columns[name])
    missing = [part for part in ("year", "month", "day") if part not in found]
    if missing:
        raise ValueError(
            "to assemble mappings requires at least that [year, month, day] be specified: "
            f"[{','.join(missing)}] is missing"
        )
    valid = None
    for column in found.values():
        valid = both(valid, column.valid)
    year, month, day = (found[part].values.astype(np.int64) for part in ("year", "month", "day"))
    number = year * 12 + month - 1
    first, after = (mapped(number + ahead, "of_period", "D", [1, 0, 0]) for ahead in (0, 1))
    bad = (month < 1) | (month > 12) | (day < 1) | (day > after - first) | (year < 0) | (year > 9999)
    bad = bad if valid is None else bad & valid
    if bool(bad.any()):
        if errors == "raise":
            row = int(bad.argmax())
            raise ValueError(
                f"cannot assemble the datetimes: row {row} has year {year[row]}, month {month[row]}, day {day[row]}"
            )
        valid = both(valid, ~bad)
    days = Datetimes._made(first + day - 1, valid, "D")
    unit = "ns" if "ns" in found else "us"
    result = days.as_unit(unit)._values
    for part, length in CLOCK.items():
        if part in found:
            result = result + found[part].values.astype(np.int64) * (length // UNITS[unit])
    return Datetimes._made(result, valid, unit)
