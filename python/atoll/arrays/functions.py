# SPDX-License-Identifier: Apache-2.0
"""Makes documented functions of elementwise operations, with the parameters of ufuncs: `out=`, `where=`, `dtype=`."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from . import engine
from .array import expr_of, of_columns, require_out, wrap
from .dtypes import DTYPE_OF, Casting, code_of, promote
from .elementwise import binary, check_output, kind_of, op_of, unary

if TYPE_CHECKING:
    from ..annotations import DTypeLike
    from .ndarray import ndarray


class UnaryFunction(Protocol):
    """An elementwise function of one array."""

    __name__: str
    at: Callable[..., None]  # set by module `at`

    def __call__(
        self, x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: Casting = "same_kind"
    ) -> ndarray: ...


class BinaryFunction(Protocol):
    """An elementwise function of two arrays."""

    __name__: str
    at: Callable[..., None]  # set by module `at`

    def __call__(
        self,
        x1: Any,
        x2: Any,
        /,
        out: Any = None,
        *,
        where: Any = True,
        dtype: Any = None,
        casting: Casting = "same_kind",
    ) -> ndarray: ...


#: Functions that this module made, by NumPy's name.
UNARY: dict[str, UnaryFunction] = {}
BINARY: dict[str, BinaryFunction] = {}
#: These functions, and those that other modules add.
UFUNCS: ChainMap[str, Any] = ChainMap({}, UNARY, BINARY)
__test__ = UFUNCS  # where doctest finds their examples

_DOC = """{summary}

Parameters
----------
{operands} : array_like
    {what}
out : ndarray, optional
    Where to put the result.
where : array_like of bool, optional
    Compute only where this is True; elsewhere `out` keeps its elements (without `out` they are 0).
dtype : dtype, optional
    Compute in, and return, this type.

Returns
-------
ndarray
    Lazy: computed when its values are needed.

Examples
--------
>>> import atoll as ak
>>> import numpy as np
>>> {example}
True
"""


def finish(result: ndarray, out: Any, where: Any, name: str, kinds: tuple[int, ...], casting: Casting) -> ndarray:
    """Applies `out` and `where` to the result of an elementwise function."""
    if out is None:
        if where is True:
            return result
        mask, value = expr_of(where), result._expr
        zero = engine.scalar(value.session, 0, value.dtype)
        return wrap(engine.apply(engine.OPS["where"], value.dtype, value.dtype, (mask, value, zero)))
    target = require_out(out)
    value, code = result._expr, target._expr.dtype
    check_output(name, kinds, value.dtype, code, casting)
    if value.dtype != code:
        value = engine.cast(value, code)
    if where is not True:
        value = engine.apply(engine.OPS["where"], code, code, (expr_of(where), value, target._read()))
    if value.shape != target.shape:
        try:
            value = engine.broadcast_to(value, target.shape)
        except ValueError:
            target._store(value)  # the error in NumPy's words
    target._store(value)
    return target


def _given_type(name: str, dtype: DTypeLike, operands: tuple[Any, ...], casting: Casting) -> ndarray:
    """The function computed in `dtype`: the operands must be castable to it."""
    code = code_of(dtype)
    types = promote(name, (code,) * len(operands))
    if types.result != code:
        raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {name}")
    exprs = [expr_of(x) for x in operands]
    for operand, expr in zip(operands, exprs, strict=True):
        if type(operand) not in (bool, int, float) and not np.can_cast(DTYPE_OF[expr.dtype], DTYPE_OF[code], casting):
            raise TypeError(
                f"Cannot cast ufunc '{name}' input from {DTYPE_OF[expr.dtype]!r} to {DTYPE_OF[code]!r} "
                f"with casting rule '{casting}'"
            )
    return wrap(engine.apply(op_of(name), code, code, exprs))


def unary_function(name: str, summary: str, example: str = "[0.25, 0.5]") -> UnaryFunction:
    compute = unary(name)

    def function(
        x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: Casting = "same_kind"
    ) -> ndarray:
        if out is None and where is True and dtype is None:
            try:
                return compute(x)
            except TypeError:
                if (found := of_columns(name, (x,))) is NotImplemented:
                    raise
                return found
        result = compute(x) if dtype is None else _given_type(name, dtype, (x,), casting)
        return finish(result, out, where, name, (kind_of(x),), casting)

    function.__name__ = function.__qualname__ = name
    shown = f"bool(ak.allclose(ak.{name}({example}), np.{name}({example})))"
    function.__doc__ = _DOC.format(summary=summary, operands="x", what="Values.", example=shown)
    made: Any = function
    UNARY[name] = made
    return made


def binary_function(name: str, summary: str, left: str = "[5.0, 6.5]", right: str = "[2.0, 4.0]") -> BinaryFunction:
    compute = binary(name)

    def function(
        x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: Casting = "same_kind"
    ) -> ndarray:
        if out is None and where is True and dtype is None:
            try:
                return compute(x1, x2)
            except TypeError:
                if (found := of_columns(name, (x1, x2))) is NotImplemented:
                    raise
                return found
        result = compute(x1, x2) if dtype is None else _given_type(name, dtype, (x1, x2), casting)
        return finish(result, out, where, name, (kind_of(x1), kind_of(x2)), casting)

    function.__name__ = function.__qualname__ = name
    shown = f"bool(ak.allclose(ak.{name}({left}, {right}), np.{name}({left}, {right})))"
    function.__doc__ = _DOC.format(
        summary=summary, operands="x1, x2", what="Values; they broadcast against each other.", example=shown
    )
    made: Any = function
    BINARY[name] = made
    return made
