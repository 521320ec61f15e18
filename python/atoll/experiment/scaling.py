# SPDX-License-Identifier: Apache-2.0
"""Parallel efficiency, for a problem of fixed size (strong scaling) or fixed size per PE (weak scaling)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from atoll.experiment.intervals import Interval, ratio_of
from atoll.experiment.series import Measured


@dataclass(frozen=True)
class Step:
    """One number of cores of a curve."""

    cores: int
    measured: Measured
    #: Speed relative to the fewest cores; for weak scaling, relative work in the same time.
    speedup: Interval
    #: Speedup over the ideal one: 1 is perfect.
    efficiency: Interval


def steps(curve: Sequence[Measured], scaling: str) -> list[Step]:
    """A curve's points by their cores, against the one of fewest. Strong: E = T1 c1 / (T c). Weak: E = T1 / T."""
    ordered = sorted(curve, key=lambda one: one.cores)
    base = ordered[0]
    found = []
    for one in ordered:
        more = one.cores / base.cores
        ratio = ratio_of(base.processes, one.processes) if one is not base else Interval(1.0, 1.0, 1.0)
        faster = Interval(1 / ratio.value, 1 / ratio.high, 1 / ratio.low)
        ideal = more if scaling == "strong" else 1.0
        efficiency = Interval(faster.value / ideal, faster.low / ideal, faster.high / ideal)
        speedup = Interval(efficiency.value * more, efficiency.low * more, efficiency.high * more)
        found.append(Step(one.cores, one, speedup, efficiency))
    return found
