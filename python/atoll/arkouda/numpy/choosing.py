# SPDX-License-Identifier: Apache-2.0
"""`ak.where` of numbers, strings and categories, and `ak.hash`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..objects import lift, lower
from . import wide
from .arrays import SCALARS, pdarray
from .dtypes import bigint
from .strings import Strings

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["hash", "where"]


def where(condition: Any, x: ArrayLike, y: Any) -> Any:
    """Elements of `x` where a condition holds, elsewhere of `y`.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.where(ak.array([True, False]), ak.array([1, 2]), 0)
    array([1 0])
    """
    from ..pandas.categorical import Categorical

    texts, categories = Strings, Categorical
    for one in (x, y):
        if not isinstance(one, (str, pdarray, texts, categories, *SCALARS)):
            raise TypeError(f"where chooses among numbers, texts and categories, not {type(one).__name__}")
    if isinstance(condition, pdarray):
        if condition.dtype != np.bool_:
            raise TypeError(f"the condition must be bool, not {condition.dtype}")
    elif not isinstance(condition, (bool, np.bool_)):
        raise TypeError(f"the condition must be bool or a pdarray, not {type(condition).__name__}")
    if not isinstance(condition, pdarray):
        return _where_scalar(bool(condition), x, y)
    if any(isinstance(one, (str, texts, categories)) for one in (x, y)):
        return _where_texts(condition, x, y)
    sides = [lower(one) for one in (x, y)]
    if any(isinstance(one, wide.BigInts) for one in sides):
        size = condition.size
        sides = [
            wide.of_any(one if not isinstance(one, SCALARS) else [int(one)]).take(atoll.zeros(size, dtype="int64"))
            if isinstance(one, SCALARS)
            else wide.of_any(one)
            for one in sides
        ]
        return pdarray._of(wide.choose(condition._a.reshape(-1), *sides), condition.shape)
    kinds = [one.dtype for one in sides if hasattr(one, "dtype")]
    sides = [_typed(one, kinds) for one in sides]
    return lift(atoll.where(condition._a, *sides))


def _typed(one: object, kinds: list[Any]) -> Any:
    """A Python scalar as a number of a type: it is not weak here."""
    if isinstance(one, (bool, np.generic)) or not isinstance(one, (int, float)):
        return one
    if isinstance(one, float):
        return np.float64(one)
    if any(kind.kind == "u" for kind in kinds) and one >= 0:
        return np.uint64(one)
    return np.int64(one) if one < 1 << 63 else np.uint64(one)


def _where_scalar(condition: bool, x: ArrayLike, y: Any) -> Any:
    chosen, other = (x, y) if condition else (y, x)
    if not isinstance(other, pdarray):
        return chosen
    mask = lift(atoll.full(np.broadcast_shapes(getattr(chosen, "shape", ()), other.shape), condition))
    return where(mask, x, y)


def _where_texts(condition: pdarray, x: Any, y: Any) -> Any:
    from ..pandas.categorical import Categorical

    texts, categories = Strings, Categorical
    for one in (x, y):
        if not isinstance(one, (str, texts, categories)):
            raise TypeError("texts and categories go together with texts and categories alone")
        if not isinstance(one, str) and one.size != condition.size:
            raise ValueError("condition and texts must be of one size")
    kinds = [isinstance(one, categories) for one in (x, y)]
    if isinstance(x, str) and isinstance(y, str):
        raise TypeError("one of both must be an array")
    if any(kinds) and not all(kinds) and not any(isinstance(one, str) for one in (x, y)):
        raise TypeError("Categorical and Strings do not go together")
    sides = [
        one if isinstance(one, str) else (one.to_strings() if isinstance(one, categories) else one)._a for one in (x, y)
    ]
    made = Strings(atoll.where(condition._a, *sides))
    return Categorical(made) if any(kinds) else made


def hash(pda: Any, full: bool = True) -> Any:
    """128 bits of each element, or of each row of several columns, as two arrays of uint64.

    Parameters
    ----------
    full : bool
        Of one array of numbers: whether both halves are given, or one.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> high, low = ak.hash(ak.arange(3))
    >>> high.dtype, high.size
    (dtype('uint64'), 3)
    """
    if isinstance(pda, (list, tuple)):
        if len({len(one) for one in pda}) > 1:
            raise ValueError("all arrays must be of one size")
        halves = [hash(one) for one in pda]
        if len(halves) == 1:
            return halves[0]
        mixed = [half[0]._a for half in halves], [half[1]._a for half in halves]
        return tuple(lift(_mixed(words)) for words in mixed)
    if isinstance(pda, pdarray):
        if pda.dtype == bigint():
            return hash(pda.bigint_to_uint_arrays())
        words = (pda._a + 0.0).view(np.uint64) if pda.dtype.kind == "f" else pda._a.astype(np.uint64)
        high, low = _scrambled(words, 0x9E3779B97F4A7C15), _scrambled(words, 0xC2B2AE3D27D4EB4F)
        return (lift(high), lift(low)) if full else lift(high)
    if not hasattr(pda, "hash"):
        raise TypeError(f"nothing of type {type(pda).__name__} is hashed")
    return pda.hash()


def _scrambled(words: Any, key: int) -> Any:
    """Each word's bits mixed: the finisher of MurmurHash3, with constants of splitmix64."""
    words = words ^ np.uint64(key)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _mixed(columns: list[Any]) -> Any:
    total = columns[0]
    for place, words in enumerate(columns[1:], 1):
        total = _scrambled(total, place) + words
    return _scrambled(total, 0x2545F4914F6CDD1D)
