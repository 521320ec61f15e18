# SPDX-License-Identifier: Apache-2.0
"""From a reader to columns: each PE reads its share of the parts, with all its threads."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from .. import extras
from ..columns.arrow import has_column
from ..columns.creation import from_arrow
from ..session import current
from ..session.everywhere import landed
from ..session.interruptible import LOOK_S, handles_signals
from ..storage.source import land, opening, reading
from .column_storage import Dictionary, categorical_of, storage_of
from .fallback import outside
from .reader import Part, Reader

if TYPE_CHECKING:
    pass


def read_columns(reader: Reader, columns: Collection[str] | None = None, where: Any = None) -> dict[str, Any]:
    """Columns (arrays where nothing is missing) by name, of the rows for which an expression of Arrow's is true."""
    names = reader.names(columns)
    session = current()
    mine = reader.shares(session.pes)
    kept = {name: storage_of(reader.schema.field(name).type) for name in names}
    rows = [] if where is not None else _known_rows(reader.parts, mine)
    landing = [name for name in names if kept[name] is not None]
    kinds = [storage.kind for name in names if (storage := kept[name]) is not None]
    try:
        answered, made = landed(_fill, (reader, mine, names, where, bool(rows), session.threads), kinds, rows=rows)
    except (ValueError, MemoryError) as error:
        if str(error).startswith("cannot read"):
            raise
        known: type[Exception] = MemoryError if isinstance(error, MemoryError) else ValueError
        raise known(f"cannot read {reader.name}: {error}") from error
    answers = [answer for answer, _ in answered]
    _warn(file for _, skipped in answered for file in skipped)
    result = dict.fromkeys(names)
    for name, (values, valid) in zip(landing, made, strict=True):
        storage = kept[name]
        assert storage is not None
        result[name] = storage.make(values, valid)
        if storage.categories:
            ordered = reader.schema.field(name).type.ordered
            result[name] = categorical_of(result[name], [answer[name] for answer in answers], ordered)
    for name in names:
        if kept[name] is None:
            result[name] = _whole(reader, name, [answer[name] for answer in answers])
    return alike(reader, result)


def alike(reader: Reader, columns: dict[str, Any]) -> dict[str, Any]:
    """The columns. ValueError where they differ in length: parts of a broken file may say different counts of rows."""
    lengths = {len(column): name for name, column in columns.items()}
    if len(lengths) > 1:
        told = ", ".join(f"{name!r} has {length}" for length, name in lengths.items())
        raise ValueError(f"cannot read {reader.name}: its columns differ in length ({told} rows). Is it damaged?")
    return columns


def check_room(rows: int, row_bytes: int) -> None:
    """MemoryError when so many rows cannot be held: files may say anything, also that they have more than there is."""
    session = current()
    room = session.stats()["memory_limit"] * session.pes
    if rows * row_bytes > room:
        raise MemoryError(f"{rows} rows of {row_bytes} bytes are more than the {room} bytes that all PEs have")


def _warn(skipped: Iterable[tuple[str, int]]) -> None:
    counts: Counter[str] = Counter()
    for file, count in skipped:
        counts[file] += count
    level = outside()
    for file, count in counts.items():
        lines = "a line" if count == 1 else f"{count} lines"
        message = f"{file}: skipped {lines} with more or fewer values than there are columns"
        warnings.warn(message, UserWarning, stacklevel=level)


def expression(filters: object) -> Any:
    """Arrow's expression of a list of filters; an expression, or None, as it is."""
    if filters is None:
        return None
    compute, parquet = extras.module("pyarrow.compute", "filtering"), extras.module("pyarrow.parquet", "filtering")
    return filters if isinstance(filters, compute.Expression) else parquet.filters_to_expression(filters)


def fields_of(where: Any, schema: Any) -> list[str]:
    """Names of the columns that an expression reads: those without which it does not work."""
    found, written = [], str(where)
    for name in [name for name in schema.names if name in written] or schema.names:
        position = schema.get_field_index(name)
        try:
            schema.remove(position).empty_table().filter(where)
        except ValueError:
            found.append(name)
    return found


def _known_rows(parts: Sequence[Part], mine: Sequence[range]) -> list[int]:
    counts = [part.rows for part in parts]
    if None in counts:
        return []
    return [sum(counts[number] or 0 for number in share) for share in mine]


def _whole(reader: Reader, name: str, chunks: list[list[Any]]) -> Any:
    import pyarrow as pa

    kind = reader.schema.field(name).type
    if not has_column(kind):
        raise TypeError(
            f"{reader.name}: column {name!r} is of Arrow's type {kind}, which no column holds. Leave it out: columns="
        )
    return from_arrow(pa.chunked_array([chunk for some in chunks for chunk in some], type=kind))


