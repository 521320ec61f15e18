# SPDX-License-Identifier: Apache-2.0
"""Arkouda's groups of rows: Atoll's, with permutation, segments and pairs of keys and aggregates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ...columns.column import Column
from ..numpy import wide
from ..numpy.arrays import pdarray
from ..numpy.dtypes import Int, bigint
from ..numpy.segarray import SegArray
from ..numpy.strings import Strings
from ..objects import Named, Word, entitled, lift

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["GROUPBY_REDUCTION_TYPES", "GroupBy", "GroupByReductionType", "broadcast", "groupable", "unique"]

groupable = Any


class GroupByReductionType(Word):
    """The names of aggregates."""

    SUM = "sum"
    COUNT = "count"
    PROD = "prod"
    VAR = "var"
    STD = "std"
    MEAN = "mean"
    MEDIAN = "median"
    MIN = "min"
    MAX = "max"
    ARGMIN = "argmin"
    ARGMAX = "argmax"
    NUNIQUE = "nunique"
    ANY = "any"
    ALL = "all"
    OR = "or"
    AND = "and"
    XOR = "xor"
    FIRST = "first"
    MODE = "mode"
    UNIQUE = "unique"


GROUPBY_REDUCTION_TYPES = frozenset(member.value for member in GroupByReductionType)

#: Types of values that aggregates do not take.
_REFUSED = {
    "any": "iuf", "all": "iuf", "min": "b", "max": "b", "or": "fb", "and": "fb", "xor": "fb", "nunique": "f",
}  # fmt: skip
_ENGINE = {"or": "bit_or", "and": "bit_and", "xor": "bit_xor"}


def _several(keys: object) -> bool:
    return isinstance(keys, (list, tuple))


def _plain(one: Any) -> Any:
    """What is grouped in the place of an Arkouda object."""
    from .categorical import Categorical

    if isinstance(one, Categorical):
        return one.codes._a
    if isinstance(one, SegArray):
        return [half._a for half in one.hash()]
    values = getattr(one, "_a", None)
    if values is None and hasattr(one, "values"):
        return _plain(one.values)
    if values is None:
        raise TypeError(f"groups are of pdarray, Strings or Categorical, not of {type(one).__name__}")
    return values


def _flat(keys: Any) -> list[Any]:
    found: list[Any] = []
    for one in keys if _several(keys) else [keys]:
        made = _plain(one)
        found += made if isinstance(made, list) else [made]
    return found


class GroupBy(Named):
    """Rows with equal keys.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> g = ak.GroupBy(ak.array([3, 1, 3]))
    >>> g.size()
    (array([1 3]), array([1 2]))
    >>> g.sum(ak.array([10, 20, 30]))
    (array([1 3]), array([20 40]))
    """

    objType = "GroupBy"
    sum: Any
    Reductions = GROUPBY_REDUCTION_TYPES

    def __init__(self, keys: Any = None, assume_sorted: bool = False, dropna: bool = True, **kwargs: Any) -> None:
        if not isinstance(assume_sorted, bool):
            raise TypeError("assume_sorted must be of type bool.")
        keys = kwargs.get("orig_keys") if keys is None else keys
        if keys is None:
            raise ValueError("No keys passed to GroupBy.")
        if _several(keys) and not len(keys):
            raise ValueError("No keys passed to GroupBy.")
        self.assume_sorted, self.dropna = assume_sorted, dropna
        self.keys = _without_nan(keys) if dropna else keys
        flat = _flat(self.keys)
        if len({one.size for one in flat}) > 1:
            raise ValueError("Key arrays must all be same size")
        self._g = atoll.groupby(flat if len(flat) > 1 else flat[0], dropna=False)
        self._number = atoll.asarray(self._g.ngroup()).astype(np.int64)
        order = atoll.argsort(self._number, kind="stable")
        sizes = atoll.asarray(self._g.size()).astype(np.int64)
        starts = atoll.cumsum(sizes) - sizes if sizes.size else sizes
        self.permutation, self.segments = lift(order), lift(starts)
        self._sizes = sizes
        self.length, self.ngroups = int(order.size), int(starts.size)
        self.nkeys = len(keys) if _several(keys) else 1
        self._uki = lift(order[starts])
        self.unique_keys = tuple(one[self._uki] for one in self.keys) if _several(keys) else self.keys[self._uki]
        _ = self.name

    def _list_component_names(self) -> list[str]:
        keys = self.keys if _several(self.keys) else [self.keys]
        parts = [name for one in keys for name in one._list_component_names()]
        return [self.segments.name, self.permutation.name, self._uki.name, *parts]

    # -- aggregates --

    def _pair(self, values: object) -> tuple[Any, Any]:
        return self.unique_keys, values

    def _values(self, values: object) -> Any:
        """Arkouda's array of what holds one."""
        from .categorical import Categorical
        from .series import Series

        found = getattr(values, "_data", values)
        if not isinstance(found, (pdarray, Strings, Categorical, SegArray)):
            found = getattr(getattr(values, "array", None), "_data", found)
        if not isinstance(found, (pdarray, Strings, Categorical, SegArray, list, tuple)):
            if isinstance(values, Series):
                return values.values
            raise TypeError(f"Unsupported values type for Arkouda GroupBy reductions: {type(values).__name__}")
        return found

    def aggregate(self, values: ArrayLike, operator: str, skipna: bool = True, ddof: Any = 1) -> tuple[Any, Any]:
        """The keys of the groups, and an aggregate of each by its name.

        Examples
        --------
        >>> import atoll.arkouda as ak
        >>> ak.GroupBy(ak.array([0, 1, 0])).aggregate(ak.array([1, 2, 4]), "max")
        (array([0 1]), array([4 2]))
        """
        name = str(operator).lower()
        if name not in GROUPBY_REDUCTION_TYPES:
            raise ValueError(f"Unsupported reduction: {operator}")
        given = self._values(values)
        if name in ("nunique", "first", "mode", "unique"):
            return getattr(self, name)(given)
        if name == "count":
            return self.count(given)
        if not isinstance(given, pdarray):
            raise TypeError(f"{name} is of pdarrays, not of {type(given).__name__}")
        if given.size != self.length:
            raise ValueError(f"Attempt to group array using key array of different length: {given.size}, {self.length}")
        wanted = given.dtype
        if wanted != bigint() and wanted.kind in _REFUSED.get(name, ""):
            raise TypeError(f"{name} is only supported for another type than {wanted}")
        return self._pair(lift(self._figure(given, name, skipna, int(ddof))))

    def _figure(self, given: pdarray, name: str, skipna: bool, ddof: int) -> Any:
        column = given._a
        if isinstance(column, wide.BigInts) and name in ("prod", "mean", "median", "var", "std"):
            column = column.astype("float64")
        elif isinstance(column, wide.BigInts) and name in ("or", "and", "xor"):
            return self._bits(column, name)
        floats = not isinstance(column, wide.BigInts) and column.dtype.kind == "f"
        if name in ("sum", "prod") and getattr(column.dtype, "kind", "") == "b":
            column = column.astype(np.int64)
        if floats and skipna:
            column = Column(column, ~atoll.isnan(column))
        if name in ("median", "mean") and not floats and getattr(column.dtype, "kind", "") == "b":
            column = column.astype(np.int64)
        options = {"ddof": ddof} if name in ("var", "std") else {}
        found = getattr(self._g, _ENGINE.get(name, name))(column, **options)
        if isinstance(found, Column) and not isinstance(found, wide.BigInts):
            empty = {"sum": 0, "prod": 1, "argmin": -1, "argmax": -1}.get(name, np.nan)
            found = found.fillna(empty) if found.null_count else found.values
        return found

    def _bits(self, column: wide.BigInts, name: str) -> Any:
        words = [getattr(self._g, _ENGINE[name])(word) for word in column._values.words]
        made = type(column._values)([atoll.asarray(word) for word in words])
        found = wide.of_any(column[:0], column.max_bits)
        return found._like(made, None)

    def size(self) -> tuple[Any, pdarray]:
        """How many rows each group has."""
        return self._pair(lift(self._sizes.copy()))

    def count(self, values: ArrayLike) -> tuple[Any, pdarray]:
        """How many values each group has that are not NaN."""
        given = self._values(values)
        if isinstance(given, pdarray) and given.dtype != bigint() and given.dtype.kind == "f":
            return self._pair(lift(atoll.asarray(self._g.sum((~atoll.isnan(given._a)).astype(np.int64)))))
        return self.size()

    def nunique(self, values: Any) -> tuple[Any, pdarray]:
        """How many different values each group has."""
        for one in values if _several(values) else [values]:
            if isinstance(one, pdarray) and one.dtype != bigint() and one.dtype.kind == "f":
                raise TypeError("nunique unsupported for this dtype: float64")
        distinct = self._distinct(values)
        counts = atoll.bincount(self._number[distinct], minlength=self.ngroups) if self.ngroups else self._sizes
        return self._pair(lift(atoll.asarray(counts).astype(np.int64)))

    def _distinct(self, values: ArrayLike) -> Any:
        """The first row of each different value in each group, by group, in the order of values."""
        inner = atoll.groupby([self._number, *_flat(values)], dropna=False)
        rows = atoll.asarray(inner.first(atoll.arange(self.length)))
        return rows.astype(np.int64)

    def _by_rows(self, values: Any, rows: Any) -> Any:
        where = lift(rows)
        return [one[where] for one in values] if _several(values) else values[where]

    def first(self, values: ArrayLike) -> tuple[Any, Any]:
        """The first value of each group."""
        return self._pair(self._by_rows(values, self._uki._a))

    def mode(self, values: ArrayLike) -> tuple[Any, Any]:
        """The value that each group has most often; the first of several."""
        inner = atoll.groupby([self._number, *_flat(values)], dropna=False)
        rows = atoll.asarray(inner.first(atoll.arange(self.length))).astype(np.int64)
        sizes = atoll.asarray(inner.size()).astype(np.int64)
        order = atoll.argsort(rows)  # of several, the one that comes first
        rows, sizes = rows[order], sizes[order]
        best = atoll.asarray(atoll.groupby(self._number[rows]).argmax(sizes)).astype(np.int64)
        return self._pair(self._by_rows(values, rows[best]))

    def unique(self, values: Any) -> tuple[Any, Any]:
        """The different values of each group, as segments."""
        rows = self._distinct(values)
        counts = atoll.asarray(atoll.bincount(self._number[rows], minlength=self.ngroups)).astype(np.int64)
        starts = lift(atoll.cumsum(counts) - counts)
        chosen = self._by_rows(values, rows)
        make = SegArray
        return self._pair([make(starts, one) for one in chosen] if _several(values) else make(starts, chosen))

    def _ends(self, values: Any, rows: Any, return_indices: bool) -> tuple[Any, Any]:
        rows = rows[atoll.argsort(self._number[rows], kind="stable")]
        return self._pair(lift(rows) if return_indices else values[lift(rows)])

    def head(self, values: ArrayLike, n: int = 5, return_indices: bool = True) -> tuple[Any, Any]:
        """The first rows of each group, or their values."""
        return self._ends(values, atoll.asarray(self._g.head(n)).astype(np.int64), return_indices)

    def tail(self, values: ArrayLike, n: int = 5, return_indices: bool = True) -> tuple[Any, Any]:
        """The last rows of each group, or their values."""
        return self._ends(values, atoll.asarray(self._g.tail(n)).astype(np.int64), return_indices)

    def sample(
        self, values: object, n: Any = None, frac: Any = None, replace: bool = False, weights: Any = None,
        random_state: Any = None, return_indices: bool = False, permute_samples: bool = False,
    ) -> Any:  # fmt: skip
        """Random rows of each group, or their values."""
        if n is not None and frac is not None:
            raise ValueError("Please enter a value for frac OR n, not both")
        if n is None and frac is None:
            n = 1
        stream = getattr(random_state, "_stream", None) or atoll.random.default_rng(random_state)
        sizes = self._sizes
        wanted = atoll.full(sizes.size, n) if n is not None else atoll.rint(sizes * float(frac)).astype(np.int64)
        if not replace and bool((wanted > sizes).any()):
            raise ValueError("Cannot take a larger sample than population when replace is False")
        weight = atoll.ones(self.length) if weights is None else weights._a.astype(np.float64)
        rows = _drawn(stream, self._number, self.permutation._a, self.segments._a, sizes, wanted, weight, replace)
        rows = rows[atoll.argsort(self._number[rows], kind="stable")]
        if permute_samples:
            rows = stream.permutation(rows)
        return lift(rows) if return_indices else self._by_rows(values, rows)

    def broadcast(self, values: ArrayLike, permute: bool = True) -> Any:
        """A value for each group, as one for each row of it: in the order of rows, or by groups."""
        if not isinstance(values, (pdarray, Strings)):
            raise TypeError(f"values must be pdarray or Strings, not {type(values).__name__}")
        if values.size != self.ngroups:
            raise ValueError("Must have one value per segment")
        rows = self._number if permute else self._number[self.permutation._a]
        return values[lift(rows)]

    def most_common(self, values: ArrayLike) -> tuple[Any, Any]:
        """See `mode`."""
        return self.mode(values)


