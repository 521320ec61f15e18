# SPDX-License-Identifier: Apache-2.0
"""Functions that select or assign elements: take, compress, nonzero and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, as_array, expr_from, expr_of, require_out, wrap
from .composed import choose, clip
from .creation import arange
from .dtypes import BOOL, INT64, SCALAR_KIND, WEAK_INT
from .indexing import get, value_expr
from .joining import stack
from .keys import index_array, unravel
from .manipulation import _axis
from .reductions import axis_of_scalar

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = [
    "argwhere",
    "compress",
    "extract",
    "flatnonzero",
    "nonzero",
    "place",
    "putmask",
    "take",
    "take_along_axis",
    "where",
]


def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> ndarray:
    """Elements at these positions: ``a[indices]`` along `axis`, or of the flattened array.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.take(ak.array([10, 20, 30]), [2, 0])
    array([30, 10])
    """
    array = wrap(expr_of(a).alias())
    if axis_of_scalar(axis, array.ndim) is None:
        array, axis = array.reshape(-1), 0
    axis = _axis(axis, array.ndim)
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode must be 'raise', 'wrap' or 'clip', not {mode!r}")
    if SCALAR_KIND.get(type(indices)) == WEAK_INT:
        indices = np.int64(indices)
    index: ndarray = (
        as_array(indices)
        if isinstance(indices, Array)
        else index_array(indices if isinstance(indices, (list, tuple)) else np.asarray(indices))
    )
    if index._expr.dtype == BOOL:
        index = index.astype(np.int64)
    if mode == "wrap":
        index = index % array.shape[axis]
    elif mode == "clip":
        index = clip(index, 0, array.shape[axis] - 1)
    key = (slice(None),) * axis + (index,)
    result = get(array, key if axis else index, True)
    if out is not None:
        require_out(out)[...] = result
        return out
    return result


def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> ndarray:
    """Elements (or, along `axis`, slices) where the 1-d condition is true; a short condition ends early.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.compress([True, False, True], ak.array([1, 2, 3]))
    array([1, 3])
    """
    array, mask = wrap(expr_of(a).alias()), wrap(expr_of(condition))
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if axis is None:
        array, axis = array.reshape(-1), 0
    axis = _axis(axis, array.ndim)
    return take(array, wrap(engine.flatnonzero(mask._expr)), axis, out)


def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray:
    """Elements of the flattened array where the flattened condition is true.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(5)
    >>> ak.extract(a > 2, a)
    array([3, 4])
    """
    array, mask = wrap(expr_of(arr).alias()).reshape(-1), wrap(expr_of(condition).alias()).reshape(-1)
    return array[mask.astype(bool)]


def flatnonzero(a: Any) -> ndarray:
    """Positions of the nonzero elements of the flattened array.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.flatnonzero(ak.array([0, 3, 0, 4]))
    array([1, 3])
    """
    expr = expr_of(a)
    return wrap(engine.flatnonzero(expr if expr.dtype == BOOL else engine.cast(expr, BOOL)))


def nonzero(a: ArrayLike) -> tuple[ndarray, ...]:
    """Positions of the nonzero elements, one index array per axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nonzero(ak.array([0, 3, 0, 4]))
    (array([1, 3]),)
    """
    shape = expr_of(a).shape
    if not shape:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.")
    return unravel(flatnonzero(a), shape)


def argwhere(a: ArrayLike) -> ndarray:
    """Positions of the nonzero elements, one row each.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.argwhere(ak.array([0, 3, 0, 4]))
    array([[1],
           [3]])
    """
    array = as_array(a)
    if array.ndim == 0:
        return arange(int(bool(array))).reshape(-1, 1)[:, :0]
    return stack(nonzero(array), axis=-1)


def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None = -1) -> ndarray:
    """Elements picked along one axis by an index array of the same number of axes, as `argsort` gives it.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.array([[3, 1], [2, 9]])
    >>> ak.take_along_axis(a, ak.argsort(a, axis=1), axis=1)
    array([[1, 3],
           [2, 9]])
    """
    array, index = wrap(expr_of(arr).alias()), wrap(expr_of(indices).alias())
    if axis is None:
        return array.reshape(-1)[index]
    return array[along_axis(array, index, axis)]


def along_axis(array: ndarray, index: ndarray, axis: int) -> tuple[Any, ...]:
    """The key of elements picked along one axis by an index array of as many axes."""
    if array.ndim != index.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    if index.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    axis = _axis(axis, array.ndim)
    key: list[Any] = []
    for place, length in enumerate(array.shape):
        shape = [1] * array.ndim
        shape[place] = length
        key.append(index if place == axis else arange(length).reshape(shape))
    return tuple(key)


def place(arr: ndarray, mask: Any, vals: Any) -> None:
    """Assigns `vals`, repeated as often as needed, where the mask is true.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(4)
    >>> ak.place(a, a > 1, [7])
    >>> a
    array([0, 1, 7, 7])
    """
    condition = wrap(expr_of(mask).alias()).astype(bool)
    values = wrap(expr_from(vals, None if isinstance(vals, Array) else arr.dtype, True)).reshape(-1)
    count = int(engine.reduce_all("count_nonzero", condition._expr, INT64, True))
    if count and not values.size:
        raise ValueError("Cannot insert from an empty array!")
    if values.size > 1:
        values = values[arange(count) % values.size]
    if count:
        arr[condition] = values


def putmask(a: ndarray, mask: ArrayLike, values: ArrayLike) -> None:
    """``a[mask] = values[mask]`` where values has the shape of `a`, or one value.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(3)
    >>> ak.putmask(a, a > 1, 9)
    >>> a
    array([0, 1, 9])
    """

    condition = wrap(expr_of(mask).alias()).astype(bool)
    given = np.asarray(values) if isinstance(values, np.generic) else values  # cast, not required to fit
    replacement = wrap(value_expr(a._expr.session, given, a._expr.dtype))
    a._store(choose(condition, replacement, a)._expr)


def where(condition: ArrayLike, x: ArrayLike = None, y: ArrayLike = None, /) -> Any:
    """Elements of `x` where the condition holds, of `y` elsewhere; with the condition alone, as `nonzero`.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(5)
    >>> ak.where(a > 2, a, -a)
    array([ 0, -1, -2,  3,  4])
    """
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return choose(condition, x, y)
