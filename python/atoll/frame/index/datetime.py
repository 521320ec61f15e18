# SPDX-License-Identifier: Apache-2.0
"""Indexes of datetimes and of durations, which know the step they were made with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...columns.column import Column
from ...columns.datetime.datetimes import Datetimes
from ...columns.datetime.frequency import frequency
from ...columns.datetime.parsing import to_datetime, to_timedelta
from ...columns.datetime.ranges import date_range as moments_range
from ...columns.datetime.ranges import timedelta_range as durations_range
from ...columns.datetime.tick import CLOCK, UNITS, tzinfo_of
from ...columns.datetime.timedeltas import Timedeltas
from ...columns.foreign import Foreign
from ...columns.objects import Objects
from ..classes import define, frame
from ..data.column_labels import Labels
from ..data.values import cut, make
from ..display.format import texts_of
from ..fallback.convert import in_pandas, offset_of_pandas
from ..select.times import rows_at_time, rows_between
from .base import INDEX_CLASSES, index_of, range_index, stepping_as
from .index import Index
from .methods import extras_of, labels_repr
from .period import to_period

if TYPE_CHECKING:
    from ...annotations import DTypeLike, Label

#: Names of steps that pandas writes with what they stand at.
_ANCHORED = {"W": "W-SUN", "QS": "QS-JAN", "QE": "QE-DEC", "YS": "YS-JAN", "YE": "YE-DEC"}


#: Names of lengths of time in nanoseconds, long ones first.
_LENGTHS = {
    "day": UNITS["D"], "hour": CLOCK["h"], "minute": CLOCK["min"], "second": UNITS["s"], "millisecond": UNITS["ms"],
    "microsecond": UNITS["us"],
}  # fmt: skip


def _resolution(column: Any) -> str:
    """The longest of these lengths that all durations are multiples of."""
    there = column.dropna()._values
    for name, length in _LENGTHS.items():
        if length <= UNITS[column.unit] or not bool((there % (length // UNITS[column.unit]) != 0).any()):
            return name
    return "nanosecond"


def name_of_step(freq: object) -> str | None:
    """A frequency under the name that pandas prints."""
    if freq is None:
        return None
    name = freq if isinstance(freq, str) else getattr(freq, "freqstr", None)
    if name is None:
        step = frequency(freq)
        for unit, length in (("D", 86_400_000_000_000), ("h", 3_600_000_000_000), ("min", 60_000_000_000),
                             ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)):  # fmt: skip
            if step.nanoseconds % length == 0:
                count = step.nanoseconds // length
                return unit if count == 1 else f"{count}{unit}"
    number, letters = _parts(str(name))
    if any(letter.isdigit() for letter in letters):  # of several parts
        length = frequency(name).nanoseconds
        return name_of_step(np.timedelta64(length, "ns"))
    return ("" if number == "1" else number) + _ANCHORED.get(letters, letters)


def _parts(freq: str) -> tuple[str, str]:
    """How many steps, "" where it does not say, and of which kind."""
    letters = freq.lstrip("+-0123456789")
    return freq[: len(freq) - len(letters)], letters


def _even_step(rows: Any) -> int:
    """How far rows are apart, where all of them are equally far: 0 where they are not."""
    if rows.size < 2:
        return 1
    step = int(rows[1]) - int(rows[0])
    return step if rows.size == 2 or bool((rows[1:] - rows[:-1] == step).all()) else 0


def times(freq: str | None, by: int) -> str | None:
    """A step so many times as far; none where `by` is 0."""
    if freq is None or by == 1:
        return freq
    if by == 0:
        return None
    number, letters = _parts(freq)
    return f"{int(number or 1) * by}{letters}"


def read_durations(values: object, unit: str | None = None, errors: str = "raise") -> Any:
    """Durations of strings and numbers: to the microsecond at least, as pandas has them."""
    made = to_timedelta(values, unit, errors)
    coarse = isinstance(made, Timedeltas) and made.unit in ("s", "ms") and not isinstance(values, Timedeltas)
    return made.as_unit("us") if coarse else made


def inferred_step(index: Any) -> str | None:
    """pandas' name of the step between labels that are all as far apart; None where they are not."""
    import pandas as pd

    if index.size < 3:
        raise ValueError("Need at least 3 dates to infer frequency")
    found: str | None = pd.infer_freq(index.to_pandas())
    return found


