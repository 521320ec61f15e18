# SPDX-License-Identifier: Apache-2.0
"""One simulation: a collective on a machine."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from atoll import _core
from atoll.sim import units
from atoll.sim.machine import Machine
from atoll.toml import integer

EXECUTORS = ("host", "core", "interface")
PACES = ("together", "back to back")
MEMORY_BYTES = 4 << 30
STEP_BYTES = 24  # bytes per step while a schedule is built
LONGEST_SIMULATED_PS = 2**62  # 53 days
#: Share of each PE's heap of 64 MiB that `runtime` uses.
MOST_RUNTIME_BYTES = 8 << 20
MOST_RUNTIME_ITEMS = 1 << 20
PATTERNS = ("halo", "fft", "sort", "indexgather")
#: Bounds of the integer settings of a point.
RANGES = {
    "nodes": (1, units.MOST_PES), "pes_per_node": (1, units.MOST_PES), "bytes": (0, units.MOST_BYTES),
    "element_bytes": (1, units.MOST_BYTES), "root": (0, units.MOST_PES - 1), "repeats": (1, 10**6),
    "compute_ps": (0, units.LONGEST_PS), "items": (1, 10**9), "seed": (0, 2**64 - 1),
    "memory_bytes": (1, units.MOST_BYTES), "threads": (1, 4096),
}  # fmt: skip


@dataclass(frozen=True)
class Point:
    """The settings of one simulation. `labels` are those that identify it in a chart, as the file writes them."""

    machine: Machine
    collective: str
    nodes: int
    algorithm: str = "auto"
    bytes: int = 0
    element_bytes: int = 1
    root: int = 0
    pes_per_node: int = 1
    executor: str = "host"
    pace: str = "together"
    repeats: int = 1
    compute_ps: int = 0
    items: int = 1
    seed: int = 1
    memory_bytes: int = MEMORY_BYTES
    threads: int = 1
    labels: dict[str, Any] = field(default_factory=dict, hash=False)
    #: Makes an error with the position in the file.
    wrong: Callable[[Exception], Exception] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name, (least, most) in RANGES.items():
            try:
                integer(getattr(self, name), least, most)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None

    def settings(self) -> dict[str, int]:
        """The machine's settings; ValueError or MemoryError if this cannot be simulated."""
        settings = self.machine.settings(self.nodes)
        pes = self.nodes * self.pes_per_node
        if self.collective == "runtime":
            if self.bytes > MOST_RUNTIME_BYTES:
                raise ValueError(f"bytes of {self.bytes}: at most {MOST_RUNTIME_BYTES} with the whole runtime")
            if self.items > MOST_RUNTIME_ITEMS:
                raise ValueError(f"{self.items} items: at most {MOST_RUNTIME_ITEMS} with the whole runtime")
        if self.collective in PATTERNS and self.items > 1:
            steps = 4 * self.items * (pes if self.collective in ("fft", "sort") else 1)
            if steps * STEP_BYTES > self.memory_bytes:
                raise MemoryError(
                    f"{self.items} items make up to {steps} steps of a PE, which take {steps * STEP_BYTES} bytes; "
                    f"{self.memory_bytes} are allowed"
                )
        slowest = max((fs for name, fs in settings.items() if name.endswith("_fs_per_byte")), default=0)
        exchanges = self.items if self.collective == "sort" else 1
        moving = exchanges * self.bytes * (1 if self.collective in PATTERNS else pes) * slowest
        longest = max((ps for name, ps in settings.items() if name.endswith("_ps")), default=0)
        listed = settings.get("list_entries", 0)
        longest += listed * max(settings.get("match_ps", 0), settings.get("interface_match_ps", 0))
        once = self.compute_ps + exchanges * (pes + 64) * longest + moving // 1000
        if moving >= 2**63 or once * self.repeats > LONGEST_SIMULATED_PS:
            raise ValueError(
                f"{self.repeats} repeats on {pes} PEs with bytes of {self.bytes} may take longer than the 53 days that "
                "can be simulated. Write fewer repeats, fewer bytes or shorter times?"
            )
        return settings

    def check(self) -> None:
        """Raises ValueError or MemoryError for errors that are known before the run."""
        _core.sim_check(self.settings(), self.machine.trace, self.work(0))

    def work(self, trace_events: int) -> dict[str, Any]:
        return {
            "collective": self.collective, "algorithm": self.algorithm, "bytes": self.bytes,
            "element_bytes": self.element_bytes, "root": self.root, "nodes": self.nodes,
            "pes_per_node": self.pes_per_node, "executor": EXECUTORS.index(self.executor),
            "pace": PACES.index(self.pace), "repeats": self.repeats, "compute_ps": self.compute_ps, "seed": self.seed,
            "items": self.items, "most_memory_bytes": self.memory_bytes, "trace_events": trace_events,
            "threads": self.threads,
        }  # fmt: skip

    def run(self, trace_events: int = 0, progress: Callable[[int], None] | None = None) -> dict[str, Any]:
        """The result of _core; ValueError or MemoryError if it cannot be simulated."""
        settings = self.settings()
        if self.collective == "runtime":
            result = _core.sim_runtime(settings, self.machine.trace, self.work(0))
            if progress:
                progress(self.repeats)
            return result
        return _core.sim_run(settings, self.machine.trace, self.work(trace_events), progress)

    def energy(self, result: dict[str, Any]) -> dict[str, float]:
        """Joules of one operation by consumer: active and waiting processors, interfaces, messages."""
        power = self.machine.settings(self.nodes)
        elapsed, active = result["end_ps"] * 1e-12, result["host_active_ps"] * 1e-12
        parts = {
            "active": active * power.get("active_mw", 0) * 1e-3,
            "waiting": (elapsed * self.nodes * self.pes_per_node - active) * power.get("waiting_mw", 0) * 1e-3,
            "interface": elapsed * self.nodes * power.get("interface_mw", 0) * 1e-3,
            "message": result["messages"] * power.get("message_pj", 0) * 1e-12,
        }
        return {f"energy_{name}_j": joules / self.repeats for name, joules in parts.items()}

    def record(self, result: dict[str, Any]) -> dict[str, Any]:
        """A record: settings, and results in SI units."""
        times = [time * 1e-12 for time in result["times_ps"]]
        mean = statistics.fmean(times)
        pes = self.nodes * self.pes_per_node
        record = {
            "machine": self.machine.name, "collective": self.collective, "algorithm": result["algorithm"],
            "bytes": self.bytes, "nodes": self.nodes, "pes_per_node": self.pes_per_node, "executor": self.executor,
            "pace": self.pace, "repeats": self.repeats, "compute_s": self.compute_ps * 1e-12, "seed": self.seed,
            **self.labels,
            "time_s": mean, "time_min_s": min(times), "time_max_s": max(times),
            "simulated_s": result["end_ps"] * 1e-12, "messages": result["messages"],
            "message_bytes": result["message_bytes"], "host_active_s": result["host_active_ps"] * 1e-12,
            "energy_j": result["energy_joules"], "memory_bytes": result["memory_bytes"],
            "build_s": result["build_seconds"], "run_s": result["run_seconds"], "items": self.items, "pes": pes,
            "pe_messages": result["messages"] / pes / self.repeats,
            "gib_s": self.bytes * pes / mean / 2**30 if mean else 0.0,
            # A sort carries a number of 8 bytes with each key of 8.
            "key_gib_s": self.bytes / 2 * pes / mean / 2**30 if mean and self.collective == "sort" else 0.0,
        }  # fmt: skip
        record |= self.energy(result)
        if self.collective == "runtime":
            record |= {
                "start_s": result["start_ps"] * 1e-12, "start_pe_messages": result["start_messages"] / pes,
                "runtime_bytes": result["runtime_bytes"], "pe_resident_bytes": result["memory_bytes"] / pes,
            }  # fmt: skip
        return record
