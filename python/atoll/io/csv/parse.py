# SPDX-License-Identifier: Apache-2.0
"""Ranges of separated values as the engine's parser reads them; what it does not know, pyarrow.csv does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ... import _core
from ...storage.places import Place
from ...storage.source import fill
from ..reader import Part
from .dialect import SAMPLE, Dialect, header_end, opened

_NONE, _INT, _BOOL, _FLOAT, _TEXT = range(5)
_UTF8 = ("utf-8", "utf8", "utf-8-sig")


def knows(dialect: Dialect) -> bool:
    """Whether the parser reads such text."""
    if dialect.byte_wise and dialect.encoding.lower() not in _UTF8:
        return False
    signs = [dialect.sep, dialect.decimal] + ([] if dialect.quotechar is None else [dialect.quotechar])
    apart = all(len(sign) == 1 and sign.isascii() and sign not in "\r\n\0" for sign in signs)
    return apart and dialect.escapechar is None and dialect.quotechar != dialect.sep


def holds(kinds: Mapping[str, Any]) -> bool:
    """Whether columns of all these types come of the parser's."""
    return all(_code(kind) is not None for kind in kinds.values())


def _code(kind: str) -> int | None:
    import pyarrow as pa

    types = pa.types
    if types.is_boolean(kind):
        return _BOOL
    if types.is_integer(kind) and kind != pa.uint64():
        return _INT
    if types.is_float64(kind) or types.is_float32(kind):
        return _FLOAT
    from_text = types.is_timestamp(kind) or types.is_date(kind) or types.is_time(kind) or types.is_decimal128(kind)
    if from_text or kind == pa.uint64() or types.is_string(kind) or types.is_large_string(kind):
        return _TEXT
    return None


def _spoken(dialect: Dialect) -> _core.CsvDialect:
    return _core.CsvDialect(
        dialect.sep, dialect.quotechar, dialect.decimal, dialect.on_bad_lines != "error", dialect.missing,
        ["true", "True", "TRUE", *dialect.true_values], ["false", "False", "FALSE", *dialect.false_values],
    )  # fmt: skip


#: Unused buffers for reuse. Their pages are touched, and they are no larger than typical ranges.
_rooms: list[_core.CsvText] = []
_ROOM = 4 << 20
_MOST_ROOMS = 64


@contextlib.contextmanager
def room(size: int) -> Iterator[_core.CsvText]:
    """Room for so many bytes."""
    text = None
    if size <= _ROOM:
        with contextlib.suppress(IndexError):
            text = _rooms.pop()
    if text is None:
        text = _core.CsvText(size)
    else:
        text.resize(size)
    yield text
    if size <= _ROOM and len(_rooms) < _MOST_ROOMS:
        _rooms.append(text)


@contextlib.contextmanager
def text_of(place: Place, dialect: Dialect, part: Part) -> Iterator[_core.CsvText]:
    """A range's bytes: those of its records."""
    with opened(place, part.file, dialect) as source:
        if part.end:
            source.seek(part.number)
            with room(part.end - part.number) as text:
                fill(source, text.room.data)
                yield text
            return
        whole = memoryview(source.read())
    with filled(whole[header_end(bytes(whole[:SAMPLE]), dialect) :]) as text:
        yield text


@contextlib.contextmanager
def filled(data: Any) -> Iterator[_core.CsvText]:
    """These bytes."""
    with room(len(data)) as text:
        text.room[:] = np.frombuffer(data, np.uint8)
        yield text


def table_of(
    place: Place, dialect: Dialect, part: Part, names: Sequence[str], kinds: Mapping[str, Any], wanted: Sequence[str]
) -> tuple[Any, int]:
    """The wanted columns of a range, of these types, and how many bad lines were passed over."""
    import pyarrow as pa

    codes = [(_code(kinds[name]) or _NONE) if name in wanted else _NONE for name in names]
    with text_of(place, dialect, part) as text:
        rows, skipped, columns, fault = text.parse(_spoken(dialect), codes)
    _raise(place, dialect, part, names, fault)
    by_name = {name: one for name, one in zip(names, zip(codes, columns, strict=True), strict=True) if name in wanted}
    return pa.table({name: _typed(name, kinds[name], _array(rows, *by_name[name])) for name in wanted}), skipped


