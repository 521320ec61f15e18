# SPDX-License-Identifier: Apache-2.0
"""Functions that make, choose, surround and search arrays, of datetimes and timedeltas."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...arrays import calculus, creation, histograms, index_tricks, padding, reductions, repeating, selection
from ...arrays.creation import arange as numbers_to
from ...arrays.manipulation import _axis
from ..column import Column, as_column
from ..datetime.tick import tick_of
from ..datetime.ticks import Ticks
from .functions import concatenate, searchsorted, where
from .rearrange import _rows

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Axes, Axis, DTypeLike, Shape

__all__ = [
    "arange", "count_nonzero", "digitize", "empty", "empty_like", "flatnonzero", "full", "full_like", "gradient",
    "nonzero", "ones", "ones_like", "pad", "select", "trim_zeros", "zeros", "zeros_like",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., Any])


def _time_type(dtype: DTypeLike) -> np.dtype[Any] | None:
    """The dtype of datetimes or timedeltas that this names, if it does."""
    if not isinstance(dtype, (str, np.dtype)):
        return None
    try:
        found = np.dtype(dtype)
    except TypeError:
        return None
    return found if found.kind in "mM" else None


def _is_time(value: ArrayLike) -> bool:
    """Whether a value is a datetime or a timedelta, or holds such values."""
    if isinstance(value, (list, tuple)):
        return bool(value) and _is_time(value[0])
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "mM"
    return isinstance(value, Ticks) or tick_of(value) is not None


def _of_time(of_arrays: Function, *names: str) -> Callable[[Callable[..., Any]], Function]:
    """The function of arrays, with another body where these parameters are of time, or dtype names a type of time."""
    signature = inspect.signature(of_arrays)
    places = [list(signature.parameters).index(name) for name in names]
    typed = list(signature.parameters).index("dtype") if "dtype" in signature.parameters else None

    def decorate(of_columns: Callable[..., Any]) -> Function:
        def given(args: tuple[Any, ...], kwargs: dict[str, Any], name: str, place: int) -> Any:
            return args[place] if place < len(args) else kwargs.get(name)

        @wraps(of_arrays)
        def function(*args: object, **kwargs: object) -> Any:
            if any(_is_time(given(args, kwargs, name, place)) for name, place in zip(names, places, strict=True)) or (
                typed is not None and _time_type(given(args, kwargs, "dtype", typed)) is not None
            ):
                bound = signature.bind(*args, **kwargs)
                bound.apply_defaults()
                return of_columns(**bound.arguments)
            return of_arrays(*args, **kwargs)

        return function  # type: ignore[return-value]

    return decorate


# -- new ones --


def _one(value: Any, dtype: Any) -> Column:
    """A column of one value, in the type if one is given."""
    kind = None if dtype is None else _time_type(dtype)
    if dtype is not None and kind is None:
        raise TypeError(f"Cannot cast {value!r} to {np.dtype(dtype)}")
    if kind is None:
        return as_column([value])
    if np.datetime_data(kind)[0] == "generic":
        raise ValueError(f"a column of {kind} has no unit. Write one: {kind}[s]?")
    return as_column(np.array([value]).astype(kind))


def _filled(shape: Any, column: Column) -> Any:
    """A column of `count` rows with the value of a one-row column."""
    return _rows(column, creation.zeros(shape, dtype=np.int64))


@_of_time(creation.full, "fill_value")
def full(shape: Any, fill_value: Any, dtype: Any, **_: Any) -> Any:
    if not isinstance(fill_value, (Ticks, np.ndarray, list, tuple)):
        return _filled(shape, _one(fill_value, dtype))
    column: Any = as_column(fill_value) if dtype is None else as_column(fill_value).astype(dtype)
    (size,) = creation.shape_of(shape) if not isinstance(shape, int) else (shape,)
    if column.size not in (1, size):
        raise ValueError(f"could not broadcast input array from shape ({column.size},) into shape ({size},)")
    return _filled(shape, column) if column.size == 1 else column


@_of_time(creation.zeros)
def zeros(shape: Shape, dtype: DTypeLike, **_: object) -> Any:
    return _filled(shape, _one(0, dtype))


@_of_time(creation.ones)
def ones(shape: Shape, dtype: DTypeLike, **_: object) -> Any:
    return _filled(shape, _one(1, dtype))


@_of_time(creation.empty)
def empty(shape: Shape, dtype: DTypeLike, **_: object) -> Any:
    return _filled(shape, _one(0, dtype))


def _like(a: Any, dtype: Any, shape: Any) -> tuple[Any, Any]:
    model: Any = creation.asarray(a)
    return model.size if shape is None else shape, model.dtype if dtype is None else dtype


@_of_time(creation.full_like, "a", "fill_value")
def full_like(a: ArrayLike, fill_value: ArrayLike, dtype: DTypeLike, shape: Shape, **_: object) -> Any:
    shape, dtype = _like(a, dtype, shape)
    return full(shape, fill_value, dtype)


@_of_time(creation.zeros_like, "a")
def zeros_like(a: ArrayLike, dtype: DTypeLike, shape: Shape, **_: object) -> Any:
    shape, dtype = _like(a, dtype, shape)
    return zeros(shape, dtype)


@_of_time(creation.ones_like, "a")
def ones_like(a: ArrayLike, dtype: DTypeLike, shape: Shape, **_: object) -> Any:
    shape, dtype = _like(a, dtype, shape)
    return ones(shape, dtype)


@_of_time(creation.empty_like, "prototype")
def empty_like(prototype: Any, dtype: DTypeLike, shape: Shape, **_: object) -> Any:
    shape, dtype = _like(prototype, dtype, shape)
    return empty(shape, dtype)


@_of_time(creation.arange, "start", "stop", "step")
def arange(start: ArrayLike, stop: ArrayLike, step: ArrayLike, dtype: DTypeLike, **_: object) -> Any:
    by_numpy: Any = np.arange
    return as_column(by_numpy(start, stop, step, dtype))


# -- rows --


@_of_time(index_tricks.select, "choicelist", "default")
def select(condlist: Any, choicelist: Any, default: Any) -> Any:
    index_tricks.select(condlist, [0] * len(choicelist))  # checks the conditions
    masks = [as_column(mask) for mask in condlist]
    model: Any = next(as_column(one if hasattr(one, "__len__") else [one]) for one in choicelist if _is_time(one))
    rest = default
    if not _is_time(default):
        if model.dtype.kind == "M":
            raise TypeError("the choices and default 0 have no common dtype (choices are datetimes). Give a datetime?")
        rest = np.timedelta64(default, model.unit)
    sizes = [one.size for one in map(_column_or_one, [*masks, *choicelist, rest])]
    size = next((one for one in sizes if one != 1), 1)
    found = _spread(rest, size)
    for mask, choice in reversed(list(zip(masks, choicelist, strict=True))):
        found = where(_spread(mask, size), _spread(choice, size), found)
    return found


def _column_or_one(value: ArrayLike) -> Column:
    return as_column(value if hasattr(value, "__len__") else [value])


def _spread(value: Any, size: int) -> Any:
    column = _column_or_one(value)
    return column if column.size == size else _filled(size, column)


@_of_time(padding.pad, "array")
def pad(array: ArrayLike, pad_width: Any, mode: Any, kwargs: dict[str, Any]) -> Any:
    column: Any = as_column(array)
    moved = {"edge", "symmetric", "reflect", "wrap"}
    if mode in moved and kwargs.get("reflect_type", "even") == "even":
        return _rows(column, padding.pad(numbers_to(column.size), pad_width, mode, **kwargs))
    if mode not in ("constant", "empty") or kwargs.keys() - {"constant_values"}:
        raise TypeError(
            f"pad of {column.kind} takes no mode {mode!r} with {', '.join(kwargs) or 'nothing else'} "
            f"(there are constant, empty, {', '.join(sorted(moved))}). Convert it first: to_numpy()?"
        )
    (before, after), *_ = padding._widths(pad_width, 1)
    values = [0, 0]
    if "constant_values" in kwargs:
        given = kwargs["constant_values"]
        values = list(given) if isinstance(given, (list, tuple)) else [given, given]
    sides = [_filled(width, _one(value, column.dtype)) for width, value in zip((before, after), values, strict=True)]
    return concatenate([sides[0], column, sides[1]])


@_of_time(calculus.gradient, "f")
def gradient(f: Any, varargs: Any, axis: Axis, edge_order: int) -> Any:
    column: Any = as_column(f)
    _axis(0 if axis is None else axis, 1)
    step = varargs[0] if varargs else 1.0
    if len(varargs) > 1 or edge_order != 1 or np.ndim(step) or _is_time(step) or column.size < 2:
        by_numpy: Any = np.gradient
        return as_column(by_numpy(column.to_numpy(), *varargs, axis=axis, edge_order=edge_order))
    inside, first, last = column[2:] - column[:-2], column[1:2] - column[:1], column[-1:] - column[-2:-1]
    parts = [_divided(first, step), _divided(inside, 2.0 * step), _divided(last, step)]
    return concatenate(parts)


def _divided(durations: Any, by: float) -> Any:
    """Rounded towards zero, as NumPy's."""
    return durations._like((durations._values / by).astype(np.int64), durations.valid)


