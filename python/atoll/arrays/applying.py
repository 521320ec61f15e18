# SPDX-License-Identifier: Apache-2.0
"""Arrays from Python functions: of indices, of vectors along an axis, of single values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array, as_array
from .creation import array
from .dtypes import DTypeLike
from .index_tricks import indices
from .joining import stack
from .manipulation import _axis, expand_dims, moveaxis

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = ["apply_along_axis", "apply_over_axes", "fromfunction", "fromiter"]


def fromfunction(
    function: Callable[..., Any], shape: Sequence[int], *, dtype: DTypeLike = float, **kwargs: object
) -> Any:
    """The result of `function`, called with index arrays of all elements, one array for each axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fromfunction(lambda i, j: i + j, (2, 3), dtype=int)
    array([[0, 1, 2],
           [1, 2, 3]])
    """
    return function(*indices(shape, dtype), **kwargs)


def fromiter(iter: Iterable[Any], dtype: DTypeLike, count: int = -1) -> ndarray:
    """An array of the values that an iterable gives, all or the first `count`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fromiter((i * i for i in range(3)), float)
    array([0., 1., 4.])
    """
    return array(np.fromiter(iter, dtype, count))


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: object, **kwargs: object) -> Any:
    """`func1d` of every vector along an axis, called once for each vector; it may return a scalar or an array.

    Functions that take `axis=` are much faster: `ak.sort(a, axis=0)` is one operation.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.apply_along_axis(lambda row: row.max() - row.min(), 1, ak.array([[1, 5], [7, 2]]))
    array([4, 5])
    """
    lines = as_array(arr)
    place = _axis(axis, lines.ndim)
    lines = moveaxis(lines, place, -1)
    others = lines.shape[:-1]
    if 0 in others:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [func1d(lines[where], *args, **kwargs) for where in np.ndindex(others)]
    if not isinstance(results[0], Array) and np.ndim(results[0]) == 0:
        dtype = np.asarray(results[0]).dtype
        return array(np.array([np.asarray(one).astype(dtype) for one in results]).reshape(others))
    rows = stack([as_array(one).astype(as_array(results[0]).dtype) for one in results])
    rows = rows.reshape(others + rows.shape[1:])
    inner = rows.ndim - len(others)
    order = [*range(place), *range(len(others), len(others) + inner), *range(place, len(others))]
    return rows.transpose(order).copy()


def apply_over_axes(func: Callable[[Any, int], Any], a: Any, axes: Any) -> Any:
    """`func` of the array and one axis after the other; axes that it drops stay, with length 1.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.apply_over_axes(ak.sum, ak.ones((2, 3, 4)), [0, 2])
    array([[[8.],
            [8.],
            [8.]]])
    """
    result = as_array(a)
    ndim = result.ndim
    for axis in itertools.chain(axes) if np.ndim(axes) else (axes,):
        place = axis + ndim if axis < 0 else axis
        found = as_array(func(result, place))
        if found.ndim != ndim:
            found = expand_dims(found, place)
        if found.ndim != ndim:
            raise ValueError("function is not returning an array of the correct shape")
        result = found
    return result
