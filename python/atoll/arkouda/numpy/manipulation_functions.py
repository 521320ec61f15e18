# SPDX-License-Identifier: Apache-2.0
"""Arkouda's functions that move elements: flip, repeat, squeeze, tile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..objects import checked, lift, lower
from . import wide
from .arrays import SCALARS, pdarray
from .dtypes import Int
from .pdarraycreation import array as ak_array
from .strings import Strings

if TYPE_CHECKING:
    from ...annotations import Axes

__all__ = ["flip", "repeat", "squeeze", "tile"]


def _moved(a: pdarray, move: Any) -> Any:
    """What `move` makes of the elements: of bigints, of their numbers."""
    if not isinstance(a._a, wide.BigInts):
        made = move(a._a)
        return lift(made.copy() if isinstance(made, atoll.ndarray) else made)
    rows = move(atoll.arange(a.size).reshape(a.shape))
    return pdarray._of(a._a.take(rows.reshape(-1)), rows.shape)


def flip(x: Any, /, *, axis: Axes = None) -> Any:
    """The elements in reverse order, along axes.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.flip(ak.arange(3))
    array([2 1 0])
    """
    from ..pandas.categorical import Categorical

    if not isinstance(x, pdarray):
        if not isinstance(x, (Strings, Categorical)):
            raise TypeError(f"flip is of pdarray, Strings or Categorical, not of {type(x).__name__}")
        return x[::-1]
    axes = axis if axis is None or isinstance(axis, tuple) else (axis,)
    for one in axes or ():
        if not -x.ndim <= one < x.ndim:
            raise IndexError(f"axis {one} is out of bounds for {x.ndim} dimensions")
    return _moved(x, lambda a: atoll.flip(a, axes))


def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element several times: as often for all, or a number for each.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.repeat(ak.arange(3), 2)
    array([0 0 1 1 2 2])
    """
    array = a if isinstance(a, pdarray) else ak_array(np.atleast_1d(a))
    times = lower(repeats)
    times = int(times) if isinstance(times, Int) else atoll.asarray(times)
    if axis is not None and not -array.ndim <= axis < array.ndim:
        raise IndexError(f"axis {axis} is out of bounds for {array.ndim} dimensions")
    if bool((atoll.asarray(times) < 0).any()):
        raise ValueError("repeats may not contain negative values.")
    return _moved(array, lambda b: atoll.repeat(b, times, axis=axis))


@checked((pdarray, *SCALARS))
def squeeze(x: object, /, axis: int | str | None = None) -> Any:
    """The elements without axes of one element."""
    if not isinstance(x, pdarray):
        return ak_array([x])
    axes = axis if axis is None or isinstance(axis, Int) else tuple(int(one) for one in axis)
    kept = [n for n in x.shape if n != 1]
    if axes is None and not kept:
        return x.reshape(1)
    made = _moved(x, lambda a: atoll.squeeze(a, axes).reshape(-1) if _is_scalar(x, axes) else atoll.squeeze(a, axes))
    return made if isinstance(made, pdarray) else ak_array([made])


def _is_scalar(x: pdarray, axes: Axes) -> bool:
    return np.squeeze(np.empty(x.shape, bool), axes).ndim == 0


def tile(A: Any, /, reps: Any) -> Any:
    """The elements several times, along each axis."""
    if not isinstance(A, pdarray):
        raise TypeError(f"tile is of pdarrays, not of {type(A).__name__}")
    return _moved(A, lambda a: atoll.tile(a, reps))
