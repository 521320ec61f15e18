# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `merge` of data frames, and what two of them have in common."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import atoll

from ..numpy.arrays import pdarray
from ..numpy.dtypes import bigint
from ..numpy.pdarraycreation import full
from ..numpy.pdarraysetops import concatenate, in1d, intersect1d
from ..numpy.strings import Strings
from ..numpy.util import invert_permutation
from ..objects import lift
from .categorical import Categorical
from .join import joined_rows

__all__ = ["intersect", "intx", "invert_permutation", "merge"]


def intx(a: Any, b: Any) -> Any:
    """Which rows of a frame are rows of another."""
    if list(a.data) != list(b.data):
        raise ValueError("Column mismatch.")
    return in1d(list(a.data.values()), list(b.data.values()))


def intersect(a: Any, b: Any, positions: bool = True, unique: bool = False) -> Any:
    """Which elements two arrays have in common: masks of both, or the elements."""
    if type(a) is not type(b):
        raise TypeError("both must be of one type")
    if not positions:
        return intersect1d(a, b) if isinstance(a, pdarray) else a[in1d(a, b)]
    return in1d(a, b), in1d(b, a)


def _missing(column: Any) -> Any:
    """One element that stands for none in a column."""
    if isinstance(column, Strings):
        return full(1, "nan")
    if isinstance(column, Categorical):
        codes = full(1, column._NAcode, dtype=np.int64)
        return Categorical.from_codes(codes, column.categories, _akNAcode=column._akNAcode)
    if column.dtype == bigint() or column.dtype.kind != "f":
        return full(1, 0, column.dtype)
    return full(1, np.nan, column.dtype)


def _taken(column: Any, rows: Any, gaps: Any, convert: bool) -> Any:
    """A column's elements by row numbers, with a missing element where the number is -1."""
    if not gaps:
        return column[rows]
    if isinstance(column, pdarray) and convert and column.dtype == np.int64:
        column = column.astype(np.float64)
    size = column.size
    return concatenate([column, _missing(column)])[lift(atoll.where(rows._a < 0, size, rows._a))]


def _of_both(first: Any, second: Any, left: Any, right: Any, gaps: bool) -> Any:
    """The elements of a key that both sides share: those of the left, and of the right where the left has no row."""
    if not gaps:
        return first[left]
    rows = atoll.where(left._a < 0, first.size + right._a, left._a)
    return concatenate([first, second])[lift(rows)]


def merge(
    left: Any, right: Any, on: Any = None, left_on: Any = None, right_on: Any = None, how: str = "inner",
    left_suffix: str = "_x", right_suffix: str = "_y", convert_ints: bool = True, sort: bool = True,
) -> Any:  # fmt: skip
    """Rows of two frames with equal values of some columns; with `how`, also rows of one that the other has not.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> a = ak.DataFrame({"k": ak.array([1, 2]), "x": ak.array([5, 6])})
    >>> b = ak.DataFrame({"k": ak.array([2, 2]), "y": ak.array([7, 8])})
    >>> ak.merge(a, b, on="k")["y"]
    array([7 8])
    """
    from .dataframe import DataFrame

    both = [name for name in left._columns if name in right._columns]
    if (left_on is None) != (right_on is None):
        raise ValueError("If one of left_on or right_on is not None, the other must also be set")
    keys = on if on is not None else both
    names = [[one] if isinstance(one, str) else list(one) for one in (left_on or keys, right_on or keys)]
    if not names[0] or not names[1]:
        raise ValueError("Cannot merge with no columns on at least one DataFrame")
    if len(names[0]) != len(names[1]):
        raise ValueError("Cannot merge with more columns from one DataFrame than the other")
    for a, b in zip(*names, strict=True):
        if not all(isinstance(one, (pdarray, Strings, Categorical)) for one in (left[a], right[b])):
            raise ValueError("All columns of a multi-column merge must be pdarrays")
    if how not in ("inner", "left", "right", "outer"):
        raise ValueError(f"Unexpected value of {how} for how. Must choose: 'inner', 'left', 'right' or 'outer'")
    if how == "outer":
        warnings.warn(
            "Outer joins should not be performed on large data sets as they may require prohibitive amounts of memory.",
            UserWarning,
            stacklevel=2,
        )
    columns = left.data.copy(), right.data.copy()
    for a, b in zip(*names, strict=True):
        if isinstance(columns[0][a], Categorical) and isinstance(columns[1][b], Categorical):
            columns[0][a], columns[1][b] = Categorical.standardize_categories([columns[0][a], columns[1][b]])
    lefts, rights = ([_key(own[name]) for name in wanted] for own, wanted in zip(columns, names, strict=True))
    rows = joined_rows(lefts, rights, how)
    if how == "right" or (how != "inner" and not sort):
        rows = _pairs_first(*rows)
    shared = [a for a, b in zip(*names, strict=True) if a == b]
    made = DataFrame(_columns(columns, rows, shared, (left_suffix, right_suffix), both, convert_ints))
    if not sort:
        return made
    by = names[1] if how == "right" else names[0]
    return made.sort_values([one for one in by if one in made.data] or None).reset_index()


def _key(column: object) -> Any:
    return column.codes if isinstance(column, Categorical) else column


def _pairs_first(left: pdarray, right: pdarray) -> tuple[pdarray, pdarray]:
    """Pairs of rows, then rows of the left side without a partner, then those of the right side."""
    alone = (right._a < 0) + 2 * (left._a < 0)
    order = lift(atoll.coargsort([alone, left._a, right._a]))
    return left[order], right[order]


def _columns(
    columns: Any, rows: Any, shared: list[str], suffixes: tuple[str, str], both: list[str], convert: bool
) -> dict[str, Any]:
    """The columns of the result, by their names."""
    found = {}
    gaps = [bool((one._a < 0).any()) for one in rows]
    for side in (0, 1):
        for name, column in columns[side].items():
            if name not in shared:
                label = name + suffixes[side] if name in both else name
                found[label] = _taken(column, rows[side], gaps[side], convert)
            elif side == 0:
                found[name] = _of_both(column, columns[1][name], rows[0], rows[1], gaps[0])
    return found
