# SPDX-License-Identifier: Apache-2.0
"""Arkouda's sets, and `concatenate`: of arrays, strings, categories, and of rows of several columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..objects import lift, lower
from . import wide
from .arrays import pdarray
from .dtypes import bigint
from .strings import Strings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...annotations import ArrayLike

__all__ = ["concatenate", "in1d", "in1dmulti", "indexof1d", "intersect1d", "setdiff1d", "setxor1d", "union1d"]


def _columns(rows: Any) -> list[Any]:
    return list(rows) if isinstance(rows, (list, tuple)) else [rows]


def _plain(one: object) -> Any:
    """Values that compare, of what Arkouda puts in sets."""
    from ..pandas.categorical import Categorical

    if isinstance(one, Categorical):
        return one.to_strings()._a
    if not isinstance(one, (pdarray, Strings)):
        raise TypeError(f"sets are of pdarray, Strings or Categorical, not of {type(one).__name__}")
    return lower(one)


def multiarray_setop_validation(pda1: Any, pda2: Any) -> None:
    """Refuses rows of columns that differ in number, length or kind."""
    if len(pda1) != len(pda2):
        raise ValueError("multi-array setops require same number of arrays in arguments.")
    for rows in (pda1, pda2):
        if len({one.size for one in rows}) != 1:
            raise ValueError("multi-array setops require arrays in pda1 to have the same size.")
    for one, other in zip(pda1, pda2, strict=True):
        if one.objType != other.objType:
            raise TypeError(f"Array dtypes are not equal: {one.objType} and {other.objType}")
        if one.objType == "pdarray" and one.dtype != other.dtype:
            raise TypeError(f"Array dtypes are not equal: {one.dtype} and {other.dtype}")


def _together(a: ArrayLike, b: ArrayLike) -> tuple[Any, Any, int]:
    """Numbers of the rows of both, equal where rows are; in the order of the rows."""
    firsts, seconds = _columns(a), _columns(b)
    if isinstance(a, (list, tuple)) != isinstance(b, (list, tuple)):
        raise TypeError("both arguments must be arrays, or lists of arrays")
    if isinstance(a, (list, tuple)):
        multiarray_setop_validation(firsts, seconds)
    numbers, span = None, 1
    for one, other in zip(firsts, seconds, strict=True):
        both = atoll.concatenate([_plain(one), _plain(other)])
        distinct, inverse = atoll.unique(both, return_inverse=True)[:2]
        own = inverse.astype(np.int64)
        if numbers is None:
            numbers, span = own, int(distinct.size)
        else:
            numbers = atoll.unique(numbers * int(distinct.size) + own, return_inverse=True)[1].astype(np.int64)
            span = int(numbers.max()) + 1 if numbers.size else 0
    size = int(_plain(firsts[0]).size)
    assert numbers is not None
    return numbers[:size], numbers[size:], span


def _check(*arguments: Any) -> None:
    from ..pandas.categorical import Categorical

    for one in arguments:
        if not isinstance(one, (list, tuple, pdarray, Strings, Categorical)):
            raise TypeError(f"sets are of pdarray, Strings or Categorical, not of {type(one).__name__}")


def in1d(A: Any, B: Any, assume_unique: bool = False, symmetric: bool = False, invert: bool = False) -> Any:
    """Which elements or rows of `A` are in `B`.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.in1d(ak.array([1, 5, 2]), ak.array([2, 1]))
    array([True False True])
    """
    from .alignment import NonUniqueError

    _check(A, B)
    a, b, _ = _together(A, B)
    if assume_unique and isinstance(A, (list, tuple)):
        for numbers in (a, b):
            if int(atoll.unique(numbers).size) < int(numbers.size):
                raise NonUniqueError("assume_unique: rows are there more than once")
    found = atoll.isin(a, b)
    if not symmetric:
        return lift(~found if invert else found)
    other = atoll.isin(b, a)
    return (lift(~found), lift(~other)) if invert else (lift(found), lift(other))


def in1dmulti(a: ArrayLike, b: ArrayLike, assume_unique: bool = False, symmetric: bool = False) -> Any:
    """The same of rows of several columns."""
    return in1d(a, b, assume_unique, symmetric)


def indexof1d(query: Any, space: Any) -> Any:
    """Where the elements of `query` are in `space`; those that are not are left out.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.indexof1d(ak.array([7, 9]), ak.array([9, 8, 7]))
    array([2 0])
    """
    from .alignment import find

    if isinstance(query, (list, tuple)):
        return find(query, space, False, True)
    return find(query, space, True, True).values


def concatenate(arrays: Sequence[Any], axis: int = 0, ordered: bool = True) -> Any:
    """Arrays, strings or categories of one type, concatenated.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.concatenate([ak.arange(2), ak.arange(3)])
    array([0 1 0 1 2])
    """
    from ..pandas.categorical import Categorical
    from .segarray import SegArray

    if not isinstance(arrays, (list, tuple)):
        raise TypeError("concatenate takes a list of arrays")
    if not arrays:
        raise ValueError("concatenate called on empty iterable")
    first = arrays[0]
    if len(arrays) == 1:
        return first
    for one in arrays:
        if not isinstance(one, (pdarray, Strings, Categorical, SegArray)):
            raise TypeError(f"concatenate takes pdarray, Strings or Categorical, not {type(one).__name__}")
        if type(one) is not type(first):
            raise TypeError(f"all arrays must have same type: {type(first).__name__} and {type(one).__name__}")
    if hasattr(type(first), "_concatenate"):
        return type(first)._concatenate(arrays)
    if isinstance(first, Strings):
        return Strings(atoll.concatenate([one._a for one in arrays]))
    kinds = {str(one.dtype) for one in arrays}
    if kinds == {"bigint"} or ("bigint" in kinds and kinds <= {"bigint", "int64", "uint64", "bool"}):
        most = [one.max_bits for one in arrays if one.max_bits > 0]
        joined = atoll.concatenate([wide.of_any(one._a) for one in arrays])
        return pdarray._of(wide.bigint(joined, max(most) if most else -1))
    if len(kinds) > 1:
        if kinds <= {"int64", "uint64", "float64"}:
            return lift(atoll.concatenate([one._a for one in arrays], axis=axis))
        raise ValueError(f"all arrays must have same dtype: {', '.join(sorted(kinds))}")
    return lift(atoll.concatenate([one._a for one in arrays], axis=axis))


def _answer(like: Any, a: ArrayLike, b: ArrayLike, rows: Any) -> Any:
    """The rows with these numbers of both together."""
    from ..pandas.categorical import Categorical

    found = []
    for one, other in zip(_columns(a), _columns(b), strict=True):
        both = atoll.concatenate([_plain(one), _plain(other)])
        chosen = lift(both[rows] if isinstance(both, atoll.ndarray) else both.take(rows))
        if isinstance(one, Categorical):
            chosen = Categorical(chosen)
        found.append(chosen)
    return found if isinstance(like, (list, tuple)) else found[0]


def _set_operation(a: ArrayLike, b: ArrayLike, keep: Any) -> Any:
    _check(a, b)
    left, right, _ = _together(a, b)
    numbers = atoll.concatenate([left, right])
    first = atoll.unique(numbers, return_index=True)
    distinct, places = first[0], first[1]
    chosen = keep(atoll.isin(distinct, left), atoll.isin(distinct, right))
    return _answer(a, a, b, places[chosen])


def union1d(ar1: Any, ar2: Any) -> Any:
    """All different elements, or rows, of both, in order.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.union1d(ak.array([3, 1]), ak.array([2, 1]))
    array([1 2 3])
    """
    return _set_operation(ar1, ar2, lambda a, b: a | b)


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """The different elements, or rows, that are in both, in order."""
    return _set_operation(ar1, ar2, lambda a, b: a & b)


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Those that are in the first alone."""
    return _set_operation(ar1, ar2, lambda a, b: a & ~b)


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Those that are in one alone."""
    return _set_operation(ar1, ar2, lambda a, b: a ^ b)
