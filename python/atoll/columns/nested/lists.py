# SPDX-License-Identifier: Apache-2.0
"""Columns of lists."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ...arrays.array import Array, expr_of
from ...arrays.creation import arange, asarray, full, zeros
from ...arrays.manipulation import ravel
from ...arrays.selection import flatnonzero, take, where
from ..arrow import arrow_array, has_arrow
from ..column import Column, as_column, both, chosen_valid, column_or_array, valid_of_all
from ..functions.functions import numbered
from ..text.strings import Strings, as_strings, texts_of, where_texts
from .list_methods import SegmentMethods
from .ragged import Ragged, following, together

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["Lists", "SegArray", "lists"]


class Lists(SegmentMethods):
    """A column of lists, of which some may be missing: values of any one kind, as many in each as there are.

    `ak.lists` makes one of lists or of an Arrow array, `ak.SegArray` of where each list begins. Methods have the names
    of pandas' `.list` and of Arkouda's SegArray.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.lists([[1, 2], None, [3]])
    >>> a
    lists([[1, 2], None, [3]])
    >>> a.list.len(), a.sum()
    (column([2, None, 1], dtype=int64), column([3, None, 3], dtype=int64))
    >>> ak.array(["a b", "c"]).str.split(expand=False)
    lists([['a', 'b'], ['c']])
    """

    __slots__ = ()

    def __init__(self, values: Any) -> None:
        made = lists(values)
        self._values, self._valid = made._values, made._valid

    # -- what it is --

    @property
    def values(self) -> Any:
        """The elements of all lists, concatenated: an array or a column."""
        return self._values.child

    @property
    def offsets(self) -> ndarray:
        """Where each list begins among `values`, and where the last ends: int64."""
        return self._values.offsets

    @property
    def dtype(self) -> Any:
        """NumPy dtype of lists: objects."""
        return np.dtype(object)

    @property
    def kind(self) -> Any:
        """The dtype, such as "list[int64]"."""
        return f"list[{as_column(self._values.child).kind}]"

    @property
    def list(self) -> Lists:
        """The column itself: its methods are those of pandas' `.list`."""
        return self

    @property
    def str(self) -> Lists:
        """The column itself, as pandas has `.str` of lists: `join`, `len`, `get`, `slice`."""
        return self

    def join(self, sep: Any) -> Any:
        """The strings of each list as one, with `sep` between them.

        A list with a missing text gives a missing one, as pandas has it.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.lists([["a", "b"], [], ["c"]]).str.join("-")
        strings(['a-b', '', 'c'])
        """
        own, texts = self._values, self._values.child
        if texts.size == 0:
            texts = as_strings([])
        if not isinstance(texts, Strings) or not isinstance(sep, str):
            raise TypeError("Can only use .str.join of lists of texts, with a text between them")
        behind = where_texts(own.places + 1 < take(own.lengths, own.ids), sep, "") if texts.size else texts
        joined = texts_of(_core.text_runs(texts.values.cat(behind)._values, expr_of(own.starts), expr_of(own.lengths)))
        lacks = as_column(self._figure("any", texts.isna(), False)).fillna(False)
        valid = both(self._valid, ~lacks) if texts.null_count else self._valid
        return texts_of(joined._values, valid)

    # -- rows --

    def _take(self, rows: ndarray) -> Ragged:
        return self._values.take(rows)

    def _slice(self, start: int, step: int, count: int) -> Ragged:
        if step == 1:
            return self._values.slice(start, count)
        return self._values.take(arange(start, start + count * step, step))

    def _item(self, row: int) -> Any:
        begin, end = self._values.offsets[row : row + 2].tolist()
        return self._values.child[begin:end].tolist()

    def _hiding(self, missing: ndarray) -> Any:
        valid = both(self._valid, ~missing)
        return lists_of(_emptied(self._values, valid), valid)

    def fillna(self, value: ArrayLike) -> Any:
        """The column with a list, or those of another column, where one is missing."""
        return self if self._valid is None else self._choose(self._valid, self, value)

    # -- to others --

    def to_list(self) -> Any:
        """Python lists, None where one is missing."""
        values, offsets = self._values.child.tolist(), self._values.offsets.tolist()
        return self._with_none([values[begin:end] for begin, end in itertools.pairwise(offsets)])

    tolist = to_list

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array of objects: a NumPy array of each list, None where one is missing."""
        objects = np.empty(self.size, dtype=object)
        parts = np.split(self._values.child.to_numpy(), self._values.offsets[1:-1].to_numpy()) if self.size else []
        for i, part in enumerate(parts):
            objects[i] = part
        if self._valid is not None:
            objects[~self._valid.to_numpy()] = None
        return objects

    def to_arrow(self) -> Any:
        """A pyarrow array of type large_list. With one PE it shares the column's memory.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.lists([[1], None]).to_arrow().to_pylist()
        [[1], None]
        """
        import pyarrow as pa

        child = as_column(self._values.child).to_arrow()
        missing = None if self._valid is None else pa.array(~self._valid.to_numpy())
        return pa.LargeListArray.from_arrays(pa.array(self._values.offsets.to_numpy(None)), child, mask=missing)

    def to_pandas(self) -> Any:
        """A pandas Series of Arrow's lists."""
        import pandas as pd

        return pd.Series(pd.arrays.ArrowExtensionArray(self.to_arrow()))

    def __repr__(self) -> Any:
        return self._repr("lists", [])

    # -- comparison --

    def _compared(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        if operation not in (operator.eq, operator.ne):  # lists are in no order
            return self._with(other, operation)
        if other is None:
            return Column(full(self.size, False), full(self.size, False))
        if not isinstance(other, Lists):
            other = lists(other)
        if other.size != self.size:
            raise ValueError(f"columns of {self.size} and {other.size} rows cannot be compared")
        own, others = self._values, other._values
        equal = own.lengths == others.lengths
        rows = flatnonzero(equal)
        left, right = own.take(rows), others.take(rows)
        if left.child.size:
            equal[take(rows, left.ids[_differ(left.child, right.child)])] = False
        return column_or_array(equal if operation is operator.eq else ~equal, both(self._valid, other._valid))

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        raise TypeError(f"lists cannot perform the operation {operation.__name__}; their `values` may")

    def astype(self, dtype: Any) -> Any:
        """The elements in another type."""
        return lists_of(Ragged(self._values.offsets, as_column(self._values.child).astype(dtype)), self._valid)

    def apply(self, function: Callable[[Any], Any]) -> Any:
        """Lists of what an elementwise function makes of the elements.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.lists([[1.0, 4.0], [9.0]]).apply(ak.sqrt)
        lists([[1.0, 2.0], [3.0]])
        """
        return lists_of(Ragged(self._values.offsets, as_column(self._values.child).apply(function)), self._valid)

    # -- what kinds do in their own way --

    def _like(self, values: Any, valid: ndarray | None) -> Any:
        return lists_of(values, valid)

    def _all_missing(self, size: int) -> Any:
        return lists_of(Ragged(zeros(size + 1, dtype=np.int64), self._values.child[:0]), full(size, False))

    def _together(self, columns: Sequence[Column]) -> Any:
        own = [column for column in columns if isinstance(column, Lists)]
        if len(own) < len(columns):
            raise TypeError("lists and other values do not go into one column")
        return lists_of(together([column._values for column in own]), valid_of_all(columns))

    def _choose(self, mask: ndarray, yes: ArrayLike, no: ArrayLike) -> Any:
        sides = [self._side(value, mask.size) for value in (yes, no)]
        both_sides = together([side._values for side in sides])
        rows = arange(mask.size) + where(mask, 0, mask.size)
        return lists_of(both_sides.take(rows), chosen_valid(mask, sides[0]._valid, sides[1]._valid))

    def _side(self, value: ArrayLike, size: int) -> Lists:
        if isinstance(value, Lists):
            return value
        if value is None:
            missing: Lists = self._all_missing(size)
            return missing
        one: Lists = lists([value])._rows(zeros(size, dtype=np.int64))
        return one

    def _argsort(self) -> ndarray:
        raise TypeError("lists have no order; sort by their length, or by their elements")

    def numbers(self) -> tuple[ndarray, Any, ndarray]:
        """TypeError, as pandas has it: lists are no keys."""
        raise TypeError("unhashable type: 'list'")

    def _grouped(self, figure: Any) -> tuple[ndarray, Callable[[ndarray, ndarray | None], Any]]:
        if figure not in ("first", "last", "count"):
            raise TypeError(f"lists have no {figure} by group")
        return arange(
            self.size
        ), lambda rows, valid: self._rows(rows) if valid is None else self._rows(rows)._hiding(~valid)


def _differ(a: Any, b: Any) -> ndarray:
    """Where two columns differ, row by row; missing values are equal."""
    if isinstance(a, Lists):
        unequal: ndarray = as_column(a != b).fillna(False)
        return unequal | (a.isna() != b.isna())
    left, right = numbered(a, b)
    return left != right


def lists_of(values: Ragged, valid: ndarray | None = None) -> Lists:
    """The column of rows; those that are missing are empty."""
    column: Lists = object.__new__(Lists)
    column._values, column._valid = values, valid
    return column


def _emptied(values: Ragged, valid: ndarray | None) -> Ragged:
    """Rows without those that are missing."""
    lengths = values.lengths
    if valid is None or not bool(((lengths > 0) & ~valid).any()):
        return values
    return values.gather(values.starts, where(valid, lengths, 0))


def lists(values: ArrayLike) -> Lists:
    """A column of lists.

    Parameters
    ----------
    values : sequence
        Lists, tuples or arrays of values of one kind, None for missing ones; a pandas Series, an Arrow array of lists,
        a 2-d array, whose rows become lists. In an SPMD session every PE passes the same values.

    Raises
    ------
    TypeError
        A row that is no list.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.lists([["a"], [], None])
    lists([['a'], [], None])
    """
    if isinstance(values, Lists):
        return values
    if has_arrow(values) and not isinstance(getattr(values, "dtype", None), np.dtype):
        return lists_from_arrow(arrow_array(values))
    if isinstance(values, (Array, np.ndarray)) and values.ndim == 2:
        rows, width = values.shape
        return lists_of(Ragged(arange(rows + 1) * width, ravel(values)))
    return _from_rows(values)


def _from_rows(values: Any) -> Lists:
    rows = [None if value is None or (isinstance(value, float) and value != value) else value for value in values]
    for i, row in enumerate(rows):
        if row is not None and not isinstance(row, (list, tuple, np.ndarray, Array, Column)):
            raise TypeError(f"row {i} is no list but {type(row).__name__}")
    lengths = np.fromiter((0 if row is None else len(row) for row in rows), np.int64, len(rows))
    flat = [value for row in rows if row is not None for value in row]
    nested = next((isinstance(value, (list, tuple, np.ndarray)) for value in flat if value is not None), False)
    child: Any = lists(flat) if nested else asarray(flat)
    missing = np.fromiter((row is None for row in rows), bool, len(rows))
    return lists_of(Ragged.of_lengths(asarray(lengths), child), asarray(~missing) if missing.any() else None)


def lists_from_arrow(array: Any) -> Lists:
    """The column of an Arrow array of lists."""
    import pyarrow as pa

    known = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if not any(kind(array.type) for kind in known):
        raise TypeError(f"lists are made of lists, not of {array.type}")
    array = array.cast(pa.large_list(array.type.value_type))
    offsets = array.offsets.to_numpy()
    if len(offsets) == 0 or (np.diff(offsets) < 0).any():
        raise ValueError("offsets of lists must not fall")
    first, last = int(offsets[0]), int(offsets[-1])
    child = asarray(array.values.slice(first, last - first))
    valid = asarray(array.is_valid().to_numpy(zero_copy_only=False)) if array.null_count else None
    return lists_of(_emptied(Ragged(asarray(offsets - first), child), valid), valid)


def SegArray(segments: Any, values: ArrayLike) -> Lists:
    """Lists by where each begins among the values of all: Arkouda's.

    Parameters
    ----------
    segments : array_like of int
        Where each list begins: from 0 on, ascending; equal ones make empty lists.
    values : array_like
        The elements.

    Raises
    ------
    ValueError
        Segments that do not begin at 0, fall, or lie behind the values.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.SegArray([0, 2, 2], [1, 2, 3])
    lists([[1, 2], [], [3]])
    """
    child: Any = asarray(values)
    starts = asarray(segments)
    if starts.ndim != 1 or starts.dtype.kind not in "iu":
        raise TypeError("Segments must be 1-dimensional and of integers")
    if starts.size == 0:
        if child.size:
            raise ValueError("Cannot have non-empty values with empty segments")
        return lists_of(Ragged(zeros(1, dtype=np.int64), child))
    starts = starts.astype(np.int64)
    ends = following(starts, child.size)
    if int(starts[0]) != 0 or bool((ends < starts).any()):
        raise ValueError("Segments must start at zero, be in sorted order and not lie behind the values")
    return lists_of(Ragged.of_lengths(ends - starts, child))


def lists_of_lengths(lengths: ndarray, values: ArrayLike, valid: ndarray | None) -> Lists:
    """The column of lists of these lengths, concatenated among the values."""
    return lists_of(Ragged.of_lengths(lengths, values), valid)
