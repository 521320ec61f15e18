# SPDX-License-Identifier: Apache-2.0
"""`atoll tune`: measures which algorithms of collectives are the fastest here."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from atoll.cli.bench import names, whole
from atoll.cli.common import CommandError

if TYPE_CHECKING:
    from rich.table import Table

    from atoll.tune import Measured


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pes",
        type=names,
        metavar="LIST",
        help="PEs of the jobs: 2,4 (default: 2, and all cores; with --hosts, theirs)",
    )
    parser.add_argument("--sizes", type=names, metavar="LIST", help="bytes (default: 8 to 1 MiB)")
    parser.add_argument(
        "--collectives", type=names, metavar="LIST", help="as `atoll info --collectives` (default: all)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the table goes (default: collectives.table)")
    parser.add_argument("--add", action="store_true", help="keep what the file has of other numbers of PEs and nodes")
    parser.add_argument("--hosts", metavar="LIST", help="PEs on these hosts, as `atoll run` takes them: a:2,b:2")
    parser.add_argument("--launch-agent", metavar="COMMAND", help="as `atoll run` takes it")
    parser.add_argument("--address", help="as `atoll run` takes it")
    parser.add_argument("--fabric", help="ofi: without --hosts, two pretended nodes here")


def checked(arguments: argparse.Namespace) -> tuple[list[str], list[int]]:
    from atoll import _core

    known = list(_core.sim_collectives())
    known = known[: known.index("alltoallv") + 1]  # later entries are communication patterns, not collectives
    chosen = arguments.collectives or known
    for name in chosen:
        if name not in known:
            raise CommandError(f"--collectives: '{name}' is none. There are: {', '.join(known)}")
    from atoll.tune import SIZES

    try:
        sizes = [whole(word) for word in arguments.sizes] if arguments.sizes else list(SIZES)
    except argparse.ArgumentTypeError as error:
        raise CommandError(f"--sizes: {error}") from None
    if any(size % 8 for size in sizes):
        raise CommandError("--sizes: reductions add float64: give multiples of 8")
    return chosen, sizes


def main(arguments: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    from atoll import tune
    from atoll.bench import BenchError, places
    from atoll.bench.record import machine

    console = Console()
    collectives, sizes = checked(arguments)
    out = arguments.out or Path("collectives.table")
    try:
        where = places.place(arguments.hosts, arguments.fabric, arguments.launch_agent, arguments.address)
        cores = len(os.sched_getaffinity(0))
        default = [where.default_pes(2)] if where.hosts else sorted({2, cores} - {1})
        jobs = [whole(word) for word in arguments.pes] if arguments.pes else default
        if min(jobs) < 2:
            raise CommandError("--pes: collectives of one PE move nothing: give 2 or more")
        kept = tune.read(out) if arguments.add and out.exists() else []
        measured = []
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            for pes in jobs:
                task = bar.add_task(f"{pes} PEs", total=None)

                def tick(done: int, total: int, what: str, task: TaskID = task, pes: int = pes) -> None:
                    bar.update(task, completed=done, total=total, description=f"{pes} PEs: {what}")

                measured += tune.run(pes, where, collectives, sizes, tick)
    except (BenchError, tune.TuneError) as error:
        raise CommandError(str(error)) from None
    except argparse.ArgumentTypeError as error:
        raise CommandError(f"--pes: {error}") from None
    lines = [line for one in measured for line in one.lines()]
    renewed = {(line.collective, line.pes, line.nodes) for line in lines}
    lines = [line for line in kept if (line.collective, line.pes, line.nodes) not in renewed] + lines
    out.write_text(tune.text_of(lines, f"{machine()['processor']}, {time.strftime('%Y-%m-%d')}"))
    console.print(report(measured))
    print(f"written: {out}. To use it: export ATOLL_COLL_TABLE={out.resolve()}")
    return 0


def report(measured: list[Measured]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for head in ("collective", "PEs", "nodes", "bytes", "fastest", "its time", "Atoll's own choice takes"):
        table.add_column(head, justify="left" if head in ("collective", "fastest") else "right")
    for one in measured:
        for size, name in one.winners():
            times = one.seconds[size]
            row = (one.collective, str(one.pes), str(one.nodes), f"{size:,}", name)
            table.add_row(*row, f"{times[name] * 1e6:,.2f} us", f"{times['auto'] * 1e6:,.2f} us")
    return table
