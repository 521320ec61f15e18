# SPDX-License-Identifier: Apache-2.0
"""Fortran from the table: mpif.h, the modules mpi and mpi_f08, and the procedures behind all three.

One procedure serves all three: gfortran passes INTEGER and TYPE(MPI_Comm) alike, an absent optional argument as null,
and its LOGICAL is C's int. What differs from C is in the classes of fortran/convert.hpp, one for each way an argument
is passed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from table import EXTENSIONS, Argument, Function, Group, Table

HANDLES = {
    "MPI_Comm": "Comm",
    "MPI_Datatype": "Type",
    "MPI_Errhandler": "Errhandler",
    "MPI_File": "File",
    "MPI_Group": "Group",
    "MPI_Info": "Info",
    "MPI_Message": "Message",
    "MPI_Op": "Op",
    "MPI_Request": "Request",
    "MPI_Session": "Session",
    "MPI_Win": "Win",
}
KINDS = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Count": "MPI_COUNT_KIND", "MPI_Offset": "MPI_OFFSET_KIND"}
#: Chapters that are C's alone.
ABSENT = re.compile(r"T_|Abi_|\w+_(from|to)int$")
LOGICAL = {
    "flag",
    "reorder",
    "periods",
    "remain_dims",
    "commute",
    "high",
    "weighted",
}
#: Lengths of arrays of handles, in the C++ of the procedures.
LENGTHS = {
    "array_of_requests": lambda f: "*incount" if "incount" in names(f) else "*count",
    "array_of_types": lambda _: "*count",
    "array_of_datatypes": lambda _: "*max_datatypes",
    "sendtypes": lambda f: "sources_of(comm).second" if "eighbor" in f.name else "peers_of(comm)",
    "recvtypes": lambda f: "sources_of(comm).first" if "eighbor" in f.name else "peers_of(comm)",
}
#: Outputs that count from 0 in C and from 1 in Fortran.
POSITIONS = {"Waitany", "Testany", "Request_get_status_any"}
WEIGHTS = {"weights", "sourceweights", "destweights"}
#: Addresses of memory that the library gives.
BASES = {"baseptr"}


def names(function: Function) -> set[str]:
    return {argument.name for argument in function.arguments}


@dataclass(frozen=True)
class Passed:
    """An argument: how the procedure takes it, what it hands to C, and its declarations in both modules."""

    c: str
    to_c: str
    mpi: str
    f08: str
    text: bool = False  # its length comes behind all others


def name_of(argument: Argument) -> str:
    return {"indx": "index"}.get(argument.name, argument.name)


def handle(kind: str, argument: Argument, function: Function) -> Passed:
    name, f08 = name_of(argument), f"type({kind})"
    out = bool(argument.stars) and not argument.const
    if argument.array:
        length = LENGTHS[argument.name](function)
        shape = "dimension(*)"
        intent = ", intent(in)" if argument.const else ""
        mode = "Handles" if not argument.const else "ConstHandles"
        return Passed(
            f"int* {name}", f"{mode}<{kind}>({name}, {length})", f"integer, {shape}{intent}", f"{f08}, {shape}{intent}"
        )
    if out:
        return Passed(f"int* {name}", f"Handle<{kind}>({name})", "integer", f08)
    return Passed(f"int* {name}", f"handle<{kind}>({name})", "integer, intent(in)", f"{f08}, intent(in)")


def passed(argument: Argument, function: Function) -> Passed:
    """How one argument goes from Fortran to C."""
    kind = argument.large if function.large else argument.small
    name = name_of(argument)
    if kind in HANDLES:
        return handle(kind, argument, function)
    if kind == "MPI_Status":
        intent = ", intent(in)" if argument.const else ""
        many = name == "array_of_statuses"
        mpi = "integer, dimension(MPI_STATUS_SIZE, *)" if many else "integer, dimension(MPI_STATUS_SIZE)"
        f08 = "type(MPI_Status)" + (", dimension(*)" if many else "")
        return Passed(f"int* {name}", f"status_at({name})", mpi + intent, f08 + intent)
    if kind == "void":
        if is_returned_buffer(argument):
            return Passed(f"void* {name}", name, "CHOICE", "type(c_ptr), intent(out)")
        if name in BASES:
            return Passed(f"void* {name}", name, "integer(kind=MPI_ADDRESS_KIND)", "type(c_ptr), intent(out)")
        return Passed(f"void* {name}", f"memory_at({name})", "CHOICE", "CHOICE")
    if kind == "char":
        if argument.const:
            return Passed(
                f"const char* {name}", f"Text({name}, {name}_length)", *["character(len=*), intent(in)"] * 2, text=True
            )
        return Passed(
            f"char* {name}", f"Line({name}, {name}_length)", *["character(len=*), intent(out)"] * 2, text=True
        )
    whole = f"integer(kind={KINDS[kind]})" if kind in KINDS else "logical" if argument.name in LOGICAL else "integer"
    c = kind if kind in KINDS else "int"
    if argument.array or argument.stars:
        if "[3]" in argument.array:
            return Passed(
                f"int* {name}", f"reinterpret_cast<int(*)[3]>({name})", *["integer, dimension(3, *), intent(in)"] * 2
            )
        shape = ", dimension(*)" if argument.array else ""
        intent = ", intent(in)" if argument.const else ""
        to_c = name
        if name in WEIGHTS:
            to_c = f"weights_at({name})"
        elif name == "array_of_indices":
            to_c = f"Positions({name}, outcount)"
        elif name == "buflen":
            to_c = f"Room({name})"
        elif name == "index" and function.row.name in POSITIONS:
            to_c = f"Position({name})"
        return Passed(f"{c}* {name}", to_c, *[whole + shape + intent] * 2)
    return Passed(f"{c}* {name}", f"*{name}", *[whole + ", intent(in)"] * 2)


def is_returned_buffer(argument: Argument) -> bool:
    """A buffer that was attached: its address is for mpi_f08 alone. Elsewhere the standard has the argument unused."""
    return argument.name == "buffer_addr"


def bound(function: Function) -> bool:
    row = function.row
    if row.chapter in EXTENSIONS:
        return False
    return not ABSENT.match(row.name) and row.name not in BY_HAND and row.returns in ("int", "double", "MPI_Aint")


def symbol(function: Function) -> str:
    return function.name.lower() + "_"


def slice_symbol(function: Function) -> str:
    """Of the procedure that takes buffers by descriptor (slices.py)."""
    return f"{symbol(function)}f08_slice_"


# ---- procedures


def procedure(function: Function) -> Iterator[str]:
    # The module mpi_f08 knows it by a name of its own, so that a file may use both modules.
    f08 = f"{symbol(function)}f08_"
    aliases = [] if function.large else [f"p{symbol(function)}"]
    if has_pointer_form(function):
        aliases.append(f"{function.name.lower()}_cptr_")
    if any(is_returned_buffer(argument) for argument in function.arguments):
        yield from definition(function, symbol(function), aliases, "Unused()")
        yield from definition(function, f08, [])
    else:
        yield from definition(function, symbol(function), [f08, *aliases])


def definition(function: Function, name: str, aliases: list[str], returned_buffer: str = "") -> Iterator[str]:
    """One procedure. `returned_buffer`: what C gets in place of the argument of that kind."""
    all_passed = [passed(argument, function) for argument in function.arguments]
    parameters = [p.c for p in all_passed]
    to_c = [
        returned_buffer if returned_buffer and is_returned_buffer(argument) else p.to_c
        for argument, p in zip(function.arguments, all_passed, strict=True)
    ]
    call = f"{function.name}({', '.join(to_c)})"
    returns = function.row.returns
    if returns != "int":
        yield f"{returns} {name}({', '.join(parameters)}) {{ return {call}; }}"
    else:
        parameters.append("int* ierror")
        parameters += [
            f"std::size_t {name_of(a)}_length" for a, p in zip(function.arguments, all_passed, strict=True) if p.text
        ]
        yield f"void {name}({', '.join(parameters)}) {{ give(ierror, {call}); }}"
    for alias in aliases:
        kind = "void" if returns == "int" else returns
        yield f'{kind} {alias}({", ".join(parameters)}) __attribute__((alias("{name}")));'


def has_pointer_form(function: Function) -> bool:
    return bool(BASES & names(function)) and not function.large


def procedures(table: Table) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Generated from src/mpi/api.",
        '#include "fortran/convert.hpp"',
    ]
    lines += ["using namespace atl::mpi::fortran;", 'extern "C" {']
    for function in table.functions:
        if bound(function):
            lines += procedure(function)
    return "\n".join([*lines, '}  // extern "C"', ""])


# ---- interfaces


def wrapped(text: str) -> str:
    """Lines of free form end before column 132."""
    indent = " " * (len(text) - len(text.lstrip()) + 4)
    lines, line = [], ""
    for part in re.split(r"(?<=,) ", text):
        if line and len(line) + len(part) > 110:
            lines.append(line + " &")
            line = indent + part
        else:
            line = f"{line} {part}" if line else part
    return "\n".join([*lines, line])


def interface(
    function: Function,
    name: str,
    declare: Callable[[Passed], str],
    f08: bool,
    pointer: bool = False,
    slices: bool = False,
) -> Iterator[str]:
    """`slices`: buffers are passed by descriptor, to the procedure of slices.py."""
    all_passed = [(name_of(a), passed(a, function)) for a in function.arguments]
    arguments = [n for n, _ in all_passed]
    returns = {"double": "double precision", "MPI_Aint": "integer(kind=MPI_ADDRESS_KIND)"}.get(function.row.returns)
    word = "function" if returns else "subroutine"
    if not returns:
        arguments.append("ierror")
    slices = slices and any(declare(p) == "CHOICE" for _, p in all_passed)
    binding = f' bind(C, name="{slice_symbol(function)}")' if slices else ""
    yield wrapped(f"  {word} {name}({', '.join(arguments)}){binding}")
    yield "    import"
    if returns:
        yield f"    {returns} :: {name}"
    for argument, p in all_passed:
        declaration = "type(c_ptr), intent(out)" if pointer and argument in BASES else declare(p)
        if declaration == "CHOICE" and slices:
            yield f"    type(*), dimension(..) :: {argument}"
        elif declaration == "CHOICE":
            yield f"    !GCC$ ATTRIBUTES NO_ARG_CHECK :: {argument}"
            yield f"    type(*), dimension(*) :: {argument}"
        else:
            yield f"    {declaration} :: {argument}"
    if not returns:
        yield f"    integer, {'optional, ' if f08 else ''}intent(out) :: ierror"
    yield f"  end {word} {name}"


def clocks(table: Table) -> Iterator[str]:
    """Functions of the profiling interface, which no module's program can call without a declaration."""
    for function in table.functions:
        if bound(function) and function.row.returns == "double":
            yield from ("interface", *interface(function, function.profiling_name, lambda p: p.mpi, f08=False), "end interface")


