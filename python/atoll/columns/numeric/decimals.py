# SPDX-License-Identifier: Apache-2.0
"""Columns of decimal numbers: integers of up to 38 digits, and where the point is."""

from __future__ import annotations

import decimal
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.array import Array, as_array
from ...arrays.creation import asarray, zeros
from ...arrays.histograms import bincount
from ...arrays.selection import flatnonzero, where
from ..arrow import MOST_DIGITS as DIGITS
from ..column import Column, both, column_or_array
from ..functions import functions
from ..text.strings import strings
from .wide import Limbs, Wide, group_sums

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["Decimals", "decimals"]

#: Digits of integers that floats hold.
_EXACT = 15


class Decimals(Wide):
    """A column of decimal numbers, of which some may be missing: Arrow's decimal128, exact in all digits.

    Each is an integer of at most `precision` digits, of which `scale` are behind the point. Results have Arrow's
    precision and scale: a sum one digit more before the point than either side, a product the digits of both; where 38
    do not hold a value, ValueError.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.decimals(["1.50", None, "-0.25"])
    >>> a
    decimals(['1.50', None, '-0.25'], dtype=decimal128(3, 2))
    >>> a + 1
    decimals(['2.50', None, '0.75'], dtype=decimal128(4, 2))
    >>> a * a
    decimals(['2.2500', None, '0.0625'], dtype=decimal128(7, 4))
    >>> a.sum()
    Decimal('1.25')
    """

    __slots__ = ("_precision", "_scale")
    _precision: int
    _scale: int
    _values: Limbs  # two limbs
    __array_ufunc__ = None  # NumPy's scalars leave operators to the column

    def __init__(self, values: Any, precision: int | None = None, scale: int | None = None) -> None:
        made = decimals(values, precision, scale)
        self._values, self._valid = made._values, made._valid
        self._precision, self._scale = made._precision, made._scale

    def _like(self, values: Any, valid: ndarray | None) -> Any:
        return decimals_of(values, valid, self._precision, self._scale)

    # -- what it is --

    @property
    def precision(self) -> int:
        """How many digits a value may have."""
        return self._precision

    @property
    def scale(self) -> int:
        """How many of them are behind the point."""
        return self._scale

    @property
    def kind(self) -> str:
        """The dtype, such as "decimal128(3, 2)"."""
        return f"decimal128({self._precision}, {self._scale})"

    # -- to others --

    def _objects(self, numbers: list[int]) -> list[Any]:
        with decimal.localcontext(prec=2 * DIGITS):
            return [decimal.Decimal(number).scaleb(-self._scale) for number in numbers]

    def to_arrow(self) -> Any:
        """A pyarrow array of type decimal128."""
        import pyarrow as pa

        kind = pa.decimal128(self._precision, self._scale)
        buffers = [self._bits(), pa.py_buffer(self._bytes(16, big=False))]
        return pa.Array.from_buffers(kind, self.size, buffers, null_count=self.null_count)

    def astype(self, dtype: Any) -> Any:
        """To floats and integers (towards 0), to `str`; to a pyarrow decimal type by rounding half to even.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.decimals(["1.75", "-2.5"]).astype(float)
        array([ 1.75, -2.5 ])
        """
        if dtype is str or (isinstance(dtype, str) and dtype in ("str", "string")):
            return self._texts()
        if hasattr(dtype, "precision") and hasattr(dtype, "scale"):
            return self.rescale(dtype.precision, dtype.scale)
        kind = np.dtype(dtype)
        if kind.kind not in "fiu":
            raise TypeError(f"decimals do not become {kind}")
        if kind.kind == "f" and self._precision <= _EXACT:
            numbers = self._values.words[0].astype(np.int64).astype(np.float64) / 10.0**self._scale
            return column_or_array(numbers.astype(kind), self._valid)
        if kind.kind == "f":
            size = self._absolute()
            numbers = (
                size.words[1].astype(np.float64) * 2.0**64 + size.words[0].astype(np.float64)
            ) / 10.0**self._scale
            return column_or_array(where(self._values.sign(), -numbers, numbers).astype(kind), self._valid)
        whole = self._divided(10**self._scale, toward_zero=True)
        values = whole.words[0].astype(np.int64)
        fits = (whole.words[1].astype(np.int64) == (values >> 63)) & (values.astype(kind).astype(np.int64) == values)
        if not bool((fits if self._valid is None else fits | ~self._valid).all()):
            raise OverflowError(f"a value does not fit {kind}")
        return column_or_array(values.astype(kind), self._valid)

    def __repr__(self) -> str:
        return self._repr("decimals", [f"dtype={self.kind}"])

    def _show(self, value: ArrayLike) -> str:
        return repr(None if value is None else format(value, "f"))

    def _absolute(self) -> Limbs:
        sign, other = self._values.sign(), self._values.negated().words[:2]
        return Limbs([where(sign, a, b) for a, b in zip(other, self._values.words, strict=True)])

    def _texts(self) -> Any:
        """The values as strings, with all digits of their scale."""
        one = Limbs.of_one(10**self._scale, self.size)
        size = self._absolute()
        texts = _digits(size.apply("floordiv", one, 2), 1)
        if self._scale > 0:
            texts = texts + "." + _digits(size.apply("mod", one, 2), self._scale)
        texts = functions.where(self._values.sign(), "-" + texts, texts)
        return texts if self._valid is None else texts._hiding(~self._valid)

    # -- precision and scale --

    def rescale(self, precision: int, scale: int) -> Decimals:
        """The values with other precision and scale, rounded half to even. ValueError where one does not fit.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.decimals(["1.25", "1.35"]).rescale(5, 1)
        decimals(['1.2', '1.4'], dtype=decimal128(5, 1))
        """
        _check(precision, scale)
        more = scale - self._scale
        if more >= 0:
            values = self._values.apply("mul", Limbs.of_one(10**more, self.size), 4)
        else:
            values = self._rounded(self._values, 10**-more)
        return _fitting(values, self._valid, precision, scale)

    def round(self, decimals: int = 0) -> Decimals:
        """Rounded half to even to `decimals` digits behind the point."""
        if decimals >= self._scale:
            return self
        rounded = self._rounded(self._values, 10 ** (self._scale - decimals))
        return _fitting(
            rounded.apply("mul", Limbs.of_one(10 ** (self._scale - decimals), self.size), 4),
            self._valid,
            DIGITS,
            self._scale,
        )

    def _divided(self, by: int, toward_zero: bool = False) -> Limbs:
        divisor = Limbs.of_one(by, self.size)
        if not toward_zero:
            return self._values.apply("floordiv", divisor, 2)
        less = self._values.apply("add", Limbs.of_one(by - 1, self.size), 3)
        values = [
            where(self._values.sign(), a, b) for a, b in zip(less.words, self._values.widened(3).words, strict=True)
        ]
        return Limbs(values).apply("floordiv", divisor, 2)

    def _rounded(self, values: Limbs, by: int) -> Limbs:
        """Values divided, to the nearest, the even one of two."""
        size = values.size
        divisor = Limbs.of_one(by, size)
        whole = values.apply("floordiv", divisor, 4)
        twice = values.apply("mod", divisor, 4).apply("mul", Limbs.of_one(2, size), 4)
        tie = twice.compared(divisor, operator.eq) & ((whole.words[0] & np.uint64(1)) != np.uint64(0))
        up = twice.compared(divisor, operator.gt) | tie
        return whole.apply("add", Limbs([up.astype(np.uint64), zeros(size, dtype=np.uint64)]), 4)

    # -- arithmetic --

    def _operand(self, other: Any) -> Decimals:
        made = self._made(other)
        if made.size == 1 and self.size != 1:
            made = made._rows(zeros(self.size, dtype=np.int64))
        if made.size != self.size:
            raise ValueError(f"columns of {self.size} and {made.size} rows do not go together")
        return made

    def _sum(self, other: object, operation: str, swap: bool = False) -> Any:
        if isinstance(other, (float, np.floating)):
            raise TypeError("a float is no exact decimal; make a decimal.Decimal of its text")
        made = self._operand(other)
        left, right = (made, self) if swap else (self, made)
        scale = max(left._scale, right._scale)
        before = max(left._precision - left._scale, right._precision - right._scale)
        a, b = left._scaled(scale), right._scaled(scale)
        return _fitting(
            a.apply(operation, b, 4), both(left._valid, right._valid), min(before + scale + 1, DIGITS), scale
        )

    def _scaled(self, scale: int) -> Limbs:
        if scale == self._scale:
            return self._values
        return self._values.apply("mul", Limbs.of_one(10 ** (scale - self._scale), self.size), 4)

    def __add__(self, other: object) -> Any:
        """Exact sum, with the larger scale."""
        return self._sum(other, "add")

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        """Exact difference."""
        return self._sum(other, "sub")

    def __rsub__(self, other: object) -> Any:
        return self._sum(other, "sub", swap=True)

    def __mul__(self, other: object) -> Any:
        """Exact product, with the scales of both."""
        if isinstance(other, (float, np.floating)):
            raise TypeError("a float is no exact decimal; make a decimal.Decimal of its text")
        made = self._operand(other)
        scale, precision = self._scale + made._scale, self._precision + made._precision + 1
        if scale > DIGITS:
            raise ValueError(f"a product of scale {scale} has more than {DIGITS} digits; rescale one side first")
        product = self._values.apply("mul", made._values, 4)
        return _fitting(product, both(self._valid, made._valid), min(precision, DIGITS), scale)

    __rmul__ = __mul__

    def _quotient(self, other: object, swap: bool) -> Any:
        """As Arrow has it: the scale is at least 4, and that of the dividend with the divisor's digits."""
        made = self._operand(other)
        a, b = (made, self) if swap else (self, made)
        scale = max(4, a._scale + b._precision - b._scale + 1)
        precision = a._precision - a._scale + b._scale + scale
        if precision > DIGITS:  # as SQL Server has it: digits behind the point give way
            scale = max(scale - (precision - DIGITS), min(scale, 6))
            precision = DIGITS
        valid = both(a._valid, b._valid)
        nothing = b._values.compared(Limbs.of_one(0, b.size), operator.eq)
        if bool((nothing if valid is None else nothing & valid).any()):
            raise ZeroDivisionError("division by zero")
        dividend = a._values.apply("mul", Limbs.of_one(10 ** max(scale + b._scale - a._scale, 0), a.size), 6)
        return _fitting(_quotients(dividend, b._values), valid, precision, scale)

    def __truediv__(self, other: object) -> Any:
        """Quotient, cut off behind its last digit as Arrow has it. ZeroDivisionError."""
        return self._quotient(other, False)

    def __rtruediv__(self, other: object) -> Any:
        return self._quotient(other, True)

    def __neg__(self) -> Any:
        return self._like(Limbs(self._values.negated().words[:2]), self._valid)

    def __abs__(self) -> Any:
        return self._like(self._absolute(), self._valid)

    # -- reductions --

    def sum(self) -> Any:
        """The exact sum of the values that are not missing, a decimal.Decimal; 0 of none."""
        there = self.dropna()
        if there.size == 0:
            return decimal.Decimal(0).scaleb(-self._scale)
        total = group_sums(there._values, zeros(there.size, dtype=np.int64), 1)
        return self._objects(total.to_integers())[0]

    def mean(self) -> Any:
        """Their mean to 28 digits, None when there is no value."""
        count = self.count()
        return self.sum() / count if count else None

    # -- what kinds do in their own way --

    def _made(self, values: ArrayLike) -> Any:
        if isinstance(values, Decimals):
            return values
        if isinstance(values, (Array, Column)):
            return decimals(values)
        return decimals(
            [values] if not isinstance(values, (list, tuple, np.ndarray)) or np.ndim(values) == 0 else values
        )

    def _alike(self, columns: Sequence[Any]) -> list[Any]:
        made = [column if isinstance(column, Decimals) else self._made(column) for column in columns]
        scale = max(column._scale for column in made)
        before = max(column._precision - column._scale for column in made)
        _check(min(before + scale, DIGITS), scale)
        precision = min(before + scale, DIGITS)
        return [
            column
            if (column._scale, column._precision) == (scale, precision)
            else _fitting(column._scaled(scale), column._valid, precision, scale)
            for column in made
        ]

    def _own_figure(self, figure: str, rows: Callable[[], ndarray], ngroups: int) -> Any:
        if figure not in ("sum", "mean"):
            return None
        groups = rows()
        there = self if self._valid is None else self.dropna()
        groups = groups if self._valid is None else groups[flatnonzero(self._valid)]
        sums = _fitting(group_sums(there._values, groups, ngroups), None, DIGITS, self._scale)
        if figure == "sum":
            return sums
        counts = asarray(bincount(groups, minlength=ngroups))
        means = sums / decimals(where(counts == 0, 1, counts))
        return means._hiding(counts == 0) if bool((counts == 0).any()) else means


