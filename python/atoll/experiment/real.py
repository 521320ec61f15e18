# SPDX-License-Identifier: Apache-2.0
"""Runs a point for real: `atoll bench run` in a process of its own, because most libraries read their number of threads
once. On this machine, on hosts, in a job of Slurm, or with the code of another commit."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from atoll import extras
from atoll.bench import BenchError, peers, places, registry, toolchains
from atoll.bench.places import Place
from atoll.bench.record import REQUIRED
from atoll.bench.registry import Skip
from atoll.experiment import PointFailed, slurm
from atoll.experiment.commits import Builds
from atoll.experiment.plan import SIMD_LEVELS, Plan
from atoll.experiment.point import Point

ATOLL = [sys.executable, "-m", "atoll"]
#: Settings that `atoll run` takes when it starts the PEs.
PLACED = ("pes", "threads", "hosts", "fabric")
#: How long a host may take to run `true`.
PROBE_S = 60


def ending_with_us() -> list[str]:
    """Before a command: it is told to end when we do, also when we are killed, or it would disturb the next run."""
    found = shutil.which("setpriv")
    return [found, "--pdeathsig", "TERM", "--"] if found else []


def run(command: Sequence[str], timeout_s: float, **options: Any) -> subprocess.CompletedProcess[str]:
    """A command that ends with us; PointFailed when it cannot start or takes too long."""
    try:
        process = subprocess.Popen(
            [*ending_with_us(), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace", **options,
        )  # fmt: skip
    except OSError as error:
        raise PointFailed(f"{command[0]} does not start: {error.strerror}") from None
    try:
        out, err = process.communicate(timeout=timeout_s)
    except BaseException as error:
        toolchains.end(process)
        if isinstance(error, subprocess.TimeoutExpired):
            raise PointFailed(f"it has not ended within timeout_s = {timeout_s:.0f}") from None
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def is_program(point: Point) -> bool:
    """Whether the benchmark starts its jobs by itself."""
    return isinstance(registry.select([point.benchmark])[0], registry.Program)


class Real:
    """The strategy of `kind = "real"`."""

    def __init__(self, plan: Plan, skip_missing: bool) -> None:
        self.plan = plan
        self.skip_missing = skip_missing
        self.builds = Builds(plan)

    # -- before the first run --

    def check(self) -> Plan:
        self._check_where()
        self._check_simd()
        if self.plan.slurm is not None:
            for point in self.plan.points:
                if is_program(point):
                    raise self.plan.wrong("slurm", f"{point.benchmark} starts jobs of its own, and cannot be one")
            slurm.check(self.plan)
        elif not self.skip_missing:
            self._check_contenders()
        for hosts in dict.fromkeys(point.hosts for point in self.plan.points if point.hosts):
            self._check_hosts(hosts)
        self.plan = self.builds.resolve()
        return self.plan

    def prepare(self, say: Callable[[str], None]) -> None:
        self.builds.make(say)

    def _check_where(self) -> None:
        plan = self.plan
        for point in plan.points:
            try:
                where = places.place(point.hosts, point.fabric, None, None)
                where.spread(point.pes or where.default_pes(2))
            except BenchError as error:
                raise plan.wrong("sweep.hosts" if point.hosts else "sweep.fabric", str(error)) from None
            if where.hosts and plan.slurm is not None:
                raise plan.wrong("slurm", "where Slurm places the PEs a sweep has no hosts and no fabric")
            if plan.commits and (where.hosts or plan.slurm is not None):
                raise plan.wrong(
                    "commits", "they are compared on this machine alone: leave hosts, fabric and slurm out"
                )

    def _check_simd(self) -> None:
        asked = [point.simd for point in self.plan.points if point.simd]
        if not asked or self.plan.slurm is not None or any(point.hosts for point in self.plan.points):
            return
        from atoll import _core

        best = str(_core.info()["simd"])
        for level in asked:
            if best in SIMD_LEVELS and SIMD_LEVELS.index(level) > SIMD_LEVELS.index(best):
                raise self.plan.wrong("sweep.simd", f"this machine has no '{level}': the best it can is {best}")

    def _check_contenders(self) -> None:
        pairs = dict.fromkeys((is_program(point), word) for point in self.plan.points for word in point.against)
        for program, word in pairs:
            try:
                why = missing(program, word)
            except (Skip, BenchError) as reason:
                why = str(reason)
            if why:
                raise self.plan.wrong("sweep.against", f"'{word}': {why} (--skip-missing goes on without it)")

    def _check_hosts(self, hosts: str) -> None:
        where = places.place(hosts, None, None, None)
        try:
            words = places.words("atoll", where, where.default_pes(1), os.environ, toolchains.cache_folder())
            done = run([*ATOLL, "run", *words, "true"], PROBE_S)
        except PointFailed as error:
            raise self.plan.wrong("sweep.hosts", f"{hosts}: {error}") from None
        if done.returncode != 0:
            raise self.plan.wrong("sweep.hosts", f"{hosts}: {last_words(done)}")

    # -- a point --

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
            return self._on_hosts(point, where)
        return self._here(point)

    def _environment(self, point: Point) -> dict[str, str]:
        return {**os.environ, **environment_of(point), **self.builds.environment(point.commit)}

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

    def _on_hosts(self, point: Point, where: Place) -> list[dict[str, Any]]:
        """All PEs run the benchmark together; the first hands over its records on its standard output."""
        pes = point.pes or where.default_pes(2)
        words = [*places.words("atoll", where, pes, os.environ, toolchains.cache_folder()), "-n", str(pes)]
        words += ["-t", str(point.threads)] if point.threads else []
        bench = self._bench(point, "-", without=PLACED)
        done = run([*ATOLL, "run", *words, *bench], self.plan.timeout_s, env=self._environment(point))
        return records_of(done)

    def _bench(self, point: Point, to: str, without: tuple[str, ...] = ()) -> list[str]:
        return [*ATOLL, "bench", "run", *point.words(without), "--json", to]

    def _typed(self, point: Point) -> str:
        """What repeats the point by hand."""
        words = [f"{name}={value}" for name, value in environment_of(point).items()]
        where = places.place(point.hosts, point.fabric, None, None)
        if where.hosts and not is_program(point):
            count = str(point.pes or where.default_pes(2))
            words += ["atoll", "run", *places.words("atoll", where, int(count), {}, Path()), "-n", count]
            words += ["-t", str(point.threads)] if point.threads else []
            return shlex.join([*words, "atoll", "bench", "run", *point.words(PLACED)])
        return shlex.join([*words, "atoll", "bench", "run", *point.words()])


def missing(program: bool, word: str) -> str:
    """Why a contender cannot take part here; empty when it can, or when it is none of this kind of benchmark."""
    if word == "all" or (not program and toolchains.is_toolchain(word) and word != "limit"):
        return ""
    if toolchains.is_toolchain(word):
        if program:
            toolchains.toolchain(word)
        return ""
    if word.split("-")[0] not in peers.MODULES:
        return f"there is no such contender. There are: {', '.join(peers.MODULES)}, all"
    module = peers.MODULES[word.split("-")[0]]
    # Looked for, not imported: their threads would live on beside what is measured.
    if extras.is_here(module):
        return ""
    return extras.hint([module], "bench") if module in extras.EXTRAS["bench"] else f"{module} is not built"


def environment_of(point: Point) -> dict[str, str]:
    return {"ATOLL_SIMD": point.simd} if point.simd else {}


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """What a command said before it failed, in one line."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    said = [line for line in lines if re.match(r"\S*(Error|atoll)\S*: ", line)]
    return (said or lines or [f"status {done.returncode}"])[-1].removeprefix("atoll: ").removeprefix("atoll-run: ")


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
