# SPDX-License-Identifier: Apache-2.0
"""Means, variances and ranges."""

from __future__ import annotations

import builtins
import math
import warnings
from sys import getrefcount
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, as_array, expr_of, require_out, wrap
from .composed import choose
from .dtypes import COMPLEX64, COMPLEX128, DTYPE_OF, FLOAT32, FLOAT64, SCALAR_OF, DTypeLike, code_of, result_code
from .manipulation import broadcast_to
from .reductions import axes_of, reduce
from .ufuncs import isnan, maximum, sqrt
from .views import FUNCTION_TEMPORARY

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Axis, Out
    from .ndarray import ndarray

__all__ = [
    "average",
    "mean",
    "nanmean",
    "nanstd",
    "nanvar",
    "ptp",
    "std",
    "var",
]


def _finish(result: Any, out: Out) -> Any:
    if out is None:
        return result
    target = require_out(out)
    target[...] = result
    return target


def _count(expr: engine.Expr, axis: Any, where: Any, keepdims: bool) -> Any:
    """How many elements go into each result."""
    if where is True:
        axes = axes_of(axis, expr.ndim)
        return expr.size if axes is None else math.prod(expr.shape[place] for place in axes)

    mask = broadcast_to(as_array(where).astype(bool), expr.shape)
    return reduce("count_nonzero", mask, axis, None, None, keepdims, None, True, False)


# -- mean and spread --


def mean_of(a: Any, axis: Axis, dtype: DTypeLike, out: Any, keepdims: bool, where: Any, keep: bool) -> Any:
    """The mean; `keep` as for `reduce`."""
    expr = a._expr if isinstance(a, Array) and a._view is None else expr_of(a)
    code = expr.dtype
    result = (code if code >= FLOAT32 else FLOAT64) if dtype is None else code_of(dtype)
    # float32 sums in float64: exact to the last bit of the result however long the array is.
    wide = {FLOAT32: FLOAT64, COMPLEX64: COMPLEX128}.get(result, result)
    if axis is None and where is True and out is None and not keepdims:
        size = expr.size
        if size:
            total = engine.reduce_all("sum", expr, wide, keep)
            return SCALAR_OF[result](total / size if wide >= FLOAT64 else int(total / size))
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=3)
        return SCALAR_OF[result](math.nan)
    total = reduce("sum", a, axis, DTYPE_OF[wide], None, keepdims, None, where, keep)
    number = _count(expr, axis, where, keepdims)
    return _finish(_divide(total, number, result), out)


def _divide(total: Any, number: Any, code: int) -> Any:
    """total / number in the type of `code`."""
    if not isinstance(number, Array) and number == 0:
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
    keep = getrefcount(a) > FUNCTION_TEMPORARY  # before a call holds it, too
    return mean_of(a, axis, dtype, out, keepdims, where, keep)


def freedom_lost(ddof: float, correction: float | None) -> float:
    """`ddof` or `correction`, whichever is given; ValueError when both are."""
    if correction is None:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def var(
    a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, ddof: float = 0, keepdims: bool = False,
    *, where: Any = True, mean: ArrayLike = None, correction: float | None = None,
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
    array = as_array(a)
    code = array._expr.dtype
    result = _real_code(code if code >= FLOAT32 else FLOAT64) if dtype is None else _real_code(code_of(dtype))
    delta = freedom_lost(ddof, correction)
    degrees = _degrees(array._expr, axis, where, keepdims, delta)
    wide = np.complex128 if code >= COMPLEX64 else np.float64
    if mean is None:
        centre: Any
        if array.size == 0:
            centre = math.nan
        elif axis is None:
            centre = mean_of(array, None, wide, None, False, where, True).item()
        else:
            centre = mean_of(array, axis, wide, None, True, where, True)
    else:
        centre = mean
    total = reduce("sum", _squared_distances(array, wide, centre), axis, None, None, keepdims, None, where, False)
    with np.errstate(all="ignore"):
        answer = total / degrees
    return _finish(answer.astype(DTYPE_OF[result]) if result != FLOAT64 else answer, out)


def _squared_distances(array: ndarray, wide: Any, centre: Any) -> Any:
    """Unevaluated. Nothing else holds its operands, which would be stored with it."""
    distance = array.astype(wide, copy=False) - centre
    return distance * distance if distance.dtype.kind != "c" else distance.real**2 + distance.imag**2


def _real_code(code: int) -> int:
    """The type of lengths of elements of a type."""
    return {COMPLEX64: FLOAT32, COMPLEX128: FLOAT64}.get(code, code)


def _degrees(expr: engine.Expr, axis: Axis, where: Any, keepdims: bool, delta: float) -> Any:
    """Degrees of freedom of each result, 0 where there are none."""
    number = _count(expr, axis, where, keepdims)
    if isinstance(number, Array):
        return maximum(as_array(number).astype(np.float64) - delta, 0.0)
    if number - delta <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=3)
    return np.float64(builtins.max(number - delta, 0))


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
    array = as_array(a)
    code = array._expr.dtype
    result = _real_code(code if code >= FLOAT32 else FLOAT64) if dtype is None else _real_code(code_of(dtype))
    spread = _sqrt(var(array, axis, np.float64, None, ddof, keepdims, where=where, mean=mean, correction=correction))
    return _finish(spread.astype(DTYPE_OF[result]) if result != FLOAT64 else spread, out)


