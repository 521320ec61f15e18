# SPDX-License-Identifier: Apache-2.0
"""Products of vectors and small matrices, as fused sums of products."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import as_array, expr_of, require_out, wrap
from .creation import array, shape_of, zeros
from .dtypes import BOOL, DTypeLike, check_cast, code_of, result_code
from .manipulation import (
    _axis,
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    expand_dims,
    matrix_transpose,
    moveaxis,
)
from .reductions import reduce
from .ufuncs import conjugate

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Out
    from .ndarray import ndarray

__all__ = [
    "cross",
    "dot",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]


def _pair(a: Any, b: Any, dtype: DTypeLike = None) -> tuple[ndarray, ndarray, int]:
    x, y = expr_of(a), expr_of(b)
    code = result_code(x.dtype, y.dtype) if dtype is None else code_of(dtype)
    return wrap(engine.cast(x, code)), wrap(engine.cast(y, code)), code


def _sum_last(x: ndarray, code: int) -> Any:
    """Sum along the last axis in the elements' own type, as products of matrices do; of bools: any."""
    kind = "any" if code == BOOL else "sum"

    return reduce(kind, x, -1, None if code == BOOL else x.dtype, None, False, None, True, False)


def _conjugated(x: ndarray) -> ndarray:
    return conjugate(x) if x.dtype.kind == "c" else x


def into(result: Any, out: Out) -> Any:
    """The result, in `out` where that is given: of its shape, and cast to its type if that is of the same kind."""
    if out is None:
        return result
    target, values = require_out(out), as_array(result)
    check_cast(values._expr.dtype, target._expr.dtype, "same_kind")
    if values.shape != target.shape:
        raise ValueError(f"output array has shape {target.shape}, which is not that of the result, {values.shape}")
    target[...] = values
    return target


def _shaped(found: ndarray, shape: tuple[int, ...]) -> Any:
    return found.reshape(shape) if shape else found.dtype.type(found.item())


def matmul(x1: Any, x2: Any, /, out: Any = None, *, dtype: DTypeLike = None) -> Any:
    """Matrix product of vectors and matrices, the operator ``@``; of more axes, the products of the matrices in the
    last two, the others broadcast.

    Each PE computes the rows of the result that it holds; the second matrix is sent to all PEs, some rows at a time.
    In stacks of matrices each PE multiplies those that it holds.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.matmul(ak.array([[1, 2], [3, 4]]), ak.array([1, 1]))
    array([3, 7])
    """
    x, y, code = _pair(x1, x2, dtype)
    if not x.ndim or not y.ndim:
        raise ValueError("matmul: Input operand does not have enough dimensions: at least one axis each. Use * instead")
    inner = x.shape[-1], y.shape[0 if y.ndim == 1 else -2]
    if inner[0] != inner[1]:
        raise ValueError(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0 "
            f"(size {inner[1]} is different from {inner[0]})"
        )
    if x.ndim == 1 and y.ndim == 1:
        return into(_sum_last(x * y, code), out)
    if y.ndim <= 2:
        rows, columns = math.prod(x.shape[:-1]), math.prod(y.shape[1:])
        left, right = x.reshape(rows, inner[0]), y.reshape(inner[0], columns)
        if rows * columns <= _FEW_PRODUCTS and inner[0] >= _LONG and code != BOOL:
            return into(_shaped(_long_products(left, right), x.shape[:-1] + y.shape[1:]), out)
        found = wrap(engine.multiply_matrices(left._read(), right._read()))
        return into(_shaped(found, x.shape[:-1] + y.shape[1:]), out)
    if x.ndim == 1:
        return into(matmul(expand_dims(x, 0), y).reshape(*y.shape[:-2], y.shape[-1]), out)
    shape = broadcast_shapes(x.shape[:-2], y.shape[:-2])
    left, right = (
        broadcast_to(one, (*shape, *one.shape[-2:])).reshape(math.prod(shape), *one.shape[-2:]) for one in (x, y)
    )
    found = wrap(engine.multiply_matrices(left._read(), right._read()))
    return into(found.reshape(*shape, x.shape[-2], y.shape[-1]), out)


#: So few elements of a product of matrices, of vectors so long, are inner products: a tile of the product's kernel
#: would be mostly empty.
_FEW_PRODUCTS, _LONG = 16, 16384


