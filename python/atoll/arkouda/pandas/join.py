# SPDX-License-Identifier: Apache-2.0
"""Arkouda's joins of arrays."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..numpy.arrays import pdarray
from ..numpy.dtypes import Int
from ..numpy.pdarraysetops import _columns, _plain, in1d, multiarray_setop_validation
from ..objects import checked, lift
from .categorical import Categorical
from .groupbyclass import GroupBy

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["compute_join_size", "gen_ranges", "inner_join", "join_on_eq_with_dt", "joined_rows"]

predicates = {"true_dt": 0, "abs_dt": 1, "pos_dt": 2}


@checked(pdarray, pdarray, pdarray, pdarray, Int, str, Int)
def join_on_eq_with_dt(
    a1: Any, a2: Any, t1: Any, t2: Any, dt: Any, pred: str, result_limit: Any = 1000
) -> tuple[Any, Any]:
    """Rows of two arrays with equal values whose times are near one another.

    Parameters
    ----------
    pred : {"true_dt", "abs_dt", "pos_dt"}
        Any times; ``abs(t2 - t1)`` is at most `dt`; t2 - t1 is from 0 to `dt`.
    result_limit : int
        Of the pairs, how many at most.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> a, t = ak.array([1, 2]), ak.array([5, 9])
    >>> ak.join_on_eq_with_dt(a, a, t, t + 1, 1, "pos_dt")
    (array([0 1]), array([0 1]))
    """
    for name, one in (("a1", a1), ("a2", a2), ("t1", t1), ("t2", t2)):
        if one.dtype != np.int64:
            raise ValueError(f"{name} must be int64 dtype")
    if pred not in predicates:
        raise ValueError(f"pred must be one of {list(predicates)}")
    if result_limit < 0:
        raise ValueError("the result_limit must 0 or greater")
    left, right = inner_join(a1, a2)
    apart = t2[right] - t1[left]
    if pred != "true_dt":
        near = (abs(apart) <= int(dt)) if pred == "abs_dt" else (apart >= 0) & (apart <= int(dt))
        left, right = left[near], right[near]
    limit = int(result_limit)
    return left[:limit], right[:limit]


def gen_ranges(starts: Any, ends: Any, stride: int = 1, return_lengths: bool = False) -> Any:
    """Runs of numbers, concatenated, and where each begins.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.gen_ranges(ak.array([0, 10]), ak.array([2, 13]))
    (array([0 2]), array([0 1 10 11 12]))
    """
    if starts.size != ends.size:
        raise ValueError("starts and ends must be same length")
    lengths = (ends._a - starts._a) // stride
    if bool((lengths < 0).any()):
        raise ValueError("all ends must be greater than or equal to starts")
    segments = atoll.cumsum(lengths) - lengths if lengths.size else lengths
    total = int(lengths.sum()) if lengths.size else 0
    place = atoll.arange(total) - atoll.repeat(segments, lengths)
    found = lift(atoll.repeat(starts._a, lengths) + place * stride)
    return (lift(segments), found, lift(lengths)) if return_lengths else (lift(segments), found)


@checked(pdarray, pdarray)
def compute_join_size(a: ArrayLike, b: ArrayLike) -> tuple[int, int]:
    """How many rows a join of two arrays would have, and how many bytes it would take."""
    (first, counts), (second, others) = GroupBy(a).size(), GroupBy(b).size()
    rows = int((counts[in1d(first, second)] * others[in1d(second, first)]).sum())
    return rows, 24 * rows


def inner_join(left: Any, right: Any, wherefunc: Any = None, whereargs: Any = None) -> tuple[Any, Any]:
    """The numbers of rows of both with equal values, or rows of values.

    Parameters
    ----------
    wherefunc, whereargs : optional
        A function of two arguments that says which pairs are kept; what it is called with, row by row.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.join.inner_join(ak.array([1, 2]), ak.array([2, 2, 3]))
    (array([1 1]), array([0 1]))
    """
    several = isinstance(left, (list, tuple))
    sizes = [{len(one) for one in _columns(side)} for side in (left, right)]
    if several and len(left) != len(right):
        raise ValueError("Left must have same num arrays as right")
    if any(len(one) != 1 for one in sizes):
        raise ValueError("Multi-array arguments must have equal-length arrays")
    if wherefunc is not None:
        _check_where(wherefunc, whereargs, sizes[0].copy().pop(), sizes[1].copy().pop())
    if isinstance(left, Categorical) and isinstance(right, Categorical):
        alike = Categorical.standardize_categories([left, right])
        left, right = alike[0].codes, alike[1].codes
    found = joined_rows(left, right)
    if wherefunc is None:
        return found
    sides = [_at(side, places) for side, places in zip(whereargs, found, strict=True)]
    kept = wherefunc(*sides)
    return found[0][kept], found[1][kept]


def joined_rows(left: object, right: object, how: str = "inner") -> tuple[pdarray, pdarray]:
    """The numbers of rows of both sides with equal values; -1 where a row of the other side has no partner."""
    firsts, seconds = _columns(left), _columns(right)
    if isinstance(left, (list, tuple)) != isinstance(right, (list, tuple)):
        raise TypeError("both arguments must be arrays, or lists of arrays")
    if isinstance(left, (list, tuple)):
        multiarray_setop_validation(left, right)
    rows = atoll.join([_plain(one) for one in firsts], [_plain(one) for one in seconds], how)
    return lift(rows.left), lift(rows.right)


def _at(values: Any, places: Any) -> Any:
    if isinstance(values, (list, tuple)):
        return [one[places] for one in values]
    found = values[places]
    return found.codes if isinstance(found, Categorical) else found


def _check_where(wherefunc: Any, whereargs: Any, left: int, right: int) -> None:
    if len(signature(wherefunc).parameters) != 2:
        raise ValueError("wherefunc must be a function that accepts exactly two arguments")
    if whereargs is None or len(whereargs) != 2:
        raise ValueError("whereargs must be a 2-tuple with left and right arg arrays")
    for side, size in zip(whereargs, (left, right), strict=True):
        if any(len(one) != size for one in _columns(side)):
            raise ValueError("whereargs must be same size as join values")
    few = min(left, right, 5)
    try:
        wherefunc(
            *([one[:few] for one in side] if isinstance(side, (list, tuple)) else side[:few] for side in whereargs)
        )
    except Exception as error:
        raise ValueError("Error evaluating wherefunc") from error
