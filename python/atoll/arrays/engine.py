# SPDX-License-Identifier: Apache-2.0
"""The engine's operations on real expressions and on complex pairs, with the names and parameters of `_core`.

Operations that move elements move both parts; operations that compute use a rule of module `complexes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import Expr as Expr
from .._core import Session as Session
from .dtypes import BOOL, COMPLEX64, FLOAT32, FLOAT64, INT64
from .pair import Pair

OPS, bincount, flatnonzero, random, random_law = (
    _core.OPS, _core.bincount, _core.flatnonzero, _core.random, _core.random_law,
)  # fmt: skip
histogram, histogram_edges = _core.histogram, _core.histogram_edges
_NAMES = {code: name for name, code in OPS.items()}

#: Operation -> its rule for complex operands: of pairs, to a pair or a real expression.
RULES: dict[str, Callable[..., Any]] = {}


def part_code(code: int) -> int:
    """The type of the parts of a complex type."""
    return FLOAT32 if code == COMPLEX64 else FLOAT64


def _both(x: Any, action: Callable[[Any], Any]) -> Any:
    return Pair(action(x.re), action(x.im))


# -- creation --


def scalar(session: Session, value: Any, dtype: int) -> Any:
    if dtype < COMPLEX64:
        return _core.scalar(session, value, dtype)
    number, code = complex(value), part_code(dtype)
    return Pair(_core.scalar(session, number.real, code), _core.scalar(session, number.imag, code))


def full(session: Session, shape: Sequence[int], dtype: int, value: Any) -> Any:
    if dtype < COMPLEX64:
        return _core.full(session, shape, dtype, value)
    number, code = complex(value), part_code(dtype)
    return Pair(_core.full(session, shape, code, number.real), _core.full(session, shape, code, number.imag))


def empty(session: Session, shape: Sequence[int], dtype: int) -> Any:
    if dtype < COMPLEX64:
        return _core.empty(session, shape, dtype)
    code = part_code(dtype)
    return Pair(_core.empty(session, shape, code), _core.empty(session, shape, code))


def arange(session: Session, start: Any, step: Any, count: int, dtype: int) -> Any:
    if dtype < COMPLEX64:
        return _core.arange(session, start, step, count, dtype)
    return cast(_core.arange(session, float(start), float(step), count, part_code(dtype)), dtype)


def from_numpy(session: Session, values: np.ndarray[Any, Any], copy: bool) -> Any:
    if values.dtype.kind != "c":
        return _core.from_numpy(session, values, copy)
    return Pair(*(_core.from_numpy(session, _dense(part), False) for part in (values.real, values.imag)))


def from_local(session: Session, rows: np.ndarray[Any, Any]) -> Any:
    if rows.dtype.kind != "c":
        return _core.from_local(session, rows)
    return Pair(_core.from_local(session, _dense(rows.real)), _core.from_local(session, _dense(rows.imag)))


def _dense(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.array(values, order="C")


# -- elementwise, lazy --


def apply(op: int, compute: int, result: int, operands: Sequence[Any]) -> Any:
    """As `_core.apply`; with complex operands by a rule."""
    if compute < COMPLEX64 and not any(type(one) is Pair for one in operands):
        return _core.apply(op, compute, result, operands)
    name = _NAMES[op]
    if name not in RULES:
        raise TypeError(f"ufunc '{name}' is not available for complex numbers")
    first = 1 if name == "where" else 0
    pairs = [cast(one, compute if compute >= COMPLEX64 else COMPLEX64 + 1) for one in operands[first:]]
    return cast(RULES[name](*operands[:first], *pairs), result)


def rule(name: str) -> Callable[..., Any]:
    """Registers the rule of `apply` for an operation on complex operands, by NumPy's name."""

    def by_rule(_: int, compute: int, result: int, operands: Sequence[Any]) -> Any:
        if name not in RULES:
            raise TypeError(f"ufunc '{name}' is not available for complex numbers")
        return cast(RULES[name](*(cast(one, compute) for one in operands)), result)

    return by_rule


