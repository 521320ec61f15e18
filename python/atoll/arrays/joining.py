# SPDX-License-Identifier: Apache-2.0
"""Joining and splitting arrays."""

from __future__ import annotations

import builtins
import itertools
import operator
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, as_array, expr_from, expr_of, require_out, wrap
from .dtypes import INT64, Casting, check_cast, code_of, result_code
from .manipulation import _axis, atleast_1d, atleast_2d, atleast_3d, broadcast_to, ravel
from .sizes import listed

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = [
    "append",
    "array_split",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "delete",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "insert",
    "row_stack",
    "split",
    "stack",
    "unstack",
    "vsplit",
    "vstack",
]


def concatenate(
    arrays: Sequence[Any], axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: Casting = "same_kind"
) -> ndarray:
    """Arrays one after the other along an existing axis (None: flattened).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.concatenate([ak.arange(2), [7.5]])
    array([0. , 1. , 7.5])
    """
    if not isinstance(arrays, Array) and not isinstance(arrays, (list, tuple)):
        raise TypeError(f"concatenate needs a list of arrays, not {type(arrays).__name__}")
    parts = [expr_of(one) for one in arrays]
    if not parts:
        raise ValueError("need at least one array to concatenate")
    code = result_code(*(part.dtype for part in parts)) if dtype is None else code_of(dtype)
    for part in parts:
        check_cast(part.dtype, code, casting)
    parts = [part if part.dtype == code else engine.cast(part, code) for part in parts]
    if axis is None:
        parts, axis = [engine.reshape(part, (part.size,)) for part in parts], 0
    ndim = parts[0].ndim
    if ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    place = _axis(axis, ndim)
    for number, part in enumerate(parts):
        if part.ndim != ndim:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match exactly, but along the "
                f"array at index 0 has {ndim} dimension(s) and the array at index {number} has {part.ndim} dimension(s)"
            )
        for other, (mine, first) in enumerate(zip(part.shape, parts[0].shape, strict=True)):
            if other != place and mine != first:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but along "
                    f"dimension {other}, the array at index 0 has size {first} and the array at index {number} has "
                    f"size {mine}"
                )
    joined = engine.concatenate(parts, place)
    if out is None:
        return wrap(joined)
    require_out(out)[...] = wrap(joined)
    return out


concat = concatenate


def stack(
    arrays: Sequence[Any], axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Casting = "same_kind"
) -> ndarray:
    """Arrays of one shape along a new axis; `out`, `dtype` and `casting` as in `concatenate`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.stack([ak.arange(2), ak.arange(2)])
    array([[0, 1],
           [0, 1]])
    """
    parts = [as_array(one) for one in arrays]
    if not parts:
        raise ValueError("need at least one array to stack")
    shape = parts[0].shape
    if builtins.any(part.shape != shape for part in parts):
        raise ValueError("all input arrays must have the same shape")
    place = _axis(axis, len(shape) + 1)
    wider = (*shape[:place], 1, *shape[place:])
    reshaped = [wrap(engine.reshape(part._read(), wider)) for part in parts]
    return concatenate(reshaped, place, out, dtype=dtype, casting=casting)


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    """Views of the parts along an axis, without that axis: the inverse of `stack`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unstack(ak.array([[1, 2], [3, 4]]))
    (array([1, 2]), array([3, 4]))
    """
    array = as_array(x)
    if array.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    before = (slice(None),) * _axis(axis, array.ndim)
    return tuple(array[(*before, place)] if array.ndim > 1 else array[place : place + 1].reshape(())
                 for place in range(array.shape[len(before)]))  # fmt: skip


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: Casting = "same_kind") -> ndarray:
    """Arrays side by side: along axis 1, or axis 0 when 1-d.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.hstack([[1], [2, 3]])
    array([1, 2, 3])
    """
    parts = [atleast_1d(one) for one in tup]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: Casting = "same_kind") -> ndarray:
    """Arrays below each other: along axis 0, 1-d arrays as rows.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.vstack([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    """
    return concatenate([atleast_2d(one) for one in tup], 0, dtype=dtype, casting=casting)


