# SPDX-License-Identifier: Apache-2.0
"""Scans: running reductions, along an axis or of the flattened array."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import expr_of, wrap
from .dtypes import DTypeLike, code_of
from .reductions import WIDE, axes_of, axis_of_scalar, into, without_nan

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Axis, Out
    from .ndarray import ndarray

__all__ = [
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "is_sorted",
    "nancumprod",
    "nancumsum",
]


def scan(kind: str, a: Any, axis: Axis, dtype: DTypeLike, out: Any) -> ndarray:
    """A running reduction along one axis, or of the flattened array."""
    expr = expr_of(a)
    axis = axis_of_scalar(axis, expr.ndim)
    if axis is None:
        if expr.ndim != 1:
            expr = engine.reshape(expr, (expr.size,))
        place = 0
    else:
        if expr.ndim == 0:
            raise np.exceptions.AxisError(operator.index(axis), 0)
        axes = axes_of(operator.index(axis), expr.ndim)
        assert axes is not None
        place = axes[0]
    code = expr.dtype
    wide = WIDE[code] if kind in ("cumsum", "cumprod") else code
    answer = engine.scan(kind, expr, place, wide if dtype is None else code_of(dtype))
    return wrap(answer) if out is None else into(out, answer, kind, answer.dtype)


def cumsum(a: Any, axis: int | None = None, dtype: DTypeLike = None, out: Any = None) -> ndarray:
    """Running sum along an axis, or of the flattened array.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cumsum(ak.array([1, 2, 3]))
    array([1, 3, 6])
    """
    return scan("cumsum", a, axis, dtype, out)


def cumprod(a: Any, axis: int | None = None, dtype: DTypeLike = None, out: Any = None) -> ndarray:
    """Running product along an axis, or of the flattened array.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cumprod(ak.array([1, 2, 3]))
    array([1, 2, 6])
    """
    return scan("cumprod", a, axis, dtype, out)


def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: DTypeLike = None, out: Any = None, include_initial: bool = False
) -> ndarray:
    """Running sum along an axis, which is optional for 1-d arrays; the array API's name of `cumsum`.

    Parameters
    ----------
    include_initial : bool
        Begin with 0, so that the result is longer by one.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cumulative_sum(ak.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulative("cumsum", x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: DTypeLike = None, out: Any = None, include_initial: bool = False
) -> ndarray:
    """Running product; parameters as `cumulative_sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cumulative_prod(ak.array([1, 2, 3]), include_initial=True)
    array([1, 1, 2, 6])
    """
    return _cumulative("cumprod", x, axis, dtype, out, include_initial)


def _cumulative(
    kind: str, x: ArrayLike, axis: int | None, dtype: DTypeLike, out: Out, include_initial: bool
) -> ndarray:
    expr = expr_of(x)
    if axis is None and expr.ndim != 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    place = 0 if axis is None else axis
    if not include_initial:
        return scan(kind, x, place, dtype, out)
    result = scan(kind, x, place, dtype, None)._expr
    number = place % expr.ndim
    shape = tuple(1 if other == number else count for other, count in enumerate(expr.shape))
    start = engine.full(expr.session, shape, result.dtype, 0 if kind == "cumsum" else 1)
    answer = engine.concatenate([start, result], number)
    return wrap(answer) if out is None else into(out, answer, kind, answer.dtype)


def nancumsum(a: Any, axis: int | None = None, dtype: DTypeLike = None, out: Any = None) -> ndarray:
    """Running sum in which NaN counts as 0.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nancumsum(ak.array([1.0, float("nan"), 3.0]))
    array([1., 1., 4.])
    """
    return scan("cumsum", without_nan(a, 0.0)[0], axis, dtype, out)


def nancumprod(a: Any, axis: int | None = None, dtype: DTypeLike = None, out: Any = None) -> ndarray:
    """Running product in which NaN counts as 1.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nancumprod(ak.array([2.0, float("nan"), 3.0]))
    array([2., 2., 6.])
    """
    return scan("cumprod", without_nan(a, 1.0)[0], axis, dtype, out)


def is_sorted(a: ArrayLike) -> bool:
    """Whether the 1-d array is in ascending order (Arkouda's name).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.is_sorted(ak.array([1, 1, 2]))
    True
    """
    expr = expr_of(a)
    if expr.ndim != 1:
        raise ValueError(f"is_sorted needs a 1-d array, not {expr.ndim}-d")
    array = wrap(expr.alias())
    return expr.size < 2 or bool((array[:-1] <= array[1:]).all())
