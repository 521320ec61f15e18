# SPDX-License-Identifier: Apache-2.0
"""`add.reduce`, `accumulate`, `reduceat` and `outer`: NumPy's methods of elementwise functions of two arrays.

Sums, products, minima, maxima and logical functions are reductions and scans of the engine. Other associative functions
are combined pairwise in a tree. Functions that are not associative are evaluated from one element to the next: NumPy
does that, on a copy of the elements on each PE.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, Columnar, as_array, expr_of, of_columns, wrap
from .creation import arange
from .dtypes import DTYPE_OF, KIND_OF, DTypeLike, code_of, promote
from .functions import BINARY, UFUNCS, UNARY
from .joining import concatenate
from .manipulation import moveaxis
from .reductions import WIDE, axes_of, into, reduce
from .repeating import repeat
from .scans import cumsum, scan
from .sizes import require_room
from .ufuncs import absolute

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..annotations import ArrayLike, Axis
    from .ndarray import ndarray

_REDUCERS = {
    "add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any",
}  # fmt: skip
_SCANS = {"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin"}
_ASSOCIATIVE = frozenset({
    *_REDUCERS, "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor", "gcd", "lcm", "hypot",
    "logaddexp", "logaddexp2",
})  # fmt: skip
_NO_INITIAL: Any = np._NoValue


def _prepared(name: str, a: ArrayLike, dtype: DTypeLike) -> ndarray:
    """The elements in the type that the function combines them in."""
    array = as_array(a)
    code = array._expr.dtype
    if dtype is not None:
        return array.astype(dtype, copy=False)
    if name in ("add", "multiply"):
        return array.astype(DTYPE_OF[WIDE[code]], copy=False)
    return array.astype(DTYPE_OF[promote(name, (code, code)).result], copy=False)


def _by_numpy(name: str, method: str, a: ArrayLike, *args: object, **options: object) -> Any:
    """Calls NumPy's method on a copy of the elements."""
    given = [one.to_numpy(None) if isinstance(one, Array) else one for one in (a, *args)]
    where = options.get("where")
    if isinstance(where, Array):
        options["where"] = where.to_numpy(None)
    found = getattr(getattr(np, name), method)(*given, **options)
    if found.dtype == np.float16:  # which arrays do not hold
        found = found.astype(np.float32)
    return wrap(expr_of(found)) if found.ndim else found


def _stored(found: Any, out: Any, name: str) -> Any:
    """The result, or `out` with it."""
    if out is None or (type(out) is tuple and out[0] is None):
        return found
    expr = expr_of(found)
    return into(out, expr, name, expr.dtype)


def _of_column(name: str, column: Any, axis: Axis, *others: Any) -> Any:
    """The column's version of a method; a column has one axis, and other options are refused."""
    axes_of(axis, 1)
    if any(others):
        raise TypeError(f"{name} of a column takes an axis alone. Convert it first: to_numpy()?")
    found = of_columns(name, (column,))
    if found is NotImplemented:
        raise TypeError(f"a column of {column.kind} has no {name}. Convert it first: to_numpy()?")
    return found


def reduce_by(
    name: str, a: Any, axis: Any = 0, dtype: DTypeLike = None, out: Any = None, keepdims: bool = False,
    initial: Any = _NO_INITIAL, where: Any = True,
) -> Any:  # fmt: skip
    """NumPy's ``name.reduce``."""
    if isinstance(a, Columnar):
        return _of_column(
            f"{name}.reduce", a, axis, dtype, out, keepdims, initial is not _NO_INITIAL, where is not True
        )
    if name in _REDUCERS:
        start = None if initial is _NO_INITIAL else initial
        if type(out) is tuple:
            out = out[0]
        return reduce(_REDUCERS[name], a, axis, dtype, out, keepdims, start, where, True)
    array = as_array(a)
    axes = axes_of(axis, array.ndim) if array.ndim else []
    reduced = list(range(array.ndim)) if axes is None else axes
    if name in _ASSOCIATIVE and where is True and array.size and (len(reduced) == 1 or (reduced and name != "lcm")):
        found = _folded(name, _prepared(name, array, dtype), reduced, keepdims)
        if initial is not _NO_INITIAL and initial is not None:
            found = BINARY[name](initial, found).astype(found.dtype)
            found = found if found.ndim else found.dtype.type(found.item())
    else:
        options = {} if initial is _NO_INITIAL else {"initial": initial}
        kind = None if dtype is None else DTYPE_OF[code_of(dtype)]
        found = _by_numpy(name, "reduce", array, axis=axis, dtype=kind, keepdims=keepdims, where=where, **options)
    return _stored(found, out, name)