class TimeIndex(Index):
    """Labels that are whole numbers of a unit of time."""

    __slots__ = ("_freq",)
    _freq: str | None

    @property
    def freqstr(self) -> str | None:
        """The name of the step from label to label, where the index was made with one."""
        return getattr(self, "_freq", None)

    @property
    def freq(self) -> Any:
        """The step from label to label, where the index was made with one: its name, or pandas' offset in pandas."""
        return self.freqstr if self.freqstr is None or not in_pandas() else offset_of_pandas(self.freqstr)

    @freq.setter
    def freq(self, value: Any) -> None:
        made = self.to_pandas()
        made.freq = value
        self._freq = made.freqstr

    @property
    def inferred_type(self) -> str:
        """The dtype of the labels."""
        return "datetime64" if isinstance(self._column, Datetimes) else "timedelta64"

    @property
    def asi8(self) -> np.ndarray[Any, Any]:
        """Whole numbers of the unit, as a NumPy array; the smallest where one is missing."""
        return self._column.to_numpy().view(np.int64)

    @property
    def resolution(self) -> str:
        """The finest part that a label has."""
        if isinstance(self._column, Foreign):
            raise NotImplementedError("the zone is known to pandas alone")
        if self.inferred_type == "timedelta64":
            return _resolution(self._column)
        for name in ("nanosecond", "microsecond", "second", "minute", "hour"):
            part = getattr(self._column, name, None)
            if part is not None and bool((part != 0).any()):
                whole = name == "microsecond" and not bool((part % 1000 != 0).any())
                return "millisecond" if whole else name
        return "day"

    @property
    def inferred_freq(self) -> str | None:
        """The step from label to label, when all are alike."""
        return inferred_step(self)

    def _stepping(self, freq: object) -> Any:
        """The same labels, known to stand one step apart."""
        made = index_of(self._column, self._name)
        made._freq = self.inferred_freq if freq == "infer" else name_of_step(freq)
        return made

    def _renamed(self, name: Label) -> Any:
        made = super()._renamed(name)
        made._freq = self.freqstr
        return made

    def _cut(self, rows: slice) -> Any:
        made = index_of(cut(self._column, rows), self._name)
        made._freq = times(self.freqstr, rows.step or 1)
        return made

    def __getitem__(self, key: Any) -> Any:
        made = super().__getitem__(key)
        if isinstance(made, TimeIndex) and not isinstance(key, slice) and getattr(make(key), "dtype", None) != np.bool_:
            made._freq = None  # numbers of rows do not tell that the labels are in steps
        return made

    def _take(self, rows: Any) -> Any:
        made = super()._take(rows)
        if self.freqstr is not None and made.size:
            made._freq = times(self.freqstr, _even_step(rows))
        return made

    def as_unit(self, unit: str) -> Any:
        """The same labels in whole numbers of another unit: s, ms, us or ns."""
        return index_of(self._data.as_unit(unit), self._name)._stepping(self.freq)

    def shift(self, periods: int = 1, freq: object = None) -> Any:
        """Labels moved by a length of time, or by steps of their own."""
        step = freq if freq is not None else self.freqstr
        if step is None:
            raise ValueError("Cannot shift with no freq")
        return super().shift(periods, step)._stepping(self.freqstr)

    def __repr__(self) -> Any:
        extras = [*extras_of(self, f"dtype='{self.dtype}'"), f"freq={self.freqstr!r}"]
        plain = "NaT" if self.inferred_type == "timedelta64" else None  # of datetimes pandas quotes it

        def texts(part: Any) -> list[str]:
            return [one if one == plain else repr(one) for one in texts_of(part._column)]

        return labels_repr(type(self).__name__, self, self.size, extras, texts)

    def __getattr__(self, name: str) -> Any:
        if name == "_freq":
            raise AttributeError(name)
        found = super().__getattr__(name)
        return found.to_numpy() if isinstance(found, Index) and name.startswith("is_") else found


