# SPDX-License-Identifier: Apache-2.0
"""`atoll demo`: the main examples on real data and at scale."""

from __future__ import annotations

import argparse
from pathlib import Path

from atoll.cli.bench import whole
from atoll.cli.common import CommandError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=whole, metavar="N", help="integers to sort (default: what memory allows)")
    parser.add_argument("--pes", type=whole, default=4, metavar="P", help="PEs of the last steps (default: 4)")
    parser.add_argument("--out", type=Path, default=Path("demo-out"), help="folder for pictures and files")
    parser.add_argument("--only", choices=["flights", "weather", "sort"], help="one part of it")


def main(arguments: argparse.Namespace) -> int:
    from atoll import demo

    only = [arguments.only] if arguments.only else ["flights", "weather", "sort"]
    try:
        return demo.run(arguments.out, arguments.pes, arguments.size, only)
    except demo.DemoError as error:
        raise CommandError(str(error)) from None
