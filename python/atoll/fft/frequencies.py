# SPDX-License-Identifier: Apache-2.0
"""Frequencies of the elements of a transform, and their order."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import as_array, require_cpu
from ..arrays.creation import arange
from ..arrays.dtypes import DTypeLike
from ..arrays.joining import concatenate
from ..arrays.repeating import roll

if TYPE_CHECKING:
    from ..arrays.ndarray import ndarray


def _count(n: Any) -> int:
    try:
        return operator.index(n)
    except TypeError:
        raise ValueError("n should be an integer") from None


def fftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike = None, device: Any = None) -> ndarray:
    """The frequencies of `fft` of samples at a distance `d`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    require_cpu(device)
    number = _count(n)
    steps = concatenate([arange((number - 1) // 2 + 1), arange(-(number // 2), 0)])
    return (steps * (1.0 / (number * d))).astype(np.float64 if dtype is None else dtype)


def rfftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike = None, device: Any = None) -> ndarray:
    """The frequencies of `rfft` of samples at a distance `d`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    require_cpu(device)
    number = _count(n)
    return (arange(number // 2 + 1) * (1.0 / (number * d))).astype(np.float64 if dtype is None else dtype)


def _shifted(x: Any, axes: Any, back: bool) -> ndarray:
    array = as_array(x)
    if axes is None:
        axes = tuple(range(array.ndim))
    places = tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)
    by = [-(array.shape[axis] // 2) if back else array.shape[axis] // 2 for axis in places]
    return roll(array, by, places) if places else array.copy()


def fftshift(x: Any, axes: Any = None) -> ndarray:
    """Frequency 0 in the middle.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.fftshift([0, 1, -2, -1])
    array([-2, -1,  0,  1])
    """
    return _shifted(x, axes, False)


def ifftshift(x: Any, axes: Any = None) -> ndarray:
    """The inverse of `fftshift`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fft.ifftshift([-2, -1, 0, 1])
    array([ 0,  1, -2, -1])
    """
    return _shifted(x, axes, True)
