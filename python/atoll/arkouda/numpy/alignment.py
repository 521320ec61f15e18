# SPDX-License-Identifier: Apache-2.0
"""Arkouda's searches: places of values and rows in others, and in intervals."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..objects import lift
from .arrays import pdarray
from .choosing import where
from .dtypes import bigint
from .pdarraysetops import _columns, _together, concatenate, in1d
from .segarray import SegArray
from .strings import Strings

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "NonUniqueError", "align", "find", "in1d_intervals", "interval_lookup", "is_cosorted", "left_align", "lookup",
    "right_align", "search_intervals", "unsqueeze", "zero_up",
]  # fmt: skip


class NonUniqueError(ValueError):
    """Keys that should be different are not."""


def unsqueeze(p: object) -> Any:
    """One array as a list of it."""
    from ..pandas.categorical import Categorical

    return [p] if isinstance(p, (pdarray, Strings, Categorical)) else p


def zero_up(vals: Any) -> Any:
    """The numbers of the distinct values, in their order, in the place of each."""
    return lift(atoll.unique(vals._a, return_inverse=True)[1].astype(np.int64))


def align(*args: Any) -> list[Any]:
    """Several arrays of numbers with the same small numbers for the same values."""
    numbers = zero_up(concatenate(list(args)))
    begin, found = 0, []
    for one in args:
        found.append(numbers[begin : begin + one.size])
        begin += one.size
    return found


def right_align(left: object, right: object) -> Any:
    """The values of `left` that are in `right`, and both with small numbers for values."""
    return _kept(left, right, False)


def left_align(left: object, right: object) -> Any:
    """The same with all of `left`."""
    mask, (b, a) = _kept(right, left, False)
    return mask, (a, b)


def _kept(left: Any, right: Any, _: bool) -> Any:
    mask = in1d(left, right)
    return mask, tuple(align(left[mask], right))


def find(query: Any, space: Any, all_occurrences: bool = False, remove_missing: bool = False) -> Any:
    """Where each element, or row, of `query` is first in `space`; -1 where it is not.

    Parameters
    ----------
    all_occurrences : bool
        All places, as a SegArray with a segment for each element.
    remove_missing : bool
        Without the elements that are not there.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.find(ak.array([7, 1, 9]), ak.array([9, 8, 7]))
    array([2 -1 0])
    """
    if isinstance(query, (list, tuple)) != isinstance(space, (list, tuple)) or (
        not isinstance(query, (list, tuple)) and type(query) is not type(space)
    ):
        raise TypeError("Arguments must have same type")
    if isinstance(query, (list, tuple)):
        if len(query) != len(space) or len({one.size for one in query}) != 1 or len({one.size for one in space}) != 1:
            raise TypeError("Multi-array arguments must have the same number of arrays, of equal length")
        if [one.dtype for one in query] != [one.dtype for one in space]:
            raise TypeError("Array dtypes of arguments must match")
    wanted, there, span = _together(query, space)
    order = atoll.argsort(there, kind="stable")
    begins = atoll.searchsorted(there[order], atoll.arange(span + 1))
    counts = begins[1:] - begins[:-1]
    if bool((counts > 1).any()):
        if all_occurrences and isinstance(query, (list, tuple)):
            raise TypeError("finding all_occurrences is not yet supported on sequences of arrays")
        if not all_occurrences:
            warnings.warn(
                "Duplicate terms present in search space. Only first instance of each query term will be reported. "
                "To return all occurrences, set all_occurrences=True.",
                UserWarning,
                stacklevel=2,
            )
    if all_occurrences:
        groups = SegArray(lift(begins[:-1]), lift(order))
        return groups[lift(wanted)]
    if order.size == 0:
        found = atoll.full(wanted.size, -1)
    else:
        found = order[atoll.minimum(begins[:-1], order.size - 1)][wanted]
        found = atoll.where(counts[wanted] > 0, found, -1)
    made = lift(found)
    return made[made != -1] if remove_missing else made


def lookup(keys: object, values: Any, arguments: Any, fillvalue: Any = -1) -> Any:
    """The values of keys, row by row; `fillvalue` where a key is not there.

    Of keys that occur twice, the first counts, with a warning.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.lookup(ak.array([1, 2]), ak.array([10, 20]), ak.array([2, 3, 1]))
    array([20 -1 10])
    """
    from ..pandas.categorical import Categorical

    if isinstance(keys, Categorical):
        keys, arguments = keys.to_strings(), arguments.to_strings() if hasattr(arguments, "to_strings") else arguments
    places = find(arguments, keys)._a
    there = places >= 0
    found = values[lift(atoll.where(there, places, 0))]
    if isinstance(fillvalue, str) and isinstance(values, Categorical):
        return where(lift(there), found.to_strings(), fillvalue)
    if bool(there.all()):
        return found
    if isinstance(values, Strings):
        return where(lift(there), found, fillvalue if isinstance(fillvalue, str) else str(fillvalue))
    return where(lift(there), found, fillvalue)


def in1d_intervals(vals: Any, intervals: Any, symmetric: bool = False) -> Any:
    """Which values lie in any of several intervals; with `symmetric` also which intervals hold a value."""
    places = search_intervals(vals, intervals)
    found = places > -1
    if not symmetric:
        return found
    hit = atoll.zeros(_columns(intervals[0])[0].size, dtype=bool)
    hit[places._a[found._a]] = True
    return found, lift(hit)


def _interval_columns(vals: Any, intervals: Any) -> tuple[list[Any], list[Any], list[Any]]:
    if len(intervals) != 2:
        raise ValueError("intervals must be 2-tuple of (lower_bound_inclusive, upper_bound_inclusive)")
    columns = _columns(vals), _columns(intervals[0]), _columns(intervals[1])
    for several in columns:
        for one in several:
            if not isinstance(one, pdarray) or (one.dtype != bigint() and one.dtype.kind not in "iuf"):
                raise TypeError("arguments must be numeric arrays")
        if len(several) != len(columns[0]):
            raise TypeError("values and bounds must have the same number of arrays")
    for value, low, high in zip(*columns, strict=True):
        if not value.dtype == low.dtype == high.dtype:
            raise TypeError("values and bounds must be of one type")
        if low.size != high.size:
            raise ValueError("Lower and upper bound arrays must be same size")
    return columns


def _codes(several: list[list[Any]]) -> list[Any]:
    """Rows of each list as numbers in the order of rows, the first column first."""
    numbers = None
    for columns in zip(*several, strict=True):
        joined = atoll.concatenate([one._a for one in columns])
        distinct, inverse = atoll.unique(joined, return_inverse=True)[:2]
        own = inverse.astype(np.int64)
        numbers = own if numbers is None else atoll.unique(numbers * int(distinct.size) + own, return_inverse=True)[1]
    assert numbers is not None
    begin, found = 0, []
    for one in several:
        found.append(numbers[begin : begin + one[0].size].astype(np.int64))
        begin += one[0].size
    return found


def search_intervals(vals: Any, intervals: Any, tiebreak: Any = None, hierarchical: bool = True) -> Any:
    """The number of the interval that each value lies in, -1 where in none; bounds belong to it.

    Parameters
    ----------
    tiebreak : pdarray, optional
        Where several hold a value, the one with the smallest; by default the first.
    hierarchical : bool
        Of rows: they compare by the first column first; otherwise each column lies within its own bounds.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.search_intervals(ak.array([3, 7, 12]), (ak.array([0, 5]), ak.array([4, 9])))
    array([0 1 -1])
    """
    values, lows, highs = _interval_columns(vals, intervals)
    if (hierarchical and len(values) > 1) or len(values) == 1:
        v, low, high = _codes([values, lows, highs])
        if bool((low > high).any()):
            raise ValueError("Upper bounds must be greater than lower bounds")
        return lift(_first_holding([v], [low], [high], tiebreak))
    columns = [_codes([[a], [b], [c]]) for a, b, c in zip(values, lows, highs, strict=True)]
    points, starts, ends = (list(part) for part in zip(*columns, strict=True))
    return lift(_first_holding(points, starts, ends, tiebreak))


def _first_holding(values: list[Any], lows: list[Any], highs: list[Any], tiebreak: Any) -> Any:
    """The first interval, in the order of the tiebreak, that holds each row."""
    order = atoll.arange(lows[0].size) if tiebreak is None else atoll.argsort(tiebreak._a, kind="stable")
    found = atoll.full(values[0].size, -1)
    if len(values) == 1 and _disjoint(lows[0], highs[0]):
        by = atoll.argsort(lows[0], kind="stable")
        place = atoll.searchsorted(lows[0][by], values[0], "right") - 1
        inside = place >= 0
        rows = by[atoll.where(inside, place, 0)] if by.size else atoll.zeros(place.size, dtype=np.int64)
        return atoll.where(inside & (values[0] <= highs[0][rows]), rows, -1) if by.size else found
    for number in reversed(order.tolist()):
        holds = atoll.full(values[0].size, True)
        for v, low, high in zip(values, lows, highs, strict=True):
            holds = holds & (v >= int(low[number])) & (v <= int(high[number]))
        found = atoll.where(holds, number, found)
    return found


def _disjoint(low: Any, high: Any) -> bool:
    by = atoll.argsort(low, kind="stable")
    return bool((low[by][1:] > high[by][:-1]).all())


def is_cosorted(arrays: Sequence[Any]) -> bool:
    """Whether rows are in order, by the first array first."""
    if not arrays:
        raise ValueError("Input array list must be non-empty")
    for one in arrays:
        if not isinstance(one, pdarray):
            raise TypeError("Array must be castable to pdarray")
        if one.size != arrays[0].size:
            raise ValueError("Arrays must all be same size")
    if arrays[0].size < 2:
        return True
    numbers = _codes([list(arrays)])[0]
    return bool((numbers[1:] >= numbers[:-1]).all())


def interval_lookup(
    keys: object, values: Any, arguments: Any, fillvalue: Any = -1, tiebreak: Any = None, hierarchical: bool = False
) -> Any:
    """The values of intervals that arguments lie in; `fillvalue` where in none."""
    from ..pandas.categorical import Categorical

    if isinstance(values, Categorical):
        codes = interval_lookup(keys, values.codes, arguments, values._NAcode, tiebreak, hierarchical)
        return Categorical.from_codes(codes, values.categories)
    places = search_intervals(arguments, keys, tiebreak, hierarchical)._a
    there = places >= 0
    found = values[lift(atoll.where(there, places, 0))]
    if isinstance(found, pdarray):
        return where(lift(there), found, fillvalue)
    return where(lift(there), found, fillvalue if isinstance(fillvalue, str) else str(fillvalue))
