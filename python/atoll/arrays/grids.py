# SPDX-License-Identifier: Apache-2.0
"""Histograms of points in several dimensions."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array, as_array
from .creation import array
from .histograms import bincount, searchsorted
from .joining import stack
from .manipulation import atleast_2d
from .reductions import max, min

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = ["histogram2d", "histogramdd"]

_SEVERAL = (list, tuple, np.ndarray, Array)


def histogram2d(
    x: Any, y: Any, bins: ArrayLike = 10, range: Any = None, density: bool = False, weights: ArrayLike = None
) -> tuple[ndarray, ndarray, ndarray]:
    """Number of points of the plane in each bin of a grid.

    Parameters
    ----------
    x, y : array_like
        Coordinates.
    bins, range, density, weights
        As for `histogramdd`; one array of edges serves both axes.

    Returns
    -------
    counts, x edges, y edges : ndarray

    Examples
    --------
    >>> import atoll as ak
    >>> ak.histogram2d([0.5, 1.5, 1.5], [0.5, 0.5, 0.5], bins=2, range=[[0, 2], [0, 2]])[0]
    array([[1., 0.],
           [2., 0.]])
    """
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if isinstance(bins, _SEVERAL) and len(bins) not in (1, 2):
        bins = [bins, bins]
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: ArrayLike = None
) -> tuple[ndarray, tuple[ndarray, ...]]:
    """Number of points in each bin of a grid.

    Parameters
    ----------
    sample : ndarray or sequence
        A point in each row of a matrix; or each coordinate as an array.
    bins : int or sequence
        Number of equal bins along every axis; or for each axis a number, or edges in ascending order. The last bin
        includes its upper edge.
    range : sequence of (float, float) or None, optional
        For each axis lower and upper end of equal bins; by default the least and greatest coordinate.
    density : bool
        Return the density instead: its integral over the grid is 1.
    weights : array_like, optional
        Weight of each point.

    Returns
    -------
    counts : ndarray
    edges : tuple of ndarray

    Examples
    --------
    >>> import atoll as ak
    >>> ak.histogramdd([[0.5, 1.5], [0.5, 0.5], [0.5, 0.5]], bins=1)[0].shape
    (1, 1, 1)
    """
    columns = _coordinates(sample)
    axes = len(columns)
    if not isinstance(bins, _SEVERAL):
        bins = [bins] * axes
    elif len(bins) != axes:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if range is None:
        range = [None] * axes
    elif len(range) != axes:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_edges(column, one, limits, axis)
             for axis, (column, one, limits) in enumerate(zip(columns, bins, range, strict=True))]  # fmt: skip
    place: Any = 0
    for column, borders in zip(columns, edges, strict=True):
        found = searchsorted(array(borders), column, "right")
        place = place * (len(borders) + 1) + (found - (column == borders[-1]))
    shape = [len(borders) + 1 for borders in edges]
    counted = bincount(place, None if weights is None else as_array(weights), math.prod(shape))
    inside = (slice(1, -1),) * axes
    counts: Any = counted.reshape(shape)[inside].astype(np.float64)
    if density:
        total = float(counts.sum())
        for axis, borders in enumerate(edges):
            counts = counts / np.diff(borders).reshape([-1 if one == axis else 1 for one in np.arange(axes)])
        counts = counts / total
    return counts, tuple(array(borders) for borders in edges)


def _coordinates(sample: Any) -> list[ndarray]:
    """The coordinates along each axis."""
    points = sample if isinstance(sample, (Array, np.ndarray)) else stack([as_array(one) for one in sample])
    points = as_array(points)
    if not isinstance(sample, (Array, np.ndarray)) or points.ndim != 2:
        points = atleast_2d(points).T
    return [points[:, axis] for axis in np.arange(points.shape[1]).tolist()]


def _edges(column: ndarray, bins: Any, limits: Any, axis: int) -> np.ndarray[Any, Any]:
    if np.ndim(bins) == 0:
        if bins < 1:
            raise ValueError(f"`bins[{axis}]` must be positive, when an integer")
        low, high = _ends(column, limits)
        try:
            number = operator.index(bins)
        except TypeError as error:
            raise TypeError(f"`bins[{axis}]` must be an integer, when a scalar") from error
        return np.linspace(low, high, number + 1)
    borders = np.asarray(bins.to_numpy() if isinstance(bins, Array) else bins)
    if borders.ndim != 1:
        raise ValueError(f"`bins[{axis}]` must be a scalar or 1d array")
    if (borders[:-1] > borders[1:]).any():
        raise ValueError(f"`bins[{axis}]` must be monotonically increasing, when an array")
    return borders


def _ends(column: ndarray, limits: Any) -> tuple[Any, Any]:
    if limits is not None:
        low, high = limits
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    elif column.size == 0:
        low, high = 0, 1
    else:
        low, high = min(column), max(column)
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    return (low - 0.5, high + 0.5) if low == high else (low, high)
