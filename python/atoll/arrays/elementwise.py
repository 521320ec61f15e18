# SPDX-License-Identifier: Apache-2.0
"""Creates elementwise operations: the fast path from two operands to a lazy expression.

Each operation keeps a dict from operand types to (compute type, result type); an operator on two arrays is one look-up
in it, one call of the engine and one new object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .. import _core
from . import engine
from .array import Array, Columnar, expr_of, wrap
from .dtypes import (
    BOOL,
    COMPLEX64,
    DTYPE_OF,
    INT64,
    KIND_OF,
    SCALAR_KIND,
    UINT64,
    WEAK_COMPLEX,
    WEAK_INT,
    Casting,
    Promotion,
    promote,
)

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

Unary: TypeAlias = "Callable[[Any], ndarray]"
Binary: TypeAlias = "Callable[[Any, Any], ndarray]"
Apply: TypeAlias = Callable[..., Any]

_new: Any = object.__new__

#: NumPy functions that share another function's operation once the types are chosen.
SAME_OPERATION = {
    "float_power": "power",
    "fabs": "absolute",
    "conjugate": "positive",
    "degrees": "rad2deg",
    "radians": "deg2rad",
}

#: Exponents of floats that are another function, as in NumPy; integers have that of 2.
SIMPLE_POWERS = {2: "square", 1: "positive", 0.5: "sqrt", -1: "reciprocal"}


def op_of(name: str) -> int:
    """The engine's code of a NumPy ufunc."""
    return engine.OPS[SAME_OPERATION.get(name, name)]


def unary(name: str) -> Unary:
    """The operation of NumPy ufunc `name` on one array."""
    op = op_of(name)
    table: dict[int, tuple[int, int, int, Apply | None]] = {}

    def resolve(code: int) -> tuple[int, int, int, Apply | None]:
        types = promote(name, (code,))
        whole = name in ("floor", "ceil", "trunc") and KIND_OF[types.compute] != "f"
        rule = engine.rule(name) if types.is_complex else None
        table[code] = types.compute, types.result, op_of("positive") if whole else op, rule
        return table[code]

    def compute(x: ArrayLike) -> ndarray:
        if not isinstance(x, Array):
            x = wrap(expr_of(x))
        expr, code = x._expr if x._view is None else x._read(), x._code
        types = table.get(code) or resolve(code)
        array: ndarray = _new(type(x))
        array._expr = (types[3] or _core.apply)(types[2], types[0], types[1], (expr,))
        array._code = types[1]
        array._view = None
        array._version = 0
        return array

    return compute


def binary(name: str) -> Binary:
    """The operation of NumPy ufunc `name` on two arrays, or an array and a scalar."""
    op = op_of(name)
    table: dict[tuple[int, int], Promotion] = {}
    scalar_kind = SCALAR_KIND
    checks_exponent = name == "power"

    def resolve(left: int, right: int) -> Promotion:
        types = table[left, right] = promote(name, (left, right))
        return types

    def compute(x1: Any, x2: Any) -> ndarray:
        array: ndarray
        if isinstance(x1, Array):
            cls = type(x1)
            left = x1._expr if x1._view is None else x1._read()
            if type(x2) is cls:
                right = x2._expr if x2._view is None else x2._read()
                key = x1._code, x2._code
            else:
                kind = scalar_kind.get(type(x2))
                if kind is None:
                    return compute(x1, wrap(expr_of(x2)))
                key = x1._code, kind
                types = table.get(key) or resolve(*key)
                if types[2] != types[3] and not types[2] <= x2 <= types[3]:
                    return _out_of_bounds(name, left, x2, types)
                if checks_exponent and kind <= UINT64 and KIND_OF[types[0]] in "iu" and x2 < 0 and left.size:
                    raise ValueError("Integers to negative integer powers are not allowed.")
                if types[0] >= COMPLEX64:
                    return wrap(engine.apply(op, types[0], types[1], (left, engine.scalar(left.session, x2, types[0]))))
                if checks_exponent and x2 in SIMPLE_POWERS and (KIND_OF[types[0]] == "f" or x2 == 2):
                    return wrap(engine.apply(op_of(SIMPLE_POWERS[x2]), types[0], types[1], (left,)))
                right = _core.scalar(left.session, x2 if kind < 0 else x2.item() if kind != BOOL else bool(x2),
                                     types[0] if types[0] >= 0 else kind)  # fmt: skip
        elif isinstance(x2, Array):
            cls = type(x2)
            right = x2._expr if x2._view is None else x2._read()
            kind = scalar_kind.get(type(x1))
            if kind is None:
                return compute(wrap(expr_of(x1)), x2)
            key = kind, x2._code
            types = table.get(key) or resolve(*key)
            if types[2] != types[3] and not types[2] <= x1 <= types[3]:
                return _out_of_bounds(_SWAPPED.get(name, name), right, x1, types)
            if types[0] >= COMPLEX64:
                return wrap(engine.apply(op, types[0], types[1], (engine.scalar(right.session, x1, types[0]), right)))
            left = _core.scalar(right.session, x1 if kind < 0 else x1.item() if kind != BOOL else bool(x1),
                                types[0] if types[0] >= 0 else kind)  # fmt: skip
        else:
            return compute(wrap(expr_of(x1)), x2)
        types = table.get(key) or resolve(*key)
        if types[0] < 0:
            return wrap(_mixed_sign(name, left, right))
        if types[0] >= COMPLEX64:
            return wrap(engine.apply(op, types[0], types[1], (left, right)))
        if checks_exponent and KIND_OF[types[0]] == "i" and isinstance(x2, Array) and left.size:
            _check_exponents(right)
        array = _new(cls)
        array._expr = _core.apply(op, types[0], types[1], (left, right))
        array._code = types[1]
        array._view = None
        array._version = 0
        return array

    return compute


