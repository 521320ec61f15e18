# SPDX-License-Identifier: Apache-2.0
"""Sorting, and the permutations that sort: NaN last, argsort always stable."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, as_array, expr_of, wrap
from .dtypes import INT64

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = [
    "argpartition",
    "argsort",
    "coargsort",
    "lexsort",
    "partition",
    "sort",
    "sort_complex",
]


_KINDS = (None, "quicksort", "mergesort", "heapsort", "stable")


def along_last(a: Any, axis: int | None, action: Callable[[engine.Expr], engine.Expr]) -> ndarray:
    """Runs `action`, which works along the last axis, along `axis` (None: on the flattened array)."""
    expr = expr_of(a)
    if axis is None or (expr.ndim == 0 and action is engine.argsort and axis in (0, -1)):  # a scalar is in order
        return wrap(action(engine.reshape(expr, (expr.size,)) if expr.ndim != 1 else expr))
    number, ndim = operator.index(axis), expr.ndim
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim)
    if number % ndim == ndim - 1:
        return wrap(action(expr))
    order = list(range(ndim))
    order[number], order[-1] = order[-1], order[number]  # its own inverse
    return wrap(engine.transpose(action(engine.transpose(expr, order)), order))


def _check_kind(kind: str | None, order: str | None, stable: bool | None = None) -> None:
    if kind not in _KINDS:
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
    if kind is not None and stable is not None:
        raise ValueError("`kind` and keyword parameters can't be provided at the same time. Use only one of them.")
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")


def _check_selection(kind: str, order: str | None) -> None:
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    _check_kind(None, order)


def _reversed(expr: engine.Expr) -> engine.Expr:
    """Reversed along the last axis."""
    *rest, length = expr.shape
    last = (length - 1, -1, length) if length else (0, 1, 0)
    return engine.get_slice(expr, [*((0, 1, count) for count in rest), last])


def _last_first(positions: Callable[[engine.Expr], engine.Expr], expr: engine.Expr) -> engine.Expr:
    """Stable descending argsort: the ascending argsort of the reversed array, reversed."""
    found = _reversed(positions(_reversed(expr)))
    greatest = engine.scalar(expr.session, expr.shape[-1] - 1, INT64)
    return engine.apply(engine.OPS["subtract"], INT64, INT64, (greatest, found))


def sort(
    a: Any, axis: int | None = -1, kind: str | None = None, order: Any = None, *,
    stable: bool | None = None, descending: bool = False,
) -> ndarray:  # fmt: skip
    """A sorted copy, NaN last.

    Parameters
    ----------
    a : array_like
        Elements of any dtype.
    axis : int or None
        Axis to sort along; None sorts the flattened array.
    kind, stable : optional
        An algorithm by NumPy's name, or whether to sort stably; every sort is stable.
    order : None
        Names of fields, which no array has.
    descending : bool
        The greatest first, and NaN before them.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.sort(ak.array([3, 1, 2]))
    array([1, 2, 3])
    >>> ak.sort(ak.array([3, 1, 2]), descending=True)
    array([3, 2, 1])
    """
    _check_kind(kind, order, stable)
    return along_last(a, axis, (lambda expr: _reversed(engine.sort(expr))) if descending else engine.sort)


def sort_complex(a: ArrayLike) -> ndarray:
    """A sorted copy, by real part, then imaginary part, as complex numbers whatever the type was.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.sort_complex([5, 3])
    array([3.+0.j, 5.+0.j])
    """
    ordered = sort(a)
    if ordered.dtype.kind == "c":
        return ordered
    return ordered.astype(np.complex64 if ordered.dtype.itemsize < 4 else np.complex128)


def argsort(
    a: Any, axis: int | None = -1, kind: str | None = None, order: Any = None, *,
    stable: bool | None = None, descending: bool = False, ascending: bool = True,
) -> ndarray:  # fmt: skip
    """Positions that sort the array, equal elements in their order; NaN last.

    Parameters
    ----------
    a, axis, kind, stable, descending
        As for `sort`; equal elements stay in their order also when the greatest comes first.
    ascending : bool
        False (Arkouda's name) means descending.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.argsort(ak.array([30, 10, 20, 10]))
    array([1, 3, 2, 0])
    >>> ak.argsort(ak.array([30, 10, 20, 10]), descending=True)
    array([0, 2, 1, 3])
    """
    _check_kind(kind, order, stable)
    down = descending or not ascending
    return along_last(a, axis, (lambda expr: _last_first(engine.argsort, expr)) if down else engine.argsort)


def coargsort(keys: Any, *, ascending: bool = True, descending: bool = False) -> ndarray:
    """Positions that sort several 1-d arrays together: by the first, equals by the second, and so on (Arkouda's name).

    Examples
    --------
    >>> import atoll as ak
    >>> carrier, time = ak.array([2, 1, 2]), ak.array([5, 7, 3])
    >>> ak.coargsort([carrier, time])
    array([1, 2, 0])
    >>> ak.coargsort([carrier, time], ascending=False)
    array([0, 2, 1])
    """
    if isinstance(keys, Array) and keys.ndim == 2:
        keys = list(as_array(keys))
    if isinstance(keys, (str, bytes)) or not isinstance(keys, (list, tuple)):
        raise TypeError(f"coargsort needs a list of 1-d arrays, not {type(keys).__name__}")
    if not keys:
        raise ValueError("coargsort needs at least one key")
    exprs = [expr_of(key) for key in keys]
    for expr in exprs:
        if expr.ndim != 1:
            raise ValueError(f"the keys of coargsort must be 1-d, found a {expr.ndim}-d array")
        if expr.size != exprs[0].size:
            raise ValueError(f"the keys of coargsort must have one length, found {exprs[0].size} and {expr.size}")

    def positions(first: engine.Expr) -> engine.Expr:
        others = exprs[1:] if first is exprs[0] else [_reversed(expr) for expr in exprs[1:]]
        return engine.coargsort([first, *others]) if others else engine.argsort(first)

    down = descending or not ascending
    return wrap(_last_first(positions, exprs[0]) if down else positions(exprs[0]))


def lexsort(keys: Sequence[Any], axis: int = -1) -> ndarray:
    """As `coargsort` with NumPy's order of keys: the last one is the most significant.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.lexsort([ak.array([5, 7, 3]), ak.array([2, 1, 2])])
    array([1, 2, 0])
    """
    if axis not in (0, -1):
        raise np.exceptions.AxisError(axis, 1)
    if not len(keys):
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    return coargsort(list(keys)[::-1])


def partition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: str | None = None
) -> ndarray:
    """A copy in which element `kth` is where sorting would put it, lesser ones before it; here fully sorted.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.partition(ak.array([3, 1, 2]), 1)
    array([1, 2, 3])
    """
    _check_selection(kind, order)
    _check_kth(a, kth, axis)
    return sort(a, axis)


def argpartition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: str | None = None
) -> ndarray:
    """Positions that partition the array; here those that sort it.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.argpartition(ak.array([3, 1, 2]), 1)
    array([1, 2, 0])
    """
    _check_selection(kind, order)
    _check_kth(a, kth, axis)
    return argsort(a, axis)


def _check_kth(a: ArrayLike, kth: Any, axis: int | None) -> None:
    expr = expr_of(a)
    length = expr.size if axis is None or not expr.ndim else expr.shape[axis]
    for number in np.atleast_1d(kth):
        if not -length <= number < length:
            raise ValueError(f"kth(={number}) out of bounds ({length})")