def _folded(name: str, array: ndarray, reduced: list[int], keepdims: bool) -> Any:
    """Reduces along axes by an associative function, pairwise."""
    others = [place for place in range(array.ndim) if place not in reduced]
    rest = tuple(array.shape[place] for place in others)
    rows = array.transpose(*reduced, *others).reshape(-1, *rest)
    if len(rows) == 1 and name in ("gcd", "hypot"):  # of one number, the result is its magnitude
        rows = absolute(rows)
    while len(rows) > 1:
        half = len(rows) // 2
        pairs = BINARY[name](rows[: 2 * half : 2], rows[1 : 2 * half : 2]).evaluate()
        rows = concatenate([pairs, rows[2 * half :]]) if len(rows) % 2 else pairs
    shape = tuple(1 if place in reduced else n for place, n in enumerate(array.shape)) if keepdims else rest
    found = rows.reshape(shape)
    return found if shape else found.dtype.type(found.item())


def accumulate_by(name: str, a: Any, axis: int = 0, dtype: DTypeLike = None, out: Any = None) -> ndarray:
    """NumPy's ``name.accumulate``."""
    if isinstance(a, Columnar):
        return _of_column(f"{name}.accumulate", a, axis, dtype, out)
    array = as_array(a)
    if array.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    if axis is None:
        if array.ndim != 1:
            raise ValueError("accumulate does not allow multiple axes")
        axis = 0
    place = axes_of(operator.index(axis), array.ndim)
    assert place is not None
    if name in _SCANS and (array.dtype.kind != "c" or name in ("add", "multiply")):
        found = scan(_SCANS[name], array, place[0], dtype, None)
    elif name in _ASSOCIATIVE and array.size:
        rows = moveaxis(_prepared(name, array, dtype), place[0], 0)
        distance = 1
        while distance < len(rows):  # combines each element with the result `distance` before it, which doubles
            further = BINARY[name](rows[:-distance], rows[distance:])
            rows = concatenate([rows[:distance], further]).evaluate()
            distance *= 2
        found = moveaxis(rows, 0, place[0])
    else:
        kind = None if dtype is None else DTYPE_OF[code_of(dtype)]
        found = _by_numpy(name, "accumulate", array, axis=place[0], dtype=kind)
    if type(out) is tuple:
        out = out[0]
    result: ndarray = _stored(found, out, name)
    return result


def reduceat_by(name: str, a: Any, indices: Any, axis: int = 0, dtype: DTypeLike = None, out: Any = None) -> ndarray:
    """NumPy's ``name.reduceat``."""
    array = as_array(a)
    starts = as_array(indices if isinstance(indices, Array) else np.asarray(indices))
    if starts.size == 0:
        starts = starts.astype(np.int64)
    if starts.ndim > 1:
        raise ValueError("object too deep for desired array")
    if KIND_OF[starts._expr.dtype] not in "iub":
        raise TypeError(f"Cannot cast array data from {starts.dtype!r} to dtype('int64') according to the rule 'safe'")
    starts = starts.astype(np.int64).reshape(-1)
    if array.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    place = axes_of(operator.index(axis), array.ndim)
    assert place is not None
    length = array.shape[place[0]]
    bad = (starts < 0) | (starts >= length)
    if bool(bad.any()):
        raise IndexError(f"index {int(starts[bad][0])} out-of-bounds in {name}.reduceat [0, {length})")
    if name not in _ASSOCIATIVE or array.size == 0 or starts.size == 0:
        kind = None if dtype is None else DTYPE_OF[code_of(dtype)]
        found = _by_numpy(name, "reduceat", array, starts, axis=place[0], dtype=kind)
    else:
        rows = moveaxis(_prepared(name, array, dtype), place[0], 0)
        found = moveaxis(_segments(name, rows, starts), 0, place[0])
    if type(out) is tuple:
        out = out[0]
    result: ndarray = _stored(found, out, name)
    return result