def is_overloaded(row_functions: list[Function]) -> bool:
    """Whether kinds of integers tell both forms apart."""
    small, large = row_functions
    return len(small.arguments) != len(large.arguments) or any(
        a.small == "int" and a.large != "int" for a in small.arguments
    )


def by_row(table: Table) -> list[list[Function]]:
    rows: dict[str, list[Function]] = {}
    for function in table.functions:
        if bound(function):
            rows.setdefault(function.row.name, []).append(function)
    return list(rows.values())


def interfaces_mpi(table: Table) -> Iterator[str]:
    for functions in by_row(table):
        small = functions[0]
        if has_pointer_form(small):
            yield f"interface {small.name}"
            yield from interface(small, small.name, lambda p: p.mpi, f08=False)
            yield from interface(small, small.name + "_cptr", lambda p: p.mpi, f08=False, pointer=True)
        else:
            yield "interface"
            yield from interface(small, small.name, lambda p: p.mpi, f08=False)
        yield "end interface"


def interfaces_f08(table: Table, slices: bool) -> Iterator[str]:
    for functions in by_row(table):
        for function in functions:
            together = len(functions) == 2 and is_overloaded(functions)
            yield f"interface {functions[0].name if together else function.name}"
            yield from interface(function, f"{function.name}_f08", lambda p: p.f08, f08=True, slices=slices)
            yield "end interface"


