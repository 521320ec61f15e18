# SPDX-License-Identifier: Apache-2.0
"""Pythons to build wheels with: those of this machine, or Debian 13's, unpacked into build/ and never installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Debian 12 has no Python for the stable ABI; the next release's is this one.
SUITE, NEXT = "trixie", "python3.13"

Version = tuple[int, int]

#: Asked of each candidate: version, whether it is a CPython with a lock and headers, and the program without its
#: virtual environment.
QUESTION = """
import pathlib, sys, sysconfig
folder = sysconfig.get_path("include", vars={"installed_base": sys.base_prefix})
usable = sys.implementation.name == "cpython" and sysconfig.get_config_var("Py_GIL_DISABLED") != 1
usable = usable and pathlib.Path(folder, "Python.h").exists()
print(*sys.version_info[:2], int(usable), getattr(sys, "_base_executable", sys.executable))
"""


def candidates() -> Iterator[str]:
    """The one asked for, .venv's, those on the PATH, and those of pyenv and uv."""
    if asked := os.environ.get("PYTHON"):
        yield asked
    yield str(ROOT / ".venv" / "bin" / "python")
    for minor in range(11, 20):
        if found := shutil.which(f"python3.{minor}"):
            yield found
    for folder in (Path.home() / ".pyenv/versions", Path.home() / ".local/share/uv/python"):
        yield from map(str, sorted(folder.glob("*/bin/python3")))


def find_python(first: Version, last: Version) -> str | None:
    """A Python of one of these versions that has its headers."""
    for candidate in candidates():
        try:
            answer = subprocess.run([candidate, "-c", QUESTION], capture_output=True, text=True, check=False)
        except OSError:
            continue
        if answer.returncode == 0:
            major, minor, usable, path = answer.stdout.strip().split(" ", 3)
            if usable == "1" and first <= (int(major), int(minor)) <= last:
                return path
    return None


def unpack_python(patchelf: Path) -> str | None:
    """Debian 13's Python and its headers, in build/, with the C library it needs; None where that cannot be had.

    What it builds is compiled by this system's compiler, for this system's C library.
    """
    tree = ROOT / "build" / NEXT
    program = tree / "usr" / "bin" / NEXT
    if not (tree / "complete").exists():
        if shutil.which("mmdebstrap") is None:
            subprocess.run([ROOT / "scripts" / "system-packages", "trees"], check=False)
        maker = shutil.which("mmdebstrap")
        if maker is None:
            return None
        shutil.rmtree(tree, ignore_errors=True)
        tree.parent.mkdir(exist_ok=True)
        packages = f"--include={NEXT},lib{NEXT}-dev"
        made = subprocess.run(
            [maker, "--quiet", "--variant=extract", packages, SUITE, tree], capture_output=True, text=True
        )
        if made.returncode != 0:
            print(made.stderr, file=sys.stderr)
            return None
        (libraries,) = (tree / "usr" / "lib").glob("*-linux-gnu")
        (loader,) = libraries.glob("ld-linux-*.so.?")
        command = [patchelf, "--set-interpreter", loader, "--force-rpath", "--set-rpath", libraries, program]
        subprocess.run(command, check=True)
        # Debian's pyconfig.h includes one that it looks for among the system's headers.
        beside = tree / "usr" / "include" / NEXT / libraries.name
        beside.mkdir()
        (beside / NEXT).symlink_to(tree / "usr" / "include" / libraries.name / NEXT)
        (tree / "complete").touch()
    return str(program)
