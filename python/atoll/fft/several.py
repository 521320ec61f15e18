# SPDX-License-Identifier: Apache-2.0
"""Transforms along several axes."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ..arrays.array import as_array
from ..arrays.manipulation import _axis
from ..arrays.products import into
from .single import floating, irfft, rfft, transformed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..annotations import ArrayLike, Out

_TWO = (-2, -1)


def _lengths(values: Any, s: Any, axes: Sequence[int] | None) -> tuple[list[int | None], list[int]]:
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


def _each(a: ArrayLike, wanted: list[int | None], places: list[int], norm: str | None, out: Out, backward: bool) -> Any:
    """All axes at once, unless one of them is transformed again."""
    values = floating(a)
    axes = [_axis(axis, values.ndim) for axis in places]
    if len(set(axes)) == len(axes):
        return transformed(values, wanted, axes, norm, out, backward)
    for length, axis in zip(reversed(wanted), reversed(axes), strict=True):
        values = transformed(values, [length], [axis], norm, None, backward)
    return into(values, out)


def fftn(
    a: ArrayLike, s: Any = None, axes: Sequence[int] | None = None, norm: str | None = None, out: Any = None
) -> Any:
    """The transform along several axes, all by default; `s` are the lengths, else as `fft`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.fftn(ak.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    values = as_array(a)
    return _each(values, *_lengths(values, s, axes), norm, out, False)


def ifftn(
    a: ArrayLike, s: Any = None, axes: Sequence[int] | None = None, norm: str | None = None, out: Any = None
) -> Any:
    """The inverse of `fftn`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.ifftn(ak.fft.fftn(ak.ones((2, 2)))).real
    array([[1., 1.],
           [1., 1.]])
    """
    values = as_array(a)
    return _each(values, *_lengths(values, s, axes), norm, out, True)


def rfftn(
    a: ArrayLike, s: Any = None, axes: Sequence[int] | None = None, norm: str | None = None, out: Out = None
) -> Any:
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
    return _each(found, wanted[:-1], places[:-1], norm, out, False)


def irfftn(
    a: ArrayLike, s: Any = None, axes: Sequence[int] | None = None, norm: str | None = None, out: Out = None
) -> Any:
    """The inverse of `rfftn`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.irfftn(ak.fft.rfftn(ak.ones((2, 4))), s=(2, 4)).shape
    (2, 4)
    """
    found = as_array(a)
    wanted, places = _lengths(found, s, axes)
    found = _each(found, wanted[:-1], places[:-1], norm, None, True)
    return into(irfft(found, wanted[-1], places[-1], norm), out)


def fft2(a: Any, s: Any = None, axes: Sequence[int] | None = _TWO, norm: str | None = None, out: Any = None) -> Any:
    """As `fftn` along two axes, the last by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.fft2(ak.ones((3, 2, 2))).shape
    (3, 2, 2)
    """
    return fftn(a, s, axes, norm, out)


def ifft2(a: Any, s: Any = None, axes: Sequence[int] | None = _TWO, norm: str | None = None, out: Any = None) -> Any:
    """As `ifftn` along two axes, the last by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.ifft2(ak.ones((3, 2, 2))).shape
    (3, 2, 2)
    """
    return ifftn(a, s, axes, norm, out)


def rfft2(a: Any, s: Any = None, axes: Sequence[int] | None = _TWO, norm: str | None = None, out: Any = None) -> Any:
    """As `rfftn` along two axes, the last by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.rfft2(ak.ones((3, 2, 2))).shape
    (3, 2, 2)
    """
    return rfftn(a, s, axes, norm, out)


def irfft2(a: Any, s: Any = None, axes: Sequence[int] | None = _TWO, norm: str | None = None, out: Any = None) -> Any:
    """As `irfftn` along two axes, the last by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.irfft2(ak.ones((3, 2, 2))).shape
    (3, 2, 2)
    """
    return irfftn(a, s, axes, norm, out)
