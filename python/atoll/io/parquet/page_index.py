# SPDX-License-Identifier: Apache-2.0
"""Parquet's page indexes: which rows of a row group may pass a filter, and those rows from the pages that have them.

Arrow knows which row groups a filter leaves, not which pages, and reads row groups whole. So both is asked of files in
memory: one whose row groups are said to have the pages' least and largest values, and for each column one that has
some of its pages.
"""

from __future__ import annotations

import base64
import itertools
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .row_groups import MAGIC
from .statistics import LARGEST, LEAST, TYPES, fits
from .thrift import BINARY, I32, I64, LIST, STRUCT, Struct, packed, parsed

if TYPE_CHECKING:
    pass

# Fields of ColumnIndex and of Statistics, as the format numbers them.
_NULL_PAGES, _LEAST_OF, _LARGEST_OF, _NULLS_OF = 1, 2, 3, 5
_NULLS = 3
_CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")

#: What is raised of an index that is none.
_NONE = (KeyError, TypeError, IndexError, ValueError)
Ranges = list[tuple[int, int]]


class Column(NamedTuple):
    """A column of a row group whose pages are indexed."""

    name: str
    chunk: Any  # what the footer says of it
    element: Struct  # and the schema
    rows: int
    starts: list[int]  # the first row of each page
    places: list[tuple[int, int]]  # where it lies, and its bytes

    def page(self, row: int) -> int:
        """The page of a row."""
        return bisect_right(self.starts, row) - 1

    def count(self, page: int) -> int:
        """The rows of a page."""
        return (self.starts[page + 1] if page + 1 < len(self.starts) else self.rows) - self.starts[page]


def column_of(source: Any, name: str, chunk: Any, element: Struct, rows: int) -> Column | None:
    """A column's pages, as its index says where they are; None where there is none, or one that cannot be."""
    at, size = chunk.offset_index
    if not size or element.get(1) != (I32, TYPES.index(chunk.physical)):
        return None
    try:
        pages = parsed(_bytes_at(source, at, size))[0][1][1][1]
        starts = [page[3][1] for page in pages]
        places = [(page[1][1], page[2][1]) for page in pages]
    except _NONE:
        return None
    good = bool(starts) and starts[0] == 0 and all(a < b for a, b in zip(starts, [*starts[1:], rows], strict=True))
    end = chunk.offset + chunk.packed
    inside = all(chunk.offset <= begin and 0 < count <= end - begin for begin, count in places)
    return Column(name, chunk, element, rows, starts, places) if good and inside else None


def rows_left(source: Any, footer: Any, columns: Sequence[Column], where: Any, known: Any) -> Ranges | None:
    """The rows for which an expression may be true, as the pages of its columns say; None where they do not.

    `known`: expressions, or None, of which one holds for each row, and the fields of their columns.
    """
    import pyarrow as pa
    import pyarrow.dataset as ds

    begins = sorted(set(itertools.chain.from_iterable(column.starts for column in columns)))
    ends = [*begins[1:], columns[0].rows]
    cases, fields = known
    try:
        told = [_statistics(source, column) for column in columns]
        groups = []
        for begin, end in zip(begins, ends, strict=True):
            chunks = []
            for column, statistics in zip(columns, told, strict=True):
                page = column.page(begin)  # all of it: Arrow takes the missing values from what there is
                chunks.append(_chunk(column, column.count(page), 0, 0, statistics[page]))
            groups.append(_group(chunks, end - begin))
        whole = pa.BufferReader(_file(footer, columns, b"", groups))
        schema = pa.schema([*(footer.schema.field(column.name) for column in columns), *fields])
        kept: set[int] = set()
        for holds in cases:
            fragment = ds.ParquetFileFormat().make_fragment(whole, None, holds)
            kept.update(group.id for group in fragment.subset(where, schema=schema).row_groups)
    except (*_NONE, pa.ArrowException, OSError):
        return None
    return _joined((begins[at], ends[at]) for at in sorted(kept))


