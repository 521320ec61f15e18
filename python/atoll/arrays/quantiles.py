# SPDX-License-Identifier: Apache-2.0
"""Medians and quantiles, from sorted data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, as_array, expr_of, wrap
from .composed import choose
from .dtypes import FLOAT32
from .joining import stack
from .manipulation import broadcast_to
from .reductions import axes_of
from .scans import cumsum
from .selection import take_along_axis
from .sorting import argsort
from .statistics import _finish, mean
from .ufuncs import isnan, minimum

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Axis
    from .ndarray import ndarray

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]

#: method -> (alpha, beta) of the interpolating family, or the rule that selects one of the neighbours.
_CONTINUOUS: dict[str, tuple[float, float]] = {
    "linear": (1.0, 1.0),
    "weibull": (0.0, 0.0),
    "hazen": (0.5, 0.5),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
    "interpolated_inverted_cdf": (0.0, 1.0),
}
_PICKING = ("lower", "higher", "nearest", "midpoint", "middle")
#: Methods that invert the empirical distribution: they select the element at which it reaches q.
_STEPS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation")
#: Up to so many elements a call costs more than its work.
_FEW = 1 << 14
_ONE_ELEMENT = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")


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
    elif method in _STEPS:
        virtual = count * q - 1 - (0.5 if method == "closest_observation" else 0)
        low, rest = np.floor(virtual), virtual - np.floor(virtual)
        if method == "averaged_inverted_cdf":
            virtual = low + np.where(rest == 0, 0.5, 1.0)
        else:
            exact = (rest == 0) & ((low % 2 == 1) | (method == "inverted_cdf"))
            virtual = np.where(exact, low, low + 1)
    else:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {[*_CONTINUOUS, *_STEPS, *_PICKING[:-1]]}")
    virtual = np.clip(virtual, 0, np.maximum(count - 1, 0))
    low = np.floor(virtual)
    return low.astype(np.int64), np.minimum(low + 1, np.maximum(count - 1, 0)).astype(np.int64), virtual - low


def _lerp(low: Any, high: Any, weight: Any) -> Any:
    """Interpolates between two neighbours, from the nearer one, so that equal neighbours give exactly their value."""
    with np.errstate(all="ignore"):
        distance = high - low
        near_high = high - distance * (1 - weight)
        return np.where(weight >= 0.5, near_high, low + distance * weight)


def _quantile(
    a: ArrayLike, q: Any, axis: Axis, keepdims: bool, method: str, skip_nan: bool, weights: ArrayLike = None
) -> Any:
    array = as_array(a)
    if array.dtype.kind == "c" and method != "middle":
        raise TypeError("a must be an array of real numbers")
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
        return _weighted(array, q, axis, keepdims, skip_nan, _spread(as_array(weights), array, axis))
    if skip_nan and array.size == 0:  # as NumPy, whatever the fractions are
        return mean(array, axis, keepdims=keepdims)
    wanted = np.asarray(q.to_numpy() if isinstance(q, Array) else q, dtype=np.float64)
    axes = axes_of(axis, array.ndim)
    others = [] if axes is None else [place for place in range(array.ndim) if place not in axes]
    kept = tuple(1 if axes is None or place in axes else n for place, n in enumerate(array.shape))
    code = array._expr.dtype
    floating = code >= FLOAT32
    number = array.size if axes is None else math.prod(array.shape[place] for place in axes)
    if others:  # one row per reduced group
        moved = array.transpose(*others, *(axes or ())).reshape(-1, number)
    else:
        moved = array.reshape(1, -1)
    if number == 0:
        raise IndexError("quantile of an empty array: index -1 is out of bounds for axis 0 with size 0")
    rows = moved.shape[0]
    ordered = _ordered(moved)
    valid = np.full(rows, number, dtype=np.int64)
    has_nan = np.zeros(rows, dtype=bool)
    if floating:
        nans = _host((ordered != ordered).reshape(rows, number).sum(axis=1))
        has_nan = (valid == nans) if skip_nan else nans > 0
        valid = np.maximum(valid - nans, 1) if skip_nan else valid
    low, high, weight = _positions(valid[None, :], wanted.reshape(-1, 1), method)
    offset = np.arange(rows, dtype=np.int64)[None, :] * number
    first = _host(ordered[(low + offset).reshape(-1)]).reshape(low.shape)
    if method in _ONE_ELEMENT:
        values = first
    else:
        second = _host(ordered[(high + offset).reshape(-1)]).reshape(low.shape)
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


def _ordered(rows: ndarray) -> Any:
    """Each row sorted, all of them as one axis: few elements by NumPy, whose calls cost a fifth of ours."""
    if rows.size <= _FEW:
        return np.sort(rows.to_numpy(None), axis=1).reshape(-1)
    return wrap(engine.sort(rows._read() if rows.shape[0] > 1 else rows.reshape(-1)._read())).reshape(-1)


def _host(values: ArrayLike) -> Any:
    return values.to_numpy() if isinstance(values, Array) else values


def _spread(weights: ndarray, array: ndarray, axis: Axis) -> ndarray:
    """The weights in the shape of the array."""
    if weights.shape != array.shape:
        axes = axes_of(axis, array.ndim)
        if axes is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.shape != tuple(array.shape[place] for place in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        weights = weights.reshape([n if place in axes else 1 for place, n in enumerate(array.shape)])
    if bool((weights < 0).any()):
        raise ValueError("Weights must be non-negative.")
    return broadcast_to(weights.astype(np.float64), array.shape)


def _weighted(array: ndarray, q: ArrayLike, axis: Axis, keepdims: bool, skip_nan: bool, weights: ndarray) -> Any:
    """The first of the sorted elements at which the sum of weights reaches the fraction."""
    wanted = np.asarray(q.to_numpy() if isinstance(q, Array) else q, dtype=np.float64)
    axes = axes_of(axis, array.ndim)
    reduced = list(range(array.ndim)) if axes is None else axes
    others = [place for place in range(array.ndim) if place not in reduced]
    number = math.prod(array.shape[place] for place in reduced)
    values, heavy = (one.transpose(*others, *reduced).reshape(-1, number) for one in (array, weights))
    floating = array._expr.dtype >= FLOAT32
    nans = isnan(values) if floating else None
    if nans is not None and skip_nan:
        heavy = choose(nans, 0.0, heavy)
    order = argsort(values, 1)
    ordered, share = take_along_axis(values, order, 1), cumsum(take_along_axis(heavy, order, 1), 1)
    share = share / share[:, -1:]
    if bool((wanted == 0).any()):
        share = choose(share == 0, -1.0, share)
    found = []
    for fraction in wanted.reshape(-1).tolist():
        place = minimum((share < fraction).sum(axis=1), number - 1)
        value = take_along_axis(ordered, place.reshape(-1, 1), 1).reshape(-1)
        lost = None if nans is None else (nans.all(axis=1) if skip_nan else nans.any(axis=1))
        found.append(value if lost is None else choose(lost, math.nan, value))
    kept = tuple(1 if place in reduced else n for place, n in enumerate(array.shape))
    rest = kept if keepdims else tuple(array.shape[place] for place in others)
    result = stack(found).reshape(wanted.shape + rest)
    return result if result.ndim else result.dtype.type(result.item())


def quantile(
    a: Any, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: ArrayLike | None = None,
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
        How to choose between two elements, by NumPy's names: 'linear', 'lower', 'higher', 'nearest', 'midpoint',
        'inverted_cdf', 'averaged_inverted_cdf', 'closest_observation', 'interpolated_inverted_cdf', 'hazen', 'weibull',
        'median_unbiased', 'normal_unbiased'.
    weights : array_like, optional
        Weight of each element, in the shape of `a` or of the reduced axes; only for 'inverted_cdf'.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.quantile(ak.arange(5), [0.25, 0.5])
    array([1., 2.])
    """
    _check_fractions(q, 1.0, "Quantiles must be in the range [0, 1]")
    return _finish(_quantile(a, q, axis, keepdims, method, False, weights), out)


