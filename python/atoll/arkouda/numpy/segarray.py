# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `SegArray`: Atoll's columns of lists, by where each list begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ...columns.column import Column
from ...columns.nested import lists as _lists
from ..core import client
from ..objects import LIFTED, Named, entitled, lift, lower
from .arrays import pdarray
from .choosing import hash
from .dtypes import Int, bigint
from .pdarraycreation import array
from .pdarraycreation import full as ak_full
from .pdarraysetops import concatenate, in1d
from .strings import Strings

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["SegArray"]


class SegArray(Named):
    """Arrays of different lengths, concatenated.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> s = ak.SegArray(ak.array([0, 2, 2]), ak.array([1, 2, 3]))
    >>> s.tolist()
    [[1, 2], [], [3]]
    >>> s.sum()
    array([3 0 3])
    """

    objType = "SegArray"
    values: Any
    __hash__ = None  # type: ignore[assignment]  # == is elementwise

    def __init__(self, segments: Any, values: object, lengths: Any = None, grouping: Any = None) -> None:
        if not isinstance(segments, pdarray) or segments.dtype != np.int64:
            raise TypeError("Segments must be int64 pdarray")
        if not isinstance(values, (pdarray, Strings)):
            raise TypeError("Values must be a pdarray or Strings.")
        if segments.size:
            if bool((segments._a[1:] < segments._a[:-1]).any()):
                raise ValueError("Segments must be unique and in sorted order")
            if int(segments[0]) != 0:
                raise ValueError("Segments must start at zero.")
        elif values.size:
            raise ValueError("Cannot have non-empty values with empty segments")
        self.segments, self.values = segments, values
        self.size, self.valsize, self.dtype = segments.size, values.size, values.dtype
        ends = atoll.concatenate([segments._a[1:], atoll.asarray([values.size])]) if segments.size else segments._a
        self.lengths = lift(ends - segments._a) if lengths is None else lengths
        self._non_empty_count = int((self.lengths > 0).sum()) if self.size else 0
        _ = self.name

    @property
    def _l(self) -> Any:
        """Atoll's column of lists."""
        return _lists.SegArray(self.segments._a, lower(self.values))

    @classmethod
    def _of(cls, column: Any) -> SegArray:
        return cls(lift(column.segments.astype(np.int64)), _flat(column.values))

    def _list_component_names(self) -> list[str]:
        return [self.segments.name, self.values.name, self.lengths.name]

    non_empty = property(lambda self: self.lengths > 0, doc="Which lists are not empty.")
    nbytes = property(lambda self: self.segments.nbytes + self.values.nbytes, doc="Bytes of its parts.")
    shape = property(lambda self: (self.size,), doc="Its length as a tuple.")
    ndim = property(lambda self: 1, doc="One axis.")

    @property
    def grouping(self) -> Any:
        """The lists as groups of their elements."""
        from ..pandas.groupbyclass import GroupBy

        rows = atoll.repeat(atoll.arange(self.size), self.lengths._a)
        return GroupBy(lift(rows))

    @classmethod
    def from_multi_array(cls, m: Any) -> SegArray:
        """One list for each array."""
        if isinstance(m, pdarray):
            return cls(lift(atoll.arange(m.size)), m)
        parts = [one if isinstance(one, (pdarray, Strings)) else array(one) for one in m]
        sizes = np.array([one.size for one in parts], np.int64)
        kinds = {str(one.dtype) for one in parts if one.size} or {str(parts[0].dtype)}
        if len(kinds) != 1:
            raise ValueError("All values must have same dtype")
        filled = [one for one in parts if one.size] or parts[:1]
        return cls(lift(atoll.asarray(np.cumsum(sizes) - sizes)), concatenate(filled))

    @classmethod
    def concat(cls, x: Any, axis: int = 0, ordered: bool = True) -> Any:
        """Several of them, concatenated, or list by list."""
        if not ordered:
            raise ValueError("Unordered concatenation not yet supported on SegArrays.")
        if len(x) == 0:
            raise ValueError("Empty sequence passed to concat")
        for one in x:
            if not isinstance(one, cls):
                return NotImplemented
        if len({str(one.dtype) for one in x}) != 1:
            raise ValueError("SegArrays must all have same dtype to concatenate")
        if axis not in (0, 1):
            raise ValueError("Supported values for axis are 0 (vertical concat) or 1 (horizontal concat)")
        if axis == 1 and len({one.size for one in x}) != 1:
            raise ValueError("SegArrays must all have same size to concatenate with axis=1")
        if axis == 0:
            begins = np.cumsum([0, *(one.valsize for one in x)])
            segments = [one.segments + int(begin) for one, begin in zip(x, begins, strict=False)]
            return cls(concatenate(segments), concatenate([one.values for one in x]))
        rows = [atoll.repeat(atoll.arange(one.size), one.lengths._a) for one in x]
        order = atoll.argsort(atoll.concatenate(rows), kind="stable")
        lengths = sum(one.lengths._a for one in x)
        return cls(lift(atoll.cumsum(lengths) - lengths), concatenate([one.values for one in x])[lift(order)])

    _concatenate = concat

    def append(self, other: object, axis: int = 0) -> SegArray:
        """The lists with others behind them."""
        if not isinstance(other, SegArray):
            return NotImplemented
        if self.dtype != other.dtype:
            raise TypeError("SegArrays must have same value type to append")
        return SegArray.concat([self, other], axis=axis)

    def append_single(self, x: ArrayLike, prepend: bool = False) -> SegArray:
        """Each list with one more element."""
        if isinstance(x, (pdarray, Strings)):
            if x.size != self.size:
                raise ValueError("Argument must be scalar or same size as SegArray")
            if x.dtype != self.dtype:
                raise TypeError("Argument type must match value dtype of SegArray")
        else:
            x = ak_full(self.size, x, self.dtype)
        single = SegArray(lift(atoll.arange(self.size)), x)
        return SegArray.concat([single, self] if prepend else [self, single], axis=1)

    def prepend_single(self, x: ArrayLike) -> SegArray:
        """Each list with one more element before it."""
        return self.append_single(x, prepend=True)

    def copy(self) -> SegArray:
        """Another one with the same lists."""
        return SegArray(self.segments.copy(), self.values.copy())

    # -- elements --

    def __len__(self) -> int:
        return int(self.size)

    def __getitem__(self, i: int) -> Any:
        if isinstance(i, Int) and not isinstance(i, bool):
            row = int(i) + (self.size if i < 0 else 0)
            if not 0 <= row < self.size:
                raise IndexError(f"index {i} is out of bounds with size {self.size}")
            begin = int(self.segments[row])
            return self.values[begin : begin + int(self.lengths[row])]
        if isinstance(i, (pdarray, slice, list, np.ndarray)):
            key = lower(i)
            rows = atoll.arange(self.size)[np.asarray(key) if isinstance(key, list) else key]
            lengths = self.lengths._a[rows]
            begins = atoll.cumsum(lengths) - lengths
            shift = atoll.repeat(self.segments._a[rows] - begins, lengths)
            chosen = lift(atoll.arange(shift.size) + shift)
            return SegArray(lift(begins), self.values[chosen])
        raise TypeError(f"Invalid index type: {type(i).__name__}")

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, SegArray):
            return NotImplemented
        if other.size != self.size:
            raise ValueError("Segarrays must have same size to compare")
        same = self.lengths == other.lengths
        if self.valsize == 0 or other.valsize == 0:
            return same
        if bool(same.all()):
            equal = (self.values == other.values)._a
        else:
            both = self._l == other._l
            return lift(atoll.asarray(both))
        wrong = atoll.bincount(atoll.repeat(atoll.arange(self.size), self.lengths._a)[~equal], minlength=self.size)
        return lift(wrong == 0) & same

    def equals(self, other: object) -> Any:
        """Whether the other has the same lists."""
        return isinstance(other, SegArray) and other.size == self.size and bool((self == other).all())

    def __str__(self) -> str:
        if self.size <= 6:
            rows = [str(self[i].tolist()) for i in range(self.size)]
        else:
            rows = [str(self[i].tolist()) for i in (0, 1, 2)] + ["..."]
            rows += [str(self[i].tolist()) for i in range(self.size - 3, self.size)]
        return "SegArray([\n" + "\n".join(rows) + "\n])"

    def __repr__(self) -> str:
        return str(self)

    def to_ndarray(self) -> Any:
        """A NumPy array of arrays."""
        values = self.values.to_ndarray()
        begins = [*self.segments.tolist(), self.valsize]
        if self.valsize * 8 > client.maxTransferBytes:
            raise RuntimeError("lists exceed ak.core.client.maxTransferBytes")
        found = np.empty(self.size, object)
        for row in range(self.size):
            found[row] = values[begins[row] : begins[row + 1]]
        return found

    def tolist(self) -> list[Any]:
        """A list of lists."""
        return [one.tolist() for one in self.to_ndarray()]

    to_list = tolist

    # -- parts of lists --

    def get_suffixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """The last `n` elements of the lists that are longer, as columns, and which are."""
        return _parts(self._l.get_suffixes(n, return_origins, proper))

    def get_prefixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """The first `n` elements of the lists that are longer, as columns, and which are."""
        return _parts(self._l.get_prefixes(n, return_origins, proper))

    def get_ngrams(self, n: int, return_origins: bool = True) -> Any:
        """All runs of `n` elements, as columns, and which lists they are of."""
        if n > int(self.lengths.max()):
            raise ValueError("n must be <= the maximum length of the sub-arrays")
        return _parts(self._l.get_ngrams(n, return_origins))

    def get_jth(self, j: int, return_origins: bool = True, compressed: bool = False, default: Any = 0) -> Any:
        """The element with that number of each list; `default` where there is none."""
        if isinstance(self.values, Strings):
            compressed = True
        wanted = self.lengths._a + j if j < 0 else atoll.full(self.size, j)
        there = (wanted >= 0) & (wanted < self.lengths._a)
        rows = atoll.flatnonzero(there)
        found = self.values[lift((self.segments._a + wanted)[rows])]
        if not compressed:
            full = ak_full(self.size, default, self.dtype)
            full[lift(rows)] = found
            found = full
        return (found, lift(there)) if return_origins else found

    def set_jth(self, i: int, j: int, v: ArrayLike) -> None:
        """Sets the element with that number of some lists."""
        if self.dtype == np.str_:
            raise TypeError("String elements are immutable")
        rows = lower(i)
        rows = atoll.asarray([int(rows)] if isinstance(rows, Int) else rows)
        rows = atoll.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        lengths = self.lengths._a[rows]
        places = lengths + j if j < 0 else atoll.full(rows.size, j)
        if bool(((places < 0) | (places >= lengths)).any()):
            raise ValueError("Not all (i, j) in bounds")
        self.values[lift(self.segments._a[rows] + places)] = v

    def get_length_n(self, n: int, return_origins: bool = True) -> Any:
        """The lists of that length, as columns, and which are."""
        return _parts(self._l.get_length_n(n, return_origins))

    def remove_repeats(self, return_multiplicity: bool = False) -> Any:
        """The lists without elements that are equal to the one before."""
        found = self._l.remove_repeats(return_multiplicity)
        if not return_multiplicity:
            return SegArray._of(found)
        lists, times = found
        return SegArray._of(lists), SegArray._of(times)

    def filter(self, filter: Any, discard_empty: bool = False) -> SegArray:
        """The lists without some values."""
        if isinstance(filter, (list, tuple)):
            filter = array(list(filter), dtype=self.dtype if self.dtype == bigint() else None)
        gone = in1d(self.values, filter if isinstance(filter, (pdarray, Strings)) else array([filter]))
        kept = ~gone
        rows = atoll.repeat(atoll.arange(self.size), self.lengths._a)[kept._a]
        lengths = atoll.asarray(atoll.bincount(rows, minlength=self.size)).astype(np.int64)
        if discard_empty:
            lengths = lengths[lengths > 0]
        return SegArray(lift(atoll.cumsum(lengths) - lengths), self.values[kept])

    # -- aggregates --

    def aggregate(self, op: str, x: object = None) -> Any:
        """An aggregate of each list by its name."""
        return getattr(self, op)(x)

    def unique(self, x: object = None) -> SegArray:
        """The lists with each value once, in order."""
        return SegArray._of(self._l.unique())

    def nunique(self, x: object = None) -> Any:
        """How many different values each list has."""
        return lift(atoll.asarray(self._l.nunique())).astype("int64")

    def hash(self) -> tuple[pdarray, pdarray]:
        """128 bits of each list, as two arrays of uint64."""
        halves = hash(self.values)
        rows = atoll.repeat(atoll.arange(self.size), self.lengths._a)
        place = atoll.arange(self.valsize) - atoll.repeat(self.segments._a, self.lengths._a)
        mixed = hash([halves[0], halves[1], lift(place)])
        made = []
        for half in mixed:
            total = atoll.zeros(self.size, dtype=np.uint64)
            if self.valsize:
                groups = atoll.groupby(rows)
                total[atoll.asarray(groups.keys)] = atoll.asarray(groups.sum(half._a)).astype(np.uint64)
            made.append(lift(total))
        first, second = hash([*made, self.lengths])
        return first, second

    # -- sets --

    def intersect(self, other: Any) -> SegArray:
        """List by list what both have."""
        return SegArray._of(self._l.intersect(other._l))

    def union(self, other: Any) -> SegArray:
        """List by list what either has."""
        return SegArray._of(self._l.union(other._l))

    def setdiff(self, other: Any) -> SegArray:
        """List by list what the first alone has."""
        return SegArray._of(self._l.setdiff(other._l))

    def setxor(self, other: Any) -> SegArray:
        """List by list what one alone has."""
        return SegArray._of(self._l.setxor(other._l))


