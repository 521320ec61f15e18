# SPDX-License-Identifier: Apache-2.0
"""NumPy's indexing: slices with steps, integers, Ellipsis, newaxis, masks and integer arrays; reading and writing.

Basic parts become one engine slice and a reshape, and give views. What depends on data is brought to one form: the
indexed axes in front and flattened into one, then one `take` or `assign_index`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, expr_of, wrap
from .composed import choose
from .dtypes import BOOL, DTYPE_OF, INT64, KIND_OF, SCALAR_KIND, SCALAR_OF, code_of, fit_scalar
from .views import Range, Reshape, Slice, Step, Transpose, View, same_place, step_into

if TYPE_CHECKING:
    from .ndarray import ndarray


_LARGE = 1 << 20
_CHUNK = 4096  # elements fetched at a time when iterating


# -- basic indices --


def _axis_range(key: slice, length: int) -> Range:
    start, stop, step = key.indices(length)
    count = len(range(start, stop, step))
    return (start, step, count) if count else (0, 1, 0)


def _check_index(index: int, axis: int, length: int) -> int:
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
    return index + length if index < 0 else index


def _expand(key: Any, ndim: int) -> list[Any]:
    """The index as a list with one entry per axis (and the Nones), Ellipsis and missing axes filled by full slices."""
    items = list(key) if type(key) is tuple else [key]
    taken, ellipsis = 0, None
    for position, item in enumerate(items):
        if item is Ellipsis:
            if ellipsis is not None:
                raise IndexError("an index can only have a single ellipsis ('...')")
            ellipsis = position
        elif item is not None:
            taken += _mask_axes(item)
    if taken > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {taken} were indexed")
    missing = [slice(None)] * (ndim - taken)
    if ellipsis is None:
        return items + missing
    return items[:ellipsis] + missing + items[ellipsis + 1 :]


def _mask_axes(item: Any) -> int:
    """How many axes one entry of an index stands for: a mask as many as it has, True and False none, the rest one."""
    if isinstance(item, Array):
        return item.ndim if item._expr.dtype == BOOL else 1
    if isinstance(item, np.ndarray) and item.dtype == bool:
        return item.ndim
    return 0 if isinstance(item, (bool, np.bool_)) else 1


def _as_index(item: Any) -> Any:
    """An int, slice or None as it is; a list or array as an array of ours; IndexError for the rest."""
    if item is None or type(item) is slice or type(item) is int:
        return item
    if isinstance(item, (bool, np.bool_)):
        return wrap(expr_of(bool(item)))
    if isinstance(item, Array):
        if KIND_OF[item._expr.dtype] in "fc":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        return item
    if not isinstance(item, (list, tuple, np.ndarray)):
        try:
            return operator.index(item)
        except TypeError:
            pass
    if isinstance(item, str) or (not isinstance(item, (list, tuple)) and not hasattr(item, "__array__")):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays "
            "are valid indices"
        )
    values = np.asarray(item)
    if values.size == 0 and not isinstance(item, np.ndarray):
        values = values.astype(np.int64)
    if values.dtype.kind not in "biu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return wrap(expr_of(values))


def _basic_steps(items: list[Any], shape: tuple[int, ...]) -> tuple[tuple[Range, ...], tuple[int, ...], bool]:
    """Ranges per axis, the result's shape, and whether that differs from the ranges' counts."""
    ranges: list[Range] = []
    result: list[int] = []
    reshaped = False
    for item in items:
        if item is None:
            result.append(1)
            reshaped = True
            continue
        axis = len(ranges)
        if type(item) is slice:
            found = _axis_range(item, shape[axis])
            result.append(found[2])
        else:
            found = (_check_index(item, axis, shape[axis]), 1, 1)
            reshaped = True
        ranges.append(found)
    return tuple(ranges), tuple(result), reshaped


def _is_full(ranges: tuple[Range, ...], shape: tuple[int, ...]) -> bool:
    return all(start == 0 and step == 1 and count == length
               for (start, step, count), length in zip(ranges, shape, strict=True))  # fmt: skip


def _scalar_at(expr: engine.Expr, ranges: tuple[Range, ...]) -> Any:
    if not expr.ready and expr.size >= _LARGE:  # one element of a chain that need not be computed whole
        return SCALAR_OF[expr.dtype](engine.get_slice(expr, ranges).item())
    position = 0
    for (start, _, _), length in zip(ranges, expr.shape, strict=True):
        position = position * length + start
    return SCALAR_OF[expr.dtype](expr.item_at(position))


def get(array: ndarray, key: Any, temporary: bool) -> Any:
    """array[key]"""
    expr = array._expr if array._view is None else array._read()
    kind = type(key)
    if kind is int and expr.ndim == 1:
        return _scalar_at(expr, ((_check_index(key, 0, expr.shape[0]), 1, 1),))
    if kind is slice and expr.ndim == 1:
        whole = (_axis_range(key, expr.shape[0]),)
        return step_into(array, Slice(whole), engine.get_slice(expr, whole), temporary)
    if isinstance(key, Array) and expr.ndim:
        code = key._expr.dtype
        if code == BOOL:
            return wrap(_compress(expr, key._read()))
        if KIND_OF[code] not in "fc":
            return wrap(engine.take(expr, _to_int64(key._read())))
    items = [_as_index(item) for item in _expand(key, expr.ndim)]
    if any(isinstance(item, Array) for item in items):
        return _get_by_data(array, items)
    ranges, shape, reshaped = _basic_steps(items, expr.shape)
    if not shape and not (kind is tuple and Ellipsis in key) and key is not Ellipsis:
        return _scalar_at(expr, ranges)
    result, base_temporary = array, temporary
    if ranges and not (_is_full(ranges, expr.shape) and reshaped):
        result = step_into(array, Slice(ranges), engine.get_slice(expr, ranges), temporary)
        base_temporary = temporary  # a temporary's slice is nobody's view
    if reshaped:
        result = step_into(result, Reshape(shape), engine.reshape(result._expr, shape), base_temporary)
    elif result is array:
        result = step_into(array, Reshape(expr.shape), expr.alias(), temporary)
    return result


def sliced(array: ndarray, rows: slice) -> ndarray:
    """A slice of a 1-d array that nobody changes: an array of its own rather than a view."""
    expr = array._expr if array._view is None else array._read()
    start, stop, step = rows.indices(expr.shape[0])
    count = len(range(start, stop, step)) if step != 1 else stop - start
    return wrap(engine.get_slice(expr, ((start, step, count) if count > 0 else (0, 1, 0),)))


# -- indices by data --


def _to_int64(indices: engine.Expr) -> engine.Expr:
    return indices if indices.dtype == INT64 else engine.cast(indices, INT64)


def _compress(expr: engine.Expr, mask: engine.Expr) -> engine.Expr:
    """expr[mask] for masks over the first axes."""
    if mask.ndim == 0:
        return engine.compress(engine.reshape(expr, (1, *expr.shape)), engine.reshape(mask, (1,)))
    _check_mask(mask.shape, expr.shape, 0)
    rest = expr.shape[mask.ndim :]
    if mask.size == 0:
        return engine.empty(expr.session, (0, *rest), expr.dtype)
    if mask.ndim in (expr.ndim, 1):
        return engine.compress(expr, mask)
    rows = engine.reshape(expr, (mask.size, *rest))
    return engine.compress(rows, engine.reshape(mask, (mask.size,)))


def _check_mask(mask: tuple[int, ...], shape: tuple[int, ...], first: int) -> None:
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


class _NewAxis:
    """A new axis of length 1 and what is taken of it: nothing for False, all of it for True."""

    __slots__ = ("index",)

    def __init__(self, index: ndarray) -> None:
        self.index = index


class _ByData:
    """An index with arrays in it, brought to one form: steps to rows of a table, and flat row numbers."""

    def __init__(self, shape: tuple[int, ...], items: list[Any]) -> None:
        # Masks become index arrays; integers beside arrays count as arrays.
        expanded: list[Any] = []
        axis = 0
        for item in items:
            if isinstance(item, Array) and item._expr.dtype == BOOL:
                _check_mask(item.shape, shape, axis)
                if item.ndim == 0:
                    expanded.append(_NewAxis(wrap(engine.arange(item._expr.session, 0, 1, int(bool(item)), INT64))))
                else:
                    expanded.extend(unravel(wrap(engine.flatnonzero(item._read())), item.shape))
                axis += item.ndim
            else:
                expanded.append(item)
                axis += item is not None
        # Basic part: every array's axis stays whole.
        basic = [
            None if type(item) is _NewAxis else slice(None) if isinstance(item, Array) or type(item) is int else item
            for item in expanded
        ]
        expanded = [item.index if type(item) is _NewAxis else item for item in expanded]
        ranges, after, reshaped = _basic_steps(basic, shape)
        self.steps: list[Step] = []
        if not _is_full(ranges, shape):
            self.steps.append(Slice(ranges))
        if reshaped:
            self.steps.append(Reshape(after))
        # Where the arrays are, in the array after the basic part.
        places = [place for place, item in enumerate(expanded) if isinstance(item, Array) or type(item) is int]
        adjacent = places == list(range(places[0], places[-1] + 1))
        rest = [place for place in range(len(after)) if place not in places]
        if places != list(range(len(places))):
            self.steps.append(Transpose((*places, *rest)))
        lengths = [after[place] for place in places]
        rest_shape = tuple(after[place] for place in rest)
        rows = math.prod(lengths)
        if len(places) > 1:
            self.steps.append(Reshape((rows, *rest_shape)))
        self.indices = _flat_indices([expanded[place] for place in places], lengths, places)
        # Where the result's index axes go: in front, or, when the arrays stand together, in their place.
        index_ndim, lead = self.indices.ndim, places[0] if adjacent else 0
        self.taken_shape = (*self.indices.shape, *rest_shape)
        order = list(range(index_ndim, index_ndim + lead)) + list(range(index_ndim))
        order += list(range(index_ndim + lead, len(self.taken_shape)))
        self.order = tuple(order) if lead and index_ndim else None
        self.shape = tuple(self.taken_shape[i] for i in order) if self.order else self.taken_shape

    def table(self, expr: engine.Expr) -> engine.Expr:
        for step in self.steps:
            expr = step.get(expr)
        return expr


def _flat_indices(items: list[Any], lengths: list[int], axes: list[int]) -> engine.Expr:
    """One int64 index array into the flattened axes; a single array is left to the engine to check."""
    if len(items) == 1:
        return _to_int64(items[0]._read())
    total: Any = 0
    for item, length, axis in zip(items, lengths, axes, strict=True):
        if type(item) is int:
            total = total * length + _check_index(item, axis, length)
            continue
        index = item.astype(np.int64, copy=False)
        if index.size:
            least = int(engine.reduce_all("min", index._read(), INT64, True))
            greatest = int(engine.reduce_all("max", index._read(), INT64, True))
            _check_index(least, axis, length)
            _check_index(greatest, axis, length)
            if least < 0:
                index = choose(index < 0, index + length, index)
        try:
            total = total * length + index
        except ValueError:
            shapes = " ".join(str(i.shape).replace(" ", "") for i in items if isinstance(i, Array))
            raise IndexError(
                f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}"
            ) from None
    return expr_of(total)


def _selects_rows(items: list[Any]) -> bool:
    """Whether an array stands in front and the rest is taken whole."""
    return isinstance(items[0], Array) and all(type(item) is slice and item == slice(None) for item in items[1:])


def _get_by_data(array: ndarray, items: list[Any]) -> ndarray:
    expr = array._read()
    if _selects_rows(items):
        if items[0]._expr.dtype == BOOL:
            return wrap(_compress(expr, items[0]._read()))
        return wrap(engine.take(expr, _to_int64(items[0]._read())))
    plan = _ByData(expr.shape, items)
    taken = engine.take(plan.table(expr), plan.indices)
    return wrap(engine.transpose(taken, plan.order) if plan.order else taken)


# -- assignment --


def value_expr(session: engine.Session, value: Any, code: int) -> engine.Expr:
    """The assigned value as an expression of the target's type: scalars must fit, arrays are cast as by astype."""
    kind = SCALAR_KIND.get(type(value))
    if kind is not None:
        return engine.scalar(session, fit_scalar(value, code), code)
    if not isinstance(value, Array) and not isinstance(value, np.ndarray):
        numbers = np.asarray(value)
        if KIND_OF[code_of(numbers.dtype)] == "f" and KIND_OF[code] in "iu" and not np.isfinite(numbers).all():
            fit_scalar(float(numbers[~np.isfinite(numbers)][0]), code)
        expr = engine.from_numpy(session, np.asarray(numbers, dtype=DTYPE_OF[code_of(numbers.dtype)], order="C"), True)
    else:
        expr = expr_of(value)
    return expr if expr.dtype == code else engine.cast(expr, code)


