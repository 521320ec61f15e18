# SPDX-License-Identifier: Apache-2.0
"""Reductions, of the whole array to a NumPy scalar or along axes."""

from __future__ import annotations

import math
import operator
from sys import getrefcount
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, as_array, expr_of, require_out, wrap
from .composed import choose
from .dtypes import BOOL, COMPLEX64, FLOAT32, INT64, KIND_OF, SCALAR_OF, UINT64, DTypeLike, code_of, fit_scalar
from .elementwise import check_output
from .ufuncs import isnan
from .views import FUNCTION_TEMPORARY

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Axes, Axis, Out
    from .ndarray import ndarray

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "min",
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmin",
    "nanprod",
    "nansum",
    "prod",
    "sum",
]


#: Accumulator of sum and prod, by the elements' type: integers grow to 64 bits, as in NumPy.
WIDE = [{"b": INT64, "i": INT64, "u": UINT64}.get(kind, code) for code, kind in enumerate(KIND_OF)]
#: kind -> result type by the elements' type (None: as the elements).
_RESULT: dict[str, list[int] | None] = {
    "sum": WIDE,
    "prod": WIDE,
    "min": None,
    "max": None,
    "any": [BOOL] * len(KIND_OF),
    "all": [BOOL] * len(KIND_OF),
    "count_nonzero": [INT64] * len(KIND_OF),
}
_UFUNC = {
    "sum": "add",
    "prod": "multiply",
    "min": "minimum",
    "max": "maximum",
    "any": "logical_or",
    "all": "logical_and",
}
_IDENTITY: dict[str, Any] = {"sum": 0, "prod": 1, "any": False, "all": True, "count_nonzero": 0}


def axes_of(axis: Any, ndim: int) -> list[int] | None:
    """Sorted, non-negative axes; None for all of them."""
    if axis is None:
        return None
    try:
        given = [operator.index(axis)]
    except TypeError:
        given = [operator.index(one) for one in axis]
    found = []
    for number in given:
        if not -ndim <= number < ndim:
            raise np.exceptions.AxisError(number, ndim)
        found.append(number + ndim if number < 0 else number)
    if len(set(found)) != len(found):
        raise ValueError("duplicate value in 'axis'")
    return sorted(found)


def axis_of_scalar(axis: Axes, ndim: int) -> Any:
    """`axis`, or None when it names the axis that NumPy's reductions and scans let scalars have."""
    only = axis[0] if isinstance(axis, (tuple, list)) and len(axis) == 1 else axis
    return None if ndim == 0 and type(only) is not bool and only in (0, -1) else axis


def _kept_shape(shape: tuple[int, ...], axes: list[int] | None) -> tuple[int, ...]:
    return tuple(1 if axes is None or axis in axes else length for axis, length in enumerate(shape))


def reduce(
    kind: str, a: Any, axis: Any, dtype: DTypeLike, out: Any, keepdims: bool, initial: Any, where: Any, keep: bool
) -> Any:
    """Reduces `a`; `keep`: a lazy `a` will be used again, so the pass also stores it."""
    expr = a._expr if isinstance(a, Array) and a._view is None else expr_of(a)
    code = expr.dtype
    results = _RESULT[kind]
    result = (code if results is None else results[code]) if dtype is None else code_of(dtype)
    if where is not True or initial is not None:
        expr, keep = _masked(kind, expr, where, initial, result), False
    truth = kind in ("any", "all", "count_nonzero")  # of elements of any type
    wide = result if not truth else expr.dtype if expr.dtype < COMPLEX64 else BOOL  # what the elements are cast to
    axis = axis_of_scalar(axis, expr.ndim)
    if expr.size == 0 and initial is not None and kind in ("min", "max"):
        return _initial_alone(expr, axes_of(axis, expr.ndim), initial, result, keepdims, out)
    if axis is None and not keepdims:
        value = engine.reduce_all(kind, expr, wide, keep)
        if initial is not None:
            value = _with_initial(kind, value, initial, result)
        if out is None:
            return SCALAR_OF[result](value)
        return into(out, engine.scalar(expr.session, value, result), kind, code)
    axes = axes_of(axis, expr.ndim)
    if axes is None or len(axes) == expr.ndim:
        value = engine.reduce_all(kind, expr, wide, keep)
        answer = engine.full(expr.session, _kept_shape(expr.shape, None) if keepdims else (), result, value)
    elif not axes:
        answer = engine.cast(engine.cast(expr, BOOL) if truth else expr, result)
    else:
        if kind in ("min", "max") and any_zero(expr.shape, axes):
            raise ValueError(
                f"zero-size array to reduction operation {_UFUNC[kind]} which has no identity; give initial="
            )
        answer = engine.reduce_axes(kind, expr, axes, wide, keep)
        if keepdims:
            answer = engine.reshape(answer, _kept_shape(expr.shape, axes))
    if initial is not None:
        first = engine.scalar(expr.session, fit_scalar(initial, result), result)
        answer = engine.apply(engine.OPS[_UFUNC[kind]], result, result, (answer, first))
    if out is not None:
        return into(out, answer, kind, code)
    return wrap(answer) if answer.ndim else SCALAR_OF[result](answer.item())


