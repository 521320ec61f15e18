# SPDX-License-Identifier: Apache-2.0
"""Rows found by label, rows as Series, and columns in which some rows are set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray, full
from ...arrays.ndarray import ndarray
from ...arrays.selection import flatnonzero
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.functions.functions import unique
from ...columns.objects import Objects, is_missing
from ..classes import is_series, series
from ..data.dtypes import item_of, kind_of, to_list
from ..data.values import broadcast, choose, fits, is_scalar, make, scalar, take
from ..index.base import IndexCore, make_index

if TYPE_CHECKING:
    from ...annotations import ArrayLike


def locate_rows(index: Any, key: Any) -> Any:
    """The rows of a label or of several: an int, or an array. KeyError when one is not here."""
    if is_scalar(key) or isinstance(key, tuple):
        if isinstance(key, tuple) and index.nlevels > 1 and any(is_several(one) for one in key):
            return _by_levels(index, key)
        return index._row_of(key)
    if is_series(key):
        key = key._values
    if isinstance(key, (list, ndarray, np.ndarray, Column)) and len(key) == 0:
        return make(np.zeros(0, np.int64))
    if index.nlevels > 1 and isinstance(key, list) and isinstance(key[0], tuple):
        wanted = type(index).from_tuples(key)
    else:
        wanted = key if isinstance(key, IndexCore) else make_index(key)
    return index._all_rows(wanted)


def is_several(key: object) -> bool:
    """Whether a key asks for rows by a slice or several labels, rather than by one."""
    return isinstance(key, slice) or not is_scalar(key)


def is_mask(key: Any) -> bool:
    """Whether a key is a mask."""
    if is_series(key):
        return bool(key._values.dtype == np.bool_) or _bools(key._values)
    if isinstance(key, (ndarray, np.ndarray, Column)):
        return bool(key.dtype == np.bool_)
    return isinstance(key, list) and bool(key) and all(isinstance(one, (bool, np.bool_)) for one in key)


def _bools(values: Any) -> bool:
    return values.dtype == object and all(isinstance(one, (bool, np.bool_)) for one in values.to_list())


def _mask_of_level(key: Any, size: int) -> Any:
    """A mask in place of a level's labels, which has a value for each row."""
    values = make(key._values if is_series(key) else key)
    if values.size != size:
        raise ValueError(
            f"cannot index with a boolean indexer that is not the same length as the index: {values.size} != {size}"
        )
    return values


def _by_levels(index: Any, key: tuple[Any, ...]) -> Any:
    """Rows by a label, a list, a mask or a slice for each level. KeyError where no row has what is asked of all."""
    mask = full(index.size, True)
    for place, one in enumerate(key):
        if isinstance(one, slice) and one == slice(None):
            continue
        chosen = _rows_of_level(index.get_level_values(place), one)
        both = mask & chosen
        if not bool(both.any()) and bool(chosen.any()):
            raise KeyError(key)
        mask = both
    return flatnonzero(mask)


def _rows_of_level(level: Any, key: Any) -> Any:
    """A mask of the rows that a level's key chooses. KeyError for a label that no row has."""
    if isinstance(key, slice):
        mask = full(level.size, True)
        if key.start is not None:
            mask = mask & make(level >= key.start)
        return mask if key.stop is None else mask & make(level <= key.stop)
    if is_mask(key):
        return _mask_of_level(key, level.size)
    if not is_several(key):
        return make(level == key)
    wanted = list(key)
    mask = make(level.isin(wanted))
    found = set(to_list(unique(take(level._values, flatnonzero(mask)))))
    lost = [one for one in wanted if one not in found and not is_missing(one)]
    if lost:
        raise KeyError(lost[0])
    return mask


def row_values(of: Any, row: int) -> Any:
    """A value of a Series; a row of a frame as a Series."""
    if of.ndim == 1:
        return item_of(of._values, row)
    held = [item_of(column, row) for column in of._columns]
    return series(row_column(held, of._columns), of.columns, of._index._label(row))


def have_same_categories(columns: list[Any]) -> bool:
    """Whether categorical columns have the same categories in the same order."""
    first = columns[0]
    known = to_list(first.categories)
    return all(to_list(one.categories) == known and one.ordered == first.ordered for one in columns[1:])


