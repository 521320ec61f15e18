# SPDX-License-Identifier: Apache-2.0
"""Rows by the clock of their labels, and the last row at or before a label."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.selection import flatnonzero
from ...arrays.selection import where as where_array
from ...columns.datetime.datetimes import Datetimes
from ...columns.datetime.tick import UNITS
from ...columns.functions.functions import searchsorted
from ..data.dtypes import item_of
from ..data.values import is_scalar, isna, make
from ..index.base import make_index

if TYPE_CHECKING:
    from ...annotations import ArrayLike


def _nanoseconds(clock: Any) -> int:
    """A time of day as nanoseconds: of a string or of Python's time."""
    if isinstance(clock, str):
        text = clock.strip()
        half = text[-2:].upper() if text[-2:].upper() in ("AM", "PM") else ""
        digits = text[: len(text) - len(half)].strip()
        if ":" not in digits and len(digits) in (4, 6):  # 0230, 023000
            digits = ":".join(digits[place : place + 2] for place in range(0, len(digits), 2))
        parts = digits.split(":")
        try:
            hour, minute = int(parts[0]), int(parts[1]) if len(parts) > 1 else 0
            second = float(parts[2]) if len(parts) > 2 else 0.0
        except ValueError:
            raise ValueError(f"Cannot convert arg {[clock]} to a time") from None
        if half:
            hour = hour % 12 + (12 if half == "PM" else 0)
        if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60):
            raise ValueError(f"Cannot convert arg {[clock]} to a time")
        return (hour * 3600 + minute * 60) * UNITS["s"] + round(second * UNITS["s"])
    if not isinstance(clock, datetime.time):
        raise TypeError(f"a time of day is a text or a datetime.time, not {clock!r}")
    return (clock.hour * 3600 + clock.minute * 60 + clock.second) * UNITS["s"] + clock.microsecond * 1000


def _clocks(values: ArrayLike) -> Any:
    """The time of day of datetimes, in nanoseconds."""
    if not isinstance(values, Datetimes):
        raise TypeError("Index must be DatetimeIndex")
    local = values._local()
    return local._mapped("time") * UNITS[local.unit] if local.unit != "D" else local._values * 0


def rows_at_time(values: ArrayLike, clock: Any) -> Any:
    """The rows whose datetimes are at a time of day."""
    return flatnonzero((_clocks(values) == _nanoseconds(clock)) & ~isna(values))


def rows_between(values: ArrayLike, start: int | None, end: int | None, inclusive: str = "both") -> Any:
    """The rows whose datetimes lie between two times of day; over midnight, when the first is the later one."""
    if inclusive not in ("both", "left", "right", "neither"):
        raise ValueError("Inclusive has to be either 'both', 'neither', 'left' or 'right'")
    clocks, first, last = _clocks(values), _nanoseconds(start), _nanoseconds(end)
    behind = clocks >= first if inclusive in ("both", "left") else clocks > first
    before = clocks <= last if inclusive in ("both", "right") else clocks < last
    return flatnonzero((behind & before if first <= last else behind | before) & ~isna(values))


class Clock:
    """Rows by time of day, and as of a label."""

    __slots__ = ()

    def at_time(self: Any, time: Any, asof: bool = False, axis: int | str | None = None) -> Any:
        """The rows whose labels are at a time of day.

        Parameters
        ----------
        time : str or datetime.time
            The time of day.
        asof : bool, default False
            Not supported, as in pandas.
        axis : {0 or 'index', 1 or 'columns'}, optional
            Whether rows (0) or columns (1) have datetimes as labels.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series(range(4), index=ak.Index(ak.date_range("2026-11-24", periods=4, freq="12h")))
        >>> s.at_time("12:00").to_list()
        [1, 3]
        """
        return self._take(rows_at_time(self._index._values, time))

    def between_time(
        self: Any, start_time: Any, end_time: Any, inclusive: str = "both", axis: int | str | None = None
    ) -> Any:
        """The rows whose labels lie between two times of day.

        Parameters
        ----------
        start_time : str or datetime.time
            The first time of day.
        end_time : str or datetime.time
            The last time of day.
        inclusive : {'both', 'neither', 'left', 'right'}, default 'both'
            Which limits belong to the range.
        axis : {0 or 'index', 1 or 'columns'}, optional
            Whether rows (0) or columns (1) have datetimes as labels.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> times = ak.date_range("2024-02-28", periods=3, freq="8h")
        >>> ak.Series([1, 2, 3], index=times).between_time("07:00", "17:00")
        2024-02-28 08:00:00    2
        2024-02-28 16:00:00    3
        dtype: int64
        """
        return self._take(rows_between(self._index._values, start_time, end_time, inclusive))

    def asof(self: Any, where: object, subset: Any = None) -> Any:
        """The last row at or before a label, or before each of some, that misses no value.

        Parameters
        ----------
        where : label or array_like
            Labels that are looked up.
        subset : label or list of labels, optional
            The columns that may miss no value; all unless given.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1.0, 2.0, None], index=[10, 20, 30]).asof(35)
        np.float64(2.0)
        """
        if not self._index.is_monotonic_increasing:
            raise ValueError("asof requires a sorted index")
        if self.ndim == 1:
            there = ~isna(self._values)
        else:
            chosen = self if subset is None else self[[subset] if is_scalar(subset) else list(subset)]
            there = make(chosen.notna().all(axis=1)._values)
        one = is_scalar(where)
        kept = self._take(flatnonzero(there))
        wanted = make_index([where] if one else where)
        rows = last_at(kept._index._values, wanted._values)
        if one:
            row = int(rows[0])
            if self.ndim == 1:
                return np.nan if row < 0 else item_of(kept._values, row)
            made = kept._reindexed(rows.reshape(-1) * (row >= 0), rows < 0 if row < 0 else None, wanted)
            return made.iloc[0]
        gone = rows < 0
        return kept._reindexed(where_array(gone, 0, rows), gone if bool(gone.any()) else None, wanted)


def last_at(labels: object, wanted: object) -> Any:
    """The last of some ascending labels at or before each wanted one, -1 where there is none."""
    if isinstance(labels, Datetimes) and not isinstance(wanted, Datetimes):
        from ...columns.datetime.parsing import to_datetime

        wanted = to_datetime(wanted)
    return asarray(searchsorted(labels, wanted, side="right")) - 1
