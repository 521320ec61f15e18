# SPDX-License-Identifier: Apache-2.0
"""Columns of sequences of bytes of any length: what strings and binary values have in common."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ... import _core
from ...arrays.array import expr_of, wrap
from ...arrays.creation import full
from ...session import current
from ..column import ORDINAL, Column, both, column_or_array, valid_of_all

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray

Self = TypeVar("Self", bound="Sequences")
Text = builtins.str


class Sequences(Column):
    """Arrow's offsets and bytes, in order of the bytes; `Strings` and `Binary` are the classes that people see."""

    __slots__ = ()
    _values: _core.Texts
    _name: Text  # what the values are, in messages

    # -- what it is --

    @property
    def values(self: Self) -> Any:
        """The column itself, with nothing missing: what is missing is empty."""
        return self._like(self._values, None)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self._values.rows

    @property
    def nbytes(self) -> int:
        """Bytes of the values, of where they begin, and of validity, on all PEs together."""
        return self._values.nbytes + 8 * (self.size + 1) + (0 if self._valid is None else self.size)

    # -- rows --

    def _take(self, rows: ndarray) -> _core.Texts:
        return _core.text_take(self._values, expr_of(rows))

    def _slice(self, start: int, step: int, count: int) -> _core.Texts:
        return _core.text_slice(self._values, start, step, count)

    def _item(self, row: int) -> Any:
        return self._like(self._slice(row, 1, 1), None).to_list()[0]

    # -- the engine's side --

    def _measured(self, name: Text, texts: Sequence[Any] = (), numbers: Sequence[int] = ()) -> ndarray:
        encoded = [text.encode() if isinstance(text, Text) else text for text in texts]
        return wrap(_core.text_measure(self._values, name, encoded, list(numbers)))

    def _measure(self, name: Text, texts: Sequence[Any] = (), numbers: Sequence[int] = ()) -> Any:
        """A value for each, missing where it is."""
        return column_or_array(self._measured(name, texts, numbers), self._valid)

    def _map(self: Self, name: Text, texts: Sequence[Any] = (), numbers: Sequence[int] = ()) -> Self:
        """A sequence for each."""
        encoded = [text.encode() if isinstance(text, Text) else text for text in texts]
        return self._like(_core.text_map(self._values, name, encoded, list(numbers)), self._valid)

    # -- comparison --

    def _one_of(self, other: object) -> bytes | None:
        """The bytes of a single value that this column may have; None of anything else."""
        raise NotImplementedError

    def _several_of(self: Self, other: object) -> Self | None:
        """A column of this kind, of what can be one; None of anything else."""
        raise NotImplementedError

    def _compare(self, other: object, how: Text, swap: bool, negate: bool) -> Any:
        if other is None:
            return Column(full(self.size, False), full(self.size, False))
        one = self._one_of(other)
        if one is not None:
            if swap:  # other < text: not text <= other
                how, negate = {"less": "less_equal", "less_equal": "less"}[how], True
            result = self._measure(how, [one])
            return ~result if negate else result
        if isinstance(other, (Text, bytes)):
            return NotImplemented
        others = self._several_of(other)
        if others is None:
            return NotImplemented
        left, right = (others._values, self._values) if swap else (self._values, others._values)
        compared = wrap(_core.text_compare(left, right, how))
        return column_or_array(~compared if negate else compared, both(self._valid, others._valid))

    def __eq__(self, other: object) -> Any:
        return self._compare(other, "equal", False, False)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, "equal", False, True)

    def __lt__(self, other: object) -> Any:
        return self._compare(other, "less", False, False)

    def __le__(self, other: object) -> Any:
        return self._compare(other, "less_equal", False, False)

    def __gt__(self, other: object) -> Any:
        return self._compare(other, "less", True, False)

    def __ge__(self, other: object) -> Any:
        return self._compare(other, "less_equal", True, False)

    __hash__ = None

    # -- order --

    def _argsort(self) -> ndarray:
        return wrap(_core.text_argsort(self._values))

    def sort(self: Self, *, descending: bool = False, nulls: Text = "last") -> Self:
        """The rows in order, as of every column; see `Column.sort`."""
        if descending or self._valid is not None or nulls not in ("first", "last"):
            return super().sort(descending=descending, nulls=nulls)
        return self._like(_core.text_sort(self._values), None)

    def _there(self: Self) -> Self:
        return self.dropna()

    def min(self) -> Any:
        """The first one in order, None when there is none."""
        order = self.argsort()
        return self[int(order[0])] if self.size else None

    def max(self) -> Any:
        """The last one in order, None when there is none."""
        there = self.dropna()
        return there[int(there.argsort()[there.size - 1])] if there.size else None

    def numbers(self: Self) -> tuple[ndarray, Self, ndarray]:
        """As of every column; see `Column.numbers`."""
        numbers, first, distinct = _core.text_number(self.dropna()._values, True)
        assert numbers is not None
        rows, firsts = self._spread(wrap(numbers), wrap(first))
        return rows, self._like(distinct, None), firsts

    def distinct(self: Self) -> tuple[Self, ndarray]:
        """The distinct ones and the first row of each, without which of them each row has."""
        _, first, distinct = _core.text_number(self.dropna()._values, False)
        return self._like(distinct, None), wrap(first)

    def hash(self) -> tuple[ndarray, ndarray]:
        """Two hashes of 64 bits for each: uint64, the same on every machine and in every session."""
        low, high = _core.text_hash(self._values)
        return wrap(low), wrap(high)

    # -- what kinds do in their own way --

    def _all_missing(self: Self, size: int) -> Self:
        offsets, nothing = np.zeros(size + 1, np.int64), np.zeros(64, np.uint8)
        return self._like(_core.text_from_buffers(current(), offsets, nothing, (offsets, nothing)), full(size, False))

    def _together(self: Self, columns: Sequence[Column]) -> Self:
        own = [column._values for column in columns if isinstance(column, type(self))]
        if len(own) < len(columns):
            raise TypeError(
                f"{self._name} and numbers do not go into one column; convert the numbers first, with astype(str)"
            )
        return self._like(_core.text_concatenate(own), valid_of_all(columns))

    def _grouped(self, figure: Text) -> tuple[ndarray, Callable[[ndarray, ndarray | None], Any]]:
        if figure not in ORDINAL:
            raise TypeError(f"{self._name} have no {figure}")
        numbers, distinct, _ = self.numbers()

        def back(numbers: ndarray, valid: ndarray | None) -> Any:
            values = distinct[numbers] if distinct.size else self._all_missing(numbers.size)
            return values if valid is None else values._hiding(~valid)

        return numbers, back