def _fit(value: engine.Expr, shape: tuple[int, ...]) -> engine.Expr:
    """`value` broadcast to the shape it is assigned to; NumPy also drops leading axes of length 1."""
    if value.shape == shape or value.ndim == 0:
        return value
    own = value.shape
    while len(own) > len(shape) and own[0] == 1:
        own = own[1:]
    if own != value.shape:
        value = engine.reshape(value, own)
    try:
        return value if own == shape else engine.broadcast_to(value, shape)
    except ValueError:
        raise ValueError(f"could not broadcast input array from shape {_text(own)} into shape {_text(shape)}") from None


def _text(shape: tuple[int, ...]) -> str:
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def put(array: ndarray, key: Any, value: Any) -> None:
    """array[key] = value"""
    expr = array._expr if array._view is None else array._read()
    kind = type(key)
    if kind is int and expr.ndim == 1:
        _put_ranges(array, ((_check_index(key, 0, expr.shape[0]), 1, 1),), (), True, value)
        return
    if kind is slice and expr.ndim == 1:
        whole = (_axis_range(key, expr.shape[0]),)
        _put_ranges(array, whole, (whole[0][2],), False, value)
        return
    items = [_as_index(item) for item in _expand(key, expr.ndim)]
    if any(isinstance(item, Array) for item in items):
        _put_by_data(array, items, value)
        return
    ranges, shape, reshaped = _basic_steps(items, expr.shape)
    _put_ranges(array, ranges, shape, reshaped, value)


