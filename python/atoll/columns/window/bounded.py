# SPDX-License-Identifier: Apache-2.0
"""Windows with explicit bounds: from any row to any other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, empty, full
from ...arrays.histograms import bincount
from ...arrays.joining import concatenate
from ...arrays.repeating import repeat
from ...arrays.scans import cumsum
from ...arrays.selection import take
from ...arrays.ufuncs import isnan
from ..functions.functions import where
from ..groupby.groupby import groupby
from .windows import APPLIED, Rows

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray

__all__ = ["BoundedWindows"]


class WindowBoundsError(ValueError):
    """Bounds of windows that are no rows of the values."""


class BoundedWindows:
    """Windows [begin, end) of rows, each with bounds of its own.

    Aggregates are float64, one per window; NaN if it has fewer than `min_periods` values. Unlike windows that move
    from row to row, each costs as much as it has rows.

    Raises
    ------
    ValueError
        Bounds that differ in number, or are no rows of the values.
    """

    def __init__(self, values: Any, begins: Any, ends: Any, min_periods: int) -> None:
        begins, ends = (np.asarray(each, np.int64) for each in (begins, ends))
        self._values = Rows(values.size).of(values, "figure")
        if begins.shape != ends.shape or begins.ndim != 1:
            raise ValueError(f"start ({begins.size}) and end ({ends.size}) bounds must be the same length")
        ends = np.maximum(begins, ends)
        if begins.size and (begins.min() < 0 or ends.max() > values.size):
            raise WindowBoundsError(
                f"windows must lie among the {values.size} rows, got {begins.min()} to {ends.max()}"
            )
        self._begins, self._ends, self._periods = begins, ends, min_periods

    def _pieces(self) -> list[tuple[int, int]]:
        """Windows whose rows are looked at together."""
        behind = np.cumsum(self._ends - self._begins)
        borders = [0]
        while borders[-1] < self._begins.size:
            before = behind[borders[-1] - 1] if borders[-1] else 0
            borders.append(max(int(np.searchsorted(behind, before + APPLIED, "right")), borders[-1] + 1))
        return list(pairwise(borders))

    def _figure(self, figure: Callable[[Any, Any], Any], empty_ones: float = np.nan, least: int | None = 1) -> ndarray:
        """An aggregate of each window's values, given their groups; another of windows without any.

        NaN of windows with fewer than `min_periods` and `least` values, unless that is None.
        """
        parts = []
        for first, last in self._pieces():
            begins, sizes = asarray(self._begins[first:last]), asarray((self._ends - self._begins)[first:last])
            ids = repeat(arange(last - first), sizes)
            values = take(self._values, arange(ids.size) - take(cumsum(sizes) - sizes - begins, ids))
            there = ~isnan(values)
            ids, values = ids[there], values[there]
            made = full(last - first, empty_ones)
            if ids.size:
                groups = groupby(ids)
                made[groups.keys] = figure(groups, values).astype(np.float64)
            if least is not None:
                enough = bincount(ids, minlength=last - first) >= max(self._periods, least)
                made = where(enough, made, np.nan)
            parts.append(made)
        return concatenate(parts) if parts else empty(0)

    def _counts(self) -> ndarray:
        """How many values each window has."""
        return self._figure(lambda groups, values: groups.size(), 0.0, None)

    def count(self) -> ndarray:
        """How many values each window has; NaN where it has fewer than `min_periods` rows, with values or without."""
        return where(asarray(self._ends - self._begins) >= self._periods, self._counts(), np.nan)

    def sum(self) -> ndarray:
        """Sums."""
        return self._figure(lambda groups, values: groups.sum(values), 0.0, 0)

    def mean(self) -> ndarray:
        """Means."""
        return self._figure(lambda groups, values: groups.mean(values))

    def var(self, ddof: int = 1) -> ndarray:
        """Variances, with `ddof` fewer degrees of freedom than values."""
        return self._figure(lambda groups, values: groups.var(values, ddof))

    def std(self, ddof: int = 1) -> ndarray:
        """Their square roots."""
        return self._figure(lambda groups, values: groups.std(values, ddof))

    def sem(self, ddof: int = 1) -> ndarray:
        """Standard errors of the mean."""
        return self._figure(lambda groups, values: groups.sem(values, ddof))

    def skew(self) -> ndarray:
        """Skewness, without bias; NaN of fewer than three values, or equal ones."""
        return self._figure(lambda groups, values: groups.skew(values))

    def kurt(self) -> ndarray:
        """Excess kurtosis, without bias; NaN of fewer than four values, or equal ones."""
        return self._figure(lambda groups, values: groups.kurt(values))

    def min(self) -> ndarray:
        """Smallest values."""
        return self._figure(lambda groups, values: groups.min(values))

    def max(self) -> ndarray:
        """Largest values."""
        return self._figure(lambda groups, values: groups.max(values))

    def median(self) -> ndarray:
        """Medians."""
        return self.quantile(0.5)

    def quantile(self, q: float, interpolation: str = "linear") -> ndarray:
        """The values below which a share `q` of each window lies."""
        return self._figure(lambda groups, values: groups.quantile(values, q, interpolation))

    def each(self, function: Callable[[Any], float]) -> ndarray:
        """A function of each window, one after the other, given a NumPy array of its values, NaN among them.

        The values are on every PE.
        """
        values, counts = self._values.to_numpy(), self._counts().to_numpy()
        made = np.full(self._begins.size, np.nan)
        for place in np.flatnonzero(counts >= max(self._periods, 1)):
            made[place] = function(values[self._begins[place] : self._ends[place]])
        return asarray(made)
