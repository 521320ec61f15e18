# SPDX-License-Identifier: Apache-2.0
"""Checks that a plan's points can run on this machine, before the first point runs."""

from __future__ import annotations

import dataclasses
import os

from atoll import extras
from atoll.bench import BenchError, peers, places, registry, toolchains
from atoll.bench.levels import LEVELS, best
from atoll.bench.registry import Skip
from atoll.experiment import PointFailed, slurm
from atoll.experiment.plan import Plan
from atoll.experiment.point import Point
from atoll.experiment.process import ATOLL, last_words, run
from atoll.experiment.terminal import say
from atoll.experiment.words import plural

#: Timeout in seconds for running `true` on a host.
PROBE_S = 60


def check(plan: Plan, skip_missing: bool) -> Plan:
    """The plan without SIMD levels that this processor lacks; ExperimentError, with file and key, if a point cannot
    run."""
    check_where(plan)
    plan = with_levels_here(plan)
    if plan.slurm is not None:
        for point in plan.points:
            if is_program(point):
                raise plan.wrong("slurm", f"{point.benchmark} starts jobs of its own, and cannot be one")
        slurm.check(plan)
    elif not skip_missing:
        check_contenders(plan)
    for hosts in dict.fromkeys(point.hosts for point in plan.points if point.hosts):
        check_hosts(plan, hosts)
    return plan


def is_program(point: Point) -> bool:
    """Whether the benchmark is a C program that starts its own jobs."""
    return isinstance(registry.select([point.benchmark])[0], registry.Program)


def check_where(plan: Plan) -> None:
    for point in plan.points:
        try:
            where = places.place(point.hosts, point.fabric, None, None)
            where.spread(point.pes or where.default_pes(2))
        except BenchError as error:
            raise plan.wrong("sweep.hosts" if point.hosts else "sweep.fabric", str(error)) from None
        if where.hosts and plan.slurm is not None:
            raise plan.wrong("slurm", "where Slurm places the PEs a sweep has no hosts and no fabric")
        if plan.commits and (where.hosts or plan.slurm is not None):
            raise plan.wrong("commits", "they are compared on this machine alone: leave hosts, fabric and slurm out")


def with_levels_here(plan: Plan) -> Plan:
    """The plan without points of missing SIMD levels, which are reported: a file that lists levels is for machines
    that lack some of them. It is an error if no level of a point exists on this machine."""
    asked = [point.simd for point in plan.points if point.simd]
    if not asked or plan.slurm is not None or any(point.hosts for point in plan.points):
        return plan
    here = LEVELS[: LEVELS.index(best()) + 1] if best() in LEVELS else ()
    lacking = [level for level in LEVELS if level in asked and level not in here]
    left = [point for point in plan.points if point.simd not in lacking]
    measured = {dataclasses.replace(point, simd=None) for point in left}
    for point in plan.points:
        if point.simd in lacking and dataclasses.replace(point, simd=None) not in measured:
            raise plan.wrong("sweep.simd", f"this machine has no '{point.simd}': the best it can is {best()}")
    if lacking:
        count = plural(len(plan.points) - len(left), "point")
        say(f"{count} left out: this machine has no {' and no '.join(lacking)}, the best it can is {best()}")
    return dataclasses.replace(plan, points=tuple(left))


def check_contenders(plan: Plan) -> None:
    pairs = dict.fromkeys((is_program(point), word) for point in plan.points for word in point.against)
    for program, word in pairs:
        try:
            why = missing(program, word)
        except (Skip, BenchError) as reason:
            why = str(reason)
        if why:
            raise plan.wrong("sweep.against", f"'{word}': {why} (--skip-missing goes on without it)")


def check_hosts(plan: Plan, hosts: str) -> None:
    where = places.place(hosts, None, None, None)
    try:
        words = places.words("atoll", where, where.default_pes(1), os.environ, toolchains.cache_folder())
        done = run([*ATOLL, "run", *words, "true"], PROBE_S)
    except PointFailed as error:
        raise plan.wrong("sweep.hosts", f"{hosts}: {error}") from None
    if done.returncode != 0:
        raise plan.wrong("sweep.hosts", f"{hosts}: {last_words(done)}")


def missing(program: bool, word: str) -> str:
    """The reason why a contender cannot run here; empty if it can, or if it does not apply to this benchmark."""
    if word == "all" or (not program and toolchains.is_toolchain(word) and word != "limit"):
        return ""
    if toolchains.is_toolchain(word):
        if program:
            toolchains.toolchain(word)
        return ""
    if word.split("-")[0] not in peers.MODULES:
        return f"there is no such contender. There are: {', '.join(peers.MODULES)}, all"
    module = peers.MODULES[word.split("-")[0]]
    # Found without importing them: their threads would disturb the measurement.
    if extras.is_here(module):
        return ""
    return extras.hint([module], "bench") if module in extras.EXTRAS["bench"] else f"{module} is not built"
