# SPDX-License-Identifier: Apache-2.0
"""Components of datetime columns: pandas' `.dt`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ...arrays.creation import asarray, full
from ...arrays.selection import flatnonzero, where
from ..column import both, column_or_array
from ..text.strings import Strings
from . import zones
from .engine import mapped, written
from .frequency import frequency
from .operators import Operators
from .rounding import is_whole, rounded_to
from .tick import NAT, OutOfBoundsDatetime, tick_of, zone_name
from .ticks import CLASSES

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray

Self = TypeVar("Self", bound="Parts")


class IsoCalendar(NamedTuple):
    """Year, week and day (Monday is 1) as ISO 8601 counts them."""

    year: Any
    week: Any
    day: Any


def _part(name: str, says: str) -> Any:
    def read(self: Parts) -> Any:
        return column_or_array(self._local()._mapped(name), self._valid)

    read.__doc__ = says
    return property(read)


class Parts(Operators):
    """Columns of datetimes with what `.dt` of pandas' has."""

    __slots__ = ()

    def _mapped(self, name: str, numbers: Any = ()) -> ndarray:
        return mapped(self._values, name, self._unit, numbers)

    # -- zones --

    def _local(self: Self) -> Self:
        """The local wall-clock time, without a zone."""
        if self._zone is None:
            return self
        values = mapped(self._values, "to_zone", self._unit, zones.table(self._zone).numbers)
        return type(self)._made(values, self._valid, self._unit)

    def _in_zone(self: Self, zone: str | None) -> Self:
        return self if zone is None else self.tz_localize(zone)

    def tz_convert(self: Self, tz: object) -> Self:
        """The same datetimes by the clock of another time zone; None: those of UTC, without a zone.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> a = ak.array(np.array(["2026-07-01T12"], "M8[s]")).tz_localize("UTC")
        >>> a.tz_convert("Asia/Tokyo")
        datetimes(['2026-07-01 21:00:00+09:00'], dtype=datetime64[s, Asia/Tokyo])
        """
        if self._zone is None:
            raise TypeError("Cannot convert tz-naive timestamps, use tz_localize to localize")
        return self._like_zone(zone_name(tz))

    def tz_localize(self: Self, tz: object, ambiguous: object = "raise", nonexistent: object = "raise") -> Self:
        """The datetimes at which the clock of a time zone shows these; None: what it shows, without a zone.

        Parameters
        ----------
        tz : str, tzinfo or None
            The zone.
        ambiguous : str, bool or array of bool
            What a time means that the clock shows twice: "raise"; "NaT"; True, the first of both (summer time), or
            False, for all or row by row; "infer": by the order of rows.
        nonexistent : str or timedelta
            What a time becomes that the clock leaves out: "raise", "NaT", "shift_forward" or "shift_backward" to the
            nearest that it shows, or moved by a timedelta.

        Raises
        ------
        ValueError
            A time that the clock shows twice, or never.
        TypeError
            When the column has a zone.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> a = ak.array(np.array(["2026-10-25T02:30"], "M8[s]"))
        >>> a.tz_localize("Europe/Berlin", ambiguous=True)
        datetimes(['2026-10-25 02:30:00+02:00'], dtype=datetime64[s, Europe/Berlin])
        """
        if tz is None:
            return self._local()
        if self._zone is not None:
            raise TypeError("Already tz-aware, use tz_convert to convert.")
        if self._unit == "D":
            return self.as_unit("s").tz_localize(tz, ambiguous, nonexistent)
        name = zone_name(tz)
        assert name is not None
        if not zones.table(name).changes:
            return self._checked(
                mapped(self._values, "from_zone", self._unit, [0, 0, *zones.table(name).numbers]), name
            )
        return _localized(self, name, ambiguous, nonexistent)

    def _checked(self: Self, values: ndarray, zone: str | None = None) -> Self:
        """A column of what the engine gave, when all of it fits."""
        self._refuse(values == NAT, f"does not fit 64 bits of {self._unit}", OutOfBoundsDatetime)
        return type(self)._made(values, self._valid, self._unit, zone)

    # -- parts --

    year = _part("year", "The year: int32.")
    month = _part("month", "The month, January is 1: int32.")
    day = _part("day", "The day of the month: int32.")
    hour = _part("hour", "The hour: int32.")
    minute = _part("minute", "The minute: int32.")
    second = _part("second", "The second: int32.")
    microsecond = _part("microsecond", "Microseconds of the second: int32.")
    nanosecond = _part("nanosecond", "Nanoseconds of the microsecond: int32.")
    day_of_week = dayofweek = weekday = _part("dayofweek", "The day of the week, Monday is 0: int32.")
    day_of_year = dayofyear = _part("dayofyear", "The day of the year, from 1: int32.")
    quarter = _part("quarter", "The quarter, from 1: int32.")
    days_in_month = daysinmonth = _part("days_in_month", "How many days the month has: int32.")
    is_leap_year = _part("is_leap_year", "Whether the year has 366 days.")
    is_month_start = _part("is_month_start", "Whether it is the first day of a month.")
    is_month_end = _part("is_month_end", "Whether it is the last day of a month.")
    is_quarter_start = _part("is_quarter_start", "Whether it is the first day of a quarter.")
    is_quarter_end = _part("is_quarter_end", "Whether it is the last day of a quarter.")
    is_year_start = _part("is_year_start", "Whether it is 1 January.")
    is_year_end = _part("is_year_end", "Whether it is 31 December.")

    def isocalendar(self) -> IsoCalendar:
        """Year, week and day as ISO 8601 counts them.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> ak.array(np.array(["2027-01-01"], "M8[D]")).dt.isocalendar()
        IsoCalendar(year=array([2026], dtype=int32), week=array([53], dtype=int32), day=array([5], dtype=int32))
        """
        local = self._local()
        parts = (local._mapped("iso_year"), local._mapped("iso_week"), local._mapped("dayofweek") + 1)
        return IsoCalendar(*(column_or_array(part, self._valid) for part in parts))

    def day_name(self, locale: None = None) -> Strings:
        """The English name of the day of the week.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> ak.array(np.array(["2026-11-24"], "M8[D]")).dt.day_name()
        strings(['Tuesday'])
        """
        return self.strftime("%A")

    def month_name(self, locale: None = None) -> Strings:
        """The English name of the month."""
        return self.strftime("%B")

    @property
    def date(self) -> Any:
        """The dates: datetimes of unit "D"."""
        return type(self)._made(self._local()._mapped("date"), self._valid, "D")

    @property
    def time(self) -> Any:
        """The times of day."""
        local = self._local()
        if self._unit == "D":
            local = local.as_unit("s")
        return CLASSES["t"]._made(local._mapped("time"), self._valid, local._unit)

    def normalize(self: Self) -> Self:
        """The midnights before."""
        return self.floor("D")

    # -- rounding --

    def floor(self: Self, freq: object, ambiguous: object = "raise", nonexistent: object = "raise") -> Self:
        """Rounded down to multiples of a frequency of fixed length, as "15min"; in a time zone by its clock.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> a = ak.array(np.array(["2026-11-24T12:34"], "M8[s]"))
        >>> a.floor("h")
        datetimes(['2026-11-24 12:00:00'], dtype=datetime64[s])
        >>> a.round("15min")
        datetimes(['2026-11-24 12:30:00'], dtype=datetime64[s])
        """
        return self._rounded("floor", freq, ambiguous, nonexistent)

    def ceil(self: Self, freq: object, ambiguous: object = "raise", nonexistent: object = "raise") -> Self:
        """Rounded up; see `floor`."""
        return self._rounded("ceil", freq, ambiguous, nonexistent)

    def round(self: Self, freq: object, ambiguous: object = "raise", nonexistent: object = "raise") -> Self:
        """Rounded to the nearest, halves to the even multiple; see `floor`."""
        return self._rounded("round", freq, ambiguous, nonexistent)

    def _rounded(self: Self, how: str, freq: Any, ambiguous: object, nonexistent: object) -> Self:
        local = self._local()
        rounded = rounded_to(local, how, frequency(freq))
        return rounded if self._zone is None else rounded.tz_localize(self._zone, ambiguous, nonexistent)

    # -- text --

    def strftime(self, date_format: str) -> Strings:
        """Each datetime as text, by a format of Python's strftime, with English names.

        Also %F %T %R, `%-d` without padding, `%3f` with three digits of the fraction, and `%:z` with a colon.

        Raises
        ------
        ValueError
            A directive that is unknown.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> ak.array(np.array(["2026-11-24T12:34"], "M8[s]")).strftime("%d.%m.%Y, %H:%M")
        strings(['24.11.2026, 12:34'])
        """
        zone: Any = ((), ())
        if self._zone is not None:
            found = zones.table(self._zone)
            zone = (found.numbers, found.names)
        values = self._values if self._valid is None else where(self._valid, self._values, 0)
        texts = written(values, self._unit, date_format, zone)
        return texts._like(texts._values, self._valid)

    def _to_text(self) -> Strings:
        """Whole days as dates, else with as many digits of the fraction as the column needs."""
        unit = (
            "D"
            if self._zone is None and is_whole(self, "D")
            else next(u for u in ("s", "ms", "us", "ns") if is_whole(self, u))
        )
        digits = {"D": "", "s": " %H:%M:%S", "ms": " %H:%M:%S.%3f", "us": " %H:%M:%S.%6f", "ns": " %H:%M:%S.%9f"}[unit]
        return self.strftime("%Y-%m-%d" + digits + ("" if self._zone is None else "%:z"))


