# SPDX-License-Identifier: Apache-2.0
"""Benchmarks that are C programs over OpenSHMEM or MPI: each contender's job is started in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from atoll.bench import BenchError, record, toolchains
from atoll.bench.energy import Meter
from atoll.bench.places import Place
from atoll.bench.registry import Program, Skip
from atoll.bench.toolchains import HERE, Toolchain

GIB = 2**30


@dataclass(frozen=True)
class Point:
    """One measured item: an operation or a problem of some size."""

    name: str
    size: int
    work: float  # units of work of all PEs in the measured time; 0 when only the time counts
    unit: str


@dataclass
class Measured:
    """One program, run by all its contenders. Seconds are of one operation, or of the whole problem."""

    program: Program
    pes: int
    where: Place = HERE
    seconds: dict[Point, dict[str, list[float]]] = field(default_factory=dict)
    checksums: dict[Point, str] = field(default_factory=dict)
    libraries: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    #: Seconds of each contender's whole jobs; empty: not measured.
    joules: dict[str, list[float]] = field(default_factory=dict)

    def contenders(self) -> list[str]:
        return list(self.libraries)

    def add(self, contender: str, lines: Sequence[dict[str, Any]]) -> None:
        """Adds the output of one job; BenchError when its answers differ from earlier jobs."""
        for line in lines:
            if "library" in line:
                self.libraries[contender] = line["library"]
            if "point" not in line:
                continue
            point = Point(line["point"], line["size"], line["work"], line["unit"])
            self.seconds.setdefault(point, {}).setdefault(contender, []).append(line["seconds"])
            first = self.checksums.setdefault(point, line["checksum"])
            if first != line["checksum"]:
                raise BenchError(f"{self.program.name}.{point.name}, size {point.size}: {contender} has another answer")

    def records(self) -> list[dict[str, Any]]:
        return [
            record.stamp(
                name=f"{self.program.name}.{point.name}",
                contender=contender,
                size=point.size,
                size_means=self.program.size_means,
                dtype="-",
                dist="-",
                pes=self.pes,
                threads=1,
                fabric=self.where.fabric,
                hosts=self.where.listed(self.pes),
                seconds=seconds,
                bytes=point.work if point.unit == "B" else 0,
                gib_s=point.work / median(seconds) / GIB if point.unit == "B" else 0.0,
                work=point.work,
                unit=point.unit,
                per_second=point.work / median(seconds),
                checksum=self.checksums[point],
                library=self.libraries[contender],
                **({"job_joules": self.joules[contender]} if contender in self.joules else {}),
            )
            for point, by_contender in self.seconds.items()
            for contender, seconds in by_contender.items()
        ]


def chains_for(
    program: Program, against: Sequence[str], pes: int, where: Place
) -> tuple[list[Toolchain], dict[str, str]]:
    """Atoll and the requested contenders, and the reasons for skipping others."""
    words = [word for word in against if toolchains.is_toolchain(word)]
    if "all" in against:
        words += ["limit", "oshcc", "mpicc"]
    elif not words and not where.hosts and program.interface == "shmem":
        words = ["limit"]
    if not any(word.startswith("atoll=") for word in words):
        words = ["atoll", *words]
    chains: dict[str, Toolchain] = {}
    skipped: dict[str, str] = {}
    for word in dict.fromkeys(words):
        try:
            chain = toolchains.toolchain(word, program.interface)
            if chain.compiler == chains.get("atoll", chain).compiler and chains and word in ("oshcc", "mpicc"):
                raise Skip(f"the {word} on the PATH is Atoll's own: give {word}=/path/to/another")
            binary = toolchains.build(program.source or program.name, chain, program.interface)
            chain.command(binary, pes, program.words, where)
        except Skip as reason:
            skipped[word.partition("=")[0]] = str(reason)
            continue
        if chain.name in chains:
            raise BenchError(f"two contenders are called {chain.name}: name them apart, NAME=/path/to/oshcc")
        chains[chain.name] = chain
    return list(chains.values()), skipped


def whole_job(seconds: float) -> dict[str, Any]:
    """The time of the whole job, in the programs' output format."""
    return {"point": "job", "size": 0, "seconds": seconds, "work": 0, "unit": "", "checksum": "0" * 16}


def run_program(
    program: Program,
    pes: int,
    against: Sequence[str],
    trials: int,
    words: Sequence[str] = (),
    tick: Callable[[str], None] = lambda name: None,
    where: Place = HERE,
    meter: Meter | None = None,
) -> Measured:
    """`trials` jobs of each contender, in turns: A B C A B C … Other libraries that fail are skipped."""
    if pes < program.least_pes:
        raise BenchError(f"{program.name} needs --pes {program.least_pes} at least")
    chains, skipped = chains_for(program, against, pes, where)
    result = Measured(program, pes, where, skipped=skipped)
    for _ in range(trials):
        for chain in list(chains):
            tick(chain.name)
            try:
                binary = toolchains.build(program.source or program.name, chain, program.interface)
                before = meter.read() if meter else []
                began = time.monotonic()
                lines = toolchains.run(chain, binary, pes, [*program.words, *words], where)
                if program.times_job:
                    lines.append(whole_job(time.monotonic() - began))
                if meter:
                    result.joules.setdefault(chain.name, []).append(meter.joules_since(before))
            except BenchError as error:
                if chain.name in ("atoll", "limit"):
                    raise
                result.skipped[chain.name] = str(error)
                chains.remove(chain)
                continue
            result.add(chain.name, lines)
    for chain_name in result.skipped:  # a contender that failed in one trial has no results
        result.libraries.pop(chain_name, None)
        for by_contender in result.seconds.values():
            by_contender.pop(chain_name, None)
    if not result.seconds:
        reasons = "; ".join(f"{name}: {why}" for name, why in result.skipped.items())
        raise BenchError(f"{program.name}: no contender can run. {reasons}")
    return result
