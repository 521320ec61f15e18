# SPDX-License-Identifier: Apache-2.0
"""Writes what the build needs from the table: headers, entry points, exports, descriptions.

usage: generate.py OUTPUT_FOLDER | --list-unbuilt | --document FILE.md
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))

# Found only now that their folder is on the path, hence the `noqa`.
from describe import api_json, markdown  # noqa: E402
from doors import PROCESS, version_script, with_table, write  # noqa: E402
from entries import entry_files, exported_names  # noqa: E402
from header import header  # noqa: E402
from table import load  # noqa: E402


def main() -> int:
    table = load(HERE / "api")
    if "--list-unbuilt" in sys.argv:
        print("\n".join(function.name for function in table.functions if not function.built))
        return 0
    if "--document" in sys.argv:
        document = Path(sys.argv[2])
        document.write_text(with_table(document.read_text(), markdown(table)))
        return 0
    out = Path(sys.argv[1])
    parts = {path.name: path.read_text() for path in (HERE / "include").iterdir() if path.is_file()}
    write(out / "include/shmem.h", header(table, parts, extensions=False))
    write(out / "include/shmemx.h", header(table, parts, extensions=True))
    for name in ("pshmem.h", "pshmemx.h"):
        write(out / "include" / name, parts[name])
    for name in ("shmem.h", "shmemx.h"):
        write(out / "include/mpp" / name, parts[f"mpp_{name}"])
    for number, text in enumerate(entry_files(table)):
        write(out / f"entry_{number}.cpp", text)
    write(out / "exports.map", version_script("ATOLL_SHMEM_1", [*exported_names(table), PROCESS]))
    write(out / "api.json", api_json(table))
    write(out / "functions.md", markdown(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
