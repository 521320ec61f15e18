# SPDX-License-Identifier: Apache-2.0
"""Windows of a fixed number of rows in which each place has a weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.ufuncs import isnan, sqrt
from ..functions.functions import where

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...arrays.ndarray import ndarray
    from .windows import Windows

__all__ = ["WeightedWindows"]


class WeightedWindows:
    """Windows whose rows count by weights, as pandas has them with `win_type`.

    The last weight is that of a window's last row, also if its first rows are missing. Aggregates are float64.

    Parameters
    ----------
    windows : Windows
        Of as many rows as there are weights.
    weights : callable
        Makes the weights, given what an aggregate is asked with beside: the standard deviation of "gaussian", for one.
    """

    def __init__(self, windows: Windows, weights: Callable[..., Any]) -> None:
        self._windows, self._weights = windows, weights

    def sum(self, **options: Any) -> ndarray:
        """Sums of values times their weights."""
        return self._figure(options, lambda values, weights: (values * weights).sum(axis=1))

    def mean(self, **options: object) -> ndarray:
        """Weighted means."""
        return self._figure(options, _mean)

    def var(self, ddof: int = 1, **options: object) -> ndarray:
        """Weighted variances, with `ddof` fewer degrees of freedom than a window has rows."""

        def figure(values: ndarray, weights: ndarray) -> ndarray:
            apart = values - _mean(values, weights).reshape(-1, 1)
            size, there = values.shape[1], (weights != 0).sum(axis=1)
            spread = (apart * apart * weights).sum(axis=1)
            freedom = (size - ddof) * weights.sum(axis=1)
            made = spread * size / where(freedom != 0, freedom, np.nan)
            return where(there > ddof, where(there == 1, 0.0, made), np.nan)

        return self._figure(options, figure)

    def std(self, ddof: int = 1, **options: object) -> ndarray:
        """Their square roots."""
        return sqrt(self.var(ddof, **options))

    def _figure(self, options: dict[str, Any], figure: Callable[[Any, Any], Any]) -> ndarray:
        weights = asarray(np.asarray(self._weights(**options), np.float64)).reshape(1, -1)

        def each(windows: Any) -> Any:
            gone = isnan(windows)
            return figure(where(gone, 0.0, windows), where(gone, 0.0, weights))

        return self._windows.apply(each)


def _mean(values: Any, weights: Any) -> Any:
    total = weights.sum(axis=1)
    return (values * weights).sum(axis=1) / where(total != 0, total, np.nan)
