# SPDX-License-Identifier: Apache-2.0
"""Formats the C and C++ files of the checkout with clang-format: cxx_format.py [--check]. Rules: .clang-format."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: Files that a program wrote: their layout is the program's.
GENERATED = ("src/table/kernel/text/unicode_tables.cpp",)


def sources() -> list[str]:
    """C and C++ files: tracked, or new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.cpp", "*.hpp", "*.c", "*.h"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    return [name for name in listed if name not in GENERATED and (ROOT / name).is_file()]


def main() -> int:
    """0 when every file has the style (or was given it), 1 when a file has not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; name the files that would change")
    check = parser.parse_args().check
    program = Path(sys.executable).with_name("clang-format")
    if not program.exists():
        print(f"cxx_format: {program} is missing. `make lint` installs it", file=sys.stderr)
        return 2
    command = [str(program), *(["--dry-run", "--Werror"] if check else ["-i"])]
    names = sources()
    failed = False
    for first in range(0, len(names), 100):
        failed |= subprocess.run([*command, *names[first : first + 100]], cwd=ROOT).returncode != 0
    if failed and check:
        print("cxx_format: `make fmt` gives these files the style", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
