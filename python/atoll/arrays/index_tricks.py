# SPDX-License-Identifier: Apache-2.0
"""Selection between arrays, assignment by position, and index arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array, as_array, expr_of, require_out
from .composed import choose as one_of
from .composed import clip
from .creation import arange, empty, shape_of, zeros
from .diagonals import assign_flat
from .dtypes import DTYPE_OF, SCALAR_KIND, WEAK_FLOAT, WEAK_INT, Casting, DTypeLike, check_cast, result_code
from .keys import unravel
from .manipulation import broadcast_to, ravel
from .reductions import max, min
from .selection import along_axis, nonzero, putmask
from .ufuncs import logical_or

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Out, Shape
    from .ndarray import ndarray

__all__ = [
    "choose",
    "copyto",
    "indices",
    "ix_",
    "piecewise",
    "put",
    "put_along_axis",
    "ravel_multi_index",
    "select",
    "unravel_index",
]


# -- choosing --


def _common_type(values: Sequence[Any]) -> np.dtype[Any]:
    """The type of a choice between these, Python's numbers adapting to the others."""
    kinds = [SCALAR_KIND.get(type(value), 99) for value in values]
    return DTYPE_OF[
        result_code(*(kind if kind < 0 else expr_of(v).dtype for kind, v in zip(kinds, values, strict=True)))
    ]


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> ndarray:
    """Each element from the first array of `choicelist` whose condition holds there, else `default`.

    Examples
    --------
    >>> import atoll as ak
    >>> x = ak.arange(6)
    >>> ak.select([x < 3, x > 3], [-x, x**2], 42)
    array([ 0, -1, -2, 42, 16, 25])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    conditions = [as_array(one) for one in condlist]
    for number, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"invalid entry {number} in condlist: should be boolean ndarray")
    choices = [one if type(one) in (int, float) else as_array(one) for one in choicelist]
    rest = default if type(default) in (int, float) else as_array(default)
    dtype = _common_type([*choices, rest])
    result = as_array(rest).astype(dtype)
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = one_of(condition, as_array(choice).astype(dtype), result)
    return result.copy()


def _within(places: ndarray, length: int, mode: str) -> ndarray:
    """Positions below `length`, by one of NumPy's modes; mode 'raise' leaves negative ones as they are."""
    if mode == "wrap":
        return places % length
    if mode == "clip":
        return clip(places, 0, length - 1)
    if mode != "raise":
        raise ValueError(f"mode must be 'raise', 'wrap' or 'clip', not {mode!r}")
    return places


def _whole_numbers(places: Any) -> ndarray:
    array = as_array(places)
    if array.size == 0 and not hasattr(places, "dtype"):
        array = array.astype(np.int64)
    check_cast(array._expr.dtype, DTYPE_OF.index(np.dtype(np.int64)), "same_kind")
    return array.astype(np.int64)


def choose(a: ArrayLike, choices: Any, out: Out = None, mode: str = "raise") -> Any:
    """Each element from the array of `choices` that the corresponding element of `a` selects.

    Parameters
    ----------
    a : array_like of int
        Numbers of choices.
    choices : sequence of array_like
        They broadcast against `a` and each other.
    out : ndarray, optional
        Where to put the result.
    mode : {'raise', 'wrap', 'clip'}
        Treatment of numbers without a choice.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.choose(ak.array([0, 1, 1]), [10, ak.array([1, 2, 3])])
    array([10,  2,  3])
    """
    several = [as_array(one) for one in choices]
    if not several:
        raise ValueError("choose needs at least one choice")
    number = _within(_whole_numbers(a), len(several), mode)
    if number.size and mode == "raise" and not (int(number.min()) >= 0 and int(number.max()) < len(several)):
        raise ValueError("invalid entry in choice array")
    dtype = _common_type(list(choices))
    result = broadcast_to(several[-1].astype(dtype), np.broadcast_shapes(number.shape, *(one.shape for one in several)))
    for place in range(len(several) - 2, -1, -1):
        result = one_of(number == place, several[place].astype(dtype), result)
    if out is None:
        return result.copy() if result.ndim else dtype.type(result.item())
    require_out(out)[...] = result
    return out


