# SPDX-License-Identifier: Apache-2.0
"""Repeating, reversing and moving elements; differences of neighbours."""

from __future__ import annotations

import builtins
import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import as_array, expr_of, wrap
from .creation import arange, shape_of
from .dtypes import DTYPE_OF
from .joining import concatenate
from .manipulation import _axes, _axis, broadcast_to, ravel
from .reductions import axis_of_scalar
from .scans import cumsum
from .selection import flatnonzero
from .sizes import c_long, total_of
from .ufuncs import not_equal, subtract

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Axes
    from .ndarray import ndarray

__all__ = [
    "diff",
    "ediff1d",
    "flip",
    "fliplr",
    "flipud",
    "meshgrid",
    "repeat",
    "roll",
    "sliding_window_view",
    "tile",
    "trim_zeros",
]


def repeat(a: Any, repeats: Any, axis: int | None = None) -> ndarray:
    """Each element (or slice along an axis) several times in a row.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.repeat(ak.arange(3), 2)
    array([0, 0, 1, 1, 2, 2])
    """
    array = as_array(a)
    if axis_of_scalar(axis, array.ndim) is None:
        array, axis = wrap(engine.reshape(array._read(), (array.size,))), 0
    place = _axis(axis, array.ndim)
    length = array.shape[place]
    counts = as_array([c_long(one) for one in repeats] if isinstance(repeats, list) else c_long(repeats))
    if counts.dtype.kind not in "biu":
        raise TypeError("Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'safe'")

    if counts.size == 1:
        each = int(counts.item())
        if each < 0:
            raise ValueError("repeats may not contain negative values.")
        (total,) = shape_of(length * each)
        before, rest = array.shape[:place], array.shape[place + 1 :]
        single = engine.reshape(array._read(), (*before, length, 1, *rest))
        several = engine.broadcast_to(single, (*before, length, each, *rest))
        return wrap(engine.reshape(several, (*before, total, *rest)))
    else:
        if counts.shape != (length,):
            raise ValueError(f"operands could not be broadcast together with shape ({length},) {counts.shape}")
        if counts.size and int(counts.min()) < 0:
            raise ValueError("repeats may not contain negative values.")

        total = total_of(counts)
        ends = cumsum(counts.astype(np.int64))
        positions = wrap(engine.searchsorted(ends._expr, arange(total)._expr, "right"))
    return array[(slice(None),) * place + (positions,)]


def tile(A: Any, reps: Any) -> ndarray:
    """The array several times along each axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.tile(ak.arange(2), 3)
    array([0, 1, 0, 1, 0, 1])
    """
    array = as_array(A)
    times = [operator.index(one) for one in (reps if isinstance(reps, (tuple, list)) else (reps,))]
    if builtins.any(one < 0 for one in times):
        raise ValueError("negative dimensions are not allowed")
    ndim = builtins.max(array.ndim, len(times))
    times = [1] * (ndim - len(times)) + times
    shape = (1,) * (ndim - array.ndim) + array.shape
    shape_of([length * one for length, one in zip(shape, times, strict=True)])
    for one in times:
        c_long(one)  # what has no elements may be repeated any number of times
    expr = array._read()
    # One axis after the other, so that any number of them will do; the last first, so that most is copied once.
    for place in reversed(range(ndim)):
        if times[place] != 1:
            before, length = math.prod(shape[:place]), math.prod(shape[place:])
            expr = engine.reshape(expr, (before, 1, length))
            expr = engine.broadcast_to(expr, (before, times[place], length))
            shape = (*shape[:place], times[place] * shape[place], *shape[place + 1 :])
    return wrap(engine.reshape(expr, shape))


def flip(m: ArrayLike, axis: Axes = None) -> ndarray:
    """The order of elements reversed along axes (None: all); a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.flip(ak.arange(3))
    array([2, 1, 0])
    """
    array = as_array(m)
    axes = range(array.ndim) if axis is None else _axes(axis, array.ndim)
    return array[tuple(slice(None, None, -1) if place in axes else slice(None) for place in range(array.ndim))]


