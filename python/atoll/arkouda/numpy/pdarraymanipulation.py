# SPDX-License-Identifier: Apache-2.0
"""Arkouda's functions that join arrays and take parts out: append, delete, hstack, vstack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..objects import checked, lift, lower
from . import wide
from .arrays import pdarray
from .dtypes import Int, bigint
from .dtypes import dtype as ak_dtype

if TYPE_CHECKING:
    from ...annotations import DTypeLike

__all__ = ["append", "delete", "hstack", "vstack"]


def _joined(arrays: list[Any], axis: int) -> Any:
    """Arrays of their common type, concatenated along an axis; bigints by their numbers."""
    if not any(one.dtype == bigint() for one in arrays):
        return lift(atoll.concatenate([one._a for one in arrays], axis=axis))
    bits = {one.max_bits for one in arrays if one.dtype == bigint()} - {-1}
    if len(bits) > 1:
        raise ValueError("all max_bits must be the same")
    begin, rows = 0, []
    for one in arrays:
        rows.append(atoll.arange(begin, begin + one.size).reshape(one.shape))
        begin += one.size
    places = atoll.concatenate(rows, axis=axis)
    column = atoll.concatenate([wide.of_any(one._a) for one in arrays])
    return pdarray._of(wide.bigint(column.take(places.reshape(-1)), max(bits) if bits else -1), places.shape)


def _stacked(tup: Any, dtype: DTypeLike, casting: str, vertical: bool) -> Any:
    if casting != "same_kind":
        raise NotImplementedError(f"casting={casting!r} is not implemented. Use astype, or casting='same_kind'")
    arrays = list(tup) if not isinstance(tup, pdarray) else [tup]
    for one in arrays:
        if not isinstance(one, pdarray):
            raise TypeError(f"arrays are stacked, not {type(one).__name__}")
    if dtype is not None:
        arrays = [one.astype(ak_dtype(dtype)) for one in arrays]
    if vertical:
        arrays = [one.reshape(1, one.size) if one.ndim == 1 else one for one in arrays]
    axis = 0 if vertical or arrays[0].ndim == 1 else 1
    if len({one.ndim for one in arrays}) != 1:
        raise ValueError("all arrays must have the same number of dimensions")
    for place in range(arrays[0].ndim):
        if place != axis and len({one.shape[place] for one in arrays}) != 1:
            raise ValueError("all dimensions but that of the stack must match")
    return _joined(arrays, axis)


@checked((list, tuple, pdarray))
def hstack(tup: Any, *, dtype: DTypeLike = None, casting: str = "same_kind") -> Any:
    """Arrays beside one another.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.hstack([ak.arange(2), ak.arange(2)])
    array([0 1 0 1])
    """
    return _stacked(tup, dtype, casting, False)


@checked((list, tuple, pdarray))
def vstack(tup: Any, *, dtype: DTypeLike = None, casting: str = "same_kind") -> Any:
    """Arrays below one another."""
    return _stacked(tup, dtype, casting, True)


@checked(pdarray, pdarray)
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """`values` behind `arr`: along an axis, or both flat."""
    if axis is None:
        return _joined([arr.flatten(), values.flatten()], 0)
    if arr.ndim != values.ndim:
        raise ValueError("both arrays must have the same number of dimensions")
    if not -arr.ndim <= axis < arr.ndim:
        raise ValueError(f"axis {axis} is out of bounds for {arr.ndim} dimensions")
    axis = int(axis) % arr.ndim
    if any(a != b for place, (a, b) in enumerate(zip(arr.shape, values.shape, strict=True)) if place != axis):
        raise ValueError("all dimensions but that of the axis must match")
    return _joined([arr, values], axis)


@checked(pdarray)
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """The elements but those at some places.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.delete(ak.arange(5), ak.array([1, 3]))
    array([0 2 4])
    """
    if axis is None and arr.ndim > 1:
        arr, axis = arr.flatten(), 0
    axis = 0 if axis is None else int(axis)
    size = arr.shape[axis]
    kept = atoll.full(size, True)
    where = lower(obj)
    if isinstance(where, (list, tuple)):
        where = np.asarray(where, dtype=np.int64 if not len(where) else None)
    if isinstance(where, Int) and not -size <= where < size:
        raise IndexError(f"index {where} is out of bounds for axis of size {size}")
    if getattr(where, "dtype", None) is not None and where.dtype.kind not in "biu":
        raise TypeError("places are whole numbers or bools")
    kept[where] = False
    rows = atoll.flatnonzero(kept)
    if not isinstance(arr._a, wide.BigInts):
        return lift(atoll.take(arr._a, rows, axis=axis))
    places = atoll.take(atoll.arange(arr.size).reshape(arr.shape), rows, axis=axis)
    return pdarray._of(arr._a.take(places.reshape(-1)), places.shape)
