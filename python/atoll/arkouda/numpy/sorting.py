# SPDX-License-Identifier: Apache-2.0
"""Arkouda's sorting."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..objects import checked, lift, lower
from . import wide
from .arrays import pdarray
from .dtypes import Int, bigint
from .strings import Strings

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SortingAlgorithm", "argsort", "coargsort", "searchsorted", "sort"]


class SortingAlgorithm(Enum):
    """Arkouda's choice of a sorting algorithm. Atoll accepts both names, and sorts by its own algorithm."""

    RadixSortLSD = 1
    TwoArrayRadixSort = 2


def argsort(
    pda: Any, algorithm: Any = SortingAlgorithm.RadixSortLSD, axis: int | str | None = 0, ascending: bool = True
) -> Any:
    """The numbers of the elements in ascending order; equal ones keep their order. Descending is that, reversed.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.argsort(ak.array([3, 1, 2]))
    array([1 2 0])
    """
    from ..pandas.categorical import Categorical

    if not isinstance(pda, (pdarray, Strings, Categorical)):
        raise TypeError(f"argsort is of pdarray, Strings or Categorical, not of {type(pda).__name__}")
    if not isinstance(pda, pdarray):
        return pda.argsort(ascending=ascending)
    if not isinstance(axis, Int) or not -pda.ndim <= axis < pda.ndim:
        raise IndexError(f"axis {axis} is out of bounds for {pda.ndim} dimensions")
    if pda.size == 0:
        return lift(atoll.zeros(0, dtype=np.int64))
    axis = int(axis) % pda.ndim
    if isinstance(pda._a, wide.BigInts):
        order = atoll.argsort(pda._a)
        return lift(order[::-1].copy() if not ascending else order)
    order = atoll.argsort(pda._a, axis=axis, kind="stable")
    return lift(order if ascending else atoll.flip(order, axis).copy())


def coargsort(arrays: Sequence[Any], algorithm: Any = SortingAlgorithm.RadixSortLSD, ascending: bool = True) -> Any:
    """The numbers of the rows in the order of several columns, the first one first.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.coargsort([ak.array([1, 0, 1]), ak.array([2, 5, 1])])
    array([1 2 0])
    """
    from ..pandas.categorical import Categorical

    if not isinstance(arrays, (list, tuple)):
        raise TypeError("coargsort takes a list of arrays")
    if not isinstance(algorithm, SortingAlgorithm):
        raise ValueError(f"no algorithm {algorithm!r}")
    keys = []
    for one in arrays:
        if not isinstance(one, (pdarray, Strings, Categorical)):
            raise TypeError(f"coargsort is of pdarray, Strings or Categorical, not of {type(one).__name__}")
        if len(one) != len(arrays[0]):
            raise ValueError("all arrays must be of one size")
        keys.append(_key(one))
    if not keys or len(arrays[0]) == 0:
        return lift(atoll.zeros(0, dtype=np.int64))
    order = atoll.arange(len(arrays[0]))
    for key in reversed(keys):
        order = order[atoll.argsort(key[order], kind="stable")]
    return lift(order if ascending else order[::-1].copy())


def _key(one: object) -> Any:
    """Numbers in the order of the values."""
    from ..pandas.categorical import Categorical

    if isinstance(one, Categorical):
        return one._sort_key()
    values = lower(one)
    if isinstance(values, atoll.ndarray):
        return values
    return atoll.unique(values, return_inverse=True)[1]


@checked(pdarray)
def sort(pda: Any, algorithm: Any = SortingAlgorithm.RadixSortLSD, axis: int | str | None = -1) -> Any:
    """The elements in ascending order, along an axis.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.sort(ak.array([3, 1, 2]))
    array([1 2 3])
    """
    if pda.dtype == bigint():
        return pda[argsort(pda)]
    if pda.dtype.kind not in "iuf":
        raise ValueError(f"ak.sort supports int64, uint64, or float64, not {pda.dtype}")
    if not isinstance(axis, Int) or not -pda.ndim <= axis < pda.ndim:
        raise IndexError(f"axis {axis} is out of bounds for {pda.ndim} dimensions")
    return lift(atoll.sort(pda._a, axis=int(axis)))


@checked(pdarray)
def searchsorted(a: Any, v: Any, side: Any = "left", x2_sorted: bool = False) -> Any:
    """Where each of `v` would be put into the sorted array `a`.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.searchsorted(ak.array([1, 3, 5]), ak.array([2, 5]))
    array([1 2])
    """
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right', not {side!r}")
    if a.ndim != 1:
        raise ValueError("a must be one dimensional")
    if isinstance(v, np.floating) and a.dtype.kind != "f":
        raise TypeError(f"a value of {type(v).__name__} is not searched in {a.dtype}")
    if isinstance(v, pdarray) and v.dtype != a.dtype:
        raise TypeError(f"a and v must be of one type, not {a.dtype} and {v.dtype}")
    if not isinstance(v, (pdarray, int, float, np.number)):
        raise TypeError(f"v must be a number or a pdarray, not {type(v).__name__}")
    if a.dtype == bigint():
        return _search_wide(a, v, side)
    found = atoll.searchsorted(a._a, lower(v), side)
    return lift(found) if isinstance(v, pdarray) else np.int64(found)


def _search_wide(a: Any, v: Any, side: str) -> Any:
    """By rank in both together: how many of `a` come before."""
    column = v._a if isinstance(v, pdarray) else wide.of_any([int(v)])
    first, second = (column, a._a) if side == "left" else (a._a, column)
    order = atoll.argsort(atoll.concatenate([first, second]))
    place = atoll.zeros(order.size, dtype=np.int64)
    place[order] = atoll.arange(order.size)
    mine = place[: first.size] if side == "left" else place[first.size :]
    own = atoll.zeros(mine.size, dtype=np.int64)
    own[atoll.argsort(mine)] = atoll.arange(mine.size)
    found = pdarray._of(mine - own)
    return found.reshape(v.shape) if isinstance(v, pdarray) else found[0]


pdarray.argsort = lambda self, algorithm=SortingAlgorithm.RadixSortLSD, axis=0, ascending=True: argsort(
    self, algorithm, axis, ascending
)
