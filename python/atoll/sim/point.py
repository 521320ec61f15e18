# SPDX-License-Identifier: Apache-2.0
"""One simulation: a collective on a machine."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from atoll import _core
from atoll.sim.machine import Machine

EXECUTORS = ("host", "core", "interface")
PACES = ("together", "back to back")
MEMORY_BYTES = 4 << 30


@dataclass(frozen=True)
class Point:
    """What is simulated. `labels` are the settings by which a chart knows it, as the file writes them."""

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
        """The result as _core gives it; ValueError and MemoryError say what cannot be."""
        settings = self.machine.settings(self.nodes)
        if self.collective == "runtime":
            result = _core.sim_runtime(settings, self.machine.trace, self.work(0))
            if progress:
                progress(self.repeats)
            return result
        return _core.sim_run(settings, self.machine.trace, self.work(trace_events), progress)

    def energy(self, result: dict[str, Any]) -> dict[str, float]:
        """Joules of one operation by what takes them: processors at work and waiting, interfaces, messages."""
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
        """A line of the results: settings, and figures in SI units."""
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
