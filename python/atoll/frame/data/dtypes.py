# SPDX-License-Identifier: Apache-2.0
"""Kinds of columns under the names that pandas has for them, and casts between them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray, zeros
from ...arrays.interchange import arrow_of
from ...arrays.ndarray import ndarray
from ...arrays.selection import where
from ...arrays.ufuncs import isfinite, isnan
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.creation import from_arrow
from ...columns.datetime.parsing import to_datetime, to_timedelta
from ...columns.datetime.periods import Periods
from ...columns.datetime.ticks import Ticks
from ...columns.datetime.timestamp import NaT, boxed, boxed_list, of_value
from ...columns.foreign import Foreign
from ...columns.interval.intervals import Intervals
from ...columns.nested.arrow_values import ArrowValues
from ...columns.nested.lists import Lists
from ...columns.objects import Objects, is_missing
from ...columns.text.strings import Strings
from ...pandas_errors import pandas_error

if TYPE_CHECKING:
    from ...annotations import ArrayLike, ColumnType, DTypeLike


class Kind:
    """The dtype of a column that no NumPy type describes: ``str``, ``Int64``, ``boolean``, ``category``, …

    Examples
    --------
    >>> import atoll as ak
    >>> ak.Series(["a"]).dtype == "str"
    True
    """

    __slots__ = ("_of", "name", "numpy")

    def __init__(self, name: str, numpy: Any = None, of: Any = None) -> None:
        self.name = name
        self.numpy = numpy
        self._of = of

    @property
    def ordered(self) -> bool:
        """Whether the categories have an order."""
        return bool(self._of.ordered)

    @property
    def categories(self) -> Any:
        """The categories, a column."""
        return self._of.categories

    @property
    def closed(self) -> str:
        """Which bounds belong to intervals."""
        return str(self._of.closed)

    @property
    def subtype(self) -> Any:
        """The kind of intervals' bounds."""
        return kind_of(self._of.left)

    @property
    def freq(self) -> Any:
        """How long periods are."""
        return self._of.freq

    @property
    def type(self) -> Any:
        """The type of a scalar."""
        return str if self.numpy is None else self.numpy.type

    def to_arrow(self) -> Any:
        """The kind as pyarrow has it."""
        return self._of[:0].to_arrow().type

    @property
    def kind(self) -> str:
        """NumPy's letter for it; "O" where NumPy has none."""
        return self.numpy.kind if self.numpy is not None else "O"

    @property
    def itemsize(self) -> int:
        """Bytes of a value, where all have as many; else 8."""
        return self.numpy.itemsize if self.numpy is not None else 8

    def __eq__(self, other: object) -> bool:
        if isinstance(self._of, Lists) and str(other) in ("object", "<class 'object'>"):
            return True
        if isinstance(other, str):
            return other == self.name or (self.name == "str" and other == "string")
        return getattr(other, "name", str(other)) == self.name or (other is str and self.name == "str")

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        if self.kind in "mM":
            return self.name
        if isinstance(self._of, (Intervals, Periods)):
            return self.name
        return f"{self.name}Dtype()" if self.numpy is not None else f"<{self.name}>"

    def __str__(self) -> str:
        return self.name


TEXT = Kind("str")
#: pandas' names of numbers that may be missing, to NumPy's.
NULLABLE = {
    "boolean": np.dtype(bool),
    **{f"{sign}Int{bits}": np.dtype(f"{sign.lower()}int{bits}") for sign in ("", "U") for bits in (8, 16, 32, 64)},
    "Float32": np.dtype(np.float32),
    "Float64": np.dtype(np.float64),
}
_NULLABLE_KINDS = {dtype: Kind(name, dtype) for name, dtype in NULLABLE.items()}


def kind_of(values: Any) -> Any:
    """The dtype of values as frames tell it: NumPy's where there is one."""
    if isinstance(values, ndarray):
        return values.dtype
    if isinstance(values, Strings):
        return TEXT
    if isinstance(values, Foreign):
        return values.dtype
    if isinstance(values, Objects):
        return np.dtype(object)
    if type(values) is Column:
        return _NULLABLE_KINDS[values.dtype]
    if isinstance(values, Categorical):
        return Kind("category", of=values)
    if isinstance(values, (Lists, Intervals, Periods)):
        return Kind(values.kind, of=values)
    if getattr(values, "tz", None) is not None:
        return Kind(values.kind, values.dtype)
    return values.dtype if isinstance(values.dtype, np.dtype) else Kind(values.kind)


