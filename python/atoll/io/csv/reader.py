# SPDX-License-Identifier: Apache-2.0
"""Text files of separated values: ranges of bytes that begin with a record are what PEs share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core, extras
from ...session import current
from ...session.everywhere import everywhere, once
from ...storage.places import Place, place_of
from ...storage.source import reading
from ..reader import Part, Reader, shares
from ..reading import expression, mapped, read_columns
from ..schemas import key_types, typed_keys, with_keys
from . import parse as csvparse
from .dialect import SAMPLE, Dialect, compression_of, header_end, names_in, opened

if TYPE_CHECKING:
    from ...annotations import ArrayLike, DTypeLike, Files

_ENDINGS = (".csv", ".tsv", ".csv.gz", ".csv.bz2", ".csv.zst", ".csv.xz", ".txt")
_RANGE = 1 << 20  # bytes that a thread reads at a time: they stay in its cache, and the file's end is near for all
_PLAIN, _QUOTED = 1, 2  # states of `_core.scan_records`
_FAR_RANGE = 8 << 20  # the same of files that are not on this machine


class CsvReader(Reader):
    """Files of separated values, of which it is known where records begin."""

    def __init__(self, place: Place, dialect: Dialect, names: list[str], keys: Any, parts: list[Part]) -> None:
        self.place, self.dialect, self.file_names, self.parts, self.keys = place, dialect, names, parts, keys
        self.skipped: list[tuple[str, int]] = []
        self.kinds: dict[str, Any] = {}  # types that are known; others are guessed
        self.schema: Any = None

    def set_kinds(self, kinds: Mapping[str, Any]) -> None:
        """Determines names and types of the columns."""
        import pyarrow as pa

        self.kinds = {name: pa.large_string() if pa.types.is_string(kind) else kind for name, kind in kinds.items()}
        self.schema = with_keys(pa.schema([(name, self.kinds[name]) for name in self.file_names]), self.keys)

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """One table of the range's rows."""
        wanted = [name for name in columns if name in self.file_names]
        # Rows are counted by a column at least.
        table = self.parse(part, wanted or self.file_names[:1])
        yield typed_keys(table, part, columns, self.schema)

    def parse(self, part: Part, wanted: Sequence[str] | None = None) -> Any:
        """A range's columns."""
        import pyarrow as pa
        from pyarrow import csv

        if wanted is not None and csvparse.knows(self.dialect) and csvparse.holds(self.kinds):
            table, skipped = csvparse.table_of(self.place, self.dialect, part, self.file_names, self.kinds, wanted)
            self._note(part, skipped)
            return table if self.dialect.nrows is None else table.slice(0, self.dialect.nrows)
        with opened(self.place, part.file, self.dialect) as source:
            if part.end:
                source.seek(part.number)
                data: Any = source.read_buffer(part.end - part.number)
                if len(data) < part.end - part.number:
                    raise ValueError("the file has become shorter")
            else:
                whole = memoryview(source.read())
                data = pa.py_buffer(whole[header_end(bytes(whole[:SAMPLE]), self.dialect) :])
        if len(data) == 0 or (len(data) < 4096 and not bytes(data).strip(b"\r\n")):
            names = self.file_names if wanted is None else wanted
            return pa.table({name: pa.nulls(0, self.kinds.get(name, pa.null())) for name in names})
        passed: list[Any] = []
        table = csv.read_csv(pa.BufferReader(data), **self.options(wanted, len(data) + 1, passed))
        self._note(part, len(passed))
        return table if self.dialect.nrows is None else table.slice(0, self.dialect.nrows)

    def _note(self, part: Part, skipped: int) -> None:
        if skipped and self.dialect.on_bad_lines == "warn":
            self.skipped.append((part.file, skipped))

    def options(self, wanted: Sequence[str] | None, block: int, passed: list[Any]) -> dict[str, Any]:
        """Options for pyarrow.csv with this block size; `passed` receives the skipped invalid lines."""
        from pyarrow import csv

        dialect = self.dialect
        convert = csv.ConvertOptions(
            column_types=self.kinds or None, null_values=dialect.missing, strings_can_be_null=True,
            quoted_strings_can_be_null=True, decimal_point=dialect.decimal,
            include_columns=None if wanted is None else list(wanted),
            true_values=["true", "True", "TRUE", *dialect.true_values],
            false_values=["false", "False", "FALSE", *dialect.false_values],
        )  # fmt: skip
        read = csv.ReadOptions(
            use_threads=False, block_size=min(max(block, 1024), (1 << 31) - 1), column_names=self.file_names,
            encoding=dialect.arrow_encoding,
        )  # fmt: skip
        return {"read_options": read, "parse_options": dialect.parse_options(passed), "convert_options": convert}


