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
from ..objects import KINDS, lift
from .categorical import Categorical
from .join import inner_join

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


def invert_permutation(perm: Any) -> Any:
    """The permutation that undoes another one."""
    return KINDS["invert_permutation"](perm)


def _rows_not_in(left: list[Any], right: list[Any]) -> Any:
    """The numbers of the rows of `left` that are not in `right`."""
    found = in1d(left if len(left) > 1 else left[0], right if len(right) > 1 else right[0])
    return lift(atoll.flatnonzero(~found._a))


def _missing(column: Any, size: int) -> Any:
    """So many values that stand for none."""
    if isinstance(column, Strings):
        return full(size, "nan")
    if isinstance(column, Categorical):
        codes = full(size, column._NAcode, dtype=np.int64)
        return Categorical.from_codes(codes, column.categories, _akNAcode=column._akNAcode)
    if column.dtype == bigint() or column.dtype.kind != "f":
        return full(size, 0, column.dtype)
    return full(size, np.nan, column.dtype)


def _part(column: Any, rows: Any, above: int, convert: bool) -> Any:
    """A column's rows, with missing ones behind."""
    if above and isinstance(column, pdarray) and convert and column.dtype == np.int64:
        column = column.astype(np.float64)
    parts = [column[rows]]
    if above:
        parts.append(_missing(column, above))
    return concatenate(parts) if len(parts) > 1 else parts[0]


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
    sides = [[_key(own[name]) for name in wanted] for own, wanted in zip(columns, names, strict=True)]
    rows = inner_join(*sides)
    only = [lift(atoll.zeros(0, dtype=np.int64))] * 2
    if how in ("left", "outer"):
        only[0] = _rows_not_in(sides[0], sides[1])
    if how in ("right", "outer"):
        only[1] = _rows_not_in(sides[1], sides[0])
    shared = [a for a, b in zip(*names, strict=True) if a == b]
    found = _columns(left, right, columns, rows, only, shared, (left_suffix, right_suffix), both, convert_ints)
    made = KINDS["DataFrame"](found)
    if not sort:
        return made
    by = names[1] if how == "right" else names[0]
    return made.sort_values([one for one in by if one in found] or None).reset_index()


def _key(column: Any) -> Any:
    return column.codes if isinstance(column, Categorical) else column


def _columns(
    left: Any, right: Any, columns: Any, rows: Any, only: Any, shared: Any, suffixes: Any, both: Any, convert: bool
) -> dict[str, Any]:
    """The columns of the result: matched rows, then those of the left alone, then those of the right alone."""
    alone = only[0].size, only[1].size
    all_left = concatenate([rows[0], only[0]]) if alone[0] else rows[0]
    found = {}
    for name in left._columns:
        label = name + suffixes[0] if name in both and name not in shared else name
        if name in shared:
            parts = [columns[0][name][all_left]]
            if alone[1]:
                parts.append(columns[1][name][only[1]])
            found[label] = concatenate(parts) if len(parts) > 1 else parts[0]
        else:
            found[label] = _part(columns[0][name], all_left, alone[1], convert)
    for name in right._columns:
        if name in shared:
            continue
        label = name + suffixes[1] if name in both else name
        column = columns[1][name]
        if isinstance(column, pdarray) and convert and column.dtype == np.int64 and alone[0]:
            column = column.astype(np.float64)
        parts = [column[rows[1]]]
        if alone[0]:
            parts.append(_missing(column, alone[0]))
        if alone[1]:
            parts.append(column[only[1]])
        found[label] = concatenate(parts) if len(parts) > 1 else parts[0]
    return found