def _put_ranges(array: ndarray, ranges: tuple[Range, ...], shape: tuple[int, ...], reshaped: bool, value: Any) -> None:
    if isinstance(value, Array) and value._view is not None:
        # `a[2:5] += 1` has already written through the view that it assigns here.
        steps: list[Step] = [Slice(ranges), Reshape(shape)] if reshaped else [Slice(ranges)]
        if same_place(value, array, steps):
            return
    expr = array._expr
    found = _fit(value_expr(expr.session, value, expr.dtype), shape)
    if found.ndim and reshaped:
        found = engine.reshape(found, [r[2] for r in ranges])
    _change(array, lambda target: target.assign_slice(ranges, found))


def _change(array: ndarray, action: Any) -> None:
    """Runs `action` on a handle of the array's elements; a view then writes the changed elements to its base."""
    if array._view is None:
        action(array._expr)
        array._version += 1
    else:
        changed = array._read().alias()
        action(changed)
        array._store(changed)


def _put_by_data(array: ndarray, items: list[Any], value: Any, add: bool = False) -> None:
    expr = array._read()
    # NumPy casts its own scalars here, where plain assignment wants them to fit.
    found = value_expr(expr.session, np.asarray(value) if isinstance(value, np.generic) else value, expr.dtype)
    first = items[0]
    if _selects_rows(items) and first._expr.dtype == BOOL and first.ndim in (1, expr.ndim or 1) and not add:
        _check_mask(first.shape, expr.shape, 0)
        _put_mask(array, expr, first._read(), found)
        return
    if len(items) == 1 and first._expr.dtype != BOOL:
        indices = _to_int64(first._read())
        found = _fit(found, indices.shape)
        _change(array, lambda target: target.assign_index(indices, found, add))
        return
    plan = _ByData(expr.shape, items)
    found = _fit(found, plan.shape)
    if found.ndim and plan.order:
        inverse = sorted(range(len(plan.order)), key=plan.order.__getitem__)
        found = engine.transpose(found, inverse)
    if plan.steps:
        own = array._view
        view = View(array, tuple(plan.steps)) if own is None else View(own.base, (*own.steps, *plan.steps))
        table = plan.table(expr).alias()
        table.assign_index(plan.indices, found, add)
        view.write(table)
    else:
        _change(array, lambda target: target.assign_index(plan.indices, found, add))


