# SPDX-License-Identifier: Apache-2.0
"""Installs GASNet under further names, as users choose them, and builds and starts a program by those names:
`check_names.py CMAKE BUILD_FOLDER CC`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
#include <gasnetex.h>
#include <stdio.h>
#ifndef GASNET_CONDUIT_SMP
#error "the fragment does not name the conduit"
#endif
int main(int argc, char **argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  if (gex_Client_Init(&client, &endpoint, &world, "NAMES", &argc, &argv, 0) != GASNET_OK) return 1;
  char line[200];
  int length = snprintf(line, sizeof(line), "%s %s of %u: %u MB\\n", GASNET_CONDUIT_NAME_STR, argv[1],
                        gex_TM_QuerySize(world), (unsigned)(gasnet_getMaxLocalSegmentSize() >> 20));
  fwrite(line, 1, (size_t)length, stdout);
  fflush(stdout);
  gasnet_exit(0);
}
"""
MAKEFILE = """
include {tree}/share/gasnet/smp-conduit/smp-seq.mak
program: program.c
	{cc} $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) $(GASNET_LDFLAGS) -o $@ $< $(GASNET_LIBS)
"""


def run(*command: object, **variables: str) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, env=os.environ | variables)


def main() -> int:
    cmake, build, cc = sys.argv[1:]
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tree = folder / "installed"
        install = (cmake, "--install", build, "--component", "gasnet", "--prefix", tree)
        refused = run(*install, GASNET_CONDUIT="token-ring")
        if refused.returncode == 0 or "'token-ring', which is no name of a conduit" not in refused.stderr:
            wrong.append(f"an unknown name is installed: {refused.stderr}")
        installed = run(*install, GASNET_CONDUIT="smp, udp")
        if installed.returncode != 0:
            wrong.append(installed.stderr)
        for path in ("bin/amudprun", "lib/pkgconfig/gasnet-udp-par.pc", "lib/libgasnet-smp-par.so"):
            if not (tree / path).exists():
                wrong.append(f"{path} is missing")

        (folder / "program.c").write_text(PROGRAM)
        (folder / "Makefile").write_text(MAKEFILE.format(tree=tree, cc=cc))
        built = run("make", "-C", folder, "program")
        program = folder / "program"
        if built.returncode != 0:
            wrong.append(built.stderr)
        elif program.read_bytes().count(b"$GASNetConduitName: ") != 1:
            wrong.append("the program has not one name")
        # Without a launcher, the variable starts the ranks; a limit of the host is shared by them.
        for limit, answer in (("6MB/H", 2), ("4MB/P", 4), ("5.0MB", 5)):
            ran = run(program, "rank 'x'", GASNET_PSHM_NODES="3", GASNET_MAX_SEGSIZE=limit)
            expected = f"SMP rank 'x' of 3: {answer} MB\n" * 3
            if (ran.returncode, ran.stdout) != (0, expected):
                wrong.append(f"{limit}: status {ran.returncode}, {ran.stdout!r} {ran.stderr!r}")
        ran = run(tree / "bin/gasnetrun_smp", "-n", "2", program, "rank")
        if ran.stdout.count("SMP rank of 2") != 2:
            wrong.append(f"gasnetrun_smp: {ran.stdout!r} {ran.stderr!r}")

        # What UPC++ asks of a folder in which GASNet was built.
        (folder / "in").write_text("CONDUITS = @CONDUITS@\n")
        asked = run(tree / "share/gasnet/config.status", CONFIG_FILES=f"{folder}/out:{folder}/in")
        if asked.returncode != 0 or (folder / "out").read_text() != "CONDUITS = smp udp\n":
            wrong.append(f"config.status: {asked.stderr}")
        other = folder / "other"
        moved = run("make", "-C", tree / "share/gasnet", "install", f"prefix={other}")
        if moved.returncode != 0 or not (other / "include/smp-conduit/smp-seq.mak").exists():
            wrong.append(f"make install: {moved.stderr}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
