# SPDX-License-Identifier: Apache-2.0
"""A file of separated values, some rows at a time: no more of it is in memory than these rows."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from ...io.csv.dialect import SAMPLE, Dialect, header_end, opened
from ...storage.places import Place
from ..index.base import range_index

_NEWLINE, _RETURN = 10, 13


class CsvParts:
    """Frames of some rows each. The labels of rows go on from one to the next."""

    def __init__(
        self, place: Place, dialect: Dialect, read: Callable[[Any, int], Any], size: int | None, numbered: bool
    ) -> None:
        """`read` makes a frame of a stream with the header and some rows, before which so many lines are left out."""
        self._resources, self._place = ExitStack(), place
        self._source = self._resources.enter_context(opened(place, place.files[0], dialect))
        self._dialect, self._read, self._size, self._numbered = dialect, read, size, numbered
        self._plain = True  # no labels lead the values of rows
        self._left, self._lines = dialect.nrows, 0
        self._data, self._rows, self._ended = bytes(self._source.read(SAMPLE)), 0, False
        begin = header_end(self._data, dialect)
        self._head, self._data = self._data[:begin], self._data[begin:]

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.get_chunk()

    def get_chunk(self, size: int | None = None) -> Any:
        """The next rows; StopIteration where there are none."""
        return self.read(self._size if size is None else size)

    def read(self, nrows: int | None = None) -> Any:
        """The next rows, or all that are left."""
        if self._left is not None:
            nrows = self._left if nrows is None else min(nrows, self._left)
        body = self._take(nrows)
        if not body.strip(b"\r\n") and self._rows:
            self.close()
            raise StopIteration
        made = self._read(io.BytesIO(self._head + body), self._lines)
        plain = type(made._index).__name__ == "RangeIndex"
        if self._rows and self._plain and not plain and self._numbered:  # a line with a value more than before
            width = len(made._columns)
            raise parser_error(self._place, width, 2 + self._lines, width + 1)
        self._plain = plain
        self._lines += body.count(b"\n")
        if self._numbered and plain:
            made = made._with_index(range_index(len(made), self._rows))
        self._rows += len(made)
        if self._left is not None:
            self._left -= len(made)
        return made

    def close(self) -> None:
        """Closes the file."""
        self._resources.close()

    def _take(self, rows: int | None) -> bytes:
        """The bytes of the next so many records that are not blank lines."""
        if rows == 0:
            return b""
        while True:
            ends = _ends(self._data, self._dialect.quotechar) if rows is not None else np.empty(0, np.int64)
            if rows is not None and len(ends) >= rows:
                cut = int(ends[rows - 1]) + 1
                break
            more = b"" if self._ended else bytes(self._source.read(max(SAMPLE, len(self._data))))
            if not more:
                self._ended, cut = True, len(self._data)
                break
            self._data += more
        found, self._data = self._data[:cut], self._data[cut:]
        return found


def parser_error(place: Place, wanted: int, line: int, got: int) -> ValueError:
    """pandas' error, which is a ValueError, for a line with too many values; it begins with the file's name."""
    import pandas

    name = "" if place.data is not None else f"cannot read {place.files[0]}: "
    text = f"{name}Error tokenizing data. C error: Expected {wanted} fields in line {line}, saw {got}\n"
    return pandas.errors.ParserError(text)


def _ends(data: bytes, quote: str | None) -> Any:
    """Where records end that have values."""
    if b"\n" not in data:
        return np.empty(0, np.int64)
    held = np.frombuffer(data, np.uint8)
    newline = held == _NEWLINE
    if quote is not None and quote.encode() in data:
        newline &= np.cumsum(held == ord(quote)) % 2 == 0
    ends = np.flatnonzero(newline)
    length = np.diff(ends, prepend=-1) - 1
    returned = (length == 1) & (held[np.maximum(ends - 1, 0)] == _RETURN)
    return ends[(length > 0) & ~returned]
