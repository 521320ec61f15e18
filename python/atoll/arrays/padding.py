# SPDX-License-Identifier: Apache-2.0
"""Padding with borders, and resizing with repeated elements."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array, as_array
from .composed import choose, round
from .creation import arange, empty, linspace, shape_of, zeros
from .joining import concatenate
from .manipulation import broadcast_to, moveaxis, ravel
from .quantiles import median
from .reductions import max, min
from .selection import take
from .statistics import mean
from .ufuncs import floor_divide

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = ["pad", "resize"]

Pair = tuple[int, int]

#: mode -> the options it takes, with their defaults.
_OPTIONS: dict[str, dict[str, Any]] = {
    "empty": {},
    "edge": {},
    "wrap": {},
    "constant": {"constant_values": 0},
    "linear_ramp": {"end_values": 0},
    "maximum": {"stat_length": None},
    "mean": {"stat_length": None},
    "median": {"stat_length": None},
    "minimum": {"stat_length": None},
    "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"},
}
_FIGURES: dict[str, Callable[..., Any]] = {"maximum": max, "minimum": min, "mean": mean, "median": median}


def pad(array: ArrayLike, pad_width: Any, mode: Any = "constant", **kwargs: object) -> ndarray:
    """The array with borders.

    Parameters
    ----------
    array : array_like
        The array to pad.
    pad_width : int, (before, after), one such pair for each axis, or a dict of axes
        Widths of the borders.
    mode : str or function
        Their content, by NumPy's names: 'constant' (`constant_values`), 'edge', 'empty' (zeros), 'linear_ramp' (to
        `end_values`), 'maximum', 'mean', 'median', 'minimum' (of `stat_length` elements), 'reflect', 'symmetric'
        (`reflect_type` 'even' or 'odd'), 'wrap'. A function is called for each vector along each axis, as
        ``function(vector, widths, axis, kwargs)``, and changes it in place.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.pad(ak.array([1, 2, 3]), (2, 1), mode="reflect")
    array([3, 2, 1, 2, 3, 2])
    """
    result = as_array(array)
    widths = _widths(pad_width, result.ndim)
    if callable(mode):
        return _by_function(result, widths, mode, kwargs)
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - set(_OPTIONS[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    options = {**_OPTIONS[mode], **kwargs}
    if result.size == 0 and mode not in ("constant", "empty"):
        for axis, (length, width) in enumerate(zip(result.shape, widths, strict=True)):
            if length == 0 and any(width):
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
        return zeros([n + sum(width) for n, width in zip(result.shape, widths, strict=True)], result.dtype)
    borders = _borders(mode, options, result)
    for axis, width in enumerate(widths):
        if any(width):
            before, after = borders(result, axis, width)
            result = concatenate([before, result, after], axis)
    return result.copy() if isinstance(array, Array) and result is array else result


def _pairs(values: ArrayLike, ndim: int) -> list[Any]:
    """A pair for each axis, of one value, of a pair for all, or of pairs."""
    given = np.asarray(values)
    if given.ndim == 2 and given.shape == (ndim, 2):
        return [tuple(pair) for pair in given]
    return [tuple(pair) for pair in np.broadcast_to(given, (ndim, 2))]


def _widths(pad_width: Any, ndim: int) -> list[Pair]:
    if isinstance(pad_width, dict):
        pairs = np.zeros((ndim, 2), np.int64)
        for axis, width in pad_width.items():
            pairs[axis] = width
        pad_width = pairs
    given = np.asarray(pad_width.to_numpy() if isinstance(pad_width, Array) else pad_width)
    if given.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    if (given < 0).any():
        raise ValueError("index can't contain negative values")
    return [(int(before), int(after)) for before, after in _pairs(given, ndim)]


def _like(result: ndarray, axis: int, length: int) -> tuple[int, ...]:
    """The shape of `result` with another length along an axis."""
    return (*result.shape[:axis], length, *result.shape[axis + 1 :])


def _part(result: ndarray, axis: int, first: int, last: int) -> ndarray:
    part: ndarray = result[(slice(None),) * axis + (slice(first, last),)]
    return part


def _borders(mode: str, options: dict[str, Any], array: ndarray) -> Callable[[ndarray, int, Pair], list[ndarray]]:
    """The function that makes both borders along an axis of an array padded along the axes before."""
    ndim, lengths = array.ndim, array.shape
    if mode == "constant":
        values = _pairs(options["constant_values"], ndim)

        def constant(result: ndarray, axis: int, width: Pair) -> list[ndarray]:
            parts = [empty(_like(result, axis, length), result.dtype) for length in width]
            for part, value in zip(parts, values[axis], strict=True):
                part[...] = np.asarray(value)
            return parts

        return constant
    if mode == "empty":
        return lambda result, axis, width: [zeros(_like(result, axis, length), result.dtype) for length in width]
    if mode == "linear_ramp":
        ends = _pairs(options["end_values"], ndim)

        def ramp(result: ndarray, axis: int, width: Pair) -> list[ndarray]:
            edges = _part(result, axis, 0, 1), _part(result, axis, lengths[axis] - 1, lengths[axis])
            parts = []
            for length, end, edge in zip(width, ends[axis], edges, strict=True):
                flat = edge.reshape(edge.shape[:axis] + edge.shape[axis + 1 :])
                parts.append(
                    linspace(end, flat if flat.ndim else flat.item(), length, False, dtype=result.dtype, axis=axis)
                )
            return [parts[0], parts[1][(slice(None),) * axis + (slice(None, None, -1),)]]

        return ramp
    if mode in _FIGURES:
        return _by_figures(mode, options["stat_length"], ndim)
    if mode == "edge":
        return lambda result, axis, width: _edges(result, axis, width)
    return lambda result, axis, width: _mirrored(result, axis, width, mode, options.get("reflect_type", "even"))


def _by_figures(mode: str, stat_length: Any, ndim: int) -> Callable[[ndarray, int, Pair], list[ndarray]]:
    spans = [(None, None)] * ndim if stat_length is None else _widths(stat_length, ndim)

    def figures(result: ndarray, axis: int, width: Pair) -> list[ndarray]:
        length, parts = result.shape[axis], []
        for side, (number, span) in enumerate(zip(width, spans[axis], strict=True)):
            count = length if span is None else builtins.min(length, span)
            if count == 0 and mode in ("maximum", "minimum"):
                raise ValueError("stat_length of 0 yields no value for padding")
            chunk = _part(result, axis, 0, count) if side == 0 else _part(result, axis, length - count, length)
            figure = as_array(_FIGURES[mode](chunk, axis=axis, keepdims=True))
            if result.dtype.kind in "iu":
                figure = round(figure)
            parts.append(broadcast_to(figure.astype(result.dtype), _like(result, axis, number)))
        return parts

    return figures


def _edges(result: ndarray, axis: int, width: Pair) -> list[ndarray]:
    length = result.shape[axis]
    ends = _part(result, axis, 0, 1), _part(result, axis, length - 1, length)
    return [broadcast_to(end, _like(result, axis, number)) for end, number in zip(ends, width, strict=True)]


def _mirrored(result: ndarray, axis: int, width: Pair, mode: str, kind: str) -> list[ndarray]:
    """Borders of the array's own elements: in order ('wrap'), or mirrored, with the end elements once or twice."""
    length = result.shape[axis]
    if mode != "wrap" and length == 1:
        return _edges(result, axis, width)  # as NumPy
    parts = []
    for places in (arange(-width[0], 0), arange(length, length + width[1])):
        if mode == "wrap":
            parts.append(take(result, places % length, axis))
            continue
        twice = 0 if mode == "reflect" else 1  # whether the end elements are repeated
        period = 2 * (length - 1 + twice)
        forth: ndarray = places % period
        there = choose(forth < length, forth, period - twice - forth)
        part = take(result, there, axis)
        if kind == "odd":
            # Mirrored in its ends' values, too: on the way back as far beyond them as it is below.
            shape = [1] * result.ndim
            shape[axis] = -1
            first, last = _part(result, axis, 0, 1), _part(result, axis, length - 1, length)
            rounds = floor_divide(places, period).reshape(shape).astype(result.dtype)
            back = (forth >= length).reshape(shape)
            two = result.dtype.type(2)
            part = choose(back, two * last - part, part) + rounds * (two * last - two * first)
        parts.append(part)
    return parts


