# SPDX-License-Identifier: Apache-2.0
"""Fits a model of this machine, so that simulated collectives of one node match the times of `atoll bench`."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atoll.bench import BenchError, record
from atoll.sim.machine import Machine
from atoll.sim.point import Point
from atoll.sim.source import SimError

COLLECTIVES = ("barrier", "broadcast", "allreduce", "allgather", "alltoall")
#: Fitted parameters: key of the machine's file, its unit, start of the search (in ps, or fs per byte).
KEYS: dict[tuple[str, str], tuple[str, float]] = {
    ("memory", "overhead"): ("ps", 15_000.0),
    ("memory", "latency"): ("ps", 30_000.0),
    ("memory", "bandwidth"): ("fs/B", 25_000.0),
    ("host", "copy"): ("fs/B", 50_000.0),
    ("host", "reduce"): ("fs/B", 25_000.0),
    ("host", "miss"): ("ps", 5_000.0),
}
#: Fitted afterwards, to times of jobs with more PEs than cores.
SWITCH_PS = 500_000.0  # fmt: skip
#: Repetitions of a simulated collective: enough that one-way operations, whose root runs ahead, reach a steady state.
REPEATS = 100


@dataclass(frozen=True)
class Measured:
    """One measured collective."""

    collective: str
    bytes: int
    pes: int
    seconds: float
    cores: int = 0  # of the node


def read(path: Path) -> list[Measured]:
    """Atoll's collectives on one node in the records of `atoll bench run collectives --json FILE`."""
    try:
        records = record.read([path])
    except BenchError as error:
        raise SimError(str(error)) from None
    found = [
        Measured(one["name"].partition(".")[2], one["size"], one["pes"], statistics.median(one["seconds"]),
                 one.get("cores", 0))
        for one in records
        if one["contender"] == "atoll" and one["name"].partition(".")[0] == "collectives"
        and one["name"].partition(".")[2] in COLLECTIVES
    ]  # fmt: skip
    if not found:
        raise SimError(
            f"{path} has no collectives of Atoll. Measure them: atoll bench run collectives --pes 2 --json FILE"
        )
    return found


def machine_of(values: Sequence[float], cores: int = 0) -> Machine:
    overhead, latency, bandwidth, copy, reduce, miss, *switch = (max(1, round(value)) for value in values)
    return Machine("this", "this machine, fitted", {
        "memory_overhead_ps": overhead, "memory_latency_ps": latency, "memory_fs_per_byte": bandwidth,
        "copy_fs_per_byte": copy, "reduce_fs_per_byte": reduce, "send_overhead_ps": overhead,
        "recv_overhead_ps": overhead, "miss_ps": miss, "latency_ps": 1_000_000,
        **({"cores": cores, "switch_ps": switch[0]} if switch else {}),
    })  # fmt: skip


def predict(machine: Machine, one: Measured) -> float:
    """Simulated seconds of one collective in a back-to-back sequence, as in the measurement."""
    point = Point(machine, one.collective, 1, bytes=one.bytes, element_bytes=8 if one.bytes % 8 == 0 else 1,
                  pes_per_node=one.pes, pace="back to back", repeats=REPEATS)  # fmt: skip
    return float(point.record(point.run())["time_s"])


def error(machine: Machine, measured: Sequence[Measured]) -> float:
    """Mean absolute logarithm of the ratios, so that half and double count the same."""
    return statistics.fmean(abs(math.log(predict(machine, one) / one.seconds)) for one in measured)


def fit(measured: Sequence[Measured]) -> Machine:
    """The machine whose predictions for two PEs have the least error.

    The time that a core needs to switch PEs is fitted to the jobs with the fewest PEs above the number of cores: with
    more PEs they sleep, which the model lacks.
    """
    pairs = [one for one in measured if one.pes == 2] or list(measured)
    values = [start for _, start in KEYS.values()]
    values = search(values, range(len(values)), 0, pairs)
    cores = max(one.cores for one in measured)
    crowded = [one for one in measured if one.pes > cores > 0]
    crowded = [one for one in crowded if one.pes == min(each.pes for each in crowded)]
    if not crowded:
        return machine_of(values)
    return machine_of(search([*values, SWITCH_PS], [len(values)], cores, crowded), cores)


def search(values: list[float], which: Sequence[int], cores: int, measured: Sequence[Measured]) -> list[float]:
    """Pattern search: raises or lowers each parameter of `which`, or one up and another down, by decreasing steps."""
    best = error(machine_of(values, cores), measured)
    alone = [{i: power} for i in which for power in (1, -1)]
    in_pairs = [{i: 1, j: -1} for i in which for j in which if i != j]
    step = 2.0
    while step > 1.02:
        improved = False
        for moves in (alone, in_pairs):
            for move in moves:
                tried = [value * step ** move.get(i, 0) for i, value in enumerate(values)]
                if (found := error(machine_of(tried, cores), measured)) < best:
                    values, best, improved = tried, found, True
            if improved:
                break
        if not improved:
            step = math.sqrt(step)
    return values


def text_of(machine: Machine, source: Path) -> str:
    """The machine as a file."""
    values = machine.values
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f'about = "this machine: fitted to what two PEs of one node take in {source.name}"',
        f'host.overhead = "{values["memory_overhead_ps"] / 1000:.3f} ns"',
        f'host.copy = "{10**6 / values["copy_fs_per_byte"]:.3f} GB/s"',
        f'host.reduce = "{10**6 / values["reduce_fs_per_byte"]:.3f} GB/s"',
        f'host.miss = "{values["miss_ps"] / 1000:.3f} ns"',
        'network.latency = "1 us"  # not measured: one node',
        f'memory.overhead = "{values["memory_overhead_ps"] / 1000:.3f} ns"',
        f'memory.latency = "{values["memory_latency_ps"] / 1000:.3f} ns"',
        f'memory.bandwidth = "{10**6 / values["memory_fs_per_byte"]:.3f} GB/s"',
    ]
    if "switch_ps" in values:
        lines[3:3] = [f"host.cores = {values['cores']}", f'host.switch = "{values["switch_ps"] / 1000:.1f} ns"']
    return "\n".join(lines) + "\n"


def errors(machine: Machine, measured: Sequence[Measured]) -> list[tuple[Measured, float, float]]:
    """Measurement, prediction, and relative error of the prediction (0.1: a tenth too long)."""
    rows: list[tuple[Measured, float, float]] = []
    for one in measured:
        predicted = predict(machine, one)
        rows.append((one, predicted, predicted / one.seconds - 1))
    return rows


def table(rows: Sequence[tuple[Measured, float, float]]) -> Any:
    from rich import box
    from rich.table import Table

    within = sum(abs(off) <= 0.2 for _, _, off in rows)
    shown = Table(title=f"Measured and predicted: {within} of {len(rows)} within 20 %", box=box.SIMPLE_HEAD)
    for head in ("collective", "bytes", "PEs", "measured", "predicted", "off"):
        shown.add_column(head, justify="left" if head == "collective" else "right")
    for one, predicted, off in rows:
        cells = (
            f"{one.bytes:,}",
            str(one.pes),
            f"{one.seconds * 1e6:.3f} us",
            f"{predicted * 1e6:.3f} us",
            f"{off:+.0%}",
        )
        shown.add_row(one.collective, *cells)
    return shown
