# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `special`: x * log(y)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ...numpy.arrays import pdarray
from ...objects import lift, lower

if TYPE_CHECKING:
    from ....annotations import ArrayLike

__all__ = ["xlogy"]


def xlogy(x: object, y: ArrayLike) -> Any:
    """`x * log(y)`; 0 where x is 0 and y is not NaN.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> from atoll.arkouda.scipy.special import xlogy
    >>> xlogy(ak.array([0.0, 2.0]), ak.array([0.0, 1.0]))
    array([0 0])
    """
    if not isinstance(x, (pdarray, int, float, np.number)) or not isinstance(y, (pdarray, int, float, np.number)):
        raise TypeError("x and y must be pdarrays or numbers")
    first = atoll.asarray(lower(x)).astype(np.float64)
    second = atoll.asarray(lower(y)).astype(np.float64)
    with np.errstate(all="ignore"):
        logs = first * atoll.log(second)
    return lift(atoll.where((first == 0) & ~atoll.isnan(second), 0.0, logs))