# ---- constants


def fortran_value(group: Group, name: str, value: int) -> tuple[str, str]:
    """Type (INTEGER, a kind, or a handle) and value of a constant, as Fortran counts."""
    if group.type in HANDLES:
        return group.type, str(value)
    if group.type == "MPI_Offset":
        return "MPI_OFFSET_KIND", str(value)
    if re.match(r"MPI_MAX_\w*(STRING|NAME|KEY|VAL)|MPI_MAX_\w*LEN$", name):
        value -= 1  # without C's zero
    return "", str(value)


def constants(table: Table) -> Iterator[tuple[str, str, str]]:
    yield "MPI_STATUS_SIZE", "", "8"
    yield "MPI_SOURCE", "", "1"
    yield "MPI_TAG", "", "2"
    yield "MPI_ERROR", "", "3"
    for name in ("ADDRESS", "COUNT", "OFFSET"):
        yield f"MPI_{name}_KIND", "", "8"
    yield "MPI_INTEGER_KIND", "", "4"
    named = {name: (group, value) for group in table.constants for name, value in group.values.items()}
    for group in table.constants:
        if group.type == "alias":
            for name, other in group.values.items():
                of, value = named[str(other)]
                yield name, *fortran_value(of, name, int(value))
        if group.type not in HANDLES and group.type not in ("int", "MPI_Offset"):
            continue
        for name, value in group.values.items():
            if not isinstance(value, int) or name.startswith(("MPI_T_", "MPI_F_")):
                continue
            yield name, *fortran_value(group, name, value)


