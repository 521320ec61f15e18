# SPDX-License-Identifier: Apache-2.0
"""JSON lines: one object a line; ranges of bytes that begin with a line are what PEs share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ... import extras
from ...columns.categorical.categorical import Categorical
from ...columns.datetime.ticks import Ticks
from ...session import current
from ...session.everywhere import everywhere, once
from ...storage.places import Place, place_of, target_of
from ...storage.source import reading
from ..csv.dialect import Dialect, compression_of
from ..csv.dialect import opened as opened_text
from ..csv.writer import compressed
from ..lines import Form, LineColumn, is_plain, write_lines
from ..reader import Part, Reader, shares
from ..reading import expression, mapped, read_columns
from ..schemas import key_types, typed_keys, unified, with_keys
from ..writing import checked, write_tables
from .checks import Broken, check, line_of

if TYPE_CHECKING:
    from ...annotations import Files

_ENDINGS = (".jsonl", ".ndjson", ".json", ".jsonl.gz", ".json.gz")
_RANGE = 8 << 20
_SAMPLE = 1 << 20  # bytes whose types are tried for all
_ROWS = 1 << 12  # that become lines at a time: signals are handled in between
_LOOK = 1 << 16  # bytes in which the end of a line is looked for at a time


class JsonReader(Reader):
    """Files of lines. What their columns are is known once all parts have been looked at."""

    def __init__(self, place: Place, compression: str | None, keys: Any, parts: list[Part]) -> None:
        self.place, self.compression, self.keys, self.parts = place, compression, keys, parts
        self.file_schema: Any = None
        self.complete = True  # whether the schema, once it is set, has all columns

    def set_schema(self, schema: object, complete: bool = True) -> None:
        """Determines names and types of the columns; if other columns are an error, the schema is incomplete."""
        self.complete = complete
        self.file_schema, self.schema = schema, with_keys(schema, self.keys)

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """One table of the range's objects."""
        yield typed_keys(self.parse(part), part, columns, self.schema)

    def parse(self, part: Part) -> Any:
        """The lines that begin in the range."""
        import pyarrow as pa
        from pyarrow import json

        with opened_text(self.place, part.file, Dialect(compression=self.compression)) as source:
            begin = 0
            if not part.end:
                data = source.read()
            else:
                begin = _line(source, part.number)
                end = _line(source, part.end)
                source.seek(begin)
                data = source.read(max(end - begin, 0))
        if not data.strip():
            return pa.table({})
        others = "infer" if self.complete else "error"
        parse = json.ParseOptions(explicit_schema=self.file_schema, unexpected_field_behavior=others)
        read = json.ReadOptions(use_threads=False, block_size=min(len(data) + 1, (1 << 31) - 1))
        try:
            check(data)
            made = json.read_json(pa.BufferReader(data), read, parse)
            made.column_names  # noqa: B018  # raises when they are no strings
        except Broken as error:
            raise self._located(part, begin, error) from None
        except ValueError as error:
            broken = line_of(data, error)
            raise (error if broken is None else self._located(part, begin, broken)) from None
        return made

    def _located(self, part: Part, begin: int, broken: Broken) -> ValueError:
        """The error about a line of a range that begins there, with the line's number in the file."""
        before = 0
        with opened_text(self.place, part.file, Dialect(compression=self.compression)) as source:
            while begin > 0 and (data := bytes(source.read(min(begin, _RANGE)))):
                before, begin = before + data.count(b"\n"), begin - len(data)
        return ValueError(f"line {before + broken.line + 1} {broken.what}")


def _line(source: Any, at: int) -> int:
    """Where the first line begins at `at` or behind it."""
    if at == 0:
        return 0
    source.seek(at - 1)
    while data := bytes(source.read(_LOOK)):
        found = data.find(b"\n")
        if found >= 0:
            return int(source.tell()) - len(data) + found + 1
    return int(source.tell())


def _plan(place: Place, compression: str | None) -> JsonReader:
    keys, values = key_types(place)
    parts = []
    for file, of_file in zip(place.files, values, strict=True):
        with reading(file):
            size = place.size(file)
        if compression_of(file, compression) is not None:
            parts.append(Part(file, 0, size, keys=of_file, unit="bytes from"))
            continue
        for begin in range(0, max(size, 1), _RANGE):
            end = min(begin + _RANGE, size)
            parts.append(Part(file, begin, end - begin, keys=of_file, unit="bytes from", end=end))
    return JsonReader(place, compression, keys, parts)


