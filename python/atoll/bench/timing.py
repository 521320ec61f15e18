# SPDX-License-Identifier: Apache-2.0
"""Alternating timing: A B A B …, so that a drift of the machine affects all contenders equally."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from atoll.bench.energy import Meter
from atoll.bench.registry import Timed

#: A trial lasts at least this long: short runs are repeated within it, as the clock and the call cost ~100 ns.
MIN_TRIAL_S = 0.002
MAX_REPEATS = 10_000


@dataclass(frozen=True)
class Spread:
    """Median and range of trials, in seconds."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        return cls(statistics.median(seconds), min(seconds), max(seconds))

    @property
    def relative(self) -> float:
        """Half the range over the median."""
        return (self.high - self.low) / 2 / self.median if self.median > 0 else 0.0


def once(timed: Timed, repeats: int) -> float:
    """Seconds of one run, averaged over `repeats` runs, or what `timed` itself tells of one run.

    Each answer is dropped before the next run, outside the time of a single run.
    """
    if timed.seconds is not None:
        return timed.seconds()
    run = timed.run
    if timed.reset is not None:
        total = 0.0
        for _ in range(repeats):
            timed.reset()
            start = time.perf_counter()
            answer = run()
            total += time.perf_counter() - start
            del answer
        return total / repeats
    if repeats == 1:
        start = time.perf_counter()
        answer = run()
        seconds = time.perf_counter() - start
        del answer
        return seconds
    turns = range(repeats)
    start = time.perf_counter()
    for _ in turns:
        run()
    return (time.perf_counter() - start) / repeats


def repeats_for(seconds: float) -> int:
    return 1 if seconds >= MIN_TRIAL_S else min(MAX_REPEATS, int(MIN_TRIAL_S / max(seconds, 1e-7)) + 1)


def repeats_of(contenders: dict[str, Timed]) -> dict[str, int]:
    """Number of runs of a trial for each contender. Each has run once before, so that memory and code are warm."""
    return {name: timed.agree(repeats_for(once(timed, 1))) for name, timed in contenders.items()}


def one_turn(
    contenders: dict[str, Timed],
    repeats: dict[str, int],
    tick: Callable[[str], None] = lambda name: None,
    meter: Meter | None = None,
    joules: dict[str, list[float]] | None = None,
) -> dict[str, float]:
    """One timing of each contender, in order; with a meter, `joules` gets those of a run."""
    seconds = {}
    for name, timed in contenders.items():
        before = meter.read() if meter else []
        seconds[name] = once(timed, repeats[name])
        if meter and joules is not None:
            joules.setdefault(name, []).append(meter.joules_since(before) / repeats[name])
        tick(name)
    return seconds


def in_turns(
    contenders: dict[str, Timed],
    trials: int,
    tick: Callable[[str], None] = lambda name: None,
    meter: Meter | None = None,
    joules: dict[str, list[float]] | None = None,
) -> dict[str, list[float]]:
    """`trials` timings of each contender, in turns."""
    repeats = repeats_of(contenders)
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(trials):
            for name, one in one_turn(contenders, repeats, tick, meter, joules).items():
                seconds[name].append(one)
    finally:
        if collecting:
            gc.enable()
    return seconds
