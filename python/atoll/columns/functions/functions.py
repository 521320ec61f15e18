# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays that also take columns: those of arrays, and what they do with a column."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...arrays import histograms, joining, selection, sets, sorting
from ...arrays.creation import arange, asarray, full
from ...arrays.ufuncs import isnan
from ..column import Column, as_column, own_kind
from ..datetime.tick import tick_of
from ..text.strings import Strings, broadcast_text

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Axis, Out
    from ...arrays.ndarray import ndarray

__all__ = [
    "argsort", "coargsort", "concatenate", "in1d", "intersect1d", "isin", "isna", "notna", "searchsorted", "setdiff1d",
    "setxor1d", "sort", "take", "union1d", "unique", "value_counts", "where",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., Any])


def _is_column(value: ArrayLike) -> bool:
    """Whether a value is a column, or what only a column holds: strings, datetimes, timedeltas."""
    if isinstance(value, (list, tuple)):
        return bool(value) and (isinstance(value[0], str) or tick_of(value[0]) is not None)
    return isinstance(value, Column) or (isinstance(value, np.ndarray) and value.dtype.kind in "UTMm")


def _is_one(value: ArrayLike) -> bool:
    """Whether it is a single value that only a column holds."""
    return isinstance(value, str) or tick_of(value) is not None


def _also(
    of_arrays: Function, columns_in: Callable[..., bool] = _is_column
) -> Callable[[Callable[..., Any]], Function]:
    """The function of arrays, with another body where arguments are columns."""

    def decorate(of_columns: Callable[..., Any]) -> Function:
        @wraps(of_arrays)
        def function(*args: object, **kwargs: object) -> Any:
            if any(columns_in(value) for value in args[:3]) or any(columns_in(value) for value in kwargs.values()):
                return of_columns(*args, **kwargs)
            return of_arrays(*args, **kwargs)

        return function  # type: ignore[return-value]

    return decorate


def _among(values: ArrayLike) -> bool:
    return isinstance(values, (list, tuple)) and any(_is_column(value) for value in values)


# -- order --


@_also(sorting.sort)
def sort(
    a: Any, axis: Axis = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False
) -> Any:
    _check_options(a, axis, kind, order, stable)
    return as_column(a).sort(descending=descending)


@_also(sorting.argsort)
def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False,
    ascending: bool = True,
) -> Any:  # fmt: skip
    _check_options(a, axis, kind, order, stable)
    return as_column(a).argsort(descending=descending or not ascending)


def _check_options(a: Any, axis: Any, kind: Any, order: Any, stable: Any) -> None:
    """Checks the options of a sort as those of an array."""
    sorting._check_kind(kind, order, stable)
    check_axis(axis)


def check_axis(axis: Any) -> None:
    """A column has one axis."""
    if axis is not None and not -1 <= operator.index(axis) <= 0:
        raise np.exceptions.AxisError(operator.index(axis), 1)


@_also(sorting.coargsort, lambda value: _is_column(value) or _among(value))
def coargsort(keys: Any, **options: Any) -> Any:
    return sorting.coargsort([as_column(key).ranks() if _is_column(key) else key for key in keys], **options)


@_also(histograms.searchsorted)
def searchsorted(a: ArrayLike, v: ArrayLike, side: str = "left", sorter: Any = None) -> Any:
    scalar = _is_one(v)
    table, values = numbered(a if sorter is None else as_column(a).take(sorter), [v] if scalar else v)
    places = histograms.searchsorted(table, values, side)
    return places[0] if scalar else places


# -- rows --


@_also(selection.take)
def take(a: Any, indices: Any, axis: Axis = None, out: Any = None, mode: str = "raise") -> Any:
    check_axis(axis)
    if out is not None:
        raise TypeError("out= is for arrays (columns do not change in place). Take the result?")
    if mode != "raise":
        indices = selection.take(arange(as_column(a).size), indices, mode=mode)
    return as_column(a).take(indices)


@_also(joining.concatenate, _among)
def concatenate(arrays: Any, axis: Axis = 0, out: Out = None, **options: object) -> Any:
    check_axis(axis)
    if out is not None or any(option != "same_kind" and option is not None for option in options.values()):
        raise TypeError("concatenate of columns takes no out, dtype and casting (the kinds decide). Use astype?")
    columns = [as_column(one) for one in arrays]
    decides = own_kind(columns, columns[0])
    if type(decides) is not Column:  # rows without a value are of any kind
        columns = [
            decides._all_missing(column.size) if type(column) is Column and column.null_count == column.size else column
            for column in columns
        ]
    return decides._together(columns)


