# SPDX-License-Identifier: Apache-2.0
"""Columns of periods: months, quarters, weeks, days, hours, …"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.array import Array
from ...arrays.creation import asarray, full, zeros
from ...arrays.joining import concatenate
from ...arrays.selection import where
from ...pandas_errors import pandas_error
from ..column import ORDINAL, Column, Likewise, as_column, both, chosen_valid, column_or_array, valid_of_all
from ..non_numeric import NonNumericColumn
from ..objects import is_missing, object_array
from ..text.strings import Strings
from .datetimes import Datetimes
from .engine import mapped
from .period import Period
from .period_steps import OF_MONTHS, PeriodStep, at_end, period_step
from .tick import CLOCK, UNITS

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["Periods"]


class Periods(NonNumericColumn):
    """A column of periods of one length, of which some may be missing; in order of time.

    `Periods.of` makes one of Periods, strings or datetimes, `.dt.to_period` of datetimes.

    Examples
    --------
    >>> from atoll.columns.datetime.periods import Periods
    >>> a = Periods.of(["2026-01", None, "2026-03"], "M")
    >>> a
    periods(['2026-01', None, '2026-03'], dtype=period[M])
    >>> (a + 1).to_list()[0], a.year
    (Period('2026-02', 'M'), column([2026, None, 2026], dtype=int64))
    """

    __slots__ = ("_step",)
    _decides = 2
    _values: ndarray  # int64: how many periods since that of 1970-01-01
    _step: PeriodStep

    def __init__(self, ordinals: Any, freq: Any, valid: Any = None) -> None:
        self._values = asarray(ordinals).astype(np.int64)
        self._step = period_step(freq)
        self._set_valid(valid)

    @classmethod
    def _made(cls, ordinals: ndarray, valid: ndarray | None, step: PeriodStep) -> Periods:
        column: Periods = object.__new__(cls)
        column._values, column._valid, column._step = ordinals, valid, step
        return column

    def _like(self, values: Any, valid: ndarray | None) -> Any:
        return self._made(values, valid, self._step)

    @classmethod
    def of(cls, values: Any, freq: Any = None) -> Periods:
        """The column of Periods, strings or datetimes; their length that of the first, where none is named."""
        if isinstance(values, Periods):
            return values if freq is None else values.asfreq(freq)
        if isinstance(values, Datetimes):
            if freq is None:
                raise ValueError("freq not specified and cannot be inferred")
            return cls.of_moments(values, freq)
        held = [None if is_missing(one) else Period.of(one, freq) for one in _listed(values)]
        there = [one for one in held if one is not None]
        if not there and freq is None:
            raise ValueError("freq not specified and cannot be inferred")
        step = period_step(freq) if freq is not None else there[0].step
        for one in there:
            if one.step != step:
                raise pandas_error("IncompatibleFrequency", TypeError)(
                    f"Input has different freq={one.freqstr} from Period(freq={step.name})"
                )
        ordinals = np.array([0 if one is None else one.ordinal for one in held], np.int64)
        missing = np.array([one is None for one in held], bool)
        return cls._made(asarray(ordinals), asarray(~missing) if missing.any() else None, step)

    @classmethod
    def of_moments(cls, moments: Datetimes, freq: object) -> Periods:
        """For each datetime the period that it is in, by the clock of its zone."""
        step = period_step(freq)
        local = moments._local()
        return cls._made(_of_local(local, step), moments._valid, step)

    # -- what it is --

    @property
    def step(self) -> PeriodStep:
        """How long the periods are."""
        return self._step

    @property
    def freqstr(self) -> str:
        """The same by pandas' name."""
        return self._step.name

    freq = freqstr

    @property
    def kind(self) -> str:
        """The dtype, such as "period[M]"."""
        return f"period[{self._step.name}]"

    @property
    def dtype(self) -> Any:
        """NumPy has no type of periods: objects."""
        return np.dtype(object)

    @property
    def dt(self) -> Periods:
        """The column itself: its methods are those of pandas' `.dt`."""
        return self

    @property
    def ordinal(self) -> Any:
        """How many periods since that of 1970-01-01: int64."""
        return column_or_array(self._values, self._valid)

    @property
    def values(self) -> Any:
        """The column itself, with nothing missing."""
        return self._like(self._values, None)

    # -- to others --

    def _item(self, row: int) -> Any:
        return Period(ordinal=int(self._values[row]), freq=self._step)

    def to_list(self) -> list[Any]:
        """Periods, None where one is missing."""
        step = self._step
        return self._with_none([Period(ordinal=one, freq=step) for one in self._values.tolist()])

    tolist = to_list

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array of Periods, None where one is missing."""
        return object_array(self.to_list())

    def to_arrow(self) -> Any:
        """A pyarrow array of their strings."""
        return self.astype("str").to_arrow()

    def to_pandas(self) -> Any:
        """A pandas Series of periods."""
        import pandas as pd

        ordinals = self._values.to_numpy()
        if self._valid is not None:
            ordinals = np.where(self._valid.to_numpy(), ordinals, np.iinfo(np.int64).min)
        return pd.Series(pd.arrays.PeriodArray(ordinals, dtype=pd.PeriodDtype(self._step.name)))

    def __reduce__(self) -> Any:
        return Periods, (self._values, self._step, self._valid)

    def astype(self, dtype: Any) -> Any:
        """As strings, integers, datetimes, or periods of another length."""
        if dtype is str or (isinstance(dtype, str) and dtype in ("str", "string")):
            return self.strftime()
        name = str(dtype)
        if name.startswith("period["):
            return self.asfreq(name[7:-1])
        if name.startswith(("datetime64", "<M8")):
            return self.to_timestamp().astype(np.dtype(dtype))
        wanted = np.dtype(dtype)
        if wanted.kind in "iu":
            return column_or_array(self._values.astype(wanted), self._valid)
        raise TypeError(f"{self.kind} cannot become {dtype}")

    def _show(self, value: Any) -> str:
        return "None" if value is None else f"'{value}'"

    def __repr__(self) -> str:
        return self._repr("periods", [f"dtype={self.kind}"])

    def strftime(self, date_format: str | None = None) -> Strings:
        """Each as text: as pandas writes such periods, or by a format of strftime, in which %q is the quarter."""
        base = self._step.base
        if date_format is None and base == "Q":
            return _text(self.qyear) + "Q" + _text(self.quarter)
        if date_format is None and base == "W":
            start = self._start("us")
            return start.strftime("%Y-%m-%d/") + (start + np.timedelta64(6, "D")).strftime("%Y-%m-%d")
        moments = self._start("ns") if base == "ns" else self._last_moment()
        first, *parts = (date_format or self._step.form).replace("%F", "%Y").split("%q")
        made: Any = moments.strftime(first)
        for part in parts:
            made = made + _text(self.quarter)
            made = made + moments.strftime(part) if part else made
        return made

    # -- other lengths, and datetimes --

    def _start(self, unit: str, beyond: int = 0) -> Datetimes:
        """The datetime at which each begins, or that so many periods later."""
        ordinals = self._values + beyond if beyond else self._values
        if self._step.base in CLOCK:
            length = CLOCK[self._step.base]
            size = UNITS[unit]
            values = (
                ordinals * (length // size) if length >= size else mapped(ordinals, "floored", unit, [size // length])
            )
            return Datetimes._made(values, self._valid, unit)
        days = self._step.first_day(ordinals)
        return Datetimes._made(days * (UNITS["D"] // UNITS[unit]), self._valid, unit)

    def _end(self, unit: str) -> Datetimes:
        """The datetime behind each; a business day is a day."""
        if self._step.base != "B":
            return self._start(unit, self._step.n)
        return self._start(unit, self._step.n - 1) + np.timedelta64(1, "D")

    @property
    def start_time(self) -> Datetimes:
        """The datetime at which each begins."""
        return self._start(self._step.unit)

    @property
    def end_time(self) -> Datetimes:
        """The last datetime of each."""
        unit = self._step.unit
        return self._end(unit) - _one(unit)

    def to_timestamp(self, freq: object = None, how: str = "start") -> Datetimes:
        """The datetime at which each begins, or with ``how="end"`` its last one."""
        if at_end(how):
            return self.end_time
        if freq is not None:
            return self.asfreq(freq, "start").start_time
        return self.start_time

    def asfreq(self, freq: object = None, how: str = "E") -> Periods:
        """Periods of another length: those that each ends in, or with ``how="start"`` begins in."""
        step = period_step(freq)
        if step.one == self._step.one:
            return self._made(self._values, self._valid, step)
        unit, of_end = "ns" if "ns" in (step.base, self._step.base) else "us", at_end(how)
        moments = self._end(unit) - _one(unit) if of_end else self._start(unit)
        return self._made(_of_local(moments, step, step.back(self._step, of_end)), self._valid, step)

    # -- parts --

    def _last_moment(self) -> Datetimes:
        """The date from which components are read: the last day of years, quarters and months, as in pandas."""
        if self._step.base in ("Y", "Q", "M", "W"):
            return self._start("us", 1) - np.timedelta64(1, "D")
        return self.start_time

    def __getattr__(self, name: str) -> Any:
        if name in PARTS:
            found = getattr(self._last_moment(), PARTS[name])
            return found if name == "is_leap_year" else found.astype(np.int64)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def qyear(self) -> Any:
        """The year that the quarter belongs to, where years do not end in December."""
        last = self._last_moment()
        if self._step.base != "Q":
            return last.year.astype(np.int64)
        return column_or_array(self._values // 4 + 1970, self._valid)

    @property
    def quarter(self) -> Any:
        """The quarter, from 1."""
        if self._step.base != "Q":
            return self._last_moment().quarter.astype(np.int64)
        return column_or_array(self._values % 4 + 1, self._valid)

    @property
    def week(self) -> Any:
        """The week as ISO 8601 counts them."""
        return self._last_moment().isocalendar().week.astype(np.int64)

    weekofyear = week

    # -- arithmetic and comparison --

    def _moved(self, other: Any, sign: int) -> Any:
        if isinstance(other, Array) and other.dtype.kind in "iu":
            steps: Any = other
            return self._like(self._values + steps * (sign * self._step.n), self._valid)
        found = Period.steps(other, self._step)
        return NotImplemented if found is None else self._like(self._values + sign * found, self._valid)

    def __add__(self, other: Any) -> Any:
        """Adds a number of periods."""
        return self._moved(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        """Subtracts a number of periods, or periods (the result is their distance, int64)."""
        if isinstance(other, Periods):
            self._check(other._step)
            return column_or_array(self._values - other._values, both(self._valid, other._valid))
        if isinstance(other, Period) or hasattr(other, "ordinal"):
            one = Period.of(other)
            self._check(one.step)
            return column_or_array(self._values - one.ordinal, self._valid)
        return self._moved(other, -1)

    def _check(self, step: PeriodStep) -> None:
        if step.one != self._step.one:
            raise pandas_error("IncompatibleFrequency", TypeError)(
                f"Input has different freq={step.name} from PeriodArray(freq={self._step.name})"
            )

    def _compared(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        equality = operation in (operator.eq, operator.ne)
        if other is None:
            return Column(full(self.size, False), full(self.size, False))
        if isinstance(other, Periods):
            if equality and other._step.one != self._step.one:
                return column_or_array(full(self.size, operation is operator.ne), both(self._valid, other._valid))
            self._check(other._step)
            return column_or_array(operation(self._values, other._values), both(self._valid, other._valid))
        if isinstance(other, (list, np.ndarray)):
            return self._compared(self.of(other, self._step), operation)
        try:
            one = Period.of(other) if not isinstance(other, str) else Period.of(other, self._step)
        except (ValueError, TypeError):
            return full(self.size, operation is operator.ne) if equality else NotImplemented
        if equality and one.step.one != self._step.one:
            return column_or_array(full(self.size, operation is operator.ne), self._valid)
        self._check(one.step)
        return column_or_array(operation(self._values, one.ordinal), self._valid)

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        return NotImplemented

    # -- aggregates --

    def _there(self) -> Any:
        return self.dropna()

    def _one(self, ordinal: Any) -> Period:
        return Period(ordinal=int(ordinal), freq=self._step)

    def min(self) -> Any:
        """The first, None when there is none."""
        there: Any = self.dropna()
        return self._one(there._values.min()) if there.size else None

    def max(self) -> Any:
        """The last, None when there is none."""
        there: Any = self.dropna()
        return self._one(there._values.max()) if there.size else None

    def _as_numbers(self) -> tuple[ndarray, Callable[[ndarray], Any]]:
        return self._values, Likewise(self)

    def numbers(self) -> tuple[ndarray, Any, ndarray]:
        """As of every column; see `Column.numbers`."""
        numbers, distinct, first = Column(self._values, self._valid).numbers()
        return numbers, self._like(distinct, None), first

    def _grouped(self, figure: str) -> tuple[ndarray, Callable[[ndarray, ndarray | None], Any]]:
        if figure not in ORDINAL:
            raise TypeError(f"{self.kind} has no {figure}")
        return self._values, self._like

    # -- what kinds do in their own way --

    def fillna(self, value: ArrayLike) -> Any:
        """The column with a period where one is missing."""
        return self if self._valid is None else self._choose(self._valid, self.values, value)

    def _own(self, value: ArrayLike, size: int) -> Periods:
        if is_missing(value) if not isinstance(value, Column) else False:
            return self._all_missing(size)
        if isinstance(value, (Periods, list, np.ndarray)):
            made = self.of(value, None if isinstance(value, Periods) else self._step)
            self._check(made._step)
            return made
        one = Period.of(value, self._step if isinstance(value, str) else None)
        self._check(one.step)
        return self._made(full(size, one.ordinal, dtype=np.int64), None, self._step)

    def _choose(self, mask: ndarray, yes: ArrayLike, no: ArrayLike) -> Any:
        sides = [self._own(value, mask.size) for value in (yes, no)]
        valid = chosen_valid(mask, sides[0]._valid, sides[1]._valid)
        return self._like(where(mask, sides[0]._values, sides[1]._values), valid)

    def _all_missing(self, size: int) -> Any:
        return self._like(zeros(size, dtype=np.int64), full(size, False))

    def _fitting(self, other: Column) -> Any:
        if isinstance(other, Periods):
            return other if other._step.one == self._step.one else self._all_missing(other.size)
        try:
            return self.of(other.to_list(), self._step)
        except (ValueError, TypeError):
            return self._all_missing(other.size)

    def _together(self, columns: Sequence[Column]) -> Any:
        own: list[Any] = [one if isinstance(one, Periods) else self._fitting(one) for one in columns]
        for one in own:
            self._check(one._step)
        return self._made(concatenate([one._values for one in own]), valid_of_all(own), self._step)


#: Parts of periods, and what datetimes call them.
PARTS = {
    "year": "year", "month": "month", "day": "day", "hour": "hour", "minute": "minute", "second": "second",
    "dayofweek": "dayofweek", "day_of_week": "dayofweek", "weekday": "dayofweek", "dayofyear": "dayofyear",
    "day_of_year": "dayofyear", "days_in_month": "days_in_month", "daysinmonth": "days_in_month",
    "is_leap_year": "is_leap_year",
}  # fmt: skip


def _text(values: ArrayLike) -> Any:
    return as_column(values).astype("str")


def _one(unit: str) -> Any:
    return np.array(1, f"m8[{unit}]")[()]


def _listed(values: Any) -> Iterable[Any]:
    if isinstance(values, Column):
        return values.to_list()
    return values.tolist() if isinstance(values, Array) else values


def _of_local(local: Datetimes, step: PeriodStep, back: bool = False) -> ndarray:
    """The number of the period that each datetime without a zone is in."""
    if step.base in CLOCK:
        length = CLOCK[step.base]
        if length < UNITS[local.unit]:
            local = local.as_unit(step.base if step.base in UNITS else "s")  # hours and minutes of dates: of seconds
        count = length // UNITS[local.unit]
        return mapped(local._values, "floored", local.unit, [count]) if count > 1 else local._values
    if step.base in OF_MONTHS:
        bare = local._like(local._values, None)
        return step.of_months(bare.year.astype(np.int64) * 12 + bare.month.astype(np.int64) - 1)
    days = local._like(local._values, None).as_unit("D")._values
    return step.of_days(days, back)
