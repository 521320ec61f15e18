# SPDX-License-Identifier: Apache-2.0
"""Runs experiments, several simulations at once, with a bar; keeps their results as lines of JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from atoll.sim.experiment import Experiment
from atoll.sim.point import MEMORY_BYTES, Point
from atoll.sim.source import SimError


def head_of(experiment: Experiment) -> dict[str, Any]:
    """The first line of a file of results: enough to draw it, and to run it again."""
    return {
        "experiment": experiment.name, "title": experiment.title, "about": experiment.about,
        "plot": dict(experiment.plot), "published": [dict(one) for one in experiment.published],
        "text": experiment.source.text,
    }  # fmt: skip


def run(experiment: Experiment, out: Path | TextIO | None, jobs: int | None = None) -> list[dict[str, Any]]:
    """Runs all points; returns the records in the order of the file, and writes them to `out` in that order."""
    workers = jobs or len(os.sched_getaffinity(0))
    # Where there are more cores than simulations, these share them; results do not depend on it.
    points = [
        replace(point, threads=min(4096, max(1, workers // len(experiment.points)))) for point in experiment.points
    ]
    total = sum(point.repeats for point in points)
    records: dict[int, dict[str, Any]] = {}
    bar = Progress(
        TextColumn("[bold]{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("repeats"),
        TimeRemainingColumn(), console=Console(stderr=True), disable=not sys.stderr.isatty(),
    )  # fmt: skip
    stream = out.open("w") if isinstance(out, Path) else out
    pool = ThreadPoolExecutor(workers, thread_name_prefix="atoll-sim")
    try:
        if stream:
            stream.write(json.dumps(head_of(experiment)) + "\n")
        with bar:
            task = bar.add_task(experiment.title, total=total)
            # The longest first, so that no long one runs alone at the end.
            order = sorted(range(len(points)), key=lambda i: -cost(points[i]))
            futures = {pool.submit(one, points[i], lambda: bar.advance(task)): i for i in order}
            written = 0
            for future in as_completed(futures):
                records[futures[future]] = future.result()
                while stream and written in records:
                    stream.write(json.dumps(records[written]) + "\n")
                    written += 1
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        if isinstance(out, Path) and stream:
            stream.close()
    return [records[i] for i in range(len(points))]


def check_memory(experiment: Experiment) -> None:
    """SimError when schedules take more memory than their run allows, which only building them shows."""
    for point in experiment.points:
        if point.memory_bytes != MEMORY_BYTES and point.collective != "runtime":
            one(replace(point, repeats=1), lambda: None)


def cost(point: Point) -> int:
    return point.nodes * point.pes_per_node * point.repeats


def one(point: Point, step: Any) -> dict[str, Any]:
    done = 0

    def progress(repeats: int) -> None:
        nonlocal done
        for _ in range(repeats - done):
            step()
        done = repeats

    try:
        return point.record(point.run(progress=progress))
    except (ValueError, MemoryError) as error:
        if point.wrong is not None:
            raise point.wrong(error) from None
        raise SimError(f"{point.collective} on {point.nodes} nodes of {point.machine.name}: {error}") from None


ENERGY_PARTS = ("active", "waiting", "interface", "message")


def energy_table(records: Sequence[dict[str, Any]], head: dict[str, Any]) -> Any:
    """Table of the joules of one operation, by consumer."""
    from rich import box
    from rich.table import Table

    shown = Table(title=f"{head['title']}: joules of an operation", box=box.SIMPLE_HEAD)
    settings = ("machine", "collective", "algorithm", "bytes", "nodes", "executor")
    differ = [key for key in settings if len({record[key] for record in records}) > 1] or ["collective"]
    for name in differ:
        shown.add_column(name)
    for name in ("processors at work", "processors that wait", "interfaces", "messages", "together"):
        shown.add_column(name, justify="right")
    for record in records:
        parts = [record[f"energy_{part}_j"] for part in ENERGY_PARTS]
        shown.add_row(*(str(record[key]) for key in differ), *(f"{joules:.3g}" for joules in (*parts, sum(parts))))
    return shown


def table(records: Sequence[dict[str, Any]], head: dict[str, Any]) -> Any:
    """Table with a row for each panel and line of the plot, and a column for each x."""
    from rich import box
    from rich.table import Table

    from atoll.sim.chart import Chart

    chart = Chart(head, records)
    shown = Table(title=head["title"], box=box.SIMPLE_HEAD)
    xs = list(dict.fromkeys(x for panel in chart.panels.values() for line in panel.values() for x in line))
    shown.add_column(" / ".join((*chart.panel_keys, *chart.line_keys)) or chart.y)
    for x in xs:
        shown.add_column(str(x), justify="right")
    for panel, lines in chart.panels.items():
        for label, line in lines.items():
            cells = [chart.format(line[x]) if x in line else "" for x in xs]
            shown.add_row(", ".join(filter(None, (panel, label))), *cells)
    return shown
