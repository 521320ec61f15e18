# SPDX-License-Identifier: Apache-2.0
"""Interface of all formats: a schema, parts that are distributed over PEs, and a method that reads one part."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Part:
    """A unit of reading: a row group, a stripe, a range of bytes."""

    file: str
    number: int = 0
    size: int = 0  # bytes, as far as known: parts are shared by it
    rows: int | None = None  # when that is known without reading
    keys: dict[str, Any] = field(default_factory=dict)  # columns whose one value the file's path says
    unit: str = "part"
    end: int = 0  # of a range of bytes, which begins at `number`; 0: it is the whole file

    def __str__(self) -> str:
        return f"{self.file}, {self.unit} {self.number}"


class Reader(ABC):
    """A data set of one format. It is sent to the PEs, so it holds no open file."""

    #: Arrow's schema of what `read` gives.
    schema: Any
    parts: list[Part]
    #: Whether each column is read by itself at little extra cost.
    by_column = False
    #: Whether `read` leaves rows out itself for which `where` is not true; else it does not get it.
    filters = False
    #: Bad records that `read` has passed over on this PE, and that the caller is to be warned of: files, and how many.
    skipped: Sequence[tuple[str, int]] = ()
    #: Of a reader that was cut from another, the other's id.
    origin = 0

    @abstractmethod
    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """Tables or record batches of these columns, in the order of the rows."""

    @property
    def name(self) -> str:
        """The files, for errors."""
        files = list(dict.fromkeys(part.file for part in self.parts)) or ["the file"]
        return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} other files"

    def shares(self, pes: int) -> list[range]:
        """Which parts each PE reads."""
        return shares(self.parts, pes)

    def only(self, parts: Sequence[Part]) -> Self:
        """The reader of these parts alone."""
        made = copy.copy(self)
        made.parts, made.origin = list(parts), self.origin or id(self)
        return made

    def cut(self, count: int) -> list[Reader]:
        """`count` consecutive readers of about equal size in bytes."""
        return [self.only([self.parts[number] for number in own]) for own in shares(self.parts, count)]

    def direct(self, part: Part, name: str) -> tuple[Any, ...] | None:
        """Where the engine itself finds a column: see `add_parquet`; None: nowhere."""
        return None

    def plain(self, part: Part, name: str) -> tuple[str, int] | None:
        """The file, and the byte in it, from which on the column's numbers lie as they do in memory; None: nowhere."""
        return None

    def few_words(self, part: Part, name: str) -> bool:
        """Whether the engine finds a column of strings there, of which few seem to be distinct."""
        return False

    def names(self, columns: Collection[str] | None) -> list[str]:
        """The columns (of a frozenset in the file's order), or all; KeyError for those that are not there."""
        there = list(self.schema.names)
        twice = sorted({name for name in there if there.count(name) > 1})
        if twice:
            raise ValueError(f"{self.parts[0].file if self.parts else 'the file'} has column {twice[0]!r} twice")
        if columns is None:
            return there
        if isinstance(columns, (str, bytes)):
            raise TypeError(f"columns is a list of names, not {columns!r}")
        for name in columns:
            if name not in there:
                raise KeyError(f"no column {name!r}; there are {', '.join(map(repr, there))}")
        return [name for name in there if name in columns] if isinstance(columns, frozenset) else list(columns)


def shares(parts: Sequence[Part], pes: int) -> list[range]:
    """Which parts each PE reads: runs of neighbours, of about as many bytes each."""
    total = sum(max(part.size, 1) for part in parts)
    found, begin, seen = [], 0, 0
    for pe in range(pes):
        end, goal = begin, total * (pe + 1) / pes
        while end < len(parts) and seen + max(parts[end].size, 1) / 2 <= goal:
            seen += max(parts[end].size, 1)
            end += 1
        end = len(parts) if pe == pes - 1 else end
        found.append(range(begin, end))
        begin = end
    return found
