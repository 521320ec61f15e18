# SPDX-License-Identifier: Apache-2.0
"""Averages, spread, quantiles, histograms, and look-up in sorted tables."""

from __future__ import annotations

import math
import operator
import warnings
from sys import getrefcount
from typing import Any

import numpy as np

from . import _core
from ._array import expr_of, ndarray, require_out, wrap
from ._dtypes import (
    BOOL,
    DTYPE_OF,
    FLOAT32,
    FLOAT64,
    INT64,
    KIND_OF,
    SCALAR_KIND,
    SCALAR_OF,
    UINT64,
    DTypeLike,
    code_of,
    result_code,
)
from ._reductions import axes_of, reduce
from ._views import FUNCTION_TEMPORARY


def _as_array(a: Any) -> ndarray:
    return a if type(a) is ndarray else wrap(expr_of(a))


def _finish(result: Any, out: Any) -> Any:
    if out is None:
        return result
    target = require_out(out)
    target[...] = result
    return target


def _count(expr: _core.Expr, axis: Any, where: Any, keepdims: bool) -> Any:
    """How many elements go into each result."""
    if where is True:
        axes = axes_of(axis, expr.ndim)
        return expr.size if axes is None else math.prod(expr.shape[place] for place in axes)
    from ._manipulation import broadcast_to

    mask = broadcast_to(_as_array(where).astype(bool), expr.shape)
    return reduce("count_nonzero", mask, axis, None, None, keepdims, None, True, False)


# -- mean and spread --


def mean_of(a: Any, axis: Any, dtype: DTypeLike, out: Any, keepdims: bool, where: Any, keep: bool) -> Any:
    """The mean; `keep` as for `reduce`."""
    expr = a._expr if type(a) is ndarray and a._view is None else expr_of(a)
    code = expr.dtype
    result = (code if code >= FLOAT32 else FLOAT64) if dtype is None else code_of(dtype)
    # float32 sums in float64: exact to the last bit of the result however long the array is.
    wide = FLOAT64 if result == FLOAT32 else result
    if axis is None and where is True and out is None and not keepdims:
        size = expr.size
        if size:
            total = _core.reduce_all("sum", expr, wide, keep)
            return SCALAR_OF[result](total / size if wide == FLOAT64 else int(total / size))
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=3)
        return SCALAR_OF[result](math.nan)
    total = reduce("sum", a, axis, DTYPE_OF[wide], None, keepdims, None, where, keep)
    number = _count(expr, axis, where, keepdims)
    return _finish(_divide(total, number, result), out)


def _divide(total: Any, number: Any, code: int) -> Any:
    """total / number in the type of `code`."""
    if type(number) is not ndarray and number == 0:
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=4)
    with np.errstate(all="ignore"):
        quotient = total / number
    return quotient.astype(DTYPE_OF[code]) if quotient.dtype != DTYPE_OF[code] else quotient


def mean(
    a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Any:
    """Arithmetic mean of all elements or along axes.

    Parameters
    ----------
    a : array_like
        Elements; integers and bools are averaged in float64.
    axis : int or tuple of int, optional
        Axes to average over.
    dtype, out, keepdims, where
        As for `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.mean(ak.arange(4))
    np.float64(1.5)
    """
    return mean_of(a, axis, dtype, out, keepdims, where, getrefcount(a) > FUNCTION_TEMPORARY)


def var(
    a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, ddof: float = 0, keepdims: bool = False,
    *, where: Any = True, mean: Any = None, correction: float | None = None,
) -> Any:  # fmt: skip
    """Variance: the mean of squared distances from the mean.

    Parameters
    ----------
    ddof : float
        The sum of squares is divided by the number of elements minus `ddof`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.var(ak.arange(4))
    np.float64(1.25)
    """
    array = _as_array(a)
    code = array._expr.dtype
    result = (code if code >= FLOAT32 else FLOAT64) if dtype is None else code_of(dtype)
    delta = ddof if correction is None else correction
    values = array.astype(np.float64, copy=False)
    number = _count(array._expr, axis, where, keepdims)
    if mean is None:
        if type(number) is not ndarray and number == 0:
            warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=2)
            centre: Any = math.nan
        elif axis is None:
            centre = float(mean_of(values, None, None, None, False, where, True))
        else:
            centre = mean_of(values, axis, None, None, True, where, True)
    else:
        centre = mean
    distance = values - centre
    total = reduce("sum", distance * distance, axis, None, None, keepdims, None, where, False)
    if type(number) is not ndarray:
        if number and number - delta <= 0:
            warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=2)
        divisor: Any = np.float64(max(number - delta, 0))
    else:
        divisor = number - delta
    with np.errstate(all="ignore"):
        answer = total / divisor
    return _finish(answer.astype(DTYPE_OF[result]) if result != FLOAT64 else answer, out)


