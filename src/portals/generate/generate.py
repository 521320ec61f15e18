# SPDX-License-Identifier: Apache-2.0
"""Writes what the build needs from the table in api/: portals4.h, entry points, exports, descriptions.

usage: generate.py OUTPUT_FOLDER | --document FILE.md
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))

from doors import PROCESS, function_table, rows, version_script, with_table, write  # noqa: E402  (its folder is known only now)

CHAPTERS = ("interface", "memory", "event", "move", "triggered")
KEYS = {"name", "returns", "arguments", "body", "text", "extension"}


@dataclass(frozen=True)
class Function:
    """One row: a C function, and the call that does it."""

    name: str
    chapter: str
    returns: str
    arguments: str
    body: str
    text: str
    extension: bool

    def declaration(self) -> str:
        return f"{self.returns} {self.name}({self.arguments})"


def load(folder: Path) -> list[Function]:
    return [
        Function(
            name=f"Ptl{row['name']}",
            chapter=chapter["chapter"],
            returns=row.get("returns", "int"),
            arguments=row["arguments"],
            body=row["body"],
            text=row["text"],
            extension=row.get("extension", False),
        )
        for chapter, row in rows(folder, CHAPTERS, KEYS)
    ]


def entries(functions: list[Function]) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Generated from src/portals/api.",
        '#include "entry.hpp"',
        'extern "C" {',
    ]
    for function in functions:
        back = "" if function.returns == "void" else "return "
        failed = "" if function.returns == "void" else "return code_of_exception();"
        lines += [
            f"{function.declaration()} try {{",
            f"  {back}atl::portals::{function.body};",
            "} catch (...) {",
            f"  {failed}" if failed else "  (void)code_of_exception();",
            "}",
        ]
    return "\n".join([*lines, '}  // extern "C"', ""])


def markdown(functions: list[Function]) -> str:
    return function_table((function.name, function.text) for function in functions)


def header(functions: list[Function], text: str) -> str:
    declared = "\n".join(f"{function.declaration()};" for function in functions)
    return re.sub(r"^@DECLARATIONS@$", lambda _: declared, text, flags=re.MULTILINE)


def main() -> int:
    functions = load(HERE / "api")
    if sys.argv[1] == "--document":
        document = Path(sys.argv[2])
        document.write_text(with_table(document.read_text(), markdown(functions)))
        return 0
    out = Path(sys.argv[1])
    write(out / "include/portals4.h", header(functions, (HERE / "include/portals4.h.in").read_text()))
    write(out / "entry.cpp", entries(functions))
    write(out / "exports.map", version_script("ATOLL_PORTALS_4", [PROCESS, *(function.name for function in functions)]))
    write(out / "api.json", json.dumps([vars(function) for function in functions], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