def _sqrt(x: Any) -> Any:
    return sqrt(x) if isinstance(x, Array) else np.sqrt(x)


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


def average(
    a: Any, axis: Any = None, weights: ArrayLike | None = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """Weighted mean: sum of products over sum of weights.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.average(ak.array([1.0, 3.0]), weights=[3, 1])
    np.float64(1.5)
    """
    array = as_array(a)
    axes_of(axis, array.ndim)
    if weights is None:
        result = mean(array, axis, keepdims=keepdims)
        number = result.dtype.type(array.size / result.size)
        return (result, number if isinstance(result, np.generic) else result * 0 + number) if returned else result
    scale = as_array(weights)
    if scale.shape != array.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = axes_of(axis, array.ndim)
        if axes is None or scale.shape != tuple(array.shape[place] for place in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        scale = scale.reshape([n if place in axes else 1 for place, n in enumerate(array.shape)])
    code = result_code(array._expr.dtype, scale._expr.dtype)
    wide = DTYPE_OF[FLOAT64 if array._expr.dtype < FLOAT32 else code]  # as NumPy: integers are averaged in float64
    scale = scale.astype(wide, copy=False)
    spread = wrap(engine.broadcast_to(scale._read(), array.shape)) if scale.shape != array.shape else scale
    total = reduce("sum", spread, axis, None, None, keepdims, None, True, True)
    if bool((total == 0).any()):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    result = (
        reduce("sum", array.astype(wide, copy=False) * scale, axis, None, None, keepdims, None, True, False) / total
    )
    return (result, total) if returned else result


# -- NaN forms --


def _nan_mask(a: ArrayLike, where: ArrayLike) -> tuple[ndarray, Any]:
    """The array, and a mask of its elements that are not NaN."""
    array = as_array(a)
    if array._expr.dtype < FLOAT32:
        return array, where
    return array, ~isnan(array) if where is True else ~isnan(array) & as_array(where).astype(bool)


def nanmean(a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, keepdims: bool = False,
            *, where: Any = True) -> Any:  # fmt: skip
    """Mean of the elements that are not NaN; parameters as `mean`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanmean(ak.array([1.0, float("nan"), 3.0]))
    np.float64(2.0)
    """
    array, valid = _nan_mask(a, where)
    return mean(array, axis, dtype, out, keepdims, where=valid)


def nanvar(
    a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, ddof: float = 0, keepdims: bool = False,
    *, where: Any = True, mean: Any = None, correction: float | None = None,
) -> Any:  # fmt: skip
    """Variance of the elements that are not NaN, NaN where no degrees of freedom are left; parameters as `var`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanvar(ak.array([1.0, float("nan"), 3.0]))
    np.float64(1.0)
    """
    return _nan_spread(var, a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def _nan_spread(
    spread: Any, a: ArrayLike, axis: Axis, dtype: DTypeLike, out: Out, ddof: float, keepdims: bool, where: ArrayLike,
    mean: ArrayLike,
    correction: float | None,
) -> Any:  # fmt: skip
    array, valid = _nan_mask(a, where)
    result = spread(array, axis, dtype, None, ddof, keepdims, where=valid, mean=mean, correction=correction)
    if array._expr.dtype >= FLOAT32:
        degrees = _degrees(array._expr, axis, valid, keepdims, freedom_lost(ddof, correction))
        if isinstance(result, Array):
            result = choose(degrees == 0, math.nan, result)
        elif degrees == 0:
            result = type(result)(math.nan)
    return _finish(result, out)


def nanstd(
    a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, ddof: float = 0, keepdims: bool = False,
    *, where: Any = True, mean: Any = None, correction: float | None = None,
) -> Any:  # fmt: skip
    """Standard deviation of the elements that are not NaN: the square root of `nanvar`, with its parameters.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanstd(ak.array([1.0, float("nan"), 3.0]))
    np.float64(1.0)
    """
    return _nan_spread(std, a, axis, dtype, out, ddof, keepdims, where, mean, correction)