def csv_columns(
    where: Any, columns: Collection[str] | Callable[[str], bool] | None = None, *, dtype: Any = None,
    filters: object = None, storage_options: dict[str, Any] | None = None, **dialect: Any,
) -> dict[str, Any]:  # fmt: skip
    """Columns of text files of separated values, by name.

    Parameters
    ----------
    where
        A path, a list of paths, a pattern, a directory, a URL, or a stream; files are decompressed as their names end.
    columns : list of str or callable, optional
        Which columns to read: names, or what says of a name whether.
    dtype
        A type for all columns, or a mapping from names to types; others are guessed.
    filters
        Rows to read; see `parquet_columns`.
    dialect
        How the text is written: the fields of `Dialect`.

    Examples
    --------
    >>> import io
    >>> from atoll.io.csv import csv_columns
    >>> csv_columns(io.StringIO("a,b\\n1,x\\n2,\\n"))
    {'a': array([1, 2]), 'b': strings(['x', None])}
    """
    reader = csv_reader(where, dtype, Dialect(**dialect), storage_options)
    if callable(columns):
        columns = frozenset(filter(columns, reader.schema.names))
    if isinstance(columns, frozenset) and (lost := sorted(columns.difference(reader.schema.names))):
        there = ", ".join(map(repr, reader.schema.names))
        raise ValueError(f"Usecols do not match columns, columns expected but not found: {lost}; there are {there}")
    try:
        return read_columns(reader, columns, expression(filters))
    except ValueError as error:
        # Types inferred from the beginning do not hold for the rest.
        if "conversion error" not in str(error) or not guess_from_all(reader, dtype):
            raise
    return read_columns(reader, columns, expression(filters))


def csv_reader(
    where: Files, dtype: DTypeLike, dialect: Dialect, storage_options: dict[str, Any] | None = None
) -> CsvReader:
    """A reader of the files, with types guessed from the first megabyte of the first."""
    extras.module("pyarrow.csv", "CSV")
    reader = once(_plan, place_of(where, _ENDINGS, storage_options), dialect)
    reader.parts = _cut(reader)
    reader.set_kinds(once(_guess, reader, dtype))
    return reader


# -- ranges --


def _plan(place: Place, dialect: Dialect) -> CsvReader:
    """Names of the columns, and one part for each file."""
    keys, values = key_types(place)
    parts: list[Part] = []
    names: list[str] = []
    for file, of_file in zip(place.files, values, strict=True):
        with reading(file), opened(place, file, dialect) as source:
            head = bytes(source.read(SAMPLE))
            found = names_in(head, dialect)
        if parts and found != names:
            raise ValueError(f"{file} has columns {found}, {place.files[0]} has {names}")
        names, size = found, place.size(file)
        whole = not dialect.plain or compression_of(file, dialect.compression) is not None
        begin, end = (0, 0) if whole else (header_end(head, dialect), size)
        if end and dialect.nrows is not None:
            with reading(file), opened(place, file, dialect) as source:
                source.seek(begin)
                end = csvparse.rows_end(source, begin, size, dialect, len(found))
        parts.append(Part(file, begin, size, keys=of_file, unit="bytes from", end=end))
    return CsvReader(place, dialect, names, keys, parts)


