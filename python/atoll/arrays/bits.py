# SPDX-License-Identifier: Apache-2.0
"""Bits of bytes, mantissas and exponents, byte order."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import as_array, wrap
from .composed import choose
from .dtypes import DTYPE_OF, FLOAT64, KIND_OF, code_of, promote
from .manipulation import _axis, moveaxis
from .padding import pad
from .sizes import c_long
from .ufuncs import isfinite

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = ["frexp", "packbits", "unpackbits"]


def _is_little(bitorder: str) -> bool:
    """Whether the first of eight bits is the lowest one of its byte."""
    if not isinstance(bitorder, str) or bitorder[:1] not in ("b", "l"):
        raise ValueError("'order' must be either 'little' or 'big'")
    return bitorder[0] == "l"


def packbits(a: ArrayLike, /, axis: int | None = None, bitorder: str = "big") -> ndarray:
    """Eight elements to a byte, each a bit that tells whether it is true; zeros fill the last byte.

    Parameters
    ----------
    a : array_like of bool or int
        Elements.
    axis : int, optional
        Axis to pack along; flattened by default.
    bitorder : {'big', 'little'}
        Whether the first of eight is the highest bit or the lowest.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.packbits([1, 0, 1])
    array([160], dtype=uint8)
    """
    bits = as_array(a)
    if bits.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    little = _is_little(bitorder)
    if axis is None or bits.ndim == 0:
        bits, axis = bits.reshape(-1), axis or 0
    place = _axis(axis, bits.ndim)
    lines = moveaxis(bits != 0, place, -1)
    if place != lines.ndim - 1:
        lines = lines.copy()  # eight of a line lie beside one another
    missing = -lines.shape[-1] % 8
    if missing:
        lines = pad(lines, [(0, 0)] * (lines.ndim - 1) + [(0, missing)])
    # Eight bytes of 0 or 1 times the factor have their bits in the highest byte: no two terms meet in one bit.
    eights = lines.reshape((*lines.shape[:-1], lines.shape[-1] // 8, 8)).view(np.uint64)[..., 0]
    factor = np.uint64(0x0102040810204080 if little else 0x8040201008040201)
    packed = as_array((eights * factor >> np.uint64(56)).astype(np.uint8))
    return moveaxis(packed, -1, place).copy() if packed.ndim > 1 else packed


def unpackbits(a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> ndarray:
    """The bits of bytes, 0 or 1 each: what `packbits` packed.

    Parameters
    ----------
    a : array_like of uint8
        Bytes.
    axis : int, optional
        Axis to unpack along; flattened by default.
    count : int, optional
        Number of bits to return; zeros are appended if there are fewer. Negative: number of bits to drop at the end.
    bitorder : {'big', 'little'}
        Whether the first of eight is the highest bit or the lowest.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unpackbits(ak.array([160], dtype="uint8"), count=3)
    array([1, 0, 1], dtype=uint8)
    """
    packed = as_array(a)
    if packed.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    little = _is_little(bitorder)
    if axis is None or packed.ndim == 0:
        packed, axis = packed.reshape(-1), axis or 0
    place = _axis(axis, packed.ndim)
    lines = moveaxis(packed, place, -1)
    # The byte eight times in a word, one bit kept in each, which the addition carries to the highest place.
    eights = lines.reshape((*lines.shape, 1)).astype(np.uint64) * np.uint64(0x0101010101010101)
    kept = eights & np.uint64(0x8040201008040201 if little else 0x0102040810204080)
    ones = (kept + np.uint64(0x7F7F7F7F7F7F7F7F)) >> np.uint64(7) & np.uint64(0x0101010101010101)
    bits: Any = ones.view(np.uint8).reshape((*lines.shape[:-1], lines.shape[-1] * 8))
    if count is not None:
        number, length = c_long(operator.index(count)), bits.shape[-1]
        if number < -length:
            raise ValueError(f"-count {number} is larger than the number of elements {length}")
        if number > length:
            bits = pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, number - length)])
        else:
            bits = bits[..., : number if number >= 0 else length + number]
    return moveaxis(bits, -1, place).copy() if bits.ndim > 1 else bits.copy()


def frexp(x: Any, /) -> tuple[ndarray, ndarray]:
    """Mantissas, at least 1/2 and below 1, and exponents: x is the mantissa times 2 to the power of the exponent.

    Examples
    --------
    >>> import atoll as ak
    >>> mantissa, exponent = ak.frexp(ak.array([1.0, 10.0]))
    >>> mantissa, exponent
    (array([0.5  , 0.625]), array([1, 4], dtype=int32))
    """
    values = as_array(x)
    if KIND_OF[values._expr.dtype] != "f":
        values = values.astype(DTYPE_OF[promote("frexp", (values._expr.dtype,)).result])
    code = values._expr.dtype
    whole, width, bias = (np.int64, 52, 1022) if code == FLOAT64 else (np.int32, 23, 126)
    mask = whole(2 * bias + 3)
    # Subnormal numbers are scaled up first, by more than the width of the mantissa.
    up, shift = values.dtype.type(2.0**60), 60
    small: Any = abs(values) < np.finfo(values.dtype).tiny
    scaled = choose(small, values * up, values)
    bits = wrap(engine.reinterpret(scaled._read(), code_of(whole), scaled.shape))
    exponent: Any = ((bits >> whole(width)) & mask) - whole(bias) - choose(small, whole(shift), whole(0))
    halves = (bits & ~(mask << whole(width))) | (whole(bias) << whole(width))
    mantissa = wrap(engine.reinterpret(halves._read(), code, scaled.shape))
    special = ~isfinite(values) | (values == 0)
    return choose(special, values, mantissa), choose(special, whole(0), exponent).astype(np.int32)


def bytes_of(values: ndarray) -> ndarray:
    """The elements' bytes, as a new last axis."""
    size = values.dtype.itemsize
    return wrap(engine.reinterpret(values._read(), code_of(np.uint8), (*values.shape, size)))


def swapped(values: ndarray) -> ndarray:
    """Each element with its bytes in the opposite order."""
    turned = bytes_of(values)[..., ::-1].copy()
    return wrap(engine.reinterpret(turned._read(), values._expr.dtype, values.shape))
