# SPDX-License-Identifier: Apache-2.0
"""Units of time, and one datetime or duration: an integer of one of them."""

from __future__ import annotations

import datetime
import re
from typing import Any, Literal, NamedTuple

import numpy as np

from ...extras import pandas_if_loaded

#: Nanoseconds of each unit that a column may have, coarse ones first.
UNITS = {"D": 86_400_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
#: Lengths of steps below a day by pandas' names, in nanoseconds.
CLOCK = {"h": 3_600 * UNITS["s"], "min": 60 * UNITS["s"], **{unit: UNITS[unit] for unit in ("s", "ms", "us", "ns")}}
#: Other units that NumPy has, in seconds.
_LONG = {"W": 604_800, "h": 3_600, "m": 60}
#: What NumPy, and values where one is missing, have for no time at all.
NAT = -(2**63)
#: The largest number of ticks.
MOST = 2**63 - 1

Letter = Literal["M", "m", "t"]
NAMES = {"M": "datetimes", "m": "timedeltas", "t": "times of day"}


class OutOfBoundsDatetime(ValueError):
    """A datetime that does not fit 64 bits of its unit."""


class OutOfBoundsTimedelta(ValueError):
    """A timedelta that does not fit 64 bits of its unit."""


def finest(*units: str) -> str:
    """The unit that holds values of all these exactly."""
    return min(units, key=UNITS.__getitem__)


def check_unit(unit: str | None) -> str:
    """The unit as it is; ValueError when columns have no such one."""
    if not isinstance(unit, str) or unit not in UNITS:
        raise ValueError(f"Supported units are 's', 'ms', 'us', 'ns' (and 'D' of dates), not {unit!r}")
    return unit


def unit_of(dtype: np.dtype[Any]) -> tuple[str, int]:
    """The unit a column has for NumPy's, and how many of it one is; 0: months and years, which differ in length."""
    unit, count = np.datetime_data(dtype)
    if unit in UNITS:
        return unit, count
    if unit == "generic":  # NaT alone
        return "s", 1
    if unit in _LONG:
        return "s", count * _LONG[unit]
    if unit in ("ps", "fs", "as"):
        raise ValueError(f"columns do not go below nanoseconds; convert {dtype} to another unit with astype")
    return "s", 0


class Tick(NamedTuple):
    """A datetime ("M"), a timedelta ("m") or a time of day ("t"): `value` units, None when there is none."""

    letter: Letter
    value: int | None
    unit: str
    zone: str | None = None

    @property
    def valid(self) -> None:
        """A scalar that is not missing is so in every row."""
        return

    def to(self, unit: str) -> int:
        """The value in another unit, which must hold it."""
        assert self.value is not None
        number, left = divmod(self.value * UNITS[self.unit], UNITS[unit])
        if left or not -MOST <= number <= MOST:
            error = OutOfBoundsTimedelta if self.letter == "m" else OutOfBoundsDatetime
            raise error(f"{number} {unit} do not fit 64 bits" if not left else f"{self} is no whole number of {unit}")
        return number

    def fits(self, unit: str) -> bool:
        """Whether it is an integer of these units."""
        return self.value is None or self.value * UNITS[self.unit] % UNITS[unit] == 0


def tick_of(value: Any) -> Tick | None:
    """The time that a scalar of Python, NumPy or pandas represents; None when it is no time."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return _of_numpy(value)
    if hasattr(value, "to_datetime64"):  # pandas' Timestamp
        tick = _of_numpy(value.to_datetime64())
        return tick._replace(zone=zone_name(value.tzinfo))
    if hasattr(value, "to_timedelta64") and not isinstance(value, np.ndarray):
        return _of_numpy(value.to_timedelta64())
    if isinstance(value, datetime.datetime):
        return _of_datetime(value)
    if isinstance(value, datetime.date):
        return Tick("M", value.toordinal() - 719_163, "D")
    if isinstance(value, datetime.timedelta):
        return Tick("m", _microseconds(value), "us")
    if isinstance(value, datetime.time):
        since = datetime.timedelta(
            hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond
        )
        return Tick("t", _microseconds(since), "us")
    pandas = pandas_if_loaded()
    if pandas is not None and value is pandas.NaT:
        return Tick("M", None, "s")
    return None


def _microseconds(duration: datetime.timedelta) -> int:
    return (duration.days * 86_400 + duration.seconds) * 1_000_000 + duration.microseconds


def _of_datetime(value: datetime.datetime) -> Tick:
    since = value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)
    offset = value.utcoffset()
    return Tick("M", _microseconds(since - (offset or datetime.timedelta())), "us", zone_name(value.tzinfo))


def _of_numpy(value: np.datetime64 | np.timedelta64) -> Tick:
    letter: Letter = "M" if isinstance(value, np.datetime64) else "m"
    if np.isnat(value):
        return Tick(letter, None, "s")
    unit, count = unit_of(value.dtype)
    if count == 0:
        if letter == "m":
            raise TypeError(f"{value!r} has no fixed length: months and years differ")
        value, count = value.astype("M8[D]"), 86_400
    return Tick(letter, int(value.astype(np.int64)) * count, unit)


# -- zones --


def _iana() -> type[Any]:
    """The class of IANA's zones; its module takes 2 ms to load, and most programs have no zones."""
    from zoneinfo import ZoneInfo

    return ZoneInfo


def zone_name(zone: Any) -> str | None:
    """The name of a time zone: one of IANA's, "UTC", or an offset like "+02:00"."""
    if zone is None:
        return None
    if isinstance(zone, str):
        return _known(zone)
    if isinstance(zone, _iana()) and zone.key:
        return str(zone.key)
    if isinstance(zone, datetime.timezone):
        return _offset_name(zone.utcoffset(None))
    name = getattr(zone, "zone", None)  # pytz
    if name is None and isinstance(zone, datetime.tzinfo) and (offset := zone.utcoffset(None)) is not None:
        return _offset_name(offset)
    if name is None:
        raise ValueError(f"{zone!r} has no name; use zoneinfo.ZoneInfo, or the zone's name")
    return _known(str(name))


def fixed_offset(name: str) -> datetime.timedelta | None:
    """The offset that a name like "+02:00" says."""
    found = re.fullmatch(r"(?:UTC|GMT)?([+-])(\d\d):?(\d\d)(?::(\d\d))?", name)
    if found is None:
        return None
    sign, hours, minutes, seconds = found.groups()
    size = datetime.timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds or 0))
    return -size if sign == "-" else size


def tzinfo_of(name: str) -> datetime.tzinfo:
    """Python's object for a zone's name."""
    offset = fixed_offset(name)
    if offset is not None:
        return datetime.timezone(offset)
    return datetime.UTC if name == "UTC" else _iana()(name)


def _offset_name(offset: datetime.timedelta | None) -> str:
    minutes, seconds = divmod(int((offset or datetime.timedelta()).total_seconds()), 60)
    if minutes == 0 and seconds == 0:
        return "UTC"
    if seconds:
        raise ValueError(f"offsets of a zone are whole minutes, not {offset}")
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _known(name: str) -> str:
    offset = fixed_offset(name)
    if offset is not None:
        return _offset_name(offset)
    if name.lower() in ("utc", "z", "gmt"):
        return "UTC" if name.lower() != "gmt" else "GMT"
    try:
        _iana()(name)
    except Exception:
        raise ValueError(
            f"no time zone is known by the name {name!r}; names are IANA's, as 'Europe/Berlin', 'UTC', or '+02:00'"
        ) from None
    return name
