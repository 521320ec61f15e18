# SPDX-License-Identifier: Apache-2.0
"""Keys of groups and joins: columns, replaced by numbers if several are too wide for the engine; group numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..arrays.array import Array, expr_of, wrap
from ..arrays.creation import asarray, full
from ..arrays.histograms import searchsorted
from ..arrays.selection import flatnonzero, take, where
from ..arrays.sets import unique
from .column import Column
from .functions.functions import concatenate

if TYPE_CHECKING:
    from ..arrays.ndarray import ndarray

#: Widest key of the engine: all keys of a row together.
KEY_BITS = 64


def are_several(keys: Any) -> bool:
    """Whether `keys` is a sequence of key columns rather than one column."""
    return isinstance(keys, (list, tuple)) and any(isinstance(key, Array) or hasattr(key, "__array__") for key in keys)


def key_columns(keys: Any) -> list[Any]:
    """One key column or several, checked: 1-dimensional and of one length."""
    columns: list[Any] = [asarray(key) for key in keys] if are_several(keys) else [asarray(keys)]
    for column in columns:
        if column.ndim != 1:
            raise ValueError(f"a key must be 1-dimensional, got shape {column.shape}")
        if column.size != columns[0].size:
            raise ValueError(f"keys must have one length, got {columns[0].size} and {column.size}")
    return columns


@dataclass
class PlainKeys:
    """Keys as arrays: columns are replaced by codes of their values.

    Attributes
    ----------
    keys : list of ndarray
        For each key an array in the order of its values.
    makers : list
        For each key a function that converts such codes to values, None when the key is an array itself.
    kinds : list of str
        The kind of the values of each key.
    rows : ndarray or None
        The rows that `keys` has, when those with a missing key were dropped.
    """

    keys: list[ndarray]
    makers: list[Callable[[ndarray], Any] | None]
    kinds: list[str]
    rows: ndarray | None

    def values_of(self, groups: Sequence[ndarray]) -> list[Any]:
        """The keys' values of groups, given those of `keys`."""
        pairs = zip(groups, self.makers, strict=True)
        return [group if make is None else make(group) for group, make in pairs]


@dataclass
class _Distinct:
    """Converts codes to the distinct values of a key. Data, so that it can be published."""

    values: Any

    def __call__(self, codes: ndarray) -> Any:
        return self.values[codes]


def plain_keys(columns: Sequence[Any], dropna: bool) -> PlainKeys:
    """Columns as arrays. Rows with a missing key are dropped, or the missing key is an additional, largest value."""
    keys: list[ndarray] = []
    makers: list[Callable[[ndarray], Any] | None] = []
    missing: ndarray | None = None
    for column in columns:
        if not isinstance(column, Column):
            keys.append(column)
            makers.append(None)
            continue
        valid = column.valid
        if valid is not None and dropna:
            missing = ~valid if missing is None else missing | ~valid
        plain = column._as_numbers() if valid is None or dropna else None
        if plain is None:
            numbers, distinct = column._key()
            if valid is not None and not dropna:
                numbers = where(numbers < 0, distinct.size, numbers)
                distinct = _with_null(distinct)
            plain = numbers, _Distinct(distinct)
        keys.append(plain[0])
        makers.append(plain[1])
    kinds = [column.kind if isinstance(column, Column) else str(column.dtype) for column in columns]
    if missing is None:
        return PlainKeys(keys, makers, kinds, None)
    rows = flatnonzero(~missing)
    return PlainKeys([take(key, rows) for key in keys], makers, kinds, rows)


def _with_null(distinct: Any) -> Any:
    """The values followed by a missing one."""
    if not isinstance(distinct, Column):
        distinct = Column(distinct)
    null = distinct.take(full(1, 0, dtype="int64")) if distinct.size else None
    if null is None:  # all are missing
        return distinct._all_missing(1)
    valid = full(distinct.size + 1, True)
    valid[distinct.size] = False
    both: Any = concatenate([distinct, null])
    return both._like(both._values, valid)


class Meaning:
    """Converts numbers of groups to their original keys: here they are the keys. Data, so that it can be published."""

    def __call__(self, group: ndarray) -> list[ndarray]:
        return [group]


