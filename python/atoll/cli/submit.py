# SPDX-License-Identifier: Apache-2.0
"""`atoll submit`: a script as a job of a cluster's scheduler."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from atoll.cli.common import CommandError


def configure(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    for name in ("slurm", "pbs", "lsf"):
        which.add_argument(f"--{name}", dest="scheduler", action="store_const", const=name, help=f"a job of {name}")
    parser.add_argument("-N", "--nodes", type=int, default=1, help="hosts (default: 1)")
    parser.add_argument("--pes-per-node", default="numa", help="a number, numa or socket (default: numa)")
    parser.add_argument("-t", "--threads", type=int, help="threads of each PE (default: an even share of the cores)")
    parser.add_argument("--cores", type=int, help="cores of each host (default: whole hosts)")
    parser.add_argument("--time", default="", help="limit of time, as 2:00 (hours and minutes) or 0:30:00")
    parser.add_argument("--queue", default="", help="partition or queue")
    parser.add_argument("--account", default="", help="account or project")
    parser.add_argument("--name", default="", help="name of the job (default: that of the script)")
    parser.add_argument("--output", default="", help="file of the job's output")
    parser.add_argument("--option", action="append", default=[], help="an option of the scheduler, as it takes it")
    parser.add_argument(
        "--driver", action="store_true", help="run the script once, as PE 0: it starts the PEs by ak.init(pes=…)"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the batch script instead")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="SCRIPT …", help="the script and its arguments")


def main(arguments: argparse.Namespace) -> int:
    from atoll.submit import batch
    from atoll.submit.job import Job, seconds_of

    if not arguments.program:
        raise CommandError("there is no script. Name one after the options: atoll submit --slurm -N 2 script.py")
    try:
        job = Job(
            arguments.name or Path(arguments.program[0]).stem, tuple(arguments.program), os.getcwd(), arguments.nodes,
            arguments.pes_per_node, arguments.threads, arguments.cores,
            seconds_of(arguments.time) if arguments.time else None, arguments.queue, arguments.account,
            arguments.output, tuple(arguments.option), arguments.driver,
        )  # fmt: skip
        text = batch.script(job, arguments.scheduler)
        if arguments.dry_run:
            print(text, end="")
        else:
            print(batch.submit(text, arguments.scheduler))
    except (ValueError, OSError) as error:
        raise CommandError(str(error)) from error
    return 0
