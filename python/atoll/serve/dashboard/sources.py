# SPDX-License-Identifier: Apache-2.0
"""Where a dashboard's data are from: a server, by control requests, or the session of this process."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from typing import Any, Protocol

from ... import _core
from ..activity import LogLines
from ..client.channel import Target
from ..machine import children_of, host, process, workers_of
from ..sampler import STACKS, Sampler
from .local import Recorder

_WATCH_SECONDS = 10.0  # for which stacks are sampled after a viewer has asked

#: A snapshot: what `Listener._monitor` replies.
Snapshot = dict[str, Any]


class Source(Protocol):
    """Source of a dashboard's data. Methods may be called from any thread, one at a time."""

    def snapshot(self, operations: int, lines: int) -> Snapshot:
        """The present state, with operations and log lines behind these numbers. ConnectionError: it has ended."""
        ...

    def profile(self) -> dict[str, Any]:
        """Sampled stacks: what `Sampler.profile` gives. ConnectionError: the engine has ended."""
        ...

    def cancel(self, session: str, request: int) -> bool:
        """Interrupts the request of a session that `snapshot` lists with this number, unless it has ended; whether
        there is such a session."""
        ...


class ServerSource:
    """A server of `atoll serve`. The target has the role `code`."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def snapshot(self, operations: int, lines: int) -> Snapshot:
        return self._target.control({"purpose": "monitor", "operations": operations, "lines": lines})

    def profile(self) -> dict[str, Any]:
        return self._target.control({"purpose": "profile"})

    def cancel(self, session: str, request: int) -> bool:
        return bool(self._target.control({"purpose": "cancel", "of": session, "number": request})["found"])


class LocalSource:
    """The embedded, driver or SPMD session of this process; of an SPMD job, the PEs of this host."""

    def __init__(self, core: _core.Session) -> None:
        self._core, self._began = core, time.monotonic()
        self.recorder = Recorder(core)
        self._sampler = Sampler(
            threading.main_thread().ident or 0, self.recorder.activity.running_name, lambda: not core.closed
        )
        self._lines = LogLines()
        logging.getLogger("atoll").addHandler(self._lines)

    def close(self) -> None:
        """Stops recording."""
        self.recorder.close()
        self._sampler.close()
        logging.getLogger("atoll").removeHandler(self._lines)

    def snapshot(self, operations: int, lines: int) -> Snapshot:
        if self._core.closed:
            raise ConnectionError("the session has ended")
        self._sampler.want(_WATCH_SECONDS)
        activity = self.recorder.activity
        state, objects = activity.state(), self.recorder.objects()
        user = os.environ.get("USER", str(os.getuid()))
        return {
            "name": "this session", "pid": os.getpid(), "version": _core.VERSION, "kind": self._core.kind,
            "pes": self._core.pes, "threads": self._core.threads, "seconds": time.monotonic() - self._began,
            "sessions": 1, "published": 0, "refused": 0, "running": state.get("operation", ""), "now": time.monotonic(),
            "stats": dict(self.recorder.stats), "objects": objects, "host": host(), "state": state,
            "processes": [process(pid) for pid in self._pids()], "totals": dict(activity.totals),
            "phases": dict(activity.phases), "scans": activity.scans.last(),
            "operations": activity.after(operations, 500), "lines": self._lines.after(lines, 100),
            "list": [{
                "session": "local", "user": user, "process": os.getpid(), "role": "code", "quota": 0,
                "seconds": time.monotonic() - self._began, "connected": True, "arrays": len(objects),
                "calls": sum(count for count, _ in list(activity.totals.values())), "waiting": False,
                "running": state.get("operation", ""), "bytes": self.recorder.stats.get("memory_in_use", 0),
                "request": activity.begun,
            }],
        }  # fmt: skip

    def profile(self) -> dict[str, Any]:
        if self._core.closed:
            raise ConnectionError("the session has ended")
        self._sampler.want(_WATCH_SECONDS)
        return self._sampler.profile(STACKS)

    def _pids(self) -> list[int]:
        if self._core.kind == "spmd":
            return children_of(os.getppid()) if self._core.pes > 1 else [os.getpid()]
        return [os.getpid(), *workers_of(os.getpid(), self._core.pes - 1)]

    def cancel(self, session: str, request: int) -> bool:
        if session != "local":
            return False
        activity = self.recorder.activity
        if activity.running is not None and activity.begun == request:
            os.kill(os.getpid(), signal.SIGINT)
        return True
