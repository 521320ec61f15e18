# SPDX-License-Identifier: Apache-2.0
"""Dictionary-encoded string columns: few distinct strings, and a code for each row."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.array import Array
from ...arrays.creation import asarray, full
from ...arrays.joining import concatenate
from ...arrays.selection import take, where
from ...arrays.sets import unique
from ..column import ORDINAL, Column
from .strings import Strings

if TYPE_CHECKING:
    from ... import _core
    from ...arrays.ndarray import ndarray

_RUNS = 4  # of words that are compared with codes; more are looked up


class DictionaryStrings(Strings):
    """A column of strings as any other, made of its words, which are distinct and ascend, and of a code for each row.

    Methods are evaluated once per word; order, groups and equality are those of the codes. Strings are made
    when somebody wants them. No row is without one.
    """

    __slots__ = ("_codes", "_texts", "_words")
    _codes: ndarray  # of integers
    _words: Strings
    _texts: Any

    def __init__(self, codes: Any, words: Strings) -> None:
        self._codes, self._words, self._valid, self._texts = codes, words, None, None

    def _like(self, values: Any, valid: ndarray | None) -> Any:
        """A dictionary column for codes; a plain column for strings, or where some are missing."""
        if not isinstance(values, Array):
            return self._words._like(values, valid)
        if valid is None:
            return DictionaryStrings(values, self._words)
        if self._words.size == 0:
            return self._words._all_missing(int(values.size))
        made = DictionaryStrings(where(valid, values, 0).astype(values.dtype), self._words)
        return self._words._like(made._values, valid)

    @property
    def _values(self) -> _core.Texts:  # type: ignore[override]  # the others' attribute
        if self._texts is None:
            self._texts = self._spread_texts(self._words)._values
        return self._texts

    def _spread_texts(self, of_words: Strings) -> Strings:
        """The rows' strings, of the words'."""
        if self._words.size == 0:
            return of_words._all_missing(self.size)
        return of_words._like(of_words._take(self._codes.astype(np.int64)), None)

    # -- what it is --

    @property
    def values(self) -> Any:
        """The column itself."""
        return self

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(self._codes.size)

    @property
    def nbytes(self) -> int:
        """Bytes of codes and words, on all PEs together."""
        return int(self._codes.nbytes) + self._words.nbytes

    # -- rows --

    def _take(self, rows: ndarray) -> Any:
        return take(self._codes, rows)

    def _slice(self, start: int, step: int, count: int) -> Any:
        return (self._codes[start : start + count] if step == 1 else self._codes[start::step][:count]).copy()

    def _item(self, row: int) -> Any:
        return self._words[int(self._codes[row])]

    def copy(self) -> DictionaryStrings:
        """The column: columns do not change."""
        return self

    def __reduce__(self) -> Any:
        return DictionaryStrings, (self._codes, self._words)

    # -- the engine's side --

    def _measured(self, name: str, texts: Sequence[Any] = (), numbers: Sequence[int] = ()) -> ndarray:
        of_words = self._words._measured(name, texts, numbers)
        if of_words.dtype == np.bool_:
            return self._among(of_words.to_numpy())
        return take(of_words, self._codes.astype(np.int64))

    def _map(self, name: str, texts: Sequence[Any] = (), numbers: Sequence[int] = ()) -> Any:
        return self._spread_texts(self._words._map(name, texts, numbers))

    def _among(self, chosen: np.ndarray[Any, Any]) -> ndarray:
        """Which rows have one of these words."""
        borders = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]])))
        runs = list(zip(borders[::2].tolist(), borders[1::2].tolist(), strict=True))
        if len(runs) > _RUNS:
            return take(asarray(chosen), self._codes.astype(np.int64))
        return reduce(operator.or_, itertools.starmap(self._within, runs)) if runs else full(self.size, False)

    def _within(self, begin: int, end: int) -> ndarray:
        kind = self._codes.dtype.type
        if end == begin + 1:
            return self._codes == kind(begin)
        if begin == 0:
            return self._codes < kind(end) if end < self._words.size else full(self.size, True)
        above = self._codes >= kind(begin)
        return above & (self._codes < kind(end)) if end < self._words.size else above

    # -- order and distinct values --

    def _argsort(self) -> ndarray:
        return self._codes.argsort()

    def _as_numbers(self) -> tuple[ndarray, Callable[[ndarray], Any]]:
        return self._codes, _Words(self._words)

    def numbers(self) -> tuple[ndarray, Any, ndarray]:
        """As of every column; see `Column.numbers`."""
        codes, first, numbers = unique(self._codes, return_index=True, return_inverse=True)
        return numbers, DictionaryStrings(codes, self._words), first

    def distinct(self) -> tuple[Any, ndarray]:
        """The distinct ones and the first row of each, without which of them each row has."""
        codes, first = unique(self._codes, return_index=True)
        return DictionaryStrings(codes, self._words), first

    # -- what kinds do in their own way --

    def _all_missing(self, size: int) -> Any:
        return self._words._all_missing(size)

    def _together(self, columns: Sequence[Column]) -> Any:
        own = [column for column in columns if isinstance(column, DictionaryStrings) and column._words is self._words]
        if len(own) < len(columns):
            return self._words._together(columns)
        return DictionaryStrings(concatenate([one._codes for one in own]), self._words)

    def _grouped(self, figure: str) -> tuple[ndarray, Callable[[ndarray, ndarray | None], Any]]:
        if figure not in ORDINAL:
            raise TypeError(f"texts have no {figure}")
        return self._codes, self._like


class _Words:
    """Converts codes to strings. Data, so that an object with it can be published."""

    def __init__(self, words: Any) -> None:
        self._words = words

    def __call__(self, codes: ndarray) -> DictionaryStrings:
        return DictionaryStrings(codes, self._words)