def decimals_of(values: Limbs, valid: ndarray | None, precision: int, scale: int) -> Decimals:
    """The column of integers in two limbs."""
    column: Decimals = object.__new__(Decimals)
    column._values, column._valid, column._precision, column._scale = values, valid, precision, scale
    return column


def _check(precision: int, scale: int) -> None:
    if not 1 <= precision <= DIGITS:
        raise ValueError(f"precision should be between 1 and {DIGITS}, got {precision}")
    if not -DIGITS <= scale <= DIGITS:
        raise ValueError(f"scale should be between -{DIGITS} and {DIGITS}, got {scale}")


def _fitting(values: Limbs, valid: ndarray | None, precision: int, scale: int) -> Decimals:
    """A column of numbers of which those that are not missing have at most `precision` digits."""
    size, most = values.size, 10**precision
    within = values.compared(Limbs.of_one(most, size), operator.lt) & values.compared(
        Limbs.of_one(-most, size), operator.gt
    )
    if not bool((within if valid is None else within | ~valid).all()):
        raise ValueError(f"a value has more than the {precision} digits of decimal128({precision}, {scale})")
    return decimals_of(Limbs(values.widened(2).words[:2]), valid, precision, scale)


def _digits(values: Limbs, least: int) -> Any:
    """Numbers that are not negative as strings of `least` digits or more."""
    half = Limbs.of_one(10**19, values.size)
    high, low = values.apply("floordiv", half, 2).words[0], values.apply("mod", half, 2).words[0]
    texts = strings(low)
    if bool((high > np.uint64(0)).any()):
        texts = functions.where(high > np.uint64(0), strings(high) + texts.zfill(19), texts)
    return texts.zfill(least)