def _initial_alone(
    expr: engine.Expr, axes: list[int] | None, initial: ArrayLike, code: int, keepdims: bool, out: Out
) -> Any:
    """A reduction of no elements, which is its initial value."""
    kept = _kept_shape(expr.shape, axes)
    shape = kept if keepdims else tuple(n for axis, n in enumerate(kept) if axes is not None and axis not in axes)
    answer = engine.full(expr.session, shape, code, fit_scalar(initial, code))
    if out is not None:
        return into(out, answer, "initial", code)
    return wrap(answer) if shape else SCALAR_OF[code](answer.item())


def any_zero(shape: tuple[int, ...], axes: list[int]) -> bool:
    """Whether a reduction over these axes has nothing to reduce but something to return."""
    rest = math.prod(length for axis, length in enumerate(shape) if axis not in axes)
    return rest > 0 and math.prod(shape) == 0


def _with_initial(kind: str, value: ArrayLike, initial: ArrayLike, code: int) -> Any:
    scalar = SCALAR_OF[code]
    with np.errstate(all="ignore"):
        return getattr(np, _UFUNC[kind])(scalar(value), scalar(fit_scalar(initial, code))).item()


def _masked(kind: str, expr: engine.Expr, where: ArrayLike, initial: ArrayLike, result: int) -> engine.Expr:
    """The elements, with the excluded ones replaced by the identity of the reduction."""
    if where is True:
        return expr
    neutral = _IDENTITY.get(kind)
    if neutral is None:
        if initial is None:
            raise ValueError(
                f"reduction operation '{_UFUNC[kind]}' does not have an identity, so to use a where mask one has to "
                "specify 'initial'"
            )
        neutral = initial
    code = expr.dtype if kind in ("min", "max", "any", "all") else result
    other = engine.scalar(expr.session, fit_scalar(neutral, code), code)
    mask = expr_of(where)
    chosen: engine.Expr = engine.apply(engine.OPS["where"], code, code, (mask, expr, other))
    return chosen


def into(out: Any, value: engine.Expr, name: str, source: int) -> ndarray:
    """Stores `value`, made from elements of type `source`, as `out`."""
    target = require_out(out)
    code = target._expr.dtype
    check_output(_UFUNC.get(name, name), (source,), value.dtype, code)
    target._store(value if value.dtype == code else engine.cast(value, code))
    return target


