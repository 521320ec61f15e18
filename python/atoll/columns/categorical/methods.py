# SPDX-License-Identifier: Apache-2.0
"""Methods of pandas' Categorical: counts, maps, searching, and repeating, shifting and sorting of rows."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray, full
from ...arrays.histograms import bincount, searchsorted
from ...arrays.joining import concatenate
from ...arrays.repeating import repeat
from ...arrays.selection import take, where
from ...arrays.sets import unique as distinct_numbers
from ...arrays.sorting import sort
from ..column import as_column
from ..functions.functions import isin
from ..non_numeric import NonNumericColumn
from ..window.cumulative import shifted_rows

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Axes
    from ...arrays.ndarray import ndarray


class Categorized(NonNumericColumn):
    """Mixin of methods of categorical columns; `Categorical` is the public class."""

    __slots__ = ()

    @property
    def codes(self) -> ndarray:
        """For each row the number of its category, -1 where it has none."""
        raise NotImplementedError  # Categorical has it

    @property
    def categories(self) -> Any:
        """The categories in their order."""
        raise NotImplementedError  # Categorical has it

    @property
    def ordered(self) -> bool:
        """Whether the order of the categories means something."""
        raise NotImplementedError  # Categorical has it

    def _code(self, value: ArrayLike) -> int:
        """The number of a category, -1 of what is none."""
        raise NotImplementedError  # Categorical has it

    # -- counts and tests --

    def value_counts(self, dropna: bool = True) -> Any:
        """How many rows each category has, also those that no row has: a Series.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Categorical(["b", "a", "b"], categories=["a", "b", "c"]).value_counts().to_list()
        [1, 2, 0]
        """
        size = int(self.categories.size)
        counts = bincount(self.codes.astype(np.int64) + 1, minlength=size + 1)
        labels: Any = self._rows_of(arange(size))
        counts, none = counts[1:].copy(), int(counts[0])
        if not dropna and none:
            counts = concatenate([counts, full(1, none, dtype=np.int64)])
            labels = self._rows_of(asarray(np.r_[np.arange(size), -1]))
        frame = import_module("atoll.frame")
        return frame.Series(counts, index=frame.Index(labels), name="count")

    def _rows_of(self, codes: ndarray) -> Any:
        made: Any = type(self)
        return made.from_codes(codes, self.categories, self.ordered)

    def describe(self) -> Any:
        """Counts and shares of the categories: a frame."""
        counts = self.value_counts(dropna=False)
        frame = import_module("atoll.frame")
        made = frame.DataFrame({"counts": counts, "freqs": counts / max(self.size, 1)})
        return made.rename_axis("categories")

    def isin(self, values: Any) -> ndarray:
        """A mask of rows with one of these values: bool.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Categorical(["b", "a", None]).isin(["a", "z"])
        array([False,  True, False])
        """
        if isinstance(values, str) or not hasattr(values, "__len__"):
            kind = type(values).__name__
            raise TypeError(f"only list-like objects are allowed to be passed to isin(), you passed a {kind}")
        known = isin(as_column(self.categories), list(values) if isinstance(values, (set, tuple)) else values)
        return take(known, where(self.codes < 0, 0, self.codes).astype(np.int64)) & (self.codes >= 0)

    def equals(self, other: object) -> bool:
        """Whether another has the same categories, and the same one in each row."""
        if not isinstance(other, Categorized) or other.size != self.size or other.ordered != self.ordered:
            return False
        try:
            same: Any = self == other
        except TypeError:
            return False
        gone = self.isna()
        return bool(((same if not hasattr(same, "fillna") else same.fillna(False)) | (gone & other.isna())).all())

    def duplicated(self, keep: str | bool = "first") -> ndarray:
        """A mask of duplicate rows: all but the first, all but the last, or all (False)."""
        codes = self.codes.astype(np.int64)
        if keep is False:
            counts = bincount(codes + 1, minlength=int(self.categories.size) + 1)
            return take(counts, codes + 1) > 1
        turned = codes if keep == "first" else codes[::-1].copy()
        _, first = distinct_numbers(turned, return_index=True)
        rows = first if keep == "first" else self.size - 1 - first
        mask = full(self.size, True)
        mask[rows] = False
        return mask

    # -- other values --

    def map(self, mapper: Any, na_action: str | None = None) -> Any:
        """Maps each category by a function, a dict or a Series; the result is categorical if the values stay distinct.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Categorical(["b", "a"]).map({"a": "x", "b": "y"})
        categorical(['y', 'x'], categories=['x', 'y'])
        """
        known = self.categories.tolist()
        if not callable(mapper) or isinstance(mapper, Mapping):
            table = dict(mapper.items())
            new = [table.get(one) for one in known]
        else:
            new = [mapper(one) for one in known]
        made: Any = type(self)
        if None not in new and len(set(new)) == len(new):
            return made.from_codes(self.codes, asarray(new), self.ordered)
        spread: Any = self
        return spread._spread_of(asarray(new))

    def factorize(self, use_na_sentinel: bool = True) -> tuple[ndarray, Any]:
        """For each row the number of its value in order of first rows, -1 where it has none; and these values."""
        distinct = self.unique_there()
        size = int(self.categories.size)
        places = full(size + 1, -1, dtype=np.int64)
        codes: ndarray = distinct.codes.astype(np.int64)
        places[codes + 1] = arange(codes.size)
        return take(places, self.codes.astype(np.int64) + 1), distinct

    def unique_there(self) -> Any:
        """The distinct values, in order of first appearance."""
        there: Any = self.dropna()
        _, first = distinct_numbers(there.codes.astype(np.int64), return_index=True)
        return there._rows(sort(first))

    def unique(self) -> Any:
        """The distinct values in order of first rows, a missing one among them."""
        _, first = distinct_numbers(self.codes.astype(np.int64), return_index=True)
        return self._rows(sort(first))

    # -- order and rows --

    def searchsorted(self, value: Any, side: str = "left", sorter: Any = None) -> Any:
        """Insertion positions into sorted rows; TypeError for values that are not categories."""
        one = isinstance(value, str) or not hasattr(value, "__len__")
        codes = [self._code(each) for each in ([value] if one else value)]
        if min(codes, default=0) < 0:
            raise TypeError("Value(s) to be inserted must be in categories.")
        own = self.codes.astype(np.int64) if sorter is None else take(self.codes.astype(np.int64), asarray(sorter))
        places = searchsorted(own, asarray(np.array(codes)), side)
        return places[0] if one else places

    def sort_values(self, *, ascending: bool = True, na_position: str = "last") -> Any:
        """The rows in order of the categories."""
        return self.sort(descending=not ascending, nulls=na_position)

    def argmin(self, skipna: bool = True) -> int:
        """The first row with the smallest value; TypeError unless ordered."""
        self.check_for_ordered("argmin")
        codes = self.codes.astype(np.int64)
        return int(where(codes < 0, np.iinfo(np.int64).max, codes).argmin())

    def argmax(self, skipna: bool = True) -> int:
        """The first row with the largest value; TypeError unless ordered."""
        self.check_for_ordered("argmax")
        return int(self.codes.argmax())

    def check_for_ordered(self, op: str) -> None:
        """TypeError unless the order of the categories means something."""
        if not self.ordered:
            raise TypeError(
                f"Categorical is not ordered for operation {op}\nyou can use .as_ordered() to change the Categorical "
                "to an ordered one\n"
            )

    def repeat(self, repeats: Any, axis: Axes = None) -> Any:
        """Each row several times."""
        return self._rows(repeat(arange(self.size), repeats))

    def shift(self, periods: int = 1, fill_value: ArrayLike = None) -> Any:
        """The values shifted by some rows; missing, or a given category, where there was none."""
        rows = shifted_rows(self.size, periods)
        made: Any = self._rows(where(rows < 0, 0, rows)) if self.size else self
        if not bool((rows < 0).any()):
            return made
        moved = made._hiding(rows < 0)
        return moved if fill_value is None else made._choose(rows >= 0, made, fill_value)

    def delete(self, loc: Any) -> Any:
        """The rows without those at these positions."""
        return self._rows(asarray(np.delete(np.arange(self.size), loc)))

    def insert(self, loc: int, item: Any) -> Any:
        """The rows with an inserted value; TypeError for a value that is not a category."""
        code = -1 if item is None or item != item else self._code(item)
        if code < 0 and not (item is None or item != item):
            raise TypeError(f"Cannot setitem on a Categorical with a new category ({item}), set the categories first")
        codes = self.codes.astype(np.int64)
        one = full(1, code, dtype=np.int64)
        loc = loc + self.size if loc < 0 else loc
        return self._rows_of(concatenate([codes[:loc].copy(), one, codes[loc:].copy()]))

    # -- views --

    @property
    def T(self) -> Any:
        """The column itself: it has one axis."""
        return self

    def transpose(self, *axes: Any) -> Any:
        """The column itself: it has one axis."""
        return self

    def ravel(self, order: str = "C") -> Any:
        """The column itself."""
        return self

    def view(self, dtype: Any = None) -> Any:
        """The column itself: columns do not change."""
        return self

    def item(self, index: object = None) -> Any:
        """A row's value, or the only one."""
        if index is None and self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self[0 if index is None else index]

    def set_ordered(self, value: bool) -> Any:
        """The same, the order meaning something or not."""
        made: Any = type(self)
        return made.from_codes(self.codes, self.categories, value)

    def memory_usage(self, deep: bool = False) -> int:
        """Bytes of codes, categories and validity, on all PEs together."""
        return self.nbytes