def mpif(table: Table) -> str:
    """mpif.h, which reads alike in fixed and in free form."""
    lines = ["! SPDX-License-Identifier: Apache-2.0", "! Generated from src/mpi/api."]
    for name, kind, value in constants(table):
        whole = "INTEGER*8" if kind.endswith("_KIND") else "INTEGER"
        lines += [f"      {whole} {name}", f"      PARAMETER ({name}={value})"]
    lines.append((PLACES + "\n" + PROCEDURES_IN_HEADER).strip("\n"))
    return "\n".join(lines) + "\n"


def declared_constants(table: Table, f08: bool) -> Iterator[str]:
    for name, kind, value in constants(table):
        if f08 and re.fullmatch(r"MPI_(ADDRESS|COUNT|OFFSET)_KIND", name):
            continue  # of the module of types
        if kind.endswith("_KIND"):
            yield f"integer(kind={kind}), parameter :: {name} = {value}"
        elif kind and f08:
            yield f"type({kind}), parameter :: {name} = {kind}({value})"
        else:
            yield f"integer, parameter :: {name} = {value}"


#: Memory whose address means something. The library has it under the same names.
PLACES = """
      INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC
      INTEGER MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
      INTEGER MPI_ERRCODES_IGNORE(1)
      INTEGER MPI_STATUS_IGNORE(8), MPI_STATUSES_IGNORE(8,1)
      COMMON /ATOLL_MPI_PLACES/ MPI_BOTTOM, MPI_IN_PLACE
      COMMON /ATOLL_MPI_PLACES/ MPI_BUFFER_AUTOMATIC
      COMMON /ATOLL_MPI_PLACES/ MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
      COMMON /ATOLL_MPI_PLACES/ MPI_ERRCODES_IGNORE
      COMMON /ATOLL_MPI_PLACES/ MPI_STATUS_IGNORE
      COMMON /ATOLL_MPI_PLACES/ MPI_STATUSES_IGNORE
      CHARACTER*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)
      COMMON /ATOLL_MPI_TEXTS/ MPI_ARGV_NULL, MPI_ARGVS_NULL
      SAVE /ATOLL_MPI_PLACES/, /ATOLL_MPI_TEXTS/
      LOGICAL MPI_SUBARRAYS_SUPPORTED
      PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)
      LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
      PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)
"""
PREDEFINED = [
    "MPI_NULL_COPY_FN",
    "MPI_NULL_DELETE_FN",
    "MPI_DUP_FN",
    *[f"MPI_{kind}_{what}_FN" for kind in ("COMM", "TYPE", "WIN") for what in ("NULL_COPY", "NULL_DELETE", "DUP")],
    "MPI_CONVERSION_FN_NULL",
]
PROCEDURES_IN_HEADER = "".join(f"      EXTERNAL {name}\n" for name in PREDEFINED) + (
    "      DOUBLE PRECISION MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK\n"
    "      EXTERNAL MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK\n"
    "      INTEGER*8 MPI_AINT_ADD, MPI_AINT_DIFF\n"
    "      EXTERNAL MPI_AINT_ADD, MPI_AINT_DIFF\n"
)


