# SPDX-License-Identifier: Apache-2.0
"""`atoll bench`: list, run and plot benchmarks."""

from __future__ import annotations

import argparse
from pathlib import Path

from atoll.cli.common import CommandError

MOST_WHOLE = 2.0**62


def whole(text: str) -> int:
    """1000000, 1e6 or 10_000."""
    try:
        value = float(text.replace("_", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if not 1 <= value <= MOST_WHOLE or value != int(value):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return int(value)


def names(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("list", help="every benchmark, its peers and which of them are here")

    run = actions.add_parser("run", help="run benchmarks beside their peers, on the same data, in turns")
    run.add_argument("names", nargs="*", metavar="NAME", help="as in `atoll bench list`: reduce, reduce.sum, all")
    run.add_argument("--size", type=whole, metavar="N", help="elements (default: 10^7)")
    run.add_argument("--pes", type=whole, metavar="P", help="PEs (default: 1; of communication: 2)")
    run.add_argument("--threads", type=whole, metavar="T", help="threads per PE; peers get P x T (default: all cores)")
    run.add_argument("--trials", type=whole, default=5, metavar="K", help="timed runs of each contender (default: 5)")
    run.add_argument(
        "--simd", type=names, metavar="LIST", help="sse4,avx2,avx512: each in a process of its own, in turns"
    )
    run.add_argument("--dtype", help="element type, as NumPy names it (default: the benchmark's)")
    run.add_argument(
        "--dist", help="distribution of the data: u64 u32 zipf sorted reversed constant few groups many nearly"
    )
    run.add_argument(
        "--against",
        type=names,
        metavar="LIST",
        help="numpy,polars,… or all (default: numpy); of communication: limit,NAME=/path/to/oshcc,NAME=/path/to/mpicc",
    )
    run.add_argument("--seed", type=int, default=1, help="of the data (default: 1)")
    run.add_argument(
        "--json", type=Path, metavar="FILE", help="append one record per line; - prints them instead of tables"
    )
    run.add_argument(
        "--energy", action="store_true", help="also joules, by the processors' counters where they are shown"
    )
    run.add_argument(
        "--ranked", action="store_true", help="one table of all benchmarks: by the ratio of minima, the slowest first"
    )
    run.add_argument("--quick", action="store_true", help="3 trials of a quarter of the elements, on a machine in use")
    run.add_argument("--memory", action="store_true", help="also the peak of Atoll's memory, in units of the input")
    run.add_argument(
        "--hosts", metavar="LIST", help="of communication: PEs on these hosts, as `atoll run` takes them: a:2,b:2"
    )
    run.add_argument("--launch-agent", metavar="COMMAND", help="that runs a program on a host, as `atoll run` takes it")
    run.add_argument("--address", help="of this host, which the others can reach, as `atoll run` takes it")
    run.add_argument(
        "--fabric",
        help="of communication: shm (one node; default) or ofi (the hosts; without --hosts two pretended nodes here)",
    )
    run.add_argument(
        "--sweep",
        type=Path,
        metavar="FILE",
        help="as `atoll experiment run FILE`, kept with --json; --against goes before the file's",
    )

    plot = actions.add_parser("plot", help="draw recorded runs")
    plot.add_argument("files", nargs="+", type=Path, metavar="FILE")
    plot.add_argument("--out", type=Path, default=Path("bench.png"), help="PNG, SVG or PDF (default: bench.png)")
    plot.add_argument("--metric", choices=["ratio", "gib_s"], default="ratio", help="speed over a peer's, or GiB/s")
    plot.add_argument("--baseline", default="numpy", metavar="PEER", help="for ratios (default: numpy)")
    plot.add_argument("--title", default="", help="above the chart")


def run_sweep(sweep: Path, results: Path | None, against: list[str]) -> int:
    """Runs an experiment; keeps its results only on request."""
    from atoll.experiment import ExperimentError
    from atoll.experiment.run import run, run_once

    try:
        return run_once(sweep, against) if results is None else run(sweep, results, skip_missing=True, against=against)
    except ExperimentError as error:
        raise CommandError(str(error)) from None


def main(arguments: argparse.Namespace) -> int:
    from atoll.bench import BenchError

    try:
        if arguments.action == "list":
            from atoll.bench.table import print_list

            print_list()
        elif arguments.action == "plot":
            from atoll.bench.plot import plot_files

            plot_files(arguments.files, arguments.out, arguments.metric, arguments.baseline, arguments.title)
            print(f"wrote {arguments.out}")
        elif arguments.sweep is not None:
            return run_sweep(arguments.sweep, arguments.json, arguments.against or [])
        else:
            from atoll.bench.runner import run_command

            if not arguments.names:
                raise CommandError("name a benchmark: `atoll bench list` shows them, `atoll bench run all` runs them")
            run_command(arguments)
    except BenchError as error:
        raise CommandError(str(error)) from None
    return 0
