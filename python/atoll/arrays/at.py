# SPDX-License-Identifier: Apache-2.0
"""`add.at(a, indices, b)` and its counterparts: elementwise functions applied in place, once per index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import engine
from .array import as_array, require_out, wrap
from .creation import arange
from .dtypes import KIND_OF, promote
from .functions import UFUNCS
from .indexing import add_at, get
from .manipulation import broadcast_to, ravel

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

#: Associative functions: the operands of one element may be combined first, in pairs.
_ASSOCIATIVE = frozenset({
    "multiply", "maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and",
    "logical_or", "gcd", "lcm",
})  # fmt: skip


def apply_at(name: str, a: Any, indices: Any, b: Any = None) -> None:
    """NumPy's ``name.at(a, indices, b)``; `b` is left out for functions of one array."""
    array = require_out(a)
    code = array._expr.dtype
    values = None if b is None else as_array(b)
    kinds = (code,) if values is None else (code, values._expr.dtype)
    stays = promote(name, kinds).result == code  # else NumPy computes in the other type, and casts after each step
    if name in ("add", "subtract") and values is not None and (stays or all(KIND_OF[kind] in "iu" for kind in kinds)):
        values = values.astype(array.dtype)
        add_at(array, indices, values if name == "add" else -values)
        return
    numbers = get(arange(array.size).reshape(array.shape), indices, True)
    places = as_array(numbers)
    shape = places.shape
    places = ravel(places)
    if not places.size:
        return
    order = wrap(engine.argsort(places._read()))
    places = places[order]
    operands = None if values is None else ravel(broadcast_to(values, shape))[order]
    function = UFUNCS[name]
    flat = ravel(array).copy()
    while places.size:
        # For each operand, the number of earlier ones with the same index.
        before = arange(places.size) - wrap(engine.searchsorted(places._read(), places._read(), "left"))
        first = before == 0
        if operands is not None and stays and name in _ASSOCIATIVE and not bool(first.all()):
            odd = before % 2 == 1
            left = wrap(engine.flatnonzero(odd._read())) - 1
            operands = operands.astype(array.dtype)
            operands[left] = function(operands[left], operands[odd])
            places, operands = places[~odd], operands[~odd]
            continue
        here = places[first]
        if operands is None:
            flat[here] = function(flat[here])
        else:
            flat[here] = function(flat[here], operands[first])
            operands = operands[~first]
        places = places[~first]
    array[...] = flat.reshape(array.shape)


def _method(name: str) -> Any:
    def at(a: ndarray, indices: ArrayLike, b: ArrayLike = None, /) -> None:
        apply_at(name, a, indices, b)

    at.__doc__ = f"``a[indices] = {name}(a[indices], b)``, once for each time an index occurs."
    return at


for _name, _function in UFUNCS.items():
    _function.at = _method(_name)
