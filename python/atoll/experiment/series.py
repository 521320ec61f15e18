# SPDX-License-Identifier: Apache-2.0
"""Records grouped by their settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from atoll.experiment.intervals import Interval, median_of

Record = dict[str, Any]
#: Settings that always identify a group; and settings that do so if they vary.
ALWAYS = ("name", "contender", "size", "dtype", "dist", "pes", "threads")
WHERE_VARIED = ("simd", "fabric", "hosts", "commit", "host")


@dataclass(frozen=True)
class Setting:
    """A benchmark with its settings."""

    values: tuple[tuple[str, Any], ...]

    def get(self, name: str) -> Any:
        return dict(self.values).get(name)

    def without(self, *names: str) -> Setting:
        return Setting(tuple(pair for pair in self.values if pair[0] not in names))

    def only(self, names: Sequence[str]) -> Setting:
        return Setting(tuple(pair for pair in self.values if pair[0] in names))

    def replaced(self, name: str, value: Any) -> Setting:
        return Setting(tuple((key, value if key == name else old) for key, old in self.values))

    def describe(self, without: Sequence[str] = ()) -> str:
        """A description without the hidden settings: `sort 4,000,000 int64 u64, 2 PEs x 1 thread`."""
        shown = {key: value for key, value in self.values if key not in without and value not in ("", "-", None)}
        first = [str(shown[key]) for key in ("name", "dtype", "dist") if key in shown]
        if shown.get("size"):
            first.insert(1 if "name" in shown else 0, f"{shown['size']:,}")
        counts = [
            f"{shown[key]} {what}{'' if shown[key] == 1 else 's'}"
            for key, what in (("pes", "PE"), ("threads", "thread"))
            if key in shown
        ]
        cut = {"commit": 12}
        rest = [str(shown[key])[: cut.get(key)] for key in ("contender", *WHERE_VARIED) if key in shown]
        return ", ".join(filter(None, (" ".join(first), " x ".join(counts), *rest)))


@dataclass
class Measured:
    """All measurements of one setting."""

    setting: Setting
    #: Seconds of each process's trials.
    processes: list[list[float]] = field(default_factory=list)
    #: The identity of each of these processes, to pair contenders that took turns in one process.
    which: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)

    @cached_property
    def time(self) -> Interval:
        return median_of(self.processes)

    @property
    def last(self) -> Record:
        return self.records[-1]

    @property
    def cores(self) -> int:
        return int(self.last["pes"] * self.last["threads"])

    @property
    def samples(self) -> int:
        return sum(len(one) for one in self.processes)

    def rate(self, seconds: float) -> float:
        """Bytes, or the record's units, per second; 0 where only the time counts."""
        record = self.last
        return float(record["work"] if record.get("unit") else record["bytes"]) / seconds

    @property
    def unit(self) -> str:
        return str(self.last.get("unit") or ("B" if self.last["bytes"] else ""))


def common(settings: Iterable[Setting]) -> Setting:
    """Fields that all settings share, which are shown once."""
    settings = list(settings)
    shared = [pair for pair in settings[0].values if all(pair in one.values for one in settings)]
    return Setting(tuple(shared))


def varied(records: Iterable[Record], names: Sequence[str] = WHERE_VARIED) -> list[str]:
    """Fields with several values."""
    records = list(records)
    return [name for name in names if len({str(one.get(name, "")) for one in records}) > 1]


def measured(records: Sequence[Record], count: Sequence[str] | None = None) -> dict[Setting, Measured]:
    """Records by setting, in the order in which they came. `count`: settings that count besides those that always do;
    else those that vary."""
    names = [*ALWAYS, *(varied(records) if count is None else count)]
    found: dict[Setting, Measured] = {}
    times: dict[Setting, int] = {}
    for one in records:
        setting = Setting(tuple((name, one.get(name, "")) for name in names))
        entry = found.setdefault(setting, Measured(setting))
        times[setting] = times.get(setting, 0) + 1
        seconds = [float(each) for each in one["seconds"]]
        if not seconds or min(seconds) <= 0:
            continue
        which = str(one.get("point", times[setting]))
        # A C program's trials are separate jobs; those of arrays are turns in one process.
        split = [[each] for each in seconds] if "size_means" in one else [seconds]
        entry.processes += split
        entry.which += [f"{which} {number}" for number in range(len(split))]
        entry.records.append(one)
    return {setting: entry for setting, entry in found.items() if entry.records}
