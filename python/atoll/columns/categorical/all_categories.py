# SPDX-License-Identifier: Apache-2.0
"""Groups by categories, including unobserved ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, zeros
from ...arrays.selection import take, where
from ..column import Column, as_column
from ..functions.functions import scatter
from ..groupby.group_by import GroupBy
from ..groupby.grouped import EMPTY_IS_ZERO
from ..keys import are_several, key_columns
from .categorical import Categorical

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray

#: Methods of groups that return one element per group.
_FIGURES = frozenset((
    "count", "sum", "mean", "var", "std", "min", "max", "any", "all", "bit_and", "bit_or", "bit_xor", "first", "last",
    "nunique", "mode", "median", "quantile", "argmin", "argmax", "idxmin", "idxmax", "prod",
    "sem", "skew", "kurt", "cov", "corr",
))  # fmt: skip


class AllCategories:
    """Groups of all categories, or of all combinations of several keys' values; `groupby` with observed=False makes it.

    It has the methods of `GroupBy`, with results for unobserved groups, too.

    Examples
    --------
    >>> import atoll as ak
    >>> sizes = ak.Categorical(["S", "L", "S"], categories=["S", "M", "L"])
    >>> ak.groupby(sizes, observed=False).size()
    array([2, 0, 1])
    """

    __slots__ = ("_keys", "_observed", "_place", "_single", "_size")
    _observed: GroupBy
    _keys: list[Any]
    _place: ndarray  # index of each observed group among all groups

    def __init__(self, keys: Any, observed: GroupBy, dropna: bool) -> None:
        self._observed, self._single = observed, not are_several(keys)
        found = [observed.keys] if self._single else list(observed.keys)
        tables, numbers = [], []
        for key, column in zip(found, key_columns(keys), strict=True):
            codes, table = as_column(key)._key()
            if as_column(column).null_count and not dropna:
                codes, table = where(codes < 0, table.size, codes.astype(np.int64)), _with_null(table)
            numbers.append(codes.astype(np.int64))
            tables.append(table)
        self._size = int(np.prod([table.size for table in tables]))
        if self._size > 2**40:
            raise MemoryError(f"{self._size} combinations of keys are too many; take observed=True")
        self._place = zeros(found[0].size, dtype=np.int64)
        self._keys, every, behind = [], arange(self._size), self._size
        for table, codes in zip(tables, numbers, strict=True):
            behind //= max(int(table.size), 1)
            self._place = self._place + codes * behind
            self._keys.append(table[every // behind % max(int(table.size), 1)])

    @property
    def keys(self) -> Any:
        """The groups' keys, ascending: an array or a column, or a tuple of one per key."""
        return self._keys[0] if self._single else tuple(self._keys)

    @property
    def ngroups(self) -> int:
        """Number of groups."""
        return self._size

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return repr(self._observed)[:-1] + ", all categories>"

    def size(self) -> ndarray:
        """Rows in each group: int64."""
        sizes: ndarray = self._spread("count", self._observed.size())
        return sizes

    def ngroup(self) -> ndarray:
        """For each row the number of its group: int64; -1 of rows in no group."""
        numbers = self._observed.ngroup()
        return (
            numbers if numbers.size == 0 else where(numbers < 0, -1, take(self._place, where(numbers < 0, 0, numbers)))
        )

    def agg(self, wanted: Mapping[str, tuple[Any, str]]) -> dict[str, Any]:
        """Several aggregates of several columns in one pass; see `GroupBy.agg`."""
        found = self._observed.agg(wanted)
        return {name: self._spread(wanted[name][1], figures) for name, figures in found.items()}

    def broadcast(self, figures: Any) -> Any:
        """One element per group to each of its rows; missing in rows that are in no group."""
        figures = asarray(figures)
        if figures.shape != (self._size,):
            raise ValueError(f"broadcast needs one element per group, ({self._size},), got shape {figures.shape}")
        return self._observed.broadcast(figures[self._place])

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._observed, name)
        if name not in _FIGURES:  # of rows
            return method
        if name == "count":
            return lambda values=None: self.size() if values is None else self._spread(name, method(values))

        def figures(*args: object, **options: object) -> Any:
            return self._spread(name, method(*args, **options))

        return figures

    def _spread(self, name: str, figures: Any) -> Any:
        """Aggregates of all groups, from those of the observed ones; 0 or missing for the others."""
        zero = name in (*EMPTY_IS_ZERO, "size", "any", "all") and type(as_column(figures)) is Column
        return scatter(figures, self._place, self._size, (name == "all") * 1 if zero else None)


def _with_null(table: Any) -> Any:
    """A table followed by a missing value."""
    column = as_column(table)
    parts: Sequence[Column] = [column, column._all_missing(1)]
    return column._together(parts)


def with_all_categories(keys: Any, observed: GroupBy, dropna: bool) -> Any:
    """Groups of all categories; the observed groups themselves if no key is categorical."""
    known = any(isinstance(column, Categorical) for column in key_columns(keys))
    return AllCategories(keys, observed, dropna) if known else observed
