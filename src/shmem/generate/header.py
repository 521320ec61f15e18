# SPDX-License-Identifier: Apache-2.0
"""shmem.h and shmemx.h: declarations, inline forms, C11 selection and C++ overloads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from table import EXTENSIONS, Family, Function, Table

ATTRIBUTES = {"noreturn": "SHMEMX_NORETURN_"}


def declaration(function: Function, name: str) -> str:
    marks = "".join(f"{ATTRIBUTES[word]} " for word in function.family.attributes)
    space = "" if function.returns.endswith("*") else " "
    return f"{marks}{function.returns}{space}{name}({function.parameters()})"


def declarations(functions: Iterable[Function], profiling: bool) -> Iterator[str]:
    for function in functions:
        yield declaration(function, function.profiling_name if profiling else function.name) + ";"


def inline_forms(functions: Iterable[Function]) -> Iterator[str]:
    """Bodies that do the plain case in the caller and hand everything else to the library."""
    for function in functions:
        if not function.family.inline:
            continue
        call = f"{function.profiling_name}({function.names()});"
        yield f"SHMEMX_INLINE_ {declaration(function, function.name)} {{"
        yield f"  {function.expand(function.family.inline)}"
        yield f"  {call}" if function.returns == "void" else f"  return {call}"
        yield "}"


def typed_argument(family: Family) -> int:
    """Which argument a typed family is selected by: the first that points to TYPE."""
    for index, argument in enumerate(family.arguments.split(",")):
        if re.search(r"\bTYPE\s*\*", argument):
            return index
    raise ValueError(f"{family.name}: generic, but no argument points to TYPE")


def generics(table: Table, families: Iterable[Family]) -> Iterator[str]:
    """C11 macros. Forms with and without a context differ in their number of arguments; so does a deprecated function
    of the same name."""
    forms: dict[str, dict[int, str]] = {}
    for family in families:
        if not family.generic:
            continue
        count = len(family.arguments.split(","))
        for with_ctx in (False, True) if family.has_ctx else (False,):
            prefix = "shmem_ctx_" if with_ctx else "shmem_"
            names = [f"a{index}_" for index in range(count + with_ctx)]
            if family.types:
                key = names[typed_argument(family) + with_ctx]
                choices = ", ".join(
                    f"{kind.c}: {prefix}{family.name.replace('{T}', name)}"
                    for name, kind in table.distinct(family.types)
                )
                target = f"_Generic(*({key}), {choices})"
            else:
                target = f"{prefix}{family.name}"
            macro = f"shmemx_generic_{family.generic}_{len(names)}_"
            call = ", ".join(names)
            yield f"#define {macro}({call}) {target}({call})"
            forms.setdefault(family.generic, {})[len(names)] = macro
    plain = {family.name: len(family.arguments.split(",")) for family in families if not family.types}
    for generic, counts in forms.items():
        # The function of the same name, where there is one, keeps its number of arguments.
        if generic in plain and plain[generic] not in counts:
            names = ", ".join(f"a{index}_" for index in range(plain[generic]))
            yield f"#define shmemx_generic_{generic}_{plain[generic]}_({names}) shmem_{generic}({names})"
            counts = {**counts, plain[generic]: ""}
        if len(counts) == 1:
            (count,) = counts
            names = ", ".join(f"a{index}_" for index in range(count))
            yield f"#define shmem_{generic}({names}) {counts[count]}({names})"
        else:
            yield f"#define shmem_{generic}(...) SHMEMX_SELECT_(shmemx_generic_{generic}_, __VA_ARGS__)"


def overloads(table: Table, functions: Iterable[Function]) -> Iterator[str]:
    """C++ forms of the generic names."""
    names = {function.name: function for function in functions}
    taken = {f"{function.name}({', '.join(a.c for a in function.arguments)})" for function in names.values()}
    for function in names.values():
        family = function.family
        if not family.generic:
            continue
        if function.type is not None:
            stem = re.escape("shmem_ctx_" if function.with_ctx else "shmem_") + family.name.replace("{T}", r"(\w+?)")
            match = re.fullmatch(stem, function.name)
            first = {kind.name: name for name, kind in table.distinct(family.types)}
            if match is None or first[table.types[match.group(1)].same] != match.group(1):
                continue
        name = f"shmem_{family.generic}"
        arguments = list(function.arguments)
        returns = function.returns
        passed = function.names()
        if function.type is not None and function.type.name.startswith("complex"):
            real = {"complexd": "double", "complexf": "float"}[function.type.name]
            passed = ", ".join(
                f"reinterpret_cast<{a.c}>({a.name})" if function.type.c in a.c else a.name for a in arguments
            )
            parameters = function.parameters().replace(function.type.c, f"std::complex<{real}>")
        else:
            parameters = function.parameters()
            if f"{name}({', '.join(a.c for a in arguments)})" in taken:
                continue
        back = "" if returns == "void" else "return "
        space = "" if returns.endswith("*") else " "
        yield f"SHMEMX_OVERLOAD_ {returns}{space}{name}({parameters}) {{ {back}{function.name}({passed}); }}"


def header(table: Table, parts: dict[str, str], extensions: bool) -> str:
    """The text of shmem.h (or shmemx.h): `parts` are the hand-written files, by name."""
    mine = [f for f in table.functions if f.built and (f.family.chapter in EXTENSIONS) == extensions]
    families = [f for f in table.families if f.built and (f.chapter in EXTENSIONS) == extensions]
    slots = {
        "DECLARATIONS": "\n".join(declarations(mine, profiling=False)),
        "PROFILING": "\n".join(declarations(mine, profiling=True)),
        "INLINE": "\n".join(inline_forms(mine)),
        "GENERICS": "\n".join(generics(table, families)),
        "OVERLOADS": "\n".join(overloads(table, mine)),
        "DIRECT": parts.get("direct.h", "").split("\n", 1)[-1],
    }
    text = parts["shmemx.h.in" if extensions else "shmem.h.in"]
    return re.sub(r"^@(\w+)@$", lambda m: slots[m.group(1)], text, flags=re.MULTILINE)
