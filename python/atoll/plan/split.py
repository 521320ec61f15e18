# SPDX-License-Identifier: Apache-2.0
"""From rows that are too many to pieces in order of a key: each PE reads its parts once and spills their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..io.reader import Reader
from ..io.reading import run
from ..session import current
from ..session.everywhere import everywhere
from ..storage.source import reading
from .ranges import Ranges, ranges_of
from .spill import Segment, Spill, SpilledReader, file_of

_SAMPLED = 6  # parts of each PE whose keys are looked at
_LOOKED = 20_000  # keys of each
_SHARE = 3  # a thread puts rows into pieces of this part of its share of the memory: few segments are read faster
_ROWS = 1 << 18  # rows that are put into pieces at a time: what lies beside the part that was read stays small


def pieces_of(
    spill: Spill, reader: Reader, keys: Sequence[tuple[str, bool]], names: Sequence[str], size: int, fits: int
) -> list[Reader]:
    """Rows in pieces that fit, in order of the keys (ascending or not), those whose first key is missing last.

    `size` is what all are thought to be, `fits` what a piece may be. A piece whose keys are all equal may be larger.
    """
    (key, ascending), later = keys[0], keys[1:]
    ranges = ranges_for(sample(reader, key), size, fits)
    if ranges is None:
        return pieces_of(spill, reader, later, names, size, fits) if later else [reader]
    pieces = split(spill, reader, key, names, ranges)
    found: list[Reader] = []
    for piece in pieces if ascending else [*pieces[-2::-1], pieces[-1]]:
        held = size_of(piece)
        if held > 2 * fits and held < size:
            found += pieces_of(spill, piece, keys, names, held, fits)
        elif piece.parts:
            found.append(piece)
    return found or list(pieces[:1])


def ranges_for(keys: Any, size: int, fits: int) -> Ranges | None:
    """Ranges for pieces that fit."""
    return None if len(keys) == 0 else ranges_of(keys, min(max(2, -(-size // max(fits, 1))), 4096))


def size_of(reader: Reader) -> int:
    """Bytes of spilled rows in memory."""
    return sum(part.size for part in reader.parts)


def sample(reader: Reader, key: str) -> Any:
    """Some of the keys."""
    import pyarrow as pa

    found = everywhere(_sample, reader, reader.shares(current().pes), key)
    kind = reader.schema.field(key).type
    return pa.chunked_array([one for some in found for one in some], type=kind).combine_chunks()


def _sample(here: Any, reader: Reader, mine: Sequence[range], key: str) -> list[Any]:
    own, found = mine[here.pe], []
    for number in sorted({own[len(own) * at // _SAMPLED] for at in range(_SAMPLED)} if len(own) else ()):
        with reading(reader.parts[number]):
            for batch in reader.read(reader.parts[number], [key], None):
                column = batch.column(0)
                column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
                found.append(column.take(np.arange(0, len(column), max(1, len(column) // _LOOKED))))
    return found


def split(spill: Spill, reader: Reader, key: str, names: Sequence[str], ranges: Ranges) -> list[SpilledReader]:
    """The rows by ranges, each a reader of spilled rows."""
    session = current()
    answers = everywhere(
        _split, spill.key, reader, reader.shares(session.pes), key, list(names), ranges, session.threads
    )
    schema = next((schema for schema, _ in answers if schema is not None), None)
    if schema is None:
        import pyarrow as pa

        schema = pa.schema([reader.schema.field(name) for name in names])
    return [spill.reader(schema, [own[piece] for _, own in answers]) for piece in range(len(ranges))]


def _split(
    here: Any,
    spill: str,
    reader: Reader,
    mine: Sequence[range],
    key: str,
    names: list[str],
    ranges: Ranges,
    threads: int,
) -> tuple[Any, list[list[Segment]]]:
    """On each PE: its parts' rows, by piece."""
    import pyarrow as pa
    import pyarrow.compute as pc

    file = file_of(spill)
    found: list[list[Segment]] = [[] for _ in range(len(ranges))]
    schemas: list[Any] = []
    wanted = list(dict.fromkeys([*names, key]))

    def several(numbers: Sequence[int]) -> None:
        """Parts that follow one another: of each piece their rows become one segment."""
        held: list[list[Any]] = [[] for _ in range(len(ranges))]
        for number in numbers:
            with reading(reader.parts[number]):
                for batch in reader.read(reader.parts[number], wanted, None):
                    table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
                    schemas.append(table.schema)
                    for begin in range(0, table.num_rows, _ROWS):
                        rows = table.slice(begin, _ROWS)
                        pieces = ranges.pieces(rows.column(key))
                        counts = np.bincount(pieces, minlength=len(ranges))
                        # Which is stable, and counts: a third of the time of NumPy's.
                        rows = pc.take(rows, pc.array_sort_indices(pa.array(pieces)), boundscheck=False)
                        first = 0
                        for piece in np.flatnonzero(counts).tolist():
                            held[piece].append(rows.slice(first, counts[piece]))
                            first += int(counts[piece])
        for piece, tables in enumerate(held):
            if tables:
                some = pa.concat_tables(tables).combine_chunks()
                tables.clear()
                found[piece].append((numbers[0], *file.write(some), some.num_rows, some.nbytes))

    share = len(wanted) / max(len(reader.schema.names), 1)
    bound = here.stats()["memory_limit"] / (_SHARE * threads)
    run(several, [(numbers,) for numbers in _runs(reader, mine[here.pe], bound / share)], threads)
    return (schemas[0] if schemas else None), found


def _runs(reader: Reader, numbers: Sequence[int], bound: float) -> list[list[int]]:
    """Parts that follow one another, of so many bytes together."""
    found: list[list[int]] = []
    size = 0.0
    for number in numbers:
        size += reader.parts[number].size
        if not found or size > bound:
            found.append([])
            size = reader.parts[number].size
        found[-1].append(number)
    return found