def _long_products(left: ndarray, right: ndarray) -> ndarray:
    """left @ right by an inner product for each element."""
    columns = [right[:, column].copy() for column in range(right.shape[1])]
    return array([[(row * column).sum(dtype=row.dtype) for column in columns] for row in left], left.dtype)


def matvec(x1: Any, x2: Any, /, out: Any = None, *, dtype: DTypeLike = None) -> Any:
    """Products of matrices, in the last two axes, with vectors, in the last; the other axes broadcast.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.matvec([[1, 2], [3, 4]], [[1, 1], [0, 1]])
    array([[3, 7],
           [2, 4]])
    """
    x, y, code = _pair(x1, x2, dtype)
    _check_core("matvec", x, 2, y, 1, x.shape[-1:], y.shape[-1:])
    return into(_sum_last(x * expand_dims(y, -2), code), out)


def vecmat(x1: Any, x2: Any, /, out: Any = None, *, dtype: DTypeLike = None) -> Any:
    """Products of vectors, in the last axis, with matrices, in the last two; the other axes broadcast.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.vecmat([1, 1], [[1, 2], [3, 4]])
    array([4, 6])
    """
    x, y, code = _pair(x1, x2, dtype)
    _check_core("vecmat", x, 1, y, 2, x.shape[-1:], y.shape[-2:-1])
    return into(_sum_last(expand_dims(_conjugated(x), -2) * matrix_transpose(y), code), out)


