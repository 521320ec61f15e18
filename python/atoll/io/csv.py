# SPDX-License-Identifier: Apache-2.0
"""Text files of separated values: ranges of bytes that begin with a record are what PEs share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from .. import _core, extras
from ..session import current
from ..session.everywhere import everywhere, once
from .dialect import SAMPLE, Dialect, compression_of, header_end, names_in, opened
from .places import Place, place_of
from .reader import Part, Reader, reading, shares
from .reading import expression, read_columns
from .schemas import key_types, typed_keys, with_keys

_ENDINGS = (".csv", ".tsv", ".csv.gz", ".csv.bz2", ".csv.zst", ".csv.xz", ".txt")
_RANGE = 8 << 20  # bytes that a thread reads at a time: some milliseconds, and the file's end is near for all


class CsvReader(Reader):
    """Files of separated values, of which it is known where records begin."""

    def __init__(self, place: Place, dialect: Dialect, names: list[str], keys: Any, parts: list[Part]) -> None:
        self.place, self.dialect, self.file_names, self.parts, self.keys = place, dialect, names, parts, keys
        self.kinds: dict[str, Any] = {}  # types that are known; others are guessed
        self.schema: Any = None

    def set_kinds(self, kinds: Mapping[str, Any]) -> None:
        """Says what the columns are."""
        import pyarrow as pa

        self.kinds = dict(kinds)
        self.schema = with_keys(pa.schema([(name, kinds[name]) for name in self.file_names]), self.keys)

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """One table of the range's rows."""
        wanted = [name for name in columns if name in self.file_names]
        # Rows are counted by a column at least.
        table = self.parse(part, wanted or self.file_names[:1])
        yield typed_keys(table, part, columns, self.schema)

    def parse(self, part: Part, wanted: Sequence[str] | None = None) -> Any:
        """A range's columns, as Arrow reads them."""
        import pyarrow as pa
        from pyarrow import csv

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
        table = csv.read_csv(pa.BufferReader(data), **self.options(wanted, len(data) + 1))
        return table if self.dialect.nrows is None else table.slice(0, self.dialect.nrows)

    def options(self, wanted: Sequence[str] | None, block: int) -> dict[str, Any]:
        """What pyarrow.csv is told; blocks of so many bytes."""
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
        return {"read_options": read, "parse_options": dialect.parse_options(), "convert_options": convert}


def csv_columns(
    where: Any, columns: Collection[str] | None = None, *, dtype: Any = None, filters: Any = None,
    storage_options: dict[str, Any] | None = None, **dialect: Any,
) -> dict[str, Any]:  # fmt: skip
    """Columns of text files of separated values, by name.

    Parameters
    ----------
    where
        A path, a list of paths, a pattern, a directory, a URL, or a stream; files are decompressed as their names end.
    columns : list of str, optional
        Which columns to read.
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
    try:
        return read_columns(reader, columns, expression(filters))
    except ValueError as error:
        # What the beginning looked like does not hold for all of it.
        if "conversion error" not in str(error) or not guess_from_all(reader, dtype):
            raise
    return read_columns(reader, columns, expression(filters))


def csv_reader(where: Any, dtype: Any, dialect: Dialect, storage_options: dict[str, Any] | None = None) -> CsvReader:
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
        parts.append(Part(file, begin, size, keys=of_file, unit="bytes from", end=end))
    return CsvReader(place, dialect, names, keys, parts)


def _cut(reader: CsvReader) -> list[Part]:
    """Ranges that begin with a record and end before one."""
    ranges = [
        replace(part, number=begin, size=min(_RANGE, part.end - begin), end=min(begin + _RANGE, part.end))
        if part.end
        else part
        for part in reader.parts
        for begin in range(part.number, max(part.end, part.number + 1), _RANGE)
    ]
    if len(ranges) == len(reader.parts):
        return ranges
    session = current()
    answers = everywhere(_scan, reader, ranges, shares(ranges, session.pes), session.threads)
    parts: list[Part] = []
    state = 0
    for part, scan in zip(ranges, [scan for some in answers for scan in some], strict=True):
        last = parts[-1] if parts else None
        if last is None or last.file != part.file or not part.end:
            parts.append(part)
            state = 0
        elif (first := scan[state][1]) < 0:  # no record begins here
            parts[-1] = replace(last, end=part.end, size=part.end - last.number)
        else:  # what comes before its first record belongs to the range before it
            border = part.number + first
            parts[-1] = replace(last, end=border, size=border - last.number)
            parts.append(replace(part, number=border, size=part.end - border))
        state = scan[state][0] if scan else 0
    return [part for part in parts if part.size > 0 or not part.end]


def _scan(here: Any, reader: CsvReader, ranges: list[Part], mine: Sequence[range], threads: int) -> list[Any]:
    quote = reader.dialect.quotechar or "\0"

    def one(number: int) -> list[tuple[int, int]]:
        part = ranges[number]
        if not part.end:
            return []
        with reading(part), reader.place.open(part.file) as source:
            source.seek(part.number)
            data = source.read_buffer(part.end - part.number)
            return _core.scan_records(np.frombuffer(data, np.uint8), quote, reader.dialect.sep)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(one, mine[here.pe]))


# -- types --


def _guess(reader: CsvReader, dtype: Any) -> dict[str, Any]:
    """Types of all columns, from what stands at the beginning of the first file."""
    import pyarrow as pa
    from pyarrow import csv

    reader.kinds = _asked(reader, dtype)
    file, schema = reader.parts[0].file, pa.schema([])
    with reading(file), opened(reader.place, file, reader.dialect) as source:
        head = bytes(source.read(SAMPLE))
        body = header_end(head, reader.dialect)
    if head[body:].strip(b"\r\n"):
        with reading(file), opened(reader.place, file, reader.dialect) as source:
            source.read(body)
            schema = csv.open_csv(source, **reader.options(None, SAMPLE)).schema
    return _settled(reader, [schema])


def guess_from_all(reader: CsvReader, dtype: Any) -> bool:
    """Guesses types from all values; whether they differ from what was guessed before."""
    before = reader.schema
    reader.kinds = _asked(reader, dtype)
    session = current()
    answers = everywhere(_schemas, reader, shares(reader.parts, session.pes), session.threads)
    reader.set_kinds(_settled(reader, [schema for some in answers for schema in some]))
    return not reader.schema.equals(before)


def _schemas(here: Any, reader: CsvReader, mine: Sequence[range], threads: int) -> list[Any]:
    def one(number: int) -> Any:
        with reading(reader.parts[number]):
            return reader.parse(reader.parts[number]).schema

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(one, mine[here.pe]))


def _asked(reader: CsvReader, dtype: Any) -> dict[str, Any]:
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
                kind = _wider(kind, found)
            # Without a value it is what pandas makes of it: numbers, all of them missing.
            kind = pa.float64() if pa.types.is_null(kind) else kind
        kinds[name] = kind
    return kinds


def _wider(a: Any, b: Any) -> Any:
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