def _cut(reader: CsvReader) -> list[Part]:
    """Ranges that begin with a record and end before one."""
    step = _RANGE if reader.place.system is None else _FAR_RANGE
    ranges = [
        replace(part, number=begin, size=min(step, part.end - begin), end=min(begin + step, part.end))
        if part.end
        else part
        for part in reader.parts
        for begin in range(part.number, max(part.end, part.number + 1), step)
    ]
    if len(ranges) == len(reader.parts) or reader.dialect.nrows is not None:
        return reader.parts
    session = current()
    answers = everywhere(_survey, reader, ranges, shares(ranges, session.pes), session.threads)
    return _joined(reader, ranges, [one for some in answers for one in some])


def _joined(reader: CsvReader, ranges: list[Part], surveys: list[Any]) -> list[Part]:
    """The ranges with their borders moved to where records begin, and their rows where each line is a record."""
    parts: list[Part] = []
    counts = reader.dialect.on_bad_lines == "error"
    # How the ranges before end, how many lines end in them (-1: unknown), and how many do before the part in work.
    state, lines, before = 0, 0, 0
    byte_before = ""

    def close(end: int, behind: int) -> None:
        rows = behind - before if counts and lines >= 0 else None
        parts[-1] = replace(parts[-1], end=end, size=end - parts[-1].number, rows=rows)

    for at, (part, (first_byte, last_byte, survey)) in enumerate(zip(ranges, surveys, strict=True)):
        if part.number == part.end:  # a whole file, or no records
            parts.append(part)
            continue
        fresh = at == 0 or ranges[at - 1].file != part.file or ranges[at - 1].end != part.number
        if fresh:
            state = lines = before = 0
            byte_before = "\n"
        end, first, ended = survey[state == _QUOTED]
        if end < 0 or (state == _PLAIN and first_byte == reader.dialect.quotechar):
            (end, first), ended = once(_scan, reader, part, state), -1
        if ended < 0 or (byte_before in "\r\n" and first_byte in "\r\n"):
            lines = -1
        if fresh:
            parts.append(part)
        elif first >= 0:  # what comes before its first record belongs to the range before it
            border = part.number + first
            close(border, lines + 1)
            before = lines + 1
            parts.append(replace(part, number=border))
        state, lines, byte_before = end, lines if lines < 0 else lines + ended, last_byte
        close(part.end, lines + (last_byte != "\n"))
    return [part for part in parts if part.size > 0 or not part.end]


def _survey(here: Any, reader: CsvReader, ranges: list[Part], mine: Sequence[range], threads: int) -> list[Any]:
    def one(number: int) -> tuple[str, str, list[tuple[int, int, int]]]:
        part = ranges[number]
        if part.number == part.end:
            return "", "", []
        with reading(part), csvparse.text_of(reader.place, reader.dialect, part) as text:
            found = text.survey(reader.dialect.quotechar, reader.dialect.sep)
            return chr(text.room[0]), chr(text.room[-1]), found

    return mapped(one, mine[here.pe], threads)


def _scan(reader: CsvReader, part: Part, state: int) -> tuple[int, int]:
    """How a range ends that begins in a state, and where its first record begins; any quotes."""
    with reading(part), csvparse.text_of(reader.place, reader.dialect, part) as text:
        return _core.scan_records(text.room, reader.dialect.quotechar or "\0", reader.dialect.sep)[state]


# -- types --


