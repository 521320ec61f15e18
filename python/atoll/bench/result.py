# SPDX-License-Identifier: Apache-2.0
"""Results of a case: times, checksums, memory and traffic."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import Any

from atoll.bench import record
from atoll.bench.registry import Case, Request, Setup

GIB = 2**30


@dataclass
class Result:
    """The results of one case."""

    case: Case
    request: Request
    setup: Setup
    bytes: int
    seconds: dict[str, list[float]]
    checksums: dict[str, str]
    skipped: dict[str, str] = field(default_factory=dict)
    memory_ratio: float | None = None
    #: Bytes sent between PEs in one run of Atoll, over the bytes of the input; None with one PE.
    moved_ratio: float | None = None
    #: Seconds of one run of Atoll by phase, on PE 0, for operations that report phases.
    phases: dict[str, float] = field(default_factory=dict)
    #: Joules of each contender, of one run in each trial; empty: not measured.
    joules: dict[str, list[float]] = field(default_factory=dict)
    #: The requested SIMD level.
    simd: str | None = None

    def records(self) -> list[dict[str, Any]]:
        own: dict[str, Any] = {"memory_ratio": self.memory_ratio, "moved_ratio": self.moved_ratio}
        own = {key: value for key, value in own.items() if value is not None}
        own |= {"phases": self.phases} if self.phases else {}
        level = {} if self.simd is None else {"simd": self.simd}
        return [
            record.stamp(
                name=self.case.name,
                contender=name,
                size=self.request.size,
                dtype=self.request.dtype,
                dist=self.request.dist,
                seed=self.request.seed,
                pes=self.setup.pes,
                threads=self.setup.threads,
                seconds=seconds,
                bytes=self.bytes,
                gib_s=self.bytes / median(seconds) / GIB if self.bytes else 0.0,
                checksum=self.checksums[name],
                **(own if name == "atoll" else {}),
                **({"joules": self.joules[name]} if name in self.joules else {}),
            )
            | level
            for name, seconds in self.seconds.items()
        ]
