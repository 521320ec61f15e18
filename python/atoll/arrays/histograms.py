# SPDX-License-Identifier: Apache-2.0
"""Histograms and counts, and look-up in sorted tables."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, as_array, expr_of, wrap
from .bins import estimate
from .composed import choose, clip
from .creation import shape_of
from .dtypes import (
    BOOL,
    DTYPE_OF,
    FLOAT32,
    FLOAT64,
    INT64,
    KIND_OF,
    SCALAR_KIND,
    UINT64,
    check_cast,
    code_of,
    result_code,
)
from .sizes import is_wide
from .ufuncs import isnan

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = [
    "bincount",
    "digitize",
    "histogram",
    "histogram_bin_edges",
    "interp",
    "searchsorted",
]


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: ArrayLike | None = None
) -> tuple[Any, ndarray]:
    """Number of elements in each bin.

    Parameters
    ----------
    a : array_like
        Elements; those outside the bins, and NaN, are not counted.
    bins : int or array_like
        Number of equal bins, or their edges in ascending order; the last bin includes its upper edge. A name of NumPy's
        estimators ('auto', 'fd', 'doane', 'scott', 'stone', 'rice', 'sturges', 'sqrt') chooses the number.
    range : (float, float), optional
        Lower and upper end of equal bins; by default the least and greatest element.
    density : bool
        Return the density instead: its integral over the bins is 1.
    weights : array_like, optional
        What each element counts for.

    Returns
    -------
    counts, edges : ndarray

    Examples
    --------
    >>> import atoll as ak
    >>> ak.histogram(ak.array([1, 2, 2, 5]), bins=[0, 2, 4, 6])
    (array([1, 2, 1]), array([0, 2, 4, 6]))
    """
    expr = expr_of(a)
    if expr.ndim != 1:
        expr = engine.reshape(expr, (expr.size,))
    if expr.dtype == BOOL:
        expr = engine.cast(expr, code_of(np.uint8))
    heavy = None if weights is None else expr_of(weights)
    if heavy is not None:
        if heavy.size != expr.size:
            raise ValueError("weights should have the same shape as a.")
        heavy = engine.reshape(heavy, (heavy.size,)) if heavy.ndim != 1 else heavy
    if isinstance(bins, str) and heavy is not None:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    edges = _edges(expr, bins, range)
    if heavy is None and isinstance(edges, tuple):
        counts = engine.histogram(expr, float(edges[0]), float(edges[1]), edges[2])
        edges = _even_edges(edges, expr.dtype)
    else:
        if isinstance(edges, tuple):
            edges = _even_edges(edges, expr.dtype)
        session = expr.session
        borders = engine.from_numpy(session, np.asarray(edges, np.float64), True)
        counts = engine.histogram_edges(expr, borders, None) if heavy is None else _weighted(expr, borders, heavy)
    result = wrap(counts)
    if density:
        result = result / np.diff(edges) / result.sum()
    return result, wrap(engine.from_numpy(expr.session, np.ascontiguousarray(edges), True))


_EXACT = 2.0**53  # float64 holds all integers below
_PART = 22  # bits of a weight that are summed at a time: 2^31 of them stay exact


def _weighted(expr: engine.Expr, edges: engine.Expr, weights: engine.Expr) -> engine.Expr:
    """The sums of weights, in their dtype; large integers are summed exactly, in three parts of their bits."""
    code = weights.dtype
    exact = KIND_OF[code] not in "iu" or not weights.size
    if not exact:
        extremes = (float(engine.reduce_all(kind, weights, code, True)) for kind in ("min", "max"))
        exact = max(map(abs, extremes)) * weights.size < _EXACT
    if exact:
        sums = engine.histogram_edges(expr, edges, weights if code == FLOAT64 else engine.cast(weights, FLOAT64))
        return sums if code == FLOAT64 else engine.cast(sums, code)
    bits = wrap(engine.cast(weights, UINT64))
    total: Any = 0
    for low in range(0, 64, _PART):
        part = (bits >> low) & (2**_PART - 1)
        sums = engine.histogram_edges(expr, edges, engine.cast(part._expr, FLOAT64))
        total = (wrap(engine.cast(sums, UINT64)) << low) + total
    return engine.cast(expr_of(total), code)


def _even_edges(ends: tuple[Any, Any, int], code: int) -> np.ndarray[Any, Any]:
    low, high, bins = ends
    return np.linspace(low, high, bins + 1, dtype=np.float32 if code == FLOAT32 else np.float64)


def _edges(expr: engine.Expr, bins: Any, limits: Any) -> Any:
    """(low, high, bins) for equal bins, or an array of edges."""
    if isinstance(bins, str):
        first, last, _ = _edges(expr, 1, limits)
        return first, last, estimate(bins, wrap(engine.reshape(expr, (expr.size,))), first, last)
    if np.ndim(bins) == 0 and not (isinstance(bins, Array) and bins.ndim):
        try:
            number = operator.index(bins)
        except TypeError:
            raise TypeError("`bins` must be an integer, a string, or an array") from None
        if number < 1:
            raise ValueError("`bins` must be positive, when an integer")
        shape_of(number)
        if limits is None:
            low: Any
            high: Any
            if not expr.size:
                low, high = 0.0, 1.0
            else:
                scalar = np.float32 if expr.dtype == FLOAT32 else np.float64  # NumPy's edges are in the elements' type
                low = scalar(engine.reduce_all("min", expr, expr.dtype, True))
                high = scalar(engine.reduce_all("max", expr, expr.dtype, True))
            if not (math.isfinite(low) and math.isfinite(high)):
                raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
        else:
            low, high = (float(limit) for limit in limits)
            if low > high:
                raise ValueError("max must be larger than min in range parameter.")
            if not (math.isfinite(low) and math.isfinite(high)):
                raise ValueError(f"supplied range of [{low}, {high}] is not finite")
        if low == high:
            low, high = low - 0.5, high + 0.5
        return low, high, number
    edges = np.asarray(bins.to_numpy() if isinstance(bins, Array) else bins)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    if (edges[:-1] > edges[1:]).any():
        raise ValueError("`bins` must increase monotonically, when an array")
    code_of(edges.dtype)
    return edges


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: ArrayLike | None = None) -> ndarray:
    """The edges that `histogram` uses; weights, of the shape of `a`, do not change them.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.histogram_bin_edges(ak.array([0.0, 1.0]), bins=2)
    array([0. , 0.5, 1. ])
    """
    expr = expr_of(a)
    if weights is not None:
        if isinstance(bins, str):
            raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
        if as_array(weights).shape != expr.shape:
            raise ValueError("weights should have the same shape as a.")
    if expr.dtype == BOOL:
        expr = engine.cast(expr, code_of(np.uint8))
    edges = _edges(expr, bins, range)
    return wrap(expr_of(_even_edges(edges, expr.dtype) if isinstance(edges, tuple) else edges))


def bincount(x: Any, /, weights: ArrayLike | None = None, minlength: int = 0) -> ndarray:
    """Number of occurrences of each of 0, 1, 2, …, or the sum of their weights.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.bincount(ak.array([0, 2, 2]))
    array([1, 0, 2])
    """
    expr = expr_of(x)
    if expr.ndim != 1:
        raise ValueError(
            "object of too small depth for desired array" if expr.ndim == 0 else "object too deep for desired array"
        )
    if KIND_OF[expr.dtype] == "f":
        raise TypeError(
            f"Cannot cast array data from {DTYPE_OF[expr.dtype]!r} to dtype('int64') according to the rule 'safe'"
        )
    number = operator.index(minlength)
    if number < 0:
        raise ValueError("'minlength' must not be negative")
    shape_of(number)
    heavy = None
    if weights is not None:
        heavy = expr_of(weights)
        if heavy.shape != expr.shape:
            raise ValueError("The weights and list don't have the same length.")
        heavy = heavy if heavy.dtype == FLOAT64 else engine.cast(heavy, FLOAT64)
    expr = expr if expr.dtype == INT64 else engine.cast(expr, INT64)
    return wrap(engine.bincount(expr, number, heavy))


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Positions at which to insert values into a sorted 1-d array so that it stays sorted.

    Parameters
    ----------
    side : {'left', 'right'}
        Before or after equal elements.
    sorter : array_like of int, optional
        Positions that sort `a`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.searchsorted(ak.array([1, 3, 5]), [3, 4])
    array([1, 2])
    """
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    table = as_array(a)
    if table.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if table.ndim else "object of too small depth for desired array"
        )
    if sorter is not None:
        order = as_array(sorter)
        if order.size != table.size:
            raise ValueError("sorter.size does not match len(a)")
        table = table[order]
    if is_wide(v):  # before or behind all integers that there can be
        if table.dtype.kind in "biu":
            return np.int64(table.size if v > 0 else 0)
        v = float(v)
    x, y = table._read(), expr_of(v)
    weak = SCALAR_KIND.get(type(v), 0)
    code = result_code(x.dtype, weak if weak < 0 else y.dtype)
    if weak < 0 and KIND_OF[code] in "iu":
        code = result_code(x.dtype, y.dtype)
    x, y = (one if one.dtype == code else engine.cast(one, code) for one in (x, y))
    found = engine.searchsorted(x, y if y.ndim == 1 else engine.reshape(y, (y.size,)), side)
    if y.ndim == 0:
        return np.int64(found.item())
    return wrap(found if y.ndim == 1 else engine.reshape(found, y.shape))


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Any:
    """The bin of each element: 0 before the first edge, and so on.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.digitize(ak.array([0.5, 2.5]), [0, 1, 2])
    array([1, 3])
    """
    edges = np.asarray(bins.to_numpy() if isinstance(bins, Array) else bins)
    if edges.ndim != 1:
        raise ValueError("object too deep for desired array")
    code_of(edges.dtype)
    if (edges[:-1] <= edges[1:]).all():
        return searchsorted(edges, x, "left" if right else "right")
    if (edges[:-1] >= edges[1:]).all():
        return len(edges) - searchsorted(np.ascontiguousarray(edges[::-1]), x, "left" if right else "right")
    raise ValueError("bins must be monotonically increasing or decreasing")


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None) -> Any:
    """Piecewise linear interpolation through the points (xp, fp), xp ascending.

    Parameters
    ----------
    x : array_like
        Where to interpolate.
    xp, fp : array_like
        Coordinates of the points, real, and their values, real or complex.
    left, right : scalar, optional
        Values before the first point and behind the last; by default the first and the last value.
    period : float, optional
        Period of the points: x and xp are taken modulo it, xp need not ascend, left and right are ignored.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.interp(ak.array([0.5, 3.0]), [0, 1, 2], [0, 10, 20])
    array([ 5., 20.])
    >>> ak.interp(ak.array([-90.0, 450.0]), [0, 180], [0, 10], period=360)
    array([5., 5.])
    """
    points, heights, at = as_array(xp), as_array(fp), as_array(x)
    for array in (points, at):
        check_cast(array._expr.dtype, FLOAT64, "safe")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        if points.ndim != 1 or heights.ndim != 1:
            raise ValueError("Data points must be 1-D sequences")
        if points.shape != heights.shape:
            raise ValueError("fp and xp are not of the same length")
        period, left, right = abs(period), None, None
        at, points = at.astype(np.float64) % period, points.astype(np.float64) % period
        order = wrap(engine.argsort(points._read()))
        points, heights = points[order], heights[order]
        if points.size:
            points = _joined(points[-1:] - period, points, points[:1] + period)
            heights = _joined(heights[-1:], heights, heights[:1])
    if heights.dtype.kind == "c" or isinstance(left, complex) or isinstance(right, complex):
        values = heights.astype(np.complex128)
        ends = [None if one is None else complex(one) for one in (left, right)]
        re = _interpolated(at, points, values.real, *(None if one is None else one.real for one in ends))
        im = _interpolated(at, points, values.imag, *(None if one is None else one.imag for one in ends))
        value = re + im * 1j
    else:
        value = _interpolated(at, points, heights.astype(np.float64), left, right)
    return value if value.ndim else value.dtype.type(value.item())


def _joined(*parts: ndarray) -> ndarray:
    return wrap(engine.concatenate([part._read() for part in parts]))


def _interpolated(x: ndarray, points: ndarray, heights: ndarray, left: Any, right: Any) -> ndarray:
    """`interp` of real values."""
    if points.ndim != 1 or heights.ndim != 1:
        raise ValueError("object too deep for desired array")
    if points.shape != heights.shape:
        raise ValueError("fp and xp are not of the same length.")
    if not points.size:
        raise ValueError("array of sample points is empty")
    points, flat = points.astype(np.float64), x.astype(np.float64).reshape(-1)
    low = clip(searchsorted(points, flat, "right") - 1, 0, max(points.size - 2, 0))
    high = clip(low + 1, 0, points.size - 1)
    x0, x1, y0, y1 = points[low], points[high], heights[low], heights[high]
    value = choose(x1 > x0, y0 + (y1 - y0) / choose(x1 > x0, x1 - x0, 1.0) * (flat - x0), y0)
    value = choose(flat == x1, y1, value)
    value = choose(flat < points[0], heights[0] if left is None else float(left), value)
    value = choose(flat > points[-1], heights[-1] if right is None else float(right), value)
    return choose(isnan(flat), math.nan, value).reshape(x.shape)