def _forward(name: str, operation: Binary) -> Binary:
    """The operation as a method: two arrays of usual types by the shortest path, the rest by `operation`.

    Returns NotImplemented for unknown operands, so that Python tries the other operand's method.
    """
    op = op_of(name)
    direct: dict[tuple[int, int], tuple[int, int]] = {}  # types that need no checks

    def method(x1: Any, x2: Any) -> ndarray:
        array: ndarray
        cls, other = type(x1), type(x2)
        if other is cls:
            types = direct.get((x1._code, x2._code))
            if types is not None and x1._view is None and x2._view is None:
                array = _new(cls)
                array._expr = _core.apply(op, types[0], types[1], (x1._expr, x2._expr))
                array._code = types[1]
                array._view = None
                array._version = 0
                return array
            found = promote(name, (x1._code, x2._code))
            if 0 <= found.compute < COMPLEX64 and not (name == "power" and KIND_OF[found.compute] != "f"):
                direct[x1._code, x2._code] = found.compute, found.result
            return operation(x1, x2)
        return operation(x1, x2) if _known(other, x2) else NotImplemented

    return method


def _known(kind: type, value: ArrayLike) -> bool:
    """Whether an operator accepts this operand, rather than leaving the operation to the operand's method."""
    if kind in SCALAR_KIND or isinstance(value, (Array, np.ndarray, np.generic)):
        return True
    if isinstance(value, (Columnar, str, bytes, dict, set, type(None))) or hasattr(value, "__array_priority__"):
        return False
    return getattr(value, "__array_ufunc__", True) is not None


_SWAPPED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}
_TRUE_ABOVE = ("less", "less_equal", "not_equal")
_TRUE_BELOW = ("greater", "greater_equal", "not_equal")


def _out_of_bounds(name: str, array: engine.Expr, number: int, types: Promotion) -> ndarray:
    """array <op> number, for a Python integer outside the range of the array's dtype."""
    if name.startswith("logical_"):
        return binary(name)(wrap(array.alias()), True)
    if name not in _TRUE_ABOVE and name not in _TRUE_BELOW and name != "equal":
        raise OverflowError(f"Python integer {number} out of bounds for {DTYPE_OF[types.compute]}")
    answer = name in (_TRUE_ABOVE if number > types.high else _TRUE_BELOW)
    return wrap(engine.broadcast_to(engine.scalar(array.session, answer, BOOL), array.shape))


def _mixed_sign(name: str, left: engine.Expr, right: engine.Expr) -> engine.Expr:
    """Exact comparison of int64 with uint64: negative numbers are less, the others compare as unsigned."""
    if left.dtype == UINT64:
        return _mixed_sign(_SWAPPED.get(name, name), right, left)

    def bools(op: str, *operands: engine.Expr) -> engine.Expr:
        return engine.apply(engine.OPS[op], BOOL, BOOL, operands)

    zero = engine.scalar(left.session, 0, INT64)
    negative = engine.apply(engine.OPS["less"], INT64, BOOL, (left, zero))
    unsigned = engine.apply(engine.OPS[name], UINT64, BOOL, (engine.cast(left, UINT64), right))
    if name in _TRUE_ABOVE:  # true when left is less
        return bools("logical_or", negative, unsigned)
    return bools("logical_and", bools("logical_not", negative), unsigned)


