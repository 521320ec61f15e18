# SPDX-License-Identifier: Apache-2.0
"""Tables of categories, and their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, full
from ...arrays.selection import take, where
from ...arrays.ufuncs import isnan
from ..column import Column, as_column
from ..functions.functions import numbered, unique

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray


def size_of(categories: Any) -> int:
    """The number of categories."""
    return int(categories.size)


def code_type(size: int) -> type[np.signedinteger[Any]]:
    """The smallest dtype for the codes of this many categories."""
    kinds: tuple[type[np.signedinteger[Any]], ...] = (np.int8, np.int16, np.int32)
    return next((kind for kind in kinds if size <= np.iinfo(kind).max), np.int64)


def without_nan(column: Column) -> Column:
    """Turns NaN into missing values."""
    if type(column) is not Column or column.dtype.kind != "f":
        return column
    missing = isnan(column.values)
    return column._hiding(missing) if bool(missing.any()) else column


def filled(numbers: ndarray) -> tuple[ndarray, ndarray | None]:
    """Codes with 0 for negative ones, and the mask of codes that were not negative."""
    there = numbers >= 0
    if bool(there.all()):
        return numbers, None
    return where(there, numbers, 0), there


def several(values: ArrayLike) -> Any:
    """One or several categories as an array or a column."""
    one = isinstance(values, str) or not hasattr(values, "__len__")
    made: Any = asarray([values] if one else values)
    return made.values if type(made) is Column and made.valid is None else made


def decoded(values: Any) -> Any:
    """The values of a column of categories; others as they are."""
    return values.decode() if getattr(values, "kind", "") == "category" else values


def checked(categories: Any) -> Any:
    """Categories as an array or a column: 1-dimensional, distinct, none missing."""
    table = several(categories)
    table = decoded(table)
    if table.ndim != 1:
        raise TypeError("Categories must be 1-dimensional")
    if without_nan(as_column(table)).null_count:
        raise ValueError("Categorical categories cannot be null")
    if size_of(table) and unique(table).size != size_of(table):
        raise ValueError("Categorical categories must be unique")
    return table


def same_table(a: Any, b: Any) -> bool:
    """Whether two tables have the same categories in the same order."""
    if a is b:
        return True
    if size_of(a) == 0 == size_of(b):
        return True
    if size_of(a) != size_of(b) or as_column(a).kind != as_column(b).kind:
        return False
    return bool((a == b).all())


def places_in(values: Column, table: Any) -> ndarray:
    """The index of each value in a table of distinct values: int64, -1 for others and for missing ones."""
    values = as_column(decoded(values))
    if size_of(table) == 0 or values.size == 0:
        return full(values.size, -1, dtype=np.int64)
    own, known = numbered(values, table)
    at = full(int(own.max()) + 1, -1, dtype=np.int64) if int(own.max()) >= 0 else full(1, -1, dtype=np.int64)
    common = known < at.size
    at[known[common]] = arange(known.size)[common]
    return where(own < 0, -1, take(at, where(own < 0, 0, own)))
