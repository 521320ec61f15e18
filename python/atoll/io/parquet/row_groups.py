# SPDX-License-Identifier: Apache-2.0
"""Row groups of Parquet files, whose columns all threads encode and compress, put one behind the other.

pyarrow writes some columns of a row group as a file of its own in memory. The pages of that go into the file, and what
its footer says of them goes, with other places, into the file's footer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .thrift import I16, I32, I64, LIST, STRUCT, Struct, packed, parsed

if TYPE_CHECKING:
    from ...annotations import Label

MAGIC = b"PAR1"
_LEAST = 1 << 20  # bytes of columns that are worth a file of their own
_LOOKED_AT = 1 << 12  # rows that are looked at to see whether a dictionary is worth its time
_ALIKE = 32  # of them, when a dictionary of a megabyte would not do: 2^18 distinct values
#: Options of pyarrow's writer that say something of the whole file: with them it writes that itself.
_WHOLE = ("encryption_properties", "sorting_columns", "flavor")

# Fields as the format numbers them: of FileMetaData, RowGroup, ColumnChunk, ColumnMetaData, OffsetIndex, PageLocation.
_ROWS, _GROUPS = 3, 4
_COLUMNS, _BYTES, _GROUP_ROWS, _GROUP_AT, _PACKED_BYTES, _ORDINAL = 1, 2, 3, 5, 6, 7
_CHUNK_AT, _CHUNK, _OFFSETS, _RANGES = 2, 3, (4, 5), (6, 7)
_PLACES = (9, 10, 11, 14)  # of data, index and dictionary pages, and of a Bloom filter
_PAGES, _PAGE_AT = 1, 1


def by_threads(options: Mapping[str, Any]) -> bool:
    """Whether files with these options are put together of parts."""
    return not any(options.get(name) for name in _WHOLE)


def footer_of(data: Any) -> tuple[Struct, int]:
    """The footer of a complete file, and its position. ValueError when the file is no Parquet file."""
    size = int.from_bytes(data[-8:-4], "little")
    begin = len(data) - 8 - size
    if data[-4:] != MAGIC or begin < 4:
        raise ValueError("a footer of Parquet's is not there")
    return parsed(data[begin:-8])[0], begin


@dataclass
class Index:
    """Least and greatest values of a column's pages, as bytes, and the positions of the pages."""

    ranges: bytes
    offsets: Struct


@dataclass
class Groups:
    """Row groups, as a footer describes them, and the indexes of their columns' pages where there are."""

    structs: list[Struct] = field(default_factory=list)
    indexes: list[list[Index | None]] = field(default_factory=list)
    #: Where the next byte goes.
    at: int = 0

    def moved(self, by: int) -> Groups:
        """The same groups, so many bytes further on."""
        for struct, indexes in zip(self.structs, self.indexes, strict=True):
            _move(struct, indexes, by)
        return Groups(self.structs, self.indexes, self.at + by)


def _columns(group: Struct) -> list[Struct]:
    found: list[Struct] = group[_COLUMNS][1][1]
    return found


def _move(group: Struct, indexes: Sequence[Index | None], by: int) -> None:
    places = []
    for column in _columns(group):
        if column.get(_CHUNK_AT, (I64, 0))[1]:
            column[_CHUNK_AT] = (I64, column[_CHUNK_AT][1] + by)
        chunk = column[_CHUNK][1]
        for number in _PLACES:
            if number in chunk:
                chunk[number] = (I64, chunk[number][1] + by)
        places += [chunk[number][1] for number in _PLACES[:3] if number in chunk]
    if places:  # a file of no columns has a row group of none
        group[_GROUP_AT] = (I64, min(places))
    for index in indexes:
        for page in index.offsets[_PAGES][1][1] if index is not None else []:
            page[_PAGE_AT] = (I64, page[_PAGE_AT][1] + by)


#: Unused buffers for reuse: touching new pages costs as much as encoding their content.
_rooms: list[Any] = []
_ROOM = 16 << 20
_MOST_ROOMS = 8


@dataclass
class _Piece:
    """A row group of some columns: its bytes, what is said of it, places counted from the first, and where they lie."""

    body: Any
    group: Struct
    indexes: list[Index | None]
    room: Any

    def done(self) -> None:
        """Its bytes have been written."""
        self.body = None
        if self.room is not None and len(_rooms) < _MOST_ROOMS:
            _rooms.append(self.room)