def std(
    a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, ddof: float = 0, keepdims: bool = False,
    *, where: Any = True, mean: Any = None, correction: float | None = None,
) -> Any:  # fmt: skip
    """Standard deviation: the square root of `var`, with its parameters.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.std(ak.array([1.0, 3.0]))
    np.float64(1.0)
    """
    array = _as_array(a)
    code = array._expr.dtype
    result = (code if code >= FLOAT32 else FLOAT64) if dtype is None else code_of(dtype)
    spread = _sqrt(var(array, axis, np.float64, None, ddof, keepdims, where=where, mean=mean, correction=correction))
    return _finish(spread.astype(DTYPE_OF[result]) if result != FLOAT64 else spread, out)


def _sqrt(x: Any) -> Any:
    from ._ufuncs import sqrt

    return sqrt(x) if type(x) is ndarray else np.sqrt(x)


def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Greatest minus least element.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ptp(ak.array([3, 8, 5]))
    np.int64(5)
    """
    high = reduce("max", a, axis, None, None, keepdims, None, True, True)
    with np.errstate(all="ignore"):
        return _finish(high - reduce("min", a, axis, None, None, keepdims, None, True, True), out)


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """Weighted mean: sum of products over sum of weights.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.average(ak.array([1.0, 3.0]), weights=[3, 1])
    np.float64(1.5)
    """
    array = _as_array(a)
    if weights is None:
        result = mean(array, axis, keepdims=keepdims)
        number = np.float64(_count(array._expr, axis, True, keepdims))
        return (result, number if type(result) is not ndarray else result * 0 + number) if returned else result
    scale = _as_array(weights)
    if scale.shape != array.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = axes_of(axis, array.ndim)
        if axes is None or scale.shape != tuple(array.shape[place] for place in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        scale = scale.reshape([n if place in axes else 1 for place, n in enumerate(array.shape)])
    if array._expr.dtype < FLOAT32 and scale._expr.dtype < FLOAT32:
        scale = scale.astype(np.float64)
    total = reduce(
        "sum", scale + array * 0 if scale.shape != array.shape else scale, axis, None, None, keepdims, None, True, True
    )
    zero = bool((total == 0).any()) if type(total) is ndarray else total == 0
    if zero:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    result = reduce("sum", array * scale, axis, None, None, keepdims, None, True, False) / total
    return (result, total) if returned else result


# -- NaN forms --


def _nan_mask(a: Any) -> tuple[ndarray, Any]:
    from ._ufuncs import isnan

    array = _as_array(a)
    return array, True if array._expr.dtype < FLOAT32 else ~isnan(array)


def nanmean(a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, keepdims: bool = False) -> Any:
    """Mean of the elements that are not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanmean(ak.array([1.0, float("nan"), 3.0]))
    np.float64(2.0)
    """
    array, valid = _nan_mask(a)
    return mean(array, axis, dtype, out, keepdims, where=valid)


def nanvar(
    a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, ddof: float = 0, keepdims: bool = False
) -> Any:
    """Variance of the elements that are not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanvar(ak.array([1.0, float("nan"), 3.0]))
    np.float64(1.0)
    """
    array, valid = _nan_mask(a)
    return var(array, axis, dtype, out, ddof, keepdims, where=valid)


def nanstd(
    a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, ddof: float = 0, keepdims: bool = False
) -> Any:
    """Standard deviation of the elements that are not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanstd(ak.array([1.0, float("nan"), 3.0]))
    np.float64(1.0)
    """
    array, valid = _nan_mask(a)
    return std(array, axis, dtype, out, ddof, keepdims, where=valid)


# -- quantiles --

#: method -> (alpha, beta) of the family that interpolates, or how to pick one of the neighbours.
_CONTINUOUS: dict[str, tuple[float, float]] = {
    "linear": (1.0, 1.0),
    "weibull": (0.0, 0.0),
    "hazen": (0.5, 0.5),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
    "interpolated_inverted_cdf": (0.0, 1.0),
}
_PICKING = ("lower", "higher", "nearest", "midpoint", "middle")


def _positions(count: np.ndarray[Any, Any], q: np.ndarray[Any, Any], method: str) -> tuple[Any, Any, Any]:
    """Positions of the two neighbours in sorted data of `count` elements, and the weight of the second."""
    if method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        virtual = (count - 1) * q if method == "linear" else count * q + (alpha + q * (1 - alpha - beta)) - 1
    elif method in _PICKING:
        virtual = (count - 1) * q
        if method == "nearest":
            virtual = np.rint(virtual)
        elif method == "lower":
            virtual = np.floor(virtual)
        elif method == "higher":
            virtual = np.ceil(virtual)
        else:  # midpoint, middle
            virtual = 0.5 * (np.floor(virtual) + np.ceil(virtual))
    else:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {[*_CONTINUOUS, *_PICKING[:-1]]}")
    virtual = np.clip(virtual, 0, np.maximum(count - 1, 0))
    low = np.floor(virtual)
    return low.astype(np.int64), np.minimum(low + 1, np.maximum(count - 1, 0)).astype(np.int64), virtual - low


def _lerp(low: Any, high: Any, weight: Any) -> Any:
    """Between two neighbours, from the nearer one, so that equal neighbours give themselves."""
    with np.errstate(all="ignore"):
        distance = high - low
        near_high = high - distance * (1 - weight)
        return np.where(weight >= 0.5, near_high, low + distance * weight)


def _quantile(a: Any, q: Any, axis: Any, keepdims: bool, method: str, skip_nan: bool) -> Any:
    array = _as_array(a)
    wanted = np.asarray(q.to_numpy() if type(q) is ndarray else q, dtype=np.float64)
    axes = axes_of(axis, array.ndim)
    others = [] if axes is None else [place for place in range(array.ndim) if place not in axes]
    kept = tuple(1 if axes is None or place in axes else n for place, n in enumerate(array.shape))
    code = array._expr.dtype
    floating = code >= FLOAT32
    number = array.size if axes is None else math.prod(array.shape[place] for place in axes)
    if others:  # rows of what is reduced
        moved = array.transpose(*others, *(axes or ())).reshape(-1, number)
    else:
        moved = array.reshape(1, -1)
    if number == 0:
        raise IndexError("quantile of an empty array: index -1 is out of bounds for axis 0 with size 0")
    ordered = wrap(_core.sort(moved._read() if others else moved.reshape(-1)._read())).reshape(-1)
    rows = moved.shape[0]
    valid = np.full(rows, number, dtype=np.int64)
    has_nan = np.zeros(rows, dtype=bool)
    if floating:
        nans = (ordered != ordered).reshape(rows, number).sum(axis=1).to_numpy()
        has_nan = (valid == nans) if skip_nan else nans > 0
        valid = np.maximum(valid - nans, 1) if skip_nan else valid
    low, high, weight = _positions(valid[None, :], wanted.reshape(-1, 1), method)
    offset = np.arange(rows, dtype=np.int64)[None, :] * number
    first = ordered[(low + offset).reshape(-1)].to_numpy().reshape(low.shape)
    if method in ("lower", "higher", "nearest"):
        values = first
    else:
        second = ordered[(high + offset).reshape(-1)].to_numpy().reshape(low.shape)
        if not floating:
            first, second = first.astype(np.float64), second.astype(np.float64)
        if method == "middle":  # as the median: the mean of both, in their type
            with np.errstate(all="ignore"):
                values = np.where(weight > 0, (first + second) / first.dtype.type(2), first)
        else:
            # One fraction: in the elements' type; several: in that of the fractions, as NumPy.
            values = _lerp(first, second, weight.astype(first.dtype) if np.ndim(q) == 0 else weight)
    if has_nan.any():
        values = np.where(has_nan[None, :], values.dtype.type(math.nan), values)
    rest = kept if keepdims else tuple(array.shape[place] for place in others)
    shape = wanted.shape + rest
    if not shape:
        return values.reshape(-1)[0]
    return wrap(expr_of(values.reshape(shape)))


def quantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Values below which the fractions `q` of the elements lie.

    Parameters
    ----------
    a : array_like
        Elements; NaN when one of them is NaN.
    q : float or array_like of float
        Between 0 and 1.
    axis : int or tuple of int, optional
        Axes to look along; all by default.
    method : str
        How to choose between two elements: 'linear', 'lower', 'higher', 'nearest', 'midpoint', 'hazen', 'weibull',
        'median_unbiased', 'normal_unbiased', 'interpolated_inverted_cdf'.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.quantile(ak.arange(5), [0.25, 0.5])
    array([1., 2.])
    """
    _check_fractions(q, 1.0, "Quantiles must be in the range [0, 1]")
    return _finish(_quantile(a, q, axis, keepdims, method, False), out)


