# SPDX-License-Identifier: Apache-2.0
"""Experiments: files of settings whose lists are multiplied out to simulations, and checked before anything runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from atoll import _core
from atoll.sim import chart, units
from atoll.sim import machine as machines
from atoll.sim.machine import TABLES, Machine
from atoll.sim.point import EXECUTORS, PACES, RANGES, Point
from atoll.sim.source import SimError, read
from atoll.toml import Key, Source, exists, integer, shown

EXPERIMENTS = Path(__file__).with_name("experiments")
HEAD = ("title", "about", "machine", "run", "plot", "published")
FIGURES = (
    "time_s", "messages", "message_bytes", "energy_j", "host_active_s", "run_s", "memory_bytes", "ratio", "gib_s",
    "key_gib_s", "pe_messages", "start_s", "start_pe_messages", "runtime_bytes", "pe_resident_bytes",
)  # fmt: skip
#: keys of a record, besides the machine keys that its run varies
SETTINGS = (
    "machine", "collective", "algorithm", "bytes", "nodes", "pes_per_node", "executor", "pace", "repeats", "compute_s",
    "seed", "items", "pes",
)  # fmt: skip
PLOT = ("x", "y", "lines", "panels", "log", "ratio_to")


def text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not accepted. Write a text, in quotes")
    return value


def choice(names: tuple[str, ...]) -> Any:
    def convert(value: object) -> Any:
        if value not in names:
            raise ValueError(f"{shown(value)} is not accepted. Write one of {', '.join(names)}")
        return value

    return convert


def collective(value: object) -> str:
    return str(choice(tuple(_core.sim_collectives()))(value))


#: limit of simulations per file
MOST_POINTS = 10_000
#: subject of a point's error -> the key that sets it
BLAMED = (
    ("allowed", "memory"), ("allow more", "memory"), ("root", "root"), ("pes_per_node", "pes_per_node"),
    ("no whole number of elements", "bytes"), ("repeats", "repeats"), ("items", "items"), ("bytes of", "bytes"),
    ("noise", "noise"),
)  # fmt: skip


def whole(name: str) -> Any:
    return lambda value: integer(value, *RANGES[name])


#: key of a run -> (attribute of Point, conversion)
RUN: dict[str, tuple[str, Any]] = {
    "collective": ("collective", collective),
    "algorithm": ("algorithm", text),
    "nodes": ("nodes", whole("nodes")),
    "pes_per_node": ("pes_per_node", whole("pes_per_node")),
    "bytes": ("bytes", units.whole_bytes),
    "element": ("element_bytes", units.whole_bytes),
    "root": ("root", whole("root")),
    "executor": ("executor", choice(EXECUTORS)),
    "pace": ("pace", choice(PACES)),
    "repeats": ("repeats", whole("repeats")),
    "items": ("items", whole("items")),
    "compute": ("compute_ps", units.picoseconds),
    "seed": ("seed", whole("seed")),
    "memory": ("memory_bytes", units.whole_bytes),
}
#: keys of a run that change the machine
ABOUT_MACHINE = ("machine", "noise", *TABLES)


@dataclass(frozen=True)
class Experiment:
    """The content of an experiment file."""

    source: Source
    title: str
    points: tuple[Point, ...]
    about: str = ""
    plot: Mapping[str, Any] = field(default_factory=dict)
    published: tuple[Mapping[str, Any], ...] = ()

    @property
    def name(self) -> str:
        return self.source.path.stem


def known() -> dict[str, Path]:
    """The experiments that come with Atoll: name -> file."""
    return {path.stem: path for path in sorted(EXPERIMENTS.glob("*.toml"))}


def load(name_or_path: str | Path) -> Experiment:
    """An experiment by name, or a file. SimError with file, line, key and what is accepted."""
    listed = known()
    path = listed.get(str(name_or_path), Path(name_or_path))
    if not path.suffix and not exists(path):
        raise SimError(f"there is no experiment '{name_or_path}'. There are: {', '.join(listed)}; or name a file")
    return Reader(read(path)).experiment()


class Reader:
    """Checks one file while its points are made."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.folder = source.path.parent

    def experiment(self) -> Experiment:
        content = self.source.content
        for key in content:
            if key not in HEAD:
                raise self.source.wrong((key,), f"there is no such key. There are: {', '.join(HEAD)}")
        for key in ("title", "about"):
            if not isinstance(content.get(key, ""), str):
                raise self.source.wrong((key,), "it must be a text")
        base = self.machine(content.get("machine"), ("machine",))
        runs = content.get("run")
        if not isinstance(runs, list) or not runs or not all(isinstance(one, dict) for one in runs):
            raise self.source.wrong(("run",) if runs else (), "it has no [[run]]: a run says what to simulate")
        points: list[Point] = []
        for number, run in enumerate(runs):
            for point in self.run(run, ("run", number), base, MOST_POINTS - len(points)):
                points.append(point)
        plot = self.plot(content.get("plot", {}), points)
        said = content.get("published", [])
        if not isinstance(said, list):
            raise self.source.wrong(("published",), "it is a list of tables: [[published]]")
        published = tuple(self.published(one, ("published", i)) for i, one in enumerate(said))
        title = content.get("title", self.source.path.stem)
        return Experiment(self.source, title, tuple(points), content.get("about", ""), plot, published)

    def machine(self, said: Any, at: Key) -> Machine | None:
        """`machine = "NAME"`, or a table with preset or file, and tables that change it."""
        if said is None:
            return None
        try:
            if isinstance(said, str):
                return machines.load(said, self.folder)
            if not isinstance(said, dict):
                raise self.source.wrong(at, 'it must be a name, or a table: [machine] with preset = "study"')
            for key in ("preset", "file"):
                if not isinstance(said.get(key, ""), str):
                    raise self.source.wrong((*at, key), "it must be a text")
            rest = {key: value for key, value in said.items() if key not in ("preset", "file")}
            start = Machine(self.source.path.stem)
            if "preset" in said or "file" in said:
                start = machines.load(said["preset"] if "preset" in said else said["file"], self.folder)
        except SimError as error:
            if str(error).startswith(str(self.source.path)):
                raise
            raise self.source.wrong(at, str(error)) from None
        made = machines.apply(start, self.source, rest, at, self.folder)
        machines.check_whole(made, self.source, at)
        return made

    def run(self, run: Mapping[str, Any], at: Key, base: Machine | None, most: int) -> Iterator[Point]:
        axes: list[tuple[Key, list[Any]]] = []
        for key, value in run.items():
            if key in TABLES and isinstance(value, dict):
                # Three sides of a torus are one value.
                axes += [
                    ((key, inner), [one] if inner == "torus" and not nested(one) else as_list(one))
                    for inner, one in value.items()
                ]
            elif key in TABLES and key not in RUN and key != "noise":
                raise self.source.wrong((*at, key), f"it is a table: {key}.{next(iter(TABLES[key]))} = …")
            elif key in RUN or key in ("machine", "noise"):
                axes.append(((key,), as_list(value)))
            else:
                raise self.source.wrong(
                    (*at, key), f"there is no such key. There are: {', '.join((*RUN, *ABOUT_MACHINE))}"
                )
        for parts, values in axes:
            if not values:
                raise self.source.wrong((*at, *parts), "the list is empty")
        for needed in ("collective", "nodes"):
            if needed not in run:
                raise self.source.wrong(at, f"a run needs {needed}")
        count = math.prod(len(values) for _, values in axes)
        if count > most:
            raise self.source.wrong(
                at, f"its lists make {count:,} simulations (a file has at most {MOST_POINTS:,}). Shorten the lists?"
            )
        for chosen in itertools.product(*(listed for _, listed in axes)):
            yield self.point(dict(zip((name for name, _ in axes), chosen, strict=True)), at, base)

    def point(self, settings: Mapping[Key, Any], at: Key, base: Machine | None) -> Point:
        labels: dict[str, Any] = {}
        values: dict[str, Any] = {}
        made = self.machine(settings[("machine",)], (*at, "machine")) if ("machine",) in settings else base
        if made is None:
            raise self.source.wrong(at, 'no machine is named: machine = "study", here or at the beginning')
        for key, value in settings.items():
            where = (*at, *key)
            try:
                if key[0] in RUN:
                    name, convert = RUN[str(key[0])]
                    values[name] = convert(value)
                elif key == ("noise",):
                    made = made.with_noise(text(value))
                    labels["noise"] = value
                elif key[0] in TABLES:
                    if key[1] not in TABLES[str(key[0])]:
                        raise ValueError(f"there is no such key. There are: {', '.join(TABLES[str(key[0])])}")
                    made = made.with_key(str(key[0]), str(key[1]), value, self.folder)
                    labels[".".join(map(str, key))] = value
            except ValueError as error:
                raise self.source.wrong(where, str(error)) from None
        machines.check_whole(made, self.source, at)
        given = {str(key[0]) for key in settings}
        point = Point(made, **values, labels=labels, wrong=lambda error: self.misfit(error, at, given))
        self.check(point, at)
        return point

    def misfit(self, error: Exception, at: Key, given: set[str]) -> Exception:
        """The error of a point that cannot be simulated: names the key that is the most likely cause."""
        words = str(error)
        about = next((key for part, key in BLAMED if part in words and key in given), "nodes")
        return self.source.wrong((*at, about), words)

    def check(self, point: Point, at: Key) -> None:
        """Reports errors that are known before the point runs."""
        algorithms = _core.sim_collectives()[point.collective]
        if point.algorithm not in ("auto", *algorithms):
            raise self.source.wrong(
                (*at, "algorithm"),
                f"{point.collective} has no algorithm '{point.algorithm}'. Write one of auto, {', '.join(algorithms)}",
            )
        try:
            point.check()
        except (ValueError, MemoryError) as error:
            raise (point.wrong or SimError)(error) from None

    def plot(self, plot: Any, points: Sequence[Point]) -> dict[str, Any]:
        if not isinstance(plot, dict):
            raise self.source.wrong(("plot",), "it is a table: [plot]")
        for key, value in plot.items():
            if key not in PLOT:
                raise self.source.wrong(("plot", key), f"there is no such key. There are: {', '.join(PLOT)}")
            if key in ("x", "y", "log") and not isinstance(value, str):
                raise self.source.wrong(("plot", key), f"{shown(value)} is not accepted. Write a text, in quotes")
            if key in ("panels", "lines") and not all(isinstance(name, str) for name in as_list(value)):
                raise self.source.wrong(("plot", key), "it must be the name of a setting, or a list of names")
            if key == "y" and value not in FIGURES:
                raise self.source.wrong(("plot", key), f"{value!r} is no figure. Write one of {', '.join(FIGURES)}")
            if key == "log" and value not in ("", "x", "y", "xy"):
                raise self.source.wrong(
                    ("plot", key), f'{shown(value)} is not accepted. Write one of "", "x", "y", "xy"'
                )
        if not isinstance(plot.get("ratio_to", {}), dict):
            raise self.source.wrong(("plot", "ratio_to"), 'it is a table: ratio_to = {executor = "host"}')
        settings = dict.fromkeys((*SETTINGS, *(name for point in points for name in point.labels)))
        for key in ("x", "panels", "lines", "ratio_to"):
            for name in as_list(plot[key]) if key in ("x", "panels", "lines") and key in plot else plot.get(key, ()):
                if name not in settings:
                    said = f"{name!r} is no setting of these runs. There are: {', '.join(settings)}"
                    raise self.source.wrong(("plot", key), said)
        if plot.get("y") == "ratio" and not plot.get("ratio_to"):
            raise self.source.wrong(
                ("plot", "y"), 'a ratio needs ratio_to = {executor = "host"}, or what it is to be one to'
            )
        return plot

    def published(self, one: Any, at: Key) -> Mapping[str, Any]:
        if not isinstance(one, dict) or not {"label", "x", "y", "source"} <= set(one):
            raise self.source.wrong(at, "it needs label, x, y (lists of one length) and source")
        if not (isinstance(one["x"], list) and isinstance(one["y"], list) and len(one["x"]) == len(one["y"])):
            raise self.source.wrong(at, "x and y must be lists of one length")
        for key in ("label", "source", "panel", "line"):
            if not isinstance(one.get(key, ""), str):
                raise self.source.wrong((*at, key), "it must be a text")
        if not all(chart.is_number(value) and math.isfinite(value) for value in one["y"]):
            raise self.source.wrong((*at, "y"), "it must be a list of numbers")
        if not all(isinstance(value, str) or (chart.is_number(value) and math.isfinite(value)) for value in one["x"]):
            raise self.source.wrong((*at, "x"), "it must be a list of numbers or texts")
        return one


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def nested(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(one, list) for one in value)
