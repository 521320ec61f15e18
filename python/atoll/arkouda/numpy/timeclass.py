# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `Datetime` and `Timedelta`: numbers of nanoseconds, with Atoll's columns of datetimes beneath."""

from __future__ import annotations

import datetime as _datetime
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ...columns.datetime.datetimes import Datetimes
from ...columns.datetime.ticks import Ticks
from ...columns.datetime.timedeltas import Timedeltas
from ..core import client
from ..objects import LIFTED, lift
from .arrays import combine, pdarray
from .dtypes import Int

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...annotations import ArrayLike, Label

__all__ = ["Datetime", "Timedelta", "date_range", "timedelta_range"]

_UNITS = {
    "W": ("weeks", "w", "week"),
    "D": ("days", "d", "day"),
    "h": ("hours", "H", "hr", "hrs", "hour"),
    "m": ("minutes", "minute", "min", "t"),
    "s": ("seconds", "second", "sec"),
    "ms": ("milliseconds", "millisecond", "milli", "l"),
    "us": ("microseconds", "microsecond", "micro", "u"),
    "ns": ("nanoseconds", "nanosecond", "nano", "n"),
}
_FACTORS = {
    "W": 604800 * 10**9,
    "D": 86400 * 10**9,
    "h": 3600 * 10**9,
    "m": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}
_FREQUENCIES = {"m": "min", "t": "min", "T": "min", "d": "D", "H": "h", "S": "s"}


def _factor(unit: str) -> int:
    for name, others in _UNITS.items():
        if unit == name or unit in others or unit.lower() in others:
            return _FACTORS[name]
    raise ValueError(f"Argument must be one of {list(_UNITS)}, not {unit!r}")


def _identity(x: object, **kwargs: object) -> Any:
    return x


def _kind(value: object) -> str:
    """What an operand is: "datetime", "timedelta", "pdarray", or nothing of these."""
    if isinstance(value, (Datetime, _datetime.datetime, np.datetime64)):
        return "datetime"
    if isinstance(value, (Timedelta, _datetime.timedelta, np.timedelta64)):
        return "timedelta"
    if isinstance(value, (pdarray, int, float, np.number)):
        return "pdarray"
    return ""


def _numbers(value: object) -> Any:
    """Nanoseconds as plain numbers."""
    if isinstance(value, _Moments):
        return pdarray._of(value._a)
    if isinstance(value, (_datetime.datetime, np.datetime64)):
        import pandas as pd

        return int(pd.Timestamp(value).as_unit("ns").value)
    if isinstance(value, (_datetime.timedelta, np.timedelta64)):
        import pandas as pd

        return int(pd.Timedelta(value).as_unit("ns").value)
    return value


def _nanoseconds(column: Ticks) -> Any:
    """A column's ticks as nanoseconds; the least number stands for a missing one."""
    made = column.as_unit("ns")
    if made._valid is None:
        return made._values
    return atoll.where(made._valid, made._values, np.iinfo(np.int64).min)