# -- searches --


def _true(x: ArrayLike) -> Any:
    """Whether each value is not zero; missing values (NaT) count as zero, as in NumPy."""
    column: Any = as_column(x)
    truth = column._values != 0
    return truth if column.valid is None else truth | ~column.valid


@_of_time(selection.nonzero, "a")
def nonzero(a: ArrayLike) -> Any:
    return selection.nonzero(_true(a))


@_of_time(selection.flatnonzero, "a")
def flatnonzero(a: ArrayLike) -> Any:
    return selection.flatnonzero(_true(a))


@_of_time(reductions.count_nonzero, "a")
def count_nonzero(a: Any, axis: Axis, keepdims: bool) -> Any:
    return reductions.count_nonzero(_true(a), axis, keepdims=keepdims)


@_of_time(repeating.trim_zeros, "filt")
def trim_zeros(filt: Any, trim: str, axis: Axes) -> Any:
    column: Any = as_column(filt)
    repeating.trim_zeros(numbers_to(1), trim, axis)  # checks them
    places = selection.flatnonzero(_true(column))
    if not places.size:
        return column[:0]
    first = int(places[0]) if "f" in trim.lower() else 0
    last = int(places[-1]) + 1 if "b" in trim.lower() else column.size
    return column[first:last]


@_of_time(histograms.digitize, "x", "bins")
def digitize(x: ArrayLike, bins: ArrayLike, right: bool) -> Any:
    edges: Any = as_column(bins)
    steps = edges[1:] - edges[:-1]
    side = "left" if right else "right"
    if bool((steps._values >= 0).all()):
        return searchsorted(edges, x, side)
    if not bool((steps._values <= 0).all()):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return edges.size - searchsorted(edges[::-1], x, side)