def cast(x: Any, dtype: int) -> Any:
    if type(x) is Pair:
        if dtype >= COMPLEX64:
            return x if x.dtype == dtype else _both(x, lambda part: _core.cast(part, part_code(dtype)))
        if dtype == BOOL:
            truths = [_core.cast(part, BOOL) for part in (x.re, x.im)]
            return _core.apply(OPS["logical_or"], BOOL, BOOL, truths)
        return _core.cast(x.re, dtype)
    if dtype < COMPLEX64:
        return _core.cast(x, dtype)
    re = _core.cast(x, part_code(dtype))
    return Pair(re, _core.full(x.session, x.shape, part_code(dtype), 0))


# -- shape --


def broadcast_to(x: Any, shape: Sequence[int]) -> Any:
    if type(x) is Pair:
        return _both(x, lambda part: _core.broadcast_to(part, shape))
    return _core.broadcast_to(x, shape)


def reshape(x: Any, shape: Sequence[int]) -> Any:
    return _both(x, lambda part: _core.reshape(part, shape)) if type(x) is Pair else _core.reshape(x, shape)


def transpose(x: Any, axes: Sequence[int]) -> Any:
    return _both(x, lambda part: _core.transpose(part, axes)) if type(x) is Pair else _core.transpose(x, axes)


def get_slice(x: Any, slices: Any) -> Any:
    return _both(x, lambda part: _core.get_slice(part, slices)) if type(x) is Pair else _core.get_slice(x, slices)


def concatenate(parts: Sequence[Any], axis: int = 0) -> Any:
    if parts and type(parts[0]) is Pair:
        return Pair(*(_core.concatenate([getattr(one, part) for one in parts], axis) for part in ("re", "im")))
    return _core.concatenate(parts, axis)


def roll(x: Any, axis: int, shift: int) -> Any:
    return _both(x, lambda part: _core.roll(part, axis, shift)) if type(x) is Pair else _core.roll(x, axis, shift)


def reinterpret(x: Any, dtype: int, shape: Sequence[int]) -> Any:
    if type(x) is Pair or dtype >= COMPLEX64:
        if type(x) is Pair and x.dtype == dtype:
            return reshape(x, shape)
        raise TypeError("the parts of complex elements do not lie side by side: take .real and .imag")
    return _core.reinterpret(x, dtype, shape)


# -- by data --


def compress(x: Any, mask: Expr) -> Any:
    return _both(x, lambda part: _core.compress(part, mask)) if type(x) is Pair else _core.compress(x, mask)


def take(x: Any, indices: Expr) -> Any:
    return _both(x, lambda part: _core.take(part, indices)) if type(x) is Pair else _core.take(x, indices)


def searchsorted(table: Any, values: Any, side: str) -> Expr:
    if type(table) is Pair or type(values) is Pair:
        # Dense ranks of both arrays together: integers, which the engine can search.
        code = max(table.dtype, values.dtype)
        numbers = _dense_ranks(concatenate([cast(one, code) for one in (table, values)]))
        if not values.size:
            return _core.empty(values.session, (0,), INT64)
        values = _core.get_slice(numbers, [(table.size, 1, values.size)])
        table = _core.get_slice(numbers, [(0, 1, table.size) if table.size else (0, 1, 0)])
    return _core.searchsorted(table, values, side)


def isin(x: Any, test: Any) -> Expr:
    if type(x) is not Pair and type(test) is not Pair:
        return _core.isin(x, test)
    # Dense ranks of the distinct values of both together: integers, for which the engine tests membership.
    code = max(x.dtype, test.dtype)
    flat = [reshape(cast(one, code), (one.size,)) for one in (x, test)]
    inverse = unique(concatenate(flat), False, True, False)[2]
    mine = _core.get_slice(inverse, [(0, 1, x.size)])
    others = _core.get_slice(inverse, [(x.size, 1, test.size) if test.size else (0, 1, 0)])
    return _core.reshape(_core.isin(mine, others), x.shape)


