# SPDX-License-Identifier: Apache-2.0
"""Writes what the build needs from the table in api/: headers, entry points, exports, descriptions.

usage: generate.py OUTPUT_FOLDER | --document FILE.md
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))

from doors import PROCESS, function_table, rows, version_script, with_table, write  # noqa: E402  (found only now)

CHAPTERS = ("client", "message", "rma", "barrier", "collective", "vis", "atomic", "tools")
KEYS = {"name", "suffix", "returns", "arguments", "body", "text", "header", "direct", "arity", "of", "noreturn"}
MODES = ("seq", "par", "parsync")
MOST_ARGUMENTS = 16
#: Variables of the library.
DATA = ("gasnet_atoll_world",)
#: In the library's names of functions that clients call by another: those of a header, or of several forms.
PREFIX = "gasnet_atoll_"


@dataclass(frozen=True)
class Function:
    """One row: a function of the library, and the form in which clients see it."""

    name: str
    suffix: str  # behind the number of arguments
    chapter: str
    header: str
    returns: str
    arguments: str
    body: str
    text: str
    direct: str  # what the header does where it can
    arity: bool  # forms with 0 to 16 arguments
    noreturn: bool
    of: str  # the function of GASNet that it serves, when clients do not call it by its name

    @property
    def hidden(self) -> bool:
        return self.name.startswith(PREFIX)

    @property
    def symbol(self) -> str:
        """Its name in the library."""
        if self.direct or self.arity:
            return PREFIX + self.name.removeprefix("gex_") + self.suffix
        return self.name

    @property
    def parameters(self) -> str:
        """Those of the symbol."""
        return self.arguments + (", const gex_AM_Arg_t *args, unsigned int numargs" if self.arity else "")

    @property
    def names(self) -> str:
        return ", ".join(re.findall(r"\w+", part)[-1] for part in self.arguments.split(",") if part != "void")

    def declared(self, name: str, arguments: str) -> str:
        space = "" if self.returns.endswith("*") else " "
        return f"{self.returns}{space}{name}({arguments})"


def load(folder: Path) -> list[Function]:
    return [
        Function(
            name=row["name"],
            suffix=row.get("suffix", ""),
            chapter=chapter["chapter"],
            header=row.get("header", chapter["header"]),
            returns=row["returns"],
            arguments=row["arguments"],
            body=row["body"],
            text=row["text"],
            direct=row.get("direct", ""),
            arity=row.get("arity", False),
            noreturn=row.get("noreturn", False),
            of=row.get("of", row["name"]),
        )
        for chapter, row in rows(folder, CHAPTERS, KEYS)
    ]


def declarations(functions: Iterable[Function]) -> Iterator[str]:
    for function in functions:
        mark = "GASNETT_NORETURN " if function.noreturn else ""
        yield mark + function.declared(function.symbol, function.parameters) + ";"


def client_modes() -> Iterator[str]:
    """Both ways in, once per mode: each in a library of that mode's name."""
    for mode in MODES:
        yield (
            f"int {PREFIX}Client_Init_{mode}(gex_Client_t *client_p, gex_EP_t *ep_p, gex_TM_t *tm_p, "
            "const char *client_name, int *argc, char ***argv, gex_Flags_t flags);"
        )
        yield f"int {PREFIX}Init_{mode}(int *argc, char ***argv);"


def mode_source(mode: str) -> str:
    return f"""// SPDX-License-Identifier: Apache-2.0
// Generated: the way in of programs that are compiled for GASNET_{mode.upper()}.
#define GASNET_{mode.upper()} 1
#define GASNET_ATOLL_WITHOUT_IDENT 1
#include "gasnetex.h"

int {PREFIX}Client_Init_{mode}(gex_Client_t *client_p, gex_EP_t *ep_p, gex_TM_t *tm_p, const char *client_name,
                               int *argc, char ***argv, gex_Flags_t flags) {{
  return {PREFIX}Client_Init(client_p, ep_p, tm_p, client_name, argc, argv, flags, "{mode}");
}}
int {PREFIX}Init_{mode}(int *argc, char ***argv) {{ return {PREFIX}Init(argc, argv, "{mode}"); }}
"""


def direct_forms(functions: Iterable[Function]) -> Iterator[str]:
    """Bodies that do the plain case in the caller and hand everything else to the library."""
    for function in functions:
        if not function.direct:
            continue
        yield f"GASNET_ATOLL_INLINE {function.declared(function.name, function.arguments)} {{"
        yield f"  {function.direct}"
        yield f"  return {function.symbol}({function.names});"
        yield "}"


