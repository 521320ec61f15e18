# SPDX-License-Identifier: Apache-2.0
"""The C entry points of the library and their weak twins."""

from __future__ import annotations

from collections.abc import Iterator

from table import CHAPTERS, EXTENSIONS, WIDE, Argument, Function, Table


def base_entry(function: Function, arguments: tuple[Argument, ...], body: str) -> Iterator[str]:
    row = function.row
    call = f'Call{{"{row.prefix}{row.name}"}}'
    yield f"{function.declaration(function.profiling_name)} {{"
    if not body:
        yield "  return not_available();" if row.returns == "int" else "  return {};"
        yield "}"
        return
    if row.returns != "int" or row.answers or row.name.endswith("_toint"):
        yield f"  return {body};"
        yield "}"
        return
    if not row.any_time:
        yield f"  if (!is_active()) [[unlikely]] return raise_inactive({call});"
    yield "  try {"
    if row.polled:
        yield "    poll_progress();"
    yield from (f'    need_place({name}, "{name}");' for name in row.places(arguments))
    if body == row.body and (row.check or row.checked):
        yield "    if (checking()) [[unlikely]] {"
        yield f'      const check::Entered entered("{row.prefix}{row.name}");'
        if row.check:
            yield f"      {row.check};"
        yield f"      return code_of([&] {{ return {row.checked or body}; }});"
        yield "    }"
    yield f"    return code_of([&] {{ return {body}; }});"
    yield "  } catch (...) {"
    owner = row.owner(arguments)
    if owner.startswith("*"):
        yield f"    if ({owner[1:]} == nullptr) return raise({call});"
    yield f"    return raise({call}{', ' + owner if owner else ''});"
    yield "  }"
    yield "}"


def small_entry(function: Function) -> Iterator[str]:
    """The int form: widens, calls the _c form, narrows."""
    row = function.row
    passed = []
    before = []
    after = []
    for argument in function.arguments:
        name = argument.name
        if not argument.grows or (argument.small in WIDE and argument.large in WIDE):
            passed.append(name)
        elif argument.array:
            before.append(f"const Widened<{argument.large}> wide_{name}({name}, {row.lengths[name]});")
            passed.append(f"wide_{name}.data()")
        elif argument.stars:
            before.append(f"Narrowed wide_{name}({name});")
            passed.append(f"wide_{name}.out()")
            after.append(f"wide_{name}.store();")
        else:
            passed.append(name)
    call = f"P{row.base}({', '.join(passed)})"
    yield f"{function.declaration(function.profiling_name)} {{"
    if before:
        # Lengths look at handles, which may be wrong.
        owner = row.owner(function.arguments)
        yield "  try {"
        yield from (f"    {line}" for line in before)
        yield f"    int code = {call};"
        yield from (f"    if (code == MPI_SUCCESS) {line}" for line in after)
        yield "    return code;"
        yield "  } catch (...) {"
        yield f'    return raise(Call{{"MPI_{row.name}"}}{", " + owner if owner else ""});'
        yield "  }"
    else:
        yield f"  return {call};"
    yield "}"


def entry(function: Function) -> Iterator[str]:
    row = function.row
    if function.is_base:
        yield from base_entry(function, row.arguments, row.body)
    elif row.small_arguments or row.small:
        yield from base_entry(function, function.arguments, row.small)
    elif not row.body:
        yield from base_entry(function, function.arguments, "")
    else:
        yield from small_entry(function)
    alias = f'__attribute__((weak, alias("{function.profiling_name}")))'
    for name in function.names:
        yield f"{function.declaration(name)} {alias};"


def entry_files(table: Table) -> dict[str, str]:
    """Text by chapter. Base forms come first, so that the int forms call what is known."""
    texts = {}
    for chapter in CHAPTERS:
        own = ["mpi-ext.h"] if chapter in EXTENSIONS else []
        headers = ["core/entry.hpp", *own, *table.headers[chapter]]
        lines = ["// SPDX-License-Identifier: Apache-2.0", "// Generated from src/mpi/api."]
        lines += [f'#include "{header}"' for header in headers]
        lines += ["using namespace atl::mpi;", 'extern "C" {']
        mine = [function for function in table.functions if function.row.chapter == chapter]
        for function in sorted(mine, key=lambda function: not function.is_base):
            lines += entry(function)
        lines += ['}  // extern "C"', ""]
        texts[chapter] = "\n".join(lines)
    return texts
