# SPDX-License-Identifier: Apache-2.0
"""The session that arrays belong to: start and end, worker PEs, and progress bars of long operations.

`ak.session()` gives the running session. In a notebook its value is a card: PEs, hosts, memory, the dashboard.
"""

import sys
from types import ModuleType

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


class _Package(ModuleType):
    """This package, which can be called: `ak.session` is it, too."""

    def __call__(self) -> Session:
        """The running session; starts one where there is none, as `ak.init()` does."""
        return init()


sys.modules[__name__].__class__ = _Package