def _check_no_more(name: str, options: dict[str, Any]) -> None:
    """Parameters that are pandas' own are not ignored."""
    more = [one for one, value in options.items() if one != "copy" and type(value).__name__ != "_NoDefault"]
    if more:
        raise TypeError(f"{name}() got an unexpected keyword argument {more[0]!r}")


class DatetimeIndex(TimeIndex):
    """Labels that are datetimes.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.DatetimeIndex(["2026-11-24", "2026-11-25"])
    DatetimeIndex(['2026-11-24', '2026-11-25'], dtype='datetime64[us]', freq=None)
    """

    __slots__ = ()

    def __new__(
        cls,
        data: object = None,
        freq: object = None,
        tz: object = None,
        name: Label = None,
        dtype: DTypeLike = None,
        **options: object,
    ) -> Any:
        _check_no_more("DatetimeIndex", options)
        name = getattr(data, "name", None) if name is None else name
        values = data._values if hasattr(data, "_values") else make([] if data is None else data)
        made = values if isinstance(values, Datetimes) else to_datetime(values)
        if dtype is not None:
            made = make(made, dtype)
        if tz is not None and made.tz is not None and (dtype is not None or str(tzinfo_of(made.tz)) != str(tz)):
            raise TypeError(f"datetimes of the zone {made.tz} do not get the zone {tz}. Convert them with tz_convert?")
        if tz is not None and made.tz is None:
            made = made.tz_localize(tz)
        index = index_of(made, name)
        if freq is None and tz is None and dtype is None:
            return stepping_as(index, data)
        return index if freq is None else index._stepping(freq)

    def isocalendar(self) -> Any:
        """Year, week and day as ISO 8601 counts them: a frame."""
        return self.to_series().dt.isocalendar()

    def to_period(self, freq: object = None) -> Any:
        """The periods that the datetimes are in."""
        known = self.freqstr
        if freq is None and known is None and self.size > 2:
            known = self.inferred_freq
        return index_of(to_period(self._column, freq, known), self._name)

    def indexer_at_time(self, time: Any, asof: bool = False) -> np.ndarray[Any, Any]:
        """The rows at a time of day."""
        return rows_at_time(self._column, time).to_numpy()

    def indexer_between_time(
        self, start_time: Any, end_time: Any, include_start: bool = True, include_end: bool = True
    ) -> np.ndarray[Any, Any]:
        """The rows between two times of day."""
        sides = {(True, True): "both", (True, False): "left", (False, True): "right", (False, False): "neither"}
        inclusive = sides[include_start, include_end]
        return rows_between(self._column, start_time, end_time, inclusive).to_numpy()

    @property
    def is_normalized(self) -> bool:
        """Whether all datetimes are midnights."""
        same = self._column == self._column.normalize()
        return bool((same.fillna(False) if isinstance(same, Column) else same).all())

    @property
    def tzinfo(self) -> Any:
        """The time zone as Python has it, None when there is none."""
        return None if self._column.tz is None else tzinfo_of(self._column.tz)

    tz = tzinfo

    def to_julian_date(self) -> Any:
        """Days since noon of 1 January 4713 BC: an index of floats."""
        local = self._column._local().as_unit("ns")
        return Index(local._values / 86_400_000_000_000 + 2440587.5, name=self._name)

    @property
    def timetz(self) -> np.ndarray[Any, Any]:
        """Python's times of day, with their zone."""
        return Objects([None if one is None else one.timetz() for one in self._column.to_list()]).to_numpy()

    def snap(self, freq: object = "S") -> Any:
        """The datetimes rounded to a frequency."""
        return index_of(self._column.round(freq), self._name)

    def to_pydatetime(self) -> np.ndarray[Any, Any]:
        """Python's datetimes, in a NumPy array."""
        return Objects(self._column.to_list()).to_numpy()

    def tz_localize(self, tz: object, ambiguous: object = "raise", nonexistent: object = "raise") -> Any:
        """The datetimes at which the clock of a zone shows these; None: what it shows, without a zone."""
        made = index_of(self._column.tz_localize(tz, ambiguous, nonexistent), self._name)
        return made._stepping(self.freqstr) if self._column.tz is None else made

    def tz_convert(self, tz: object) -> Any:
        """The same datetimes, told in another zone."""
        return index_of(self._column.tz_convert(tz), self._name)._stepping(self.freqstr)


