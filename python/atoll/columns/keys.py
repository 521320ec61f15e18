# SPDX-License-Identifier: Apache-2.0
"""Keys: as columns, and as numbers where several together are too wide for the engine; which group a row is in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from ..arrays.array import Array, expr_of, wrap
from ..arrays.creation import asarray, full
from ..arrays.selection import flatnonzero, take, where
from ..arrays.sets import unique
from ..arrays.tables import searchsorted
from .column import Column
from .functions import concatenate

if TYPE_CHECKING:
    from ..arrays.ndarray import ndarray

#: What the engine groups by: all keys of a row side by side.
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
    """Keys as arrays: columns by the numbers of their values.

    Attributes
    ----------
    keys : list of ndarray
        For each key an array in the order of its values.
    makers : list
        For each key what makes the values of such numbers, None when the key is an array itself.
    kinds : list of str
        What the values of each key are.
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


def plain_keys(columns: Sequence[Any], dropna: bool) -> PlainKeys:
    """Columns as arrays. Rows with a missing key are dropped, or their key is one more value, behind all others."""
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
            plain = numbers, distinct.__getitem__
        keys.append(plain[0])
        makers.append(plain[1])
    kinds = [column.kind if isinstance(column, Column) else str(column.dtype) for column in columns]
    if missing is None:
        return PlainKeys(keys, makers, kinds, None)
    rows = flatnonzero(~missing)
    return PlainKeys([take(key, rows) for key in keys], makers, kinds, rows)


def _with_null(distinct: Any) -> Any:
    """The values with a missing one behind them."""
    if not isinstance(distinct, Column):
        distinct = Column(distinct)
    null = distinct.take(full(1, 0, dtype="int64")) if distinct.size else None
    if null is None:  # all are missing
        return distinct._all_missing(1)
    valid = full(distinct.size + 1, True)
    valid[distinct.size] = False
    both: Any = concatenate([distinct, null])
    return both._like(both._values, valid)


@dataclass
class Numbered:
    """Keys that fit the engine.

    Attributes
    ----------
    keys : list of ndarray
        Some of the keys themselves, and row numbers of values for the others.
    tables : list of list of ndarray
        For each of `keys`, the original keys it stands for: none for a key itself, else one table per original key,
        which a number indexes.
    """

    keys: list[ndarray]
    tables: list[list[ndarray]]

    def values_of(self, groups: Sequence[ndarray]) -> list[ndarray]:
        """The original keys of groups, given those of `keys`."""
        values: list[ndarray] = []
        for group, tables in zip(groups, self.tables, strict=True):
            values.extend([take(table, group) for table in tables] if tables else [group])
        return values


def number_keys(columns: Sequence[ndarray]) -> Numbered:
    """The columns as keys of at most 64 bits together.

    The widest are replaced by numbers of their distinct values until they fit; if that does not do, two become one.
    """
    numbered = Numbered(list(columns), [[] for _ in columns])
    if sum(8 * column.itemsize for column in columns) <= KEY_BITS:
        return numbered
    while True:
        bits = _core.key_bits([expr_of(key) for key in numbered.keys])
        if sum(bits) <= KEY_BITS:
            return numbered
        plain = [i for i, tables in enumerate(numbered.tables) if not tables]
        if plain:
            widest = max(plain, key=lambda i: bits[i])
            values, numbers = unique(numbered.keys[widest], return_inverse=True)
            numbered.keys[widest] = numbers
            numbered.tables[widest] = [values]
        else:
            _join_first_two(numbered)


def _join_first_two(numbered: Numbered) -> None:
    """Replaces two keys that are numbers by the number of their pair, in the same order."""
    (left, right), (left_tables, right_tables) = numbered.keys[:2], numbered.tables[:2]
    pairs = _core.group_by([expr_of(left), expr_of(right)], [], [])
    from_pairs = [wrap(pair) for pair in pairs]
    numbered.keys[:2] = [row_numbers([left, right], from_pairs)]
    numbered.tables[:2] = [
        [take(t, from_pairs[0]) for t in left_tables] + [take(t, from_pairs[1]) for t in right_tables]
    ]


def row_numbers(columns: Sequence[ndarray], groups: Sequence[ndarray]) -> ndarray:
    """For each row of `columns` the number of its group, when `groups` are the distinct rows in ascending order."""
    rows, known = columns[0], groups[0]
    for column, group in zip(columns[1:], groups[1:], strict=True):
        before, values = unique(known), unique(group)
        rows = searchsorted(before, rows) * values.size + searchsorted(values, column)
        known = searchsorted(before, known) * values.size + searchsorted(values, group)
    return searchsorted(known, rows)
