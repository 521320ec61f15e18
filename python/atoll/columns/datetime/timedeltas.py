# SPDX-License-Identifier: Apache-2.0
"""Columns of timedeltas, and of times of day."""

from __future__ import annotations

import datetime
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...arrays.array import Array
from ...arrays.creation import asarray, full
from ...arrays.selection import where
from ...arrays.ufuncs import floor
from ..column import Column, both, column_or_array
from ..text.strings import strings, where_texts
from .engine import mapped, written
from .frequency import frequency
from .operators import Operators, _missing
from .rounding import is_whole, rounded_to
from .strings import read_durations
from .tick import MOST, UNITS, OutOfBoundsTimedelta, Tick, finest, tick_of
from .ticks import CLASSES, Ticks, meta_of, numbers_in, operand

if TYPE_CHECKING:
    from ...annotations import ArrayLike


class Components(NamedTuple):
    """Components of timedeltas, by pandas' names."""

    days: Any
    hours: Any
    minutes: Any
    seconds: Any
    milliseconds: Any
    microseconds: Any
    nanoseconds: Any


class Timedeltas(Operators):
    """A column of timedeltas, of which some may be missing; `ak.array` and `ak.to_timedelta` make one.

    Timedeltas are integers of "s", "ms", "us" or "ns", in int64. They are added to datetimes and to each other,
    divided by each other, and multiplied by numbers.

    Examples
    --------
    >>> import atoll as ak
    >>> import numpy as np
    >>> a = ak.array(np.array([90, 5400], "m8[s]"))
    >>> a
    timedeltas(['0 days 00:01:30', '0 days 01:30:00'], dtype=timedelta64[s])
    >>> a * 2 - a
    timedeltas(['0 days 00:01:30', '0 days 01:30:00'], dtype=timedelta64[s])
    >>> a / np.timedelta64(1, "m")
    array([ 1.5, 90. ])
    """

    __slots__ = ()
    _letter = "m"
    _name = "timedeltas"

    @property
    def kind(self) -> str:
        """The dtype, such as "timedelta64[ns]"."""
        return f"timedelta64[{self._unit}]"

    def _arrow_type(self) -> Any:
        import pyarrow as pa

        return pa.duration(self._unit)

    def to_pandas(self) -> Any:
        """A pandas Series of timedelta64, of the column's unit."""
        import pandas as pd

        return pd.Series(self.to_numpy())

    def to_list(self) -> list[Any]:
        """Python's timedeltas; of nanoseconds NumPy's."""
        return self._objects()

    tolist = to_list

    def _read(self, text: str) -> Tick:
        found = tick_of(read_durations(strings([text]), Timedeltas)[0])
        assert found is not None
        return found

    def _texts(self, values: np.ndarray[Any, Any]) -> list[str]:
        return [text_of_duration(int(value) * UNITS[self._unit]) for value in values]

    # -- what it says of each: pandas' `.dt` --

    def _part(self, name: str) -> Any:
        return column_or_array(mapped(self._values, name, self._unit), self._valid)

    @property
    def days(self) -> Any:
        """Whole days, rounded down: int64."""
        return self._part("date")

    @property
    def seconds(self) -> Any:
        """Seconds of the day that is left, 0 to 86399: int32."""
        return self._part("second_of_day")

    @property
    def microseconds(self) -> Any:
        """Microseconds of the second that is left: int32."""
        return self._part("microsecond")

    @property
    def nanoseconds(self) -> Any:
        """Nanoseconds of the microsecond that is left: int32."""
        return self._part("nanosecond")

    @property
    def components(self) -> Components:
        """Days, hours, minutes and so on.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> ak.array(np.array([93784], "m8[s]")).components[:4]
        (array([1]), array([2], dtype=int32), array([3], dtype=int32), array([4], dtype=int32))
        """
        days, hours, minutes, seconds = (self._part(name) for name in ("date", "hour", "minute", "second"))
        left = self._part("microsecond")
        return Components(days, hours, minutes, seconds, left // 1000, left % 1000, self._part("nanosecond"))

    def total_seconds(self) -> Any:
        """Seconds of each: float64.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> ak.array(np.array([1500], "m8[ms]")).dt.total_seconds()
        array([1.5])
        """
        return column_or_array(self._values / (UNITS["s"] // UNITS[self._unit]), self._valid)

    def floor(self, freq: Any) -> Any:
        """Rounded down to multiples of a frequency of fixed length, as "15min"."""
        return rounded_to(self, "floor", frequency(freq))

    def ceil(self, freq: Any) -> Any:
        """Rounded up; see `floor`."""
        return rounded_to(self, "ceil", frequency(freq))

    def round(self, freq: Any) -> Any:
        """Rounded to the nearest, halves to the even multiple; see `floor`."""
        return rounded_to(self, "round", frequency(freq))

    def _to_text(self) -> Any:
        """As pandas writes them: "1 days 02:03:04.500000"."""
        time = self._like(mapped(self._values, "time", self._unit), self._valid)
        finest_there = next(u for u in ("s", "us", "ns") if is_whole(time, u))
        form = {"s": "%H:%M:%S", "us": "%H:%M:%S.%6f", "ns": "%H:%M:%S.%9f"}[finest_there]
        clock = written(time._values, self._unit, form)
        days = strings(mapped(self._values, "date", self._unit))
        texts = days + where_texts(self._values < 0, " days +", " days ") + clock
        return texts._like(texts._values, self._valid)

    # -- arithmetic with numbers --

    def __neg__(self) -> Any:
        return self._like(-self._values, self._valid)

    def __abs__(self) -> Any:
        return self._like(abs(self._values), self._valid)

    def __mul__(self, other: Any) -> Any:
        """Each duration so many times; by floats, rounded towards zero as NumPy does."""
        factor = _number(other)
        if factor is None:
            return NotImplemented
        values, valid = factor
        product = self._values * values
        floating = product.astype(np.float64) if product.dtype.kind == "f" else self._values.astype(np.float64) * values
        valid = both(self._valid, valid)
        bad = ~(abs(floating) < 2.0**63)
        if product.dtype.kind == "f":
            nan = product != product
            valid = both(valid, ~nan) if bool(nan.any()) else valid
            product = where(bad, 0.0, product).astype(np.int64)
        self._like(product, valid)._refuse_overflow(bad)
        return self._like(product, valid)

    __rmul__ = __mul__

    def _refuse_overflow(self, bad: Any) -> None:
        if bool((bad if self._valid is None else bad & self._valid).any()):
            raise OverflowError(f"a result does not fit 64 bits of {self._unit}; as_unit to a coarser one")

    def __truediv__(self, other: object) -> Any:
        """By a timedelta: a float; by a number: a timedelta, rounded towards zero as NumPy does."""
        return self._quotient(other, operator.truediv)

    def __floordiv__(self, other: object) -> Any:
        """By a timedelta: the whole number of times it fits; by a number: a timedelta, rounded down."""
        return self._quotient(other, operator.floordiv)

    def _quotient(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        if other is None:
            return _missing(self)
        right = operand(other)
        if right is not None:
            return _ratio(self, right, operation)
        factor = _number(other)
        if factor is None:
            return NotImplemented
        values, valid = factor
        valid = both(self._valid, valid)
        divisor: Any = values if isinstance(values, Array) else asarray(values)
        none = divisor == 0
        if divisor.dtype.kind == "f":
            quotient = self._values / divisor
            none = none | (quotient != quotient)
            beyond = (abs(quotient) >= 2.0**63) & ~none
            if bool((beyond if self._valid is None else beyond & self._valid).any()):
                raise OutOfBoundsTimedelta("Overflow in timedelta division")
            quotient = where(none, 0.0, quotient if operation is operator.truediv else floor(quotient)).astype(np.int64)
        else:
            quotient = self._values // divisor
            if operation is operator.truediv:  # towards zero, as NumPy's
                quotient = quotient + ((quotient < 0) & (quotient * divisor != self._values))
        if bool(none.any()):
            valid = both(valid, ~(none | full(self.size, False)))
        return self._like(quotient, valid)

    def __rtruediv__(self, other: Any) -> Any:
        left = operand(other)
        return NotImplemented if left is None else _ratio(left, self, operator.truediv)

    def __rfloordiv__(self, other: Any) -> Any:
        left = operand(other)
        return NotImplemented if left is None else _ratio(left, self, operator.floordiv)

    def __mod__(self, other: Any) -> Any:
        """The remainder of division by a timedelta, with the divisor's sign."""
        right = operand(other)
        return NotImplemented if right is None else _remainder(self, right)

    def __rmod__(self, other: Any) -> Any:
        left = operand(other)
        return NotImplemented if left is None else _remainder(left, self)

    # -- reductions --

    def sum(self) -> Any:
        """Their sum; OverflowError when it does not fit 64 bits."""
        there = self._there()
        if abs(float(there.astype(np.float64).sum())) > MOST:
            raise OverflowError(f"the sum does not fit 64 bits of {self._unit}; as_unit to a coarser one")
        return self._scalar(int(there.sum()))


class Times(Operators):
    """A column of times of day; Arrow's time32 and time64 make one, and `.dt.time` of datetimes.

    Examples
    --------
    >>> import atoll as ak
    >>> from datetime import time
    >>> ak.array([time(12, 30), None])
    times(['12:30:00', NaT], dtype=time64[us])
    """

    __slots__ = ()
    _letter = "t"
    _name = "times"

    @property
    def kind(self) -> str:
        """The dtype, such as "time64[us]"."""
        return f"time64[{self._unit}]"

    def _arrow_type(self) -> Any:
        import pyarrow as pa

        return pa.time64(self._unit)

    def to_arrow(self) -> Any:
        """A pyarrow array of time32 or time64."""
        if self._unit in ("us", "ns"):
            return super().to_arrow()
        import pyarrow as pa

        buffers = [self._bits(), pa.py_buffer(self._values.astype(np.int32).to_numpy())]
        return pa.Array.from_buffers(pa.time32(self._unit), self.size, buffers, null_count=self.null_count)

    def to_pandas(self) -> Any:
        """A pandas Series of Python's times."""
        import pandas as pd

        return pd.Series(self.to_list(), dtype=object)

    def to_list(self) -> list[Any]:
        """Python's times, to the microsecond."""
        start = datetime.datetime(1970, 1, 1)
        since = self.to_numpy().astype("m8[us]").tolist()
        return [None if one is None else (start + one).time() for one in since]

    tolist = to_list

    def _item(self, row: int) -> Any:
        return self[row : row + 1]._like_valid().to_list()[0]

    def _texts(self, values: np.ndarray[Any, Any]) -> list[str]:
        return [text_of_duration(int(value) * UNITS[self._unit]).rpartition(" ")[2] for value in values]


CLASSES["m"] = Timedeltas
CLASSES["t"] = Times


def text_of_duration(nanoseconds: int) -> str:
    """As pandas writes it: "-1 days +23:59:59.5"."""
    days, rest = divmod(nanoseconds, UNITS["D"])
    seconds, rest = divmod(rest, UNITS["s"])
    digits = f"{rest:09}"
    digits = "" if rest == 0 else "." + (digits if rest % 1_000 else digits[:6])
    sign = "+" if days < 0 else ""
    return f"{days} days {sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{digits}"


def _number(value: ArrayLike) -> tuple[Any, Any] | None:
    """Numbers, and which are there; None of what are none."""
    if type(value) is Column:
        return None if value.dtype.kind == "b" else (value.values, value.valid)
    if isinstance(value, Array):
        return None if value.dtype.kind == "b" else (value, None)
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return value, None
    if isinstance(value, (list, np.ndarray)):
        made: Any = asarray(value)
        return _number(made)
    return None


def _in_one_unit(left: Ticks | Tick, right: Ticks | Tick) -> tuple[Any, Any, str] | None:
    a, b = meta_of(left), meta_of(right)
    if (a.letter, b.letter) != ("m", "m"):
        return None
    unit = finest(a.unit, b.unit)
    return numbers_in(left, unit), numbers_in(right, unit), unit


def _ratio(left: Ticks | Tick, right: Ticks | Tick, operation: Callable[[Any, Any], Any]) -> Any:
    if meta_of(left).value is None or meta_of(right).value is None:
        column: Any = left if isinstance(left, Ticks) else right
        return Column(column._values.astype(np.float64), column._all_missing(column.size)._valid)
    pair = _in_one_unit(left, right)
    if pair is None:
        return NotImplemented
    x, y, _ = pair
    if operation is operator.floordiv and not isinstance(y, Array) and y == 0:
        raise ZeroDivisionError("division of durations by one of length 0")
    return column_or_array(operation(x, y), both(left.valid, right.valid))


def _remainder(left: Ticks | Tick, right: Ticks | Tick) -> Any:
    pair = _in_one_unit(left, right)
    if pair is None:
        return NotImplemented
    x, y, unit = pair
    return Timedeltas._made(x % y, both(left.valid, right.valid), unit)
