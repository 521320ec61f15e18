# SPDX-License-Identifier: Apache-2.0
"""`atoll run`: becomes the launcher that ships with the package, which runs Python scripts by this interpreter."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from atoll.cli.common import CommandError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="see `atoll run --help`")


def main(arguments: argparse.Namespace) -> int:
    return launch(arguments.arguments)


def launcher() -> str:
    """Path of the launcher: beside this package, or on the PATH."""
    from atoll.session import launched

    try:
        return launched.launcher()
    except FileNotFoundError as error:
        raise CommandError(str(error)) from None


def launch(words: Sequence[str]) -> int:
    program = launcher()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(program, [program, "--python", sys.executable, *words])
