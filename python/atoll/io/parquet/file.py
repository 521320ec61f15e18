# SPDX-License-Identifier: Apache-2.0
"""Parquet files as they are written: one of all PEs' row groups, or in a data set's directory one of each."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from ...session import current
from ...session.everywhere import clean_up, everywhere
from ...storage.session_files import replacing
from ..rows import table_of, write_all
from ..schemas import pandas_metadata
from .row_groups import MAGIC, Groups, GroupsWriter, by_threads, tail


def labelled(schema: Any, index: Sequence[str]) -> Any:
    """The schema with what tells pandas which columns are the labels of rows."""
    return schema.with_metadata({b"pandas": pandas_metadata(schema, index)} if index else None)


def parquet_file(stream: Any, schema: object, rows: int, options: Mapping[str, Any], threads: int) -> _Groups | _Whole:
    """A context manager with `write(table)`: a file of groups of so many rows; options of pyarrow's ParquetWriter."""
    import pyarrow.parquet as pq

    if by_threads(options):
        return _Groups(stream, schema, rows, options, threads)
    return _Whole(pq.ParquetWriter(stream, schema, **options), rows)


class _Groups:
    """Writes tables as row groups, by all threads."""

    def __init__(self, stream: Any, schema: Any, rows: int, options: Mapping[str, Any], threads: int) -> None:
        self._stream, self._schema, self._options = stream, schema, options
        self._writer = GroupsWriter(stream.write, len(MAGIC), schema, rows, options, threads)

    def __enter__(self) -> _Groups:
        self._stream.write(MAGIC)
        return self

    def __exit__(self, kind: str, *_: object) -> None:
        if kind is None:
            self._writer.no_rows()
            self._stream.write(tail(self._writer.groups, self._schema, self._options))

    def write(self, table: Any) -> None:
        self._writer.write(table)


class _Whole:
    """Writes tables as row groups, as pyarrow does."""

    def __init__(self, writer: Any, rows: int) -> None:
        self._writer, self._rows = writer, rows

    def __enter__(self) -> _Whole:
        return self

    def __exit__(self, kind: str, *_: object) -> None:
        if kind is None:
            self._writer.close()

    def write(self, table: Any) -> None:
        table = table.replace_schema_metadata(self._writer.schema.metadata)
        for begin in range(0, max(table.num_rows, 1), self._rows):  # signals are handled in between
            self._writer.write_table(table.slice(begin, self._rows), row_group_size=self._rows)


#: On each PE but the first: row groups that are encoded, and not yet written.
_encoded: dict[str, list[Any]] = {}


def write_groups(
    path: str, inputs: list[Any], kept: Any, index: Sequence[str], rows: int, options: dict[str, Any]
) -> None:
    """One file of the row groups of all PEs: each encodes its own, and writes them when it knows where they belong."""
    key, session = secrets.token_hex(8), current()
    with replacing(path) as aside:
        try:
            told = everywhere(_encode, key, aside, kept, rows, options, current().threads, inputs=inputs)
            groups, begins = Groups(at=0), []
            for own, _ in told:
                begins.append(groups.at)
                own = own.moved(groups.at)
                groups = Groups(groups.structs + own.structs, groups.indexes + own.indexes, own.at)
            everywhere(_place, key, aside, begins, groups.at, tail(groups, labelled(told[0][1], index), options))
        finally:
            clean_up(session, _forget, key)


def _encode(
    here: Any, key: str, aside: str, kept: Any, rows: int, options: dict[str, Any], threads: int
) -> tuple[Groups, Any]:
    """On a PE: encodes its rows; the first one writes them, too."""
    table = table_of(here, kept)
    if here.pe == 0:
        with open(aside, "wb") as stream:
            stream.write(MAGIC)
            writer = GroupsWriter(stream.write, len(MAGIC), table.schema, rows, options, threads)
            writer.write(table)
            if not table.num_rows:
                writer.no_rows()
    else:
        held = _encoded.setdefault(key, [])
        writer = GroupsWriter(lambda body: held.append(bytes(body)), 0, table.schema, rows, options, threads)
        writer.write(table)
    return writer.groups, table.schema


def _place(here: Any, key: str, aside: str, begins: Sequence[int], end: int, last: bytes) -> None:
    """On a PE: writes what it has encoded; the first one the file's end."""
    with open(aside, "r+b", buffering=0) as stream:
        at = begins[here.pe]
        for body in _encoded.get(key, ()):
            write_all(stream.fileno(), memoryview(body), at)
            at += len(body)
        if here.pe == 0:
            write_all(stream.fileno(), memoryview(last), end)


def _forget(here: Any, key: str) -> None:
    _encoded.pop(key, None)


def _try_to_write(path: str) -> None:
    """OSError with the reason when the file system takes no more bytes."""
    with open(path, "wb") as stream:
        stream.write(bytes(1 << 20))


def write_rows(
    here: Any, aside: str, kept: Any, partition_cols: Sequence[str], rows: int, options: dict[str, Any],
    threads: int, prefix: str = "part-",
) -> None:  # fmt: skip
    """On a PE: its rows, into the data set's directory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = table_of(here, kept)
    if partition_cols:
        try:
            pq.write_to_dataset(
                table, aside, list(partition_cols), basename_template=f"{prefix}{here.pe:05}-{{i}}.parquet",
                row_group_size=rows, existing_data_behavior="overwrite_or_ignore", use_threads=False, **options,
            )  # fmt: skip
        except pa.ArrowInvalid as error:
            if "closed file" in str(error):  # at times that of a file which a failed write has closed
                _try_to_write(os.path.join(aside, f"{prefix}{here.pe:05}.probe"))
            raise
    elif table.num_rows or here.pe == 0:
        with (
            open(os.path.join(aside, f"{prefix}{here.pe:05}.parquet"), "xb") as stream,
            parquet_file(stream, table.schema, rows, options, threads) as file,
        ):
            file.write(table)
