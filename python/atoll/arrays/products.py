# SPDX-License-Identifier: Apache-2.0
"""Products of vectors and small matrices, as fused sums of products."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .array import expr_of, wrap
from .creation import zeros
from .dtypes import BOOL, result_code
from .manipulation import _axis, moveaxis
from .reductions import reduce

if TYPE_CHECKING:
    from .ndarray import ndarray

__all__ = [
    "dot",
    "inner",
    "matmul",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
]


def _pair(a: Any, b: Any) -> tuple[ndarray, ndarray, int]:
    x, y = expr_of(a), expr_of(b)
    code = result_code(x.dtype, y.dtype)
    return wrap(_core.cast(x, code)), wrap(_core.cast(y, code)), code


def _sum_last(x: ndarray, code: int) -> Any:
    """Sum along the last axis in the elements' own type, as products of matrices do; of bools: any."""
    kind = "any" if code == BOOL else "sum"

    return reduce(kind, x, -1, None if code == BOOL else x.dtype, None, False, None, True, False)


def matmul(x1: Any, x2: Any, /) -> Any:
    """Matrix product of vectors and matrices, the operator ``@``.

    Rows and columns are multiplied and summed in one pass without temporaries; meant for matrices with at least one
    small side.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.matmul(ak.array([[1, 2], [3, 4]]), ak.array([1, 1]))
    array([3, 7])
    """
    x, y, code = _pair(x1, x2)
    if not x.ndim or not y.ndim:
        raise ValueError("matmul: Input operand does not have enough dimensions: at least one axis each. Use * instead")
    if x.ndim > 2 or y.ndim > 2:
        raise NotImplementedError("matmul of arrays with more than two axes is not available; loop over the first axis")
    inner = x.shape[-1], y.shape[0]
    if inner[0] != inner[1]:
        raise ValueError(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0 "
            f"(size {inner[1]} is different from {inner[0]})"
        )
    if y.ndim == 1:
        return _sum_last(x * y, code)
    turned = wrap(_core.transpose(y._expr, (1, 0)))
    if x.ndim == 1:
        return _sum_last(turned * x, code)
    rows, columns = x.shape[0], turned.shape[0]
    if rows * columns == 0 or inner[0] == 0:
        return zeros((rows, columns), x.dtype)
    wide = x.reshape(rows, 1, inner[0]) * turned.reshape(1, columns, inner[0])
    return _sum_last(wide, code)


def dot(a: Any, b: Any) -> Any:
    """Inner product of vectors, matrix product of matrices, product with a scalar.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.dot(ak.array([1, 2]), ak.array([3, 4]))
    np.int64(11)
    """
    if not expr_of(a).ndim or not expr_of(b).ndim:
        x, y, _ = _pair(a, b)
        return x * y
    x, y, _ = _pair(a, b)
    if x.ndim <= 2 and y.ndim <= 2 and x.shape[-1] != y.shape[0]:
        raise ValueError(
            f"shapes {str(x.shape).replace(' ', '')} and {str(y.shape).replace(' ', '')} not aligned: "
            f"{x.shape[-1]} (dim {x.ndim - 1}) != {y.shape[0]} (dim 0)"
        )
    return matmul(x, y)


def vdot(a: Any, b: Any, /) -> Any:
    """Inner product of the flattened arrays.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.vdot(ak.ones((2, 2)), ak.ones((2, 2)))
    np.float64(4.0)
    """
    x, y, _ = _pair(a, b)
    return dot(x.reshape(-1), y.reshape(-1))


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Inner products of vectors along an axis; the other axes broadcast.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.vecdot(ak.array([[1, 2], [3, 4]]), ak.array([1, 1]))
    array([3, 7])
    """
    x, y, code = _pair(x1, x2)
    if not x.ndim or not y.ndim:
        raise ValueError("vecdot: both operands need at least one axis")
    least = min(x.ndim, y.ndim)
    if not -least <= axis < least:
        raise np.exceptions.AxisError(axis, least)
    x, y = moveaxis(x, axis, -1), moveaxis(y, axis, -1)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(f"vecdot: the vectors have {x.shape[-1]} and {y.shape[-1]} elements")
    return _sum_last(x * y, code)


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Sums of products over several axes: so many last ones of the first array and first ones of the second, or those
    of a pair of lists.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.tensordot(ak.ones((2, 3)), ak.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    x, y, _ = _pair(x1, x2)
    if np.ndim(axes) == 0:
        number = operator.index(axes)
        if number < 0:
            raise ValueError("axes must not be negative")
        ours, theirs = list(range(x.ndim - number, x.ndim)), list(range(number))
    else:
        ours, theirs = ([operator.index(one) for one in np.atleast_1d(side)] for side in axes)
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
    """Inner product of vectors; of matrices, of each row with each row.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.inner(ak.array([1, 2]), ak.array([3, 4]))
    np.int64(11)
    """
    x, y, _ = _pair(a, b)
    return dot(x, y if y.ndim < 2 or x.ndim == 0 else y.T)


def outer(a: Any, b: Any) -> ndarray:
    """Products of each element of `a` with each of `b`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """
    x, y, _ = _pair(a, b)
    return x.reshape(-1, 1) * y.reshape(1, -1)