def percentile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """As `quantile` with `q` from 0 to 100.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.percentile(ak.arange(5), 50)
    np.float64(2.0)
    """
    _check_fractions(q, 100.0, "Percentiles must be in the range [0, 100]")
    return _finish(_quantile(a, _hundredth(q), axis, keepdims, method, False), out)


def nanquantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """As `quantile` of the elements that are not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanquantile(ak.array([1.0, float("nan"), 3.0]), 0.5)
    np.float64(2.0)
    """
    _check_fractions(q, 1.0, "Quantiles must be in the range [0, 1]")
    return _finish(_quantile(a, q, axis, keepdims, method, True), out)


def nanpercentile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """As `percentile` of the elements that are not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanpercentile(ak.array([1.0, float("nan"), 3.0]), 50)
    np.float64(2.0)
    """
    _check_fractions(q, 100.0, "Percentiles must be in the range [0, 100]")
    return _finish(_quantile(a, _hundredth(q), axis, keepdims, method, True), out)


def _hundredth(q: Any) -> Any:
    return np.true_divide(q.to_numpy() if type(q) is ndarray else q, 100.0)


def _check_fractions(q: Any, greatest: float, message: str) -> None:
    values = np.asarray(q.to_numpy() if type(q) is ndarray else q, dtype=np.float64)
    if not ((values >= 0) & (values <= greatest)).all():
        raise ValueError(message)


