# SPDX-License-Identifier: Apache-2.0
"""The file of an experiment, read and checked: TOML with some keys about the whole, and `[[sweep]]` tables whose lists
are multiplied out to points. Whatever is wrong is said with file and key, before anything runs."""

from __future__ import annotations

import dataclasses
import itertools
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from atoll.bench import BenchError, registry
from atoll.bench.data import DISTRIBUTIONS
from atoll.bench.levels import LEVELS
from atoll.bench.places import FABRICS
from atoll.experiment import ExperimentError
from atoll.experiment.point import Point

#: Keys of the file outside its sweeps: type, what it must be in words.
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
AXES: dict[str, type] = {
    "size": int, "size_per_pe": int, "dtype": str, "dist": str, "simd": str, "hosts": str, "fabric": str, "pes": int,
    "threads": int,
}  # fmt: skip
#: Keys of a sweep that all its points share.
SHARED: dict[str, type] = {"names": str, "against": str, "trials": int, "seed": int, "memory": bool}
ONE_VALUE = ("trials", "seed", "memory")
CHOICES = {"dist": DISTRIBUTIONS, "fabric": FABRICS, "simd": LEVELS}
#: Axes that benchmarks made of C programs do not have.
OF_ARRAYS = ("dtype", "dist", "simd", "size_per_pe")


@dataclass(frozen=True)
class Plan:
    """An experiment: what its file says."""

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

    @property
    def name(self) -> str:
        return self.path.stem

    def wrong(self, key: str, text: str) -> ExperimentError:
        return ExperimentError(f"{self.path}: {key}: {text}")

    def with_commits(self, found: dict[str, str]) -> Plan:
        """The same with each commit by its full name, as `found` has it."""
        named = [dataclasses.replace(p, commit=found[p.commit]) if p.commit else p for p in self.points]
        return dataclasses.replace(self, points=tuple(named))

    def with_contenders(self, against: Sequence[str]) -> Plan:
        """The same with these in place of the contenders that the file names; none: as they are."""
        if not against:
            return self
        return dataclasses.replace(
            self, points=tuple(dataclasses.replace(p, against=tuple(against)) for p in self.points)
        )


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def read(path: Path) -> Plan:
    """The experiment of a file."""
    try:
        text = path.read_text()
    except OSError as error:
        raise ExperimentError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ExperimentError(f"{path} is not TOML: it is no text") from None
    except ValueError as error:  # a NUL in the name
        raise ExperimentError(f"cannot read {str(path)!r}: {error}") from None
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise ExperimentError(f"{path} is not read: its lists are nested too deep") from None
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        raise ExperimentError(f"{path} is not TOML: {error}") from None
    return Reader(path, text).plan(content)


class Reader:
    """Checks one file while its points are made."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text

    def wrong(self, key: str, text: str) -> ExperimentError:
        return ExperimentError(f"{self.path}: {key}: {text}")

    def plan(self, content: dict[str, Any]) -> Plan:
        for key, value in content.items():
            if key not in HEAD:
                raise self.wrong(key, f"there is no such key. There are: {', '.join(HEAD)}")
            kind, meant = HEAD[key]
            bad_number = kind is int and (isinstance(value, bool) or not isinstance(value, int) or value < 1)
            if not isinstance(value, kind) or bad_number:
                raise self.wrong(key, f"it must be {meant}")
        if content.get("scaling", "strong") not in ("strong", "weak"):
            raise self.wrong("scaling", f"it must be {HEAD['scaling'][1]}")
        commits = content.get("commits", [])
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
        every = tuple(in_rounds(points, commits, content.get("rounds", 1)))
        return Plan(self.path, self.text, every, slurm=slurm, commits=tuple(commits), **kept)

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
            raise self.wrong(key, f"{value!r} is not {meant}")
        if isinstance(value, int) and kind is int and not key.endswith(".seed") and value < 1:
            raise self.wrong(key, f"{value} is less than 1")

    def dtypes(self, sweep: dict[str, Any], where: str) -> None:
        for one in as_list(sweep.get("dtype", [])):
            try:
                np.dtype(one)
            except TypeError:
                raise self.wrong(f"{where}.dtype", f"there is no '{one}'. Name it as NumPy does: int64, …") from None

    def points_of(
        self, one: registry.Case | registry.Program, sweep: dict[str, Any], where: str, explicit: bool
    ) -> Iterator[Point]:
        """All settings of one benchmark. Settings that it lacks are an error where it was named, and left out where
        `all` were; so is a size, which means something else to each C program."""
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
        for values in itertools.product(*axes.values()):
            chosen = dict(zip(axes, values, strict=True))
            if "size_per_pe" in chosen:
                chosen["size"] = chosen.pop("size_per_pe") * chosen["pes"]
            yield Point(one.name, against=against, **chosen, **shared)


def in_rounds(points: Iterable[Point], commits: list[str], rounds: int) -> Iterator[Point]:
    """Each point once in each round. Commits take turns at each point, and who is first takes turns too, so that a
    drift of the machine hits all alike."""
    order: list[str | None] = [*commits] or [None]
    points = list(points)
    for number in range(1, rounds + 1):
        for point in points:
            for commit in order if number % 2 else reversed(order):
                yield dataclasses.replace(point, commit=commit, round=number)