def _by_function(array: ndarray, widths: list[Pair], function: Callable[..., Any], kwargs: dict[str, Any]) -> ndarray:
    """Zeros around, then `function` for each vector along each axis."""
    shape = [length + sum(width) for length, width in zip(array.shape, widths, strict=True)]
    result = zeros(shape, array.dtype)
    inside = (slice(before, before + n) for n, (before, _) in zip(array.shape, widths, strict=True))
    result[tuple(inside)] = array
    for axis, width in enumerate(widths):
        lines = moveaxis(result, axis, -1)
        for place in np.ndindex(lines.shape[:-1]):
            function(lines[place], width, axis, kwargs)
    return result


def resize(a: ArrayLike, new_shape: Any) -> ndarray:
    """The elements in another shape, of any size: cut off, or repeated from the first on.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.resize(ak.array([1, 2]), (2, 3))
    array([[1, 2, 1],
           [2, 1, 2]])
    """
    several = isinstance(new_shape, (tuple, list, np.ndarray))
    lengths = tuple(map(operator.index, new_shape if several else (new_shape,)))
    if any(length < 0 for length in lengths):
        raise ValueError("all elements of `new_shape` must be non-negative")
    flat, size = ravel(a), math.prod(shape_of(lengths))
    if flat.size == 0:
        return zeros(lengths, flat.dtype)
    times = -(-size // flat.size)
    filled = flat if times == 1 else broadcast_to(flat, (times, flat.size)).reshape(-1)
    return filled[:size].copy().reshape(lengths)


def resize_in_place(array: Array, new_shape: Any) -> None:
    """Truncates the elements, or appends zeros; the array must have no views."""
    lengths = shape_of(new_shape)
    if math.isnan(array._version):
        raise ValueError("cannot resize this array: its memory is shared with another library")
    flat, size = ravel(array), math.prod(lengths)
    kept = flat[:size] if size <= flat.size else concatenate([flat, zeros(size - flat.size, array.dtype)])
    array._expr = kept.reshape(lengths).copy()._read()
    array._version += 1