def _flat(values: ArrayLike) -> Any:
    """Elements of lists as Arkouda has them: missing floats are NaN."""
    if isinstance(values, Column) and values.null_count and getattr(values.dtype, "kind", "") == "f":
        values = atoll.asarray(values.fillna(float("nan")))
    made = lift(values)
    return made if isinstance(made, (pdarray, Strings)) else array(made)


def _parts(found: object) -> Any:
    return lift(found)


def _figure(name: str) -> Any:
    def figure(self: SegArray, x: object = None) -> Any:
        values = self.values if x is None else x
        groups = self.grouping
        keys, found = groups.aggregate(values, name.lower())
        rows = keys._a
        if name in ("argmin", "argmax"):
            found = lift(found._a - self.segments._a[rows])
        if rows.size == self.size:
            return found
        empty = {"min": np.nan, "max": np.nan, "mean": np.nan, "argmin": np.nan, "argmax": np.nan}.get(name, 0)
        if name in ("all", "AND"):
            empty = True if name == "all" else -1
        if name == "prod":
            empty = 1
        full = ak_full(self.size, empty, found.dtype) if empty == empty else ak_full(self.size, np.nan)
        full[lift(rows)] = found
        return full

    return entitled(figure, name, f"The {name} of each list.")


for _name in ("sum", "prod", "min", "max", "argmin", "argmax", "any", "all", "OR", "AND", "XOR", "mean"):
    setattr(SegArray, _name, _figure(_name))

LIFTED["Lists"] = SegArray._of