def _segments(name: str, rows: ndarray, starts: ndarray) -> ndarray:
    """Reduces the rows from each start to before the next start, or one row where the next start is not greater."""
    ends = concatenate([starts[1:], [len(rows)]])
    counts = (ends - starts).clip(1, None)
    firsts = cumsum(counts) - counts
    number = repeat(arange(starts.size), counts)
    rank = arange(number.size) - firsts[number]
    values = rows[starts[number] + rank]
    while values.shape[0] > starts.size:  # combines each row with its left neighbour of the same segment
        odd = rank % 2 == 1
        right = wrap(engine.flatnonzero(odd._read()))
        values[right - 1] = BINARY[name](values[right - 1], values[right])
        values, rank = values[~odd], rank[~odd] // 2
    return values


def outer_by(name: str, A: Any, B: Any, /, **options: object) -> Any:
    """NumPy's ``name.outer``: the function of each element of A with each of B."""
    if isinstance(A, Columnar) or isinstance(B, Columnar):
        return _outer_of_columns(name, A, B, options)
    first, second = wrap(expr_of(A).alias()), wrap(expr_of(B).alias())
    return UFUNCS[name](first.reshape(first.shape + (1,) * second.ndim), second, **options)


def _outer_of_columns(name: str, A: Any, B: Any, options: dict[str, Any]) -> Any:
    """The same where one is a column: of each pair of rows, as an array. TypeError where that would be a column."""
    if options:
        raise TypeError(f"{name}.outer of a column takes no {next(iter(options))}. Leave it out?")
    pair: list[Any] = [one if isinstance(one, Columnar) else as_array(one).reshape(-1) for one in (A, B)]
    first, second = pair
    rows, columns = len(first), len(second)
    require_room(8 * rows * columns, f"{rows} times {columns} pairs")
    pairs = arange(rows * columns)
    found = UFUNCS[name](first[pairs // max(columns, 1)], second[pairs % max(columns, 1)])
    if not isinstance(found, Array):
        raise TypeError(
            f"{name}.outer of these columns is no array (values are missing, or are no numbers, and a column has one "
            "axis). Fill what is missing, or join the rows?"
        )
    return as_array(found).reshape(rows, columns)


def _methods(name: str) -> dict[str, Any]:
    def reduce(
        array: Any, axis: Any = 0, dtype: DTypeLike = None, out: Any = None, keepdims: bool = False,
        initial: Any = _NO_INITIAL, where: Any = True,
    ) -> Any:  # fmt: skip
        return reduce_by(name, array, axis, dtype, out, keepdims, initial, where)

    def accumulate(array: Any, axis: int = 0, dtype: DTypeLike = None, out: Any = None) -> ndarray:
        return accumulate_by(name, array, axis, dtype, out)

    def reduceat(array: Any, indices: Any, axis: int = 0, dtype: DTypeLike = None, out: Any = None) -> ndarray:
        return reduceat_by(name, array, indices, axis, dtype, out)

    def outer(A: Any, B: Any, /, **options: object) -> ndarray:
        result: ndarray = outer_by(name, A, B, **options)
        return result

    reduce.__doc__ = f"`{name}` of the first and the second element, of that and the third, and so on along axes."
    accumulate.__doc__ = f"What `{name}.reduce` has come to at each element along an axis."
    reduceat.__doc__ = f"`{name}.reduce` of the elements from each index to before the next."
    outer.__doc__ = f"`{name}` of each element of A with each of B."
    return {"reduce": reduce, "accumulate": accumulate, "reduceat": reduceat, "outer": outer}


def _describe(function: Callable[..., Any], ufunc: Any) -> None:
    """NumPy's attributes of a ufunc, where it has one of that name."""
    if isinstance(ufunc, np.ufunc):
        for attribute in ("nin", "nout", "nargs", "identity", "signature"):
            setattr(function, attribute, getattr(ufunc, attribute))


for _name, _function in BINARY.items():
    for _method, _body in _methods(_name).items():
        setattr(_function, _method, _body)
    _describe(_function, getattr(np, _name, None))
for _name, _unary in UNARY.items():
    _describe(_unary, getattr(np, _name, None))