def _check_exponents(exponents: engine.Expr) -> None:
    signed = exponents.size and KIND_OF[exponents.dtype] == "i"
    if signed and engine.reduce_all("min", exponents, exponents.dtype, True) < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")


def check_output(name: str, kinds: tuple[int, ...], result: int, target: int, casting: Casting = "same_kind") -> None:
    """TypeError, with NumPy's message, when the operation's result cannot be cast to dtype `target`."""
    if result == target or np.can_cast(DTYPE_OF[result], DTYPE_OF[target], casting):
        return
    ufunc: Any = getattr(np, name, None)
    if type(ufunc) is np.ufunc and ufunc.nout == 1 and len(kinds) == ufunc.nin:
        types = [{WEAK_INT: int, WEAK_COMPLEX: complex}.get(kind, float if kind < 0 else DTYPE_OF[kind])
                 for kind in kinds]  # fmt: skip
        ufunc.resolve_dtypes((*types, DTYPE_OF[target]), casting=casting)
    raise TypeError(
        f"Cannot cast ufunc '{name}' output from {DTYPE_OF[result]!r} to {DTYPE_OF[target]!r} "
        f"with casting rule '{casting}'"
    )


def kind_of(x: ArrayLike) -> int:
    """A dtype code, or the kind of a scalar."""
    return x._code if isinstance(x, Array) else SCALAR_KIND.get(type(x), -2)


def operators(name: str, symbol: str) -> tuple[Binary, Binary, Binary]:
    """The operation of NumPy ufunc `name` as the methods of `a + b`, `b + a` and `a += b`."""
    operation = binary(name)
    forward = _forward(name, operation)

    def reflected(x1: ArrayLike, x2: ArrayLike) -> ndarray:
        return operation(x2, x1) if _known(type(x2), x2) else NotImplemented

    def update(x1: ndarray, x2: Any) -> ndarray:
        # The result must fit the array's shape and, by NumPy's same_kind rule, its type.
        if not _known(type(x2), x2):
            return NotImplemented
        result = operation(x1, x2)
        value, target = result._expr, x1._expr.dtype
        if value.dtype != target:
            check_output(name, (target, kind_of(x2)), value.dtype, target)
            value = engine.cast(value, target)
        x1._store(value)
        return x1

    forward.__doc__ = f"a {symbol} b; see `ak.{name}`."
    reflected.__doc__ = f"b {symbol} a; see `ak.{name}`."
    update.__doc__ = f"a {symbol}= b; see `ak.{name}`."
    return forward, reflected, update


def comparison(name: str, symbol: str) -> Binary:
    """The comparison of NumPy ufunc `name` as a method."""
    method = _forward(name, binary(name))
    if name not in ("equal", "not_equal"):
        method.__doc__ = f"a {symbol} b; see `ak.{name}`."
        return method

    def forward(x1: Any, x2: ArrayLike) -> ndarray:
        shape = _shape_of_others(x2)
        if shape is None:
            return method(x1, x2)
        answer = engine.scalar(x1._expr.session, name == "not_equal", BOOL)
        return wrap(engine.broadcast_to(answer, np.broadcast_shapes(x1.shape, shape)))

    forward.__doc__ = f"a {symbol} b; see `ak.{name}`."
    return forward


def _shape_of_others(value: ArrayLike) -> tuple[int, ...] | None:
    """The shape of an object that equals no number: strings, None, objects without an __eq__; else None."""
    kind = type(value)
    if kind in SCALAR_KIND or isinstance(value, Array):
        return None
    if isinstance(value, Columnar):  # its own comparison decides
        numbers = getattr(getattr(value, "dtype", None), "kind", "O") in "biufc"
        return None if numbers or getattr(value, "kind", "") == "object" else ()
    if isinstance(value, (str, bytes, dict, set, type(None))) or getattr(kind, "__eq__", None) is object.__eq__:
        return ()
    if isinstance(value, (list, tuple, np.ndarray)):
        values = np.asarray(value)
        return values.shape if values.dtype.kind in "SUT" else None
    return None
