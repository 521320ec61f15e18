# SPDX-License-Identifier: Apache-2.0
"""Parquet: row groups are what PEs share, columns of them what threads do."""

from __future__ import annotations

import contextlib
import functools
import operator
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import _core, extras
from ...columns.categorical.categorical import Categorical
from ...columns.text.strings import Strings
from ...session import current
from ...session.everywhere import once
from ...storage.places import Place, place_of, target_of
from ...storage.source import reading
from ..column_storage import WORD
from ..file_columns import read_with_codes
from ..reader import Part, Reader
from ..reading import expression, fields_of
from ..rows import inputs_of, together
from ..schemas import index_columns, key_types, typed_keys, unified, with_keys
from ..writing import check_step, checked, write_tables
from .bloom import excludes, hashes_of
from .file import labelled, parquet_file, write_groups, write_rows
from .members import Members, members_of
from .page_index import Column, Ranges, column_of, read_rows, rows_left
from .row_groups import by_threads
from .statistics import STATISTICS, misfits, nan_cases
from .thrift import Struct, parsed

if TYPE_CHECKING:
    from ...annotations import Files

_ENDINGS = (".parquet", ".parq", ".pq")
_FOOTER = 64 << 10  # bytes that most footers are shorter than
_FILES_AT_ONCE = 8  # footers of a data set that are fetched at a time: their latency, not their bytes, takes time

#: What values of Arrow's types are in files whose values the engine can use as they are.
_HELD = {
    "int32": "INT32", "uint32": "INT32", "int64": "INT64", "uint64": "INT64", "float": "FLOAT", "double": "DOUBLE",
    "string": "BYTE_ARRAY", "large_string": "BYTE_ARRAY", "string_view": "BYTE_ARRAY", "date32[day]": "INT32",
}  # fmt: skip

MOST_ROWS = 1 << 33  # of a row group: a file may say anything, and Arrow works on what it says


class Chunk(NamedTuple):
    """A column's part of a row group."""

    physical: str
    codec: str
    decoded: bool  # whether the engine decodes its pages' encodings
    has_dictionary: bool
    offset: int
    packed: int  # bytes
    unpacked: int
    bloom_filter: int  # where it is, or 0
    offset_index: tuple[int, int]  # where it is said where its pages are, and the bytes of that, or 0
    column_index: tuple[int, int]  # the same of what is in them


def _held(kind: Any) -> tuple[str, ...]:
    """Physical types of Parquet's whose values are those of Arrow's type."""
    import pyarrow as pa

    if pa.types.is_decimal128(kind) and kind.precision <= WORD:
        return ("INT32", "INT64")
    if pa.types.is_timestamp(kind) and kind.unit != "s":
        return ("INT64",)
    return (_HELD.get(str(kind), ""),)


