# SPDX-License-Identifier: Apache-2.0
"""NumPy's indexing: slices with steps, integers, Ellipsis, newaxis, masks and integer arrays; reading and writing.

Basic entries become one engine slice and a reshape, and give views. Advanced entries are brought to one form: the
indexed axes are moved to the front and flattened into one, then one `take` or `assign_index` selects.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, expr_of, shape_text, wrap
from .dtypes import BOOL, DTYPE_OF, INT64, KIND_OF, SCALAR_KIND, SCALAR_OF, code_of, fit_scalar
from .keys import (
    ByData,
    basic_steps,
    check_index,
    check_mask,
    entries_of,
    has_ellipsis,
    has_scalar_arrays,
    is_full,
    range_of,
    to_int64,
)
from .views import Range, Reshape, Slice, Step, View, same_place, step_into

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray


_LARGE = 1 << 20
_CHUNK = 4096  # elements fetched at a time when iterating


# -- reading --


def _scalar_at(expr: engine.Expr, ranges: tuple[Range, ...]) -> Any:
    if not expr.ready and expr.size >= _LARGE:  # one element of a lazy expression that need not be computed entirely
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
        return _scalar_at(expr, ((check_index(key, 0, expr.shape[0]), 1, 1),))
    if kind is slice and expr.ndim == 1:
        whole = (range_of(key, expr.shape[0]),)
        return step_into(array, Slice(whole), engine.get_slice(expr, whole), temporary)
    if isinstance(key, Array) and key.ndim and expr.ndim:
        code = key._expr.dtype
        if code == BOOL:
            return wrap(_compress(expr, key._read()))
        if KIND_OF[code] not in "fc":
            return wrap(engine.take(expr, to_int64(key._read())))
    items = entries_of(key, expr.ndim)
    if any(isinstance(item, Array) for item in items):
        return _get_by_data(array, items)
    ranges, shape, reshaped = basic_steps(items, expr.shape)
    if not shape and not has_ellipsis(key):
        return _scalar_at(expr, ranges)
    result, base_temporary = array, temporary
    if ranges and not (is_full(ranges, expr.shape) and reshaped):
        result = step_into(array, Slice(ranges), engine.get_slice(expr, ranges), temporary)
        base_temporary = temporary  # no reference could see a temporary's slice as a view
    if reshaped:
        result = step_into(result, Reshape(shape), engine.reshape(result._expr, shape), base_temporary)
    elif result is array:
        result = step_into(array, Reshape(expr.shape), expr.alias(), temporary)
    return result.copy() if has_scalar_arrays(key) else result


def sliced(array: ndarray, rows: slice) -> ndarray:
    """A slice of a 1-d array that is never modified afterwards: an independent array rather than a view."""
    expr = array._expr if array._view is None else array._read()
    return wrap(engine.get_slice(expr, (range_of(rows, expr.shape[0]),)))


# -- advanced indices --


def _compress(expr: engine.Expr, mask: engine.Expr) -> engine.Expr:
    """expr[mask] for masks over the first axes."""
    if mask.ndim == 0:
        return engine.compress(engine.reshape(expr, (1, *expr.shape)), engine.reshape(mask, (1,)))
    check_mask(mask.shape, expr.shape, 0)
    rest = expr.shape[mask.ndim :]
    if mask.size == 0:
        return engine.empty(expr.session, (0, *rest), expr.dtype)
    if mask.ndim in (expr.ndim, 1):
        return engine.compress(expr, mask)
    rows = engine.reshape(expr, (mask.size, *rest))
    return engine.compress(rows, engine.reshape(mask, (mask.size,)))


def _selects_rows(items: list[Any]) -> bool:
    """Whether the index is an array in the first axis and full slices in the others."""
    return isinstance(items[0], Array) and all(type(item) is slice and item == slice(None) for item in items[1:])


def _get_by_data(array: ndarray, items: list[Any]) -> ndarray:
    expr = array._read()
    if _selects_rows(items):
        if items[0]._expr.dtype == BOOL:
            return wrap(_compress(expr, items[0]._read()))
        return wrap(engine.take(expr, to_int64(items[0]._read())))
    plan = ByData(expr.shape, items)
    taken = plan.take(plan.table(expr))
    return wrap(engine.transpose(taken, plan.order) if plan.order else taken)


# -- assignment --


def value_expr(session: engine.Session, value: ArrayLike, code: int) -> engine.Expr:
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


def _fit(value: engine.Expr, shape: tuple[int, ...], by_data: bool = False) -> engine.Expr:
    """`value` broadcast to the shape it is assigned to; NumPy also drops leading axes of length 1, and where index
    arrays select nothing of any length."""
    if value.shape == shape or value.ndim == 0:
        return value
    own = value.shape[-len(shape) :] if by_data and value.size == 0 and 0 in shape else value.shape
    while len(own) > len(shape) and own[0] == 1:
        own = own[1:]
    try:
        fitted = value if own == value.shape else engine.reshape(value, own)
        return fitted if own == shape else engine.broadcast_to(fitted, shape)
    except ValueError:
        given, wanted = shape_text(value.shape), shape_text(shape)
        raise ValueError(
            f"shape mismatch: value array of shape {given} could not be broadcast to indexing result of shape {wanted}"
            if by_data
            else f"could not broadcast input array from shape {given} into shape {wanted}"
        ) from None


def put(array: ndarray, key: Any, value: Any) -> None:
    """array[key] = value"""
    own = array._expr.shape  # no handle is kept of the elements, which would have to be copied before they change
    kind = type(key)
    if kind is int and len(own) == 1:
        value = _element(array, value)
        _put_ranges(array, ((check_index(key, 0, own[0]), 1, 1),), (), True, value)
        return
    if kind is slice and len(own) == 1:
        whole = (range_of(key, own[0]),)
        _put_ranges(array, whole, (whole[0][2],), False, value)
        return
    items = entries_of(key, len(own))
    if any(isinstance(item, Array) for item in items):
        _put_by_data(array, items, value, alone=not has_ellipsis(key))
        return
    ranges, shape, reshaped = basic_steps(items, own)
    if not shape and not has_ellipsis(key):
        value = _element(array, value)
    _put_ranges(array, ranges, shape, reshaped, value)


def _element(array: Array, value: Any) -> Any:
    """The value assigned to one element. A bool takes an array of one element too, and the truth of a sequence."""
    if type(value) in SCALAR_KIND or not np.ndim(value):
        return value
    is_array = hasattr(value, "__array__")
    if array.dtype.kind == "b":
        if not is_array:
            return bool(value)
        if value.size == 1:
            return value.reshape(())
    is_wrong_value = array.dtype.kind == "f" or (is_array and array.dtype.kind != "c")
    raise (ValueError if is_wrong_value else TypeError)("setting an array element with a sequence.")


def _put_ranges(array: ndarray, ranges: tuple[Range, ...], shape: tuple[int, ...], reshaped: bool, value: Any) -> None:
    if isinstance(value, Array) and value._view is not None:
        # `a[2:5] += 1` has already written through the view that it assigns here.
        steps: list[Step] = [Slice(ranges), Reshape(shape)] if reshaped else [Slice(ranges)]
        if same_place(value, array, steps):
            return
    found = _fit(value_expr(array._expr.session, value, array._expr.dtype), shape)
    if found.ndim and reshaped:
        found = engine.reshape(found, [r[2] for r in ranges])
    view = array._view
    if view is None:
        array._expr.assign_slice(ranges, found)
        array._version += 1
        return
    array._expr = found  # not the elements of the base, which would be copied for it
    try:
        view.part(Slice(ranges)).write(found)
    finally:
        array._expr = view.read()
        view.version = view.base._version


def _change(array: ndarray, action: Any) -> None:
    """Runs `action` on a handle of the array's elements; a view then writes the changed elements to its base."""
    if array._view is None:
        action(array._expr)
        array._version += 1
    else:
        changed = array._read().alias()
        action(changed)
        array._store(changed)