def _check_core(
    name: str, x: ndarray, least_x: int, y: ndarray, least_y: int, inner_x: tuple[int, ...], inner_y: tuple[int, ...]
) -> None:
    """ValueError unless both have the axes that a product needs, and the summed axes have equal lengths."""
    for number, (operand, least) in enumerate(((x, least_x), (y, least_y))):
        if operand.ndim < least:
            raise ValueError(f"{name}: Input operand {number} does not have enough dimensions (needs {least})")
    if inner_x != inner_y:
        raise ValueError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0 "
            f"(size {inner_y[0]} is different from {inner_x[0]})"
        )


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Inner product of vectors, matrix product of matrices, product with a scalar; of more axes, sums over the last of
    `a` and the last but one of `b`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.dot(ak.array([1, 2]), ak.array([3, 4]))
    np.int64(11)
    """
    x, y, _ = _pair(a, b)
    if not x.ndim or not y.ndim:
        return into(x * y, out)
    theirs = max(y.ndim - 2, 0)
    if x.shape[-1] != y.shape[theirs]:
        raise ValueError(
            f"shapes {str(x.shape).replace(' ', '')} and {str(y.shape).replace(' ', '')} not aligned: "
            f"{x.shape[-1]} (dim {x.ndim - 1}) != {y.shape[theirs]} (dim {theirs})"
        )
    return into(matmul(x, y) if y.ndim <= 2 else tensordot(x, y, ([-1], [-2])), out)


def vdot(a: ArrayLike, b: ArrayLike, /) -> Any:
    """Inner product of the flattened arrays.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.vdot(ak.ones((2, 2)), ak.ones((2, 2)))
    np.float64(4.0)
    """
    x, y, _ = _pair(a, b)
    if x.dtype.kind != "c":
        return dot(x.reshape(-1), y.reshape(-1))
    if x.size != y.size:
        raise ValueError(f"cannot reshape array of size {y.size} into shape ({x.size},)")
    (u, v), (s, t) = ((one.real.reshape(-1), one.imag.reshape(-1)) for one in (x, y))
    return x.dtype.type(complex((u * s + v * t).sum(), (u * t - v * s).sum()))


def vecdot(x1: Any, x2: Any, /, out: Any = None, *, axis: int = -1, dtype: DTypeLike = None) -> Any:
    """Inner products of vectors along an axis; the other axes broadcast.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.vecdot(ak.array([[1, 2], [3, 4]]), ak.array([1, 1]))
    array([3, 7])
    """
    x, y, code = _pair(x1, x2, dtype)
    if not x.ndim or not y.ndim:
        raise ValueError("vecdot: both operands need at least one axis")
    least = min(x.ndim, y.ndim)
    if not -least <= axis < least:
        raise np.exceptions.AxisError(axis, least)
    x, y = moveaxis(x, axis, -1), moveaxis(y, axis, -1)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(f"vecdot: the vectors have {x.shape[-1]} and {y.shape[-1]} elements")
    return into(_sum_last(_conjugated(x) * y, code), out)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Sums of products over several axes: so many last ones of the first array and first ones of the second, or those
    of a pair of lists.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.tensordot(ak.ones((2, 3)), ak.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    x, y, _ = _pair(a, b)
    if np.ndim(axes) == 0:
        number = operator.index(axes)
        if number < 0:
            raise ValueError("axes must not be negative")
        if number > min(x.ndim, y.ndim):
            raise ValueError("shape-mismatch for sum")
        ours, theirs = list(range(x.ndim - number, x.ndim)), list(range(number))
    else:
        ours, theirs = ([operator.index(one) for one in np.atleast_1d(side)] for side in axes)
    if len(ours) != len(theirs):
        raise ValueError("shape-mismatch for sum")
    mine = [_axis(one, x.ndim) for one in ours]
    other = [_axis(one, y.ndim) for one in theirs]
    lengths = [x.shape[one] for one in mine]
    if lengths != [y.shape[one] for one in other]:
        raise ValueError("shape-mismatch for sum")
    rows = [one for one in range(x.ndim) if one not in mine]
    columns = [one for one in range(y.ndim) if one not in other]
    shape = (*(x.shape[one] for one in rows), *(y.shape[one] for one in columns))
    left = x.transpose(*rows, *mine).reshape(math.prod(x.shape[one] for one in rows), math.prod(lengths))
    right = y.transpose(*other, *columns).reshape(math.prod(lengths), math.prod(y.shape[one] for one in columns))
    return matmul(left, right).reshape(shape)


def inner(a: Any, b: Any, /) -> Any:
    """Inner product of vectors; of arrays with more axes, sums over the last of each.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.inner(ak.array([1, 2]), ak.array([3, 4]))
    np.int64(11)
    """
    x, y, _ = _pair(a, b)
    if not x.ndim or not y.ndim:
        return x * y
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(
            f"shapes {str(x.shape).replace(' ', '')} and {str(y.shape).replace(' ', '')} not aligned: "
            f"{x.shape[-1]} (dim {x.ndim - 1}) != {y.shape[-1]} (dim {y.ndim - 1})"
        )
    return tensordot(x, y, ([-1], [-1])) if x.ndim > 1 or y.ndim > 1 else matmul(x, y)


def outer(a: ArrayLike, b: ArrayLike, out: Out = None) -> ndarray:
    """Products of each element of `a` with each of `b`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """
    x, y, _ = _pair(a, b)
    result: ndarray = into(x.reshape(-1, 1) * y.reshape(1, -1), out)
    return result


def kron(a: ArrayLike, b: ArrayLike) -> Any:
    """Kronecker's product: blocks of `b`, each times an element of `a`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.kron([1, 10], [5, 6, 7])
    array([ 5,  6,  7, 50, 60, 70])
    """
    x, y, _ = _pair(a, b)
    ndim = max(x.ndim, y.ndim)
    if ndim == 0:
        return x * y
    shapes = [(1,) * (ndim - one.ndim) + one.shape for one in (x, y)]
    made = shape_of([m * n for m, n in zip(*shapes, strict=True)])  # before broadcast operands are copied
    left = x.reshape([length for one in shapes[0] for length in (one, 1)])
    right = y.reshape([length for one in shapes[1] for length in (1, one)])
    return (left * right).reshape(made)


def cross(
    a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """Vector products of vectors of three elements along an axis; the other axes broadcast.

    Parameters
    ----------
    a, b : array_like
        Vectors.
    axisa, axisb, axisc : int
        Where the vectors lie in `a`, in `b` and in the result.
    axis : int, optional
        The same for all three.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cross([1, 2, 3], [4, 5, 6])
    array([-3,  6, -3])
    """
    if axis is not None:
        axisa, axisb, axisc = (axis,) * 3
    x, y, code = _pair(a, b)
    if not x.ndim or not y.ndim:
        raise ValueError("At least one array has zero dimension")
    x, y = moveaxis(x, _axis(axisa, x.ndim), -1), moveaxis(y, _axis(axisb, y.ndim), -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{x.shape[-1]} and {y.shape[-1]} dimensional instead."
        )
    if code == BOOL:
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported: use integers")
    x, y = broadcast_arrays(x, y)
    result = zeros(x.shape, x.dtype)
    for place in range(3):
        after, before = (place + 1) % 3, (place + 2) % 3
        result[..., place] = x[..., after] * y[..., before] - x[..., before] * y[..., after]
    return moveaxis(result, -1, _axis(axisc, result.ndim)) if result.ndim > 1 else result
