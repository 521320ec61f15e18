# SPDX-License-Identifier: Apache-2.0
"""`atoll sim`: collectives on simulated machines."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from atoll.cli.bench import whole
from atoll.cli.common import CommandError


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="machines, experiments, collectives and the keys of machine files")
    listing.add_argument("--keys", action="store_true", help="the keys of machine files and what they mean")

    run = actions.add_parser("run", help="run experiments: results as lines of JSON, charts as PNG and SVG")
    run.add_argument("files", nargs="+", metavar="FILE", help="a TOML file, or an experiment of `atoll sim list`")
    run.add_argument("--out", type=Path, default=Path(), metavar="FOLDER", help="for NAME.jsonl, NAME.png and NAME.svg")
    run.add_argument("--json", action="store_true", help="only print the lines of JSON")
    run.add_argument("--energy", action="store_true", help="also joules of an operation, by what takes them")
    run.add_argument("--check", action="store_true", help="only read the files")
    run.add_argument("--jobs", type=whole, metavar="N", help="simulations at once (default: as many as cores)")

    plot = actions.add_parser("plot", help="draw results again")
    plot.add_argument("files", nargs="+", type=Path, metavar="FILE", help="NAME.jsonl of `atoll sim run`")
    plot.add_argument(
        "--out", type=Path, metavar="PATH", help="PNG, SVG or PDF (default: beside the file, PNG and SVG)"
    )

    fit = actions.add_parser("fit", help="a machine file of this machine, and how far its predictions are off")
    fit.add_argument("file", type=Path, metavar="FILE", help="of `atoll bench run collectives --pes 2 --json FILE`")
    fit.add_argument("--out", type=Path, default=Path("this.toml"), help="(default: this.toml)")

    trace = actions.add_parser("trace", help="a timeline of one simulation, which Perfetto opens (ui.perfetto.dev)")
    trace.add_argument("file", metavar="FILE", help="as of run")
    trace.add_argument(
        "--point", type=whole, default=1, metavar="N", help="the N-th simulation of the file (default: 1)"
    )
    trace.add_argument("--out", type=Path, default=Path("trace.json"), help="(default: trace.json)")
    trace.add_argument(
        "--most", type=whole, default=200_000, metavar="K", help="spans that are kept (default: 200,000)"
    )


def main(arguments: argparse.Namespace) -> int:
    from atoll.sim.source import SimError

    try:
        return {"list": show, "run": run, "plot": plot, "trace": trace, "fit": fit}[arguments.action](arguments)
    except SimError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"cannot write {error.filename}: {error.strerror}") from None


def show(arguments: argparse.Namespace) -> int:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from atoll import _core
    from atoll.sim import experiment, machine

    console = Console()

    def table(title: str, heads: tuple[str, str], rows: list[tuple[str, str]]) -> None:
        shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
        for head in heads:
            shown.add_column(head, overflow="fold")
        for row in rows:
            shown.add_row(*row)
        console.print(shown)

    if arguments.keys:
        table("Keys of machines", ("key", "meaning"), [(f"{one}.{key}", text) for one, key, text in machine.meanings()])
        return 0
    table("Machines", ("name", "what it is"), [(name, machine.load(name).about) for name in machine.presets()])
    listed = [(name, experiment.load(name)) for name in experiment.known()]
    table(
        "Experiments",
        ("name", "what it asks"),
        [(name, f"{one.title} ({len(one.points)} simulations)") for name, one in listed],
    )
    table(
        "Collectives", ("name", "algorithms"), [(one, ", ".join(many)) for one, many in _core.sim_collectives().items()]
    )
    return 0


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from atoll.sim import chart, experiment
    from atoll.sim import run as runner

    # All are read before any runs.
    experiments = [experiment.load(name) for name in arguments.files]
    if arguments.check:
        for one in experiments:
            runner.check_memory(one)
            print(f"{one.source.path}: {len(one.points)} simulations")
        return 0
    for one in experiments:
        if arguments.json:
            runner.run(one, sys.stdout, arguments.jobs)
            continue
        arguments.out.mkdir(parents=True, exist_ok=True)
        results = arguments.out / f"{one.name}.jsonl"
        records = runner.run(one, results, arguments.jobs)
        head = runner.head_of(one)
        Console().print(runner.table(records, head))
        if arguments.energy:
            Console().print(runner.energy_table(records, head))
        pictures = [results.with_suffix(suffix) for suffix in (".png", ".svg")]
        chart.Chart(head, records).draw(pictures)
        print("written:", *(str(path) for path in (results, *pictures)))
    return 0


def plot(arguments: argparse.Namespace) -> int:
    from atoll.sim import chart, results

    for file in arguments.files:
        head, records = results.read(file)
        paths = [arguments.out] if arguments.out else [file.with_suffix(".png"), file.with_suffix(".svg")]
        chart.Chart(head, records).draw(paths)
        print("written:", *map(str, paths))
    return 0


def fit(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from atoll.sim import fit as fitter

    measured = fitter.read(arguments.file)
    machine = fitter.fit(measured)
    arguments.out.write_text(fitter.text_of(machine, arguments.file))
    Console().print(fitter.table(fitter.errors(machine, measured)))
    print("written:", arguments.out)
    return 0


def trace(arguments: argparse.Namespace) -> int:
    from atoll.sim import experiment
    from atoll.sim import trace as tracer

    points = experiment.load(arguments.file).points
    if arguments.point > len(points):
        raise CommandError(f"--point {arguments.point}: {arguments.file} has {len(points)} simulations")
    if points[arguments.point - 1].collective == "runtime":
        raise CommandError(
            f"--point {arguments.point}: programs of the whole runtime have no timeline. Name a collective's"
        )
    record = tracer.write(points[arguments.point - 1], arguments.out, arguments.most)
    print(
        f"{record['collective']} by {record['algorithm']} on {record['nodes']} nodes: {record['time_s'] * 1e6:.3f} us"
    )
    print("written:", arguments.out)
    return 0
