# SPDX-License-Identifier: Apache-2.0
"""How often to write checkpoints: as given, or by what one costs and how often a failure is to be expected."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

#: Seconds between failures where the user does not say: one in a day.
USUAL_FAILURE_GAP = 86400.0
#: Bytes per second that a checkpoint is assumed to be written with, until one has been.
_ASSUMED_RATE = 500e6


def best_interval(cost: float, failure_gap: float) -> float:
    """Seconds of work between checkpoints for which the lost time is least: J. T. Daly's estimate of 2006.

    `cost` is the time that a checkpoint takes, `failure_gap` the mean time between failures, both in seconds.
    """
    if cost >= 2 * failure_gap:
        return failure_gap
    part = cost / (2 * failure_gap)
    return math.sqrt(2 * cost * failure_gap) * (1 + math.sqrt(part) / 3 + part / 9) - cost


class Schedule:
    """When the next checkpoint is due.

    Parameters
    ----------
    every : float, optional
        Seconds between checkpoints; None: chosen by `best_interval`.
    failure_gap : float
        Assumed mean seconds between failures.
    clock : callable
        The time in seconds, for tests.
    """

    def __init__(
        self, every: float | None = None, failure_gap: float = USUAL_FAILURE_GAP,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.every, self.failure_gap, self._clock = every, failure_gap, clock
        self.cost: float | None = None  # seconds, of the last checkpoint
        self._begun = self._ended = clock()

    def interval(self, size: int) -> float:
        """Seconds between the end of a checkpoint of `size` bytes and the begin of the next."""
        if self.every is not None:
            return self.every
        return best_interval(size / _ASSUMED_RATE if self.cost is None else self.cost, self.failure_gap)

    def is_due(self, size: int) -> bool:
        """Whether to write one of `size` bytes now."""
        return self._clock() - self._ended >= self.interval(size)

    def begin(self) -> None:
        """A checkpoint begins."""
        self._begun = self._clock()

    def end(self) -> None:
        """It is complete."""
        self._ended = self._clock()
        self.cost = self._ended - self._begun
