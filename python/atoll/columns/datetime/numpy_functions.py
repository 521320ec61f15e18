# SPDX-License-Identifier: Apache-2.0
"""Questions about datetimes and timedeltas, by NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .datetimes import Datetimes
from .ticks import Ticks, operand

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ..text.strings import Strings

__all__ = ["datetime_as_string", "datetime_data", "isnat"]

#: What is written to each unit, coarse ones first.
_FORMATS = {
    "Y": "%Y", "M": "%Y-%m", "D": "%Y-%m-%d", "h": "%Y-%m-%dT%H", "m": "%Y-%m-%dT%H:%M", "s": "%Y-%m-%dT%H:%M:%S",
    "ms": "%Y-%m-%dT%H:%M:%S.%3f", "us": "%Y-%m-%dT%H:%M:%S.%6f", "ns": "%Y-%m-%dT%H:%M:%S.%9f",
}  # fmt: skip


def _moments(x: ArrayLike, name: str) -> Any:
    """A column of datetimes or timedeltas; NumPy's scalar of one."""
    if isinstance(x, (Ticks, np.datetime64, np.timedelta64)):
        return x
    found = operand(x)
    if not isinstance(found, Ticks):
        raise TypeError(f"{name} takes moments or durations only, not {type(x).__name__}")
    return found


def isnat(x: ArrayLike, /) -> Any:
    """Where there is no time: what NumPy calls NaT.

    Examples
    --------
    >>> import atoll as ak
    >>> import numpy as np
    >>> ak.isnat(ak.array(np.array(["2026-01-01", "NaT"], "M8[D]")))
    array([False,  True])
    """
    found = _moments(x, "isnat")
    return found.isna() if isinstance(found, Ticks) else np.isnat(found)


def datetime_data(dtype: Any, /) -> tuple[str, int]:
    """The unit of a type of datetimes or timedeltas, and how many of it one is.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.datetime_data(ak.date_range("2026-01-01", periods=2, unit="s").dtype)
    ('s', 1)
    """
    if isinstance(dtype, Ticks):
        return dtype.unit, 1
    unit = getattr(dtype, "unit", None)
    return (unit, 1) if isinstance(unit, str) else np.datetime_data(dtype)


def datetime_as_string(
    arr: ArrayLike, unit: str | None = None, timezone: str = "naive", casting: str = "same_kind"
) -> Strings | np.str_:
    """Datetimes as ISO 8601 writes them, "NaT" where there is none.

    Parameters
    ----------
    arr : array_like of datetimes
        What is written; of time zones as they are in UTC.
    unit : str, optional
        How far: "Y", "M", "D", "h", "m", "s", "ms", "us" or "ns"; by default to the unit of the datetimes.
    timezone : {'naive', 'UTC'}
        Whether "Z" is written behind a time of day.
    casting : str
        A coarser unit than that of the datetimes needs "unsafe".

    Examples
    --------
    >>> import atoll as ak
    >>> ak.datetime_as_string(ak.date_range("2026-01-31", periods=2), "D", casting="unsafe")
    strings(['2026-01-31', '2026-02-01'])
    """
    found = _moments(arr, "datetime_as_string")
    if not isinstance(found, Ticks):
        return np.str_(np.datetime_as_string(found, unit or None, timezone, casting))  # type: ignore[call-overload]  # stubs list the strings
    if not isinstance(found, Datetimes):
        raise TypeError("input must have type NumPy datetime")
    if timezone not in ("naive", "UTC"):
        raise ValueError(f"timezone is 'naive' or 'UTC', not {timezone!r}: tz_convert and strftime write other zones")
    wanted = found.unit if unit is None else unit
    if wanted not in _FORMATS:
        raise ValueError(f"unit is one of {', '.join(_FORMATS)}, not {wanted!r}")
    units = list(_FORMATS)
    if units.index(wanted) < units.index(found.unit) and casting != "unsafe":
        raise TypeError(
            f"Cannot create a datetime string as units '{wanted}' from a NumPy datetime with units '{found.unit}' "
            f"according to the rule '{casting}'. Pass casting='unsafe'"
        )
    moments = found if found.tz is None else found.tz_convert(None)
    zone = "Z" if timezone == "UTC" and wanted not in ("Y", "M", "D") else ""
    texts: Strings = moments.strftime(_FORMATS[wanted] + zone).fillna("NaT")
    return texts