@dataclass
class _Places(Meaning):
    """Numbers are places among the distinct keys."""

    values: ndarray

    def __call__(self, group: ndarray) -> list[ndarray]:
        return [take(self.values, group)]


@dataclass
class _Together(Meaning):
    """Numbers are places among the distinct combinations of neighbouring keys."""

    distinct: ndarray
    bits: list[int]
    meanings: list[Meaning]

    def __call__(self, group: ndarray) -> list[ndarray]:
        together = take(self.distinct, group)
        values: list[ndarray] = []
        behind = sum(self.bits)
        for width, meaning in zip(self.bits, self.meanings, strict=True):
            behind -= width
            values.extend(meaning((together >> behind) & ((1 << width) - 1)))
        return values


@dataclass
class Numbered:
    """Keys that fit the engine.

    Attributes
    ----------
    keys : list of ndarray
        Keys as they are, and numbers that replace one or several neighbouring keys.
    meanings : list of Meaning
        For each of `keys` what returns the original keys of groups.
    """

    keys: list[ndarray]
    meanings: list[Meaning]

    def values_of(self, groups: Sequence[ndarray]) -> list[ndarray]:
        """The original keys of groups, given those of `keys`."""
        pairs = zip(groups, self.meanings, strict=True)
        return [value for group, meaning in pairs for value in meaning(group)]


def number_keys(columns: Sequence[ndarray]) -> Numbered:
    """The columns as keys of at most 64 bits together.

    The widest keys are replaced by codes of their distinct values until all fit; if that does not suffice, neighbours
    are replaced by codes of their combinations, as many as fit.
    """
    numbered = Numbered(list(columns), [Meaning()] * len(columns))
    if sum(8 * column.itemsize for column in columns) <= KEY_BITS:
        return numbered
    bits = _core.key_bits([expr_of(key) for key in numbered.keys])
    total = sum(bits)
    for i in sorted(range(len(bits)), key=lambda i: -bits[i]):
        if total <= KEY_BITS:
            return numbered
        values, numbers = unique(numbered.keys[i], return_inverse=True)
        numbered.keys[i], numbered.meanings[i] = numbers, _Places(values)
        total += _bits_of(values) - bits[i]
        bits[i] = _bits_of(values)
    while sum(bits) > KEY_BITS:
        numbered, bits = _joined(numbered, bits)
    return numbered


def _bits_of(values: ndarray) -> int:
    """Bits that number the elements of `values`."""
    return max(int(values.size) - 1, 0).bit_length()


def _joined(numbered: Numbered, bits: list[int]) -> tuple[Numbered, list[int]]:
    """Combines neighbouring codes into one number with the same order, until all keys fit."""
    joined, widths = Numbered([], []), []
    total, begin = sum(bits), 0
    while begin < len(bits):
        end = begin + 1
        if total > KEY_BITS:
            while end < len(bits) and sum(bits[begin : end + 1]) < KEY_BITS:
                end += 1
        if end == begin + 1:
            joined.keys.append(numbered.keys[begin])
            joined.meanings.append(numbered.meanings[begin])
            widths.append(bits[begin])
        else:
            together = numbered.keys[begin].astype(np.int64)
            for key, width in zip(numbered.keys[begin + 1 : end], bits[begin + 1 : end], strict=True):
                together = (together << width) | key
            distinct = wrap(_core.group_by([expr_of(together)], [], [])[0])
            joined.keys.append(searchsorted(distinct, together))
            joined.meanings.append(_Together(distinct, bits[begin:end], numbered.meanings[begin:end]))
            widths.append(_bits_of(distinct))
            total += widths[-1] - sum(bits[begin:end])
        begin = end
    if len(widths) == len(bits):
        raise ValueError(f"{len(bits)} keys take {total} bits together, and {KEY_BITS} are what fits. Group by fewer")
    return joined, widths


def row_numbers(columns: Sequence[ndarray], groups: Sequence[ndarray]) -> ndarray:
    """For each row of `columns` its group number, where `groups` are the sorted distinct rows."""
    rows, known = columns[0], groups[0]
    for column, group in zip(columns[1:], groups[1:], strict=True):
        before, values = unique(known), unique(group)
        rows = searchsorted(before, rows) * values.size + searchsorted(values, column)
        known = searchsorted(before, known) * values.size + searchsorted(values, group)
    return searchsorted(known, rows)
