# SPDX-License-Identifier: Apache-2.0
"""Shapes: reshaping, transposing and broadcasting."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, as_array, wrap
from .creation import shape_of
from .views import Broadcast, Reshape, Transpose, is_contiguous, is_view_as, step_into

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..annotations import ArrayLike, Axes
    from .ndarray import ndarray

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "expand_dims",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "ravel",
    "reshape",
    "rollaxis",
    "rot90",
    "squeeze",
    "swapaxes",
    "transpose",
]


def _axis(axis: Any, ndim: int) -> int:
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim)
    return number + ndim if number < 0 else number


def _axes(axis: Axes, ndim: int) -> list[int]:
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = [_axis(one, ndim) for one in given]
    if len(set(found)) != len(found):
        raise ValueError("repeated axis")
    return found


# -- views --


def reshape_to(a: ndarray, shape: Any, order: str, copy: bool | None, temporary: bool) -> ndarray:
    """The elements in another shape; a view where NumPy's is one, unless a copy is asked for."""
    if order not in ("C", "A", "K"):
        if order == "F":
            raise ValueError("order='F' is not available: elements are in C order. Use a.T.reshape(shape[::-1]).T")
        raise ValueError(f"order must be 'C', not {order!r}")
    expr = a._read()
    try:
        lengths = [operator.index(shape)]
    except TypeError:
        lengths = [operator.index(length) for length in shape]
    size, unknown = expr.size, [place for place, length in enumerate(lengths) if length == -1]
    if builtins.any(length < -1 for length in lengths):
        raise ValueError("negative dimensions not allowed")
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = math.prod(length for length in lengths if length != -1)
    if unknown and known and size % known == 0:
        lengths[unknown[0]] = size // known
        known = size
    if known != size or (unknown and lengths[unknown[0]] == -1):
        text = "(" + ",".join(map(str, lengths)) + ("," if len(lengths) == 1 else "") + ")"
        raise ValueError(f"cannot reshape array of size {size} into shape {text}")
    wanted = tuple(lengths)
    value = expr.alias() if wanted == expr.shape else engine.reshape(expr, wanted)
    if copy is False and not is_view_as(a, wanted):
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return step_into(a, Reshape(wanted), value, temporary) if not copy and is_view_as(a, wanted) else wrap(value)


def ravel_of(a: ndarray, order: str, temporary: bool) -> ndarray:
    """The elements in one axis; a view where they follow one another in memory."""
    return reshape_to(a, (-1,), order, None if is_contiguous(a) else True, temporary)


def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> ndarray:
    """The elements in another shape, in C order; one length may be -1. A view where NumPy's is one.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.reshape(ak.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    return reshape_to(as_array(a), shape, order, copy, not isinstance(a, Array))


def ravel(a: ArrayLike, order: str = "C") -> ndarray:
    """The elements in one axis; a view, or a copy if the array is not contiguous (`a.T`, `a[::2]`).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ravel(ak.ones((2, 2)))
    array([1., 1., 1., 1.])
    """
    return ravel_of(as_array(a), order, not isinstance(a, Array))


def transpose_axes(a: ndarray, axes: Any, temporary: bool) -> ndarray:
    """The axes in another order (None: reversed); a view."""
    expr = a._read()
    ndim = expr.ndim
    if axes is None:
        order = tuple(range(ndim))[::-1]
    else:
        given = list(axes) if isinstance(axes, (tuple, list)) else [axes]
        if len(given) != ndim:
            raise ValueError("axes don't match array")
        order = tuple(_axis(one, ndim) for one in given)
        if len(set(order)) != ndim:
            raise ValueError("repeated axis in transpose")
    same = order == tuple(range(ndim))
    return step_into(a, Transpose(order), expr.alias() if same else engine.transpose(expr, order), temporary)


def transpose(a: Any, axes: Any = None) -> ndarray:
    """The axes reversed, or in the given order; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.transpose(ak.arange(6).reshape(2, 3)).shape
    (3, 2)
    """
    return transpose_axes(as_array(a), axes, not isinstance(a, Array))


permute_dims = transpose


def matrix_transpose(x: ArrayLike, /) -> ndarray:
    """The last two axes exchanged; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.matrix_transpose(ak.zeros((2, 3))).shape
    (3, 2)
    """
    return swapaxes(x, -1, -2)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> ndarray:
    """Two axes exchanged; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.swapaxes(ak.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    array = as_array(a)
    order = list(range(array.ndim))
    first, second = _axis(axis1, array.ndim), _axis(axis2, array.ndim)
    order[first], order[second] = order[second], order[first]
    return transpose_axes(array, order, False)


def moveaxis(a: ArrayLike, source: Any, destination: Any) -> ndarray:
    """Axes moved to other positions, the others in their order; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.moveaxis(ak.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    array = as_array(a)
    origin, target = _axes(source, array.ndim), _axes(destination, array.ndim)
    if len(origin) != len(target):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(array.ndim) if axis not in origin]
    for place, axis in sorted(zip(target, origin, strict=True)):
        order.insert(place, axis)
    return transpose_axes(array, order, False)


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> ndarray:
    """One axis moved to before another; a view. Prefer `moveaxis`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.rollaxis(ak.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    array = as_array(a)
    place, before = _axis(axis, array.ndim), operator.index(start)
    if not -array.ndim <= before <= array.ndim:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-array.ndim} <= start < {array.ndim + 1}, but {before} was passed in"
        )
    before += array.ndim if before < 0 else 0
    return moveaxis(array, place, before - 1 if place < before else before)