def _fill(
    here: Any, reader: Reader, mine: Sequence[range], names: list[str], where: Any, known: bool, threads: int
) -> tuple[dict[str, Any], list[tuple[str, int]]]:
    """On each PE: reads its parts into the columns. The answer: chunks of those that the engine does not hold, and the
    reader's `skipped`."""
    pe = here.pe
    kept = [storage_of(reader.schema.field(name).type) for name in names]
    numbers = [index for index, storage in enumerate(kept) if storage is not None]
    column_of = {index: column for column, index in enumerate(numbers)}
    whole: dict[str, dict[int, Any]] = {name: {} for name, storage in zip(names, kept, strict=True) if storage is None}
    dictionaries = {
        index: Dictionary(pe, len(mine))
        for index, storage in enumerate(kept)
        if storage is not None and storage.categories
    }

    needed = [] if where is None or reader.filters else fields_of(where, reader.schema)
    landing = _Landing(here)

    def batches(part: Part, chosen: list[str]) -> Iterator[Any]:
        if where is None or reader.filters:
            yield from reader.read(part, chosen, where)
            return
        for batch in reader.read(part, [*chosen, *(name for name in needed if name not in chosen)], None):
            yield batch.filter(where).select(chosen)

    def read(number: int, first: int, chosen: Sequence[int]) -> None:
        part = reader.parts[number]
        at = first if known else number << 40
        with reading(part):
            for batch in batches(part, [names[index] for index in chosen]):
                for place, index in enumerate(chosen):
                    column = batch.column(place)
                    storage, begin = kept[index], at
                    for chunk in column.chunks if hasattr(column, "chunks") else [column]:
                        if storage is None:
                            whole[names[index]][begin] = chunk
                        elif storage.categories:
                            landing.add(column_of[index], begin, dictionaries[index].codes(chunk))
                        else:
                            landing.add(column_of[index], begin, storage.prepare(chunk))
                        begin += len(chunk)
                at += batch.num_rows

    tasks: list[tuple[int, int, Sequence[int]]] = []
    decoded: list[Any] = []  # by the engine
    plain: list[Any] = []  # read by it
    first = 0
    for number in mine[pe]:
        part = reader.parts[number]
        each = [[index] for index in range(len(names))] if reader.by_column and where is None else [range(len(names))]
        for chosen in each if names else []:
            told = place = None
            if known and len(chosen) == 1:
                with reading(part):
                    told = reader.direct(part, names[chosen[0]])
                    place = reader.plain(part, names[chosen[0]])
            if told is not None:
                decoded.append((column_of[chosen[0]], first, told, str(part), 0.0, None, None))
            elif place is not None:
                plain.append((column_of[chosen[0]], first, part.rows, *place, str(part)))
            else:
                tasks.append((number, first, chosen))
        first += part.rows or 0
    decode(here, decoded)
    land(here, plain)
    with landing:
        run_apart(read, tasks, threads)
    answer: dict[str, Any] = {name: [chunks[place] for place in sorted(chunks)] for name, chunks in whole.items()}
    answer.update({names[index]: dictionary.values for index, dictionary in dictionaries.items()})
    return answer, list(reader.skipped)


def decode(here: Any, parts: list[Any], wanted: Any = None) -> None:
    """The engine's `add_parquet`."""
    with opening([part[2][0] for part in parts]):
        if parts:
            here.add_parquet(parts, wanted)


class _Landing:
    """Where tasks leave rows, until it is closed: tasks that a signal has left behind change nothing any more."""

    def __init__(self, here: Any) -> None:
        self._here, self._changed = here, threading.Condition()
        self._adding, self._closed = 0, False

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._adding)

    def add(self, column: int, place: int, rows: Any) -> None:
        """The engine's `add`."""
        with self._changed:
            if self._closed:
                raise RuntimeError("these rows come too late: the read was interrupted")
            self._adding += 1
        try:
            self._here.add(column, place, rows)
        finally:
            with self._changed:
                self._adding -= 1
                self._changed.notify_all()


def run_apart(task: Callable[..., None], arguments: Sequence[tuple[Any, ...]], threads: int) -> None:
    """As `run`; where this thread handles signals, others run all tasks, and what a handler raises does not wait.

    Tasks that have begun then go on: they must change nothing that others see.
    """
    if not handles_signals() or not arguments:
        run(task, arguments, threads)
        return
    pool = ThreadPoolExecutor(min(threads, len(arguments)))
    futures = [pool.submit(task, *some) for some in arguments]
    try:
        while wait(futures, LOOK_S, FIRST_EXCEPTION).not_done:
            if any(one.done() and one.exception() is not None for one in futures):
                break
    except BaseException:  # of a signal handler
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown(cancel_futures=True)
    for future in futures:
        if not future.cancelled():
            future.result()


def mapped(function: Callable[[int], Any], numbers: Sequence[int], threads: int) -> list[Any]:
    """Results of the function for each of the distinct numbers, by `run_apart`."""
    found: dict[int, Any] = {}

    def one(number: int) -> None:
        found[number] = function(number)

    run_apart(one, [(number,) for number in numbers], threads)
    return [found[number] for number in numbers]


def run(task: Callable[..., None], arguments: Sequence[tuple[Any, ...]], threads: int) -> None:
    """The task with all arguments, on so many threads; the first error ends the rest."""
    if threads == 1 or len(arguments) <= 1:
        for some in arguments:
            task(*some)
        return
    with ThreadPoolExecutor(min(threads, len(arguments))) as pool:
        futures = [pool.submit(task, *some) for some in arguments]
        try:
            for future in futures:
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            raise
