# SPDX-License-Identifier: Apache-2.0
"""Window functions for spectra, and the Bessel function that the Kaiser window needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import as_array
from .composed import choose
from .creation import arange, ones, zeros
from .ufuncs import absolute, cos, exp, less_equal, sqrt

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]

# Chebyshev's coefficients of exp(-x) i0(x) on [0, 8], and of exp(-x) sqrt(x) i0(x) from there on (Cephes, S. Moshier).
_NEAR = (
    -4.4153416464793395e-18,
    3.3307945188222384e-17,
    -2.431279846547955e-16,
    1.715391285555133e-15,
    -1.1685332877993451e-14,
    7.676185498604936e-14,
    -4.856446783111929e-13,
    2.95505266312964e-12,
    -1.726826291441556e-11,
    9.675809035373237e-11,
    -5.189795601635263e-10,
    2.6598237246823866e-09,
    -1.300025009986248e-08,
    6.046995022541919e-08,
    -2.670793853940612e-07,
    1.1173875391201037e-06,
    -4.4167383584587505e-06,
    1.6448448070728896e-05,
    -5.754195010082104e-05,
    0.00018850288509584165,
    -0.0005763755745385824,
    0.0016394756169413357,
    -0.004324309995050576,
    0.010546460394594998,
    -0.02373741480589947,
    0.04930528423967071,
    -0.09490109704804764,
    0.17162090152220877,
    -0.3046826723431984,
    0.6767952744094761,
)
_FAR = (
    -7.233180487874754e-18,
    -4.830504485944182e-18,
    4.46562142029676e-17,
    3.461222867697461e-17,
    -2.8276239805165836e-16,
    -3.425485619677219e-16,
    1.7725601330565263e-15,
    3.8116806693526224e-15,
    -9.554846698828307e-15,
    -4.150569347287222e-14,
    1.54008621752141e-14,
    3.8527783827421426e-13,
    7.180124451383666e-13,
    -1.7941785315068062e-12,
    -1.3215811840447713e-11,
    -3.1499165279632416e-11,
    1.1889147107846439e-11,
    4.94060238822497e-10,
    3.3962320257083865e-09,
    2.266668990498178e-08,
    2.0489185894690638e-07,
    2.8913705208347567e-06,
    6.889758346916825e-05,
    0.0033691164782556943,
    0.8044904110141088,
)


def _chebyshev(x: ndarray, coefficients: Sequence[float]) -> Any:
    """Clenshaw's sum, halved as Cephes has it."""
    first: Any = coefficients[0]
    second: Any = 0.0
    third: Any = 0.0
    for coefficient in coefficients[1:]:
        third, second = second, first
        first = x * second - third + coefficient
    return 0.5 * (first - third)


def i0(x: ArrayLike) -> Any:
    """The modified Bessel function of the first kind, order 0.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.i0(ak.array([0.0, 1.0]))
    array([1.        , 1.26606588])
    """
    array = as_array(x)
    if array.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    values: Any = absolute(array if array.dtype.kind == "f" else array.astype(np.float64)).evaluate()
    near = less_equal(values, 8.0)
    small = choose(near, values, 0.0)
    large = choose(near, 8.0, values)
    at_near = exp(small) * _chebyshev(small / 2.0 - 2.0, _NEAR)
    at_far = exp(large) * _chebyshev(32.0 / large - 2.0, _FAR) / sqrt(large)
    return choose(near, at_near, at_far)


def _steps(M: Any) -> ndarray | None:
    """-M + 1, -M + 3, … M - 1 as floats; None where a window has no more than one element."""
    return arange(1 - M, M, 2, dtype=np.float64) if M > 1 else None


def _trivial(M: Any) -> ndarray:
    return ones(1) if M == 1 else zeros(0)


def bartlett(M: Any) -> ndarray:
    """Bartlett's window: a triangle.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.bartlett(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    n = _steps(M)
    return _trivial(M) if n is None else choose(less_equal(n, 0), 1 + n / (M - 1), 1 - n / (M - 1))


def blackman(M: Any) -> ndarray:
    """Blackman's window.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.round(ak.blackman(5), 2)
    array([-0.  ,  0.34,  1.  ,  0.34, -0.  ])
    """
    n = _steps(M)
    if n is None:
        return _trivial(M)
    return 0.42 + 0.5 * cos(math.pi * n / (M - 1)) + 0.08 * cos(2.0 * math.pi * n / (M - 1))


def hamming(M: Any) -> ndarray:
    """Hamming's window.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.round(ak.hamming(5), 2)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    n = _steps(M)
    return _trivial(M) if n is None else 0.54 + 0.46 * cos(math.pi * n / (M - 1))


def hanning(M: Any) -> ndarray:
    """Hann's window.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.round(ak.hanning(5), 2)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    n = _steps(M)
    return _trivial(M) if n is None else 0.5 + 0.5 * cos(math.pi * n / (M - 1))


def kaiser(M: Any, beta: float) -> ndarray:
    """Kaiser's window, the narrower the greater `beta`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.round(ak.kaiser(5, 14), 2)
    array([0.  , 0.16, 1.  , 0.16, 0.  ])
    """
    if M <= 1:
        return _trivial(M)
    middle = (M - 1) / 2.0
    place = (arange(M, dtype=np.float64) - middle) / middle
    window: ndarray = i0(beta * sqrt(1 - place * place)) / i0(float(beta))
    return window
