# SPDX-License-Identifier: Apache-2.0
"""Views: arrays that read from, and write through to, another array, as NumPy's basic slices do.

A view is its base and a chain of steps. Reading applies the steps to the base; the result is kept until the base
changes. Writing applies the steps in reverse: each step writes a changed part back to the array that it came from, so
views of views, and writes through a reshaped or transposed array, need no special code.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, wrap
from .dtypes import DTYPE_OF
from .pair import Pair

if TYPE_CHECKING:
    from .ndarray import ndarray


#: (start, step, count) for one axis.
Range = tuple[int, int, int]


class Slice:
    """Part of the whole: (start, step, count) per axis."""

    __slots__ = ("ranges",)

    def __init__(self, ranges: tuple[Range, ...]) -> None:
        self.ranges = ranges

    def get(self, whole: engine.Expr) -> engine.Expr:
        return engine.get_slice(whole, self.ranges)

    def put(self, whole: engine.Expr, part: engine.Expr) -> engine.Expr:
        changed = whole.alias()
        changed.assign_slice(self.ranges, part)
        return changed


class Reshape:
    """The same elements in another shape."""

    __slots__ = ("shape",)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def get(self, whole: engine.Expr) -> engine.Expr:
        return engine.reshape(whole, self.shape)

    def put(self, whole: engine.Expr, part: engine.Expr) -> engine.Expr:
        return engine.reshape(part, whole.shape)


class Transpose:
    """The same elements with the axes in another order."""

    __slots__ = ("axes",)

    def __init__(self, axes: tuple[int, ...]) -> None:
        self.axes = axes

    def get(self, whole: engine.Expr) -> engine.Expr:
        return engine.transpose(whole, self.axes)

    def put(self, whole: engine.Expr, part: engine.Expr) -> engine.Expr:
        inverse = sorted(range(len(self.axes)), key=self.axes.__getitem__)
        return engine.transpose(part, inverse)


class Broadcast:
    """The same elements repeated along axes; read-only."""

    __slots__ = ("shape",)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def get(self, whole: engine.Expr) -> engine.Expr:
        return engine.broadcast_to(whole, self.shape)

    def put(self, whole: engine.Expr, part: engine.Expr) -> engine.Expr:
        raise ValueError("assignment destination is read-only")


class Diagonal:
    """A diagonal of the last two axes, which it replaces as the last axis; read-only."""

    __slots__ = ("offset",)

    def __init__(self, offset: int) -> None:
        self.offset = offset

    def count(self, rows: int, columns: int) -> int:
        """Number of elements of the diagonal of a matrix."""
        return max(0, min(rows + min(self.offset, 0), columns - max(self.offset, 0)))

    def first(self, row_stride: int, column_stride: int) -> int:
        """Distance of the diagonal's first element from the matrix's first element."""
        return self.offset * column_stride if self.offset > 0 else -self.offset * row_stride

    def get(self, whole: engine.Expr) -> engine.Expr:
        *others, rows, columns = whole.shape
        count = self.count(rows, columns)
        flat = engine.reshape(whole, (*others, rows * columns))
        diagonal = (self.first(columns, 1), columns + 1, count) if count else (0, 1, 0)
        return engine.get_slice(flat, [*((0, 1, length) for length in others), diagonal])

    def put(self, whole: engine.Expr, part: engine.Expr) -> engine.Expr:
        raise ValueError("assignment destination is read-only")


class Reinterpret:
    """The same bytes as elements of another dtype; the length of the last axis changes with the element size."""

    __slots__ = ("code", "scale", "shape")

    def __init__(self, code: int, shape: tuple[int, ...], scale: Fraction) -> None:
        self.code = code
        self.shape = shape
        self.scale = scale  # bytes of the elements before, over those of the new

    def get(self, whole: engine.Expr) -> engine.Expr:
        return engine.reinterpret(whole, self.code, self.shape)

    def put(self, whole: engine.Expr, part: engine.Expr) -> engine.Expr:
        return engine.reinterpret(part, whole.dtype, whole.shape)


class Part:
    """The real parts of complex elements, or the imaginary ones."""

    __slots__ = ("which",)

    def __init__(self, which: int) -> None:
        self.which = which

    def get(self, whole: Any) -> engine.Expr:
        part: engine.Expr = (whole.im if self.which else whole.re).alias()
        return part

    def put(self, whole: Any, part: engine.Expr) -> Any:
        return Pair(whole.re, part) if self.which else Pair(part, whole.im)


Step = Slice | Reshape | Transpose | Broadcast | Diagonal | Reinterpret | Part
#: Steps whose result is read-only.
READ_ONLY = (Broadcast, Diagonal)


class View:
    """The origin of a view's elements: a base, which is not itself a view, and the steps from it."""

    __slots__ = ("base", "steps", "version")

    def __init__(self, base: ndarray, steps: tuple[Step, ...]) -> None:
        self.base = base
        self.steps = steps
        self.version: float = base._version  # of the base, when the view was last read

    def part(self, step: Slice) -> View:
        """The view of a part of this one."""
        return View(self.base, _join(self.steps, step))

    def read(self) -> engine.Expr:
        """The elements now."""
        expr = self.base._expr
        for step in self.steps:
            expr = step.get(expr)
        return expr

    def write(self, value: engine.Expr) -> None:
        """Makes `value`, of the view's shape and dtype, the view's elements, in the base."""
        base, steps = self.base, self.steps
        if any(isinstance(step, READ_ONLY) for step in steps):
            raise ValueError("assignment destination is read-only")
        wholes = [base._expr]  # the input of each step
        for step in steps[:-1]:
            wholes.append(step.get(wholes[-1]))
        for step, whole in zip(reversed(steps[1:]), reversed(wholes), strict=False):
            value = step.put(whole, value)
        first = steps[0]
        if type(first) is Slice:
            base._expr.assign_slice(first.ranges, value)
        else:
            base._expr.assign(first.put(base._expr, value))
        base._version += 1


