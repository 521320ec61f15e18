# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays that put elements elsewhere, which do the same with a column's rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...arrays import joining, manipulation, padding, repeating, selection, sorting
from ...arrays.creation import arange
from ..column import Column, as_column
from .functions import _also, _among, _is_column, argsort, coargsort, concatenate, sort

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Axes, Axis

__all__ = [
    "append", "argpartition", "array_split", "compress", "delete", "extract", "flip", "flipud", "hstack", "insert",
    "lexsort", "partition", "ravel", "repeat", "resize", "roll", "split", "take_along_axis", "tile",
]  # fmt: skip


def _rows(column: Column, rows: Any) -> Any:
    """The rows of these numbers, or such a column for each of several lists of numbers."""
    if isinstance(rows, (list, tuple)):
        return type(rows)(_rows(column, one) for one in rows)
    if rows.ndim != 1:
        raise ValueError(f"a column has one axis (this would have {rows.ndim}). Give it one length?")
    return column.take(rows)


def _moving(of_arrays: Any) -> Any:
    """The function of arrays; of a column, what it does with the numbers of the rows."""
    signature = inspect.signature(of_arrays)
    name = next(one for one in signature.parameters if one not in ("condition",))

    def of_columns(*args: object, **kwargs: object) -> Any:
        bound = signature.bind(*args, **kwargs)
        if bound.arguments.get("out") is not None:
            raise TypeError("out= is for arrays (columns do not change in place). Take the result?")
        column = as_column(bound.arguments[name])
        bound.arguments[name] = arange(column.size)
        return _rows(column, of_arrays(*bound.args, **bound.kwargs))

    return _also(of_arrays)(of_columns)


array_split = _moving(joining.array_split)
compress = _moving(selection.compress)
delete = _moving(joining.delete)
extract = _moving(selection.extract)
flip = _moving(repeating.flip)
flipud = _moving(repeating.flipud)
ravel = _moving(manipulation.ravel)
repeat = _moving(repeating.repeat)
resize = _moving(padding.resize)
roll = _moving(repeating.roll)
split = _moving(joining.split)
take_along_axis = _moving(selection.take_along_axis)
tile = _moving(repeating.tile)


@_also(joining.append)
def append(arr: ArrayLike, values: ArrayLike, axis: Axis = None) -> Any:
    column = as_column(arr)
    manipulation._axis(0 if axis is None else axis, 1)
    return concatenate([column, _beside(column, values)])


@_also(joining.insert)
def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: Axis = None) -> Any:
    column = as_column(arr)
    added = _beside(column, values)
    numbers = arange(column.size, column.size + added.size)
    rows = joining.insert(arange(column.size), obj, numbers if added.size > 1 else column.size, axis)
    return concatenate([column, added]).take(rows)


def _beside(column: Column, values: ArrayLike) -> Column:
    """One value or several, as a column of the same kind."""
    several = hasattr(values, "__len__") and not isinstance(values, (str, bytes)) and getattr(values, "ndim", True)
    return as_column(values if several else [values])


@_also(joining.hstack, _among)
def hstack(tup: Any, **options: object) -> Any:
    if any(value is not None for value in options.values()):
        raise TypeError("hstack of columns takes no dtype and casting (the kinds decide). Use astype?")
    return concatenate(tup)


@_also(sorting.lexsort, lambda value: _is_column(value) or _among(value))
def lexsort(keys: Any, axis: int = -1) -> Any:
    manipulation._axis(axis, 1)
    return coargsort(list(keys)[::-1])


def _sorting(of_arrays: Any, whole: Callable[..., Any]) -> Any:
    def of_columns(a: ArrayLike, kth: Any, axis: Axes = -1, *_: object, **__: Any) -> Any:
        of_arrays(arange(as_column(a).size), kth, axis)  # checks them
        return whole(a)

    return _also(of_arrays)(of_columns)


partition = _sorting(sorting.partition, sort)
argpartition = _sorting(sorting.argpartition, argsort)