def _quotients(a: Limbs, b: Limbs) -> Limbs:
    """Quotients, cut off towards 0."""
    down = a.apply("floordiv", b, 4)
    rest = a.apply("mod", b, 4).compared(Limbs.of_one(0, a.size), operator.ne)
    negative = a.sign() != b.sign()
    up = (rest & negative).astype(np.uint64)
    return down.apply("add", Limbs([up, zeros(a.size, dtype=np.uint64)]), 4)


def decimals(values: ArrayLike, precision: int | None = None, scale: int | None = None) -> Decimals:
    """A column of decimal numbers.

    Parameters
    ----------
    values : array_like
        decimal.Decimal, integers or strings, None for missing ones; an array of integers, an Arrow array of a
        decimal type. Floats are no exact decimals: TypeError.
    precision, scale : int, optional
        Digits in all, and behind the point; by default as many as the values have. Values are rounded half to even.

    Raises
    ------
    ValueError
        A value that has more than 38 digits, or than `precision`; a string that is no number.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.decimals(["1.5", 2], scale=3, precision=10)
    decimals(['1.500', '2.000'], dtype=decimal128(10, 3))
    """
    made = _from(values)
    if precision is None and scale is None:
        return made
    scale = made._scale if scale is None else scale
    precision = max(made._precision - made._scale, 0) + scale if precision is None else precision
    return made.rescale(precision, scale)


