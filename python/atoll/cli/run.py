# SPDX-License-Identifier: Apache-2.0
"""`atoll run`: becomes the launcher that ships with the package, and gives Python scripts this interpreter."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from atoll.cli.common import CommandError

#: Options of the launcher that take the next word as their value.
VALUE_OPTIONS = {
    "-n", "-np", "--npes", "-t", "--threads", "--bind", "--timeout", "--hosts", "--hostfile", "--pes-per-node",
    "--launch-agent", "--address", "--port", "-x",
}  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="see `atoll run --help`")


def main(arguments: argparse.Namespace) -> int:
    return launch(arguments.arguments)


def launcher() -> str:
    """Path of the launcher: beside this package, or on the PATH."""
    beside = Path(__file__).resolve().parent.parent / "bin" / "atoll-run"
    found = str(beside) if beside.is_file() else shutil.which("atoll-run")
    if found is None:
        raise CommandError(f"the launcher {beside} is missing. In a checkout: `make build`, then again")
    return found


def is_python_script(program: str) -> bool:
    """Whether PROGRAM is a Python script that cannot start by itself with the right interpreter."""
    if program.endswith(".py"):
        return True
    path = Path(program)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        first = file.readline(200)
    return first.startswith(b"#!") and b"python" in first


def with_interpreter(words: Sequence[str]) -> list[str]:
    """The launcher's words, with this interpreter before PROGRAM when that is a Python script."""
    words = list(words)
    index = 0
    while index < len(words):
        word = words[index]
        if word == "--":
            index += 1
            break
        if not word.startswith("-"):
            break
        index += 2 if word in VALUE_OPTIONS else 1
    if index < len(words) and is_python_script(words[index]):
        if not Path(words[index]).is_file():
            raise CommandError(f"cannot run '{words[index]}': there is no such file")
        # -u: the launcher passes lines on as they are written.
        words[index:index] = [sys.executable, "-u"]
    return words


def launch(words: Sequence[str]) -> int:
    program = launcher()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(program, [program, *with_interpreter(words)])