def arity_forms(functions: Iterable[Function]) -> Iterator[str]:
    for function in functions:
        if not function.arity:
            continue
        back = "" if function.returns == "void" else "return "
        for count in range(MOST_ARGUMENTS + 1):
            arguments = "".join(f", gex_AM_Arg_t arg{i}" for i in range(count))
            name = f"{function.name}{count}{function.suffix}"
            yield f"GASNET_ATOLL_INLINE {function.declared(name, function.arguments + arguments)} {{"
            if count != 0:
                yield f"  const gex_AM_Arg_t args[{count}] = {{{', '.join(f'arg{i}' for i in range(count))}}};"
            passed = f"args, {count}" if count != 0 else "(const gex_AM_Arg_t *)0, 0"
            yield f"  {back}{function.symbol}({function.names}, {passed});"
            yield "}"
        # The form that counts its arguments behind the fixed ones.
        fixed = function.arguments.count(",") + 1
        choices = ", ".join(
            f"{function.name}{count - fixed}{function.suffix}" for count in range(fixed + MOST_ARGUMENTS, fixed - 1, -1)
        )
        padding = ", ".join(["0"] * (LONGEST - fixed - MOST_ARGUMENTS))
        before = f"{padding}, " if padding else ""
        after = ", ".join([choices, *["0"] * (fixed - 1)])
        # `last` stands for the names of what comes behind the longest form that there is.
        yield (
            f"#define {function.name}{function.suffix}(...) "
            f"GASNET_ATOLL_PICK_(__VA_ARGS__, {before}{after}, 0)(__VA_ARGS__)"
        )


def legacy_forms() -> Iterator[str]:
    """GASNet-1's messages, by those of GASNet-EX. A long request completes locally before it returns, async or not."""
    short, medium, long = "", "source_addr, nbytes, ", "source_addr, nbytes, dest_addr, "
    for kind, where, own, asynchronous in (
        ("Request", "dest", "gasnet_atoll_world, dest", True),
        ("Reply", "token", "token", False),
    ):
        for size, payload in (("Short", short), ("Medium", medium), ("Long", long)):
            completion = "GEX_EVENT_NOW, " if payload else ""
            for suffix in ("", "Async") if size == "Long" and asynchronous else ("",):
                for count in range(MOST_ARGUMENTS + 1):
                    arguments = "".join(f", arg{i}" for i in range(count))
                    name = f"gasnet_AM{kind}{size}{suffix}{count}"
                    parameters = f"{where}, handler, {payload}".removesuffix(", ") + arguments
                    passed = f"{own}, handler, {payload}{completion}0{arguments}"
                    yield f"#define {name}({parameters}) gex_AM_{kind}{size}{count}({passed})"


#: Most arguments of any form.
LONGEST = 24


def pick() -> str:
    """The argument behind the first LONGEST: those of the call push the name of its form there."""
    return f"#define GASNET_ATOLL_PICK_({', '.join(f'a{i}_' for i in range(LONGEST))}, name, ...) name"


def header(functions: list[Function], text: str) -> str:
    def fill(match: re.Match[str]) -> str:
        kind, name = match.groups()
        mine = [function for function in functions if function.header == name]
        if kind == "LEGACY":
            return "\n".join(legacy_forms())
        if kind == "DECLARATIONS":
            lines = list(declarations(mine))
            return "\n".join([*lines, *client_modes()] if name == "gasnetex" else lines)
        return "\n".join([pick(), *direct_forms(mine), *arity_forms(mine)])

    return re.sub(r"^@(\w+) (\w+)@$", fill, text, flags=re.MULTILINE)


def entries(functions: list[Function]) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Generated from src/gasnet/api.",
        '#include "entry.hpp"',
        'extern "C" {',
    ]
    for function in functions:
        if not function.body:  # written by hand: its arguments vary
            continue
        back = "" if function.returns == "void" else "return "
        lines += [
            f"{function.declared(function.symbol, function.parameters)} try {{",
            f'  [[maybe_unused]] constexpr atl::gasnet::Call call{{"{function.of}{function.suffix}"}};',
            f"  {back}atl::gasnet::{function.body};",
            "} catch (...) {",
            f'  atl::gasnet::fail_by_exception({{"{function.of}{function.suffix}"}});',
            "}",
        ]
    return "\n".join([*lines, '}  // extern "C"', ""])


def markdown(functions: list[Function]) -> str:
    def shown(function: Function) -> str:
        return f"{function.name}[0…16]{function.suffix}" if function.arity else function.name

    return function_table((shown(function), function.text) for function in functions if not function.hidden)


def main() -> int:
    functions = load(HERE / "api")
    if sys.argv[1] == "--document":
        document = Path(sys.argv[2])
        document.write_text(with_table(document.read_text(), markdown(functions)))
        return 0
    out = Path(sys.argv[1])
    for path in (HERE / "include").iterdir():
        write(out / "include" / path.name.removesuffix(".in"), header(functions, path.read_text()))
    for mode in MODES:
        write(out / f"mode_{mode}.cpp", mode_source(mode))
    write(out / "entry.cpp", entries(functions))
    exported = [PROCESS, *DATA, *(function.symbol for function in functions)]
    write(out / "exports.map", version_script("ATOLL_GASNET_1", exported))
    described = [{**vars(function), "symbol": function.symbol} for function in functions]
    write(out / "api.json", json.dumps(described, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
