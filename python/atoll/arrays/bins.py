# SPDX-License-Identifier: Apache-2.0
"""The number of bins of a histogram: NumPy's estimators of the bin width, by name."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .quantiles import percentile
from .statistics import mean, ptp, std

if TYPE_CHECKING:
    from .ndarray import ndarray


def _sqrt(x: ndarray, extent: float) -> float:
    return extent / math.sqrt(x.size)


def _sturges(x: ndarray, extent: float) -> float:
    return extent / (math.log2(x.size) + 1.0)


def _rice(x: ndarray, extent: float) -> float:
    return extent / (2.0 * x.size ** (1.0 / 3))


def _scott(x: ndarray, extent: float) -> float:
    return float((24.0 * math.pi**0.5 / x.size) ** (1.0 / 3.0) * std(x))


def _doane(x: ndarray, extent: float) -> float:
    n = x.size
    spread = float(std(x)) if n > 2 else 0.0
    if spread <= 0.0:
        return 0.0
    skewness = float(mean(((x - float(mean(x))) / spread) ** 3))
    error = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return extent / (1.0 + math.log2(n) + math.log2(1.0 + abs(skewness) / error))


def _fd(x: ndarray, extent: float) -> float:
    high, low = percentile(x, [75, 25]).to_numpy()
    return float(2.0 * (high - low) * x.size ** (-1.0 / 3.0))


def _auto(x: ndarray, extent: float) -> float:
    return min(max(_fd(x, extent), _sqrt(x, extent) / 2), _sturges(x, extent))


_ESTIMATORS: dict[str, Callable[[ndarray, float], float]] = {
    "auto": _auto, "doane": _doane, "fd": _fd, "rice": _rice, "scott": _scott, "sqrt": _sqrt, "sturges": _sturges,
}  # fmt: skip


def _stone_bins(x: ndarray, low: float, high: float, extent: float) -> int:
    """Stone's number of bins, between `low` and `high`: the one with the least estimated loss."""
    n = x.size
    if n <= 1 or extent == 0:
        return 0

    def loss(bins: int) -> float:
        share = engine.histogram(x._read(), low, high, bins).to_numpy(True) / n
        return float((2 - (n + 1) * share.dot(share)) / (extent / bins))

    most = max(100, int(math.sqrt(n)))
    best = min(range(1, most + 1), key=loss)
    if best == most:
        warnings.warn("The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=4)
    return best


def estimate(name: str, x: ndarray, low: Any, high: Any) -> int:
    """The number of equal bins between `low` and `high` that the estimator chooses for the elements in that range."""
    if name != "stone" and name not in _ESTIMATORS:
        raise ValueError(f"{name!r} is not a valid estimator for `bins`")
    x = x[(x >= low) & (x <= high)]
    if not x.size:
        return 1
    extent = float(ptp(x))
    if name == "stone":
        bins = _stone_bins(x, float(low), float(high), extent)
        width = extent / bins if bins else 0.0
    else:
        width = _ESTIMATORS[name](x, extent)
    if not width:
        return 1
    if x.dtype.kind in "iu":
        width = max(width, 1.0)
    return int(np.ceil((float(high) - float(low)) / width))
