# SPDX-License-Identifier: Apache-2.0
"""What the generators of the C doors (src/{shmem,mpi,portals,gasnet}/generate) have in common."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def write(path: Path, text: str) -> None:
    """Writes when it differs, so that nothing is compiled again for nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def rows(folder: Path, chapters: Iterable[str], keys: set[str]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The rows of a door's table, `[[function]]` of chapter after chapter, each beside its chapter's own keys."""
    for chapter in chapters:
        document = tomllib.loads((folder / f"{chapter}.toml").read_text())
        functions = document.pop("function")
        for row in functions:
            if unknown := row.keys() - keys:
                raise ValueError(f"{chapter}.toml, {row['name']}: no key {', '.join(sorted(unknown))}")
            yield {"chapter": chapter, **document}, row


def function_table(functions: Iterable[tuple[str, str]]) -> str:
    """Markdown: each function and what it does."""
    lines = [f"| `{name}` | {text} |" for name, text in functions]
    return "\n".join(["| function | what it does |", "|---|---|", *lines, "", f"{len(lines)} functions."]) + "\n"


def with_table(document: str, table: str) -> str:
    """The document with the table between its two marks."""
    begin, end = "<!-- functions -->\n", "<!-- end -->"
    before, rest = document.split(begin)
    after = rest.split(end)[1]
    return f"{before}{begin}{table}{end}{after}"


#: What the doors of one process share (bootstrap/process.hpp): exported by those that do.
PROCESS = "_ZN3atl7runtime12ProcessPlaceIvE4slotE"


def version_script(version: str, names: Iterable[str]) -> str:
    """For the linker: these names and no others. Symbols have a version where the interface says so."""
    listed = "".join(f"    {name};\n" for name in sorted(names))
    return f"{version}{' ' if version else ''}{{\n  global:\n{listed}  local: *;\n}};\n"
