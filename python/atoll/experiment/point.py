# SPDX-License-Identifier: Apache-2.0
"""A point of an experiment: one benchmark with one value of every setting."""

from __future__ import annotations

from dataclasses import dataclass, fields

#: Settings that are options of `atoll bench run`, in the order of a point's command line.
OPTIONS = {
    "size": "--size", "dtype": "--dtype", "dist": "--dist", "pes": "--pes", "threads": "--threads",
    "hosts": "--hosts", "fabric": "--fabric", "trials": "--trials", "seed": "--seed",
}  # fmt: skip


@dataclass(frozen=True)
class Point:
    """The settings of a point; None leaves a setting to the benchmark."""

    benchmark: str
    size: int | None = None
    dtype: str | None = None
    dist: str | None = None
    pes: int | None = None
    threads: int | None = None
    simd: str | None = None
    hosts: str | None = None
    fabric: str | None = None
    against: tuple[str, ...] = ()
    trials: int | None = None
    seed: int | None = None
    memory: bool = False
    commit: str | None = None
    #: The round of the experiment.
    round: int = 1

    @property
    def key(self) -> str:
        """The identifier of the point in a results file: all its settings."""
        words = [self.benchmark]
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            if value not in (None, (), False):
                words.append(f"{field.name}={','.join(value) if isinstance(value, tuple) else value}")
        return " ".join(words)

    def words(self, without: tuple[str, ...] = ()) -> list[str]:
        """The arguments of `atoll bench run`."""
        found = [self.benchmark]
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            if value is not None and name not in without:
                found += [option, str(value)]
        if self.against:
            found += ["--against", ",".join(self.against)]
        return found + (["--memory"] if self.memory else [])

    def describe(self) -> str:
        """A description: `sort of 4,000,000 int64, 2 PEs x 1 thread, avx2`."""
        kind = " ".join(filter(None, (self.dtype, self.dist)))
        size = f" {self.size:,}" if self.size is not None else ""
        first = f"{self.benchmark}{size}{' ' + kind if kind else ''}"
        shape = " x ".join(
            f"{count} {what}{'' if count == 1 else 's'}"
            for count, what in ((self.pes, "PE"), (self.threads, "thread"))
            if count is not None
        )
        where = [self.simd, f"on {self.hosts}" if self.hosts else self.fabric]
        last = [
            f"commit {self.commit[:10]}" if self.commit else None,
            f"round {self.round}" if self.round > 1 else None,
        ]
        return ", ".join(filter(None, (first, shape, *where, *last)))
