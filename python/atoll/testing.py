# SPDX-License-Identifier: Apache-2.0
"""Drills: failures on demand, to see what a program does when they happen."""

from __future__ import annotations

import contextlib
import os
import signal
import threading

from . import _core
from .session import current

__all__ = ["fail"]


def fail(pe: int, after: float = 0.0) -> None:
    """Kill a worker of this session, as the kernel would: without a warning, at once.

    Parameters
    ----------
    pe : int
        Rank of the worker, from 1: PE 0 is this process.
    after : float, optional
        Seconds until then. The call returns at once, so that the death meets the operations that follow.

    Raises
    ------
    ValueError
        If the session has no such worker.

    Examples
    --------
    >>> import atoll as ak
    >>> with ak.init(pes=3, threads=1, resilience="process"):  # doctest: +SKIP
    ...     a = ak.arange(1_000_000)
    ...     ak.testing.fail(2)
    ...     print(a.sum())  # with a warning
    499999500000
    """
    core = current()
    pids = core.pids() if core.kind == "driver" else []
    if not 1 <= pe <= len(pids):
        raise ValueError(
            f"this session has no worker PE {pe} ({len(pids)} workers, and PE 0 is this process). "
            "Start workers with ak.init(pes=…, resilience='process')?"
        )
    if after < 0:
        raise ValueError(f"after must not be negative, not {after}")
    if after:
        timer = threading.Timer(after, _kill, (core, pe))
        timer.daemon = True
        timer.start()
    else:
        _kill(core, pe)


def _kill(core: _core.Session, pe: int) -> None:
    if core.closed:
        return
    pid = core.pids()[pe - 1]
    if pid > 0:
        with contextlib.suppress(ProcessLookupError):  # it has just died by itself
            os.kill(pid, signal.SIGKILL)