# -- products --


def multiply_matrices(a: Any, b: Any) -> Any:
    """Products of matrices, or of stacks of them."""
    product = _core.multiply_matrices if a.ndim == 2 else _core.multiply_stacks
    if type(a) is not Pair:
        return product(a, b)

    def op(name: str, x: Expr, y: Expr) -> Expr:
        found: Expr = _core.apply(OPS[name], x.dtype, x.dtype, (x, y))
        return found

    re = op("subtract", product(a.re, b.re), product(a.im, b.im))
    return Pair(re, op("add", product(a.re, b.im), product(a.im, b.re)))


# -- reductions and scans --


def reduce_all(kind: str, x: Any, dtype: int, keep: bool) -> Any:
    if type(x) is not Pair and dtype < COMPLEX64:
        return _core.reduce_all(kind, x, dtype, keep)
    if dtype < COMPLEX64:
        return _core.reduce_all(kind, cast(x, dtype), dtype, False)
    if keep:
        x.evaluate()
    if kind == "sum":
        code = part_code(dtype)
        pair = cast(x, dtype)
        return complex(_core.reduce_all(kind, pair.re, code, False), _core.reduce_all(kind, pair.im, code, False))
    flat = reshape(cast(x, dtype), (x.size,))
    if not x.size and kind not in ("sum", "prod"):
        raise ValueError(f"attempt to get {kind} of an empty sequence")
    found = reduce_axes(kind, flat, [0], dtype)
    return found.item()


def reduce_axes(kind: str, x: Any, axes: Sequence[int], dtype: int, keep: bool = True) -> Any:
    if type(x) is not Pair and dtype < COMPLEX64:
        return _core.reduce_axes(kind, x, axes, dtype, keep)
    if dtype < COMPLEX64:
        return _core.reduce_axes(kind, cast(x, dtype), axes, dtype)
    pair = cast(x, dtype)
    if kind == "sum":
        code = part_code(dtype)
        return _both(pair, lambda part: _core.reduce_axes("sum", part, axes, code))
    rows = _last(pair, axes)
    if kind == "prod":
        return _product(rows)
    return _extreme(kind, rows)


def _last(x: Any, axes: Sequence[int]) -> Any:
    """Moves the reduced axes into one last axis."""
    others = [axis for axis in range(x.ndim) if axis not in axes]
    shape = [x.shape[axis] for axis in others]
    return reshape(transpose(x, [*others, *axes]), [*shape, math.prod(x.shape[axis] for axis in axes)])


def _along_last(x: Any, first: int, count: int, step: int = 1) -> Any:
    return get_slice(x, [*((0, 1, n) for n in x.shape[:-1]), (first, step, count) if count else (0, 1, 0)])


def _product(x: Any) -> Any:
    """Products along the last axis, pairwise: the order of multiplications depends only on the lengths."""
    *rest, length = x.shape
    if length == 0:
        return full(x.session, rest, x.dtype, 1)
    while length > 1:
        half = length // 2
        pairs = RULES["multiply"](_along_last(x, 0, half, 2), _along_last(x, 1, half, 2))
        if length % 2:
            odd = _along_last(x, length - 1, 1)
            x = _joined(pairs, odd)
        else:
            x = pairs
        x.evaluate()
        length = half + length % 2
    return reshape(x, rest)


def _joined(a: Any, b: Any) -> Any:
    """Concatenates along the last axis."""
    return concatenate([a, b], a.ndim - 1)


