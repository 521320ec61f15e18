# SPDX-License-Identifier: Apache-2.0
"""What the generators of the C doors (src/shmem/generate, src/mpi/generate, src/portals/generate) have in common."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Writes when it differs, so that nothing is compiled again for nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def with_table(document: str, table: str) -> str:
    """The document with the table between its two marks."""
    begin, end = "<!-- functions -->\n", "<!-- end -->"
    before, rest = document.split(begin)
    after = rest.split(end)[1]
    return f"{before}{begin}{table}{end}{after}"


#: What the doors of one process share (runtime/process.hpp): exported by those that do.
PROCESS = "_ZN3atl7runtime12ProcessPlaceIvE4slotE"


def version_script(version: str, names: Iterable[str]) -> str:
    """For the linker: these names and no others. Symbols have a version where the interface says so."""
    listed = "".join(f"    {name};\n" for name in sorted(names))
    return f"{version}{' ' if version else ''}{{\n  global:\n{listed}  local: *;\n}};\n"