def rot90(m: ArrayLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> ndarray:
    """Turned by 90 degrees, `k` times, from the first of two axes towards the second; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.rot90(ak.array([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
    array = as_array(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    for axis in axes:
        if not -array.ndim <= axis < array.ndim:
            raise ValueError(f"Axes={tuple(axes)} out of range for array of ndim={array.ndim}.")
    first, second = (axis % array.ndim for axis in axes)
    if first == second:
        raise ValueError("Axes must be different.")

    def reverse(one: ndarray, axis: int) -> ndarray:
        turned: ndarray = one[(slice(None),) * axis + (slice(None, None, -1),)]
        return turned

    turns = k % 4
    if turns == 0:
        return array[:]
    if turns == 2:
        return reverse(reverse(array, first), second)
    if turns == 1:
        return swapaxes(reverse(array, second), first, second)
    return reverse(swapaxes(array, first, second), second)


def squeeze(a: Any, axis: Any = None) -> ndarray:
    """Without the axes of length 1; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.squeeze(ak.zeros((1, 3, 1))).shape
    (3,)
    """
    array = as_array(a)
    shape = array.shape
    drop = [place for place, length in enumerate(shape) if length == 1] if axis is None else _axes(axis, array.ndim)
    if builtins.any(shape[place] != 1 for place in drop):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return reshape_to(array, [length for place, length in enumerate(shape) if place not in drop], "C", None, False)


def expand_dims(a: ArrayLike, axis: Axes) -> ndarray:
    """With new axes of length 1 at these places of the result; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.expand_dims(ak.zeros(3), 0).shape
    (1, 3)
    """
    array = as_array(a)
    ndim = array.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    places, lengths = _axes(axis, ndim), iter(array.shape)
    return reshape_to(array, [1 if place in places else next(lengths) for place in range(ndim)], "C", None, False)


def _each(function: Callable[[ndarray], ndarray], arys: tuple[Any, ...]) -> Any:
    """The function of one array, or of several as a tuple."""
    results = tuple(function(as_array(one)) for one in arys)
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys: Any) -> Any:
    """With at least one axis; of several arrays, a tuple.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.atleast_1d(5).shape
    (1,)
    """
    return _each(lambda array: array if array.ndim else array.reshape(1), arys)


def atleast_2d(*arys: Any) -> Any:
    """With at least two axes, new ones in front; of several arrays, a tuple.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.atleast_2d(ak.zeros(3)).shape
    (1, 3)
    """
    return _each(lambda array: array if array.ndim > 1 else array.reshape((1,) * (2 - array.ndim) + array.shape), arys)


def atleast_3d(*arys: Any) -> Any:
    """With at least three axes: a row becomes (1, n, 1), a matrix (m, n, 1); of several arrays, a tuple.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.atleast_3d(ak.zeros(3)).shape
    (1, 3, 1)
    """

    def deeper(array: ndarray) -> ndarray:
        shapes = {0: (1, 1, 1), 1: (1, *array.shape, 1), 2: (*array.shape, 1)}
        return array.reshape(shapes[array.ndim]) if array.ndim < 3 else array

    return _each(deeper, arys)


def broadcast_to(array: Any, shape: Any, subok: bool = False) -> ndarray:
    """The elements repeated along axes of length 1 to fill a shape: a read-only view; `subok` is ignored, as there are
    no subclasses.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.broadcast_to(ak.arange(2), (2, 2))
    array([[0, 1],
           [0, 1]])
    """
    lengths, own = shape_of(shape), as_array(array)
    return step_into(own, Broadcast(lengths), engine.broadcast_to(own._read(), lengths), False)


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return np.broadcast_shapes(*shapes)


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[ndarray, ...]:
    """Arrays broadcast to their common shape: those of another shape as read-only views; `subok` as in
    `broadcast_to`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.broadcast_arrays(ak.arange(2), 1)[1]
    array([1, 1])
    """
    arrays = [as_array(one) for one in args]
    shape = np.broadcast_shapes(*(one.shape for one in arrays))
    return tuple(one if one.shape == shape else broadcast_to(one, shape) for one in arrays)