def step_into(array: ndarray, step: Step, value: engine.Expr, temporary: bool) -> ndarray:
    """The result of one more step: a view of `array`, or an independent array if no reference to `array` remains."""

    result = wrap(value)
    view = array._view
    if view is not None:
        result._view = View(view.base, _join(view.steps, step))
    elif not temporary:
        result._view = View(array, (step,))
    return result


def is_contiguous(array: Array) -> bool:
    """Whether NumPy would ravel `array` without a copy."""
    if array._view is None or array.size == 0:
        return True
    lengths, strides = _layout(array._view)
    dense = zip(lengths, strides, _dense(lengths), strict=True)
    return all(length == 1 or stride == wanted for length, stride, wanted in dense)


def is_view_as(array: Array, shape: tuple[int, ...]) -> bool:
    """Whether NumPy would reshape `array` without a copy: along each new axis the elements are evenly spaced."""
    if array._view is None or array.size == 0:
        return True
    return _reshaped(*_layout(array._view), shape) is not None


def _layout(view: View) -> tuple[tuple[int, ...], list[int]]:
    """Axis lengths of a view with elements, and strides in elements, as if its base were contiguous in memory."""
    lengths = view.base.shape
    strides = _dense(lengths)
    for step in view.steps:
        if type(step) is Slice:
            strides = [stride * by for stride, (_, by, _) in zip(strides, step.ranges, strict=True)]
            lengths = tuple(count for _, _, count in step.ranges)
        elif type(step) is Transpose:
            lengths, strides = tuple(lengths[a] for a in step.axes), [strides[a] for a in step.axes]
        elif type(step) is Diagonal:
            *rest, rows, columns = lengths
            lengths, strides = (*rest, step.count(rows, columns)), [*strides[:-2], strides[-2] + strides[-1]]
        elif type(step) is Broadcast:
            new = len(step.shape) - len(lengths)
            old = zip((1,) * new + lengths, [0] * new + strides, step.shape, strict=True)
            strides = [stride if length == wanted else 0 for length, stride, wanted in old]
            lengths = step.shape
        elif type(step) is Reinterpret:
            lengths, strides = step.shape, [int(stride * step.scale) for stride in strides]
            if step.scale != 1:
                strides[-1] = 1
        elif type(step) is Part:
            strides = [2 * stride for stride in strides]
        elif type(step) is Reshape:
            strides = _reshaped(lengths, strides, step.shape) or []  # there are some, else it would be a copy
            lengths = step.shape
    return lengths, strides


def strides_of(array: Array) -> tuple[int, ...]:
    """Bytes from one element to the next along each axis, as if the base were contiguous in memory."""
    strides = _dense(array.shape) if array._view is None or array.size == 0 else _layout(array._view)[1]
    return tuple(stride * array.itemsize for stride in strides)