def _file_of(table: Any, options: Mapping[str, Any]) -> tuple[Any, Any]:
    """The table as a file of one row group: its bytes, and the room in which they lie."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    how = {"row_group_size": max(table.num_rows, 1), **options}
    if table.nbytes <= _ROOM * 3 // 4:
        try:
            room = _rooms.pop()
        except IndexError:
            room = pa.allocate_buffer(_ROOM)
        fixed = pa.FixedSizeBufferWriter(room)
        try:
            pq.write_table(table, fixed, **how)
            return memoryview(room).cast("B")[: fixed.tell()], room
        except OSError:  # it has become longer than the room
            _rooms.append(room)
    stream = pa.BufferOutputStream()
    pq.write_table(table, stream, **how)
    return memoryview(stream.getvalue()).cast("B"), None


def _encoded(table: Any, options: Mapping[str, Any]) -> _Piece:
    """The table as one row group."""
    own = {name: _of(table.column_names, value) for name, value in options.items()} | {"store_schema": False}
    if not {"use_dictionary", "column_encoding"} & set(own):
        own["use_dictionary"] = [one.name for one in table.schema if not _all_differ(table.column(one.name))]
    data, room = _file_of(table, own)
    footer, end = footer_of(data)
    group = footer[_GROUPS][1][1][0]
    indexes: list[Index | None] = []
    for column in _columns(group):
        found = [column.pop(number)[1] for number in (*_RANGES, *_OFFSETS) if number in column]
        if len(found) < 4:
            indexes.append(None)
            continue
        ranges, offsets = (bytes(data[at : at + size]) for at, size in (found[:2], found[2:]))
        indexes.append(Index(ranges, parsed(offsets)[0]))
        end = min(end, found[0], found[2])
    _move(group, indexes, -len(MAGIC))
    return _Piece(data[len(MAGIC) : end], group, indexes, room)


def _all_differ(column: Any) -> bool:
    """Whether so many values seem to differ that pyarrow's writer would begin a dictionary, and give it up."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types, kind = pa.types, column.type
    plain = types.is_primitive(kind) or types.is_string(kind) or types.is_large_string(kind)
    if not plain or types.is_boolean(kind) or len(column) < 4 * _LOOKED_AT:
        return False
    rows = pa.array(np.arange(0, len(column), len(column) // _LOOKED_AT))
    return bool(pc.count_distinct(column.take(rows), mode="all").as_py() > len(rows) - _ALIKE)


def _of(names: Sequence[str], option: Any) -> Any:
    """The value of an option for these columns: some options name columns, or fields of them."""
    if isinstance(option, dict):
        return {name: one for name, one in option.items() if _top(name) in names or name in names}
    if isinstance(option, (list, tuple)):
        return [name for name in option if _top(name) in names or name in names]
    return option


def _top(name: Label) -> str:
    return str(name).partition(".")[0]


def _pieces(table: Any, rows: int) -> Iterator[tuple[bool, Any]]:
    """Columns of row groups, as many as are worth a task, and whether a new group begins with them."""
    for begin in range(0, table.num_rows, rows):
        group = table.slice(begin, rows)
        first, size = 0, 0
        for at in range(group.num_columns):
            size += group.column(at).nbytes
            if size >= _LEAST or at == group.num_columns - 1:
                yield first == 0, group.select(range(first, at + 1))
                first, size = at + 1, 0


class GroupsWriter:
    """Writes tables as row groups of so many rows, by so many threads; `put` gets bytes that it must not keep."""

    def __init__(
        self, put: Callable[[Any], Any], at: int, schema: Any, rows: int, options: Mapping[str, Any], threads: int
    ) -> None:
        self._put, self._schema, self._rows, self._options, self._threads = put, schema, rows, options, threads
        self.groups = Groups(at=at)

    def write(self, table: Any) -> None:
        """All of the table's rows."""
        pieces = list(_pieces(table, self._rows))
        if len(pieces) <= 1 or self._threads == 1:
            for fresh, piece in pieces:
                self._add(fresh, _encoded(piece, self._options))
            return
        waiting: deque[tuple[bool, Future[Any]]] = deque()
        with ThreadPoolExecutor(min(self._threads, len(pieces))) as pool:
            try:
                for fresh, piece in pieces:
                    waiting.append((fresh, pool.submit(_encoded, piece, self._options)))
                    if len(waiting) > 2 * self._threads:
                        self._take(waiting)
                while waiting:
                    self._take(waiting)
            except BaseException:
                for _, one in waiting:
                    one.cancel()
                raise

    def _take(self, waiting: deque[tuple[bool, Future[Any]]]) -> None:
        fresh, one = waiting.popleft()
        self._add(fresh, one.result())

    def _add(self, fresh: bool, piece: _Piece) -> None:
        groups, group, indexes = self.groups, piece.group, piece.indexes
        self._put(piece.body)
        _move(group, indexes, groups.at)
        groups.at += len(piece.body)
        piece.done()
        if fresh:
            groups.structs.append(group)
            groups.indexes.append(indexes)
            return
        whole = groups.structs[-1]
        _columns(whole).extend(_columns(group))
        for number in (_BYTES, _PACKED_BYTES):
            if number in whole:
                whole[number] = (I64, whole[number][1] + group[number][1])
        groups.indexes[-1].extend(indexes)

    def no_rows(self) -> None:
        """A row group of no rows: what readers expect where there are none."""
        if not self.groups.structs:
            self._add(True, _encoded(self._schema.empty_table(), self._options))


def tail(groups: Groups, schema: Any, options: Mapping[str, Any]) -> bytes:
    """The part behind the row groups: page indexes and the footer."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = pa.BufferOutputStream()
    pq.ParquetWriter(stream, schema, **options).close()
    footer = footer_of(memoryview(stream.getvalue()).cast("B"))[0]
    out = bytearray()
    chunks = [column for group in groups.structs for column in _columns(group)]
    indexes = [index for some in groups.indexes for index in some]
    for numbers in (_RANGES, _OFFSETS):
        for column, index in zip(chunks, indexes, strict=True):
            if index is not None:
                data = index.ranges if numbers is _RANGES else packed(index.offsets)
                column[numbers[0]], column[numbers[1]] = (I64, groups.at + len(out)), (I32, len(data))
                out += data
    for number, group in enumerate(groups.structs):
        if _ORDINAL in group:
            group[_ORDINAL] = (I16, min(number, (1 << 15) - 1))
    footer[_ROWS] = (I64, sum(group[_GROUP_ROWS][1] for group in groups.structs))
    footer[_GROUPS] = (LIST, (STRUCT, groups.structs))
    said = packed(footer)
    return bytes(out) + said + len(said).to_bytes(4, "little") + MAGIC
