# SPDX-License-Identifier: Apache-2.0
"""Columns of files that are read by themselves: all rows or some, where they lie; strings of few words as codes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..arrays.array import expr_of, wrap
from ..arrays.selection import where
from ..columns.categorical.codes import code_type
from ..columns.functions.functions import concatenate
from ..columns.text.dictionary import DictionaryStrings
from ..columns.text.strings import strings
from ..session import current
from ..session.everywhere import everywhere_reading, landed
from ..storage.source import reading
from .column_storage import Storage, floats_of, storage_of
from .reader import Part, Reader
from .reading import alike, decode, read_columns

if TYPE_CHECKING:
    from ..arrays.ndarray import ndarray

_MOST = 1 << 15  # words: codes of two bytes
_LEAST = 20_000  # rows below which codes are not worth a look at all words


def read_with_codes(reader: Reader, columns: Collection[str] | None = None, where: Any = None) -> dict[str, Any]:
    """As `read_columns`; strings of few words become codes of these where all rows are read."""
    names = reader.names(columns)
    coded: dict[str, Any] = {}
    if where is None:
        for name in names:
            column = FileColumn(reader, name)
            if column.has_codes():
                coded[name] = column.read()
    rest = [name for name in names if name not in coded]
    found = read_columns(reader, rest, where) if rest or not names else {}
    return alike(reader, {name: coded[name] if name in coded else found[name] for name in names})


class FileColumn:
    """A column of files that say how many rows they have."""

    def __init__(self, reader: Reader, name: str, kind: Any = None) -> None:
        """`kind`: what the values become; None: what the file says."""
        self._reader, self._name, self._kind = reader, name, kind
        field = reader.schema.field(name).type
        storage = storage_of(field)
        floats = floats_of(field) if kind is not None and np.dtype(kind) == np.float64 else None
        self._divisor = 0.0 if floats is None else 10.0**field.scale
        self._storage: Storage | None = floats or storage
        self._coding: tuple[Any, list[list[int]]] | None = None
        self._told: list[Any] | None = None
        self._looked = storage is None or storage.kind != -1
        self.size = sum(part.rows or 0 for part in reader.parts)

    def has_codes(self) -> bool:
        """Whether it is read as codes of few words."""
        return self._coded() is not None

    def read(self) -> Any:
        """All of it."""
        if self._storage is None or self._storage.categories:
            return self._as_wanted(read_columns(self._reader, [self._name])[self._name])
        shares = self._reader.shares(current().pes)
        rows = [sum(self._reader.parts[number].rows or 0 for number in share) for share in shares]
        return self._landed(shares, rows, [])

    def read_rows(self, rows: ndarray) -> Any:
        """The rows with these numbers, which ascend; None where all have to be read for them."""
        if self._storage is None or self._storage.categories:
            return None
        return self._landed(None, [-1], [expr_of(rows)])

    def _landed(self, shares: Any, rows: list[int], inputs: list[Any]) -> Any:
        assert self._storage is not None
        coding = self._coded()
        kind, codes = self._storage.kind, None
        if coding is not None:
            words, codes = coding
            kind = _core.DTYPES[np.dtype(code_type(words.size)).name]
        args = (self._reader, self._name, shares, self._found(), self._divisor, codes)
        _, made = landed(_fill, args, [kind], rows=rows, inputs=inputs)
        values, valid = made[0]
        if coding is None:
            found = self._storage.make(values, valid)
            return found if self._divisor else self._as_wanted(found)
        if valid is None:
            return self._as_wanted(DictionaryStrings(wrap(values), words))
        there = wrap(valid)
        empty: Any = concatenate([words, strings([""])])  # of those that are missing, as of other columns
        return self._as_wanted(empty.take(where(there, wrap(values).astype(np.int64), words.size))._hiding(~there))

    def _found(self) -> list[Any]:
        """Where the engine finds each part."""
        if self._told is None:
            self._told = []
            for part in self._reader.parts:
                with reading(part):
                    self._told.append(self._reader.direct(part, self._name))
        return self._told

    def _as_wanted(self, column: Any) -> Any:
        return column if self._kind is None else column.astype(self._kind)

    def _coded(self) -> tuple[Any, list[list[int]]] | None:
        """The words of a column of strings, and for each part the codes of its own; None where there are too many."""
        if self._looked:
            return self._coding
        self._looked = True
        reader = self._reader
        if self.size < _LEAST or not all(reader.few_words(part, self._name) for part in reader.parts):
            return None
        parts = list(zip(self._found(), map(str, reader.parts), strict=True))
        found = [words for some in everywhere_reading(_words, parts, reader.shares(current().pes)) for words in some]
        if any(words is None for words in found):
            return None
        every = sorted({word for words in found for word in words})
        if len(every) > _MOST:
            return None
        code_of = {word: code for code, word in enumerate(every)}
        with reading(reader.name):
            words = strings([word.decode() for word in every])
        self._coding = words, [[code_of[word] for word in words] for words in found]
        return self._coding


def _words(here: Any, parts: Sequence[Any], shares: Sequence[range]) -> list[list[bytes] | None]:
    """On each PE: the words of its parts."""
    found: list[list[bytes] | None] = here.parquet_words([parts[number] for number in shares[here.pe]])
    return found


def _fill(
    here: Any, reader: Reader, name: str, shares: Sequence[range] | None, found: Sequence[Any], divisor: float,
    codes: Any,
) -> None:  # fmt: skip
    """On each PE: its parts; or, where there are no shares, of all parts the rows that it has of the input."""
    wanted: Any = None if shares is not None else here.rows()[0]
    tasks: list[tuple[int, int, tuple[int, int, int] | None]] = []  # part, first row here, which rows of it
    if shares is not None:
        first = 0
        for number in shares[here.pe]:
            tasks.append((number, first, None))
            first += reader.parts[number].rows or 0
    elif wanted.size:
        starts = np.cumsum([0, *(part.rows or 0 for part in reader.parts)])
        ends = np.searchsorted(wanted, starts)
        for number in np.flatnonzero(ends[1:] > ends[:-1]).tolist():
            begin, end = int(ends[number]), int(ends[number + 1])
            tasks.append((number, begin, (begin, end, int(starts[number]))))
    decoded = []
    for number, first, rows in tasks:
        part, told = reader.parts[number], found[number]
        if told is None:
            with reading(part):
                _add(
                    here,
                    reader,
                    part,
                    name,
                    first,
                    divisor,
                    None if rows is None else wanted[rows[0] : rows[1]] - rows[2],
                )
            continue
        decoded.append((0, first, told, str(part), divisor, None if codes is None else codes[number], rows))
    decode(here, decoded, wanted)


def _add(here: Any, reader: Reader, part: Part, name: str, first: int, divisor: float, rows: Any) -> None:
    """A part that the engine does not decode, or rows of it."""
    field = reader.schema.field(name).type
    storage = floats_of(field) if divisor else storage_of(field)
    assert storage is not None
    passed = 0
    for batch in reader.read(part, [name], None):
        column = batch.column(0)
        for chunk in column.chunks if hasattr(column, "chunks") else [column]:
            some, at = chunk, first + passed
            if rows is not None:
                begin, end = np.searchsorted(rows, [passed, passed + len(chunk)])
                some, at = chunk.take(rows[begin:end] - passed), first + int(begin)
            passed += len(chunk)
            if len(some):
                here.add(0, at, storage.prepare(some))
