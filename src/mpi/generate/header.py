# SPDX-License-Identifier: Apache-2.0
"""mpi.h: constants and declarations put into the hand-written frame."""

from __future__ import annotations

import re
from collections.abc import Iterator

from table import Group, Table


def constant(group: Group, name: str, value: int | str) -> str:
    if group.type == "alias":
        return f"#define {name} {value}"
    if group.type == "int":
        return f"#define {name} {value}" if not isinstance(value, int) or value >= 0 else f"#define {name} ({value})"
    number = hex(value) if isinstance(value, int) and value >= 0x20 else str(value)
    return f"#define {name} (({group.type}){number})"


def constants(table: Table) -> Iterator[str]:
    for index, group in enumerate(table.constants):
        if index:
            yield ""
        yield f"/* {group.title} */"
        for name, value in group.values.items():
            yield constant(group, name, value)


def conversions(table: Table) -> Iterator[str]:
    """MPI_Comm_c2f and its kin: functions of the header over those that the ABI has for the same."""
    for function in table.functions:
        if not function.name.endswith("_toint"):
            continue
        (argument,) = function.arguments
        stem = function.name.removesuffix("_toint")
        kind, name = argument.small, argument.name
        yield f"ATOLL_MPI_INLINE MPI_Fint {stem}_c2f({kind} {name}) {{ return {stem}_toint({name}); }}"
        yield f"ATOLL_MPI_INLINE {kind} {stem}_f2c(MPI_Fint {name}) {{ return {stem}_fromint({name}); }}"


def removed(table: Table) -> Iterator[str]:
    """Functions of the past. A program that has given one a new name before it includes mpi.h gets what it has named."""
    for function in table.removed:
        yield from (f"#ifndef {function.name}", function.definition(), "#endif")


def header(table: Table, frame: str) -> str:
    """The text of mpi.h."""
    standard = [f for f in table.functions if not f.is_extension]
    slots = {
        "CONSTANTS": "\n".join(constants(table)),
        "DECLARATIONS": "\n".join(f"{f.declaration(f.name)};" for f in standard),
        "PROFILING": "\n".join(f"{f.declaration(f.profiling_name)};" for f in standard),
        "CONVERSIONS": "\n".join(conversions(table)),
        "REMOVED": "\n".join(removed(table)),
    }
    return fill(frame, slots)


def extension_header(table: Table, frame: str) -> str:
    """The text of mpi-ext.h."""
    extra = [f for f in table.functions if f.is_extension]
    names = [f.declaration(name) for f in extra for name in (*f.names, f.profiling_name)]
    return fill(frame, {"DECLARATIONS": "\n".join(f"{name};" for name in names)})


def fill(frame: str, slots: dict[str, str]) -> str:
    """The frame with its slots filled."""
    return re.sub(r"^@(\w+)@$", lambda m: slots[m.group(1)], frame, flags=re.MULTILINE)
