# SPDX-License-Identifier: Apache-2.0
"""The last runs of scans, with the plan of each and what its steps have cost."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Any

_KEPT = 8
_STEPS = 100
_TEXT = 400
_STATES = ("running", "done", "failed", "stopped")


class Scans:
    """Runs by session and number. Any thread may call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: OrderedDict[tuple[str, int], dict[str, Any]] = OrderedDict()

    def note(self, session: str, number: object, state: object, seconds: object, steps: object) -> None:
        """Adds a run, or notes how far it is.

        Parameters
        ----------
        session : str
            The session that runs it.
        number : int
            Of the run, in its session.
        state : {"running", "done", "failed", "stopped"}
        seconds : float
            Since its beginning.
        steps : sequence of `atoll.plan.record.Step`
            Its steps, as tuples.
        """
        valid = isinstance(number, int) and state in _STATES and isinstance(seconds, float)
        if not (valid and isinstance(steps, (list, tuple)) and len(steps) <= _STEPS and all(map(_is_step, steps))):
            raise ValueError("a run of scans has a number, a state, seconds and steps. Do both sides have one version?")
        assert isinstance(number, int)
        found = {
            "session": session, "number": number, "state": state, "seconds": seconds, "at": time.monotonic(),
            "steps": [tuple(one) for one in steps],
        }  # fmt: skip
        with self._lock:
            self._runs[session, number] = found
            while len(self._runs) > _KEPT:
                self._runs.popitem(last=False)

    def last(self) -> list[dict[str, Any]]:
        """The last runs, the newest first."""
        with self._lock:
            return list(reversed(self._runs.values()))


def _is_step(step: object) -> bool:
    if not isinstance(step, (list, tuple)) or len(step) != 6 or not isinstance(step[0], str) or len(step[0]) > _TEXT:
        return False
    counts = (step[1], step[2], step[4], step[5])
    return isinstance(step[3], float) and all(one is None or isinstance(one, int) for one in counts)
