# SPDX-License-Identifier: Apache-2.0
"""Two sets of measurements, of two commits, machines or files: which points changed beyond the noise."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from atoll.experiment import ExperimentError
from atoll.experiment.intervals import LEAST_SAMPLES, Interval, ratio_of
from atoll.experiment.results import gather
from atoll.experiment.series import Measured, Record, Setting, measured, varied

SLOWER, FASTER, SAME, UNCLEAR, TOO_FEW = "slower", "faster", "same", "unclear", "too few"
#: Fields of a record that may differ between two sides besides their code.
ABOUT = ("host", "processor", "cores", "memory_bytes", "simd", "kernel", "compiler", "python", "commit")


@dataclass(frozen=True)
class Side:
    """One side of a comparison."""

    label: str
    records: list[Record]


@dataclass(frozen=True)
class Change:
    """One point on both sides."""

    setting: Setting
    before: Measured
    after: Measured
    #: Time after over time before; of relative times on request.
    ratio: Interval
    verdict: str

    @property
    def other_answer(self) -> bool:
        seeds = {one.get("seed") for each in (self.before, self.after) for one in each.records}
        checksums = {one["checksum"] for each in (self.before, self.after) for one in each.records}
        return len(seeds) == 1 and len(checksums) > 1


@dataclass
class Comparison:
    """The result of a comparison."""

    a: Side
    b: Side
    confidence: float
    least: float
    changes: list[Change] = field(default_factory=list)
    #: The changes of the other contenders, whose code is the same on both sides.
    peers: list[Change] = field(default_factory=list)
    only_a: list[Setting] = field(default_factory=list)
    only_b: list[Setting] = field(default_factory=list)

    def with_verdict(self, verdict: str) -> list[Change]:
        return [one for one in self.changes if one.verdict == verdict]

    @property
    def single_process(self) -> bool:
        """Whether noise from process to process is unknown."""
        return any(min(len(one.before.processes), len(one.after.processes)) < 3 for one in self.changes)


def git_name(name: str) -> str:
    """The commit of a name in this repository; the name itself if it is not a commit."""
    command = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return name
    return found.stdout.strip() if found.returncode == 0 else name


def side(name: str, files: Sequence[Path]) -> Side:
    """The records that an argument of the command line names: of a file, a host or a commit."""
    if Path(name).is_file():
        return Side(name, gather([Path(name)])[0].records)
    if not files:
        raise ExperimentError(f"there is no file {name}, and no file of results in which to look for it: name one")
    records = [one for each in gather(files) for one in each.records]
    chosen = [one for one in records if one.get("host") == name]
    if not chosen:
        commit = git_name(name)
        chosen = [one for one in records if of_commit(one, commit)]
    if not chosen:
        commits = sorted({str(one.get("commit")) for one in records})
        hosts = sorted({str(one.get("host")) for one in records})
        raise ExperimentError(
            f"'{name}' is no file, and nothing was measured on such a host or commit. "
            f"There are hosts {', '.join(hosts)}; commits {', '.join(commits)}"
        )
    return Side(name, chosen)


def of_commit(record: Record, commit: str) -> bool:
    """Whether a record is of a commit: 12 digits and perhaps `-dirty` in records, 40 digits in git, fewer of users."""
    own = str(record.get("commit", ""))
    return own == commit or (min(len(own), len(commit)) >= 4 and (own.startswith(commit) or commit.startswith(own)))


def relative_to(contender: str, by_setting: dict[Setting, Measured]) -> dict[Setting, Measured]:
    """Each trial's seconds divided by those of another contender in the same turn."""
    found = {}
    for setting, entry in by_setting.items():
        other = by_setting.get(setting.replaced("contender", contender))
        if other is None or setting.get("contender") == contender:
            continue
        partner = dict(zip(other.which, other.processes, strict=True))
        kept = [(p, w) for p, w in zip(entry.processes, entry.which, strict=True) if w in partner]
        if kept:
            pairs = [[x / y for x, y in zip(p, partner[w], strict=False)] for p, w in kept]
            found[setting] = Measured(setting, pairs, [w for _, w in kept], entry.records)
    return found


def verdict(before: Measured, after: Measured, ratio: Interval, least: float) -> str:
    """The verdict on a change, which must be larger than `least` with an interval that excludes 1."""
    if min(before.samples, after.samples) < LEAST_SAMPLES:
        return TOO_FEW
    if ratio.low > 1 and ratio.value >= 1 + least:
        return SLOWER
    if ratio.high < 1 and ratio.value <= 1 / (1 + least):
        return FASTER
    if ratio.low >= 1 / (1 + least) and ratio.high <= 1 + least:
        return SAME
    return UNCLEAR


def compare(
    a: Side,
    b: Side,
    contender: str = "atoll",
    relative: str | None = None,
    confidence: float = 0.95,
    least: float = 0.03,
) -> Comparison:
    """All points that both sides have."""
    counted = [name for name in ("simd", "fabric") if name in {*varied(a.records), *varied(b.records)}]
    before, after = measured(a.records, counted), measured(b.records, counted)
    if relative is not None:
        before, after = relative_to(relative, before), relative_to(relative, after)
        if not before or not after:
            raise ExperimentError(f"'{relative}' was not measured beside '{contender}' on both sides")
    result = Comparison(a, b, confidence, least)
    for setting, old in before.items():
        own = setting.get("contender") == contender
        new = after.get(setting)
        if new is None:
            if own:
                result.only_a.append(setting)
            continue
        ratio = ratio_of(old.processes, new.processes, confidence)
        change = Change(setting, old, new, ratio, verdict(old, new, ratio, least))
        (result.changes if own else result.peers).append(change)
    result.only_b = [one for one in after if one not in before and one.get("contender") == contender]
    if not result.changes:
        names = sorted({str(one.get("contender")) for one in {*before, *after}})
        raise ExperimentError(
            f"{a.label} and {b.label} have no point of '{contender}' in common. Contenders: {', '.join(names)}"
        )
    return result


def differences(a: Side, b: Side) -> list[tuple[str, str, str]]:
    """Differences of the two sides' machines and libraries: (property, before, after)."""
    found = []
    for key in ABOUT:
        before, after = said(a.records, key), said(b.records, key)
        if before != after:
            found.append((key, before, after))
    versions = [{k: v for one in each.records for k, v in one.get("versions", {}).items()} for each in (a, b)]
    for name in sorted({*versions[0], *versions[1]}):
        before, after = (each.get(name, "none") for each in versions)
        if before != after:
            found.append((name, before, after))
    return found


def said(records: Sequence[Record], key: str) -> str:
    values: dict[str, Any] = dict.fromkeys(str(one.get(key, "unknown")) for one in records)
    return ", ".join(values)
