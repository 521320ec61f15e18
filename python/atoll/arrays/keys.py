# SPDX-License-Identifier: Apache-2.0
"""Interpretation of an index: one entry per axis, a range for each basic entry, row numbers for the advanced ones."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, as_array, expr_of, shape_text, wrap
from .composed import choose
from .dtypes import BOOL, INT64, KIND_OF
from .views import Range, Reshape, Slice, Step, Transpose

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

_INVALID = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays "
    "are valid indices"
)


# -- entries --


def entries_of(key: object, ndim: int) -> list[Any]:
    """The entries of an index, one for each axis and each None: ints, slices, None and Atoll arrays.

    An ellipsis becomes the full slices that it stands for. One that stands for no axis stays where it separates two
    entries, because NumPy puts the axes of advanced indices first when something separates them.
    """
    items = list(key) if type(key) is tuple else [key]
    taken, ellipsis = 0, None
    for position, item in enumerate(items):
        if item is Ellipsis:
            if ellipsis is not None:
                raise IndexError("an index can only have a single ellipsis ('...')")
            ellipsis = position
        elif item is not None:
            items[position] = item = _entry(item)
            taken += item.ndim if isinstance(item, Array) and item._expr.dtype == BOOL else 1
    if taken > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {taken} were indexed")
    missing: list[Any] = [slice(None)] * (ndim - taken)
    if ellipsis is None:
        return items + missing
    between = 0 < ellipsis < len(items) - 1
    return items[:ellipsis] + (missing or [Ellipsis] * between) + items[ellipsis + 1 :]


def has_ellipsis(key: object) -> bool:
    """Whether an index of basic entries has an ellipsis: then the result is an array even if no axes remain."""
    return key is Ellipsis or (type(key) is tuple and any(item is Ellipsis for item in key))


def has_scalar_arrays(key: object) -> bool:
    """Whether an integer of the index is an array without axes: then NumPy gives a copy, not a view."""
    return any(isinstance(item, (Array, np.ndarray)) for item in (key if type(key) is tuple else (key,)))


def _entry(item: Any) -> Any:
    """An int or slice as it is; a bool, list or array as an Atoll array; IndexError for other values."""
    if type(item) is slice or type(item) is int:
        return item
    if isinstance(item, (bool, np.bool_)):
        return wrap(expr_of(bool(item)))
    if isinstance(item, Array):
        if KIND_OF[item._expr.dtype] in "fc":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        return int(item) if item.ndim == 0 and item._expr.dtype != BOOL else item
    if not isinstance(item, (list, tuple)) and getattr(item, "ndim", 0) == 0:
        try:
            return operator.index(item)
        except TypeError:
            pass
    if isinstance(item, (str, bytes, np.generic)) or not (
        isinstance(item, (list, tuple)) or hasattr(item, "__array__")
    ):
        raise IndexError(_INVALID)
    return index_array(item)


def index_array(values: ArrayLike) -> ndarray:
    """A list or an array of another kind as index array."""
    array = np.asarray(values)
    if array.size == 0 and not isinstance(values, np.ndarray):
        array = array.astype(np.int64)
    if array.dtype.kind not in "biu":
        raise IndexError(
            "arrays used as indices must be of integer (or boolean) type" if hasattr(values, "__array__") else _INVALID
        )
    return wrap(expr_of(array))


# -- basic entries --


def range_of(key: slice, length: int) -> Range:
    """(start, step, count) of a slice of an axis."""
    start, stop, step = key.indices(length)
    count = len(range(start, stop, step))
    if count > 1:
        return (start, step, count)
    return (start, 1, 1) if count else (0, 1, 0)  # the step of one element may have more than 64 bits


def check_index(index: int, axis: int, length: int) -> int:
    """The position of an index, which may be negative; IndexError outside the axis."""
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
    return index + length if index < 0 else index


def basic_steps(items: list[Any], shape: tuple[int, ...]) -> tuple[tuple[Range, ...], tuple[int, ...], bool]:
    """Ranges per axis, the result's shape, and whether that differs from the ranges' counts."""
    ranges: list[Range] = []
    result: list[int] = []
    reshaped = False
    for item in items:
        if item is None:
            result.append(1)
            reshaped = True
        elif type(item) is slice:
            ranges.append(range_of(item, shape[len(ranges)]))
            result.append(ranges[-1][2])
        elif item is not Ellipsis:
            axis = len(ranges)
            ranges.append((check_index(item, axis, shape[axis]), 1, 1))
            reshaped = True
    return tuple(ranges), tuple(result), reshaped


def is_full(ranges: tuple[Range, ...], shape: tuple[int, ...]) -> bool:
    """Whether the ranges select everything in its order."""
    return all(start == 0 and step == 1 and count == length
               for (start, step, count), length in zip(ranges, shape, strict=True))  # fmt: skip


# -- advanced entries --


def to_int64(indices: engine.Expr) -> engine.Expr:
    """Indices as int64, the dtype of the engine's indices."""
    return indices if indices.dtype == INT64 else engine.cast(indices, INT64)