def flipud(m: ArrayLike) -> ndarray:
    """Reversed along axis 0.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.flipud(ak.arange(3))
    array([2, 1, 0])
    """
    return flip(m, 0)


def fliplr(m: ArrayLike) -> ndarray:
    """Reversed along axis 1.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fliplr(ak.arange(4).reshape(2, 2))
    array([[1, 0],
           [3, 2]])
    """
    return flip(m, 1)


def roll(a: Any, shift: Any, axis: Any = None) -> ndarray:
    """Elements shifted cyclically along axes.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.roll(ak.arange(5), 2)
    array([3, 4, 0, 1, 2])
    """
    array = as_array(a)
    if axis is None:
        return wrap(
            engine.reshape(roll(wrap(engine.reshape(array._read(), (array.size,))), shift, 0)._expr, array.shape)
        )
    axes = _axes_repeated(axis, array.ndim)
    shifts = list(shift) if isinstance(shift, (tuple, list)) else [shift]
    if len(shifts) == 1:
        shifts *= len(axes)
    elif len(axes) == 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    result = array
    for number, place in zip(shifts, axes, strict=True):
        length = array.shape[place]
        offset = operator.index(number) % length if length else 0
        if offset and place:
            result = wrap(engine.roll(result._read(), place, offset))
        elif offset:
            result = concatenate([result[length - offset :], result[: length - offset]])
    return result.copy() if result is array else result


def _axes_repeated(axis: Axes, ndim: int) -> list[int]:
    return [_axis(one, ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))]