def _drawn(
    stream: Any, number: Any, order: Any, starts: Any, sizes: Any, wanted: object, weight: Any, replace: bool
) -> Any:
    """Rows of each group at random, with probabilities in proportion to weights."""
    if not replace:  # the smallest of exponential numbers, divided by the weights
        keys = stream.standard_exponential(number.size) / weight
        mixed = atoll.coargsort([number, keys])
        place = atoll.arange(number.size) - atoll.repeat(starts, sizes)
        return mixed[place < atoll.repeat(wanted, sizes)]
    ends = atoll.cumsum(weight[order])
    before = atoll.concatenate([atoll.zeros(1), ends])[starts]
    whole = ends[starts + sizes - 1] - before
    group = atoll.repeat(atoll.arange(sizes.size), wanted)
    place = atoll.searchsorted(ends, before[group] + stream.random(group.size) * whole[group], "right")
    return order[atoll.minimum(place, starts[group] + sizes[group] - 1)]


def _figure_method(name: str) -> Any:
    def figure(self: GroupBy, values: ArrayLike, skipna: bool = True, ddof: Any = 1) -> tuple[Any, Any]:
        return self.aggregate(values, name.lower(), skipna, ddof)

    return entitled(figure, name, f"The {name} of each group's values.")


for _name in (
    "sum",
    "prod",
    "var",
    "std",
    "mean",
    "median",
    "min",
    "max",
    "argmin",
    "argmax",
    "any",
    "all",
    "OR",
    "AND",
    "XOR",
):
    setattr(GroupBy, _name, _figure_method(_name))