class TimedeltaIndex(TimeIndex):
    """Labels that are lengths of time.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.TimedeltaIndex(["1 day", "36h"])
    TimedeltaIndex(['1 days 00:00:00', '1 days 12:00:00'], dtype='timedelta64[us]',
                   freq=None)
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any = None,
        freq: Any = None,
        unit: str | None = None,
        name: str | None = None,
        dtype: DTypeLike = None,
        **options: Any,
    ) -> Any:
        _check_no_more("TimedeltaIndex", options)
        name = getattr(data, "name", None) if name is None else name
        values = data._values if hasattr(data, "_values") else make([] if data is None else data)
        made = values if isinstance(values, Timedeltas) else read_durations(values, unit)
        index = index_of(made if dtype is None else make(made, dtype), name)
        if freq is None and unit is None and dtype is None:
            return stepping_as(index, data)
        return index if freq is None else index._stepping(freq)

    def to_pytimedelta(self) -> np.ndarray[Any, Any]:
        """Python's timedeltas, in a NumPy array."""
        return Objects(self._column.to_list()).to_numpy()

    @property
    def components(self) -> Any:
        """Components of each label, as a frame."""
        made = self._column.components
        return frame(list(made), Labels(list(made._fields)), range_index(self.size))


def date_range(
    start: object = None, end: object = None, periods: Any = None, freq: Any = None, tz: Any = None,
    normalize: bool = False, name: str | None = None, inclusive: str = "both", unit: str | None = None,
) -> Any:  # fmt: skip
    """Datetimes at even steps, as an index; see `atoll.date_range`.

    Examples
    --------
    >>> import atoll.pandas as pd
    >>> pd.date_range("2026-11-24", periods=2)
    DatetimeIndex(['2026-11-24', '2026-11-25'], dtype='datetime64[us]', freq='D')
    """
    made = index_of(moments_range(start, end, periods, freq, tz, normalize, inclusive, unit), name)
    return made if freq is None and None not in (start, end, periods) else made._stepping(freq or "D")


def timedelta_range(
    start: Any = None, end: Any = None, periods: Any = None, freq: Any = None, name: Any = None, closed: Any = None,
    *, unit: str | None = None,
) -> Any:  # fmt: skip
    """Durations at even steps, as an index; see `atoll.timedelta_range`.

    Examples
    --------
    >>> import atoll.pandas as pd
    >>> pd.timedelta_range("1 day", periods=2)
    TimedeltaIndex(['1 days', '2 days'], dtype='timedelta64[us]', freq='D')
    """
    made = index_of(durations_range(start, end, periods, freq, closed, unit), name)
    return made if freq is None and None not in (start, end, periods) else made._stepping(freq or "D")


define(DatetimeIndex)
define(TimedeltaIndex)
INDEX_CLASSES.update({Datetimes: "DatetimeIndex", Timedeltas: "TimedeltaIndex"})
