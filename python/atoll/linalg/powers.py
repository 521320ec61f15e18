# SPDX-License-Identifier: Apache-2.0
"""Products of many matrices, and what the array API standard calls otherwise than NumPy's main namespace."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import diagonals, products
from ..arrays.array import as_array
from ..arrays.creation import eye
from ..arrays.dtypes import DTypeLike
from ..arrays.manipulation import broadcast_to
from .lapack import inv

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Out
    from ..arrays.ndarray import ndarray


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Any:
    """Vector products of vectors of three elements.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    """
    return products.cross(x1, x2, axis=axis)


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> ndarray:
    """Diagonals of the matrices in the last two axes: a view that can only be read.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.diagonal(ak.arange(8).reshape(2, 2, 2))
    array([[0, 3],
           [4, 7]])
    """
    return diagonals.diagonal(x, offset, -2, -1)


def trace(x: Any, /, *, offset: int = 0, dtype: DTypeLike = None) -> Any:
    """Sums along the diagonals of the matrices in the last two axes.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.trace(ak.arange(8).reshape(2, 2, 2))
    array([ 3, 11])
    """
    return diagonals.trace(x, offset, -2, -1, dtype)


def matrix_power(a: Any, n: int) -> Any:
    """Square matrices to a whole power, by squares.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.matrix_power(ak.array([[1, 1], [0, 1]]), 5)
    array([[1, 5],
           [0, 1]])
    """
    base: Any = as_array(a)
    if base.ndim < 2:
        raise np.linalg.LinAlgError(f"{base.ndim}-dimensional array given. Array must be at least two-dimensional")
    if base.shape[-1] != base.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    try:
        left = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if left == 0:
        return broadcast_to(eye(base.shape[-1], dtype=base.dtype), base.shape).copy()
    if left < 0:
        base, left = inv(base), -left
    result: Any = None
    while left:
        if left & 1:
            result = base if result is None else products.matmul(result, base)
        left >>= 1
        if left:
            base = products.matmul(base, base)
    return result.copy() if result is a else result


def multi_dot(arrays: Sequence[Any], *, out: Out = None) -> Any:
    """The product of several matrices, in the order that takes the fewest operations.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.multi_dot([ak.ones((2, 9)), ak.ones((9, 9)), ak.ones((9, 1))])
    array([[81.],
           [81.]])
    """
    matrices = [as_array(one) for one in arrays]
    if len(matrices) < 2:
        raise ValueError("Expecting at least two arrays.")
    ends = matrices[0].ndim == 1, matrices[-1].ndim == 1
    if ends[0]:
        matrices[0] = matrices[0].reshape(1, -1)
    if ends[1]:
        matrices[-1] = matrices[-1].reshape(-1, 1)
    for one in matrices:
        if one.ndim != 2:
            raise np.linalg.LinAlgError(f"{one.ndim}-dimensional array given. Array must be two-dimensional")
    result = _in_order(matrices, _split_places([*(one.shape[0] for one in matrices), matrices[-1].shape[1]]))
    shape = tuple(length for length, end in zip(result.shape, ends, strict=True) if not end)
    result = result.reshape(shape) if shape else result.reshape(())
    if out is not None:
        return products.into(result, out)
    return result if shape else result.dtype.type(result.item())


def _split_places(lengths: list[int]) -> dict[tuple[int, int], int]:
    """Where to split each run of matrices: Godbole's dynamic program."""
    number = len(lengths) - 1
    cost = {(one, one): 0 for one in range(number)}
    split: dict[tuple[int, int], int] = {}
    for run in range(1, number):
        for first in range(number - run):
            last = first + run
            cost[first, last], split[first, last] = min(
                (cost[first, k] + cost[k + 1, last] + lengths[first] * lengths[k + 1] * lengths[last + 1], k)
                for k in range(first, last)
            )
    return split


def _in_order(matrices: list[Any], split: dict[tuple[int, int], int]) -> Any:
    def product(first: int, last: int) -> Any:
        if first == last:
            return matrices[first]
        place = split[first, last]
        return products.matmul(product(first, place), product(place + 1, last))

    return product(0, len(matrices) - 1)
