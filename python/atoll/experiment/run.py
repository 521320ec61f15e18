# SPDX-License-Identifier: Apache-2.0
"""Runs the remaining points of an experiment, with a progress bar that estimates the time left."""

from __future__ import annotations

import datetime
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from atoll.bench import record
from atoll.bench.timing import Spread
from atoll.experiment import ExperimentError, PointFailed
from atoll.experiment.plan import Plan
from atoll.experiment.plan import read as read_plan
from atoll.experiment.point import Point
from atoll.experiment.results import FOLDER, Contents, Results
from atoll.experiment.results import read as read_results
from atoll.experiment.strategy import strategy
from atoll.experiment.tables import print_measured
from atoll.experiment.terminal import console, say
from atoll.experiment.words import duration, plural, time_left


def default_results(plan: Plan) -> Path:
    """The default results file: one for each experiment, host and commit."""
    machine = record.machine()
    words = [plan.name, machine["host"], *(() if plan.commits else (machine["commit"],))]
    return FOLDER / ("-".join(re.sub(r"[^\w.]+", "_", word) for word in words) + ".jsonl")


def head_of(plan: Plan) -> dict[str, Any]:
    """The head line of a results file: enough to run the experiment again."""
    machine = record.machine()
    commits = list(dict.fromkeys(point.commit for point in plan.points if point.commit))
    return {
        "name": plan.name, "title": plan.title, "summary": plan.summary, "kind": plan.kind, "scaling": plan.scaling,
        "file": str(plan.path), "text": plan.text, "host": machine["host"],
        "commit": ",".join(sorted(commits)) or machine["commit"], "command": " ".join(["atoll", *sys.argv[1:]]),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }  # fmt: skip


def check_same(contents: Contents, head: dict[str, Any]) -> None:
    """Checks that the results file is of this machine and commit."""
    if not contents.head:
        if contents.records:
            raise ExperimentError(f"{contents.path} holds records of no experiment: name another file with --results")
        return
    for key, what in (("name", "experiment"), ("host", "host"), ("commit", "commit")):
        if contents.head.get(key) != head[key]:
            old = contents.head.get(key)
            raise ExperimentError(f"{contents.path} is of {what} {old}, this is {head[key]}: name other --results")


def left_of(plan: Plan, done: set[str]) -> list[Point]:
    return [point for point in plan.points if point.key not in done]


def dry_run(path: Path, results: Path | None, skip_missing: bool) -> int:
    """Lists the points, and which of them are done. Builds and measures nothing."""
    plan = read_plan(path)
    plan = strategy(plan, skip_missing).check()
    file = results or default_results(plan)
    contents = read_results(file) if file.exists() else Contents(file)
    for number, point in enumerate(plan.points, 1):
        mark = "done" if point.key in contents.done else "    "
        say(f"{number:>4} {mark} {point.describe()}")
    count, left = len(plan.points), len(left_of(plan, contents.done))
    say(f"{count} points, {count - left} done, {left} to run; results: {file}")
    return 0


def summary(records: list[dict[str, Any]]) -> str:
    """The results of a point, in a line."""
    if len({(one["name"], one["size"]) for one in records}) > 1:
        return f"{len(records)} records"
    spreads = [(one["contender"], Spread.of(one["seconds"])) for one in records]
    return ", ".join(f"{name} {duration(spread.median)} ± {spread.relative:.0%}" for name, spread in spreads)


class Timer:
    """Estimates the time of the remaining points from those that ran, of the same benchmark if possible."""

    def __init__(self, contents: Contents) -> None:
        self.seconds: dict[str, list[float]] = {}
        for one in {one["point"]: one for one in contents.records if "point_seconds" in one}.values():
            self.add(one["point"].split()[0], one["point_seconds"])

    def add(self, benchmark: str, seconds: float) -> None:
        self.seconds.setdefault(benchmark, []).append(seconds)

    def left(self, points: list[Point]) -> str:
        every = [one for known in self.seconds.values() for one in known]
        if not every:
            return ""
        return time_left(sum(median(self.seconds.get(point.benchmark, every)) for point in points))


def run(path: Path, results: Path | None, skip_missing: bool = False, against: Sequence[str] = ()) -> int:
    """Runs the remaining points; returns 0 when every point is done. `against` replaces the file's contenders."""
    one = Run(read_plan(path).with_contenders(against), results, skip_missing)
    status = one.go()
    if status == 0:
        say(f"done: {one.path}. To look at it: atoll experiment page {one.path}")
    return status


def run_once(path: Path, against: Sequence[str] = ()) -> int:
    """Runs the whole experiment and shows a table; keeps nothing."""
    with tempfile.TemporaryDirectory(prefix="atoll-experiment-") as folder:
        plan = read_plan(path).with_contenders(against)
        one = Run(plan, Path(folder) / "results.jsonl", skip_missing=True)
        status = one.go()
        found = read_results(one.path)
        if found.records:
            print_measured(found.records)
        return status


class Run:
    """One run of an experiment."""

    def __init__(self, plan: Plan, results: Path | None, skip_missing: bool) -> None:
        self.strategy = strategy(plan, skip_missing)
        self.plan = self.strategy.check()
        self.head = head_of(self.plan)
        self.path = results or default_results(self.plan)
        self.failed: list[str] = []

    def go(self) -> int:
        with Results(self.path) as results:
            check_same(results.contents, self.head)
            results.set_head(self.head)
            left = left_of(self.plan, results.contents.done)
            done = len(self.plan.points) - len(left)
            if left:
                if "dirty" in self.head["commit"]:
                    say("files differ from the commit: records are marked as dirty, and cannot be repeated exactly")
                self.strategy.prepare(say)
            if done:
                say(f"{done} of {len(self.plan.points)} points are done: {self.path}")
            try:
                self._points(left, results, done)
            except KeyboardInterrupt:
                count = len(self.plan.points) - len(left_of(self.plan, results.contents.done))
                say(f"interrupted: {count} of {len(self.plan.points)} points are done. The same command goes on")
                raise
        for text in self.failed:
            say(f"failed: {text}")
        if self.failed:
            say(f"{plural(len(self.failed), 'point')} failed: the same command tries them again")
            return 1
        return 0

    def _points(self, left: list[Point], results: Results, done: int) -> None:
        timer = Timer(results.contents)
        columns = (
            TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
        )  # fmt: skip
        # Redrawn only between points: drawing during a measurement would take processor time from it.
        with Progress(*columns, console=console, auto_refresh=False, transient=True) as bar:
            task = bar.add_task("", total=len(self.plan.points), completed=done, left="")
            for number, point in enumerate(left):
                bar.update(task, description=point.describe(), left=timer.left(left[number:]), refresh=True)
                start = time.monotonic()
                try:
                    records = self.strategy.run(point)
                except PointFailed as error:
                    self.failed.append(f"{point.describe()}: {error}")
                    bar.print(f"{point.describe()}: failed: {error}", markup=False, soft_wrap=True)
                else:
                    seconds = time.monotonic() - start
                    timer.add(point.benchmark, seconds)
                    results.add(point, [{**one, "point_seconds": round(seconds, 3)} for one in records])
                    bar.print(f"{point.describe()}: {summary(records)}", markup=False, soft_wrap=True)
                bar.update(task, advance=1, refresh=True)