class _Moments(pdarray):
    """What both have: numbers of nanoseconds."""

    special_objType = "Time"
    _code = "M8[ns]"

    def __init__(self, pda: Any, unit: str = "ns") -> None:
        if isinstance(pda, pdarray):
            if isinstance(pda, _Moments):
                if type(pda) is not type(self):
                    raise TypeError(f"{type(pda).__name__} is no {type(self).__name__}")
                self._set(pda._a)
            else:
                if pda.dtype.kind not in ("i", "u"):
                    raise TypeError(f"{type(self).__name__} array must have int64 dtype")
                self._set((pda._a.astype(np.int64) * _factor(unit)) if _factor(unit) != 1 else pda._a.astype(np.int64))
        elif isinstance(pda, Ticks):
            self._set(_nanoseconds(pda))
        else:
            values = np.asarray(getattr(pda, "to_numpy", lambda: pda)())
            if values.dtype.kind != self._code[0]:
                raise TypeError(f"values must be pdarray, pandas or NumPy {self._code}, not {values.dtype}")
            self._set(atoll.asarray(values.astype(self._code).view(np.int64)))
        self.unit = "ns"

    @property
    def _column(self) -> Any:
        made = Datetimes if self._code[0] == "M" else Timedeltas
        return made._made(self._a.reshape(-1), None, "ns")

    dtype = property(lambda self: np.dtype(np.int64), doc="The type of the numbers.")
    inferred_type = property(lambda self: "datetime64" if self._code[0] == "M" else "timedelta64", doc="As pandas.")

    @classmethod
    def _get_callback(cls, other: str, op: str) -> Any:
        return _result(cls.__name__.lower(), op, other.lower())

    # -- values --

    def to_ndarray(self) -> Any:
        """A NumPy array of datetimes or timedeltas."""
        return np.array(pdarray.to_ndarray(self), dtype=self._code)

    def tolist(self) -> Any:
        """The nanoseconds as a list."""
        return self.to_ndarray().tolist()

    def to_pandas(self) -> Any:
        """pandas' index of these."""
        import pandas as pd

        return (pd.to_datetime if self._code[0] == "M" else pd.to_timedelta)(self.to_ndarray())

    def __str__(self) -> str:
        if self.size <= client.pdarrayIterThresh:
            shown = [f"'{one}'" for one in self.to_pandas()]
        else:
            shown = [f"'{self[i]}'" for i in (0, 1, 2)] + ["... "] + [f"'{self[i]}'" for i in (-3, -2, -1)]
        return "[" + ", ".join(shown) + "]"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def _scalar(self, value: Any) -> Any:
        import pandas as pd

        made = pd.Timestamp if self._code[0] == "M" else pd.Timedelta
        return made(int(value), unit="ns")

    def __getitem__(self, key: object) -> Any:
        found = pdarray.__getitem__(self, key)
        return type(self)(found) if isinstance(found, pdarray) else self._scalar(found)

    def __setitem__(self, key: object, value: object) -> None:
        if _kind(value) != type(self).__name__.lower():
            raise TypeError(f"{type(value).__name__} is no {type(self).__name__}")
        pdarray.__setitem__(self, key, _numbers(value))

    def copy(self) -> Any:
        """Another one with the same values."""
        return type(self)(pdarray.copy(self))

    def reshape(self, *shape: Any) -> Any:
        """The values in another shape."""
        return pdarray.reshape(self, *shape)

    @classmethod
    def _concatenate(cls, arrays: Sequence[Any]) -> Any:
        return cls(pdarray._of(atoll.concatenate([one._a for one in arrays])))

    # -- operators --

    def _applied(self, other: object, op: str, swap: bool) -> Any:
        own, kind = type(self).__name__.lower(), _kind(other)
        table = f"supported_with_{'r_' if swap else ''}{kind}"
        if not kind or op not in getattr(self, table, ()):
            raise TypeError(f"{op} not supported between {type(self).__name__} and {type(other).__name__}")
        sides = (_numbers(other), _numbers(self)) if swap else (_numbers(self), _numbers(other))
        if op in ("+", "-") and isinstance(other, (pdarray, _Moments)) and other.size != self.size:
            raise ValueError("size mismatch")
        found = combine(op, *sides)
        names = (kind, own) if swap else (own, kind)
        return _result(names[0], op, names[1])(found)

    def _binop(self, other: object, op: str) -> Any:
        return self._applied(other, op, False)

    def _r_binop(self, other: object, op: str) -> Any:
        return self._applied(other, op, True)

    def opeq(self, other: object, op: str) -> Any:
        """The operation in place."""
        if op not in self.supported_opeq or _kind(other) != "timedelta":
            raise TypeError(f"{op} not supported between {type(self).__name__} and {type(other).__name__}")
        found = combine(op[:-1], _numbers(self), _numbers(other))
        self._set(found._a)
        return self

    supported_opeq: frozenset[str] = frozenset()

    # -- rounding, aggregates --

    def _rounded(self, how: str, freq: str) -> Any:
        unit = _FREQUENCIES.get(freq, freq)
        return type(self)(getattr(self._column, how)(unit))

    def floor(self, freq: str) -> Any:
        """Rounded down to a unit."""
        return self._rounded("floor", freq)

    def ceil(self, freq: str) -> Any:
        """Rounded up."""
        return self._rounded("ceil", freq)

    def round(self, freq: str) -> Any:
        """Rounded to the nearest."""
        return self._rounded("round", freq)

    def min(self, axis: int | str | None = None, keepdims: bool = False) -> Any:
        """The first."""
        return self._scalar(self._a.min())

    def max(self, axis: int | str | None = None, keepdims: bool = False) -> Any:
        """The last."""
        return self._scalar(self._a.max())

    def mink(self, k: Any) -> Any:
        """The `k` first."""
        return type(self)(pdarray._of(self._a).mink(k))

    def maxk(self, k: Any) -> Any:
        """The `k` last."""
        return type(self)(pdarray._of(self._a).maxk(k))