def _from(values: Any) -> Decimals:
    if isinstance(values, Decimals):
        return values
    if type(values) is Column or isinstance(values, Array):
        numbers = as_array(values.values if isinstance(values, Column) else values)
        if numbers.dtype.kind not in "iu":
            raise TypeError(f"{numbers.dtype} are no exact decimals; make decimals of texts")
        digits = {1: 3, 2: 5, 4: 10, 8: 19 if numbers.dtype.kind == "i" else 20}[numbers.itemsize]
        return decimals_of(
            Limbs.of_array(numbers).widened(2), values.valid if isinstance(values, Column) else None, digits, 0
        )
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        made: Any = asarray(values)
        if isinstance(made, Decimals):
            return made
        return _from(made.to_list() if isinstance(made, Column) and type(made) is not Column else made)
    return _from_objects(list(values))


def _from_objects(values: list[Any]) -> Decimals:
    found: list[decimal.Decimal | None] = []
    with decimal.localcontext(prec=4 * DIGITS):
        for i, value in enumerate(values):
            if value is None or value != value:
                found.append(None)
            elif isinstance(value, (float, np.floating)):
                raise TypeError(f"element {i} is a float, which is no exact decimal; make a text of it first")
            else:
                try:
                    found.append(decimal.Decimal(int(value) if isinstance(value, np.integer) else value))
                except (decimal.InvalidOperation, TypeError):
                    raise ValueError(f"element {i} is no decimal number: {value!r}") from None
        scale = max((max(-_exponent(one), 0) for one in found if one is not None), default=0)
        numbers = [0 if one is None else int(one.scaleb(scale)) for one in found]
    digits = max((len(str(abs(number))) for number in numbers), default=1)
    if max(digits, scale) > DIGITS:
        raise ValueError(f"a value has more than {DIGITS} digits at scale {scale}")
    missing = np.fromiter((one is None for one in found), bool, len(found))
    valid = asarray(~missing) if missing.any() else None
    return decimals_of(Limbs.of_integers(numbers, 2), valid, max(digits, scale, 1), scale)


def _exponent(value: decimal.Decimal) -> int:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"{value} is no decimal number")
    return exponent


def decimals_from_arrow(array: Any) -> Decimals:
    """The column of an Arrow array of decimal32 to decimal256."""
    import pyarrow as pa

    kind = array.type
    if kind.precision > DIGITS:
        raise ValueError(f"{kind} has more than {DIGITS} digits; cast it first")
    array = array.cast(pa.decimal128(kind.precision, kind.scale))
    data = array.buffers()[1]
    rows = np.frombuffer(data, "<u8") if data is not None and data.size else np.zeros(0, "<u8")
    words = rows[2 * array.offset : 2 * (array.offset + len(array))].reshape(-1, 2)
    valid = asarray(array.is_valid().to_numpy(zero_copy_only=False)) if array.null_count else None
    return decimals_of(Limbs.of_numpy([words[:, 0], words[:, 1]]), valid, kind.precision, kind.scale)
