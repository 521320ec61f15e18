# SPDX-License-Identifier: Apache-2.0
"""Lists experiments and results on the terminal, and shows one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich import box
from rich.table import Table

from atoll.experiment import ExperimentError, plan, results
from atoll.experiment.run import default_results
from atoll.experiment.tables import print_measured
from atoll.experiment.terminal import add, print_table, say
from atoll.experiment.words import plural

#: The default folders of `list`.
FOLDERS = (Path(), Path("experiments"), Path("bench"), Path("bench/experiments"))


def experiments(folders: Sequence[Path]) -> Iterator[Path]:
    """TOML files with a [[sweep]]."""
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            try:
                if "sweep" in tomllib.loads(path.read_text()):
                    yield path
            except (OSError, ValueError):
                continue


def print_list(folders: Sequence[Path]) -> int:
    """Prints the experiments with their progress on this host and commit; then all results files."""
    for folder in folders:
        if not folder.is_dir():
            raise ExperimentError(f"there is no folder {folder}")
    files = Table("experiment", "title", "points", "done here", box=box.SIMPLE_HEAD)
    for path in experiments(folders or FOLDERS):
        try:
            made = plan.read(path)
        except ExperimentError as error:
            add(files, str(path), f"wrong: {str(error).removeprefix(f'{path}: ')}", "", "", style="red")
            continue
        own = default_results(made)
        done = results.read(own).done if own.exists() else set()
        add(files, str(path), made.title or made.name, str(len(made.points)), str(len(done)) if done else "")
    measured_here = Table("results", "experiment", "points", "host", "commit", "measured", box=box.SIMPLE_HEAD)
    for path in sorted(one for folder in folders or [results.FOLDER] for one in folder.glob("*.jsonl")):
        try:
            found = results.read(path)
        except ExperimentError:
            continue  # a file of another program
        if found.records:
            last = found.records[-1]
            title = found.head.get("title") or found.head.get("name") or "-"
            commits = dict.fromkeys(str(one.get("commit")) for one in found.records)
            points = str(len(found.done) or len(found.records))
            cells = (str(path), title, points, str(last.get("host")), ", ".join(c[:18] for c in commits))
            add(measured_here, *cells, str(last.get("date", ""))[:16].replace("T", " "))
    if not files.row_count and not measured_here.row_count:
        where = ", ".join(str(one) for one in folders or FOLDERS)
        raise ExperimentError(f"there are no experiments in {where}: TOML files with a [[sweep]]")
    for table in (files, measured_here):
        if table.row_count:
            print_table(table)
    return 0


def show(path: Path) -> int:
    """Shows one experiment, or one results file."""
    if path.suffix == ".toml":
        show_experiment(plan.read(path))
    else:
        show_results(results.read(path))
    return 0


def show_experiment(made: plan.Plan) -> None:
    say(made.title or made.name)
    if made.summary:
        say(made.summary)
    facts = [("kind", made.kind), ("scaling", made.scaling), ("commits", ", ".join(made.commits))]
    facts += [("rounds", str(made.rounds) if made.rounds > 1 else ""), ("slurm", str(made.slurm or ""))]
    for name in (
        "benchmark",
        "size",
        "dtype",
        "dist",
        "pes",
        "threads",
        "simd",
        "fabric",
        "hosts",
        "against",
        "trials",
    ):
        values = dict.fromkeys(getattr(point, name) for point in made.points)
        said = [
            ",".join(one) if isinstance(one, tuple) else f"{one:,}" if isinstance(one, int) else one
            for one in values
            if one
        ]
        facts.append((name, " | ".join(said)))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, text in facts:
        if text:
            add(table, name, text)
    print_table(table)
    own = default_results(made)
    done = results.read(own).done if own.exists() else set()
    left = sum(point.key not in done for point in made.points)
    say(f"{plural(len(made.points), 'point')}, {left} left; results: {own}")


def show_results(found: results.Contents) -> None:
    if not found.records:
        raise ExperimentError(f"there are no measurements in {found.path}")
    first = found.records[0]
    if found.head:
        say(f"{found.head.get('title') or found.head['name']}: {found.head['file']}, {found.head['date']}")
    about = [first.get("host"), first.get("processor"), f"{first.get('cores')} cores", first.get("commit")]
    say(", ".join(str(one) for one in about if one))
    print_measured(found.records)