class Footer:
    """The metadata at the end of a file.

    Of row groups our own reader says it, which looks through what it reads. Arrow's objects believe what a footer says
    of columns, and end the process of who asks them about what cannot be.
    """

    def __init__(self, place: Place, file: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with place.open(file) as source:
            size = source.size()
            end = _end_of(source, size)
        length = int.from_bytes(end[-8:-4], "little")
        # Arrow reports encrypted files with an error of its own.
        self._own = _core.ParquetFooter(end[:length] if end[-4:] == b"PAR1" else b"\0", size)
        found = pq.ParquetFile(pa.BufferReader(b"PAR1" + end))
        self.metadata, self.schema, self.groups = found.metadata, found.schema_arrow, self._own.groups
        if len(self.groups) != found.metadata.num_row_groups:
            raise ValueError(f"it has {len(self.groups)} row groups and {found.metadata.num_row_groups}")
        self._end = end
        columns = [found.schema.column(at) for at in range(len(found.schema))]
        self.paths = [column.path for column in columns]
        #: Columns that are no lists, structs or maps, by name: their number, and whether values may be missing.
        self.leaves = {
            leaf.path: (at, leaf.max_definition_level == 1)
            for at, leaf in enumerate(columns)
            if leaf.max_repetition_level == 0 and leaf.max_definition_level <= 1 and leaf.name == leaf.path
        }

    @functools.cached_property
    def elements(self) -> dict[str, Struct]:
        """The schema's columns, lists, structs and maps among them, as the format has them; not what is in those."""
        found: dict[str, Struct] = {}
        left = [0]  # children that are still to come, of the root and what is open within it
        for element in self._elements[1:]:
            left[-1] -= 1
            if len(left) == 1:
                found[element[4][1].decode()] = element
            if _children(element):
                left.append(_children(element))
            while len(left) > 1 and not left[-1]:
                left.pop()
        return found

    @functools.cached_property
    def _elements(self) -> list[Struct]:
        found: list[Struct] = parsed(self._end, last=2)[0][2][1][1]
        return found

    @functools.cached_property
    def _misfits(self) -> set[tuple[int, int]]:
        leaves = [element for element in self._elements[1:] if not _children(element)]
        try:
            return misfits(parsed(self._end, last=4, wanted=STATISTICS)[0][4][1][1], leaves)
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError("its statistics are none") from error

    def check_statistics(self, group: int, names: Sequence[str]) -> None:
        """ValueError where Arrow cannot be asked for the statistics of columns in a row group."""
        wrong = {self.paths[leaf].partition(".")[0] for number, leaf in self._misfits if number == group}
        if not wrong.isdisjoint(names):
            raise ValueError(f"the statistics of column {min(wrong.intersection(names))!r} are too short or too long")

    def chunk(self, group: int, leaf: int) -> Chunk:
        """Metadata of a leaf column in a row group."""
        return Chunk._make(self._own.chunk(group, leaf))


def _children(element: Struct) -> int:
    found: int = element.get(5, (0, 0))[1]
    return found


class Asked(NamedTuple):
    """An expression, and what it reads."""

    where: Any
    fields: list[str]
    cases: list[Any] | None  # of NaN in them: see `nan_cases`


class ParquetReader(Reader):
    """The files of a data set of Parquet; `where` drops row groups by their statistics."""

    by_column = True
    filters = True

    def __init__(
        self, place: Place, schema: Any, keys: Any, parts: list[Part], index: list[Any], footers: dict[str, Footer]
    ) -> None:
        self.place, self.parts = place, parts
        self.index = index  # what pandas says of the labels of rows
        self.file_schema, self.keys = schema, keys
        self.schema = with_keys(schema, keys)
        self._open = threading.local()
        self._footers = footers
        self._last: Asked | None = None

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_open"], state["_footers"]
        state["_last"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open, self._footers = threading.local(), {}

    def _file(self, file: str) -> Any:
        """The open file: of each thread one, which it keeps until it opens another."""
        import pyarrow.parquet as pq

        if getattr(self._open, "name", None) != file:
            metadata = self._footer(file).metadata
            far = self.place.system is not None
            self._open.file = pq.ParquetFile(self.place.open(file), metadata=metadata, pre_buffer=far)
            self._open.name = file
        return self._open.file

    def direct(self, part: Part, name: str) -> tuple[Any, ...] | None:
        """A column of plain or dictionary pages, unpacked or by Snappy, whose values are as the engine has them."""
        found = self._chunk(part, name)
        if found is None:
            return None
        chunk, optional, rows = found
        return (
            part.file, chunk.offset, chunk.packed, chunk.physical, chunk.codec == "SNAPPY", optional, rows,
        )  # fmt: skip

    def few_words(self, part: Part, name: str) -> bool:
        """Where a value takes few bits, its word is in a dictionary."""
        found = self._chunk(part, name)
        return found is not None and found[0].has_dictionary and found[0].unpacked <= 3 * found[2]

    def _chunk(self, part: Part, name: str) -> tuple[Chunk, bool, int] | None:
        """Metadata of a column that the engine decodes: whether it is optional, and its rows."""
        if self.place.system is not None or self.place.data is not None or name in self.keys.names:
            return None
        footer = self._footer(part.file)
        leaf, optional = footer.leaves.get(name, (-1, False))
        if leaf < 0 or footer.schema.field(name).type != self.schema.field(name).type:
            return None
        chunk = footer.chunk(part.number, leaf)
        if chunk.physical not in _held(self.schema.field(name).type):
            return None
        if chunk.codec not in ("UNCOMPRESSED", "SNAPPY") or not chunk.decoded:
            return None
        return chunk, optional, footer.groups[part.number][1]

    def _footer(self, file: str) -> Footer:
        found = self._footers.get(file)
        if found is None:
            found = self._footers[file] = Footer(self.place, file)
        return found

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """The row group, of which `where` leaves some rows or none."""
        wanted = [name for name in columns if name not in self.keys.names]
        file = self._file(part.file)
        if where is not None:
            yield self._filtered(part, columns, where)
            return
        there = [name for name in wanted if name in file.schema_arrow.names]
        table = file.read_row_group(part.number, columns=there, use_threads=False)
        yield typed_keys(table, part, columns, self.schema)

    def left(self, where: Any) -> list[Part]:
        """The row groups that an expression does not exclude by their statistics."""
        return [part for part in self.parts if where is None or self._fragment(part, where)[0]]

    def narrowed(self, members: Members) -> ParquetReader:
        """The reader of the row groups that Bloom filters do not exclude, of rows with such values."""
        if {} in members:
            return self
        kept = once(_not_excluded, self, members)
        return self.only([self.parts[at] for at in kept])

    def excludes(self, part: Part, name: str, values: tuple[Any, ...], source: Callable[[str], Any]) -> bool:
        """Whether a row group's Bloom filter says that a column has none of the values; `source(file)`: it opened."""
        footer = self._footer(part.file)
        leaf, _ = (-1, False) if name in self.keys.names else footer.leaves.get(name, (-1, False))
        if leaf < 0:
            return False
        chunk = footer.chunk(part.number, leaf)
        if chunk.bloom_filter <= 0:
            return False
        hashes = hashes_of(values, footer.schema.field(name).type, chunk.physical)
        return hashes is not None and excludes(source(part.file), chunk.bloom_filter, hashes)

    def unpacked(self, part: Part) -> dict[str, int]:
        """Bytes of each column's pages in a row group, before they were compressed."""
        footer = self._footer(part.file)
        found: dict[str, int] = {}
        for leaf, path in enumerate(footer.paths):
            name = path.partition(".")[0]
            found[name] = found.get(name, 0) + footer.chunk(part.number, leaf).unpacked
        return found

    def _holds(self, part: Part) -> Any:
        """The condition that all rows of a part meet according to its path: an expression, or None."""
        import pyarrow as pa
        import pyarrow.compute as pc

        told = [pc.field(name) == pa.scalar(value, self.schema.field(name).type) for name, value in part.keys.items()]
        return functools.reduce(operator.and_, told) if told else None

    def _fragment(self, part: Part, where: Any) -> tuple[bool, Any]:
        """Whether the statistics of a row group leave it, and how Arrow finds its rows for which an expression is true;
        None: it would lose some."""
        import pyarrow.dataset as ds
        import pyarrow.fs as fs

        asked = self._asked(where)
        with reading(part):
            self._footer(part.file).check_statistics(part.number, asked.fields)
        if asked.cases is None:
            return True, None
        for case in (None, *asked.cases):
            fragment = ds.ParquetFileFormat().make_fragment(
                self.place.open(part.file) if self.place.data is not None else part.file,
                self.place.system or fs.LocalFileSystem(), _both(self._holds(part), case), row_groups=[part.number],
            ).subset(where, schema=self.schema)  # fmt: skip
            if fragment.num_row_groups:
                return True, fragment if case is None else None
        return False, None

    def _asked(self, where: Any) -> Asked:
        """The columns that an expression reads, cached."""
        last = self._last
        if last is None or last.where is not where:
            fields = fields_of(where, self.schema)
            cases = nan_cases(where, [self.schema.field(name) for name in fields])
            last = self._last = Asked(where, fields, cases)
        return last

    def rows_left(
        self, part: Part, where: Any, columns: Collection[str] | None = None
    ) -> tuple[Ranges | None, dict[str, Column]]:
        """The rows of a row group that its page indexes leave an expression, None where they do not say; and the
        columns whose pages are indexed: of those of the expression and of `columns`, None: of all."""
        footer, told, holds = self._footer(part.file), self._asked(where), self._holds(part)
        # Writers of one page index write all.
        if told.cases is None or not footer.leaves or not footer.chunk(part.number, 0).offset_index[1]:
            return None, {}
        rows = footer.groups[part.number][1]
        looked_at = set(footer.leaves) if columns is None else {*columns, *told.fields}
        leaves = {name: leaf for name, (leaf, _) in footer.leaves.items() if name in looked_at - set(part.keys)}
        chunks = {name: footer.chunk(part.number, leaf) for name, leaf in leaves.items()}
        with self.place.open(part.file) as source:
            found = {
                name: column_of(source, name, chunk, footer.elements[name], rows) for name, chunk in chunks.items()
            }
            known = {name: column for name, column in found.items() if column is not None}
            asked = [known[name] for name in told.fields if name in known and chunks[name].column_index[1]]
            fields = [self.schema.field(name) for name in self.schema.names if name not in {one.name for one in asked}]
            either = [_both(holds, case) for case in (None, *told.cases)]
            return (rows_left(source, footer, asked, where, (either, fields)) if asked else None), known

    def paged(self, where: Any) -> tuple[int, int]:
        """Remaining and total rows of row groups whose page indexes exclude rows."""
        left = total = 0
        for part in self.parts:
            with reading(part):
                ranges, _ = self.rows_left(part, where, ())
            if ranges is not None:
                left += sum(end - begin for begin, end in ranges)
                total += part.rows or 0
        return left, total

    def _from_pages(self, part: Part, columns: Sequence[str], where: Any) -> Any:
        """The rows that the page indexes leave an expression; None where those of all pages are to be read."""
        ranges, known = self.rows_left(part, where, columns)
        if ranges is None:
            return None
        footer = self._footer(part.file)
        wanted = [name for name in columns if name not in part.keys]
        there = set(footer.schema.names)
        if any(name in there and name not in known for name in wanted):
            return None
        count = sum(end - begin for begin, end in ranges)
        if not count:
            return self.schema.empty_table().select(columns)
        if 2 * count > footer.groups[part.number][1]:
            return None
        import pyarrow as pa

        with self.place.open(part.file) as source:
            held = {name: read_rows(source, footer, known[name], ranges) for name in wanted if name in there}
        return typed_keys(pa.table(held), part, columns, self.schema)

    def _filtered(self, part: Part, columns: Sequence[str], where: Any) -> Any:
        if (rows := self._footer(part.file).groups[part.number][1]) > MOST_ROWS:
            raise ValueError(f"it has {rows} rows, where at most {MOST_ROWS} are looked through by a filter")
        left, fragment = self._fragment(part, where)
        if not left:
            return self.schema.empty_table().select(list(columns))
        needed = list(dict.fromkeys([*columns, *self._asked(where).fields]))
        found = self._from_pages(part, needed, where)
        if found is None and fragment is not None:
            return fragment.to_table(schema=self.schema, columns=list(columns), filter=where, use_threads=False)
        if found is None:
            (found,) = self.read(part, needed, None)
        return found.filter(where).select(list(columns))


def _both(one: Any, other: Any) -> Any:
    """Conjunction of two conditions; None is always true."""
    told = [each for each in (one, other) if each is not None]
    return functools.reduce(operator.and_, told) if told else None


def _not_excluded(reader: ParquetReader, members: Members) -> list[int]:
    """Numbers of the parts whose Bloom filters leave one of the alternatives."""
    kept: list[int] = []
    held: dict[str, Any] = {}  # the file that is open
    with contextlib.ExitStack() as stack:

        def source(file: str) -> Any:
            if file not in held:
                stack.close()
                held.clear()
                held[file] = stack.enter_context(reader.place.open(file))
            return held[file]

        for at, part in enumerate(reader.parts):
            with reading(part):
                if any(
                    not any(reader.excludes(part, name, values, source) for name, values in one.items())
                    for one in members
                ):
                    kept.append(at)
    return kept


def parquet_reader(where: Files, storage_options: dict[str, Any] | None = None) -> ParquetReader:
    """A reader of the files that a path, pattern, directory, URL or stream means; see `places.place_of`."""
    extras.module("pyarrow.parquet", "reading Parquet")
    return once(_plan, place_of(where, _ENDINGS, storage_options))


def _end_of(source: Any, size: int) -> bytes:
    """A file's footer, with its length and the mark behind it: in one read, mostly."""
    source.seek(max(size - _FOOTER, 0))
    end = bytes(source.read(_FOOTER))
    length = int.from_bytes(end[-8:-4], "little") + 8
    if len(end) < 8 or end[-4:] not in (b"PAR1", b"PARE"):
        raise ValueError(
            "Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file."
        )
    if length > size:
        raise ValueError(f"its footer has {length} bytes, and the file {size}")
    if length > len(end):
        source.seek(size - length)
        end = bytes(source.read(length))
    return end[-length:]


def _plan(place: Place) -> ParquetReader:
    def footer(file: str) -> Footer:
        with reading(file):
            return Footer(place, file)

    with ThreadPoolExecutor(min(_FILES_AT_ONCE, len(place.files))) as pool:
        footers = list(pool.map(footer, place.files))
    schema = unified([one.schema for one in footers], place.files)
    keys, values = key_types(place)
    parts = [
        Part(file, number, size, rows, of_file, "row group")
        for file, of_file, one in zip(place.files, values, footers, strict=True)
        for number, (size, rows) in enumerate(one.groups)
    ]
    known = dict(zip(place.files, footers, strict=True))
    return ParquetReader(place, schema, keys, parts, index_columns(footers[0].schema, schema), known)


def parquet_columns(
    where: Files, columns: Sequence[str] | None = None, *, filters: object = None,
    storage_options: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Columns of Parquet files, by name.

    Parameters
    ----------
    where
        A path, a list of paths, a pattern, a directory (`name=value` steps in it are columns), a URL, or a
        binary stream.
    columns : list of str, optional
        Which columns to read; all of them by default.
    filters
        Rows to read: an expression of `pyarrow.compute`, or a list of (column, operator, value) that all hold, or a
        list of such lists of which one holds. Row groups whose statistics exclude them are not read, nor those whose
        Bloom filters exclude the values that a list asks for by "=" or "in".
    storage_options : dict, optional
        For fsspec, which then opens URLs.

    Examples
    --------
    >>> import atoll as ak
    >>> import pyarrow as pa, pyarrow.parquet, io
    >>> from atoll.io.parquet import parquet_columns
    >>> stream = io.BytesIO()
    >>> pa.parquet.write_table(pa.table({"a": [1, 2, 3], "b": ["x", None, "z"]}), stream)
    >>> parquet_columns(io.BytesIO(stream.getvalue()), filters=[("a", ">", 1)])
    {'a': array([2, 3]), 'b': strings([None, 'z'])}
    """
    reader = parquet_reader(where, storage_options).narrowed(members_of(filters))
    return read_with_codes(reader, columns, expression(filters))


def _texts_of(column: Any) -> Strings | None:
    """The values that name directories: a column's strings, or those of its categories."""
    column = column.categories if isinstance(column, Categorical) else column
    return column if isinstance(column, Strings) else None


def write_parquet(
    where: Any, columns: Mapping[str, Any], *, compression: str | None = "snappy", partition_cols: Sequence[str] = (),
    row_group_size: int = 1 << 20, dataset: bool = False, index: Sequence[str] = (),
    storage_options: dict[str, Any] | None = None, **options: Any,
) -> None:  # fmt: skip
    """Writes columns to one Parquet file, or as a data set: a directory in which each PE writes its own rows.

    Either appears whole or not at all: it is written under another name first.

    Parameters
    ----------
    where
        A path, URL or binary stream.
    columns : mapping
        Columns of one length, by name.
    compression : str, optional
        "snappy", "gzip", "brotli", "lz4", "zstd", or None.
    partition_cols : list of str
        Columns by whose values the data set has directories: `name=value`. They make it a data set.
    row_group_size : int
        Rows of a group: what a PE or thread will read at a time.
    dataset : bool
        Whether to write a directory.
    index : list of str
        Columns that pandas makes the labels of rows.
    options
        Others of `pyarrow.parquet.ParquetWriter`: ``bloom_filter_options={"a": True}``, say.

    Examples
    --------
    >>> import atoll as ak
    >>> import tempfile, pathlib
    >>> from atoll.io.parquet import parquet_columns, write_parquet
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.parquet"
    >>> write_parquet(path, {"a": ak.arange(3)})
    >>> parquet_columns(path)
    {'a': array([0, 1, 2])}
    """
    extras.module("pyarrow.parquet", "writing Parquet")
    options = {"compression": compression or "none", **options}
    system, target = target_of(where, storage_options)
    local = system is None and isinstance(target, str)
    if dataset or partition_cols:
        named = checked(columns)
        if not local:
            raise ValueError(
                "a data set is written to a directory of this machine's file system, or one that all PEs see"
            )
        for name in partition_cols:
            if name not in named:
                raise KeyError(f"no column {name!r} to partition by")
            check_step(name, "partition column")
            if "=" in name:
                raise ValueError(f"partition column {name!r} has a '=' (directories are called NAME=VALUE). Rename it?")
            if (texts := _texts_of(named[name])) is not None and bool(texts.contains("\0", regex=False).any()):
                raise ValueError(f"a value of partition column {name!r} has a NUL character (paths end at it).")
        prepared = inputs_of(named)
        if prepared is None:
            raise TypeError("a data set of these columns cannot be written by each PE; write one file")
        inputs, kept = prepared
        threads = current().threads
        together(str(target), write_rows, kept, tuple(partition_cols), row_group_size, options, threads, inputs=inputs)
        return
    if local and current().pes > 1 and by_threads(options):
        prepared = inputs_of(checked(columns))
        if prepared is not None:
            inputs, kept = prepared
            write_groups(str(target), inputs, kept, index, row_group_size, options)
            return

    def opened(stream: Any, schema: object) -> Any:
        return parquet_file(stream, labelled(schema, index), row_group_size, options, current().threads)

    write_tables(where, columns, opened, storage_options)
