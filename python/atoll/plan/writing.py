# SPDX-License-Identifier: Apache-2.0
"""Frames that come one behind the other into one Parquet file or data set, which appears whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..io.atomic import beside, discard, settle
from ..io.parquet import parquet_file, write_rows
from ..io.places import target_of
from ..io.rows import inputs_of
from ..io.writing import tables, write_pieces
from ..session.everywhere import everywhere, once


def write(where: Any, frames: Iterator[Any], dataset: bool, options: Mapping[str, Any]) -> None:
    """Writes the rows of all frames."""
    rows = options.get("row_group_size", 1 << 20)
    kept = {"compression": "snappy", **{name: one for name, one in options.items() if name != "row_group_size"}}
    kept["compression"] = kept["compression"] or "none"
    if not dataset:
        pieces = (table for frame in frames for table in tables(frame._named()))
        write_pieces(where, pieces, lambda stream, schema: parquet_file(stream, schema, rows, kept))
        return
    system, path = target_of(where)
    if system is not None or not isinstance(path, str):
        raise ValueError("a data set is written to a directory of this machine's file system, or one that all PEs see")
    aside = once(beside, path)
    try:
        for number, frame in enumerate(frames):
            prepared = inputs_of(frame._named())
            if prepared is None:
                raise TypeError("a data set of these columns cannot be written by each PE; write one file")
            everywhere(write_rows, aside, prepared[1], (), rows, kept, f"part-{number:05}-", inputs=prepared[0])
        once(settle, aside, path)
    finally:
        once(discard, aside)
