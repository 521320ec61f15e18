# SPDX-License-Identifier: Apache-2.0
"""Columns of integers of any size."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.array import Array, as_array
from ...arrays.creation import asarray, zeros
from ...arrays.selection import flatnonzero, where
from ..column import Column, both, column_or_array
from ..text.strings import strings
from .wide import Limbs, Wide, group_sums

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray

__all__ = ["BigInts", "bigint", "bigint_from_uint_arrays"]

#: Bits beyond which a power is refused rather than computed.
MOST_BITS = 1 << 20


class BigInts(Wide):
    """A column of integers of any size, of which some may be missing; arithmetic is that of Python's `int`.

    With `max_bits`, results are what is left of them modulo 2 ** max_bits, as Arkouda has it: from 0 on. `ak.bigint`
    makes one, and `ak.array` does of numbers that 64 bits do not hold.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.bigint([2**100, None, -7])
    >>> a * a // 3
    bigints([535646014752996758513987364113720867507400997927597611767125, None, 16])
    >>> ak.bigint([2**70], max_bits=71) * 3
    bigints([1180591620717411303424], max_bits=71)
    >>> a > 5
    column([True, None, False], dtype=bool)
    """

    __slots__ = ("_max_bits",)
    _max_bits: int
    __array_ufunc__ = None  # NumPy's scalars leave operators to the column

    def __init__(self, values: Any, max_bits: int = -1) -> None:
        made = bigint(values, max_bits)
        self._values, self._valid, self._max_bits = made._values, made._valid, made._max_bits

    def _like(self, values: Any, valid: ndarray | None) -> Any:
        return bigints_of(values, valid, self._max_bits)

    @property
    def kind(self) -> str:
        """The dtype: "bigint"."""
        return "bigint"

    @property
    def max_bits(self) -> int:
        """How many bits results keep; -1: all."""
        return self._max_bits

    # -- to others --

    def _objects(self, numbers: list[int]) -> list[Any]:
        return numbers

    def to_arrow(self) -> Any:
        """A pyarrow array of decimals of scale 0, of up to 76 digits. ValueError for larger numbers."""
        import pyarrow as pa

        values = self.to_list()
        if self.size and self.count() and max(self.max(), -self.min()) >= 10**76:
            raise ValueError("Arrow has no whole numbers of more than 76 digits; take to_list()")
        return pa.array(values, pa.decimal256(76, 0))

    def to_pandas(self) -> Any:
        """A pandas Series of objects: Python's integers."""
        import pandas as pd

        return pd.Series(self.to_numpy(), dtype=object)

    def astype(self, dtype: Any) -> Any:
        """To integers (OverflowError where one does not fit), floats, or `str`."""
        if dtype is str or (isinstance(dtype, str) and dtype in ("str", "string")):
            return strings([None if value is None else str(value) for value in self.to_list()])
        kind = np.dtype(dtype)
        if kind.kind == "f":
            found = np.array([0.0 if value is None else float(value) for value in self.to_list()], kind)
            return column_or_array(asarray(found), self._valid)
        if kind.kind not in "iu":
            raise TypeError(f"bigints do not become {kind}")
        numbers = self._values.words[0].astype(kind)
        fits = Limbs.of_array(numbers).compared(self._values, operator.eq)
        if not bool((fits if self._valid is None else fits | ~self._valid).all()):
            raise OverflowError(f"a value does not fit {kind}")
        return column_or_array(numbers, self._valid)

    def bigint_to_uint_arrays(self) -> list[ndarray]:
        """The numbers' limbs of 64 bits, the most significant first: Arkouda's."""
        return list(reversed(self._values.trimmed().words))

    def __repr__(self) -> str:
        return self._repr("bigints", [] if self._max_bits < 0 else [f"max_bits={self._max_bits}"])

    # -- arithmetic --

    def _applied(self, name: str, other: Any, swap: bool, limbs: Callable[[Limbs, Limbs], int]) -> Any:
        if isinstance(other, (float, np.floating)) or getattr(getattr(other, "dtype", None), "kind", "") == "f":
            raise TypeError("a bigint takes no float; convert it with astype first")
        made = self._made(other)
        if made.size == 1 and self.size != 1:
            made = made._rows(zeros(self.size, dtype=np.int64))
        if made.size != self.size:
            raise ValueError(f"columns of {self.size} and {made.size} rows do not go together")
        a, b = (made, self) if swap else (self, made)
        valid = both(a._valid, b._valid)
        _refused(name, b, valid)
        most = max(a._max_bits, b._max_bits)
        count = limbs(a._values, b._values)
        if most >= 0 and name in ("add", "sub", "mul", "pow", "lshift"):
            count = min(count, most // 64 + 1)
        return bigints_of(a._values.apply(name, b._values, count), valid, most)._modulo()

    def _modulo(self) -> BigInts:
        """Without the bits that are too many, and without limbs that no number needs."""
        if self._max_bits < 0:
            return bigints_of(self._values.trimmed(), self._valid, -1)
        words = []
        for j, word in enumerate(self._values.widened(self._max_bits // 64 + 1).words[: self._max_bits // 64 + 1]):
            bits = min(max(self._max_bits - 64 * j, 0), 64)
            words.append(word & np.uint64((1 << bits) - 1))
        return bigints_of(Limbs(words), self._valid, self._max_bits)

    def _sum(self, name: str, other: object, swap: bool = False) -> Any:
        return self._applied(name, other, swap, lambda a, b: max(len(a.words), len(b.words)) + 1)

    def __add__(self, other: object) -> Any:
        """Row by row; missing where either value is. So with the others."""
        return self._sum("add", other)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._sum("sub", other)

    def __rsub__(self, other: object) -> Any:
        return self._sum("sub", other, swap=True)

    def __mul__(self, other: object) -> Any:
        return self._applied("mul", other, False, lambda a, b: len(a.words) + len(b.words))

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> Any:
        return self._applied("floordiv", other, False, lambda a, b: len(a.words) + 1)

    def __rfloordiv__(self, other: object) -> Any:
        return self._applied("floordiv", other, True, lambda a, b: len(a.words) + 1)

    def __mod__(self, other: object) -> Any:
        return self._applied("mod", other, False, lambda a, b: len(b.words))

    def __rmod__(self, other: object) -> Any:
        return self._applied("mod", other, True, lambda a, b: len(b.words))

    def __pow__(self, other: object) -> Any:
        return self._applied("pow", other, False, lambda a, b: self._grown(a, b, lambda bits, times: bits * times))

    def __rpow__(self, other: object) -> Any:
        return self._applied("pow", other, True, lambda a, b: self._grown(a, b, lambda bits, times: bits * times))

    def __lshift__(self, other: object) -> Any:
        return self._applied("lshift", other, False, lambda a, b: self._grown(a, b, lambda bits, times: bits + times))

    def __rlshift__(self, other: object) -> Any:
        return self._applied("lshift", other, True, lambda a, b: self._grown(a, b, lambda bits, times: bits + times))

    def __rshift__(self, other: object) -> Any:
        return self._applied("rshift", other, False, lambda a, b: len(a.words))

    def __rrshift__(self, other: object) -> Any:
        return self._applied("rshift", other, True, lambda a, b: len(a.words))

    def _grown(self, a: Limbs, b: Limbs, bits: Callable[[int, int], int]) -> int:
        """Limbs of what has so many bits, given those of the widest of `a` and the largest of `b`."""
        if self._max_bits >= 0:
            return self._max_bits // 64 + 1
        if a.size == 0:
            return 1
        times = int(bigints_of(b, None, -1).max())
        own = bigints_of(a, None, -1)
        widest = max(int(own.max()).bit_length(), int(own.min()).bit_length())
        needed = bits(widest, times) if widest else 1
        if needed > MOST_BITS:
            raise OverflowError(f"a result would have {needed} bits; give max_bits, or take smaller numbers")
        return needed // 64 + 1

    def _bits_with(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        made = self._made(other)
        if made.size == 1 and self.size != 1:
            made = made._rows(zeros(self.size, dtype=np.int64))
        count = max(len(self._values.words), len(made._values.words))
        pairs = zip(self._values.widened(count).words, made._values.widened(count).words, strict=True)
        words = Limbs([operation(a, b) for a, b in pairs])
        return bigints_of(words, both(self._valid, made._valid), max(self._max_bits, made._max_bits))._modulo()

    def __and__(self, other: object) -> Any:
        """Bit by bit, of two's complement."""
        return self._bits_with(other, operator.and_)

    def __or__(self, other: object) -> Any:
        """Bit by bit."""
        return self._bits_with(other, operator.or_)

    def __xor__(self, other: object) -> Any:
        """Bit by bit."""
        return self._bits_with(other, operator.xor)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Any:
        return bigints_of(self._values.each(lambda word: ~word), self._valid, self._max_bits)._modulo()

    def __neg__(self) -> Any:
        return bigints_of(self._values.negated(), self._valid, self._max_bits)._modulo()

    def __abs__(self) -> Any:
        negated = self._values.negated()
        own = self._values.widened(len(negated.words)).words
        words = [where(self._values.sign(), a, b) for a, b in zip(negated.words, own, strict=True)]
        return bigints_of(Limbs(words), self._valid, self._max_bits)._modulo()

    def rotl(self, bits: int) -> Any:
        """The lowest `max_bits` bits turned to the left: Arkouda's. ValueError without max_bits."""
        if self._max_bits < 0:
            raise ValueError("Must set max_bits to rotl")
        bits %= self._max_bits
        return (self << bits) | (self >> (self._max_bits - bits))

    def rotr(self, bits: int) -> Any:
        """The same to the right."""
        if self._max_bits < 0:
            raise ValueError("Must set max_bits to rotr")
        return self.rotl(self._max_bits - bits % self._max_bits)

    # -- reductions --

    def sum(self) -> Any:
        """The exact sum of the values that are not missing, a Python int."""
        there = self.dropna()
        if there.size == 0:
            return 0
        total: int = group_sums(there._values, zeros(there.size, dtype=np.int64), 1).to_integers()[0]
        return total if self._max_bits < 0 else total % (1 << self._max_bits)

    def any(self) -> Any:
        """Whether any value is not 0."""
        return bool((self.dropna() != 0).any())

    def all(self) -> Any:
        """Whether no value is 0."""
        return bool((self.dropna() != 0).all())

    # -- what kinds do in their own way --

    def _made(self, values: Any) -> Any:
        if isinstance(values, BigInts):
            return values
        if np.ndim(values) and isinstance(values, (Array, Column, list, tuple, np.ndarray)):
            return bigint(values, self._max_bits)
        if isinstance(values, (bool, float, np.floating)) or not hasattr(values, "__index__"):
            raise TypeError(f"{values!r} is no whole number")
        return bigint([operator.index(values)], self._max_bits)

    def _own_figure(self, figure: str, rows: Callable[[], ndarray], ngroups: int) -> Any:
        if figure != "sum":
            return None
        groups = rows()
        if self._valid is not None:
            groups = groups[flatnonzero(self._valid)]
        return bigints_of(group_sums(self.dropna()._values, groups, ngroups), None, self._max_bits)._modulo()


def bigints_of(values: Limbs, valid: ndarray | None, max_bits: int) -> BigInts:
    """The column of numbers in two's complement."""
    column: BigInts = object.__new__(BigInts)
    column._values, column._valid, column._max_bits = values, valid, max_bits
    return column


def _refused(name: str, b: BigInts, valid: ndarray | None) -> None:
    """Raises the errors that Python raises."""
    error: Exception
    if name in ("floordiv", "mod"):
        bad, error = b._values.compared(Limbs.of_one(0, b.size), operator.eq), ZeroDivisionError("division by zero")
    elif name in ("pow", "lshift", "rshift"):
        bad = b._values.sign()
        error = ValueError("negative exponent" if name == "pow" else "negative shift count")
    else:
        return
    if bool((bad if valid is None else bad & valid).any()):
        raise error


def bigint(values: Any, max_bits: int = -1) -> BigInts:
    """A column of integers of any size.

    Parameters
    ----------
    values : array_like
        Python's integers, None for missing ones; an array of integers.
    max_bits : int
        Of results, the lowest bits that are kept; -1: all.

    Raises
    ------
    TypeError
        A value that is no whole number.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.bigint([1, 2**80])
    bigints([1, 1208925819614629174706176])
    """
    if max_bits != -1 and max_bits < 1:
        raise ValueError(f"max_bits is -1 or at least 1, got {max_bits}")
    if isinstance(values, BigInts):
        return bigints_of(values._values, values._valid, max_bits)._modulo()
    if (
        isinstance(values, Array)
        or type(values) is Column
        or (isinstance(values, np.ndarray) and values.dtype != object)
    ):
        column = values if isinstance(values, Column) else Column(values)
        numbers = as_array(column.values)
        if numbers.dtype.kind not in "iu":
            raise TypeError(f"{numbers.dtype} are no whole numbers; convert them with astype first")
        return bigints_of(Limbs.of_array(numbers), column.valid, max_bits)._modulo()
    found: list[int] = []
    missing = np.zeros(len(values), bool)
    for i, value in enumerate(values):
        missing[i] = value is None or (isinstance(value, float) and value != value)
        if not missing[i] and (isinstance(value, bool) or not hasattr(value, "__index__")):
            raise TypeError(f"element {i} is no whole number: {value!r}")
        found.append(0 if missing[i] else operator.index(value))
    valid = asarray(~missing) if missing.any() else None
    return bigints_of(Limbs.of_integers(found), valid, max_bits)._modulo()


def bigint_from_uint_arrays(arrays: Sequence[Any], max_bits: int = -1) -> BigInts:
    """Numbers of their limbs of 64 bits, the most significant first: Arkouda's.

    Examples
    --------
    >>> import atoll as ak
    >>> import numpy as np
    >>> ak.bigint_from_uint_arrays([np.array([1], np.uint64), np.array([5], np.uint64)])
    bigints([18446744073709551621])
    """
    words = [asarray(one, dtype=np.uint64) for one in reversed(arrays)]
    if not words or len({word.shape for word in words}) != 1 or words[0].ndim != 1:
        raise ValueError("limbs are 1-dimensional and of one length")
    return bigints_of(Limbs([*words, zeros(words[0].size, dtype=np.uint64)]), None, max_bits)._modulo()