def _array(rows: int, code: int, column: tuple[Any, Any, Any, int]) -> Any:
    import pyarrow as pa

    values, offsets, valid, missing = column
    bits = None if valid is None else pa.py_buffer(valid)
    data = pa.py_buffer(b"" if values is None else values)
    if code == _TEXT:
        return pa.Array.from_buffers(pa.large_string(), rows, [bits, pa.py_buffer(offsets), data], missing)
    if code == _BOOL:
        made = pa.py_buffer(np.packbits(np.frombuffer(data, np.bool_), bitorder="little"))
        return pa.Array.from_buffers(pa.bool_(), rows, [bits, made], missing)
    return pa.Array.from_buffers(pa.int64() if code == _INT else pa.float64(), rows, [bits, data], missing)


def _typed(name: str, kind: Any, array: Any) -> Any:
    """The column as the type that was asked for."""
    import pyarrow as pa

    if array.type == kind:
        return array
    try:
        return array.cast(kind, safe=not pa.types.is_floating(kind))
    except pa.ArrowInvalid as error:
        raise ValueError(f"column {name!r}: conversion error to {kind}: {error}") from error


def rows_end(source: Any, begin: int, size: int, dialect: Dialect, columns: int) -> int:
    """The start of the record after the wanted rows from `begin` on; the file's size if unknown."""
    data, more = b"", SAMPLE
    while knows(dialect) and begin + len(data) < size:
        found = bytes(source.read(more))
        if not found:  # it has become shorter, which its reader reports
            break
        data += found
        cut = data.rfind(b"\n") + 1
        with filled(data[:cut]) as text:
            rows, _, _, fault = text.parse(_spoken(replace(dialect, on_bad_lines="skip")), [_NONE] * columns)
        if fault is None and rows > (dialect.nrows or 0):
            return begin + cut
        more = 3 * len(data)
    return size


def schema_of(place: Place, dialect: Dialect, part: Part, names: Sequence[str]) -> Any:
    """Types of the values of a range."""
    with text_of(place, dialect, part) as text:
        kinds, fault = text.guess(_spoken(dialect), len(names))
    _raise(place, dialect, part, names, fault)
    return _schema(names, kinds)


def schema_of_sample(dialect: Dialect, body: bytes, whole: bool, names: Sequence[str]) -> Any:
    """The same of what stands at a file's beginning; what is wrong there is told when it is read."""
    body = body if whole else body[: body.rfind(b"\n") + 1]
    with filled(body) as text:
        kinds, _ = text.guess(_spoken(dialect), len(names))
    return _schema(names, kinds)


def _schema(names: Sequence[str], kinds: Sequence[int]) -> Any:
    import pyarrow as pa

    types = [pa.null(), pa.int64(), pa.bool_(), pa.float64(), pa.large_string()]
    return pa.schema([(name, types[kind]) for name, kind in zip(names, kinds, strict=True)])


def _raise(place: Place, dialect: Dialect, part: Part, names: Sequence[str], fault: Any) -> None:
    if fault is not None:
        text, at, column = fault
        where = "" if column is None else f", column {names[column]!r}"
        raise ValueError(f"line {_line(place, dialect, part, at)}{where}: {text}")


def _line(place: Place, dialect: Dialect, part: Part, at: int) -> int:
    """Number of a line in its file, of a byte in a range."""
    with opened(place, part.file, dialect) as source:
        first = bytes(source.read(SAMPLE))
        left = (part.number if part.end else header_end(first, dialect)) + at
        lines, some = 1, first
        while left > 0 and some:
            lines += some[:left].count(b"\n")
            left -= len(some)
            some = bytes(source.read(SAMPLE)) if left > 0 else b""
    return lines