@_also(selection.where)
def where(condition: ArrayLike, x: ArrayLike = None, y: ArrayLike = None, /) -> Any:
    mask = as_column(condition).fillna(False)
    sides = [as_column(value) if _is_column(value) else value for value in (x, y)]
    if not any(isinstance(value, Column) for value in sides):
        sides = [broadcast_text(value, mask.size) if isinstance(value, str) else value for value in sides]
    return own_kind(sides, as_column(mask))._choose(mask, *sides)


def scatter(values: ArrayLike, places: ndarray, size: int, empty: Any = None) -> Any:
    """A column of `size` rows with values at distinct places; elsewhere `empty`, or missing."""
    column = as_column(values)
    rows = full(size, -1, dtype=np.int64)
    rows[places] = arange(places.size)
    there = rows >= 0
    if places.size < size:
        rows = selection.where(there, rows, 0)
        column = column.take(rows)._hiding(~there) if column.size else column._all_missing(size)
        return column if empty is None else column.fillna(empty)
    column = column.take(rows)
    return column.values if type(column) is Column and column.valid is None else column


def isna(a: ArrayLike) -> ndarray:
    """Which values of a column are missing, and which of an array are NaN: bool.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isna(ak.array([1, None]))
    array([False,  True])
    """
    column = as_column(a)
    missing = column.isna()
    if type(column) is Column and column.dtype.kind == "f":
        missing = missing | isnan(column.values)
    return missing


def notna(a: ArrayLike) -> ndarray:
    """Which values are there, and not NaN: bool."""
    return ~isna(a)


# -- distinct values --


@_also(sets.unique)
def unique(
    ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: Axis = None,
    **options: object,
) -> Any:  # fmt: skip
    check_axis(axis)
    if not options.get("equal_nan", True):
        raise TypeError("unique of a column takes no equal_nan=False (what is missing is left out). Use its values?")
    column = as_column(ar)
    if isinstance(column, Strings) and column.valid is None and not return_inverse and not return_counts:
        distinct, first = column.distinct()
        return (distinct, first) if return_index else distinct
    numbers, distinct, first = column.numbers()
    results = [distinct]
    if return_index:
        results.append(first)
    if return_inverse:
        results.append(numbers)
    if return_counts:
        results.append(_counts(numbers, distinct.size))
    return results[0] if len(results) == 1 else tuple(results)


@_also(sets.value_counts)
def value_counts(a: ArrayLike) -> Any:
    numbers, distinct = as_column(a)._key()
    return distinct, _counts(numbers, distinct.size)


def _counts(numbers: ndarray, size: int) -> ndarray:
    return asarray(histograms.bincount(numbers + 1, minlength=size + 1)[1:])


def numbered(a: ArrayLike, b: ArrayLike) -> tuple[ndarray, ndarray]:
    """The values of two columns by numbers in one order; -1 of missing ones, and of what the first cannot have."""
    left, right = as_column(a), as_column(b)
    if type(left) is not type(right) and not (left.size and right.size):  # what has no values is of any kind
        left, right = (left, left._all_missing(0)) if left.size else (right._all_missing(0), right)
    right = left._fitting(right)
    found = left._paired(right)
    if found is not None:
        return found
    numbers = as_column(concatenate([left, right]))._key()[0]
    return numbers[: left.size], numbers[left.size :]


@_also(sets.isin)
def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Any:
    own, tests = numbered(element, [test_elements] if _is_one(test_elements) else test_elements)
    found = sets.isin(own, tests) & (own >= 0)
    return ~found if invert else found


@_also(sets.in1d)
def in1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, invert: bool = False) -> Any:
    return isin(ar1, ar2, invert=invert)


def _sides(a: ArrayLike, b: ArrayLike) -> tuple[Any, ndarray, ndarray]:
    """The distinct values of two columns together, and which of them each side has."""
    left, right = as_column(a), as_column(b)
    numbers, distinct, _ = as_column(concatenate([left, right])).numbers()
    own, other = numbers[: left.size], numbers[left.size :]
    return as_column(distinct), _counts(own, distinct.size) > 0, _counts(other, distinct.size) > 0


@_also(sets.union1d)
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> Any:
    return _sides(ar1, ar2)[0]


@_also(sets.intersect1d)
def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any:
    distinct, left, right = _sides(ar1, ar2)
    common = distinct[left & right]
    if not return_indices:
        return common
    places = []
    for side in (ar1, ar2):
        values, first = unique(side, return_index=True)
        places.append(first[isin(values, common)])
    return common, places[0], places[1]


@_also(sets.setdiff1d)
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Any:
    distinct, left, right = _sides(ar1, ar2)
    return distinct[left & ~right]


@_also(sets.setxor1d)
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Any:
    distinct, left, right = _sides(ar1, ar2)
    return distinct[left ^ right]
