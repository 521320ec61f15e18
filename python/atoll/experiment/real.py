# SPDX-License-Identifier: Apache-2.0
"""Runs a point by `atoll bench run` in a separate process, because most libraries read their number of threads once.
It runs on this machine, on hosts, in a Slurm job, or with the code of another commit."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from atoll.bench import levels, places
from atoll.bench.places import Place
from atoll.bench.record import REQUIRED
from atoll.experiment import PointFailed, checks, slurm
from atoll.experiment.checks import is_program
from atoll.experiment.commits import Builds
from atoll.experiment.plan import Plan
from atoll.experiment.point import Point
from atoll.experiment.process import ATOLL, last_words, run

#: Settings that `atoll run` takes when it starts the PEs.
PLACED = ("pes", "threads", "hosts", "fabric")


class Real:
    """The strategy of `kind = "real"`."""

    def __init__(self, plan: Plan, skip_missing: bool) -> None:
        self.plan = plan
        self.skip_missing = skip_missing
        self.builds = Builds(plan)

    def check(self) -> Plan:
        self.builds.plan = checks.check(self.plan, self.skip_missing)
        self.plan = self.builds.resolve()
        return self.plan

    def prepare(self, say: Callable[[str], None]) -> None:
        self.builds.make(say)

    def run(self, point: Point) -> list[dict[str, Any]]:
        asked = {"command": self._typed(point), **({"simd": point.simd} if point.simd else {})}
        where = places.place(point.hosts, point.fabric, None, None)
        if where.hosts and not is_program(point):
            asked |= {"fabric": where.fabric, "hosts": where.listed(point.pes or where.default_pes(2))}
        return [{**one, **asked} for one in self._records(point)]

    def _records(self, point: Point) -> list[dict[str, Any]]:
        if self.plan.slurm is not None:
            bench = self._bench(point, "-", without=("pes", "threads"))
            settings = environment_of(point) | ({"ATOLL_THREADS": str(point.threads)} if point.threads else {})
            return records_of(slurm.run(self.plan, point, bench, settings, run))
        where = places.place(point.hosts, point.fabric, None, None)
        if where.hosts and not is_program(point):
            command = [*ATOLL, *launched(point, where), *self._bench(point, "-", without=PLACED)]
            # All PEs run it together; the first writes the records to its standard output.
            return records_of(run(command, self.plan.timeout_s, env=self._environment(point)))
        return self._here(point)

    def _environment(self, point: Point) -> dict[str, str]:
        level = levels.environment(point.simd) if point.simd else {}  # peers keep to it, too
        return {**os.environ, **level, **self.builds.environment(point.commit)}

    def _here(self, point: Point) -> list[dict[str, Any]]:
        file = os.memfd_create("records")
        try:
            command = self._bench(point, f"/dev/fd/{file}")
            done = run(command, self.plan.timeout_s, pass_fds=(file,), env=self._environment(point))
            with open(file, closefd=False) as records:
                records.seek(0)
                return records_of(done, records.read())
        finally:
            os.close(file)

    def _bench(self, point: Point, to: str, without: tuple[str, ...] = ()) -> list[str]:
        return [*ATOLL, "bench", "run", *point.words(without), "--json", to]

    def _typed(self, point: Point) -> str:
        """The command that repeats the point by hand."""
        words = [f"{name}={value}" for name, value in environment_of(point).items()]
        where = places.place(point.hosts, point.fabric, None, None)
        if where.hosts and not is_program(point):
            return shlex.join([*words, "atoll", *launched(point, where), "atoll", "bench", "run", *point.words(PLACED)])
        return shlex.join([*words, "atoll", "bench", "run", *point.words()])


def launched(point: Point, where: Place) -> list[str]:
    """The arguments of `atoll` that start the point's PEs on hosts."""
    pes = point.pes or where.default_pes(2)
    threads = ["-t", str(point.threads)] if point.threads else []
    return ["run", *places.words("atoll", where, pes, {}, Path()), "-n", str(pes), *threads]


def environment_of(point: Point) -> dict[str, str]:
    return {"ATOLL_SIMD": point.simd} if point.simd else {}


def records_of(done: subprocess.CompletedProcess[str], text: str | None = None) -> list[dict[str, Any]]:
    """The records that a run wrote: to a file, or as lines of its output."""
    if done.returncode != 0:
        raise PointFailed(last_words(done))
    lines = (done.stdout if text is None else text).splitlines()
    try:
        records = [json.loads(line) for line in lines if line.startswith("{")]
    except ValueError:
        raise PointFailed("what it wrote is cut off, or mixed with other output") from None
    if not records or any(key not in one for one in records for key in REQUIRED):
        raise PointFailed("it wrote no records")
    return records
