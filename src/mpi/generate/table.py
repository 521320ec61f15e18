# SPDX-License-Identifier: Apache-2.0
"""Reads the table of src/mpi/api and unfolds it into C functions."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

#: Files of the table, in the order of the header.
CHAPTERS = (
    "environment",
    "error",
    "info",
    "attribute",
    "group",
    "comm",
    "session",
    "datatype",
    "op",
    "message",
    "partitioned",
    "request",
    "collective",
    "neighbour",
    "topology",
    "win",
    "io",
    "dynamic",
    "abi",
    "tool",
    "fault",
    "device",
)
#: Chapters beyond the standard: their functions are MPIX_…, declared in mpi-ext.h.
EXTENSIONS = ("fault", "device")
#: Those of which the MPI Forum has voted for the names: the functions are MPI_…, too.
VOTED = ("fault",)
KEYS = {
    "name",
    "returns",
    "arguments",
    "small_arguments",
    "lengths",
    "body",
    "small",
    "deprecated",
    "any_time",
    "polled",
    "answers",
    "on",
    "check",
    "checked",
}
#: Handles whose objects have an error handler.
OWNERS = ("MPI_Comm", "MPI_Win", "MPI_File", "MPI_Session")
#: Chapters whose functions may be called without a place for each result, or check that themselves.
PLACES_OPTIONAL = ("environment", "error", "abi", "tool")
#: Functions that tell the other ranks of what this one has given wrong, so that these do not wait for it.
PLACES_TOGETHER = (
    "File_open", "File_set_view", "File_iread_all", "File_iread_at_all", "File_iwrite_all", "File_iwrite_at_all",
)  # fmt: skip
#: What the library exports besides functions.
#: What the Fortran library calls (request/copies.hpp).
FORTRAN_ONLY = ("atoll_mpi_keep_copies",)
VARIABLES = ("MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE", "MPI_F08_STATUS_IGNORE", "MPI_F08_STATUSES_IGNORE")
#: Arguments of the type void * that are pointers to pointers.
RESULTS = ("baseptr", "buffer_addr")
#: C types of 64 bits that are one type here.
WIDE = ("MPI_Aint", "MPI_Count", "MPI_Offset")


@dataclass(frozen=True)
class Argument:
    """`const int|MPI_Count counts[]`: `small` and `large` are the element types of the two forms, often the same."""

    const: bool
    small: str
    large: str
    stars: str
    name: str
    array: str  # "[]" or nothing

    @property
    def grows(self) -> bool:
        return self.small != self.large

    def declare(self, large: bool) -> str:
        if self.name == "...":
            return "..."
        kind = self.large if large else self.small
        # A pointer: of an array, compilers want to read MPI_UNWEIGHTED.
        pointer = "*" if self.array == "[]" else ""
        return f"{'const ' if self.const else ''}{kind} {self.stars}{pointer}{self.name}{'' if pointer else self.array}"


@dataclass(frozen=True)
class Row:
    """One row: the function that carries it out (the _c one where there are two), and its int form."""

    name: str
    chapter: str
    returns: str
    arguments: tuple[Argument, ...]
    small_arguments: tuple[Argument, ...]
    lengths: dict[str, str]
    body: str
    small: str
    deprecated: str
    any_time: bool
    polled: bool
    answers: bool  # the body's result is the function's, not an error code
    on: str
    check: str
    checked: str

    @property
    def has_large(self) -> bool:
        return bool(self.small_arguments) or any(argument.grows for argument in self.arguments)

    @property
    def prefix(self) -> str:
        return "MPIX_" if self.chapter in EXTENSIONS else "MPI_"

    @property
    def base(self) -> str:
        return f"{self.prefix}{self.name}_c" if self.has_large else f"{self.prefix}{self.name}"

    def places(self, arguments: tuple[Argument, ...]) -> list[str]:
        """Arguments that must point to something. Texts that come out need no place where their length is 0, statuses may be
        ignored, and some predefined functions are null."""
        if self.chapter in PLACES_OPTIONAL or self.name in PLACES_TOGETHER:
            return []
        free = ("void", "char", "MPI_Status")
        pointers = [a for a in arguments if a.stars == "*" and not a.array]
        places = [a for a in pointers if not a.const and a.small not in free and not a.small.endswith(("_function", "_function_c"))]
        # Names that come in; where processes are started or meet, those of the root alone count.
        texts = [a for a in pointers if a.const and a.small == "char" and self.chapter != "dynamic"]
        # Names that come out have all the room they may need, or an argument says how much it is.
        if not any(a.name.endswith("len") and a.name != "resultlen" for a in arguments):
            texts += [a for a in pointers if not a.const and a.small == "char"]
        results = (*RESULTS, "attribute_val") if self.name.lower().endswith(("get_attr", "attr_get")) else RESULTS
        places += [a for a in pointers if a.small == "void" and not a.const and a.name in results]
        return [a.name for a in places + texts]

    def owner(self, arguments: tuple[Argument, ...]) -> str:
        """The argument whose error handler is called; empty: MPI_COMM_SELF's."""
        if self.on:
            return "" if self.on == "none" else self.on
        for argument in arguments:
            if argument.small in OWNERS and not argument.array:
                return argument.name if not argument.stars else ""
        return ""