def lying_in(array: Array, whole: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """NumPy's view of the array's elements in the memory `whole` of its base; reads no element."""
    found = whole
    for step in () if array._view is None else array._view.steps:
        if type(step) is Slice:
            found = found[tuple(_as_slice(*one) for one in step.ranges)]
        elif type(step) is Transpose:
            found = found.transpose(step.axes)
        elif type(step) is Diagonal:
            found = found.diagonal(step.offset, -2, -1)
        elif type(step) is Broadcast:
            found = np.broadcast_to(found, step.shape)
        elif type(step) is Part:
            found = found.imag if step.which else found.real
        elif type(step) is Reinterpret:
            found = found.view(DTYPE_OF[step.code])
        elif type(step) is Reshape:
            try:
                found = found.reshape(step.shape, copy=False)
            except ValueError:  # no evenly spaced elements: anywhere in the memory, then
                return whole
    return found


def _as_slice(start: int, step: int, count: int) -> slice:
    stop = start + step * count
    return slice(start, stop if stop >= 0 else None, step)


def as_type(array: ndarray, code: int, itemsize: int) -> ndarray:
    """A view of the elements' bytes as another type, by NumPy's rules for their last axis."""
    own, shape = array.itemsize, array.shape
    if own != itemsize:
        if not shape:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
        if shape[-1] != 1 and array._view is not None and array.size and _layout(array._view)[1][-1] != 1:
            raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
        if own < itemsize and shape[-1] * own % itemsize:
            raise ValueError(
                "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last "
                "axis of the array."
            )
        shape = (*shape[:-1], shape[-1] * own // itemsize)
    step = Reinterpret(code, shape, Fraction(own, itemsize))
    return step_into(array, step, step.get(array._read()), False)


def _dense(lengths: Sequence[int]) -> list[int]:
    strides, size = [], 1
    for length in reversed(lengths):
        strides.append(size)
        size *= length
    return strides[::-1]


def _reshaped(lengths: Sequence[int], strides: Sequence[int], wanted: Sequence[int]) -> list[int] | None:
    """Strides of the wanted shape over the same elements, or None when there are none."""
    old = [pair for pair in zip(lengths, strides, strict=True) if pair[0] != 1]
    result: list[int] = []
    i = j = 0
    while j < len(wanted):
        # The shortest runs of old and new axes with the same number of elements.
        first_old, first_new = i, j
        mine, theirs = wanted[j], 1
        j += 1
        while mine != theirs:
            if theirs < mine:
                theirs *= old[i][0]
                i += 1
            else:
                mine *= wanted[j]
                j += 1
        run = old[first_old:i]
        if any(outer[1] != inner[0] * inner[1] for outer, inner in itertools.pairwise(run)):
            return None
        least = run[-1][1] if run else 1
        result.extend(least * stride for stride in _dense(wanted[first_new:j]))
    return result


def _join(steps: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    last = steps[-1]
    if type(last) is Slice and type(step) is Slice:
        pairs = zip(last.ranges, step.ranges, strict=True)
        return (*steps[:-1], Slice(tuple((a + b * c, b * d, n) for (a, b, _), (c, d, n) in pairs)))
    if type(last) is Reshape and type(step) is Reshape:
        return (*steps[:-1], step)
    return (*steps, step)


def same_place(array: Array, base: ndarray, steps: Sequence[Step]) -> bool:
    """Whether `array` is the view of `base` with these slices: then `base[…] = array` is a no-op."""
    view = array._view
    if view is None or view.base is not base or len(view.steps) != len(steps):
        return False
    for mine, other in zip(view.steps, steps, strict=True):
        if type(mine) is Slice and type(other) is Slice and mine.ranges == other.ranges:
            continue
        if type(mine) is Reshape and type(other) is Reshape and mine.shape == other.shape:
            continue
        return False
    return True


class _Probe:
    """Determines the reference count of an object that only the call itself holds."""

    def method(self) -> None:
        _record.append(sys.getrefcount(self))

    def __getitem__(self, _: int) -> None:
        _record.append(sys.getrefcount(self))

    @property
    def prop(self) -> None:
        _record.append(sys.getrefcount(self))


_record: list[int] = []


def _function(probe: _Probe) -> None:
    _record.append(sys.getrefcount(probe))


def _calibrate(named: Callable[[list[_Probe]], Any], temporary: Callable[[], Any]) -> int:
    """The greatest reference count that only temporaries have (0: indistinguishable, so no object is a temporary).

    The interpreter specialises code that runs often and then counts differently, so each case runs 64 times; a count
    that a named object was ever seen with never means temporary.
    """
    _record.clear()
    for _ in range(64):
        named([_Probe()])
    least = min(_record)
    _record.clear()
    for _ in range(64):
        temporary()
    return max((count for count in _record if count < least), default=0)


def _named_method(held: list[_Probe]) -> None:
    held[0].method()
    probe = held.pop()
    probe.method()


def _named_item(held: list[_Probe]) -> None:
    held[0][0]
    probe = held.pop()
    probe[0]


def _named_property(held: list[_Probe]) -> None:
    held[0].prop  # noqa: B018
    probe = held.pop()
    probe.prop  # noqa: B018


def _named_function(held: list[_Probe]) -> None:
    _function(held[0])
    probe = held.pop()
    _function(probe)


#: `sys.getrefcount(self)` at or below these, inside such a call, means that there is no other reference.
METHOD_TEMPORARY = _calibrate(_named_method, lambda: _Probe().method())
ITEM_TEMPORARY = _calibrate(_named_item, lambda: _Probe()[0])
PROPERTY_TEMPORARY = _calibrate(_named_property, lambda: _Probe().prop)
FUNCTION_TEMPORARY = _calibrate(_named_function, lambda: _function(_Probe()))