def is_text_name(dtype: ColumnType) -> bool:
    """Whether a caller means strings."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in "UT"
    return dtype is str or (isinstance(dtype, (str, Kind)) and str(dtype) in ("str", "string"))


#: Names of dtypes that only pandas holds: text with NA, floats with NA, sparse values, Arrow's types.
_FOREIGN = re.compile(r"string(\[.*)?$|Float\d\d$|Sparse|float16$|.*\[pyarrow\]$")
#: The classes of pandas' dtypes that columns of ours have.
_OWN_DTYPES = frozenset((
    "BooleanDtype", "CategoricalDtype", "DatetimeTZDtype", "IntervalDtype", "PeriodDtype",
    *(f"{sign}Int{bits}Dtype" for sign in ("", "U") for bits in (8, 16, 32, 64)),
))  # fmt: skip


def is_foreign(dtype: Any) -> bool:
    """Whether only pandas holds values of a dtype."""
    if isinstance(dtype, str):
        return _FOREIGN.match(dtype) is not None
    if isinstance(dtype, (np.dtype, type)):
        return dtype in (np.float16, np.longdouble, np.clongdouble)
    name = type(dtype).__name__
    if not name.endswith("Dtype") or isinstance(dtype, Kind):
        return False
    if name == "StringDtype":
        return not (dtype.na_value != dtype.na_value and dtype == type(dtype)(na_value=np.nan))
    return name not in _OWN_DTYPES


def cast(values: Any, dtype: Any) -> Any:
    """Values as another kind. What is missing stays so; integers that cannot say so refuse."""
    if is_foreign(dtype):
        raise NotImplementedError(
            f"columns do not hold {dtype} (only pandas has that dtype). Is another one wide enough?"
        )
    name = str(dtype) if isinstance(dtype, (str, Kind)) or type(dtype).__name__.endswith("Dtype") else None
    if is_text_name(dtype) or name in ("str", "string"):
        return _to_text(values)
    if name in NULLABLE:
        return _to_nullable(values, NULLABLE[name])
    if hasattr(dtype, "pyarrow_dtype"):
        return from_arrow(as_arrow(values).cast(dtype.pyarrow_dtype))
    if getattr(dtype, "ordered", None) is not None and name == "category" and dtype.categories is not None:
        held = values.decode() if isinstance(values, Categorical) else values
        known = list(dtype.categories)
        return Categorical(hiding_nan(held), categories=known, ordered=bool(dtype.ordered))
    if name is not None and name.startswith(("interval", "period[")):
        return _to_spans(values, name)
    if name == "category":
        ordered = bool(getattr(dtype, "ordered", False))
        if isinstance(values, Categorical):
            return values.as_ordered() if ordered and not values.ordered else values
        return Categorical(hiding_nan(values), ordered=True) if ordered else Categorical(hiding_nan(values))
    if str(dtype).startswith(("datetime64", "timedelta64", "<M8", "<m8", "M8[", "m8[")):
        return _to_time(values, str(dtype) if name is not None else np.dtype(dtype))
    if isinstance(values, Categorical):
        return cast(values.decode(), dtype)
    if dtype is object or name == "object" or (isinstance(dtype, np.dtype) and dtype.kind == "O"):
        return values if isinstance(values, Objects) else Objects(to_list(values))
    wanted = np.dtype(dtype)
    if isinstance(values, Objects):
        return values.astype(wanted) if values.valid is None else cast(values.astype(np.float64), wanted)
    if isinstance(values, Ticks) and wanted == np.int64:  # NaT is the least number, as in NumPy
        ticks = values._values
        return ticks if values.valid is None else where(values.valid, ticks, np.iinfo(np.int64).min)
    if isinstance(values, Column) and isinstance(values.values, ndarray) and values.valid is not None:
        if wanted.kind == "f":
            return where(values.valid, values.values.astype(wanted), np.nan).astype(wanted)
        if bool(values.valid.all()):
            return values.values.astype(wanted)
        raise ValueError(f"cannot convert NA to {wanted.name}")
    if isinstance(values, Column) and values.valid is not None:
        if wanted.kind == "f":
            return cast(values.astype(wanted), wanted)
        if bool(values.valid.all()):
            return cast(values._like_valid(), wanted)
        raise ValueError(f"cannot convert missing values to {wanted.name}; fill them first, with fillna")
    if isinstance(values, ndarray) and values.dtype.kind == "f" and wanted.kind in "iu" and not isfinite(values).all():
        raise pandas_error("IntCastingNaNError", ValueError)(
            "Cannot convert non-finite values (NA or inf) to integer. Replace or remove non-finite values or cast to "
            "an integer type that supports these values (e.g. 'Int64')"
        )
    source = values.values if type(values) is Column else values
    return source.astype(wanted)


def _to_spans(values: ArrayLike, name: str) -> Any:
    """Values as intervals, or as periods of a length."""
    held = values.decode() if isinstance(values, Categorical) else values
    if name.startswith("period["):
        return Periods.of(held, name[7:-1])
    return held if isinstance(held, Intervals) else Intervals.of(to_list(held))


def as_arrow(values: ArrayLike) -> Any:
    """Values as a pyarrow array; NaN is a missing value there, as in pandas. With one PE numbers share their memory."""
    if isinstance(values, Objects) and not isinstance(values, ArrowValues):
        import pyarrow as pa

        return pa.array([None if is_missing(one) else one for one in values.to_list()])
    held = hiding_nan(values)
    return arrow_of(held) if isinstance(held, ndarray) else held.to_arrow()


def hiding_nan(values: Any) -> Any:
    """Floats as a column in which NaN is missing."""
    if isinstance(values, ndarray) and values.dtype.kind == "f":
        hidden = isnan(values)
        return Column(values, ~hidden) if hidden.any() else values
    return values


def _to_time(values: object, dtype: DTypeLike) -> Any:
    """Datetimes or durations of strings, numbers, or of such in another unit."""
    if isinstance(dtype, str) and "," in dtype:
        plain, zone = dtype.removesuffix("]").split(",")
        made = _to_time(values, plain + "]")
        return made.tz_localize(zone.strip()) if made.tz is None else made.tz_convert(zone.strip())
    if isinstance(values, Ticks):
        return values.astype(np.dtype(dtype))
    read = to_timedelta if str(dtype).startswith(("timedelta", "<m8", "m8[")) else to_datetime
    if isinstance(values, Strings):
        made = read(values)
        return made if str(dtype) in ("datetime64", "timedelta64") else made.astype(np.dtype(dtype))
    return asarray(values, dtype=np.dtype(dtype))


def _to_text(values: ArrayLike) -> Any:
    if isinstance(values, Strings):
        return values
    return (Column(values) if isinstance(hiding_nan(values), ndarray) else hiding_nan(values)).astype("str")


def _to_nullable(values: Any, dtype: np.dtype[Any]) -> Column:
    if isinstance(values, ndarray) and values.dtype.kind == "f":
        hidden = isnan(values)
        held = where(hidden, 0, values)
        made = held.astype(dtype)
        if dtype.kind == "b" and not bool((made == held).all()):
            raise TypeError("Need to pass bool-like values")
        if dtype.kind in "iu" and not bool((made == held).all()):
            raise TypeError(f"cannot safely cast non-equivalent {values.dtype} to {dtype}. Round it first?")
        return Column(made, ~hidden)
    if isinstance(values, Objects):
        return Column(values.astype(dtype)) if values.valid is None else values.astype(dtype)
    if isinstance(values, ndarray):
        made = values.astype(dtype)
        safe = dtype.kind not in "biu" or np.can_cast(values.dtype, dtype)
        if not safe and not bool((made == values).all()):
            if dtype.kind == "b":
                raise TypeError("Need to pass bool-like values")
            raise TypeError(f"cannot safely cast non-equivalent {values.dtype} to {dtype}")
        return Column(made)
    made = values.astype(dtype)
    return made if isinstance(made, Column) else Column(made)


def to_list(values: Any) -> list[Any]:
    """Python's values, NaN where one is missing."""
    if isinstance(values, ndarray):
        return values.tolist()
    if isinstance(values, Ticks) and values._letter != "t":
        return boxed_list(values)
    if _has_categories_of_time(values):
        known = [*to_list(values.categories), NaT]
        return [known[code] for code in values.codes.tolist()]
    if isinstance(values, (Foreign, Objects)) or values.valid is None:
        return values.to_list()
    return [np.nan if value is None else value for value in values.to_list()]