class Datetime(_Moments):
    """Datetimes.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> d = ak.date_range("2024-02-28", periods=3)
    >>> d.day
    array([28 29 1])
    >>> d[1:] - d[:-1] == ak.Timedelta(ak.ones(2, ak.int64), unit="D")
    array([True True])
    """

    special_objType = "Datetime"
    objType = "pdarray"
    is_leap_year: Any
    supported_with_datetime = frozenset(("==", "!=", "<", "<=", ">", ">=", "-"))
    supported_with_r_datetime = supported_with_datetime
    supported_with_timedelta = frozenset(("+", "-", "/", "//", "%"))
    supported_with_r_timedelta = frozenset(("+",))
    supported_with_pdarray: frozenset[str] = frozenset()
    supported_with_r_pdarray: frozenset[str] = frozenset()
    supported_opeq = frozenset(("+=", "-="))

    def sum(self, axis: int | str | None = None, keepdims: bool = False) -> Any:
        """Datetimes have no sum: TypeError."""
        raise TypeError("Cannot sum datetime64 values")

    def isocalendar(self) -> Any:
        """Year, week and day of ISO 8601, as a data frame."""
        from ..pandas.dataframe import DataFrame

        iso = self._column.isocalendar()
        return DataFrame({name: lift(_plain(getattr(iso, name))) for name in ("year", "week", "day")})

    week = property(lambda self: lift(_plain(self._column.isocalendar().week)), doc="The week of ISO 8601.")
    weekofyear = week
    date = property(lambda self: self.floor("D"), doc="The moments at which the days begin.")
    nanosecond = property(lambda self: pdarray._of(self._a % 1000), doc="Nanoseconds beyond microseconds.")
    millisecond = property(lambda self: pdarray._of(self._a // 10**6 % 1000), doc="Milliseconds.")


class Timedelta(_Moments):
    """Timedeltas.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.Timedelta(ak.array([90, 30]), unit="m").total_seconds()
    array([5400 1800])
    """

    special_objType = "Timedelta"
    objType = "pdarray"
    _code = "m8[ns]"
    supported_with_datetime = frozenset(("+",))
    supported_with_r_datetime = frozenset(("+", "-", "/", "//", "%"))
    supported_with_timedelta = frozenset(("==", "!=", "<", "<=", ">", ">=", "+", "-", "/", "//", "%"))
    supported_with_r_timedelta = supported_with_timedelta
    supported_with_pdarray = frozenset(("*", "//"))
    supported_with_r_pdarray = frozenset(("*",))
    supported_opeq = frozenset(("+=", "-=", "%="))

    def __neg__(self) -> Timedelta:
        return Timedelta(pdarray._of(-self._a))

    def __abs__(self) -> Timedelta:
        return Timedelta(pdarray._of(abs(self._a)))

    abs = __abs__

    def total_seconds(self) -> Any:
        """Seconds as floats."""
        return pdarray._of(self._a / 10**9)

    def sum(self, axis: int | str | None = None, keepdims: bool = False) -> Any:
        """The sum."""
        return self._scalar(self._a.sum())

    def std(self, ddof: Any = 0, axis: int | str | None = None, keepdims: bool = False) -> Any:
        """The standard deviation."""
        return self._scalar(round(float(self._a.astype(np.float64).std(ddof=ddof))))

    @property
    def components(self) -> Any:
        """Days, hours and so on, as a data frame."""
        from ..pandas.dataframe import DataFrame

        parts = self._column.components
        names = ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds")
        return DataFrame({name: lift(_plain(getattr(parts, name))) for name in names})


def _plain(values: ArrayLike) -> Any:
    return atoll.asarray(getattr(values, "values", values)).astype(np.int64)


def _field(name: str, kind: Any) -> property:
    def read(self: Any) -> Any:
        found = getattr(self._column, name)
        found = found() if callable(found) else found
        values = atoll.asarray(getattr(found, "values", found))
        return lift(values if kind is None else values.astype(kind))

    return property(read, doc=f"pandas' `{name}` of each.")


for _name in (
    "microsecond", "second", "minute", "hour", "day", "month", "year", "day_of_year", "dayofyear", "day_of_week",
    "dayofweek", "weekday",
):  # fmt: skip
    setattr(Datetime, _name, _field(_name, np.int64))
Datetime.is_leap_year = _field("is_leap_year", None)
for _name in ("nanoseconds", "microseconds", "seconds", "days"):
    setattr(Timedelta, _name, _field(_name, np.int64))

_RESULTS: dict[tuple[str, str, str], Any] = {
    ("datetime", "-", "datetime"): Timedelta,
    ("datetime", "+", "timedelta"): Datetime,
    ("datetime", "-", "timedelta"): Datetime,
    ("datetime", "%", "timedelta"): Timedelta,
    ("timedelta", "+", "datetime"): Datetime,
    ("timedelta", "+", "timedelta"): Timedelta,
    ("timedelta", "-", "timedelta"): Timedelta,
    ("timedelta", "%", "timedelta"): Timedelta,
    ("timedelta", "*", "pdarray"): Timedelta,
    ("timedelta", "//", "pdarray"): Timedelta,
    ("pdarray", "*", "timedelta"): Timedelta,
}


def _result(first: str, op: str, second: str) -> Any:
    return _RESULTS.get((first, op, second), _identity)


def date_range(
    start: object = None, end: object = None, periods: Any = None, freq: Any = None, tz: Any = None,
    normalize: bool = False,
    name: Label = None, inclusive: str = "both", **kwargs: object,
) -> Datetime:  # fmt: skip
    """pandas' `date_range`, as `Datetime`."""
    freq = _FREQUENCIES.get(freq, freq) if isinstance(freq, str) else freq
    found = atoll.date_range(
        start, end, periods, freq, tz=tz, normalize=normalize, inclusive=inclusive, unit="ns", **kwargs
    )
    return Datetime(found)


def timedelta_range(
    start: Any = None, end: Any = None, periods: Any = None, freq: Any = None, name: Any = None, closed: Any = None,
    **kwargs: object,
) -> Timedelta:  # fmt: skip
    """pandas' `timedelta_range`, as `Timedelta`."""
    start = np.timedelta64(int(start), "ns") if isinstance(start, Int) else start
    return Timedelta(atoll.timedelta_range(start, end, periods, freq, closed=closed, unit="ns", **kwargs))


LIFTED["Datetimes"], LIFTED["Timedeltas"], LIFTED["Times"] = Datetime, Timedelta, Timedelta