def check_mask(mask: tuple[int, ...], shape: tuple[int, ...], first: int) -> None:
    """IndexError unless a mask of this shape fits the axes from `first` on."""
    for axis, length in enumerate(mask, first):
        if axis >= len(shape):
            raise IndexError(
                f"too many indices for array: array is {len(shape)}-dimensional, but {first + len(mask)} were indexed"
            )
        if length not in (shape[axis], 0):  # NumPy, too, lets an empty mask select nothing of anything
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is {shape[axis]} "
                f"but size of corresponding boolean axis is {length}"
            )


def unravel(flat: ndarray, shape: tuple[int, ...]) -> tuple[ndarray, ...]:
    """The index along each axis of positions in the flattened array."""
    found: list[ndarray] = []
    for length in reversed(shape[1:]):
        found.append(flat % max(length, 1))
        flat = flat // max(length, 1)
    return (flat, *reversed(found))


class _Advanced:
    """An entry whose axis advanced indexing replaces: by an index array, or, of an integer, by nothing."""

    __slots__ = ("axis", "basic", "index", "length")

    def __init__(self, axis: int, basic: Any, length: int, index: ndarray | None) -> None:
        self.axis = axis  # of the indexed array, for messages
        self.basic = basic  # the entry of the basic part, which leaves `length` elements to choose from
        self.length = length
        self.index = index


