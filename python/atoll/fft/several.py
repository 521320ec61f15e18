# SPDX-License-Identifier: Apache-2.0
"""Transforms along several axes, one after the other."""

from __future__ import annotations

import operator
from typing import Any

from ..arrays.array import as_array
from ..arrays.products import into
from .single import fft, ifft, irfft, rfft

_TWO = (-2, -1)


def _lengths(values: Any, s: Any, axes: Any, halved: bool = False) -> tuple[list[int | None], list[int]]:
    """For each axis the length wanted, and which it is."""
    if s is None:
        places = list(range(values.ndim)) if axes is None else [operator.index(one) for one in axes]
        wanted: list[int | None] = [None] * len(places)
    else:
        wanted = [None if operator.index(one) == -1 else operator.index(one) for one in s]
        places = list(range(-len(wanted), 0)) if axes is None else [operator.index(one) for one in axes]
    if len(wanted) != len(places):
        raise ValueError("Shape and axes have different lengths.")
    return wanted, places


def _each(step: Any, a: Any, s: Any, axes: Any, norm: str | None, out: Any) -> Any:
    found = as_array(a)
    wanted, places = _lengths(found, s, axes)
    for length, axis in zip(reversed(wanted), reversed(places), strict=True):
        found = step(found, length, axis, norm)
    return into(found, out)


def fftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """The transform along several axes, all by default; `s` are the lengths, else as `fft`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.fftn(ak.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    return _each(fft, a, s, axes, norm, out)


def ifftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """The inverse of `fftn`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.ifftn(ak.fft.fftn(ak.ones((2, 2)))).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _each(ifft, a, s, axes, norm, out)


def rfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """As `fftn` of real numbers: the last axis is halved, as by `rfft`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.rfftn(ak.ones((2, 4))).shape
    (2, 3)
    """
    values = as_array(a)
    wanted, places = _lengths(values, s, axes)
    found = rfft(values, wanted[-1], places[-1], norm)
    for length, axis in zip(reversed(wanted[:-1]), reversed(places[:-1]), strict=True):
        found = fft(found, length, axis, norm)
    return into(found, out)


def irfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """The inverse of `rfftn`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.irfftn(ak.fft.rfftn(ak.ones((2, 4))), s=(2, 4)).shape
    (2, 4)
    """
    found = as_array(a)
    wanted, places = _lengths(found, s, axes)
    for length, axis in zip(wanted[:-1], places[:-1], strict=True):
        found = ifft(found, length, axis, norm)
    return into(irfft(found, wanted[-1], places[-1], norm), out)


def fft2(a: Any, s: Any = None, axes: Any = _TWO, norm: str | None = None, out: Any = None) -> Any:
    """As `fftn` along two axes, the last by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.fft2(ak.ones((3, 2, 2))).shape
    (3, 2, 2)
    """
    return fftn(a, s, axes, norm, out)


def ifft2(a: Any, s: Any = None, axes: Any = _TWO, norm: str | None = None, out: Any = None) -> Any:
    """As `ifftn` along two axes, the last by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.ifft2(ak.ones((3, 2, 2))).shape
    (3, 2, 2)
    """
    return ifftn(a, s, axes, norm, out)


def rfft2(a: Any, s: Any = None, axes: Any = _TWO, norm: str | None = None, out: Any = None) -> Any:
    """As `rfftn` along two axes, the last by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.rfft2(ak.ones((3, 2, 2))).shape
    (3, 2, 2)
    """
    return rfftn(a, s, axes, norm, out)


def irfft2(a: Any, s: Any = None, axes: Any = _TWO, norm: str | None = None, out: Any = None) -> Any:
    """As `irfftn` along two axes, the last by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.irfft2(ak.ones((3, 2, 2))).shape
    (3, 2, 2)
    """
    return irfftn(a, s, axes, norm, out)
