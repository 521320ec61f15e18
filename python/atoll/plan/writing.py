# SPDX-License-Identifier: Apache-2.0
"""Writes frames one after another to one Parquet file or data set, atomically."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..io.parquet.file import parquet_file, write_rows
from ..io.rows import inputs_of
from ..io.writing import tables, write_pieces
from ..session import current
from ..session.everywhere import everywhere
from ..storage.atomic import directory_beside
from ..storage.places import target_of
from ..storage.session_files import replacing


def write(
    where: Any, frames: Iterator[Any], dataset: bool, *, compression: str | None = "snappy",
    row_group_size: int = 1 << 20, **others: Any,
) -> None:  # fmt: skip
    """Writes the rows of all frames; `others` are options of `pyarrow.parquet.ParquetWriter`."""
    options, threads = {"compression": compression or "none", **others}, current().threads
    if not dataset:
        pieces = (table for frame in frames for table in tables(frame._named()))
        write_pieces(
            where, pieces, lambda stream, schema: parquet_file(stream, schema, row_group_size, options, threads)
        )
        return
    system, path = target_of(where)
    if system is not None or not isinstance(path, str):
        raise ValueError("a data set is written to a directory of this machine's file system, or one that all PEs see")
    with replacing(path, directory_beside) as aside:
        for number, frame in enumerate(frames):
            prepared = inputs_of(frame._named())
            if prepared is None:
                raise TypeError("a data set of these columns cannot be written by each PE; write one file")
            inputs, kept = prepared
            everywhere(
                write_rows, aside, kept, (), row_group_size, options, threads, f"part-{number:05}-", inputs=inputs
            )