#: Arguments in mpi_f08 of what is not made from the table.
ARGUMENTS_BY_HAND = {
    "Init": "",
    "Init_thread": "integer in required, integer out provided",
    "Pcontrol": "integer in level",
    "F_sync_reg": "CHOICE any buf",
    "Status_f2f08": "integer,dimension(8) in f_status, type(MPI_Status) out f08_status",
    "Status_f082f": "type(MPI_Status) in f08_status, integer,dimension(8) out f_status",
    "Info_create_env": "type(MPI_Info) out info",
    "Op_create": "procedure(MPI_User_function) any user_fn, logical in commute, type(MPI_Op) any op",
    "Op_create_c": "procedure(MPI_User_function_c) any user_fn, logical in commute, type(MPI_Op) any op",
    "Grequest_start": "procedure(MPI_Grequest_query_function) any query_fn, procedure(MPI_Grequest_free_function) any free_fn,"
    " procedure(MPI_Grequest_cancel_function) any cancel_fn, ADDRESS in extra_state, type(MPI_Request) any request",
    "Register_datarep": "character(len=*) in datarep, procedure(MPI_Datarep_conversion_function) any read_conversion_fn,"
    " procedure(MPI_Datarep_conversion_function) any write_conversion_fn,"
    " procedure(MPI_Datarep_extent_function) any dtype_file_extent_fn, ADDRESS in extra_state",
    "Comm_spawn": "character(len=*) in command, character(len=*),dimension(*) in argv, integer in maxprocs, type(MPI_Info) in info,"
    " integer in root, type(MPI_Comm) in comm, type(MPI_Comm) any intercomm, integer,dimension(*) any array_of_errcodes",
    "Comm_spawn_multiple": "integer in count, character(len=*),dimension(*) in array_of_commands,"
    " character(len=*),dimension(count,*) in array_of_argv, integer,dimension(*) in array_of_maxprocs,"
    " type(MPI_Info),dimension(*) in array_of_info, integer in root, type(MPI_Comm) in comm, type(MPI_Comm) any intercomm,"
    " integer,dimension(*) any array_of_errcodes",
    **{
        f"{kind}_create_errhandler": f"procedure(MPI_{kind}_errhandler_function) any {low}_errhandler_fn, type(MPI_Errhandler) any errhandler"
        for kind, low in (("Comm", "comm"), ("File", "file"), ("Session", "session"), ("Win", "win"))
    },
    **{
        f"{kind}_create_keyval": f"procedure(MPI_{kind}_copy_attr_function) any {low}_copy_attr_fn,"
        f" procedure(MPI_{kind}_delete_attr_function) any {low}_delete_attr_fn, integer out {low}_keyval, ADDRESS in extra_state"
        for kind, low in (("Comm", "comm"), ("Type", "type"), ("Win", "win"))
    },
    **{
        f"{kind}_{what}_attr": f"type(MPI_{of}) in {name}, integer in {low}_keyval, {value} attribute_val{rest}"
        for kind, of, name, low in (
            ("Comm", "Comm", "comm", "comm"),
            ("Type", "Datatype", "datatype", "type"),
            ("Win", "Win", "win", "win"),
        )
        for what, value, rest in (("get", "ADDRESS any", ", logical out flag"), ("set", "ADDRESS in", ""))
    },
}


#: Attributes as MPI-1 has them: not in mpi_f08.
OF_MPI_1 = {"Attr_get", "Attr_put", "Keyval_create"}
#: Written in fortran/*.cpp: functions of the program, values of attributes, lists of strings.
BY_HAND = OF_MPI_1 | ARGUMENTS_BY_HAND.keys()