@dataclass(frozen=True)
class Function:
    """One C function."""

    name: str
    row: Row
    large: bool
    arguments: tuple[Argument, ...]

    @property
    def profiling_name(self) -> str:
        return "P" + self.name

    @property
    def names(self) -> tuple[str, ...]:
        """All that the symbol is called but the profiling name."""
        return (self.name, f"MPI_{self.row.name}") if self.row.chapter in VOTED else (self.name,)

    @property
    def is_extension(self) -> bool:
        return self.row.chapter in EXTENSIONS

    @property
    def is_base(self) -> bool:
        return self.name == self.row.base

    @property
    def built(self) -> bool:
        return bool(self.row.body) if self.is_base or not self.row.small_arguments else bool(self.row.small)

    def parameters(self) -> str:
        return ", ".join(argument.declare(self.large) for argument in self.arguments) or "void"

    def declaration(self, name: str) -> str:
        return f"{self.row.returns} {name}({self.parameters()})"


@dataclass(frozen=True)
class Removed:
    """A function of the past, which mpi.h carries out by others. `body`: statements of C89."""

    name: str
    arguments: tuple[Argument, ...]
    body: str

    def definition(self) -> str:
        parameters = ", ".join(argument.declare(large=False) for argument in self.arguments)
        return f"ATOLL_MPI_INLINE int {self.name}({parameters}) {{ {self.body} }}"


@dataclass(frozen=True)
class Group:
    """Constants under a title."""

    title: str
    type: str
    values: dict[str, int | str]


@dataclass(frozen=True)
class Table:
    constants: tuple[Group, ...]
    headers: dict[str, list[str]]
    rows: tuple[Row, ...]
    removed: tuple[Removed, ...]
    functions: tuple[Function, ...] = field(default=())


def parse_arguments(text: str) -> tuple[Argument, ...]:
    if text in ("", "void"):
        return ()
    found = []
    for part in (piece.strip() for piece in text.split(",")):
        if part == "...":
            found.append(Argument(False, "", "", "", "...", ""))
            continue
        match = re.fullmatch(r"(const )?([\w|]+) ([*]*)(\w+)((?:\[\d*\])*)", part)
        if match is None:
            raise ValueError(f"argument {part!r}: no type, or no name")
        const, kind, stars, name, array = match.groups()
        small, _, large = kind.partition("|")
        found.append(Argument(bool(const), small, large or small, stars, name, array))
    return tuple(found)


def functions_of(row: Row) -> list[Function]:
    if not row.has_large:
        return [Function(row.base, row, False, row.arguments)]
    return [
        Function(f"MPI_{row.name}", row, False, row.small_arguments or row.arguments),
        Function(row.base, row, True, row.arguments),
    ]


def load(folder: Path) -> Table:
    """The whole table. Raises ValueError that names the row when something is wrong with it."""
    groups = []
    for raw in tomllib.loads((folder / "constants.toml").read_text())["constants"]:
        title, kind = raw.pop("title"), raw.pop("type", "int")
        groups.append(Group(title, kind, raw))
    rows: list[Row] = []
    headers: dict[str, list[str]] = {}
    for chapter in CHAPTERS:
        content = tomllib.loads((folder / f"{chapter}.toml").read_text())
        headers[chapter] = content.get("headers", [])
        for raw in content["function"]:
            where = f"{chapter}.toml: {raw.get('name')}"
            if extra := raw.keys() - KEYS:
                raise ValueError(f"{where}: unknown keys {sorted(extra)}")
            row = Row(
                name=raw["name"],
                chapter=chapter,
                returns=raw.get("returns", "int"),
                arguments=parse_arguments(raw["arguments"]),
                small_arguments=parse_arguments(raw.get("small_arguments", "")),
                lengths=raw.get("lengths", {}),
                body=raw.get("body", ""),
                small=raw.get("small", ""),
                deprecated=raw.get("deprecated", ""),
                any_time=raw.get("any_time", False),
                polled=raw.get("polled", False),
                answers=raw.get("answers", False),
                on=raw.get("on", ""),
                check=raw.get("check", ""),
                checked=raw.get("checked", ""),
            )
            missing = [
                a.name for a in row.arguments if a.grows and a.array and a.small == "int" and a.name not in row.lengths
            ]
            if missing:
                raise ValueError(f"{where}: 'lengths' says nothing of {missing}")
            rows.append(row)
    functions = [function for row in rows for function in functions_of(row)]
    names = [function.name for function in functions]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"functions named twice: {sorted(twice)}")
    past = [
        Removed(f"MPI_{raw['name']}", parse_arguments(raw["arguments"]), raw["body"])
        for raw in tomllib.loads((folder / "removed.toml").read_text())["function"]
    ]
    return Table(tuple(groups), headers, tuple(rows), tuple(past), tuple(functions))