def percentile(
    a: Any, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: ArrayLike | None = None,
) -> Any:  # fmt: skip
    """As `quantile` with `q` from 0 to 100.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.percentile(ak.arange(5), 50)
    np.float64(2.0)
    """
    _check_fractions(q, 100.0, "Percentiles must be in the range [0, 100]")
    return _finish(_quantile(a, _hundredth(q), axis, keepdims, method, False, weights), out)


def nanquantile(
    a: Any, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: ArrayLike | None = None,
) -> Any:  # fmt: skip
    """As `quantile` of the elements that are not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanquantile(ak.array([1.0, float("nan"), 3.0]), 0.5)
    np.float64(2.0)
    """
    _check_fractions(q, 1.0, "Quantiles must be in the range [0, 1]")
    return _finish(_quantile(a, q, axis, keepdims, method, True, weights), out)


def nanpercentile(
    a: Any, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: ArrayLike | None = None,
) -> Any:  # fmt: skip
    """As `percentile` of the elements that are not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanpercentile(ak.array([1.0, float("nan"), 3.0]), 50)
    np.float64(2.0)
    """
    _check_fractions(q, 100.0, "Percentiles must be in the range [0, 100]")
    return _finish(_quantile(a, _hundredth(q), axis, keepdims, method, True, weights), out)


def _hundredth(q: Any) -> Any:
    return np.true_divide(q.to_numpy() if isinstance(q, Array) else q, 100.0)


def _check_fractions(q: ArrayLike, greatest: float, message: str) -> None:
    values = np.asarray(q.to_numpy() if isinstance(q, Array) else q, dtype=np.float64)
    if not ((values >= 0) & (values <= greatest)).all():
        raise ValueError(message)


def median(a: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """The middle element, or the mean of the two in the middle; NaN when one is NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.median(ak.array([3, 1, 10]))
    np.float64(3.0)
    """
    return _median(a, axis, out, keepdims, False)


def nanmedian(a: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """The median of the elements that are not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanmedian(ak.array([3.0, float("nan"), 10.0]))
    np.float64(6.5)
    """
    return _median(a, axis, out, keepdims, True)


def _median(a: ArrayLike, axis: Axis, out: Any, keepdims: bool, skip_nan: bool) -> Any:
    array = as_array(a)
    if array.size == 0:
        return _finish(mean(array, axis, keepdims=keepdims), out)
    result = _quantile(array, 0.5, axis, keepdims, "middle", skip_nan)
    return _finish(result, out)
