# SPDX-License-Identifier: Apache-2.0
"""Parquet: row groups are what PEs share, columns of them what threads do."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..session.everywhere import once
from .needs import need
from .places import Place, place_of
from .reader import Part, Reader, reading
from .reading import expression, read_columns
from .schemas import key_types, typed_keys, unified, with_keys

_ENDINGS = (".parquet", ".parq", ".pq")
_FILES_AT_ONCE = 8  # footers of a data set that are fetched at a time: their latency, not their bytes, takes time


class ParquetReader(Reader):
    """The files of a data set of Parquet; `where` drops row groups by their statistics."""

    by_column = True
    filters = True

    def __init__(self, place: Place, schema: Any, keys: Any, parts: list[Part]) -> None:
        self.place, self.parts = place, parts
        self.file_schema, self.keys = schema, keys
        self.schema = with_keys(schema, keys)
        self._open = threading.local()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_open"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open = threading.local()

    def _file(self, file: str) -> Any:
        """The open file: of each thread one, which it keeps until it opens another."""
        import pyarrow.parquet as pq

        if getattr(self._open, "name", None) != file:
            self._open.file = pq.ParquetFile(self.place.open(file), pre_buffer=self.place.system is not None)
            self._open.name = file
        return self._open.file

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """The row group, of which `where` leaves some rows or none."""
        wanted = [name for name in columns if name not in self.keys.names]
        file = self._file(part.file)
        if where is not None:
            yield self._filtered(part, file, columns, where)
            return
        there = [name for name in wanted if name in file.schema_arrow.names]
        table = file.read_row_group(part.number, columns=there, use_threads=False)
        yield typed_keys(table, part, columns, self.schema)

    def _filtered(self, part: Part, file: Any, columns: Sequence[str], where: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.dataset as ds
        import pyarrow.fs as fs

        known = None
        for name, value in part.keys.items():
            one = pc.field(name) == pa.scalar(value, self.schema.field(name).type)
            known = one if known is None else known & one
        fragment = ds.ParquetFileFormat().make_fragment(
            self.place.open(part.file) if self.place.data is not None else part.file,
            self.place.system or fs.LocalFileSystem(), known, row_groups=[part.number],
        )  # fmt: skip
        fragment = fragment.subset(where, schema=self.schema)
        if fragment.num_row_groups == 0:
            return self.schema.empty_table().select(list(columns))
        return fragment.to_table(schema=self.schema, columns=list(columns), filter=where, use_threads=False)


def parquet_reader(where: Any, storage_options: dict[str, Any] | None = None) -> ParquetReader:
    """A reader of the files that a path, pattern, directory, URL or stream means; see `places.place_of`."""
    need("pyarrow.parquet", "reading Parquet")
    return once(_plan, place_of(where, _ENDINGS, storage_options))


def _plan(place: Place) -> ParquetReader:
    import pyarrow.parquet as pq

    def footer(file: str) -> tuple[Any, list[tuple[int, int]]]:
        with reading(file), place.open(file) as source:
            found = pq.ParquetFile(source)
            groups = [found.metadata.row_group(number) for number in range(found.num_row_groups)]
            return found.schema_arrow, [(group.total_byte_size, group.num_rows) for group in groups]

    with ThreadPoolExecutor(min(_FILES_AT_ONCE, len(place.files))) as pool:
        footers = list(pool.map(footer, place.files))
    schema = unified([schema for schema, _ in footers], place.files)
    keys, values = key_types(place)
    parts = [
        Part(file, number, size, rows, of_file, "row group")
        for file, of_file, (_, groups) in zip(place.files, values, footers, strict=True)
        for number, (size, rows) in enumerate(groups)
    ]
    return ParquetReader(place, schema, keys, parts)


def parquet_columns(
    where: Any, columns: Sequence[str] | None = None, *, filters: Any = None,
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
        list of such lists of which one holds. Row groups whose statistics exclude them are not read.
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
    reader = parquet_reader(where, storage_options)
    return read_columns(reader, columns, expression(filters))
