# SPDX-License-Identifier: Apache-2.0
"""How many bytes of memory rows of files will take: from what their ends say, without reading them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..io.csv.dialect import compression_of
from ..io.csv.reader import CsvReader
from ..io.parquet.reader import ParquetReader
from ..io.reader import Reader
from .derived import Derived
from .spill import Chain, SpilledReader

_TEXT = 24  # bytes of a string in memory, at least: its offset, and some letters
_UNPACKED = 4  # a compressed text file's bytes become about so many


def estimated(reader: Reader, names: Sequence[str], where: object = None) -> int:
    """Bytes of these columns. Rows that a filter leaves out count, unless whole parts go."""
    if isinstance(reader, Derived):
        term = None if reader.where is None else reader.where.expression
        wanted = [name for name in names if name not in reader.made]
        fresh = sum(_width(reader.schema.field(name).type) for name in names if name in reader.made)
        rows = sum(part.rows or 0 for part in reader.base.parts)
        return estimated(reader.base, wanted, term if isinstance(reader.base, ParquetReader) else None) + rows * fresh
    if isinstance(reader, Chain):
        return sum(estimated(one, names) for one in reader.readers)
    if isinstance(reader, ParquetReader):
        return sum(_of_group(reader, part, names) for part in reader.left(where))
    share = len(names) / max(len(reader.schema.names), 1)
    size = sum(part.size for part in reader.parts)
    if isinstance(reader, SpilledReader):
        return int(size * share)
    packed = isinstance(reader, CsvReader) and any(
        compression_of(part.file, reader.dialect.compression) for part in reader.parts[:1]
    )
    return int(size * share * (_UNPACKED if packed else 1) * 1.5)


def is_wide(kind: Any) -> bool:
    """Whether values of Arrow's type have no width: strings, lists and others."""
    try:
        return kind.bit_width is None
    except ValueError:
        return True


def _width(kind: Any) -> int:
    return _TEXT if is_wide(kind) else max(1, int(kind.bit_width) // 8)


def _of_group(reader: ParquetReader, part: Any, names: Sequence[str]) -> int:
    total = 0
    sizes = reader.unpacked(part)
    for name in names:
        width = _width(reader.schema.field(name).type)
        total += (part.rows or 0) * width
        if is_wide(reader.schema.field(name).type):
            total += sizes.get(name, 0)
    return total
