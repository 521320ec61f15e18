# SPDX-License-Identifier: Apache-2.0
"""Common base of datetime, timedelta and time columns: integers of a unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from ...arrays.array import Array, wrap
from ...arrays.creation import asarray, full, zeros
from ...arrays.joining import concatenate
from ...arrays.quantiles import median, quantile
from ...arrays.selection import where
from ...arrays.ufuncs import rint
from ..column import ORDINAL, Column, Likewise, both, chosen_valid, column_or_array, valid_of_all
from .engine import mapped
from .tick import (
    MOST,
    NAMES,
    NAT,
    UNITS,
    Letter,
    OutOfBoundsDatetime,
    OutOfBoundsTimedelta,
    Tick,
    check_unit,
    finest,
    tick_of,
)

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

Self = TypeVar("Self", bound="Ticks")


class Ticks(Column):
    """A column of integers of a unit of time; what they mean is up to the classes below."""

    __slots__ = ("_unit", "_zone")
    _values: ndarray  # int64; where a value is missing, any
    _unit: str
    _zone: str | None
    _letter: ClassVar[Letter]
    _name: ClassVar[str]

    def __init__(self, values: Any, valid: Any = None) -> None:
        made = self._of(values)
        self._values, self._unit, self._zone = made._values, made._unit, made._zone
        self._set_valid(both(made._valid, None if valid is None else asarray(valid, dtype=bool)))

    def _like(self: Self, values: Any, valid: ndarray | None) -> Self:
        return type(self)._made(values, valid, self._unit, self._zone)

    @classmethod
    def _made(cls: type[Self], values: ndarray, valid: ndarray | None, unit: str, zone: str | None = None) -> Self:
        column = object.__new__(cls)
        column._values, column._valid, column._unit, column._zone = values, valid, unit, zone
        return column

    @classmethod
    def _of(cls: type[Self], values: ArrayLike) -> Self:
        """The column of what holds values of this kind."""
        made = values if isinstance(values, Column) else asarray(values)
        if isinstance(made, cls):
            return made
        if type(made) is Column and made.null_count == made.size:
            return cls._made(zeros(made.size, dtype=np.int64), zeros(made.size, dtype=bool), "s")
        raise TypeError(f"{NAMES[cls._letter]} are not made of {getattr(made, 'kind', made.dtype)}")

    # -- what it is --

    @property
    def dtype(self) -> Any:
        """NumPy's dtype of the unit."""
        return np.dtype(f"{'m' if self._letter == 't' else self._letter}8[{self._unit}]")

    @property
    def unit(self) -> str:
        """The unit: "s", "ms", "us", "ns"; "D" for dates."""
        return self._unit

    @property
    def values(self) -> Any:
        """The column with nothing missing: any value where one is missing."""
        return self._like_valid()

    @property
    def dt(self: Self) -> Self:
        """The column itself: its methods are those of pandas' `.dt`."""
        return self

    def as_unit(self: Self, unit: str) -> Self:
        """The same values in another unit; to a coarser one they are rounded down.

        Raises
        ------
        ValueError
            A value that does not fit 64 bits of a finer unit.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> ak.array(np.array(["2026-11-24"], "M8[D]")).as_unit("ns")
        datetimes(['2026-11-24'], dtype=datetime64[ns])
        """
        check_unit(unit)
        if unit == self._unit:
            return self
        if UNITS[unit] > UNITS[self._unit]:
            return type(self)._made(
                mapped(self._values, "floored", unit, [UNITS[unit] // UNITS[self._unit]]), self._valid, unit, self._zone
            )
        factor = UNITS[self._unit] // UNITS[unit]
        most = MOST // factor
        self._refuse((self._values > most) | (self._values < -most), f"does not fit 64 bits of {unit}")
        return type(self)._made(self._values * factor, self._valid, unit, self._zone)

    def _refuse(self, bad: ndarray, why: str, error: type[Exception] | None = None) -> None:
        """Raises when one of the values that are not missing is bad, and says which."""
        bad = bad if self._valid is None else bad & self._valid
        if not bool(bad.any()):
            return
        row = int(bad.argmax())
        found = self._texts(np.array([int(self._values[row])]))[0]
        if error is None:
            error = OutOfBoundsTimedelta if self._letter == "m" else OutOfBoundsDatetime
        raise error(f"row {row}: {found} {why}")

    # -- to others --

    def to_numpy(self, copy: bool | None = True) -> np.ndarray[Any, Any]:
        """A NumPy array of the column's dtype, NaT where a value is missing; in UTC when the column has a zone.

        With `copy=None` it shares the column's memory where it can, and is read-only.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> ak.array(np.array(["2026-11-24T12:00", "NaT"], "M8[s]")).to_numpy()
        array(['2026-11-24T12:00:00',                 'NaT'],
              dtype='datetime64[s]')
        """
        values = self._values if self._valid is None else where(self._valid, self._values, NAT)
        return values.to_numpy(copy).view(self.dtype)

    def to_arrow(self) -> Any:
        """A pyarrow array; with one PE it shares the values' memory."""
        import pyarrow as pa

        buffers = [self._bits(), pa.py_buffer(self._values.to_numpy(None))]
        return pa.Array.from_buffers(self._arrow_type(), self.size, buffers, null_count=self.null_count)

    def _arrow_type(self) -> Any:
        raise NotImplementedError

    def _objects(self) -> list[Any]:
        """Python's objects, NumPy's where there are none: of nanoseconds, and years they do not have."""
        values = self.to_numpy()
        if self._unit == "ns":
            found = [None if np.isnat(value) else value for value in values]
        else:
            pairs = zip(values.tolist(), values, strict=True)
            found = [value if isinstance(one, int) else one for one, value in pairs]
        return found

    def _item(self, row: int) -> Any:
        return np.array([int(self._values[row])]).view(self.dtype)[0]

    def _texts(self, values: np.ndarray[Any, Any]) -> list[str]:
        """A few of them as they are printed."""
        raise NotImplementedError

    def _shown(self) -> list[str]:
        ends = self.size > 60
        rows = (self[:3], self[-3:]) if ends else (self,)
        values = np.concatenate([part._values.to_numpy() for part in rows])
        there = np.concatenate([part.notna().to_numpy() for part in rows])
        found = iter(self._texts(values[there]))
        texts = [f"'{next(found)}'" if is_there else "NaT" for is_there in there]
        return [*texts[:3], "...", *texts[3:]] if ends else texts

    def __repr__(self) -> str:
        return self._repr(self._name, [f"dtype={self.kind}"])

    def astype(self, dtype: Any) -> Any:
        """The values as integers of the unit, as strings, or in another unit; missing values stay missing.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> days = ak.array(np.array(["1970-01-02"], "M8[D]"))
        >>> days.astype(int), days.astype("datetime64[s]").astype(int)
        (array([1]), array([86400]))
        """
        if dtype is str or (isinstance(dtype, str) and dtype in ("str", "string")):
            return self._to_text()
        wanted = np.dtype(dtype)
        if wanted.kind == self.dtype.kind:
            unit, count = np.datetime_data(wanted)
            return self if unit == "generic" else self.as_unit(check_unit(unit if count == 1 else str(wanted)))
        if wanted.kind in "iu":
            return column_or_array(wrap(self._values._read().alias()).astype(wanted), self._valid)
        raise TypeError(f"{self.kind} cannot become {wanted}")

    def _to_text(self) -> Any:
        raise NotImplementedError

    # -- beside others --

    @property
    def _meta(self) -> Tick:
        """A scalar with the unit and zone of the values."""
        return Tick(self._letter, 0, self._unit, self._zone)

    def _own(self: Self, value: ArrayLike) -> Self | Tick:
        """Values of this kind that are to stand beside these: a column, or one value."""
        if value is None:
            return Tick(self._letter, None, self._unit, self._zone)
        found: Any = self._read(value) if isinstance(value, str) else operand(value)
        if found is None and hasattr(value, "__len__"):
            found = self._of(value)
        if found is None or meta_of(found).letter != self._letter:
            if isinstance(found, Tick) and found.value is None:
                return found._replace(letter=self._letter, unit=self._unit, zone=self._zone)
            raise TypeError(f"{NAMES[self._letter]} do not go together with {value!r}")
        zones = {meta_of(found).zone, self._zone}
        if len(zones) > 1:
            if None in zones:
                raise TypeError("Cannot mix tz-aware with tz-naive values; give the naive ones a zone with tz_localize")
            found = found._replace(zone=self._zone) if isinstance(found, Tick) else found._like_zone(self._zone)
        return found

    def _read(self, text: str) -> Tick:
        """The value that a string means."""
        raise TypeError(f"{NAMES[self._letter]} do not go together with the text {text!r}")

    def _like_zone(self: Self, zone: str | None) -> Self:
        return type(self)._made(self._values, self._valid, self._unit, zone)

    def _all_missing(self: Self, size: int) -> Self:
        return self._like(zeros(size, dtype=np.int64), zeros(size, dtype=bool))

    def _together(self, columns: Sequence[Column]) -> Any:
        own: list[Any] = [self._own(column) for column in columns]
        unit = finest(*(one._unit for one in own))
        values = concatenate([one.as_unit(unit)._values for one in own])
        return type(self)._made(values, valid_of_all(own), unit, self._zone)

    def fillna(self: Self, value: ArrayLike) -> Self:
        """The column with a value, or those of another column, where one is missing.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> ak.array(np.array(["2026-11-24", "NaT"], "M8[D]")).fillna(np.datetime64("2026-01-01"))
        datetimes(['2026-11-24', '2026-01-01'], dtype=datetime64[D])
        """
        return self if self._valid is None else self._choose(self._valid, self._like_valid(), value)

    def _choose(self: Self, mask: ndarray, yes: ArrayLike, no: ArrayLike) -> Self:
        sides = [self._own(side) for side in (yes, no)]
        unit = finest(self._unit, *(meta_of(side).unit for side in sides if not _is_missing(side)))
        values = where(mask, *(0 if _is_missing(side) else numbers_in(side, unit) for side in sides))
        valids = [full(mask.size, False) if _is_missing(side) else side.valid for side in sides]
        return type(self)._made(values, chosen_valid(mask, *valids), unit, self._zone)

    # -- order and reductions --

    def _as_numbers(self: Self) -> tuple[ndarray, Callable[[ndarray], Self]]:
        return self._values, Likewise(self)

    def _grouped(self, figure: str) -> tuple[ndarray, Callable[[ndarray, ndarray | None], Any]]:
        if figure in ("mean", "quantile", "std"):  # floats hold what lies near the smallest
            there = self._there()
            least = int(there.min()) if there.size else 0
            made, base = (CLASSES["m"]._made(self._values, None, self._unit), 0) if figure == "std" else (self, least)
            return self._values - least, lambda values, valid: made._like(_whole(values) + base, valid)
        if figure not in ORDINAL and not (figure == "sum" and self._letter == "m"):
            raise TypeError(f"{NAMES[self._letter]} have no {figure}")
        return self._values, self._like

    def numbers(self) -> tuple[ndarray, Any, ndarray]:
        """As of every column; see `Column.numbers`."""
        numbers, distinct, first = super().numbers()
        return numbers, self._like(distinct, None), first

    def _scalar(self, value: ArrayLike) -> Any:
        """An integer of units as a scalar."""
        return self._like(asarray(np.array([value], np.int64)), None)[0]

    def min(self) -> Any:
        """The first value in order, None when there is none."""
        return self._or_none(lambda values: self._scalar(values.min()))

    def max(self) -> Any:
        """The last value in order, None when there is none."""
        return self._or_none(lambda values: self._scalar(values.max()))

    def mean(self, *, skipna: bool = True) -> Any:
        """The mean, to the nearest unit; None when there is no value, or one is missing that is not skipped."""
        if not skipna and self.null_count:
            return None
        return self._or_none(lambda values: self._scalar(_middle(values, lambda near: near.mean())))

    def median(self) -> Any:
        """The value in the middle, to the nearest unit; None when there is no value."""
        return self._or_none(lambda values: self._scalar(_middle(values, median)))

    def quantile(self, q: float) -> Any:
        """The value below which a share `q` lies, to the nearest unit; None when there is no value."""
        return self._or_none(lambda values: self._scalar(_middle(values, lambda near: quantile(near, q))))

    def std(self, ddof: int = 1) -> Any:
        """The standard deviation, a timedelta; None when there are too few values."""
        durations = CLASSES["m"]._made(self._values, self._valid, self._unit)
        return self._or_none(lambda values: durations._scalar(round(_near(values).std(ddof=ddof))), ddof + 1)

    def any(self) -> Any:
        """Whether any value is not 0, as in NumPy: NaT is not."""
        return np.bool_(self.null_count > 0) or (self._there() != 0).any()

    def all(self) -> Any:
        """Whether no value is 0, as in NumPy: NaT is not."""
        return (self._there() != 0).all()

    def _refused(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{NAMES[self._letter]} have no such reduction")

    sum = prod = var = _refused


#: The class of each letter.
CLASSES: dict[str, type[Ticks]] = {}


def operand(value: ArrayLike) -> Ticks | Tick | None:
    """A column or a scalar of any kind of time as one of ours, None of anything else."""
    if isinstance(value, Ticks):
        return value
    if isinstance(value, (Column, Array, str, bytes)) or value is None:
        return None
    tick = tick_of(value)
    if tick is None and hasattr(value, "__len__"):
        made: Any = asarray(value)
        return made if isinstance(made, Ticks) else None
    return tick


def meta_of(value: Ticks | Tick) -> Tick:
    """Letter, unit and zone."""
    return value if isinstance(value, Tick) else value._meta


def numbers_in(value: Ticks | Tick, unit: str) -> Any:
    """How many units: an array or an integer."""
    return value.to(unit) if isinstance(value, Tick) else value.as_unit(unit)._values


def _is_missing(value: Ticks | Tick) -> bool:
    return isinstance(value, Tick) and value.value is None


def _whole(values: ndarray) -> ndarray:
    return rint(values).astype(np.int64)


def _near(values: ndarray) -> ndarray:
    """Less their smallest, so that floats hold them."""
    return (values - values.min()).astype(np.float64)


def _middle(values: ndarray, figure: Callable[[ndarray], Any]) -> int:
    return int(values.min()) + round(float(figure(_near(values))))
