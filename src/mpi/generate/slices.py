# SPDX-License-Identifier: Apache-2.0
"""Procedures of mpi_f08 for compilers that pass array slices by descriptor: one per function with buffers.

A buffer that is not contiguous becomes a datatype that describes the slice, or a contiguous copy. The classes are those
of fortran/slices.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator

from fortran import bound, name_of, passed, slice_symbol
from table import Argument, Function, Table

#: Memory of which C needs the address alone: exposed, attached, freed, or one element.
PLACES = {
    "Free_mem",
    "Get_address",
    "Buffer_attach",
    "Comm_attach_buffer",
    "Session_attach_buffer",
    "Win_create",
    "Win_attach",
    "Win_detach",
    "Fetch_and_op",
    "Compare_and_swap",
}
#: Their counts are those of one peer, and the buffer has a part for each.
PER_PEER = {
    "sendbuf": ("scatter", "alltoall"),
    "recvbuf": ("gather", "alltoall"),
}


def is_buffer(argument: Argument, function: Function) -> bool:
    return passed(argument, function).f08 == "CHOICE"


def takes_slices(function: Function) -> bool:
    return bound(function) and any(is_buffer(argument, function) for argument in function.arguments)


def is_place(function: Function) -> bool:
    return function.row.name in PLACES or function.row.name.endswith("_end")


def has_parts(name: str, function: Function) -> bool:
    """Whether the buffer consists of one part per peer."""
    plain = function.row.name.lower().removesuffix("_init")
    return any(plain.endswith(word) for word in PER_PEER.get(name, ()))


def followers(position: int, function: Function, kinds: tuple[str, ...]) -> tuple[Argument, ...] | None:
    """The arguments behind a buffer, when they are of these kinds ("count": any scalar number)."""
    behind = function.arguments[position + 1 : position + 1 + len(kinds)]
    if len(behind) < len(kinds):
        return None
    for argument, kind in zip(behind, kinds, strict=True):
        if argument.stars or argument.array:
            return None
        is_count = argument.small == "int"
        if is_count if kind != "count" else not is_count:
            return None
        if kind != "count" and argument.small != kind:
            return None
    return behind


def is_reduction(function: Function) -> bool:
    return function.row.chapter in ("op", "collective") and any(a.small == "MPI_Op" for a in function.arguments)


def definition(function: Function) -> Iterator[str]:
    parameters, statements = [], []
    to_c: dict[str, str] = {}
    has_copies = False
    for position, argument in enumerate(function.arguments):
        p, name = passed(argument, function), name_of(argument)
        if p.text:
            parameters.append(f"const CFI_cdesc_t* {name}")
            to_c[name] = f"Text(static_cast<const char*>({name}->base_addr), {name}->elem_len)"
            continue
        if not is_buffer(argument, function):
            parameters.append(p.c)
            to_c.setdefault(name, p.to_c)
            continue
        parameters.append(f"const CFI_cdesc_t* {name}")
        described = followers(position, function, ("count", "MPI_Datatype"))
        partitioned = followers(position, function, ("count", "count", "MPI_Datatype"))
        if is_place(function):
            to_c[name] = f"memory_at({name}->base_addr)"
        elif partitioned:
            datatype = name_of(partitioned[2])
            statements.append(f"const Evenly {name}_({name}, handle<MPI_Datatype>({datatype}));")
            to_c |= {name: f"{name}_.address()", datatype: f"{name}_.type()"}
        elif described and not is_reduction(function) and not has_parts(name, function):
            count, datatype = (name_of(one) for one in described)
            statements.append(f"const Described {name}_({name}, *{count}, handle<MPI_Datatype>({datatype}));")
            to_c |= {name: f"{name}_.address()", count: f"{name}_.count()", datatype: f"{name}_.type()"}
        else:
            has_copies = True
            to_c[name] = f"copies.{'read' if argument.const else 'written'}({name})"
    parameters.append("int* ierror")
    call = f"{function.name}({', '.join(to_c[name_of(a)] for a in function.arguments)})"
    if has_copies:
        statements.insert(0, "Copies copies;")
        if any(a.name == "request" for a in function.arguments):
            statements.append("Handle<MPI_Request> made(request);")
            call = f"copies.keep({call.replace('Handle<MPI_Request>(request)', 'made')}, made)"
        else:
            call = f"copies.finish({call})"
    body = " ".join([*statements, f"give(ierror, {call});"])
    yield f"void {slice_symbol(function)}({', '.join(parameters)}) {{ {body} }}"


def slice_procedures(table: Table) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Generated from src/mpi/api.",
        '#include "fortran/slices.hpp"',
        "using namespace atl::mpi::fortran;",
        'extern "C" {',
    ]
    for function in table.functions:
        if takes_slices(function):
            lines += definition(function)
    return "\n".join([*lines, '}  // extern "C"', ""])