def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """The middle element, or the mean of the two in the middle; NaN when one is NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.median(ak.array([3, 1, 10]))
    np.float64(3.0)
    """
    return _median(a, axis, out, keepdims, False)


def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """The median of the elements that are not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanmedian(ak.array([3.0, float("nan"), 10.0]))
    np.float64(6.5)
    """
    return _median(a, axis, out, keepdims, True)


def _median(a: Any, axis: Any, out: Any, keepdims: bool, skip_nan: bool) -> Any:
    array = _as_array(a)
    if array.size == 0:
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=3)
        return mean(array * 1.0, axis, keepdims=keepdims) if axis is not None else np.float64(math.nan)
    result = _quantile(array, 0.5, axis, keepdims, "middle", skip_nan)
    return _finish(result, out)


# -- histograms and tables --


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> tuple[Any, ndarray]:
    """How many elements fall into each bin.

    Parameters
    ----------
    a : array_like
        Elements; those outside the bins, and NaN, are not counted.
    bins : int or array_like
        Number of equal bins, or their edges in ascending order; the last bin includes its upper edge.
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
        expr = _core.reshape(expr, (expr.size,))
    if expr.dtype == BOOL:
        expr = _core.cast(expr, code_of(np.uint8))
    heavy = None if weights is None else expr_of(weights)
    if heavy is not None:
        if heavy.size != expr.size:
            raise ValueError("weights should have the same shape as a.")
        heavy = _core.reshape(heavy, (heavy.size,)) if heavy.ndim != 1 else heavy
        weight_type = heavy.dtype
        heavy = heavy if heavy.dtype == FLOAT64 else _core.cast(heavy, FLOAT64)
    edges = _edges(expr, bins, range)
    if heavy is None and isinstance(edges, tuple):
        counts = _core.histogram(expr, float(edges[0]), float(edges[1]), edges[2])
        edges = _even_edges(edges, expr.dtype)
    else:
        if isinstance(edges, tuple):
            edges = _even_edges(edges, expr.dtype)
        session = expr.session
        counts = _core.histogram_edges(expr, _core.from_numpy(session, np.asarray(edges, np.float64), True), heavy)
        if heavy is not None and weight_type != FLOAT64:
            counts = _core.cast(counts, weight_type)
    result = wrap(counts)
    if density:
        result = result / np.diff(edges) / result.sum()
    return result, wrap(_core.from_numpy(expr.session, np.ascontiguousarray(edges), True))


def _even_edges(ends: tuple[Any, Any, int], code: int) -> np.ndarray[Any, Any]:
    low, high, bins = ends
    return np.linspace(low, high, bins + 1, dtype=np.float32 if code == FLOAT32 else np.float64)


def _edges(expr: _core.Expr, bins: Any, limits: Any) -> Any:
    """(low, high, bins) for equal bins, or an array of edges."""
    if isinstance(bins, str):
        raise TypeError(f"bins={bins!r} is not available; give a number of bins or their edges")
    if np.ndim(bins) == 0 and not (type(bins) is ndarray and bins.ndim):
        try:
            number = operator.index(bins)
        except TypeError:
            raise TypeError("`bins` must be an integer, a string, or an array") from None
        if number < 1:
            raise ValueError("`bins` must be positive, when an integer")
        if limits is None:
            low: Any
            high: Any
            if not expr.size:
                low, high = 0.0, 1.0
            else:
                scalar = np.float32 if expr.dtype == FLOAT32 else np.float64  # NumPy's edges are in the elements' type
                low = scalar(_core.reduce_all("min", expr, expr.dtype, True))
                high = scalar(_core.reduce_all("max", expr, expr.dtype, True))
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
    edges = np.asarray(bins.to_numpy() if type(bins) is ndarray else bins)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    if (edges[:-1] > edges[1:]).any():
        raise ValueError("`bins` must increase monotonically, when an array")
    code_of(edges.dtype)
    return edges


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> ndarray:
    """The edges that `histogram` uses.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.histogram_bin_edges(ak.array([0.0, 1.0]), bins=2)
    array([0. , 0.5, 1. ])
    """
    expr = expr_of(a)
    edges = _edges(expr, bins, range)
    return wrap(expr_of(_even_edges(edges, expr.dtype) if isinstance(edges, tuple) else edges))


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> ndarray:
    """How often each of 0, 1, 2, … occurs, or the sum of its weights.

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
    if KIND_OF[expr.dtype] == "f" or expr.dtype == UINT64:
        raise TypeError(
            f"Cannot cast array data from {DTYPE_OF[expr.dtype]!r} to dtype('int64') according to the rule 'safe'"
        )
    number = operator.index(minlength)
    if number < 0:
        raise ValueError("'minlength' must not be negative")
    heavy = None
    if weights is not None:
        heavy = expr_of(weights)
        if heavy.shape != expr.shape:
            raise ValueError("The weights and list don't have the same length.")
        heavy = heavy if heavy.dtype == FLOAT64 else _core.cast(heavy, FLOAT64)
    expr = expr if expr.dtype == INT64 else _core.cast(expr, INT64)
    return wrap(_core.bincount(expr, number, heavy))


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where to insert values into a sorted 1-d array so that it stays sorted.

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
    table = _as_array(a)
    if table.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if table.ndim else "object of too small depth for desired array"
        )
    if sorter is not None:
        order = _as_array(sorter)
        if order.size != table.size:
            raise ValueError("sorter.size does not match len(a)")
        table = table[order]
    x, y = table._read(), expr_of(v)
    weak = SCALAR_KIND.get(type(v), 0)
    code = result_code(x.dtype, weak if weak < 0 else y.dtype)
    if weak < 0 and KIND_OF[code] in "iu":
        code = result_code(x.dtype, y.dtype)
    x, y = (one if one.dtype == code else _core.cast(one, code) for one in (x, y))
    found = _core.searchsorted(x, y if y.ndim == 1 else _core.reshape(y, (y.size,)), side)
    if y.ndim == 0:
        return np.int64(found.item())
    return wrap(found if y.ndim == 1 else _core.reshape(found, y.shape))


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Which bin each element falls into: 0 before the first edge, and so on.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.digitize(ak.array([0.5, 2.5]), [0, 1, 2])
    array([1, 3])
    """
    edges = np.asarray(bins.to_numpy() if type(bins) is ndarray else bins)
    if edges.ndim != 1:
        raise ValueError("object too deep for desired array")
    code_of(edges.dtype)
    if (edges[:-1] <= edges[1:]).all():
        return searchsorted(edges, x, "left" if right else "right")
    if (edges[:-1] >= edges[1:]).all():
        return len(edges) - searchsorted(np.ascontiguousarray(edges[::-1]), x, "left" if right else "right")
    raise ValueError("bins must be monotonically increasing or decreasing")


def interp(x: Any, xp: Any, fp: Any, left: float | None = None, right: float | None = None) -> Any:
    """Piecewise linear interpolation through the points (xp, fp), xp ascending.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.interp(ak.array([0.5, 3.0]), [0, 1, 2], [0, 10, 20])
    array([ 5., 20.])
    """
    from ._ufuncs import clip, isnan, where

    points, heights = _as_array(xp).astype(np.float64), _as_array(fp).astype(np.float64)
    if points.ndim != 1 or points.shape != heights.shape:
        raise ValueError("fp and xp are not of the same length.")
    if not points.size:
        raise ValueError("array of sample points is empty")
    at = _as_array(x).astype(np.float64)
    flat = at.reshape(-1)
    low = clip(searchsorted(points, flat, "right") - 1, 0, max(points.size - 2, 0))
    high = clip(low + 1, 0, points.size - 1)
    x0, x1, y0, y1 = points[low], points[high], heights[low], heights[high]
    value = where(x1 > x0, y0 + (y1 - y0) / where(x1 > x0, x1 - x0, 1.0) * (flat - x0), y0)
    value = where(flat == x1, y1, value)
    value = where(flat < points[0], heights[0] if left is None else float(left), value)
    value = where(flat > points[-1], heights[-1] if right is None else float(right), value)
    value = where(isnan(flat), math.nan, value).reshape(at.shape)
    return value if value.ndim else np.float64(value.item())