row_stack = vstack


def dstack(tup: Sequence[Any]) -> ndarray:
    """Arrays behind each other: along axis 2, which arrays with fewer axes get.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.dstack([[1, 2], [3, 4]])
    array([[[1, 3],
            [2, 4]]])
    """
    return concatenate([atleast_3d(one) for one in tup], 2)


def block(arrays: Any) -> ndarray:
    """An array assembled from nested lists of blocks: the innermost lists along the last axis, the next along the
    one before.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.block([[ak.ones((1, 2)), 5.0], [7.0, ak.zeros((1, 2))]])
    array([[1., 1., 5.],
           [7., 0., 0.]])
    """
    depth, ndim = _block_depth(arrays, ())
    return _block(arrays, depth, builtins.max(depth, ndim)).copy()


def _block_depth(arrays: Any, place: tuple[int, ...]) -> tuple[int, int]:
    """The nesting depth of the lists, which must be equal everywhere, and the largest number of axes of a block."""
    where = "arrays" + "".join(f"[{one}]" for one in place)
    if type(arrays) is tuple:
        raise TypeError(
            f"{where} is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit "
            "conversion from tuple to ndarray."
        )
    if type(arrays) is not list:
        return 0, as_array(arrays).ndim
    if not arrays:
        raise ValueError(f"List at {where} cannot be empty")
    found = [_block_depth(one, (*place, number)) for number, one in enumerate(arrays)]
    if len({depth for depth, _ in found}) > 1:
        raise ValueError(f"List depths are mismatched in {where}: blocks and lists of blocks side by side")
    return found[0][0] + 1, builtins.max(ndim for _, ndim in found)


def _block(arrays: Any, depth: int, ndim: int) -> ndarray:
    if type(arrays) is list:
        return concatenate([_block(one, depth - 1, ndim) for one in arrays], -depth)
    array = as_array(arrays)
    return array.reshape((1,) * (ndim - array.ndim) + array.shape)


