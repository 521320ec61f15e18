# SPDX-License-Identifier: Apache-2.0
"""How text files of separated values are written, and what stands at their beginning."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ... import _core
from ...storage.places import Place

#: What stands for a missing value, as in pandas.
MISSING = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
]  # fmt: skip
#: Bytes at the beginning that hold the header, and from which types are guessed.
SAMPLE = 1 << 20
_LINE = 4096  # bytes in which most records end
_BYTE_WISE = ("utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1", "cp1252")
_COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4", ".xz": "xz", ".zip": "zip"}


@dataclass(frozen=True)
class Dialect:
    """How the text is written; names as pandas'."""

    sep: str = ","
    quotechar: str | None = '"'
    escapechar: str | None = None
    header: int | None = 0  # line of the names, of those that are not skipped; None: there is none
    names: list[str] | None = None
    skiprows: int = 0
    encoding: str = "utf-8"
    decimal: str = "."
    compression: str | None = "infer"
    on_bad_lines: str = "error"  # or "warn", "skip"
    missing: list[str] = field(default_factory=lambda: list(MISSING))
    true_values: list[str] = field(default_factory=list)
    false_values: list[str] = field(default_factory=list)
    dates: tuple[str, ...] = ()  # columns whose values may become dates
    nrows: int | None = None

    def __post_init__(self) -> None:
        if self.on_bad_lines not in ("error", "warn", "skip"):
            raise ValueError(f'on_bad_lines is "error", "warn" or "skip", not {self.on_bad_lines!r}')

    @property
    def plain(self) -> bool:
        """Whether a range of bytes can be read without those before it."""
        return self.escapechar is None and self.byte_wise

    @property
    def byte_wise(self) -> bool:
        """Whether separators, quotes and ends of lines are the bytes of ASCII; else the text is decoded first."""
        return self.encoding.lower() in _BYTE_WISE

    @property
    def arrow_encoding(self) -> str:
        """Options for pyarrow.csv."""
        return self.encoding if self.byte_wise else "utf-8"

    def parse_options(self, passed: list[Any]) -> Any:
        """The same for pyarrow.csv; `passed` gets the bad lines that are passed over."""
        from pyarrow import csv as arrow_csv

        def skip(row: Any) -> str:
            passed.append(row)
            return "skip"

        return arrow_csv.ParseOptions(
            delimiter=self.sep, quote_char=self.quotechar or False, escape_char=self.escapechar or False,
            newlines_in_values=self.quotechar is not None,
            invalid_row_handler=None if self.on_bad_lines == "error" else skip,
        )  # fmt: skip


def compression_of(file: str, compression: str | None) -> str | None:
    """How a file is compressed: as is said, or as its name ends."""
    if compression == "infer":
        return next((kind for ending, kind in _COMPRESSIONS.items() if file.endswith(ending)), None)
    return compression


@contextlib.contextmanager
def opened(place: Place, file: str, dialect: Dialect) -> Iterator[Any]:
    """The file; decompressed on the way where it is compressed."""
    import pyarrow as pa

    kind = compression_of(file, dialect.compression)
    if not dialect.byte_wise:
        with opened(place, file, replace(dialect, encoding="utf-8")) as source:
            yield io.BytesIO(bytes(source.read()).decode(dialect.encoding).encode())
        return
    with place.open(file) as source:
        if kind is None:
            yield source
        elif kind == "xz":
            import lzma

            with lzma.open(source) as content:
                yield content
        elif kind == "zip":
            import zipfile

            with zipfile.ZipFile(source) as archive, archive.open(archive.namelist()[0]) as member:
                yield member
        else:
            yield pa.CompressedInputStream(source, kind)


def header_end(head: bytes, dialect: Dialect) -> int:
    """Where the first record begins: behind a byte order mark, the lines that are skipped, and the header."""
    at = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    for _ in range(dialect.skiprows + (0 if dialect.header is None else dialect.header + 1)):
        at = _next_record(head, at, dialect)
    return at


def _next_record(head: bytes, at: int, dialect: Dialect) -> int:
    if at >= len(head):
        return len(head)
    for some in (head[at : at + _LINE], head[at:]):
        found = _core.scan_records(np.frombuffer(some, np.uint8), dialect.quotechar or "\0", dialect.sep)[0][1]
        if found >= 0:
            return at + int(found)
    return len(head)


def names_in(head: bytes, dialect: Dialect) -> list[str]:
    """Names of the columns: as is said, of the header, or numbers."""
    if dialect.names is not None:
        return list(dialect.names)
    begin = header_end(head, replace(dialect, skiprows=dialect.skiprows + (dialect.header or 0), header=None))
    line = head[begin : _next_record(head, begin, dialect)].strip(b"\r\n")
    if not line:
        raise ValueError("no columns: the file is empty, or has no more lines than are skipped")
    texts = io.StringIO(line.decode(dialect.arrow_encoding), newline="")
    quoting: Any = csv.QUOTE_NONE if dialect.quotechar is None else csv.QUOTE_MINIMAL
    try:
        row = next(csv.reader(
            texts, delimiter=dialect.sep, quotechar=dialect.quotechar, quoting=quoting, escapechar=dialect.escapechar
        ))  # fmt: skip
    except csv.Error as error:
        raise ValueError(f"the names of the columns: {error}") from error
    if dialect.header is None:
        return [str(number) for number in range(len(row))]
    return _distinct([name or f"Unnamed: {at}" for at, name in enumerate(row)])


def _distinct(names: list[str]) -> list[str]:
    """Names as pandas tells them apart: x, x.1, x.2."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.append(f"{name}.{count}" if count else name)
    return found
