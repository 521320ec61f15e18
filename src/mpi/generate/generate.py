# SPDX-License-Identifier: Apache-2.0
"""Writes what the build needs from the table: mpi.h, entry points, exports, descriptions.

usage: generate.py OUTPUT_FOLDER | --list-unbuilt | --list-chapters | --document FILE.md
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))

# Found only now that their folder is on the path, hence the `noqa`.
from describe import api_json, markdown  # noqa: E402
from doors import PROCESS, version_script, with_table, write  # noqa: E402
from entries import entry_files  # noqa: E402
from fortran import alias_options, module, mpif, procedures  # noqa: E402
from header import extension_header, header  # noqa: E402
from slices import slice_procedures  # noqa: E402
from table import CHAPTERS, FORTRAN_ONLY, VARIABLES, load  # noqa: E402


def main() -> int:
    if "--list-chapters" in sys.argv:
        print(";".join(CHAPTERS))
        return 0
    table = load(HERE / "api")
    if "--list-unbuilt" in sys.argv:
        print("\n".join(function.name for function in table.functions if not function.built))
        return 0
    if "--document" in sys.argv:
        document = Path(sys.argv[2])
        document.write_text(with_table(document.read_text(), markdown(table)))
        return 0
    out = Path(sys.argv[1])
    write(out / "include/mpi.h", header(table, (HERE / "include/mpi.h.in").read_text()))
    write(out / "include/mpi-ext.h", extension_header(table, (HERE / "include/mpi-ext.h.in").read_text()))
    for chapter, text in entry_files(table).items():
        write(out / f"entry_{chapter}.cpp", text)
    names = [name for function in table.functions for name in (*function.names, function.profiling_name)]
    write(out / "exports.map", version_script("", [*names, *VARIABLES, *FORTRAN_ONLY, PROCESS]))
    write(out / "fortran/procedures.cpp", procedures(table))
    write(out / "fortran/aliases.options", alias_options())
    write(out / "fortran/slice_procedures.cpp", slice_procedures(table))
    write(out / "fortran/mpi.f90", module((HERE / "fortran/mpi.f90.in").read_text(), table, f08=False))
    frame = (HERE / "fortran/mpi_f08.f90.in").read_text()
    for folder, slices in (("slices", True), ("addresses", False)):
        write(out / f"fortran/{folder}/mpi_f08.f90", module(frame, table, f08=True, slices=slices))
    write(out / "include/mpif.h", mpif(table))
    write(out / "api.json", api_json(table))
    write(out / "functions.md", markdown(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