def column_stack(tup: Sequence[Any]) -> ndarray:
    """1-d arrays as the columns of a matrix.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.column_stack([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    parts = [as_array(one) for one in tup]
    return concatenate([part.reshape(-1, 1) if part.ndim < 2 else part for part in parts], 1)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    """`arr` followed by `values`: flattened, or along an axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.append(ak.arange(2), 9)
    array([0, 1, 9])
    """
    return concatenate([as_array(arr), as_array(values)], axis)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> ndarray:
    """A copy with `values` inserted before position `obj`, or each before its own of several positions.

    Parameters
    ----------
    arr : array_like
        Elements.
    obj : int, slice or array_like of int
        Positions in `arr`.
    values : array_like
        Values to insert, cast to the dtype of `arr` and broadcast to the inserted positions.
    axis : int, optional
        Axis to insert along; flattened by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.insert(ak.arange(3), 1, 9)
    array([0, 9, 1, 2])
    """
    array = as_array(arr)
    if axis is None:
        array, axis = ravel(array), 0
    place = _axis(axis, array.ndim)
    length = array.shape[place]
    if isinstance(obj, slice):
        positions = np.arange(*obj.indices(length))
    else:
        positions = np.asarray(obj.to_numpy() if isinstance(obj, Array) else obj)
        if positions.dtype == bool:
            positions = np.flatnonzero(positions)
        elif positions.size == 0 and not isinstance(obj, (np.ndarray, Array)):
            positions = positions.astype(np.int64)
        if positions.dtype.kind not in "iu" or positions.ndim > 1:
            raise IndexError("positions to insert at must be integers, in one axis")
    for position in positions[(positions < -length) | (positions > length)].reshape(-1)[:1]:
        raise IndexError(f"index {position} is out of bounds for axis {place} with size {length}")
    positions = np.where(positions < 0, positions + length, positions)
    new = wrap(expr_from(values, array.dtype, True))
    if new.ndim < array.ndim:
        new = new.reshape((1,) * (array.ndim - new.ndim) + new.shape)
    if positions.ndim == 0:  # as NumPy: `values` of one position lie along the other axes
        order = list(range(1, new.ndim))
        new = new.transpose([*order[:place], 0, *order[place:]])
    number = new.shape[place] if positions.size == 1 else positions.size
    new = broadcast_to(new, (*array.shape[:place], number, *array.shape[place + 1 :]))
    before = (slice(None),) * place
    if positions.size == 1:
        cut = int(positions.item())
        return concatenate([array[(*before, slice(None, cut))], new, array[(*before, slice(cut, None))]], place)
    # Where each row of the result comes from: the old ones in order, each new one before its position.
    old = wrap(engine.arange(array._expr.session, 1, 2, length, INT64))
    rows = wrap(engine.argsort(concatenate([old, 2 * as_array(positions)])._read()))
    return concatenate([array, new], place)[(*before, rows)]


def delete(arr: ArrayLike, obj: Any, axis: int | None = None) -> ndarray:
    """A copy without the elements (or slices along an axis) at these positions.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.delete(ak.arange(4), [1, 3])
    array([0, 2])
    """
    array = as_array(arr)
    if axis is None:
        array, axis = ravel(array), 0
    place = _axis(axis, array.ndim)
    keep = np.ones(array.shape[place], bool)
    try:
        keep[obj.to_numpy() if isinstance(obj, Array) else obj] = False
    except IndexError as error:
        raise IndexError(str(error)) from None
    return array[(slice(None),) * place + (np.flatnonzero(keep),)]


# -- splitting --


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """Views of parts along an axis: so many nearly equal ones, or cut at these positions.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.array_split(ak.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    array = as_array(ary)
    place = _axis(axis, array.ndim)
    length = array.shape[place]
    cuts: list[int]
    several: Any = indices_or_sections
    if isinstance(several, (list, tuple, np.ndarray, Array)):
        cuts = [0, *map(int, indices_or_sections), length]
    else:
        sections = operator.index(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        if sections > sys.maxsize:
            raise OverflowError("cannot fit 'int' into an index-sized integer")
        listed(sections, "parts")
        each, extra = divmod(length, sections)
        cuts = [part * each + builtins.min(part, extra) for part in range(sections + 1)]
    before = (slice(None),) * place
    return [array[(*before, slice(low, high))] for low, high in itertools.pairwise(cuts)]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """As `array_split`; the parts of a number of sections must be equal.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.split(ak.arange(4), 2)
    [array([0, 1]), array([2, 3])]
    """
    if isinstance(indices_or_sections, (int, np.integer)) and indices_or_sections > 0:
        array = as_array(ary)
        if array.shape[_axis(axis, array.ndim)] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary: Any, indices_or_sections: Any) -> list[ndarray]:
    """As `split` along axis 1, or axis 0 when 1-d.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.hsplit(ak.arange(4), 2)
    [array([0, 1]), array([2, 3])]
    """
    array = as_array(ary)
    if array.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(array, indices_or_sections, 1 if array.ndim > 1 else 0)


def vsplit(ary: Any, indices_or_sections: Any) -> list[ndarray]:
    """As `split` along axis 0, of arrays with at least two axes.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.vsplit(ak.arange(4).reshape(2, 2), 2)
    [array([[0, 1]]), array([[2, 3]])]
    """
    array = as_array(ary)
    if array.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(array, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[ndarray]:
    """As `split` along axis 2.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.dsplit(ak.arange(4).reshape(1, 1, 4), [1])[0]
    array([[[0]]])
    """
    array = as_array(ary)
    if array.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(array, indices_or_sections, 2)
