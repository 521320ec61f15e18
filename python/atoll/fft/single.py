# SPDX-License-Identifier: Apache-2.0
"""Transforms along one axis."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..arrays.array import as_array
from ..arrays.creation import zeros
from ..arrays.joining import concatenate
from ..arrays.manipulation import _axis, moveaxis
from ..arrays.products import into
from ..arrays.repeating import flip
from ..arrays.ufuncs import conjugate
from .rows import transform

_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": None}


def _scale(norm: str | None, length: int, backward: bool) -> float:
    if norm not in _SWAPPED:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    if norm == "ortho":
        return float(1 / np.sqrt(length))
    return 1 / length if backward == (norm != "forward") else 1.0


def _length(n: Any, own: int) -> int:
    length = own if n is None else operator.index(n)
    if length < 1:
        raise ValueError(f"Invalid number of FFT data points ({length}) specified.")
    return length


def _floating(a: Any) -> Any:
    values = as_array(a)
    return values if values.dtype.kind in "fc" else values.astype(np.float64)


def _fitted(values: Any, length: int) -> Any:
    """The last axis cut off, or filled up with zeros."""
    own = values.shape[-1]
    if own > length:
        return values[..., :length]
    if own < length:
        return concatenate([values, zeros((*values.shape[:-1], length - own), values.dtype)], -1)
    return values


def _along(values: Any, axis: int) -> tuple[Any, int]:
    place = _axis(axis, values.ndim)
    return moveaxis(values, place, -1), place


def _complex(a: Any, n: Any, axis: int, norm: str | None, out: Any, backward: bool) -> Any:
    lines, place = _along(_floating(a), axis)
    length = _length(n, lines.shape[-1])
    scale = _scale(norm, length, backward)
    found = transform(_fitted(lines, length), backward)
    if scale != 1:
        found = found * found.real.dtype.type(scale)
    return into(moveaxis(found, -1, place), out)


def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """The discrete Fourier transform along an axis.

    Parameters
    ----------
    a : array_like
        Real or complex numbers; float32 and complex64 give complex64.
    n : int, optional
        Length that the axis is cut or filled up to.
    axis : int
        Axis to go along.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the length; with 'ortho' both by its root.
    out : ndarray, optional
        Where to put the result.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.fft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _complex(a, n, axis, norm, out, False)


def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """The inverse of `fft`, with its parameters.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.ifft([4.0, 0.0, 0.0, 0.0]).real
    array([1., 1., 1., 1.])
    """
    return _complex(a, n, axis, norm, out, True)


def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """As `fft` of real numbers: the first half of the result, which tells the other.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.rfft(ak.ones(4)).real
    array([4., 0., 0.])
    """
    values = _floating(a)
    if values.dtype.kind == "c":
        raise TypeError("rfft takes real numbers; use fft for complex ones")
    lines, place = _along(values, axis)
    length = _length(n, lines.shape[-1])
    scale = _scale(norm, length, False)
    found = transform(_fitted(lines, length), False)[..., : length // 2 + 1]
    if scale != 1:
        found = found * found.real.dtype.type(scale)
    return into(moveaxis(found, -1, place), out)


def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """The inverse of `rfft`: real numbers, `n` of them, by default twice as many as there are, less two.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.irfft([4.0, 0.0, 0.0])
    array([1., 1., 1., 1.])
    """
    lines, place = _along(_floating(a), axis)
    length = _length(n, 2 * (lines.shape[-1] - 1))
    scale = _scale(norm, length, True)
    half = _fitted(lines, length // 2 + 1)
    rest = flip(half[..., 1 : (length + 1) // 2], -1)
    whole = concatenate([half, conjugate(rest) if rest.dtype.kind == "c" else rest], -1)
    found = transform(whole, True).real
    found = found * found.dtype.type(scale) if scale != 1 else found.copy()
    return into(moveaxis(found, -1, place), out)


def hfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """The transform, real, of a sequence that is symmetric, of which the first half is given.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.hfft([1.0, 2.0, 3.0])
    array([ 8., -2.,  0., -2.])
    """
    values = as_array(a)
    length = None if n is None else operator.index(n)
    _scale(norm, 1, False)
    return irfft(conjugate(values) if values.dtype.kind == "c" else values, length, axis, _SWAPPED[norm], out)


def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """The inverse of `hfft`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.ihfft([8.0, -2.0, 0.0, -2.0]).real
    array([1., 2., 3.])
    """
    _scale(norm, 1, False)
    return into(conjugate(rfft(a, n, axis, _SWAPPED[norm])), out)