def read_rows(source: Any, footer: Any, column: Column, ranges: Ranges) -> Any:
    """A column's values in some rows, from the pages that have them. ValueError where the index is wrong."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    wanted = sorted({page for begin, end in ranges for page in range(column.page(begin), column.page(end - 1) + 1)})
    words = column.places[0][0] - column.chunk.offset if column.chunk.has_dictionary else 0
    parts = [_bytes_at(source, column.chunk.offset, words)]
    places = [column.places[page] for page in wanted]
    parts += [_bytes_at(source, at, end - at) for at, end in _joined((at, at + size) for at, size in places)]
    rows = [column.count(page) for page in wanted]
    groups = [_group([_chunk(column, sum(rows), words, sum(map(len, parts)), None)], sum(rows))]
    file = pq.ParquetFile(pa.BufferReader(_file(footer, [column], b"".join(parts), groups)))
    found = file.read(use_threads=False).column(0)
    if len(found) != sum(rows):
        raise ValueError(
            f"the pages of column {column.name!r} have {len(found)} rows, and their index says {sum(rows)}"
        )
    first = dict(zip(wanted, itertools.accumulate(rows, initial=0), strict=False))
    begins = [first[column.page(begin)] + begin - column.starts[column.page(begin)] for begin, _ in ranges]
    pieces = [found.slice(at, end - begin) for at, (begin, end) in zip(begins, ranges, strict=True)]
    return pa.chunked_array([chunk for piece in pieces for chunk in piece.chunks], type=found.type)


def _joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Ranges in order, neighbours as one."""
    made: Ranges = []
    for begin, end in ranges:
        if made and made[-1][1] == begin:
            made[-1] = (made[-1][0], end)
        else:
            made.append((begin, end))
    return made


def _statistics(source: Any, column: Column) -> list[Struct]:
    """Statistics of each page."""
    index, _ = parsed(_bytes_at(source, *column.chunk.column_index))
    empty, least, largest = (index[number][1][1] for number in (_NULL_PAGES, _LEAST_OF, _LARGEST_OF))
    nulls = index[_NULLS_OF][1][1] if _NULLS_OF in index else None
    found = []
    for page, is_empty in enumerate(empty):
        told: Struct = {}
        if is_empty == 1:
            told[_NULLS] = (I64, column.count(page))
        else:
            if not all(fits(one[page], column.chunk.physical, column.element) for one in (least, largest)):
                raise ValueError("its values are of another width")
            told.update({LARGEST: (BINARY, largest[page]), LEAST: (BINARY, least[page])})
            if nulls is not None:
                if not 0 <= nulls[page] <= column.count(page):
                    raise ValueError("more values are missing than there are")
                told[_NULLS] = (I64, nulls[page])
        found.append(told)
    if len(found) != len(column.starts):
        raise ValueError("its indexes are of different pages")
    return found


# -- files in memory --


def _chunk(column: Column, rows: int, words: int, size: int, statistics: Struct | None) -> Struct:
    """A column of such a file, whose bytes lie behind the mark, its dictionary first."""
    told: Struct = {
        1: (I32, TYPES.index(column.chunk.physical)), 2: (LIST, (I32, [0, 3])),
        3: (LIST, (BINARY, [column.name.encode()])), 4: (I32, _CODECS.index(column.chunk.codec)), 5: (I64, rows),
        6: (I64, size), 7: (I64, size), 9: (I64, len(MAGIC) + words),
    }  # fmt: skip
    if words:
        told[11] = (I64, len(MAGIC))
    if statistics is not None:
        told[12] = (STRUCT, statistics)
    return {2: (I64, len(MAGIC)), 3: (STRUCT, told)}


def _group(chunks: list[Struct], rows: int) -> Struct:
    return {1: (LIST, (STRUCT, chunks)), 2: (I64, 0), 3: (I64, rows)}


def _file(footer: Any, columns: Sequence[Column], body: bytes, groups: list[Struct]) -> bytes:
    """A file of some columns, which are as `footer` says."""
    import pyarrow as pa

    fields = [column.element for column in columns]
    schema = pa.schema([footer.schema.field(column.name) for column in columns])
    kinds = base64.b64encode(schema.serialize().to_pybytes())
    tail = packed({
        1: (I32, 2), 2: (LIST, (STRUCT, [{4: (BINARY, b"schema"), 5: (I32, len(columns))}, *fields])),
        3: (I64, sum(group[3][1] for group in groups)), 4: (LIST, (STRUCT, groups)),
        5: (LIST, (STRUCT, [{1: (BINARY, b"ARROW:schema"), 2: (BINARY, kinds)}])),
        6: (BINARY, b"parquet-cpp-arrow version 26.0.0"),  # whose statistics are right
        7: (LIST, (STRUCT, [{1: (STRUCT, {})}] * len(columns))),  # in the order of their types
    })  # fmt: skip
    return MAGIC + body + tail + len(tail).to_bytes(4, "little") + MAGIC


def _bytes_at(source: Any, at: int, size: int) -> bytes:
    source.seek(at)
    data = bytes(source.read(size))
    if len(data) != size:
        raise ValueError("the file has become shorter")
    return data