def _extreme(kind: str, x: Any) -> Any:
    """min, max, argmin, argmax along the last axis, by real part, then imaginary part; NaN takes precedence."""
    which = kind[-3:]
    axis, beyond = [x.ndim - 1], math.inf if which == "min" else -math.inf
    kept = (*x.shape[:-1], 1)
    code = part_code(x.dtype)

    def op(name: str, compute: int, *operands: Any) -> Expr:
        found: Expr = _core.apply(OPS[name], compute, compute if name in ("where", "maximum") else BOOL, operands)
        return found

    nan = op("logical_or", BOOL, op("isnan", code, x.re), op("isnan", code, x.im))
    best = _core.reshape(_core.reduce_axes(which, x.re, axis, code), kept)
    among = op("equal", code, x.re, best)
    imaginary = op("where", code, among, x.im, _core.scalar(x.session, beyond, code))
    second = _core.reshape(_core.reduce_axes(which, imaginary, axis, code), kept)
    here = op("logical_and", BOOL, among, op("equal", code, x.im, second))
    some_nan = _core.reshape(_core.reduce_axes("any", nan, axis, BOOL), kept)
    here = op("where", BOOL, some_nan, nan, here)
    place = _core.reduce_axes("argmax", here, axis, BOOL) if x.ndim > 1 else _core.scalar(
        x.session, _core.reduce_all("argmax", here, BOOL, False), INT64)  # fmt: skip
    if kind.startswith("arg"):
        return place
    length = x.shape[-1]
    rows = _core.arange(x.session, 0, length, math.prod(x.shape[:-1]), INT64)
    flat = _core.apply(OPS["add"], INT64, INT64, (rows, _core.reshape(place, (rows.size,))))
    return reshape(take(reshape(x, (x.size,)), flat), x.shape[:-1])


def scan(kind: str, x: Any, axis: int, dtype: int) -> Any:
    if type(x) is not Pair and dtype < COMPLEX64:
        return _core.scan(kind, x, axis, dtype)
    if dtype < COMPLEX64:
        return _core.scan(kind, cast(x, dtype), axis, dtype)
    pair = cast(x, dtype)
    if kind == "cumsum":
        return _both(pair, lambda part: _core.scan(kind, part, axis, part_code(dtype)))
    if kind != "cumprod":
        raise TypeError(f"{kind} of complex numbers is not available: they have no natural order")
    order = [place for place in range(pair.ndim) if place != axis]
    x = transpose(pair, [*order, axis])
    length, distance = x.shape[-1], 1
    while distance < length:  # each element times the one `distance` before it, which doubles
        rest = length - distance
        products = RULES["multiply"](_along_last(x, distance, rest), _along_last(x, 0, rest))
        x = _joined(_along_last(x, 0, distance), products)
        x.evaluate()
        distance *= 2
    order.insert(axis, x.ndim - 1)
    inverse = [0] * x.ndim
    for place, source in enumerate([*[p for p in range(x.ndim) if p != axis], axis]):
        inverse[source] = place
    return transpose(x, inverse)


# -- sorting, by real part, then imaginary part; numbers with a NaN part come last --


def _sort_keys(x: Pair) -> list[Expr]:
    """The keys of NumPy's order of complex numbers, the first decides.

    Numbers without NaN come first, then those whose imaginary part is NaN, whose real part is, both.
    """
    code = part_code(x.dtype)
    if not _core.reduce_all("any", _have_nan(x), BOOL, False):
        return [x.re, x.im]
    nan_re, nan_im = (_core.apply(OPS["isnan"], code, BOOL, (part,)) for part in (x.re, x.im))
    twice = _core.apply(OPS["multiply"], INT64, INT64, (_core.cast(nan_re, INT64), _core.scalar(x.session, 2, INT64)))
    return [_core.apply(OPS["add"], INT64, INT64, (twice, _core.cast(nan_im, INT64))), x.re, x.im]


def sort(x: Any) -> Any:
    if type(x) is not Pair:
        return _core.sort(x)
    return _taken_along_last(x, argsort(x))


def _taken_along_last(x: Any, places: Expr) -> Any:
    length = x.shape[-1]
    rows = _core.arange(x.session, 0, length, math.prod(x.shape[:-1]), INT64)
    rows = _core.reshape(rows, (*x.shape[:-1], 1))
    flat = _core.apply(OPS["add"], INT64, INT64, (rows, places))
    return take(reshape(x, (x.size,)), flat)