def interfaces_by_hand() -> Iterator[str]:
    for name, text in ARGUMENTS_BY_HAND.items():
        arguments = [part.strip().split(" ") for part in re.split(r", (?=\w)", text)] if text else []
        without_error = name in ("Pcontrol", "F_sync_reg")
        dummies = [dummy for _, _, dummy in arguments] + ([] if without_error else ["ierror"])
        yield f"interface MPI_{name}"
        yield wrapped(f"  subroutine MPI_{name}_f08({', '.join(dummies)})")
        yield "    import"
        for kind, intent, dummy in arguments:
            if kind == "CHOICE":
                yield f"    !GCC$ ATTRIBUTES NO_ARG_CHECK :: {dummy}"
                kind = "type(*),dimension(*)"
            kind = kind.replace("ADDRESS", "integer(kind=MPI_ADDRESS_KIND)")
            yield f"    {kind}{'' if intent == 'any' else f', intent({intent})'} :: {dummy}"
        if not without_error:
            yield "    integer, optional, intent(out) :: ierror"
        yield f"  end subroutine MPI_{name}_f08"
        yield "end interface"


def alias_options() -> str:
    """Options of the linker: second names of the procedures that are written by hand."""
    lines = []
    for name in sorted(BY_HAND):
        plain = f"mpi_{name.lower()}_"
        lines.append(f"-Wl,--defsym=p{plain}={plain}")
        if name in ARGUMENTS_BY_HAND:
            lines.append(f"-Wl,--defsym={plain}f08_={plain}")
    return "\n".join(lines) + "\n"


def sizes() -> Iterator[str]:
    """MPI_Sizeof for every type of gfortran's."""
    kinds = {f"integer{n}": f"integer({n})" for n in (1, 2, 4, 8)}
    kinds |= {f"real{n}": f"real({n})" for n in (4, 8, 10, 16)} | {f"complex{n}": f"complex({n})" for n in (4, 8)}
    kinds |= {"character": "character", "logical": "logical"}
    for name, declaration in kinds.items():
        yield f"subroutine size_of_{name}(x, size, ierror)"
        yield f"  {declaration}, dimension(..), intent(in) :: x"
        yield "  integer, intent(out) :: size, ierror"
        yield f"  {declaration} :: one"
        yield "  size = storage_size(one) / 8"
        yield "  ierror = MPI_SUCCESS"
        yield "end subroutine"


def places_f08(slices: bool) -> str:
    text = re.sub(r"INTEGER MPI_STATUS_IGNORE.*", "TYPE(MPI_Status) MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)", PLACES)
    if slices:
        text = text.replace("MPI_SUBARRAYS_SUPPORTED=.FALSE.", "MPI_SUBARRAYS_SUPPORTED=.TRUE.")
    return text.strip("\n")


def handle_types() -> Iterator[str]:
    for kind in HANDLES:
        yield f"type, bind(C) :: {kind}\n  integer :: MPI_VAL\nend type {kind}"


def module(frame: str, table: Table, f08: bool, slices: bool = False) -> str:
    """The frame with constants and interfaces in their places."""
    slots = {
        "CONSTANTS": "\n".join(declared_constants(table, f08)),
        "PLACES": places_f08(slices) if f08 else PLACES.strip("\n"),
        "PREDEFINED": "\n".join(f"external :: {name}" for name in PREDEFINED),
        "INTERFACES": "\n".join([*(interfaces_f08(table, slices) if f08 else interfaces_mpi(table)), *clocks(table)]),
        "HANDLES": "\n".join(handle_types()),
        "BY_HAND": "\n".join(interfaces_by_hand()),
        "SIZES": "\n".join(sizes()),
        "COMPARED": "\n".join(
            f"interface operator({op})\n{wrapped('  module procedure ' + ', '.join(f'{kind}_{word}' for kind in HANDLES))}\nend interface"
            for op, word in (("==", "is"), ("/=", "is_not"))
        ),
        "COMPARISONS": "\n".join(
            f"elemental logical function {kind}_{word}(a, b)\n  type({kind}), intent(in) :: a, b\n"
            f"  {kind}_{word} = a%MPI_VAL {op} b%MPI_VAL\nend function"
            for kind in HANDLES
            for op, word in (("==", "is"), ("/=", "is_not"))
        ),
    }
    return re.sub(r"^@(\w+)@$", lambda m: slots[m.group(1)], frame, flags=re.MULTILINE)
