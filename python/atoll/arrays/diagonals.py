# SPDX-License-Identifier: Apache-2.0
"""Diagonals and triangles of matrices."""

from __future__ import annotations

import builtins
import itertools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import engine
from .array import as_array, require_out
from .array import wrap as array_of
from .composed import choose
from .creation import arange, ones, zeros
from .dtypes import DTypeLike
from .indexing import value_expr
from .manipulation import _axis, ravel, reshape_to, transpose_axes
from .reductions import sum
from .selection import nonzero
from .views import Diagonal, step_into

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = [
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "diagonal",
    "fill_diagonal",
    "mask_indices",
    "trace",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
]


# -- diagonals --


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    """The diagonal of the matrices in two axes, as the last axis: a read-only view.

    Parameters
    ----------
    a : array_like
        At least two axes.
    offset : int
        Which diagonal: positive ones lie above the main one, negative ones below.
    axis1, axis2 : int
        The axes of the matrices' rows and columns.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.diagonal(ak.arange(9).reshape(3, 3), 1)
    array([1, 5])
    """
    matrices = as_array(a)
    if matrices.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    rows, columns = _axis(axis1, matrices.ndim), _axis(axis2, matrices.ndim)
    if rows == columns:
        raise ValueError("axis1 and axis2 cannot be the same")
    others = [axis for axis in range(matrices.ndim) if axis not in (rows, columns)]
    order = (*others, rows, columns)
    turned = matrices if order == tuple(range(matrices.ndim)) else transpose_axes(matrices, order, False)
    step = Diagonal(operator.index(offset))
    return step_into(turned, step, step.get(turned._read()), False)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike = None, out: Any = None) -> Any:
    """The sum along a diagonal; parameters as `diagonal` and `sum`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.trace(ak.arange(9).reshape(3, 3))
    np.int64(12)
    """
    return sum(diagonal(a, offset, axis1, axis2), -1, dtype, out)


def diag(v: ArrayLike, k: int = 0) -> ndarray:
    """A matrix with these elements on diagonal `k`; of a matrix, its diagonal (a read-only view).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.diag([1, 2])
    array([[1, 0],
           [0, 2]])
    """
    values = as_array(v)
    if values.ndim == 2:
        return diagonal(values, k)
    if values.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    length = values.size + abs(int(k))
    flat = zeros(length * length, values.dtype)
    if values.size:
        first = k if k >= 0 else -k * length
        flat[first : first + (values.size - 1) * (length + 1) + 1 : length + 1] = values
    return flat.reshape(length, length).copy()


def diagflat(v: ArrayLike, k: int = 0) -> ndarray:
    """As `diag` of the flattened elements.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.diagflat([[1], [2]], 1).shape
    (3, 3)
    """
    return diag(ravel(v), k)


def fill_diagonal(a: ndarray, val: object, wrap: bool = False) -> None:
    """Sets the main diagonal, in place; several values are repeated as often as needed.

    Parameters
    ----------
    a : ndarray
        At least two axes; all of one length when there are more.
    val : array_like
        What is assigned.
    wrap : bool
        Whether the diagonal of a matrix with more rows than columns starts again below, after a row without one.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.zeros((2, 2))
    >>> ak.fill_diagonal(a, 7)
    >>> a
    array([[7., 0.],
           [0., 7.]])
    """
    target = require_out(a)
    if target.ndim < 2:
        raise ValueError("array must be at least 2-d")
    end = target.size
    if target.ndim == 2:
        step = target.shape[1] + 1
        if not wrap:
            end = min(end, target.shape[1] ** 2)
    else:
        if len(set(target.shape)) > 1:
            raise ValueError("All dimensions of input must be of equal length")
        step = 1 + builtins.sum(itertools.accumulate(target.shape[:-1], operator.mul))
    assign_flat(target, slice(0, end, step), val)


