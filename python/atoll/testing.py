# SPDX-License-Identifier: Apache-2.0
"""Drills: failures on demand, to see what a program does when they happen."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable

from . import _core
from .session import current
from .session.session import has_replaced_another

__all__ = ["fail"]


def fail(pe: int, after: float = 0.0) -> None:
    """Kill a worker, or a PE of an SPMD session, as the kernel would: without a warning, at once.

    In an SPMD session all PEs call it. A process that has taken the place of a dead PE is not killed, so that a step of
    a loop which is repeated does not fail again.

    Parameters
    ----------
    pe : int
        Rank of the worker, from 1: PE 0 is this process. In an SPMD session the rank of any PE.
    after : float, optional
        Seconds until then. The call returns at once, so that the death meets the operations that follow.

    Raises
    ------
    ValueError
        If the session has no such worker or PE.

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
    if after < 0:
        raise ValueError(f"after must not be negative, not {after}")
    if core.kind == "spmd":
        if not 0 <= pe < core.pes:
            raise ValueError(f"this session has no PE {pe}. Give a number from 0 to {core.pes - 1}?")
        if pe == core.pe and not has_replaced_another():
            _later(after, os.kill, os.getpid(), signal.SIGKILL)
        return
    pids = core.pids() if core.kind == "driver" else []
    if not 1 <= pe <= len(pids):
        raise ValueError(
            f"this session has no worker PE {pe} ({len(pids)} workers, and PE 0 is this process). "
            "Start workers with ak.init(pes=…, resilience='process')?"
        )
    _later(after, _kill, core, pe)


def _later(seconds: float, function: Callable[..., object], *args: object) -> None:
    """Calls a function after some time, in a thread, or at once."""
    if not seconds:
        function(*args)
        return
    timer = threading.Timer(seconds, function, args)
    timer.daemon = True
    timer.start()


def _kill(core: _core.Session, pe: int) -> None:
    if core.closed:
        return
    pid = core.pids()[pe - 1]
    if pid > 0:
        with contextlib.suppress(ProcessLookupError):  # it has just died by itself
            os.kill(pid, signal.SIGKILL)
