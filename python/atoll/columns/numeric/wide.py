# SPDX-License-Identifier: Apache-2.0
"""Columns of values wider than 64 bits: integers as several arrays of 64 bits each."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ... import _core
from ...arrays.array import expr_of, wrap
from ...arrays.creation import arange, asarray, full, zeros
from ...arrays.joining import concatenate as concatenate_arrays
from ...arrays.selection import take, where
from ...arrays.sorting import coargsort
from ..column import ORDINAL, Column, both, chosen_valid, column_or_array, valid_of_all
from ..groupby.group_by import GroupBy
from ..non_numeric import NonNumericColumn
from ..objects import object_array

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

Self = TypeVar("Self", bound="Wide")
WORD = 2**64 - 1


class Limbs:
    """Integers in two's complement: a uint64 array for each limb, the least significant first."""

    __slots__ = ("words",)
    words: list[ndarray]

    def __init__(self, words: Sequence[ndarray]) -> None:
        self.words = list(words)

    @classmethod
    def of_numpy(cls, words: Sequence[np.ndarray[Any, Any]]) -> Limbs:
        """Limbs that NumPy has."""
        return cls([asarray(np.ascontiguousarray(word, np.uint64)) for word in words])

    @classmethod
    def of_integers(cls, values: Sequence[int], count: int | None = None) -> Limbs:
        """Python's integers, in as many limbs as they need."""
        if count is None:
            count = max((value.bit_length() // 64 + 1 for value in values), default=1)
        words = []
        for j in range(count):
            word = np.fromiter(((value >> (64 * j)) & WORD for value in values), np.uint64, len(values))
            words.append(word)
        return cls.of_numpy(words)

    @classmethod
    def of_array(cls, values: ndarray) -> Limbs:
        """An array of integers."""
        words = [values.astype(np.uint64)]
        if values.dtype == np.uint64:
            words.append(zeros(values.size, dtype=np.uint64))
        return cls(words)

    @classmethod
    def of_one(cls, value: int, size: int) -> Limbs:
        """One integer for all rows."""
        count = value.bit_length() // 64 + 1
        return cls([full(size, (value >> (64 * j)) & WORD, dtype=np.uint64) for j in range(count)])

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(self.words[0].size)

    @property
    def nbytes(self) -> int:
        """Bytes of all limbs, on all PEs together."""
        return sum(int(word.nbytes) for word in self.words)

    def each(self, function: Callable[[ndarray], Any]) -> Limbs:
        """The limbs that a function makes of these."""
        return type(self)([function(word) for word in self.words])

    def sign(self) -> ndarray:
        """Which numbers are negative: bool."""
        negative: ndarray = self.words[-1] >= np.uint64(1 << 63)
        return negative

    def widened(self, count: int) -> Limbs:
        """The same numbers in `count` limbs, or in as many as there are."""
        missing = count - len(self.words)
        if missing <= 0:
            return self
        sign = where(self.sign(), np.uint64(WORD), np.uint64(0))
        return type(self)([*self.words, *[sign] * missing])

    def trimmed(self) -> Limbs:
        """The same numbers in as few limbs as hold all of them."""
        words = list(self.words)
        while len(words) > 1:
            sign = where(words[-2] >= np.uint64(1 << 63), np.uint64(WORD), np.uint64(0))
            if not bool((words[-1] == sign).all()):
                break
            words.pop()
        return Limbs(words)

    def apply(self, operation: str, other: Limbs, count: int) -> Limbs:
        """self operation other, in `count` limbs; operations by their names in Python's `operator`."""
        made = _core.limb_apply(operation, [expr_of(w) for w in self.words], [expr_of(w) for w in other.words], count)
        return Limbs([wrap(word) for word in made])

    def negated(self) -> Limbs:
        """The numbers with the other sign, in one limb more."""
        return Limbs.of_one(0, self.size).apply("sub", self, len(self.words) + 1)

    def keys(self) -> list[ndarray]:
        """Arrays in whose order, concatenated, numbers are in order."""
        return [self.words[-1].astype(np.int64), *reversed(self.words[:-1])]

    def compared(self, other: Limbs, operation: Callable[[Any, Any], Any]) -> ndarray:
        """Row by row, one of Python's comparisons: bool."""
        count = max(len(self.words), len(other.words))
        left, right = self.widened(count).keys(), other.widened(count).keys()
        if operation in (operator.eq, operator.ne):
            equal = left[0] == right[0]
            for a, b in zip(left[1:], right[1:], strict=True):
                equal = equal & (a == b)
            return equal if operation is operator.eq else ~equal
        strict = operator.lt if operation in (operator.lt, operator.le) else operator.gt
        found = operation(left[-1], right[-1])
        for a, b in zip(reversed(left[:-1]), reversed(right[:-1]), strict=True):
            found = strict(a, b) | ((a == b) & found)
        return found

    def to_integers(self) -> list[int]:
        """Python's integers."""
        numbers = self.keys()[0].to_numpy().astype(object)
        for word in reversed(self.words[:-1]):
            numbers = numbers * (WORD + 1) + word.to_numpy().astype(object)
        listed: list[int] = numbers.tolist()
        return listed


class Unsigned(Limbs):
    """Integers that are not negative: the highest limb has no sign."""

    __slots__ = ()

    def sign(self) -> ndarray:
        """Which numbers are negative: none."""
        return full(self.size, False)

    def keys(self) -> list[ndarray]:
        """Arrays in whose order, concatenated, numbers are in order."""
        return [*reversed(self.words)]

    def signed(self) -> Limbs:
        """The same numbers in two's complement."""
        return Limbs([*self.words, zeros(self.size, dtype=np.uint64)])


class Wide(NonNumericColumn):
    """Base class of columns stored as integers of more than 64 bits: bigint, decimals, IP addresses."""

    __slots__ = ()
    _values: Limbs

    @property
    def values(self: Self) -> Any:
        """The column itself, with nothing missing."""
        return self._like(self._values, None)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self._values.size

    @property
    def dtype(self) -> Any:
        """NumPy dtype of the values: objects."""
        return np.dtype(object)

    # -- a kind's own --

    def _objects(self, numbers: list[int]) -> list[Any]:
        """The Python value of a number."""
        raise NotImplementedError

    def _made(self: Self, values: ArrayLike) -> Self:
        """A column of this kind of what can be one; TypeError of anything else."""
        raise NotImplementedError

    def _alike(self: Self, columns: Sequence[Any]) -> list[Self]:
        """Columns of this kind, made so that their numbers are comparable."""
        return [column if isinstance(column, type(self)) else self._made(column) for column in columns]

    # -- rows --

    def _take(self, rows: ndarray) -> Limbs:
        return self._values.each(lambda word: take(word, rows))

    def _slice(self, start: int, step: int, count: int) -> Limbs:
        return self._values.each(lambda word: word[start : start + count * step : step][:count])

    def _item(self, row: int) -> Any:
        return self._like(self._slice(row, 1, 1), None).to_list()[0]

    def fillna(self, value: ArrayLike) -> Any:
        """The column with a value, or those of another column, where one is missing."""
        return self if self._valid is None else self._choose(self._valid, self.values, value)

    def to_list(self) -> list[Any]:
        """Python values, None where one is missing."""
        if self._valid is None:
            return self._objects(self._values.to_integers())
        found = iter(self._objects(self.dropna()._values.to_integers()))
        return [next(found) if there else None for there in self._valid.tolist()]

    tolist = to_list

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array of objects, None where a value is missing."""
        return object_array(self.to_list())

    def to_pandas(self) -> Any:
        """A pandas Series: of Arrow's type when there is one, else of objects."""
        import pandas as pd

        return pd.Series(pd.arrays.ArrowExtensionArray(self.to_arrow()))

    def _bytes(self, count: int, big: bool) -> np.ndarray[Any, Any]:
        """The values' bytes, `count` for each row, the most significant first or last."""
        words = [word.to_numpy() for word in self._values.widened(count // 8).words]
        table = np.stack(words, axis=1).astype("<u8") if self.size else np.zeros((0, count // 8), "<u8")
        rows = table.view(np.uint8)
        return np.ascontiguousarray(rows[:, ::-1] if big else rows)

    # -- comparison --

    def _compared(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        if other is None:
            return Column(full(self.size, False), full(self.size, False))
        try:
            made = self._made(other)
        except (TypeError, ValueError):
            if operation not in (operator.eq, operator.ne) or (
                hasattr(other, "__len__") and not isinstance(other, str)
            ):
                raise
            return column_or_array(full(self.size, operation is operator.ne), self._valid)
        own, others = self._alike([self, made])
        if others.size == 1 and self.size != 1:
            others = others._rows(zeros(self.size, dtype=np.int64))
        if others.size != self.size:
            raise ValueError(f"columns of {self.size} and {others.size} rows cannot be compared")
        return column_or_array(own._values.compared(others._values, operation), both(own._valid, others._valid))

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        raise TypeError(f"{self.kind} has no {operation.__name__}")

    # -- order --

    def _argsort(self) -> ndarray:
        return coargsort(self._values.keys())

    def _there(self: Self) -> Self:
        return self.dropna()

    def _extreme(self, row: int) -> Any:
        there = self.dropna()
        return there[int(there._argsort()[row % there.size])] if there.size else None

    def min(self) -> Any:
        """The smallest value, None when there is none."""
        return self._extreme(0)

    def max(self) -> Any:
        """The largest value, None when there is none."""
        return self._extreme(-1)

    def numbers(self: Self) -> tuple[ndarray, Self, ndarray]:
        """As of every column; see `Column.numbers`."""
        there = self.dropna()
        groups = GroupBy(there._values.keys())
        first = groups.first(arange(there.size))
        numbers, first = self._spread(groups.ngroup(), first)
        return numbers, self._like(self._take(first), None), first

    # -- what kinds do in their own way --

    def _all_missing(self: Self, size: int) -> Self:
        return self._like(self._values.each(lambda word: zeros(size, dtype=np.uint64)), full(size, False))

    def _together(self: Self, columns: Sequence[Column]) -> Self:
        for column in columns:
            if not isinstance(column, type(self)):
                raise TypeError(f"{column.kind} and {self.kind} do not go into one column")
        own = self._alike(columns)
        count = max(len(column._values.words) for column in own)
        parts = [column._values.widened(count).words for column in own]
        words = [concatenate_arrays([part[j] for part in parts]) for j in range(count)]
        return own[0]._like(type(own[0]._values)(words), valid_of_all(columns))

    def _choose(self: Self, mask: ndarray, yes: Any, no: Any) -> Self:
        made: list[Any] = [None if value is None else self._made(value) for value in (yes, no)]
        known = self._alike([one for one in made if one is not None])
        sides = [self._all_missing(1) if one is None else known.pop(0) for one in made]
        like = next(side for side, one in zip(sides, made, strict=True) if one is not None)
        sides = [side if side.size == mask.size else side._rows(zeros(mask.size, dtype=np.int64)) for side in sides]
        count = max(len(side._values.words) for side in sides)
        left, right = (side._values.widened(count).words for side in sides)
        words = [where(mask, a, b) for a, b in zip(left, right, strict=True)]
        return like._like(type(like._values)(words), chosen_valid(mask, sides[0]._valid, sides[1]._valid))

    def _fitting(self: Self, other: Column) -> Any:
        return other if isinstance(other, type(self)) else self._made(other)

    def _grouped(self, figure: str) -> tuple[ndarray, Callable[[ndarray, ndarray | None], Any]]:
        if figure not in ORDINAL:
            raise TypeError(f"{self.kind} has no {figure} by group")
        numbers, distinct, _ = self.numbers()

        def back(numbers: ndarray, valid: ndarray | None) -> Any:
            values = distinct._rows(numbers) if distinct.size else self._all_missing(numbers.size)
            return values if valid is None else values._hiding(~valid)

        return numbers, back


def group_sums(values: Limbs, rows: ndarray, groups: int) -> Limbs:
    """Exact sums of numbers by group: rows[i] is the group of number i.

    Parts of 32 bits are summed, so 2 ** 31 rows of a group do not overflow.
    """
    count = len(values.words) + 1
    total = Limbs.of_one(0, groups)
    half = np.uint64(2**32 - 1)
    keys = GroupBy(rows)
    at = keys.keys
    for j, word in enumerate(values.words):
        for k, part in enumerate((word & half, word >> np.uint64(32))):
            sums = zeros(groups, dtype=np.uint64)
            sums[at] = keys.sum(part)
            shifted = Limbs(
                [
                    *[zeros(groups, dtype=np.uint64)] * j,
                    sums << np.uint64(32 * k),
                    sums >> np.uint64(32) if k else zeros(groups, dtype=np.uint64),
                    zeros(groups, dtype=np.uint64),
                ]
            )
            total = total.apply("add", shifted, count + 1)
    # Two's complement: of each negative number, 2 ** (64 * limbs) too much was added.
    negative = zeros(groups, dtype=np.uint64)
    negative[at] = keys.sum(values.sign()).astype(np.uint64)
    excess = Limbs([*[zeros(groups, dtype=np.uint64)] * len(values.words), negative, zeros(groups, dtype=np.uint64)])
    return total.apply("sub", excess, count)