def _localized(column: Any, zone: str, ambiguous: Any, nonexistent: Any) -> Any:
    """`tz_localize` for a zone whose clock changes."""
    numbers, unit = zones.table(zone).numbers, column._unit
    duration = tick_of(nonexistent)
    never = {"raise": 0, "NaT": 0, "shift_forward": 1, "shift_backward": 2}.get(nonexistent) if duration is None else 0
    if never is None:
        raise ValueError(
            "The nonexistent argument must be one of 'raise', 'NaT', 'shift_forward', 'shift_backward' or a timedelta "
            "object"
        )

    def local(twice: int, never: int = never) -> ndarray:
        return mapped(column._values, "from_zone", unit, [twice, never, *numbers])

    if isinstance(ambiguous, (bool, np.bool_)):
        values = local(1 if ambiguous else 2)
    elif isinstance(ambiguous, str):
        if ambiguous not in ("raise", "NaT", "infer"):
            raise ValueError(f"ambiguous is 'raise', 'NaT', 'infer', a bool or one for each row, not {ambiguous!r}")
        values = local(0)
        if ambiguous == "infer":
            values = _inferred(column, values, local(1), local(2))
    else:
        mask = asarray(ambiguous, dtype=bool)
        if mask.shape != column.shape:
            raise ValueError("Length of ambiguous bool-array must be the same size as vals")
        values = where(mask, local(1), local(2))
    nothing = values == NAT
    if not bool(nothing.any()):
        return type(column)._made(values, column._valid, unit, zone)
    gap = local(1, 0) == NAT  # left out by the clock
    if duration is not None:
        assert duration.value is not None
        moved = column._like(column._values + where(gap, duration.to(unit), 0), both(column._valid, gap))
        shifted = mapped(moved._values, "from_zone", unit, [0, 0, *numbers])
        moved._refuse(shifted == NAT, "moved by nonexistent does not exist either", ValueError)
        values = where(gap, shifted, values)
    elif nonexistent == "raise":
        column._refuse(
            gap, f"does not exist in {zone}: its clock leaves it out; see the nonexistent argument", ValueError
        )
    twice = nothing & ~gap
    if ambiguous == "raise":
        column._refuse(
            twice, f"is ambiguous in {zone}: its clock shows it twice; see the ambiguous argument", ValueError
        )
    missing = values == NAT
    valid = both(column._valid, ~missing) if bool(missing.any()) else column._valid
    return type(column)._made(values, valid, unit, zone)


def _inferred(column: Any, values: ndarray, first: ndarray, second: ndarray) -> ndarray:
    """Resolves ambiguous local times: the first occurrence until the clock goes back, then the second."""
    rows = flatnonzero((values == NAT) & (first != NAT))
    if rows.size == 0:
        return values
    places, times = rows.to_numpy(), column._values[rows].to_numpy()
    runs = np.split(np.arange(len(places)), np.flatnonzero(np.diff(places) != 1) + 1)
    late = np.zeros(len(places), bool)
    for run in runs:
        back = np.flatnonzero(np.diff(times[run]) <= 0)
        if back.size != 1:
            why = "no repeated times" if back.size == 0 else "several times when the clock goes back"
            raise ValueError(
                f"Cannot infer dst time from the order of rows: there are {why}. Try the ambiguous argument"
            )
        late[run[back[0] + 1 :]] = True
    chosen = full(column.size, False)
    chosen[rows] = asarray(late)
    return where(values != NAT, values, where(chosen, second, first))
