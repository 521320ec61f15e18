# SPDX-License-Identifier: Apache-2.0
"""The session that arrays live in: how it starts and ends, its workers, and the bars of its long operations."""

from .session import (
    Session,
    barrier,
    current,
    get_config,
    in_job,
    init,
    pe,
    pes,
    shutdown,
    stats,
    threads,
)

__all__ = ["Session", "barrier", "current", "get_config", "in_job", "init", "pe", "pes", "shutdown", "stats", "threads"]
