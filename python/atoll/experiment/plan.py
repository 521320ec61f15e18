# SPDX-License-Identifier: Apache-2.0
"""Reads and checks the file of an experiment: TOML with global keys, and `[[sweep]]` tables whose lists are multiplied
out to points. Errors name file and key, before anything runs."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from atoll import toml
from atoll.bench import BenchError, registry
from atoll.bench.data import DISTRIBUTIONS
from atoll.bench.levels import LEVELS
from atoll.bench.places import FABRICS
from atoll.experiment import ExperimentError
from atoll.experiment.point import Point
from atoll.toml import Source

#: Keys of the file outside its sweeps: type, and its description.
HEAD: dict[str, tuple[type, str]] = {
    "title": (str, "a text"),
    "summary": (str, "a text"),
    "kind": (str, "a text"),
    "scaling": (str, '"strong" or "weak"'),
    "rounds": (int, "a whole number of at least 1"),
    "timeout_s": (int, "a whole number of at least 1"),
    "slurm": (str, "the path of a job script"),
    "commits": (list, 'a list: ["HEAD~1", "HEAD"]'),
    "sweep": (list, "[[sweep]] tables"),
}
#: Keys of a sweep whose lists are multiplied out, the last fastest, and their types.
MOST_POINTS = 100_000
#: Least and most of integers, of the head and of sweeps.
RANGES = {
    "rounds": (1, 10_000), "timeout_s": (1, 10**6), "size": (1, 2**62), "size_per_pe": (1, 2**62), "pes": (1, 65_536),
    "threads": (1, 65_536), "trials": (1, 10**6), "seed": (0, 2**63 - 1),
}  # fmt: skip
AXES: dict[str, type] = {
    "size": int, "size_per_pe": int, "dtype": str, "dist": str, "simd": str, "hosts": str, "fabric": str, "pes": int,
    "threads": int,
}  # fmt: skip
#: Keys of a sweep that all its points share.
SHARED: dict[str, type] = {"names": str, "against": str, "trials": int, "seed": int, "memory": bool}
ONE_VALUE = ("trials", "seed", "memory")
CHOICES = {"dist": DISTRIBUTIONS, "fabric": FABRICS, "simd": LEVELS}
#: Axes that C program benchmarks lack.
OF_ARRAYS = ("dtype", "dist", "simd", "size_per_pe")


@dataclass(frozen=True)
class Plan:
    """An experiment, as its file defines it."""

    path: Path
    text: str
    points: tuple[Point, ...]
    title: str = ""
    summary: str = ""
    kind: str = "real"
    scaling: str = ""
    rounds: int = 1
    timeout_s: int = 600
    slurm: Path | None = None
    commits: tuple[str, ...] = field(default=())
    source: Source | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.path.stem

    def wrong(self, key: str, text: str) -> ExperimentError:
        return wrong(self.path, self.source, key, text)

    def with_commits(self, found: dict[str, str]) -> Plan:
        """The plan with full commit names, from `found`."""
        named = [dataclasses.replace(p, commit=found[p.commit]) if p.commit else p for p in self.points]
        return dataclasses.replace(self, points=tuple(named))

    def with_contenders(self, against: Sequence[str]) -> Plan:
        """The plan with these contenders instead of the file's; if empty, with the file's."""
        if not against:
            return self
        return dataclasses.replace(
            self, points=tuple(dataclasses.replace(p, against=tuple(against)) for p in self.points)
        )


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def read(path: Path) -> Plan:
    """Reads the experiment of a file."""
    source = toml.read(path, ExperimentError)
    return Reader(source).plan(source.content)


def wrong(path: Path, source: Source | None, key: str, text: str) -> ExperimentError:
    """An error about a key, `sweep 2.size`, with its line; `sweep.size`: of the first sweep that has it."""
    if len(text) > toml.LONGEST_ERROR:
        text = f"{text[: toml.LONGEST_ERROR // 2]} … {text[-toml.LONGEST_ERROR // 2 :]}"
    table, _, inner = key.partition(".")
    name, _, number = table.partition(" ")
    lines = source.lines if source else {}
    tables = [(name, int(number) - 1)] if number else [one for one in lines if len(one) == 2 and one[0] == name]
    wanted: list[toml.Key] = [(*one, inner) for one in tables if inner] if name == "sweep" else [(name,)]
    found = next((one for one in (*wanted, *tables) if one in lines), None)
    where = f":{lines[found]}" if found else ""
    return ExperimentError(f"{path}{where}: {key}: {text}")


class Reader:
    """Checks one file while its points are made."""

    def __init__(self, source: Source) -> None:
        self.path = source.path
        self.text = source.text
        self.source = source

    def wrong(self, key: str, text: str) -> ExperimentError:
        return wrong(self.path, self.source, key, text)

    def plan(self, content: dict[str, Any]) -> Plan:
        for key, value in content.items():
            if key not in HEAD:
                raise self.wrong(key, f"there is no such key. There are: {', '.join(HEAD)}")
            kind, meant = HEAD[key]
            bad_number = kind is int and (isinstance(value, bool) or not isinstance(value, int) or value < 1)
            if not isinstance(value, kind) or bad_number:
                raise self.wrong(key, f"it must be {meant}")
            if isinstance(value, int):
                self.in_range(key, key, value)
        if content.get("scaling", "strong") not in ("strong", "weak"):
            raise self.wrong("scaling", f"it must be {HEAD['scaling'][1]}")
        commits = content.get("commits", [])
        if "\0" in content.get("slurm", ""):
            raise self.wrong("slurm", "it must be the path of a job script")
        if not all(isinstance(one, str) for one in commits) or len(set(commits)) < len(commits):
            raise self.wrong("commits", "it must be a list of different names of commits, as git knows them")
        sweeps = content.get("sweep")
        if not sweeps or not all(isinstance(one, dict) for one in sweeps):
            raise ExperimentError(f"{self.path} has no [[sweep]]: it says what to measure")
        kept = {key: value for key, value in content.items() if key not in ("sweep", "slurm", "commits")}
        slurm = self.path.parent / content["slurm"] if "slurm" in content else None
        points: list[Point] = []
        for number, sweep in enumerate(sweeps, 1):
            points += self.sweep(sweep, f"sweep {number}" if len(sweeps) > 1 else "sweep")
        points = list(dict.fromkeys(points))
        count = len(points) * max(1, len(commits)) * content.get("rounds", 1)
        if count > MOST_POINTS:
            raise self.wrong("rounds" if "rounds" in content else "sweep", too_many(count))
        every = tuple(in_rounds(points, commits, content.get("rounds", 1)))
        return Plan(self.path, self.text, every, slurm=slurm, commits=tuple(commits), source=self.source, **kept)

    def sweep(self, sweep: dict[str, Any], where: str) -> Iterator[Point]:
        known = {**SHARED, **AXES}
        for key, value in sweep.items():
            if key not in known:
                raise self.wrong(f"{where}.{key}", f"there is no such key. There are: {', '.join(known)}")
            if value == []:
                raise self.wrong(f"{where}.{key}", "the list is empty")
            if isinstance(value, list) and key in ONE_VALUE:
                raise self.wrong(f"{where}.{key}", "it takes one value: give others a sweep of their own")
            for one in as_list(value):
                self.value(f"{where}.{key}", known[key], one)
            if key in CHOICES:
                for one in as_list(value):
                    if one not in CHOICES[key]:
                        raise self.wrong(f"{where}.{key}", f"there is no '{one}'. There are: {', '.join(CHOICES[key])}")
        self.dtypes(sweep, where)
        if not as_list(sweep.get("names", [])):
            raise self.wrong(f"{where}.names", 'a sweep says what to measure: names = ["argsort", …]')
        if "size" in sweep and "size_per_pe" in sweep:
            raise self.wrong(f"{where}.size_per_pe", "a sweep has size or size_per_pe, not both")
        if "size_per_pe" in sweep and "pes" not in sweep:
            raise self.wrong(f"{where}.size_per_pe", "it goes with pes = [1, 2, …]")
        for name in as_list(sweep["names"]):
            try:
                chosen = registry.select([name])
            except BenchError as error:
                raise self.wrong(f"{where}.names", str(error)) from None
            for one in chosen:
                yield from self.points_of(one, sweep, where, explicit=name != "all")

    def value(self, key: str, kind: type, value: Any) -> None:
        if isinstance(value, bool) != (kind is bool) or not isinstance(value, kind):
            meant = {int: "a whole number", str: "a text", bool: "true or false"}[kind]
            raise self.wrong(key, f"{toml.shown(value)} is not {meant}")
        if kind is int and isinstance(value, int):
            self.in_range(key, key.rpartition(".")[2], value)
        if isinstance(value, str) and "\0" in value:
            raise self.wrong(key, f"{toml.shown(value)} has a zero byte")

    def in_range(self, key: str, name: str, value: int) -> None:
        least, most = RANGES[name]
        if value < least:
            raise self.wrong(key, f"{toml.shown(value)} is less than {least}")
        if value > most:
            raise self.wrong(key, f"{toml.shown(value)} is more than {most}")

    def dtypes(self, sweep: dict[str, Any], where: str) -> None:
        for one in as_list(sweep.get("dtype", [])):
            try:
                known = np.dtype(one).kind in "biufcmM"
            except (TypeError, ValueError, SyntaxError, DeprecationWarning):
                known = False
            if not known:
                raise self.wrong(f"{where}.dtype", f"there is no '{one}'. Name it as NumPy does: int64, …")

    def points_of(
        self, one: registry.Case | registry.Program, sweep: dict[str, Any], where: str, explicit: bool
    ) -> Iterator[Point]:
        """All points of one benchmark. Settings that it lacks are an error if the benchmark was named, and ignored for
        `all`; so is a size, whose meaning differs between C programs."""
        lacking: set[str] = set()
        if isinstance(one, registry.Program):
            has = {"size"} if one.size_option else set()
            has |= {"threads"} if one.name == "threads" else set()
            lacking = {*OF_ARRAYS, "size", "threads"} - (has if explicit else {"threads"} & has)
        axes = {}
        for key in AXES:
            if key not in sweep:
                continue
            if key in lacking:
                if explicit:
                    raise self.wrong(f"{where}.{key}", f"{one.name} has no {key}: give it a sweep of its own")
                continue
            axes[key] = as_list(sweep[key])
        shared = {key: sweep[key] for key in ONE_VALUE if key in sweep}
        against = tuple(as_list(sweep.get("against", [])))
        count = math.prod(len(values) for values in axes.values())
        if count > MOST_POINTS:
            raise self.wrong(where, too_many(count))
        for values in itertools.product(*axes.values()):
            chosen = dict(zip(axes, values, strict=True))
            if "size_per_pe" in chosen:
                chosen["size"] = chosen.pop("size_per_pe") * chosen["pes"]
                self.in_range(f"{where}.size_per_pe", "size", chosen["size"])
            yield Point(one.name, against=against, **chosen, **shared)


def too_many(count: int) -> str:
    return f"its lists make {count:,} points (an experiment has at most {MOST_POINTS:,}). Shorten the lists?"


def in_rounds(points: Iterable[Point], commits: list[str], rounds: int) -> Iterator[Point]:
    """Each point once per round. Commits run alternately at each point, and the first one alternates too, so that a
    drift of the machine affects all equally."""
    order: list[str | None] = [*commits] or [None]
    points = list(points)
    for number in range(1, rounds + 1):
        for point in points:
            for commit in order if number % 2 else reversed(order):
                yield dataclasses.replace(point, commit=commit, round=number)