def _advanced(items: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """The entries with masks as index arrays, and with integers and arrays as `_Advanced`."""
    axis = 0
    for item in items:
        if isinstance(item, Array) and item._expr.dtype == BOOL:
            check_mask(item.shape, shape, axis)
            axis += item.ndim
        else:
            axis += item is not None and item is not Ellipsis
    found: list[Any] = []
    axis = 0
    for item in items:
        if type(item) is int:
            position = check_index(item, axis, shape[axis])
            found.append(_Advanced(axis, slice(position, position + 1), 1, None))
            axis += 1
        elif not isinstance(item, Array):
            found.append(item)
            axis += type(item) is slice
        elif item._expr.dtype != BOOL:
            found.append(_Advanced(axis, slice(None), shape[axis], as_array(item)))
            axis += 1
        elif item.ndim:
            for index in unravel(wrap(engine.flatnonzero(item._read())), item.shape):
                found.append(_Advanced(axis, slice(None), shape[axis], index))
                axis += 1
        else:  # a new axis of length 1: of it nothing for False, all for True
            count = int(bool(item))
            found.append(_Advanced(axis, None, 1, wrap(engine.arange(item._expr.session, 0, 1, count, INT64))))
    return found


class ByData:
    """An index with arrays, brought to one form: steps that make the array a table of rows, and row numbers."""

    def __init__(self, shape: tuple[int, ...], items: list[Any]) -> None:
        entries = _advanced(items, shape)
        marked = [place for place, entry in enumerate(entries) if type(entry) is _Advanced]
        adjacent = marked[-1] - marked[0] == len(marked) - 1
        entries = [entry for entry in entries if entry is not Ellipsis]
        basic = [entry.basic if type(entry) is _Advanced else entry for entry in entries]
        ranges, after, reshaped = basic_steps(basic, shape)
        self.steps: list[Step] = []
        if not is_full(ranges, shape):
            self.steps.append(Slice(ranges))
        if reshaped:
            self.steps.append(Reshape(after))
        # The advanced axes go to the front and become one.
        places = [place for place, entry in enumerate(entries) if type(entry) is _Advanced]
        rest = [place for place in range(len(after)) if place not in places]
        if places != list(range(len(places))):
            self.steps.append(Transpose((*places, *rest)))
        rest_shape = tuple(after[place] for place in rest)
        if len(places) > 1:
            self.steps.append(Reshape((math.prod(after[place] for place in places), *rest_shape)))
        self._entries = [entries[place] for place in places]
        self.indices = _row_numbers(self._entries)
        # The result has the index axes in front or, when no other entry stands between them, in their place.
        index_ndim, lead = self.indices.ndim, places[0] if adjacent else 0
        self.taken_shape = (*self.indices.shape, *rest_shape)
        order = list(range(index_ndim, index_ndim + lead)) + list(range(index_ndim))
        order += list(range(index_ndim + lead, len(self.taken_shape)))
        self.order = tuple(order) if lead and index_ndim else None
        self.shape = tuple(self.taken_shape[i] for i in order) if self.order else self.taken_shape

    def table(self, expr: engine.Expr) -> engine.Expr:
        """The elements with the advanced axes in front, as one."""
        for step in self.steps:
            expr = step.get(expr)
        return expr

    def take(self, table: engine.Expr) -> engine.Expr:
        """The selected rows of the table."""
        try:
            return engine.take(table, self.indices)
        except IndexError:
            self._check()
            raise

    def assign(self, table: engine.Expr, value: engine.Expr, add: bool) -> None:
        """Sets the selected rows of the table, or adds to them."""
        try:
            table.assign_index(self.indices, value, add)
        except IndexError:
            self._check()
            raise

    def _check(self) -> None:
        """IndexError that names the axis of the array; the engine knows only the axis of the table."""
        for entry in self._entries:
            if entry.index is not None:
                _checked(entry.index, entry)


def _row_numbers(entries: list[_Advanced]) -> engine.Expr:
    """One int64 index array into the flattened advanced axes."""
    arrays = [entry.index for entry in entries if entry.index is not None]
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = " ".join(shape_text(array.shape) for array in arrays)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes} "
        ) from None
    if 0 in shape:  # NumPy, too, checks no bounds when nothing is selected
        return engine.empty(arrays[0]._expr.session, shape, INT64)
    if len(arrays) == 1 and all(entry.length == 1 for entry in entries if entry.index is None):
        return to_int64(arrays[0]._read())  # the engine checks these
    total: Any = 0
    for entry in entries:
        total = total * entry.length
        if entry.index is not None:
            total = total + _checked(entry.index.astype(np.int64, copy=False), entry)
    return expr_of(total)


def _checked(index: ndarray, entry: _Advanced) -> ndarray:
    """Indices of an axis from 0 on; IndexError when one lies outside."""
    length = entry.length
    least = int(engine.reduce_all("min", index._read(), INT64, True))
    greatest = int(engine.reduce_all("max", index._read(), INT64, True))
    if least < -length or greatest >= length:
        values = index.to_numpy(None)
        bad = values[(values < -length) | (values >= length)]
        raise IndexError(f"index {bad[0]} is out of bounds for axis {entry.axis} with size {length}")
    return choose(index < 0, index + length, index) if least < 0 else index