def _put_mask(array: ndarray, expr: engine.Expr, mask: engine.Expr, found: engine.Expr) -> None:
    if mask.size == 0:
        _fit(found, (0, *expr.shape[mask.ndim :]))
        return
    if found.size != 1:
        count = int(engine.reduce_all("count_nonzero", mask, INT64, True))
        shape = (count, *expr.shape[mask.ndim :])
        if mask.ndim == expr.ndim and found.shape != shape:
            raise ValueError(
                f"NumPy boolean array indexing assignment cannot assign {found.size} input values "
                f"to the {count} output values where the mask is true"
                if found.ndim <= 1
                else f"could not broadcast input array from shape {_text(found.shape)} into shape {_text(shape)}"
            )
        found = _fit(found, shape)
    elif found.ndim:
        found = engine.reshape(found, ())
    _change(array, lambda target: target.assign_mask(mask, found))


def add_at(array: ndarray, indices: Any, values: Any) -> None:
    """array[indices] += values, repeated indices counted: NumPy's np.add.at."""
    items = [_as_index(item) for item in _expand(indices, array.ndim)]
    if not any(isinstance(item, Array) for item in items):
        array[indices] += values
        return
    _put_by_data(array, items, values, True)


def iterate(array: ndarray) -> Iterator[Any]:
    """Rows, or NumPy scalars fetched some thousand at a time."""
    if array.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    if array.ndim > 1:
        for row in range(len(array)):
            yield array[row]
        return
    for start in range(0, len(array), _CHUNK):
        yield from array[start : start + _CHUNK].to_numpy()