def diff(a: ArrayLike, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> ndarray:
    """Differences of neighbours along an axis, taken `n` times.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.diff(ak.array([1, 4, 9]))
    array([3, 5])
    """
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    array = as_array(a)
    if array.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    place = _axis(axis, array.ndim)
    if prepend is not None or append is not None:
        array = concatenate([_edge(one, array, place) for one in (prepend, array, append) if one is not None], place)
    before = (slice(None),) * place

    combine = not_equal if array.dtype == bool else subtract
    for _ in range(builtins.min(n, array.shape[place])):  # then nothing is left
        array = combine(array[(*before, slice(1, None))], array[(*before, slice(None, -1))])
    return array.copy() if n == 0 else array


def _edge(value: ArrayLike, array: ndarray, place: int) -> ndarray:
    edge = as_array(value)
    if edge.ndim == 0:
        shape = list(array.shape)
        shape[place] = 1
        return broadcast_to(edge, shape)
    return edge


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> ndarray:
    """Differences of neighbours in the flattened array, between what to begin and to end with.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ediff1d(ak.array([1, 4, 9]))
    array([3, 5])
    """
    array = ravel(ary)
    code = array._expr.dtype

    def edge(values: Any, name: str) -> ndarray:
        expr = expr_of(values)
        if not np.can_cast(DTYPE_OF[expr.dtype], DTYPE_OF[code], "same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        return wrap(engine.cast(engine.reshape(expr, (expr.size,)), code))

    parts = [] if to_begin is None else [edge(to_begin, "to_begin")]
    parts.append(diff(array) if array.size else array)
    if to_end is not None:
        parts.append(edge(to_end, "to_end"))
    return concatenate(parts) if len(parts) > 1 else parts[0]


def trim_zeros(filt: Any, trim: str = "fb", axis: Axes = None) -> ndarray:
    """The array without leading and trailing zeros.

    Parameters
    ----------
    filt : array_like
        Elements.
    trim : {'fb', 'f', 'b'}
        Those in front, those behind, or both.
    axis : int or tuple of int, optional
        Axes to trim; all by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.trim_zeros(ak.array([0, 1, 0, 2, 0]))
    array([1, 0, 2])
    """
    array = as_array(filt)
    sides = trim.lower()
    if sides not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = list(range(array.ndim)) if axis is None else _axes(axis, array.ndim)
    key: list[slice] = [slice(None)] * array.ndim
    for place in axes:
        others = tuple(one for one in range(array.ndim) if one != place)
        there = flatnonzero((array != 0).any(axis=others) if others else array)
        first, last = (int(there[0]), int(there[-1]) + 1) if there.size else (array.shape[place],) * 2
        if not there.size and "f" not in sides:
            last = 0
        key[place] = slice(first if "f" in sides else None, last if "b" in sides else None)
    return array[tuple(key)]


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[ndarray, ...]:
    """Coordinate matrices from coordinate vectors.

    Parameters
    ----------
    *xi : array_like
        Coordinates along each axis.
    copy : bool
        False gives views, which are read-only unless `sparse`.
    sparse : bool
        Return arrays of length 1 along all axes but their own, which broadcast to the grid.
    indexing : {'xy', 'ij'}
        Whether the first vector runs along axis 1, as x does in a plot, or along axis 0.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.meshgrid(ak.arange(2), ak.arange(3))[0].shape
    (3, 2)
    >>> [part.shape for part in ak.meshgrid(ak.arange(2), ak.arange(3), sparse=True)]
    [(1, 2), (3, 1)]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    vectors = [as_array(one).reshape(-1) for one in xi]
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[0], places[1] = 1, 0
    shape = [0] * len(vectors)
    for place, vector in zip(places, vectors, strict=True):
        shape[place] = vector.size
    grids = []
    for place, vector in zip(places, vectors, strict=True):
        lengths = [1] * len(vectors)
        lengths[place] = vector.size
        grid = vector.reshape(lengths)
        grid = grid if sparse else broadcast_to(grid, shape)
        grids.append(grid.copy() if copy else grid)
    return tuple(grids)


def sliding_window_view(
    x: ArrayLike, window_shape: Any, axis: Axes = None, *, subok: bool = False, writeable: bool = False
) -> ndarray:
    """All windows of a shape, along new axes behind the others. A copy, where NumPy's is a view.

    Parameters
    ----------
    x : array_like
        Elements.
    window_shape : int or tuple of int
        Lengths of a window along each of the axes.
    axis : int or tuple of int, optional
        Axes that windows slide along, all by default; one may occur more than once.
    subok, writeable : bool
        Only False: there are no subclasses, and what is assigned to a copy would not reach `x`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.sliding_window_view(ak.arange(5), 3).mean(axis=-1)
    array([1., 2., 3.])
    """
    if subok:
        raise TypeError("sliding_window_view with subok=True is not available (arrays have no subclasses). Leave it?")
    if writeable:
        raise ValueError("sliding_window_view gives a copy (writeable=True asks for a view). Assign to the array?")
    array = as_array(x)
    lengths = [operator.index(n) for n in (window_shape if isinstance(window_shape, (tuple, list)) else [window_shape])]
    if builtins.any(length < 0 for length in lengths):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        places = list(range(array.ndim))
        if len(lengths) != len(places):
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; got "
                f"{len(lengths)} window_shape elements and `x.ndim` is {array.ndim}."
            )
    else:
        places = _axes_repeated(axis, array.ndim)
        if len(lengths) != len(places):
            raise ValueError(
                f"Must provide matching length window_shape and axis; got {len(lengths)} window_shape elements and "
                f"{len(places)} axes elements."
            )
    for place, length in zip(places, lengths, strict=True):
        count = array.shape[place] - length + 1
        if count < 1:
            raise ValueError("window shape cannot be larger than input array shape")
        positions = arange(count).reshape(-1, 1) + arange(length)
        array = array[(slice(None),) * place + (positions,)]
        order = [*(one for one in range(array.ndim) if one != place + 1), place + 1]
        array = wrap(engine.transpose(array._read(), order))
    return array.copy() if array is x else array