def arg_reduce(kind: str, a: Any, axis: Axis, out: Any, keepdims: bool, keep: bool) -> Any:
    """argmin and argmax."""
    expr = expr_of(a)
    axis = axis_of_scalar(axis, expr.ndim)
    if axis is None:
        if not expr.size:
            raise ValueError(f"attempt to get {kind} of an empty sequence")
        value = engine.reduce_all(kind, expr, expr.dtype, keep)
        if not keepdims and out is None:
            return np.int64(value)
        answer = engine.full(expr.session, (1,) * expr.ndim if keepdims else (), INT64, value)
    else:
        axes = axes_of(operator.index(axis), expr.ndim)
        assert axes is not None
        if any_zero(expr.shape, axes):
            raise ValueError(f"attempt to get {kind} of an empty sequence")
        if expr.ndim == 1:
            answer = engine.scalar(expr.session, engine.reduce_all(kind, expr, expr.dtype, keep), INT64)
        else:
            answer = engine.reduce_axes(kind, expr, axes, expr.dtype, keep)
        if keepdims:
            answer = engine.reshape(answer, _kept_shape(expr.shape, axes))
    if out is not None:
        return into(out, answer, kind, INT64)
    return wrap(answer) if answer.ndim else np.int64(answer.item())


def sum(a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, keepdims: bool = False,
        initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    """Sum of the elements, of all or along axes.

    Floating-point sums do not depend on the number of PEs or threads.

    Parameters
    ----------
    a : array_like
        Elements.
    axis : int or tuple of int, optional
        Axes to sum over; all by default.
    dtype : dtype, optional
        Type to sum in; small integers use 64 bits by default.
    out : ndarray, optional
        Where to put the result.
    keepdims : bool
        Keep the summed axes with length 1.
    initial : scalar, optional
        Start value.
    where : array_like of bool, optional
        Elements to include.

    Returns
    -------
    NumPy scalar or ndarray
        A scalar when all axes are summed.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.sum(ak.arange(5))
    np.int64(10)
    """
    keep = getrefcount(a) > FUNCTION_TEMPORARY  # before a call holds it, too
    return reduce("sum", a, axis, dtype, out, keepdims, initial, where, keep)


def prod(a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, keepdims: bool = False,
         initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    """Product of the elements; parameters as `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.prod(ak.arange(1, 5))
    np.int64(24)
    """
    keep = getrefcount(a) > FUNCTION_TEMPORARY  # before a call holds it, too
    return reduce("prod", a, axis, dtype, out, keepdims, initial, where, keep)


def min(
    a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Any:
    """Least element, NaN if there is one; parameters as `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.min(ak.array([3, 1, 2]))
    np.int64(1)
    """
    keep = getrefcount(a) > FUNCTION_TEMPORARY  # before a call holds it, too
    return reduce("min", a, axis, None, out, keepdims, initial, where, keep)


def max(
    a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Any:
    """Greatest element, NaN if there is one; parameters as `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.max(ak.array([3, 1, 2]))
    np.int64(3)
    """
    keep = getrefcount(a) > FUNCTION_TEMPORARY  # before a call holds it, too
    return reduce("max", a, axis, None, out, keepdims, initial, where, keep)


amin, amax = min, max


def any(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Any:
    """Whether any element is true; parameters as `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.any(ak.array([False, True]))
    np.True_
    """
    keep = getrefcount(a) > FUNCTION_TEMPORARY  # before a call holds it, too
    return reduce("any", a, axis, None, out, keepdims, None, where, keep)


def all(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Any:
    """Whether all elements are true; parameters as `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.all(ak.array([False, True]))
    np.False_
    """
    keep = getrefcount(a) > FUNCTION_TEMPORARY  # before a call holds it, too
    return reduce("all", a, axis, None, out, keepdims, None, where, keep)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Number of nonzero (true) elements.

    Examples
    --------
    >>> import atoll as ak
    >>> int(ak.count_nonzero(ak.array([0, 1, 2])))
    2
    """
    keep = getrefcount(a) > FUNCTION_TEMPORARY  # before a call holds it, too
    return reduce("count_nonzero", a, axis, None, None, keepdims, None, True, keep)


def argmin(a: ArrayLike, axis: int | None = None, out: Out = None, *, keepdims: bool = False) -> Any:
    """Position of the least element, the first of equals; of the first NaN if there is one.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.argmin(ak.array([3, 1, 2]))
    np.int64(1)
    """
    keep = getrefcount(a) > FUNCTION_TEMPORARY  # before a call holds it, too
    return arg_reduce("argmin", a, axis, out, keepdims, keep)


def argmax(a: ArrayLike, axis: int | None = None, out: Out = None, *, keepdims: bool = False) -> Any:
    """Position of the greatest element, the first of equals; of the first NaN if there is one.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.argmax(ak.array([3, 1, 2]))
    np.int64(0)
    """
    keep = getrefcount(a) > FUNCTION_TEMPORARY  # before a call holds it, too
    return arg_reduce("argmax", a, axis, out, keepdims, keep)


# -- variants that ignore NaN: NaN is replaced by the identity --


def without_nan(a: ArrayLike, neutral: float) -> tuple[ndarray, bool]:
    """`a` with NaN replaced, and whether it can hold NaN at all."""

    array = as_array(a)
    if array._expr.dtype < FLOAT32:
        return array, False
    return choose(isnan(array), neutral, array), True


def nansum(a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, keepdims: bool = False,
           initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    """Sum of the elements that are not NaN; parameters as `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nansum(ak.array([1.0, float("nan")]))
    np.float64(1.0)
    """
    return reduce("sum", without_nan(a, 0.0)[0], axis, dtype, out, keepdims, initial, where, False)


def nanprod(a: Any, axis: Any = None, dtype: DTypeLike = None, out: Any = None, keepdims: bool = False,
            initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    """Product of the elements that are not NaN; parameters as `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanprod(ak.array([2.0, float("nan")]))
    np.float64(2.0)
    """
    return reduce("prod", without_nan(a, 1.0)[0], axis, dtype, out, keepdims, initial, where, False)


def _nan_extreme(kind: str, a: ArrayLike, axis: Any, out: Out, keepdims: bool, initial: Any, where: Any) -> Any:
    values, floating = without_nan(a, math.inf if kind == "min" else -math.inf)
    result = reduce(kind, values, axis, None, None, keepdims, initial, where, False)
    if floating and initial is None:  # where all are NaN, NaN
        array = as_array(a)
        empty = reduce("all", isnan(array), axis, None, None, keepdims, None, True, False)
        result = (
            choose(empty, math.nan, result)
            if isinstance(result, Array)
            else type(result)(math.nan)
            if empty
            else result
        )
    if out is None:
        return result
    return into(out, expr_of(result), kind, expr_of(result).dtype)


def nanmin(a: Any, axis: Axis = None, out: Any = None, keepdims: bool = False, initial: Any = None,
           where: Any = True) -> Any:  # fmt: skip
    """Least element that is not NaN; NaN when all are. Parameters as `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanmin(ak.array([2.0, float("nan")]))
    np.float64(2.0)
    """
    return _nan_extreme("min", a, axis, out, keepdims, initial, where)


def nanmax(a: Any, axis: Axis = None, out: Any = None, keepdims: bool = False, initial: Any = None,
           where: Any = True) -> Any:  # fmt: skip
    """Greatest element that is not NaN; NaN when all are. Parameters as `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanmax(ak.array([2.0, float("nan")]))
    np.float64(2.0)
    """
    return _nan_extreme("max", a, axis, out, keepdims, initial, where)


def _nan_arg(kind: str, a: Any, axis: Any, out: Any, keepdims: bool) -> Any:
    values, floating = without_nan(a, math.inf if kind == "argmin" else -math.inf)
    if floating and expr_of(a).size:
        array = as_array(a)
        empty = reduce("all", isnan(array), axis, None, None, False, None, True, False)
        if bool(reduce("any", empty, None, None, None, False, None, True, False)):
            raise ValueError("All-NaN slice encountered")
    return arg_reduce(kind, values, axis, out, keepdims, False)


def nanargmin(a: ArrayLike, axis: int | None = None, out: Out = None, *, keepdims: bool = False) -> Any:
    """Position of the least element that is not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanargmin(ak.array([float("nan"), 2.0]))
    np.int64(1)
    """
    return _nan_arg("argmin", a, axis, out, keepdims)


def nanargmax(a: ArrayLike, axis: int | None = None, out: Out = None, *, keepdims: bool = False) -> Any:
    """Position of the greatest element that is not NaN.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nanargmax(ak.array([float("nan"), 2.0]))
    np.int64(1)
    """
    return _nan_arg("argmax", a, axis, out, keepdims)