def _has_categories_of_time(values: Any) -> bool:
    """Whether categories are datetimes or timedeltas, which columns give as Python's."""
    return isinstance(values, Categorical) and isinstance(values.categories, Ticks) and values.categories._letter != "t"


def item_of(values: Any, row: int) -> Any:
    """The value of a row: NaN or NaT where one is missing."""
    if isinstance(values, Ticks) and values._letter != "t":
        return boxed(values, row)
    if _has_categories_of_time(values):
        code = int(values.codes[row])
        return item_of(values.categories, code) if code >= 0 else NaT
    value = values[row]
    return np.nan if value is None and not isinstance(values, Objects) else value


def figure_of(values: ArrayLike, value: Any) -> Any:
    """An aggregate of values: Timestamps and Timedeltas for datetimes and durations, NaN or NaT when missing."""
    if isinstance(values, Periods) or (isinstance(values, Ticks) and values._letter != "t"):
        return NaT if value is None else of_value(value)
    return np.nan if value is None else value


def all_missing(values: Any, size: int) -> Any:
    """A column of that kind, or what can hold it, in which all is missing."""
    if isinstance(values, ndarray):
        if values.dtype.kind == "b":
            return Column(zeros(size, dtype=bool), zeros(size, dtype=bool))
        kind = values.dtype if values.dtype.kind in "fc" else np.float64
        return asarray(np.full(size, np.nan, dtype=kind))
    return values._all_missing(size)