def _guess(reader: CsvReader, dtype: DTypeLike) -> dict[str, Any]:
    """Types of all columns, from what stands at the beginning of the first file."""
    import pyarrow as pa
    from pyarrow import csv

    reader.kinds = _asked(reader, dtype)
    file, schema = reader.parts[0].file, pa.schema([])
    with reading(file), opened(reader.place, file, reader.dialect) as source:
        head = bytes(source.read(SAMPLE))
        body = header_end(head, reader.dialect)
    if csvparse.knows(reader.dialect) and not reader.dialect.dates:
        schema = csvparse.schema_of_sample(reader.dialect, head[body:], len(head) < SAMPLE, reader.file_names)
    elif head[body:].strip(b"\r\n"):
        with reading(file), opened(reader.place, file, reader.dialect) as source:
            source.read(body)
            schema = csv.open_csv(source, **reader.options(None, SAMPLE, [])).schema
    return _settled(reader, [schema])


def guess_from_all(reader: CsvReader, dtype: DTypeLike) -> bool:
    """Guesses types from all values; whether they differ from what was guessed before."""
    before = reader.schema
    reader.kinds = _asked(reader, dtype)
    session = current()
    answers = everywhere(_schemas, reader, shares(reader.parts, session.pes), session.threads)
    reader.set_kinds(_settled(reader, [schema for some in answers for schema in some]))
    return not reader.schema.equals(before)


def _schemas(here: Any, reader: CsvReader, mine: Sequence[range], threads: int) -> list[Any]:
    def one(number: int) -> Any:
        part = reader.parts[number]
        with reading(part):
            if csvparse.knows(reader.dialect) and not reader.dialect.dates:
                return csvparse.schema_of(reader.place, reader.dialect, part, reader.file_names)
            return reader.parse(part).schema

    return mapped(one, mine[here.pe], threads)


def _asked(reader: CsvReader, dtype: DTypeLike) -> dict[str, Any]:
    if dtype is None:
        return {}
    if not isinstance(dtype, Mapping):
        return {name: arrow_type(dtype) for name in reader.file_names}
    for name in dtype:
        if name not in reader.file_names:
            raise KeyError(f"dtype names no column of the file: {name!r}")
    return {name: arrow_type(kind) for name, kind in dtype.items()}


def _settled(reader: CsvReader, schemas: Sequence[Any]) -> dict[str, Any]:
    """One type for each column into which what the parts have fits."""
    import pyarrow as pa

    kinds = {}
    for name in reader.file_names:
        kind = reader.kinds.get(name)
        if kind is None:
            kind = pa.null()
            for schema in schemas:
                found = schema.field(name).type if name in schema.names else pa.null()
                if pa.types.is_temporal(found) and name not in reader.dialect.dates:
                    found = pa.string()
                if pa.types.is_binary(found):
                    raise ValueError(f"cannot read {reader.name}: column {name!r} is not in {reader.dialect.encoding}")
                kind = _wider(kind, pa.string() if pa.types.is_large_string(found) else found)
            # Without a value it is what pandas makes of it: numbers, all of them missing.
            kind = pa.float64() if pa.types.is_null(kind) else kind
        kinds[name] = kind
    return kinds


def _wider(a: ArrayLike, b: ArrayLike) -> Any:
    import pyarrow as pa

    if a == b or pa.types.is_null(b):
        return a
    if pa.types.is_null(a):
        return b
    numbers = [kind for kind in (a, b) if pa.types.is_integer(kind) or pa.types.is_floating(kind)]
    if len(numbers) == 2:
        return pa.float64()
    if pa.types.is_temporal(a) and pa.types.is_temporal(b):
        return pa.timestamp("ns")
    return pa.string()


def arrow_type(dtype: Any) -> Any:
    """Arrow's type of a NumPy, pandas or Python type, or of a type's name."""
    import pyarrow as pa

    if isinstance(dtype, pa.DataType):
        return dtype
    if dtype in (str, object) or (isinstance(dtype, str) and dtype in ("str", "string", "object", "category")):
        return pa.string()
    if isinstance(dtype, str) and dtype[:1] in "IUFb":  # pandas' nullable types
        dtype = dtype.replace("Int", "int").replace("UI", "ui").replace("Float", "float").replace("boolean", "bool")
    return pa.from_numpy_dtype(np.dtype(dtype))