def _without_nan(keys: Any) -> Any:
    """Keys without the rows in which a float is NaN."""
    kept = None
    for one in keys if _several(keys) else [keys]:
        if isinstance(one, pdarray) and one.dtype != bigint() and one.dtype.kind == "f":
            there = ~atoll.isnan(one._a)
            kept = there if kept is None else kept & there
    if kept is None or bool(kept.all()):
        return keys
    mask = lift(kept)
    return [one[mask] for one in keys] if _several(keys) else keys[mask]


def unique(pda: Any, return_groups: bool = False, assume_sorted: bool = False, return_indices: bool = False) -> Any:
    """The different elements, or rows of several columns, in order; with `return_groups` also how they lie.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.unique(ak.array([3, 1, 3]))
    array([1 3])
    """
    for one in pda if _several(pda) else [pda]:
        if not hasattr(one, "_list_component_names"):
            raise AttributeError(f"{type(one).__name__} has no keys to group by")
    if _several(pda):
        for one in pda:
            if not hasattr(one, "objType"):
                raise AttributeError(f"{type(one).__name__} has no keys to group by")
    if not return_groups and hasattr(pda, "unique"):
        return pda.unique()
    groups = GroupBy(pda, dropna=False)
    if not return_groups:
        return groups.unique_keys
    answer = (groups.unique_keys, groups.permutation, groups.segments, groups.nkeys)
    return (*answer, groups._uki) if return_indices else answer


def broadcast(segments: Any, values: Any, size: Any = -1, permutation: Any = None) -> Any:
    """A value for each segment, as one for each element of it.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.broadcast(ak.array([0, 2]), ak.array([7, 9]), 5)
    array([7 7 9 9 9])
    """
    if segments.size != values.size:
        raise ValueError("segments and values arrays must be same size")
    if segments.size == 0:
        raise ValueError("cannot broadcast empty array")
    if permutation is None and (not isinstance(size, Int) or size == -1):
        raise ValueError("must either supply permutation or size")
    total = int(size) if permutation is None else permutation.size
    ends = atoll.concatenate([segments._a[1:], atoll.asarray([total])])
    counts = ends - segments._a
    rows = atoll.repeat(atoll.arange(segments.size), counts)
    if int(segments[0]) > 0:
        lead = int(atoll.argmax(counts > 0))  # what lies before belongs to the first that is not empty
        rows = atoll.concatenate([atoll.full(int(segments[0]), lead), rows])
    if permutation is not None:
        placed = atoll.zeros(total, dtype=np.int64)
        placed[permutation._a] = rows
        rows = placed
    return values[lift(rows)]
