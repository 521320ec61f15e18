# SPDX-License-Identifier: Apache-2.0
"""Convolution and correlation of sequences: sums of products, or Fourier transforms where both sequences are long."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import as_array
from ..arrays.creation import zeros
from ..arrays.dtypes import BOOL, DTYPE_OF, result_code
from ..arrays.joining import concatenate
from ..arrays.manipulation import atleast_1d, ravel
from ..arrays.ufuncs import absolute, conj, isfinite, rint
from .single import fft, ifft

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from ..arrays.ndarray import ndarray

__all__ = ["convolve", "correlate"]

#: Elements of the shorter sequence, each of which costs a pass over the longer one; for more, transforms are faster.
_MOST_PASSES = 1024
#: Passes that are evaluated as one expression.
_PASSES_AT_ONCE = 64


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ndarray:
    """Cross-correlation: sums of products of two sequences, for each shift of the second, which is conjugated.

    The shorter one is fetched to this process: it costs a pass over the longer one for each of its elements. Where it
    has more than 1024, Fourier transforms are used: sums of integers are exact all the same, those of floats have
    errors of some 10^-16 of the largest sums, so that small sums beside large ones are less exact than NumPy's.

    Parameters
    ----------
    a, v : array_like
        Sequences.
    mode : {'valid', 'same', 'full'}
        Where they overlap completely, as many sums as the longer one has elements, or wherever they overlap.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.correlate([1, 2, 3], [0, 1, 0.5], "full")
    array([0.5, 2. , 3.5, 3. , 0. ])
    """
    second = as_array(v)
    return _moved_along(as_array(a), conj(second) if second.dtype.kind == "c" else second, mode)


def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ndarray:
    """As `correlate` with the second sequence reversed: products of polynomials, moving averages.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.convolve([1, 2, 3], [0, 1, 0.5])
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    long, short = atleast_1d(a, v)
    if short.size > long.size:
        long, short = short, long
    if long.size == 0:
        raise ValueError("a cannot be empty")
    if short.size == 0:
        raise ValueError("v cannot be empty")
    return _moved_along(long, short[::-1], mode)


def _moved_along(a: ndarray, v: ndarray, mode: str) -> ndarray:
    a, v = (ravel(one) if one.ndim == 0 else one for one in (a, v))
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    if not a.size or not v.size:
        raise ValueError(f"{'first' if not a.size else 'second'} array argument cannot be empty")
    number = mode if not isinstance(mode, str) else {"valid": 0, "same": 1, "full": 2}.get(mode, -1)
    if operator.index(number) not in (0, 1, 2):
        raise ValueError("mode must be one of 'valid', 'same', or 'full'")
    if v.size > a.size:  # swap the sequences, and reverse the sums
        return _moved_along(v, a, mode)[::-1].copy()
    code = result_code(a._expr.dtype, v._expr.dtype)
    dtype, short = DTYPE_OF[code], v.size
    left = (0, short // 2, short - 1)[number]
    count = (a.size - short + 1, a.size, a.size + short - 1)[number]
    long, factors = a.astype(dtype), v.astype(dtype)
    if short > _MOST_PASSES:
        sums = _by_transforms(long, factors[::-1])
        if sums is not None:
            begin = short - 1 - left
            return sums[begin : begin + count].copy()
    right = count + short - 1 - left - a.size
    wide = concatenate([zeros(left, dtype), long, zeros(right, dtype)]) if left or right else long
    return _by_passes(wide, factors.to_numpy(), count, code == BOOL)


def _by_passes(wide: ndarray, factors: Any, count: int, is_bool: bool) -> ndarray:
    """Sums of products with the factors, moved along; of bools whether one of the products is true."""
    total: Any = None
    for place, factor in enumerate(factors):
        part = wide[place : place + count]
        if is_bool:
            term = part & bool(factor)
            total = term if total is None else total | term
        else:
            term = part * factor
            total = term if total is None else total + term
        if place % _PASSES_AT_ONCE == _PASSES_AT_ONCE - 1:
            total = total.evaluate()
    result: ndarray = total.evaluate()
    return result


def _by_transforms(a: ndarray, v: ndarray) -> Any:
    """All sums of the convolution; None of floats that are not finite, or whose sums may not be."""
    dtype = a.dtype
    size = a.size + v.size - 1
    length = _length(size)
    if dtype.kind in "fc":
        if not (bool(isfinite(a).all()) and bool(isfinite(v).all())):
            return None
        wide = np.dtype(np.complex128 if dtype.kind == "c" else np.float64)
        largest = [float(absolute(one.astype(wide)).max()) for one in (a, v)]
        if math.log2(max(largest[0], 1)) + math.log2(max(largest[1], 1)) + math.log2(length) > 1000:
            return None
        sums = ifft(fft(a.astype(wide), length) * fft(v.astype(wide), length))[:size]
        return (sums if dtype.kind == "c" else sums.real).astype(dtype)
    # Whole numbers are sums of digits that are so small that their sums of products can be rounded to what they are.
    bits = _digit_bits(a.size, v.size, length)
    digits = [[fft(one.astype(np.float64), length).evaluate() for one in _digits(values, bits)] for values in (a, v)]
    total = zeros(size, np.int64)
    for place in range(min(len(digits[0]) + len(digits[1]) - 1, -(-64 // bits))):
        pairs = [(i, place - i) for i in range(len(digits[0])) if 0 <= place - i < len(digits[1])]
        spectrum: Any = None
        for i, j in pairs:
            term = digits[0][i] * digits[1][j]
            spectrum = term if spectrum is None else spectrum + term
        sums = rint(ifft(spectrum)[:size].real).astype(np.int64)
        total = (total + (sums << (bits * place))).evaluate()
    return total != 0 if dtype.kind == "b" else total.astype(dtype)


def _length(size: int) -> int:
    """The least power of two, or three or five times one, that is no less."""
    return min(part << max(0, (-(-size // part) - 1).bit_length()) for part in (1, 3, 5))


def _digit_bits(long: int, short: int, length: int) -> int:
    """Bits of a digit, so that errors of the sums stay below 1/4.

    They are at most 8 log2(length) 2^-53 times the lengths of the two vectors of digits (some six pairs of them).
    """
    spare = 53 - 2 - 3 - math.log2(math.log2(length)) - math.log2(6) - math.log2(long * short) / 2
    return max(2, int(spare / 2) + 1)


def _digits(values: ndarray, bits: int) -> list[Any]:
    """Digits of whole numbers, the lowest first: from minus half of the base on, so that their squares are small."""
    left: Any = values.astype(np.int64)
    found: list[Any] = []
    half, mask = 1 << (bits - 1), (1 << bits) - 1
    while len(found) * bits < 64 and (not found or bool(left.any())):
        digit = ((left + half) & mask) - half
        found.append(digit.evaluate())
        left = ((left - digit) >> bits).evaluate()
    return found
