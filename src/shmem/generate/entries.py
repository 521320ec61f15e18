# SPDX-License-Identifier: Apache-2.0
"""The C entry points of the library, their weak twins, and what is exported."""

from __future__ import annotations

from collections.abc import Iterator

from header import declaration
from table import EXTENSIONS, Function, Table

#: Entry points per file: files compile side by side.
FILES = 8


def body_of(function: Function) -> str:
    """The row's body with the caller's name put in front of its arguments."""
    text = function.expand(function.family.body)
    call = f'Call{{"{function.name}"}}'
    name, _, rest = text.partition("(")
    separator = "" if rest.startswith(")") else ", "
    return f"{name}({call}{separator}{rest.replace('CALL', call)}"


def entry(function: Function) -> Iterator[str]:
    back = "" if function.returns == "void" else "return "
    yield f"{declaration(function, function.profiling_name)} try {{"
    yield f"  {back}{body_of(function)};"
    yield "} catch (...) {"
    yield f'  fail_by_exception(Call{{"{function.name}"}});'
    yield "}"
    alias = f'__attribute__((weak, alias("{function.profiling_name}")))'
    yield f"{declaration(function, function.name)} {alias};"


def entry_files(table: Table) -> list[str]:
    built = [function for function in table.functions if function.built]
    texts = []
    for number in range(FILES):
        lines = [
            "// SPDX-License-Identifier: Apache-2.0",
            "// Generated from src/shmem/api.",
            "#define SHMEM_NO_INLINE 1",
            '#include "entry.hpp"',
            '#include "shmem.h"',
            '#include "shmemx.h"',
            "using namespace atl::shmem;",
            'extern "C" {',
        ]
        # Neighbours in the table share templates, so they share a file.
        share = (len(built) + FILES - 1) // FILES
        for function in built[number * share : (number + 1) * share]:
            lines += entry(function)
        lines += ['}  // extern "C"', ""]
        texts.append("\n".join(lines))
    return texts


def exported_names(table: Table) -> list[str]:
    names = []
    for function in table.functions:
        if function.built:
            names += [function.name, function.profiling_name]
    names += [
        "shmemx_direct_v1",
        "shmemx_ctx_invalid_v1",
        "shmemx_team_world_v1",
        "shmemx_team_shared_v1",
        "shmemx_looked_v1",
        "shmemx_ring_v1",
        "shmemx_start_pes_v1",
    ]
    return names


def extension_count(table: Table) -> int:
    return sum(function.family.chapter in EXTENSIONS for function in table.functions)
