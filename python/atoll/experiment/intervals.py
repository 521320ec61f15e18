# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals of medians and of their ratios by bootstrap, with correct coverage for few samples.

The bootstrap resamples processes, and in each process its trials. Percentiles of a
plain bootstrap are too narrow for few samples; they are widened as Hesterberg proposes (What Teachers Should Know about
the Bootstrap, 2015: the expanded percentile interval), so that with five samples or fewer they are the range of the
samples. A test measures the coverage of the intervals.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np

#: Fewer samples than this on a side cannot tell a change from noise: the range of 4 misses the median 1 time in 8.
LEAST_SAMPLES = 5
RESAMPLES = 4000

#: One list for each process, of the seconds of its trials.
Processes = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Interval:
    """An estimate with confidence bounds."""

    value: float
    low: float
    high: float

    @property
    def relative(self) -> float:
        """Half the width over the value."""
        return (self.high - self.low) / 2 / self.value if self.value > 0 else 0.0


def t_distribution(t: float, freedom: int) -> float:
    """Student's distribution function at t >= 0, by Simpson's rule."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    at = np.linspace(0.0, t, 2001)
    density = scale * (1 + at * at / freedom) ** (-(freedom + 1) / 2)
    weights = np.ones(2001)
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    return 0.5 + float((density * weights).sum()) * (t / 2000) / 3


@cache
def t_quantile(probability: float, freedom: int) -> float:
    """Where Student's distribution reaches a probability above 1/2.

    >>> round(t_quantile(0.975, 4), 3)
    2.776
    """
    low, high = 0.0, 1.0
    while t_distribution(high, freedom) < probability:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_distribution(middle, freedom) < probability else (low, middle)
    return high


def tail(confidence: float, samples: int) -> float:
    """The share of resamples beyond each bound: less than (1 - confidence) / 2, the fewer samples the less.

    >>> round(tail(0.95, 1000), 3)
    0.025
    >>> tail(0.95, 5) < 0.001
    True
    """
    if samples < 2:
        return 0.0
    wide = math.sqrt(samples / (samples - 1)) * t_quantile((1 + confidence) / 2, samples - 1)
    return NormalDist().cdf(-wide)


def resampled_medians(processes: Processes, rng: np.random.Generator) -> Any:
    """Medians of RESAMPLES draws: of as many processes as there are, and of as many trials of each."""
    longest = max(len(one) for one in processes)
    table = np.full((len(processes), longest), np.nan)
    for row, one in zip(table, processes, strict=True):
        row[: len(one)] = one
    lengths = np.array([len(one) for one in processes])
    chosen = rng.integers(0, len(processes), (RESAMPLES, len(processes), 1))
    trial = (rng.random((RESAMPLES, len(processes), longest)) * lengths[chosen]).astype(np.int64)
    drawn = table[chosen, trial]
    drawn[np.arange(longest) >= lengths[chosen]] = np.nan
    median = np.median if lengths.min() == longest else np.nanmedian
    return median(drawn.reshape(RESAMPLES, -1), axis=1)


def flat(processes: Processes) -> list[float]:
    return [one for each in processes for one in each]


def independent(processes: Processes) -> int:
    """Effective number of independent samples: all trials if processes do not differ, the number of processes if the
    trials of a process are equal (Kish's effective size, with the intraclass correlation of the ranks)."""
    count, trials = len(processes), flat(processes)
    if count == 1:
        return len(trials)
    length = len(trials) / count
    ranks = np.argsort(np.argsort(trials)).astype(float)
    groups = np.split(ranks, np.cumsum([len(one) for one in processes])[:-1])
    within = sum(float(((one - one.mean()) ** 2).sum()) for one in groups) / max(1, len(trials) - count)
    between = sum(len(one) * float((one.mean() - ranks.mean()) ** 2) for one in groups) / (count - 1)
    spread = between + (length - 1) * within
    alike = (between - within) / spread if spread > 0 and length > 1 else 1.0
    return max(count, round(len(trials) / (1 + (length - 1) * max(0.0, alike))))


def rng_for(*sides: Processes) -> np.random.Generator:
    """The same numbers for the same data, so that a report can be repeated to the last digit."""
    return np.random.default_rng(zlib.crc32(repr([flat(one) for one in sides]).encode()))


def median_of(processes: Processes, confidence: float = 0.95) -> Interval:
    """The median of all trials."""
    value = float(np.median(flat(processes)))
    draws = resampled_medians(processes, rng_for(processes))
    beyond = tail(confidence, independent(processes))
    low, high = np.quantile(draws, [beyond, 1 - beyond])
    return Interval(value, float(low), float(high))


def ratio_of(before: Processes, after: Processes, confidence: float = 0.95) -> Interval:
    """The median of `after` over that of `before`."""
    rng = rng_for(before, after)
    value = float(np.median(flat(after)) / np.median(flat(before)))
    draws = resampled_medians(after, rng) / resampled_medians(before, rng)
    beyond = tail(confidence, min(independent(before), independent(after)))
    low, high = np.quantile(draws, [beyond, 1 - beyond])
    return Interval(value, float(low), float(high))