def _schema_of_sample(reader: JsonReader) -> Any:
    """Types inferred from the beginning of a long file; None for short files, or when it is invalid."""
    first = reader.parts[0]
    if not first.end or sum(part.size for part in reader.parts) <= 2 * _SAMPLE:
        return None
    with contextlib.suppress(ValueError, OSError):
        found = reader.parse(replace(first, end=min(first.end, _SAMPLE))).schema
        return found if len(found) else None


def _schemas(here: Any, reader: JsonReader, mine: Sequence[range], threads: int) -> list[Any]:
    def one(number: int) -> Any:
        with reading(reader.parts[number]):
            return reader.parse(reader.parts[number]).schema

    return mapped(one, mine[here.pe], threads)


def json_columns(
    where: Files, columns: Sequence[str] | None = None, *, filters: object = None, compression: str | None = "infer",
    storage_options: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Columns of files with a JSON object in each line, by name; parameters as `parquet_columns`.

    Types are those into which all objects' values fit: those of the first megabyte, if they do for all, else
    what a look at all objects says.

    Examples
    --------
    >>> import io
    >>> from atoll.io.json import json_columns
    >>> json_columns(io.StringIO('{"a": 1, "b": "x"}\\n{"a": 2}\\n'))
    {'a': array([1, 2]), 'b': strings(['x', None])}
    """
    extras.module("pyarrow.json", "reading JSON")
    reader = once(_plan, place_of(where, _ENDINGS, storage_options), compression)
    sample = once(_schema_of_sample, reader)
    if sample is not None:
        reader.set_schema(sample, complete=False)
        # Types inferred from the beginning may not hold for the rest.
        with contextlib.suppress(ValueError, KeyError, TypeError):
            return read_columns(reader, columns, expression(filters))
        reader.file_schema, reader.complete = None, True
    session = current()
    answers = everywhere(_schemas, reader, shares(reader.parts, session.pes), session.threads)
    schemas = [schema for some in answers for schema in some]
    reader.set_schema(unified(schemas, [str(part) for part in reader.parts]))
    return read_columns(reader, columns, expression(filters))


class _Lines:
    """Writes tables as JSON, a row to a line."""

    def __init__(self, sink: Any) -> None:
        self._sink = sink

    def write(self, table: Any) -> None:
        import json

        for batch in table.to_batches(max_chunksize=_ROWS):
            rows = (
                json.dumps(row, default=str, ensure_ascii=False, separators=(",", ":")) for row in batch.to_pylist()
            )
            text = "\n".join(rows)
            self._sink.write((text + "\n" if text else "").encode())


def write_json(where: Any, columns: Mapping[str, Any], *, storage_options: dict[str, Any] | None = None) -> None:
    """Writes columns as JSON lines: an object for each row, null where a value is missing or no number.

    Files are written by all PEs, each its own rows; those whose names end so are compressed, by one PE.
    """
    system, target = target_of(where, storage_options)
    parts = _parts_of_lines(checked(columns)) if system is None and isinstance(target, str) else None
    kind = compression_of(target, "infer") if isinstance(target, str) else None
    if parts and isinstance(target, str) and kind is None:
        write_lines(target, b"", parts, Form(True, ",", '"', "null", "}\n"))
        return

    @contextlib.contextmanager
    def opened(sink: Any, schema: object) -> Iterator[_Lines]:
        with compressed(sink, kind) as out:
            yield _Lines(out)

    write_tables(where, columns, opened, storage_options)


def _parts_of_lines(columns: Mapping[str, Any]) -> list[LineColumn] | None:
    """The columns as numbers and strings; None when one is of values that are neither, lists say."""
    import json

    found: list[LineColumn] = []
    for name, column in columns.items():
        before = ("," if found else "{") + json.dumps(name, ensure_ascii=False) + ":"
        if isinstance(column, (Ticks, Categorical)):
            column = column.astype("str")
        if not is_plain(column):
            return None
        found.append(LineColumn(column, before))
    return found