def assign_flat(target: ndarray, places: Any, val: Any) -> None:
    """``target.flat[places] = val``: the values are repeated, or cut off, to fill the places."""
    flat = reshape_to(target, (-1,), "C", None, False)
    values = ravel(array_of(value_expr(target._expr.session, val, target._expr.dtype)))
    number = len(range(*places.indices(flat.size))) if isinstance(places, slice) else places.size
    if values.size == 0 or number == 0:
        return
    if values.size > 1 and values.size != number:
        values = values[arange(number) % values.size] if values.size < number else values[:number]
    flat[places] = values if values.size > 1 else values.reshape(())
    if flat.base is None:
        target[...] = flat.reshape(target.shape)


def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    """Index arrays of the main diagonal of an array with `ndim` axes of length `n`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.diag_indices(3)
    (array([0, 1, 2]), array([0, 1, 2]))
    """
    return (arange(n),) * ndim


def diag_indices_from(arr: ArrayLike) -> tuple[ndarray, ...]:
    """As `diag_indices`, for an array all of whose axes have one length.

    Examples
    --------
    >>> import atoll as ak
    >>> len(ak.diag_indices_from(ak.zeros((2, 2, 2))))
    3
    """
    shape = as_array(arr).shape
    if len(shape) < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(shape[0], len(shape))


# -- triangles --


def _below(rows: int, columns: int, k: int) -> ndarray:
    """A mask of the elements on and below diagonal `k`."""
    below: ndarray = arange(columns) - arange(rows).reshape(rows, 1) <= int(k)
    return below


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float) -> ndarray:
    """Ones on and below diagonal `k`, zeros above it.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.tri(2, 3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    rows, columns = (max(0, operator.index(length)) for length in (N, N if M is None else M))
    return _below(rows, columns, k).astype(dtype)


def tril(m: ArrayLike, k: int = 0) -> ndarray:
    """The elements on and below diagonal `k` of matrices, zeros above it.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.tril(ak.ones((2, 2)))
    array([[1., 0.],
           [1., 1.]])
    """
    return _triangle(m, k, True)


def triu(m: ArrayLike, k: int = 0) -> ndarray:
    """The elements on and above diagonal `k` of matrices, zeros below it.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.triu(ak.ones((2, 2)))
    array([[1., 1.],
           [0., 1.]])
    """
    return _triangle(m, k, False)


def _triangle(m: ArrayLike, k: int, lower: bool) -> ndarray:
    matrices = as_array(m)
    if matrices.ndim < 1:
        raise ValueError("a triangle needs a matrix, not a scalar")
    rows, columns = (matrices.shape * 2)[:2] if matrices.ndim == 1 else matrices.shape[-2:]  # NumPy repeats a row
    zero = array_of(engine.scalar(matrices._expr.session, 0, matrices._expr.dtype))
    below = _below(rows, columns, k if lower else k - 1)
    return choose(below, matrices, zero) if lower else choose(below, zero, matrices)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ndarray]:
    """Index arrays of the elements on and below diagonal `k` of a matrix with `n` rows and `m` columns (`n` of them).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.tril_indices(2)
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    rows, columns = nonzero(tri(n, m, k, bool))
    return rows, columns


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ndarray]:
    """Index arrays of the elements on and above diagonal `k`; parameters as `tril_indices`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.triu_indices(2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    rows, columns = nonzero(~tri(n, m, k - 1, bool))
    return rows, columns


def _matrix_shape(arr: ArrayLike) -> tuple[int, int]:
    shape = as_array(arr).shape
    if len(shape) != 2:
        raise ValueError("input array must be 2-d")
    return shape[0], shape[1]


def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[ndarray, ndarray]:
    """As `tril_indices`, for a matrix of this shape.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.tril_indices_from(ak.zeros((2, 2)), -1)
    (array([1]), array([0]))
    """
    rows, columns = _matrix_shape(arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[ndarray, ndarray]:
    """As `triu_indices`, for a matrix of this shape.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.triu_indices_from(ak.zeros((2, 2)), 1)
    (array([0]), array([1]))
    """
    rows, columns = _matrix_shape(arr)
    return triu_indices(rows, k, columns)


def mask_indices(n: int, mask_func: Callable[[Any, Any], Any], k: Any = 0) -> tuple[ndarray, ...]:
    """Index arrays of the elements that `mask_func`, such as `triu`, keeps of a square matrix of ones.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.mask_indices(2, ak.triu)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return nonzero(mask_func(ones((n, n), int), k) != 0)
