# SPDX-License-Identifier: Apache-2.0
"""The command `atoll`, whose sub-commands (`COMMANDS`) are imported when asked for."""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from atoll.cli.common import FAILED, INTERRUPTED, USAGE, CommandError, version
from atoll.extras import MissingExtraError

#: sub-command -> (module with `configure(parser)` and `main(arguments) -> int`, one line of help)
COMMANDS = {
    "info": ("atoll.cli.info", "what this machine and this installation are"),
    "run": ("atoll.cli.run", "run a program on several PEs, of this host or of several"),
    "serve": ("atoll.cli.serve", "PEs that keep running, for clients that connect to them"),
    "dashboard": ("atoll.cli.dashboard", "a web page and metrics of a running server"),
    "flight": ("atoll.cli.flight", "published frames of a running server as tables, by Arrow Flight SQL"),
    "submit": ("atoll.cli.submit", "a script as a job of Slurm, PBS or LSF"),
    "kernel": ("atoll.cli.kernel", "kernels of Jupyter whose process is PE 0 of a job"),
    "doctor": ("atoll.cli.doctor", "whether this host, or those of a cluster, can run a job; if not, what to change"),
    "demo": ("atoll.cli.demo", "the main job on real data and at scale, beside NumPy"),
    "bench": ("atoll.cli.bench", "benchmarks, beside their peers"),
    "tune": ("atoll.cli.tune", "which algorithms of collectives are the fastest here, as a table that they then use"),
    "experiment": ("atoll.cli.experiment", "sweeps of benchmarks that can be repeated, resumed, compared and shown"),
    "sim": ("atoll.cli.sim", "collectives on machines that are not there: 32,768 nodes, noise, offload"),
    "mpiio": ("atoll.cli.mpiio", "what a program did to its MPI files, and what to change"),
}


class Parser(argparse.ArgumentParser):
    """argparse, with errors that point to the help."""

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith("?") else "."
        self.exit(USAGE, f"{self.prog}: {message}{end} See `{self.prog} --help`\n")


def build_parser(command: str | None) -> Parser:
    parser = Parser(
        prog="atoll",
        description="NumPy-like distributed arrays on a communication runtime of their own.",
        epilog="`atoll COMMAND --help` says more about each.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name, (module, summary) in COMMANDS.items():
        sub = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        if name == command:
            importlib.import_module(module).configure(sub)
    return parser


def unknown_command(word: str) -> str:
    close = difflib.get_close_matches(word, COMMANDS, n=1)
    hint = f"Did you mean '{close[0]}'?" if close else f"There are: {', '.join(COMMANDS)}"
    return f"there is no command '{word}'. {hint}"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    command = next((word for word in words if not word.startswith("-")), None)
    try:
        if words[:1] == ["run"]:
            # The launcher reads its own options: those after PROGRAM are the program's.
            from atoll.cli import run

            return run.launch(words[1:])
        parser = build_parser(command)
        if command is not None and command not in COMMANDS:
            parser.error(unknown_command(command))
        arguments = parser.parse_args(words)
        if arguments.version:
            print(f"atoll {version()}")
            return 0
        if arguments.command is None:
            parser.print_help()
            return USAGE
        return int(importlib.import_module(COMMANDS[arguments.command][0]).main(arguments))
    except (CommandError, MissingExtraError) as error:
        print(f"atoll: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("\natoll: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has closed it (`atoll info | head`).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