def piecewise(x: ArrayLike, condlist: Any, funclist: Sequence[Any], *args: object, **kw: Any) -> ndarray:
    """A function defined by pieces: each of `funclist`, a function or a value, where its condition holds.

    Parameters
    ----------
    x : array_like
        Arguments; the result has their type.
    condlist : sequence of array_like of bool
        Conditions; the last one that holds applies.
    funclist : sequence of functions or scalars
        One for each condition, and optionally one more for the other elements, which are 0 otherwise.
    *args, **kw
        Passed on to the functions.

    Examples
    --------
    >>> import atoll as ak
    >>> x = ak.linspace(-2, 2, 5)
    >>> ak.piecewise(x, [x < 0, x >= 0], [-1, lambda x: x * x])
    array([-1., -1.,  0.,  1.,  4.])
    """
    arguments = as_array(x)
    alone = np.ndim(condlist) == 0 if not isinstance(condlist, (list, tuple)) else False
    if alone or (not isinstance(condlist[0], (list, np.ndarray, Array)) and arguments.ndim != 0):
        condlist = [condlist]
    conditions = [as_array(one).astype(bool) for one in condlist]
    if len(funclist) == len(conditions) + 1:
        covered = conditions[0]
        for condition in conditions[1:]:
            covered = logical_or(covered, condition)
        conditions.append(~covered)
    elif len(funclist) != len(conditions):
        number = len(conditions)
        raise ValueError(f"with {number} condition(s), either {number} or {number + 1} functions are expected")
    result = zeros(arguments.shape, arguments.dtype)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            result[condition] = function
            continue
        values = arguments[condition]
        if values.size:
            result[condition] = function(values, *args, **kw)
    return result


# -- writing --


def put(a: ndarray, ind: Any, v: ArrayLike, mode: str = "raise") -> None:
    """``a.flat[ind] = v``, in place; the values are repeated as often as needed.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(5)
    >>> ak.put(a, [0, 2], [-44, -55])
    >>> a
    array([-44,   1, -55,   3,   4])
    """
    if not isinstance(a, Array):
        raise TypeError(f"argument 1 must be an ak.ndarray, not {type(a).__name__}")
    target = as_array(a)
    assign_flat(target, _within(ravel(_whole_numbers(ind)), target.size, mode), v)


def put_along_axis(arr: ndarray, indices: ArrayLike, values: ArrayLike, axis: int | None = -1) -> None:
    """Assigns to what `take_along_axis` takes, in place.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.array([[10, 30, 20], [60, 40, 50]])
    >>> ak.put_along_axis(a, ak.argmax(a, axis=1, keepdims=True), 99, axis=1)
    >>> a
    array([[10, 99, 20],
           [99, 40, 50]])
    """
    target = require_out(arr)
    if axis is None:
        flat = ravel(target)
        flat[as_array(indices)] = values
        if flat.base is None:
            target[...] = flat.reshape(target.shape)
        return
    target[along_axis(target, as_array(indices), axis)] = values


def copyto(dst: Any, src: Any, casting: Casting = "same_kind", where: ArrayLike = True) -> None:
    """Assigns `src` to `dst`, an array of Atoll or NumPy, in place; only where `where` holds.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.zeros(3)
    >>> ak.copyto(a, [4, 5, 6], where=[True, False, True])
    >>> a
    array([4., 0., 6.])
    """
    values = src.to_numpy() if isinstance(src, Array) and not isinstance(dst, Array) else src
    if not isinstance(dst, Array):
        np.copyto(dst, values, casting=casting, where=np.asarray(where))
        return
    target = as_array(dst)
    own = SCALAR_KIND.get(type(values), 99)
    if own >= 0 or target.dtype.kind in {WEAK_INT: "b", WEAK_FLOAT: "biu"}.get(own, "biuf"):
        check_cast(expr_of(values).dtype, target._expr.dtype, casting)
    if where is True:
        target[...] = values
    else:
        putmask(target, where, values)


