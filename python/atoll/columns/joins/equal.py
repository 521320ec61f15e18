# SPDX-License-Identifier: Apache-2.0
"""Joins: which rows of two tables have equal keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ... import _core
from ...arrays.array import expr_of, wrap
from ...arrays.creation import arange, full
from ...arrays.repeating import repeat, tile
from ...arrays.selection import where
from ..column import Column, as_column
from ..functions.functions import concatenate, numbered
from ..keys import KEY_BITS, key_columns, number_keys

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["JoinedRows", "join"]

KINDS = ("inner", "left", "right", "outer", "semi", "anti", "cross")


class JoinedRows(NamedTuple):
    """Pairs of rows that `join` found, as row numbers: take a column's elements by them. -1: no row on this side."""

    left: ndarray
    right: ndarray | None


def join(left: ArrayLike, right: ArrayLike, how: str = "inner") -> JoinedRows:
    """Rows of two tables whose keys are equal.

    Parameters
    ----------
    left, right : array_like or sequence of arrays
        The tables' keys: a 1-d array each, or as many arrays on either side, those of a side of one length. Key i of
        both sides is compared in the type that NumPy gives both. All NaN are equal, and so are -0.0 and 0.0. A
        missing key equals nothing.
    how : str
        ``inner``: every pair of rows with equal keys. ``left``, ``right``, ``outer``: also the rows of that side, or of
        both, that are in no pair, with -1 for the other side. ``semi``, ``anti``: left rows that have a partner, or
        have none. ``cross``: all pairs, whatever the keys.

    Returns
    -------
    JoinedRows
        int64 row numbers, in order of left and then of right rows; of ``right`` joins in order of right and then of
        left rows; what only ``outer`` adds from the right comes last. `right` is None of ``semi`` and ``anti``.

    Raises
    ------
    ValueError
        Keys that are not 1-dimensional, or not of one length; an unknown `how`.
    TypeError
        Keys without a common type that holds both exactly: int64 beside uint64.
    MemoryError
        When the pairs do not fit: found before they are made.

    Notes
    -----
    A right side (the left one of ``right``) that is small goes into a hash table that every PE has, and rows of the
    other are looked up where they are: give the smaller table there. Keys of two large sides are dealt out to PEs by
    a hash, each row once; rows whose key many rows have stay where they are, so that no PE gets most of them.

    Examples
    --------
    >>> import atoll as ak
    >>> orders, customers = ak.array([7, 3, 7, 5]), ak.array([3, 7])
    >>> rows = ak.join(orders, customers)
    >>> rows.left, rows.right
    (array([0, 1, 2]), array([1, 0, 1]))
    >>> ak.join(orders, customers, "left").right
    array([ 1,  0,  1, -1])
    """
    if how not in KINDS:
        raise ValueError(f"there is no join {how!r}; there are {', '.join(KINDS)}")
    lefts, rights = key_columns(left), key_columns(right)
    if how == "cross":
        n, m = lefts[0].size, rights[0].size
        return JoinedRows(repeat(arange(n), m), tile(arange(m), n))
    lefts, rights = _comparable(lefts, rights)
    if how == "right":
        other, own = _pairs(rights, lefts, "left")
        return JoinedRows(own, other)
    if how in ("semi", "anti"):
        return JoinedRows(_rows(lefts, rights, how)[0], None)
    left_rows, right_rows = _pairs(lefts, rights, "inner" if how == "inner" else "left")
    if how == "outer":
        alone = _rows(rights, lefts, "anti")[0]
        left_rows = concatenate([left_rows, full(alone.size, -1, dtype=np.int64)])
        right_rows = concatenate([right_rows, alone])
    return JoinedRows(left_rows, right_rows)


def _comparable(left: list[Any], right: list[Any]) -> tuple[list[ndarray], list[ndarray]]:
    """The keys in common types, and as few bits as the engine takes."""
    if len(left) != len(right):
        raise ValueError(f"a join needs as many keys on either side, got {len(left)} and {len(right)}")
    lefts, rights = [], []
    for a, b in zip(left, right, strict=True):
        if isinstance(a, Column) or isinstance(b, Column):
            own, other = _keys_of(as_column(a), as_column(b))
            lefts.append(own)
            rights.append(other)
            continue
        common = np.result_type(a.dtype, b.dtype)
        if common.kind == "f" and a.dtype.kind in "iu" and b.dtype.kind in "iu":
            raise TypeError(
                f"keys of {a.dtype} and {b.dtype} have no common type that holds both; convert one with astype"
            )
        lefts.append(a.astype(common))
        rights.append(b.astype(common))
    if sum(8 * key.itemsize for key in lefts) <= KEY_BITS:
        return lefts, rights
    n = lefts[0].size
    both = number_keys([concatenate([a, b]) for a, b in zip(lefts, rights, strict=True)]).keys
    return [key[:n] for key in both], [key[n:] for key in both]


def _keys_of(left: Column, right: Column) -> tuple[ndarray, ndarray]:
    """Numbers that are equal where values are; a missing key equals nothing, not even a missing one."""
    if left.valid is None and right.valid is None and type(left) is type(right) and left._decides == 1:
        both: Any = as_column(concatenate([left, right]))
        if (plain := both._as_numbers()) is not None:
            return plain[0][: left.size], plain[0][left.size :]
    own, other = numbered(left, right)
    return own, where(other < 0, -2, other)


def _rows(left: list[ndarray], right: list[ndarray], kind: str) -> list[ndarray]:
    found = _core.join_rows([expr_of(key) for key in left], [expr_of(key) for key in right], kind)
    return [wrap(rows) for rows in found]


def _pairs(left: list[ndarray], right: list[ndarray], kind: str) -> tuple[ndarray, ndarray]:
    left_rows, right_rows = _rows(left, right, kind)
    return left_rows, right_rows
