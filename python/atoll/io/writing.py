# SPDX-License-Identifier: Apache-2.0
"""From columns to files: pieces of rows as Arrow's tables, written by one PE or by each its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .. import extras
from ..arrays.array import Array
from ..session import current, memory_is_here
from ..session.everywhere import everywhere
from ..storage.places import target_of
from ..storage.session_files import sink, written_by_path

if TYPE_CHECKING:
    from ..annotations import Files

_PIECE = 256 << 20  # bytes of columns that pass through the writing process at a time


def checked(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns as they are written: of one length, one dimension, and named by strings."""
    found: dict[str, Any] = {}
    for name, column in columns.items():
        if not isinstance(name, str):
            raise TypeError(f"columns in files are named by texts, not {name!r}")
        check_nul(name, "column name")
        if getattr(column, "ndim", 1) != 1:
            raise ValueError(f"column {name!r} has {column.ndim} dimensions")
        found[name] = column
    lengths = {len(column) for column in found.values()}
    if len(lengths) > 1:
        raise ValueError(f"columns of {min(lengths)} and {max(lengths)} rows do not go into one file")
    return found


def check_nul(text: Any, what: str) -> None:
    """ValueError for a string with a NUL character, at which libraries in C would cut it."""
    if isinstance(text, str) and "\0" in text:
        raise ValueError(f"{what} {text!r} has a NUL character (the text would end there). Leave it out?")


def check_step(name: str, what: str) -> None:
    """ValueError for a name that cannot be one step of a path."""
    check_nul(name, what)
    if name in ("", ".", "..") or "/" in name:
        raise ValueError(f"{what} {name!r} is no step of a path (it would lead elsewhere). Rename it?")


def arrow_of(column: object) -> Any:
    """The column as an array of Arrow's."""
    pa = extras.module("pyarrow", "writing this file")
    if hasattr(column, "to_arrow"):
        return column.to_arrow()
    return pa.array(column.to_numpy(None) if isinstance(column, Array) else column)


def tables(columns: Mapping[str, Any], rows_at_once: int | None = None) -> Iterator[Any]:
    """Arrow's tables of some rows each, in order; one at least. With one PE they share the columns' memory."""
    pa = extras.module("pyarrow", "writing this file")
    named = checked(columns)
    count = len(next(iter(named.values()))) if named else 0
    size = sum(getattr(column, "nbytes", 8 * count) for column in named.values())
    step = rows_at_once or (count if memory_is_here(current()) else max(1, count * _PIECE // max(size, 1)))
    for begin in range(0, max(count, 1), max(step, 1)):
        whole = begin == 0 and step >= count
        yield pa.table({name: arrow_of(one if whole else one[begin : begin + step]) for name, one in named.items()})


def writes() -> bool:
    """Whether this process writes what one PE writes."""
    session = current()
    return session.kind != "spmd" or session.pe == 0


def write_tables(
    where: Files, columns: Mapping[str, Any], opened: Any, storage_options: dict[str, Any] | None = None
) -> None:
    """Writes columns to one file, which one PE writes; all PEs learn how it went.

    `opened(stream, schema)` is a context manager that gives something with `write(table)`.
    """
    write_pieces(where, tables(columns), opened, storage_options)


def write_pieces(
    where: Files, pieces: Iterator[Any], opened: Any, storage_options: dict[str, Any] | None = None
) -> None:
    """The same of tables that come one behind the other, one at least."""
    system, target = target_of(where, storage_options)
    first = next(pieces)
    failure: BaseException | None = None
    if writes():
        try:
            with sink(system, target) as stream, opened(stream, first.schema) as writer:
                writer.write(first)
                for table in pieces:
                    writer.write(table)
        except BaseException as error:
            failure = error
    agree(failure, pieces)


def agree(failure: BaseException | None, pieces: Iterator[Any]) -> None:
    """Raises one PE's failure on all of them; PEs that do not write take part in making the pieces."""
    session = current()
    if session.kind == "spmd" and session.pes > 1:
        for _ in pieces:
            pass
        everywhere(_raised, failure)
    elif failure is not None:
        raise failure


def write_alone(path: str, write: Callable[[str], object]) -> None:
    """One PE calls `write` with a path; what is there then takes the place of `path`. All PEs learn how it went."""
    failure: BaseException | None = None
    if writes():
        try:
            with written_by_path(path) as aside:
                write(aside)
        except BaseException as error:
            failure = error
    agree(failure, iter(()))


def _raised(here: Any, failure: BaseException | None) -> None:
    if failure is not None:
        raise failure