# -- index arithmetic --


def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """Positions in the flattened array of elements given by an index for each axis.

    Parameters
    ----------
    multi_index : sequence of array_like of int
        One for each axis.
    dims : tuple of int
        The array's shape.
    mode : {'raise', 'wrap', 'clip'} or a tuple of them
        Treatment of indices out of bounds.
    order : {'C', 'F'}
        Whether the last axis runs fastest, or the first.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ravel_multi_index(([0, 1, 1], [2, 0, 2]), (2, 3))
    array([2, 3, 5])
    """
    shape = (operator.index(dims),) if np.ndim(dims) == 0 else tuple(map(operator.index, dims))
    if math.prod(shape) > np.iinfo(np.int64).max:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum possible size.")
    parts = [_whole_numbers(one) for one in multi_index]
    modes = [mode] * len(shape) if isinstance(mode, str) else list(mode)
    if len(parts) != len(shape):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(shape)}")
    total: Any = 0
    for place in _fastest_last(len(shape), order):
        part, length = _within(parts[place], shape[place], modes[place]), shape[place]
        if modes[place] == "raise" and part.size and not (int(part.min()) >= 0 and int(part.max()) < length):
            raise ValueError("invalid entry in coordinates array")
        total = total * length + part
    return total if total.ndim else np.int64(total.item())


def _fastest_last(number: int, order: str) -> list[int]:
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F' (got {order!r})")
    return list(range(number)) if order == "C" else list(range(number))[::-1]


def unravel_index(indices: ArrayLike, shape: Shape, order: str = "C") -> tuple[Any, ...]:
    """The index along each axis of positions in the flattened array.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unravel_index([2, 3, 5], (2, 3))
    (array([0, 1, 1]), array([2, 0, 2]))
    """
    given = as_array(indices)
    if given.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    lengths, places = shape_of(shape), _whole_numbers(indices)
    size = math.prod(lengths)
    if places.size:
        for extreme in (int(min(places)), int(max(places))):
            if not 0 <= extreme < size:
                raise ValueError(f"index {extreme} is out of bounds for array with size {size}")
    order_of = _fastest_last(len(lengths), order)
    found = unravel(places, tuple(lengths[place] for place in order_of)) if lengths else ()
    parts = [found[order_of.index(place)] for place in range(len(lengths))]
    return tuple(part if part.ndim else np.int64(part.item()) for part in parts)


def ix_(*args: Any) -> tuple[ndarray, ...]:
    """Index arrays that together select a grid: every combination of the positions given for each axis.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(10).reshape(2, 5)
    >>> a[ak.ix_([0, 1], [2, 4])]
    array([[2, 4],
           [7, 9]])
    """
    found = []
    for place, one in enumerate(args):
        array = as_array(one)
        if array.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if array.size == 0 and not hasattr(one, "dtype"):
            array = array.astype(np.int64)
        if array.dtype == bool:
            (array,) = nonzero(array)
        found.append(array.reshape((1,) * place + (-1,) + (1,) * (len(args) - place - 1)))
    return tuple(found)


def indices(dimensions: Any, dtype: DTypeLike = int, sparse: bool = False) -> Any:
    """The indices of every element of a grid along each axis: one array of them, or with `sparse` those of `ix_`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.indices((2, 3))[1]
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    shape = tuple(map(operator.index, dimensions))
    number = len(shape)
    grids = [
        arange(length, dtype=dtype).reshape((1,) * place + (-1,) + (1,) * (number - place - 1))
        for place, length in enumerate(shape)
    ]
    if sparse:
        return tuple(grids)
    result = empty((number, *shape), dtype)
    for place, grid in enumerate(grids):
        result[place] = grid
    return result
