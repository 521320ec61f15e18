# SPDX-License-Identifier: Apache-2.0
"""Operations on the elements of each list: pandas' `.list` and Arkouda's SegArray."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...arrays.array import Array, as_array
from ...arrays.creation import arange, asarray, full, zeros
from ...arrays.histograms import bincount
from ...arrays.selection import flatnonzero, take, where
from ...arrays.ufuncs import maximum, minimum
from ..column import Column, as_column, both, column_or_array
from ..functions.functions import concatenate, isin, scatter
from ..groupby.group_by import GroupBy
from ..text.methods import whole
from .ragged import Ragged, following, ids_of, offsets_of

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

Self = TypeVar("Self", bound="SegmentMethods")


class SegmentMethods(Column):
    """Methods of list columns; the public class is `Lists`."""

    __slots__ = ()
    _values: Ragged

    # -- what a list has --

    @property
    def lengths(self) -> ndarray:
        """Elements of each list, 0 of missing ones: int64."""
        return self._values.lengths

    @property
    def segments(self) -> ndarray:
        """Where each list begins among the elements of all."""
        return self._values.starts

    @property
    def non_empty(self) -> ndarray:
        """Which lists have elements: bool."""
        return self._values.lengths > 0

    def len(self) -> Any:
        """Elements of each list, missing where the list is: int64."""
        return column_or_array(self._values.lengths, self._valid)

    def flatten(self) -> Any:
        """The elements of all lists, concatenated: an array or a column."""
        return self._values.child

    def explode(self, return_rows: bool = False) -> Any:
        """A row for each element; one that is missing of empty and missing lists, as pandas has it.

        With `return_rows`, also which list each row is of: int64.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.lists([[1, 2], [], [3]]).explode(return_rows=True)
        (column([1, 2, None, 3], dtype=int64), array([0, 0, 1, 2]))
        """
        own = self._values
        empty = own.lengths == 0
        if not bool(empty.any()):
            return (own.child, own.ids) if return_rows else own.child
        offsets = offsets_of(maximum(own.lengths, 1))
        ids = ids_of(offsets)
        nothing, at = take(empty, ids), arange(ids.size) - take(offsets[:-1] - own.starts, ids)
        child = as_column(own.child)
        if child.size == 0:
            found: Any = child._all_missing(ids.size)
        else:
            found = child.take(where(nothing, 0, at))._hiding(nothing)
        return (found, ids) if return_rows else found

    # -- parts of it --

    def get(self, i: int) -> Any:
        """Element number i of each list, from the end if negative; missing where there is none.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.lists([[1, 2], [3]]).list.get(1)
        column([2, None], dtype=int64)
        """
        rows, there = self._jth(i)
        if self._values.child.size == 0:
            return as_column(self._values.child)._all_missing(self.size)
        found = as_column(self._values.child).take(where(there, rows, 0))
        return _plain(found if bool(there.all()) else found._hiding(~there))

    def _jth(self, j: int) -> tuple[ndarray, ndarray]:
        """Where element j of each list is, and which lists have it."""
        j, own = whole(j, "j"), self._values
        places = own.lengths + j if j < 0 else full(self.size, j)
        return own.starts + places, (places >= 0) & (places < own.lengths)

    def slice(self: Self, start: int | None = None, stop: int | None = None, step: int | None = None) -> Self:
        """Elements [start, stop) of each list, as Python's slices have it.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.lists([[1, 2, 3], [4]]).list.slice(1)
        lists([[2, 3], []])
        """
        stride = 1 if step is None else whole(step, "step")
        if stride == 0:
            raise ValueError("slice step cannot be zero")
        lengths = self._values.lengths
        low, high = (0, lengths) if stride > 0 else (-1, lengths - 1)

        def bound(value: int | None, otherwise: Any) -> Any:
            if value is None:
                return otherwise + lengths * 0
            value = whole(value, "a bound")
            return maximum(minimum(lengths + value if value < 0 else lengths * 0 + value, high), low)

        first, last = (bound(start, 0), bound(stop, lengths)) if stride > 0 else (bound(start, high), bound(stop, -1))
        counts = maximum((last - first + stride - (1 if stride > 0 else -1)) // stride, 0)
        return self._like(self._values.gather(self._values.starts + first, counts, stride), self._valid)

    def get_jth(self, j: int, return_origins: bool = True, compressed: bool = False, default: Any = 0) -> Any:
        """Element j of each list, `default` where there is none or, if `compressed`, left out: Arkouda's.

        With `return_origins`, also which lists have it: bool.
        """
        rows, there = self._jth(j)
        if compressed:
            found = self._values.child[rows[there]]
        else:
            found = as_column(self.get(j)).fillna(default)
        return (found, there) if return_origins else found

    def set_jth(self: Self, i: Any, j: int, v: Any) -> Self:
        """The column with `v`, a value or one for each, as element j of lists `i`. ValueError where there is none.

        Columns do not change: unlike Arkouda's, it gives another one.
        """
        rows, there = self._jth(j)
        chosen = self._row_numbers(asarray(i) if hasattr(i, "__len__") else asarray([i]))
        if not bool(there[chosen].all()):
            raise ValueError("Not all (i, j) in bounds")
        child = self._values.child
        source = arange(child.size)
        source[rows[chosen]] = arange(chosen.size) + child.size
        new: Any = asarray(v if hasattr(v, "__len__") and not isinstance(v, str) else [v])
        new = new if new.size == chosen.size else new[zeros(chosen.size, dtype=np.int64)]
        if not isinstance(new, Column) and isinstance(child, Array):
            new = new.astype(child.dtype)
        return self._like(Ragged(self._values.offsets, concatenate([child, new])[source]), self._valid)

    def get_prefixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """The first n elements of the lists that have more (or, unless `proper`, as many), a column for each place.

        With `return_origins`, also which lists those are: bool. Arkouda's, as are the following.
        """
        long = self._values.lengths >= (n + 1 if proper else n)
        return self._columns(n, self._values.starts, long, return_origins)

    def get_suffixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """The last n elements, in the same way."""
        long = self._values.lengths >= (n + 1 if proper else n)
        return self._columns(n, self._values.offsets[1:] - n, long, return_origins)

    def get_length_n(self, n: int, return_origins: bool = True) -> Any:
        """The lists of n elements, a column for each place; with `return_origins`, also which those are."""
        return self._columns(n, self._values.starts, self._values.lengths == n, return_origins)

    def _columns(self, n: int, first: ndarray, wanted: ndarray, return_origins: bool) -> Any:
        if whole(n, "n") < 0:
            raise ValueError(f"lists have no parts of {n} elements")
        begins = first[wanted]
        found = [self._values.child[begins + i] for i in range(n)]
        return (found, wanted) if return_origins else found

    def get_ngrams(self, n: int, return_origins: bool = True) -> Any:
        """All n elements that follow one another in a list, a column for each place.

        With `return_origins`, also which list each is of: int64.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.lists([[1, 2, 3], [4, 5]]).get_ngrams(2)
        ([array([1, 2, 4]), array([2, 3, 5])], array([0, 0, 1]))
        """
        if whole(n, "n") < 1:
            raise ValueError(f"there are no {n}-grams")
        own = self._values
        begins = flatnonzero(own.places + n <= take(own.lengths, own.ids)) if own.child.size else arange(0)
        found = [own.child[begins + i] for i in range(n)]
        return (found, take(own.ids, begins)) if return_origins else found

    # -- longer ones --

    @classmethod
    def concat(cls, x: Sequence[Any], axis: int = 0, ordered: bool = True) -> Any:
        """Lists of several columns one below the other (axis 0), or each behind that of the same row (axis 1)."""
        columns = list(x)
        if not columns:
            raise ValueError("Empty sequence passed to concat")
        if axis not in (0, 1):
            raise ValueError("Supported values for axis are 0 (vertical concat) or 1 (horizontal concat)")
        return concatenate(columns) if axis == 0 else _beside(columns)

    @classmethod
    def from_multi_array(cls, m: ArrayLike) -> Any:
        """Lists of what columns of one length have in each row.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Lists.from_multi_array([ak.array([1, 2]), ak.array([3, 4])])
        lists([[1, 3], [2, 4]])
        """
        columns = [asarray(one) for one in m] if isinstance(m, (list, tuple)) else [asarray(m)]
        if builtins.len({column.size for column in columns}) != 1:
            raise ValueError("All columns must have same length")
        n, rows = builtins.len(columns), columns[0].size
        at = arange(n * rows)
        made = object.__new__(cls)
        made._values = Ragged(arange(rows + 1) * n, concatenate(columns)[at % n * rows + at // n])
        made._valid = None
        return made

    def append(self, other: object, axis: int = 0) -> Any:
        """The lists of another column below these (axis 0), or behind each (axis 1)."""
        return self.concat([self, other], axis)

    def prepend(self, other: object, axis: int = 0) -> Any:
        """The same above, or before each."""
        return self.concat([other, self], axis)

    def append_single(self, x: Any, prepend: bool = False) -> Any:
        """Each list with one more element: a value, or one for each.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.lists([[1], []]).append_single(9)
        lists([[1, 9], [9]])
        """
        child: Any = asarray(x if hasattr(x, "__len__") and not isinstance(x, str) else [x])
        if child.size != self.size:
            if child.size != 1:
                raise ValueError("Argument must be scalar or same size as SegArray")
            child = child[zeros(self.size, dtype=np.int64)]
        single = self._like(Ragged(arange(self.size + 1), child), None)
        return _beside([single, self] if prepend else [self, single])

    def prepend_single(self, x: ArrayLike) -> Any:
        """Each list with one more element before the others."""
        return self.append_single(x, prepend=True)

    # -- aggregates --

    def _ids(self, values: ArrayLike) -> Any:
        """Elements, by default the lists' own, and the row of each."""
        if values is None:
            return self._values.child
        made: Any = asarray(values)
        if made.size != self._values.child.size:
            raise ValueError(f"values for {self._values.child.size} elements are needed, got {made.size}")
        return made

    def _figure(self, name: str, x: ArrayLike, empty: Any = None) -> Any:
        values = self._ids(x)
        groups = GroupBy(self._values.ids)
        return self._by_row(groups.keys, getattr(groups, name)(values), empty)

    def _by_row(self, rows: ndarray, figures: Any, empty: Any) -> Any:
        spread: Any = scatter(figures, rows, self.size, empty)
        if self._valid is None:
            return spread
        return as_column(spread)._hiding(~self._valid)

    def sum(self, x: Any = None) -> Any:
        """Sum of each list, 0 of empty ones; so with the following, of `x` in place of the elements if it is given."""
        return self._figure("sum", x, 0)

    def mean(self, x: ArrayLike = None) -> Any:
        """Mean of each list, missing of empty ones."""
        return self._figure("mean", x)

    def var(self, ddof: int = 1) -> Any:
        """Variance of each list."""
        groups = GroupBy(self._values.ids)
        return self._by_row(groups.keys, groups.var(self._values.child, ddof), None)

    def std(self, ddof: int = 1) -> Any:
        """Its square root."""
        groups = GroupBy(self._values.ids)
        return self._by_row(groups.keys, groups.std(self._values.child, ddof), None)

    def min(self, x: Any = None) -> Any:
        """Smallest element of each list, missing of empty ones."""
        return self._figure("min", x)

    def max(self, x: Any = None) -> Any:
        """Largest element of each list."""
        return self._figure("max", x)

    def any(self, x: ArrayLike = None) -> Any:
        """Whether any element of a list is not 0."""
        return self._figure("any", x, False)

    def all(self, x: ArrayLike = None) -> Any:
        """Whether no element of a list is 0."""
        return self._figure("all", x, True)

    def nunique(self, x: ArrayLike = None) -> Any:
        """Distinct elements of each list."""
        return self._figure("nunique", x, 0)

    def AND(self, x: ArrayLike = None) -> Any:
        """Bits that all of a list's integers have; missing of empty ones, so with the others."""
        return self._figure("bit_and", x)

    def OR(self, x: ArrayLike = None) -> Any:
        """Bits that some have."""
        return self._figure("bit_or", x)

    def XOR(self, x: ArrayLike = None) -> Any:
        """Bits that an odd number of them have."""
        return self._figure("bit_xor", x)

    def argmin(self, x: ArrayLike = None) -> Any:
        """The place of the first smallest element in its list; missing of empty ones."""
        return self._place_of("argmin", x)

    def argmax(self, x: ArrayLike = None) -> Any:
        """The place of the first largest element."""
        return self._place_of("argmax", x)

    def _place_of(self, name: str, x: ArrayLike) -> Any:
        values, groups = self._ids(x), GroupBy(self._values.ids)
        rows = groups.keys
        return self._by_row(rows, getattr(groups, name)(values) - take(self._values.starts, rows), None)

    def prod(self, x: ArrayLike = None) -> Any:
        """Product of each list, 1 of empty ones.

        Neighbours are multiplied in pairs until one is left, so the result depends on data alone.
        """
        values = as_column(self._ids(x))
        if type(values) is not Column:
            raise TypeError(f"{values.kind} has no prod")
        numbers = as_array(values.fillna(1))
        numbers = numbers.astype(np.int64) if numbers.dtype.kind in "bi" else numbers
        left = Ragged(self._values.offsets, numbers)
        while left.size and int(left.lengths.max()) > 1:
            halves = Ragged.of_lengths((left.lengths + 1) // 2, left.child)
            first = take(left.starts, halves.ids) + 2 * (arange(halves.ids.size) - take(halves.starts, halves.ids))
            last = take(left.offsets[1:], halves.ids)
            second = where(first + 1 < last, first + 1, first)
            halves.child = left.child[first] * where(first + 1 < last, left.child[second], 1).astype(numbers.dtype)
            left = halves
        return self._by_row(flatnonzero(left.lengths > 0), left.child, 1)

    def aggregate(self, op: str, x: ArrayLike = None) -> Any:
        """The aggregate of that name."""
        return getattr(self, op)(x)

    # -- distinct elements, and sets --

    def unique(self: Self, x: Any = None) -> Self:
        """The distinct elements of each list, ascending.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.lists([[2, 1, 2], [3]]).unique()
        lists([[1, 2], [3]])
        """
        own = self._like(Ragged(self._values.offsets, self._ids(x)), self._valid)
        return self._sets([own], lambda first, last: first >= 0)

    def union(self: Self, other: Any) -> Self:
        """Row-wise union of two list columns, distinct and ascending. The same for the other set operations."""
        return self._sets([self, other], lambda first, last: first >= 0)

    def intersect(self: Self, other: Any) -> Self:
        """Row-wise intersection of two list columns."""
        size = self._values.child.size
        return self._sets([self, other], lambda first, last: (first < size) & (last >= size))

    def setdiff(self: Self, other: Any) -> Self:
        """Row-wise difference of two list columns."""
        size = self._values.child.size
        return self._sets([self, other], lambda first, last: last < size)

    def setxor(self: Self, other: Any) -> Self:
        """Row-wise symmetric difference of two list columns."""
        size = self._values.child.size
        return self._sets([self, other], lambda first, last: (first >= size) | (last < size))

    def _sets(self: Self, columns: Sequence[Any], keep: Callable[[ndarray, ndarray], ndarray]) -> Self:
        """Distinct elements by row; their first and last place in those of all columns say which to keep."""
        for column in columns:
            if not isinstance(column, SegmentMethods) or column.size != self.size:
                raise ValueError("sets need two columns of lists with as many rows")
        child = as_column(concatenate([column._values.child for column in columns]))
        rows = concatenate([column._values.ids for column in columns])
        valid = None
        for column in columns:
            valid = both(valid, column._valid)
        groups = GroupBy([rows, child._key()[0]])
        first, last = groups.first(arange(child.size)), groups.last(arange(child.size))
        kept = keep(first, last)
        if valid is not None:
            kept = kept & take(valid, groups.keys[0])
        counts = asarray(bincount(groups.keys[0][kept], minlength=self.size))
        return self._like(Ragged.of_lengths(counts, _plain(child.take(first[kept]))), valid)

    # -- some elements --

    def filter(self: Self, filter: Any, discard_empty: bool = False) -> Self:
        """Without the elements that are in `filter`; with `discard_empty`, without the lists that have none left."""
        wanted: Any = asarray(filter if hasattr(filter, "__len__") and not isinstance(filter, str) else [filter])
        kept = self._keeping(~isin(self._values.child, wanted))
        return kept[kept._values.lengths > 0] if discard_empty else kept

    def _keeping(self: Self, mask: ndarray) -> Self:
        """The elements at which a mask is true."""
        counts = asarray(bincount(self._values.ids[mask], minlength=self.size))
        return self._like(Ragged.of_lengths(counts, self._values.child[mask]), self._valid)

    def remove_repeats(self: Self, return_multiplicity: bool = False) -> Any:
        """Each list with runs of equal elements as one; with `return_multiplicity`, also how many each was.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.lists([[1, 1, 2, 1]]).remove_repeats(return_multiplicity=True)
        (lists([[1, 2, 1]]), lists([[2, 1, 1]]))
        """
        own, size = self._values, self._values.child.size
        numbers = as_column(own.child)._key()[0] if size else arange(0)
        before = maximum(arange(size) - 1, 0)
        fresh = (own.places == 0) | (take(numbers, before) != numbers) if size else full(0, True)
        runs = self._keeping(fresh)
        if not return_multiplicity:
            return runs
        begins = flatnonzero(fresh)
        ends = following(begins, size)
        return runs, self._like(Ragged(runs._values.offsets, ends - begins), self._valid)

    def hash(self) -> tuple[ndarray, ndarray]:
        """Two hashes of 64 bits for each list: uint64, the same on every machine and in every session."""
        low, high = _hashes(as_column(self._values.child))
        ids, places = self._values.ids, self._values.places.astype(np.uint64)
        found = []
        for salt, hashes in ((0x9E3779B97F4A7C15, low), (0xC2B2AE3D27D4EB4F, high)):
            mixed = _mixed(hashes + (places + np.uint64(1)) * np.uint64(salt))
            sums = GroupBy(ids)
            total = scatter(sums.sum(mixed), sums.keys, self.size, 0).astype(np.uint64)
            found.append(_mixed(total + self._values.lengths.astype(np.uint64)))
        return found[0], found[1]


def _mixed(values: Any) -> Any:
    """Bits that all depend on all bits of a value: the finalizer of splitmix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _hashes(column: Any) -> tuple[ndarray, ndarray]:
    """Two hashes of each element; of a missing one that of nothing."""
    if hasattr(column, "hash"):
        pair = column.hash()
    else:
        values = column.values
        if values.dtype.kind == "f":  # equal numbers have equal bits
            values = (values.astype(np.float64) + 0.0).view(np.uint64)
        bits = values.astype(np.uint64)
        pair = (_mixed(bits), _mixed(bits ^ np.uint64(0x2545F4914F6CDD1D)))
    if column.valid is None:
        return pair[0], pair[1]
    return where(column.valid, pair[0], 0), where(column.valid, pair[1], 0)


def _plain(column: Column) -> Any:
    """An array when nothing is missing and the values are mere numbers."""
    return column.values if type(column) is Column and column.valid is None else column


def _beside(columns: Sequence[Any]) -> Any:
    """Each list with those of other columns behind it."""
    first = columns[0]
    values, valid = first._values, first._valid
    for other in columns[1:]:
        if not isinstance(other, SegmentMethods):
            raise TypeError("lists and other values do not go into one list")
        if other.size != first.size:
            raise ValueError("SegArrays must all have same size to concatenate with axis=1")
        values, valid = values.beside(other._values), both(valid, other._valid)
    made = first._like(values, valid)
    return made if valid is None else made._hiding(~valid)