def row_column(held: list[Any], columns: list[Any]) -> Any:
    """Values of a row in the kind that all of its columns share; objects when they share none."""
    if all(type(column) is ndarray for column in columns):
        kinds = {column.dtype for column in columns}
    else:
        kinds = {kind_of(column) for column in columns}
    if len(kinds) == 1 and not isinstance(columns[0], Objects):
        if isinstance(columns[0], ndarray):
            return asarray(np.array(held, dtype=columns[0].dtype))
        if type(columns[0]) is Column:
            gone = np.array([is_missing(one) for one in held])
            numbers = np.array([0 if lost else one for one, lost in zip(held, gone, strict=True)], columns[0].dtype)
            return Column(asarray(numbers), asarray(~gone) if gone.any() else None)
        if isinstance(columns[0], Categorical) and have_same_categories(columns):
            return Categorical(make(held), categories=columns[0].categories, ordered=bool(columns[0].ordered))
        return make(held)
    if all(isinstance(column, ndarray) for column in columns) and not any(kind == np.bool_ for kind in kinds):
        return asarray(np.array(held, dtype=np.result_type(*kinds)))
    return Objects([scalar(value) for value in held])


def put(values: Any, mask: Any, places: Any, value: Any) -> Any:
    """The values with some rows set: to one value, or each to that of its place. `mask` is None when all are.

    TypeError where a value does not fit the column's kind.
    """
    if is_scalar(value):
        if is_missing(value) and isinstance(values, ndarray) and values.dtype.kind in "iu":  # they become floats
            if mask is not None and not bool(mask.any()):
                return values
            return choose(_all(values) if mask is None else mask, np.nan, values)
        try:
            checked = fitting(value, values)
        except TypeError:
            if mask is not None and not bool(mask.any()):  # nothing is set
                return values
            raise
        if mask is None:
            return broadcast(checked, values.size) if not is_missing(value) else choose(_all(values), checked, values)
        return choose(mask, checked, values)
    if places is None:
        return value
    if value.size == 1:
        spread = take(value, places * 0)
    elif bool((places >= value.size).any()) or int(mask.sum()) != value.size:
        raise ValueError(
            "cannot set using a list-like indexer with a different length than the value: "
            f"{int(mask.sum())} and {value.size}"
        )
    else:
        spread = take(value, places)
    return choose(mask, _fitting_rows(spread, values), values)


def _all(values: Any) -> Any:
    return full(values.size, True)


def fitting(value: Any, values: Any) -> Any:
    """A value that is set, as the column's kind has it. TypeError where it has none."""
    if (isinstance(values, ndarray) or type(values) is Column) and not is_missing(value):
        if values.dtype.kind in "iu" and isinstance(value, (float, np.floating)) and float(value).is_integer():
            return int(value)
        if values.dtype.kind in "iu" and isinstance(value, (float, np.floating)):
            raise _does_not_fit(value, values)
    if is_missing(value):
        if isinstance(values, ndarray) and values.dtype.kind in "iub":
            raise _does_not_fit(value, values)
        return value
    if isinstance(values, Objects):
        return value
    if fits(value, values):  # an integer of NumPy's wider types does not make the column wider
        return int(value) if isinstance(value, np.integer) and values.dtype.kind in "iu" else value
    raise _does_not_fit(value, values)


def _fitting_rows(spread: Any, values: Any) -> Any:
    if isinstance(values, ndarray) and isinstance(spread, ndarray):
        if values.dtype.kind in "iu" and spread.dtype.kind == "f" and bool((spread == spread.astype(np.int64)).all()):
            return spread.astype(values.dtype)
        if np.can_cast(spread.dtype, values.dtype, "same_kind"):
            return spread.astype(values.dtype)
        if values.dtype.kind == "f" and spread.dtype.kind in "iu":
            return spread.astype(values.dtype)
    if isinstance(values, Objects) or (fits(spread, values) and not isinstance(values, ndarray)):
        return spread
    raise _does_not_fit("values", values)


def _does_not_fit(value: object, values: ArrayLike) -> TypeError:
    return TypeError(f"Invalid value '{value}' for dtype '{kind_of(values)}'")
