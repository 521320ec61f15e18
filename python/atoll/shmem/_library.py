# SPDX-License-Identifier: Apache-2.0
"""The symmetric memory of this process: that of the running session, so that arrays and shmem share one runtime."""

from __future__ import annotations

import atexit
import os
import sys
from types import TracebackType

from atoll import _core
from atoll.session import current, in_job

_symmetric: _core.Symmetric | None = None
_session_of_it: _core.Session | None = None


def symmetric() -> _core.Symmetric:
    """The symmetric memory of the running session; starts a session, or joins the job, when there is none. Collective
    the first time."""
    global _symmetric, _session_of_it
    session = current()
    if _symmetric is None or _session_of_it is not session:
        _symmetric, _session_of_it = _core.join_symmetric(session), session
        if in_job() and sys.excepthook is not _end_job:
            global _excepthook
            _excepthook, sys.excepthook = sys.excepthook, _end_job
    return _symmetric


_excepthook = sys.excepthook


def _end_job(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    # The other PEs may wait for this one for ever: exiting at once makes the launcher end the job.
    _excepthook(kind, error, traceback)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


def _close() -> None:
    global _symmetric
    if _symmetric is not None and _session_of_it is not None and not _session_of_it.closed:
        _symmetric.close()
    _symmetric = None


atexit.register(_close)  # before the session's own end, which was registered earlier


def my_pe() -> int:
    """Number of this PE.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.my_pe()
    0
    """
    return symmetric().pe


def n_pes() -> int:
    """Number of PEs.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.n_pes()
    1
    """
    return symmetric().npes


def global_exit(status: int) -> None:
    """End every PE of the job at once, with this exit status (1 to 255).

    With status 0 this PE alone leaves.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
