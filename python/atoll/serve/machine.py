# SPDX-License-Identifier: Apache-2.0
"""Processor time and memory of PEs and their host, as the kernel tells them in /proc."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def children_of(pid: int) -> list[int]:
    """The child processes of a process, in order of their start."""
    found: set[int] = set()
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found.update(map(int, (task / "children").read_text().split()))
    return sorted(found)


def workers_of(pid: int, count: int) -> list[int]:
    """The workers of a driver session: children that run PEs. Fewer than `count` where some are on other hosts.

    Read from /proc: dashboards ask on threads that must not touch the engine.
    """
    found = []
    for child in children_of(pid):
        with suppress(OSError):
            if b"worker_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found[:count]


def process(pid: int) -> dict[str, Any]:
    """Processor seconds, resident bytes and threads of a process; empty where it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return {}
    return {
        "pid": pid, "cpu_seconds": (int(fields[11]) + int(fields[12])) / _TICKS, "threads": int(fields[17]),
        "resident": int(fields[21]) * _PAGE, "state": fields[0],
    }  # fmt: skip


def host() -> dict[str, Any]:
    """Name, cores, load and memory of this host."""
    memory: dict[str, int] = {}
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in ("MemTotal", "MemAvailable"):
                memory[name] = int(rest.split()[0]) * 1024
    return {
        "host": socket.gethostname(), "cores": len(os.sched_getaffinity(0)), "load": os.getloadavg()[0],
        "memory_total": memory.get("MemTotal", 0), "memory_available": memory.get("MemAvailable", 0),
    }  # fmt: skip
