# SPDX-License-Identifier: Apache-2.0
"""The session that arrays belong to: start and end, worker PEs, and progress bars of long operations."""

from .session import (
    Session,
    barrier,
    current,
    get_config,
    in_job,
    init,
    memory_is_here,
    pe,
    pes,
    shutdown,
    stats,
    threads,
)

__all__ = [
    "Session", "barrier", "current", "get_config", "in_job", "init", "memory_is_here", "pe", "pes", "shutdown", "stats",
    "threads",
]  # fmt: skip