def _put_by_data(array: ndarray, items: list[Any], value: Any, add: bool = False, alone: bool = False) -> None:
    """Assigns or adds to the elements that `items` select; `alone` if no ellipsis was beside them."""
    expr = array._read()
    # NumPy casts its own scalars here, where plain assignment requires them to fit.
    found = value_expr(expr.session, np.asarray(value) if isinstance(value, np.generic) else value, expr.dtype)
    first = items[0]
    if _selects_rows(items) and first._expr.dtype == BOOL and first.ndim in (1, expr.ndim or 1) and not add:
        check_mask(first.shape, expr.shape, 0)
        _put_mask(array, expr, first._read(), found, alone)
        return
    if len(items) == 1 and first._expr.dtype != BOOL:
        indices = to_int64(first._read())
        found = _fit(found, indices.shape, by_data=True)
        _change(array, lambda target: target.assign_index(indices, found, add))
        return
    plan = ByData(expr.shape, items)
    found = _fit(found, plan.shape, by_data=True)
    if found.ndim and plan.order:
        inverse = sorted(range(len(plan.order)), key=plan.order.__getitem__)
        found = engine.transpose(found, inverse)
    if plan.steps:
        own = array._view
        view = View(array, tuple(plan.steps)) if own is None else View(own.base, (*own.steps, *plan.steps))
        table = plan.table(expr).alias()
        plan.assign(table, found, add)
        view.write(table)
    else:
        _change(array, lambda target: plan.assign(target, found, add))


def _put_mask(array: ndarray, expr: engine.Expr, mask: engine.Expr, found: engine.Expr, alone: bool) -> None:
    """array[mask] = found, for masks over the first axes. A mask over all axes that stands alone takes only a scalar or
    one value per element; beside an ellipsis, NumPy broadcasts the values as for index arrays."""
    whole, rest = alone and mask.ndim == expr.ndim, expr.shape[mask.ndim :]
    if whole and found.ndim > 1:
        raise TypeError(
            "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
            f"input has {found.ndim} dimensions"
        )
    if found.size == 1 and found.ndim <= 1:
        found = engine.reshape(found, ())
    elif mask.size == 0:
        found = _fit(found, (0, *rest), by_data=True)
    else:
        count = int(engine.reduce_all("count_nonzero", mask, INT64, True))
        if whole and found.size != count:
            raise ValueError(
                f"NumPy boolean array indexing assignment cannot assign {found.size} input values "
                f"to the {count} output values where the mask is true"
            )
        found = _fit(found, (count, *rest), by_data=True)
    if mask.size:
        _change(array, lambda target: target.assign_mask(mask, found))


def add_at(array: ndarray, indices: ArrayLike, values: ArrayLike) -> None:
    """array[indices] += values, repeated indices counted: NumPy's np.add.at."""
    items = entries_of(indices, array.ndim)
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
