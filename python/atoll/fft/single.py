# SPDX-License-Identifier: Apache-2.0
"""Transforms along one axis."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import as_array
from ..arrays.creation import zeros
from ..arrays.joining import concatenate
from ..arrays.manipulation import _axis
from ..arrays.products import into
from ..arrays.repeating import flip
from ..arrays.ufuncs import conjugate
from .rows import transform

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Out

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


def floating(a: ArrayLike) -> Any:
    values = as_array(a)
    return values if values.dtype.kind in "fc" else values.astype(np.float64)


def _part(axis: int, stop: int, start: int = 0) -> tuple[Any, ...]:
    """The index of a range along an axis."""
    return (*(slice(None),) * axis, slice(start, stop))


def fitted(values: Any, length: int, axis: int) -> Any:
    """An axis cut off, or filled up with zeros."""
    own = values.shape[axis]
    if own > length:
        return values[_part(axis, length)]
    if own < length:
        shape = (*values.shape[:axis], length - own, *values.shape[axis + 1 :])
        return concatenate([values, zeros(shape, values.dtype)], axis)
    return values


def transformed(
    values: Any, lengths: Sequence[Any], axes: Sequence[int], norm: str | None, out: Out, backward: bool
) -> Any:
    """Floats transformed along several axes, each once, of which the lengths are cut or filled up to what is wanted."""
    scale = 1.0
    for n, axis in zip(lengths, axes, strict=True):
        length = _length(n, values.shape[axis])
        scale *= _scale(norm, length, backward)
        values = fitted(values, length, axis)
    if not values.size or not axes:
        found = values.astype(np.complex64 if values.dtype in (np.float32, np.complex64) else np.complex128)
    else:
        found = transform(values, axes, backward, scale)
    return into(found, out)


def fft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: Out = None) -> Any:
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
    values = floating(a)
    return transformed(values, [n], [_axis(axis, values.ndim)], norm, out, False)


def ifft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: Out = None) -> Any:
    """The inverse of `fft`, with its parameters.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.ifft([4.0, 0.0, 0.0, 0.0]).real
    array([1., 1., 1., 1.])
    """
    values = floating(a)
    return transformed(values, [n], [_axis(axis, values.ndim)], norm, out, True)


def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """As `fft` of real numbers: the first half of the result, which tells the other.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.rfft(ak.ones(4)).real
    array([4., 0., 0.])
    """
    values = floating(a)
    if values.dtype.kind == "c":
        raise TypeError("rfft takes real numbers; use fft for complex ones")
    place = _axis(axis, values.ndim)
    length = _length(n, values.shape[place])
    found = transformed(values, [length], [place], norm, None, False)
    return into(found[_part(place, length // 2 + 1)], out)


def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """The inverse of `rfft`: real numbers, `n` of them, by default twice as many as there are, less two.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.irfft([4.0, 0.0, 0.0])
    array([1., 1., 1., 1.])
    """
    values = floating(a)
    place = _axis(axis, values.ndim)
    length = _length(n, 2 * (values.shape[place] - 1))
    half = fitted(values, length // 2 + 1, place)
    rest = flip(half[_part(place, (length + 1) // 2, 1)], place)
    whole = concatenate([half, conjugate(rest) if rest.dtype.kind == "c" else rest], place)
    return into(transformed(whole, [length], [place], norm, None, True).real.copy(), out)


def hfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: Out = None) -> Any:
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


def ihfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: Out = None) -> Any:
    """The inverse of `hfft`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.ihfft([8.0, -2.0, 0.0, -2.0]).real
    array([1., 2., 3.])
    """
    _scale(norm, 1, False)
    return into(conjugate(rfft(a, n, axis, _SWAPPED[norm])), out)
