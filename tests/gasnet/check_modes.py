# SPDX-License-Identifier: Apache-2.0
"""Compiles a program as the Makefile fragments say, and checks that a library of another mode is refused:
`check_modes.py TREE CC`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
#include <gasnetex.h>
int main(int argc, char **argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  if (gex_Client_Init(&client, &endpoint, &world, "MODE", &argc, &argv, 0) != GASNET_OK) return 1;
  gasnet_exit(0);
}
"""
MAKEFILE = """
include {fragment}
program: program.c
	{cc} $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) $(GASNET_LDFLAGS) -o $@ $< {libraries}
"""


def make(folder: Path, tree: Path, cc: str, mode: str, libraries: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.c").write_text(PROGRAM)
    fragment = tree / f"include/atoll-conduit/atoll-{mode}.mak"
    (folder / "Makefile").write_text(MAKEFILE.format(fragment=fragment, cc=cc, libraries=libraries))
    (folder / "program").unlink(missing_ok=True)
    return subprocess.run(["make", "-C", folder, "program"], capture_output=True, text=True)


def main() -> int:
    tree, cc = Path(sys.argv[1]), sys.argv[2]
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for mode in ("seq", "par", "parsync"):
            built = make(folder, tree, cc, mode, "$(GASNET_LIBS)")
            if built.returncode != 0:
                wrong.append(f"{mode}: {built.stderr}")
            elif (ran := subprocess.run([folder / "program"])).returncode != 0:
                wrong.append(f"{mode}: the program ends with {ran.returncode}")
            # By the name of the mode's library alone.
            alone = "$(GASNET_LIBDIRS) -Wl,-rpath,$(GASNET_PREFIX)/lib -lgasnet-atoll-" + mode
            if (built := make(folder, tree, cc, mode, alone)).returncode != 0:
                wrong.append(f"{mode} alone: {built.stderr}")
        other = make(folder, tree, cc, "seq", "$(GASNET_LIBDIRS) -lgasnet-atoll-par")
        if other.returncode == 0 or "gasnet_atoll_Client_Init_seq" not in other.stderr:
            wrong.append(f"a program of SEQ is linked with the library of PAR: {other.stderr}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