def argsort(x: Any) -> Expr:
    if type(x) is not Pair:
        return _core.argsort(x)
    if not x.size:
        return _core.empty(x.session, x.shape, INT64)
    keys = _sort_keys(x)
    if x.ndim == 1:
        return _core.coargsort(keys)
    found: Expr = _core.argsort(keys[-1])
    for key in reversed(keys[:-1]):
        found = _taken_along_last(found, _core.argsort(_taken_along_last(key, found)))
    return found


def coargsort(keys: Sequence[Any]) -> Expr:
    parts: list[Expr] = []
    for key in keys:
        parts.extend(_sort_keys(key) if type(key) is Pair and key.size else (key.re,) if type(key) is Pair else (key,))
    return _core.coargsort(parts)


def _differ(a: Any, b: Any) -> Expr:
    """Whether complex numbers differ in NumPy's order, in which NaN equals NaN."""
    code = part_code(a.dtype)

    def parts_differ(x: Expr, y: Expr) -> Expr:
        unequal = _core.apply(OPS["not_equal"], code, BOOL, (x, y))
        nans = [_core.apply(OPS["isnan"], code, BOOL, (one,)) for one in (x, y)]
        both = _core.apply(OPS["logical_and"], BOOL, BOOL, nans)
        return _core.apply(OPS["greater"], BOOL, BOOL, (unequal, both))

    return _core.apply(OPS["logical_or"], BOOL, BOOL, (parts_differ(a.re, b.re), parts_differ(a.im, b.im)))


def _dense_ranks(x: Pair) -> Expr:
    """Dense rank of each element of a 1-d array in NumPy's order: the number of smaller distinct values."""
    number = x.size
    if not number:
        return _core.empty(x.session, (0,), INT64)
    order = argsort(x)
    ordered = take(x, order)
    new = _differ(_along_last(ordered, 1, number - 1), _along_last(ordered, 0, number - 1))
    new = _core.concatenate([_core.full(x.session, (1,), INT64, 0), _core.cast(new, INT64)])
    found = _core.empty(x.session, (number,), INT64)
    found.assign_index(order, _core.scan("cumsum", new, 0, INT64), False)
    return found


def _have_nan(x: Pair) -> Expr:
    code = part_code(x.dtype)
    nans = [_core.apply(OPS["isnan"], code, BOOL, (part,)) for part in (x.re, x.im)]
    return _core.apply(OPS["logical_or"], BOOL, BOOL, nans)


def unique(x: Any, index: bool, inverse: bool, counts: bool) -> tuple[Any, Any, Any, Any]:
    if type(x) is not Pair:
        return _core.unique(x, index, inverse, counts)
    session, number = x.session, x.size
    flat = reshape(x, (number,))
    order = argsort(flat)
    ordered = take(flat, order)
    if not number:
        nothing = _core.empty(session, (0,), INT64)
        return ordered, *(nothing.alias() if wanted else None for wanted in (index, inverse, counts))
    after, before = _along_last(ordered, 1, number - 1), _along_last(ordered, 0, number - 1)
    new = _core.apply(OPS["greater"], BOOL, BOOL, (RULES["not_equal"](after, before), _have_nan(before)))
    new = _core.concatenate([_core.full(session, (1,), BOOL, True), new])
    places = _core.flatnonzero(new)
    found = None
    if inverse:
        rank = _core.scan("cumsum", _core.cast(new, INT64), 0, INT64)
        rank = _core.apply(OPS["subtract"], INT64, INT64, (rank, _core.scalar(session, 1, INT64)))
        found = _core.empty(session, (number,), INT64)
        found.assign_index(order, rank, False)
    ends = _core.concatenate([
        _along_last(places, 1, places.size - 1), _core.full(session, (1,), INT64, number),
    ]) if counts else None  # fmt: skip
    how_many = None if ends is None else _core.apply(OPS["subtract"], INT64, INT64, (ends, places))
    return take(ordered, places), _core.take(order, places) if index else None, found, how_many
