# SPDX-License-Identifier: Apache-2.0
"""Snapshots that all viewers of a dashboard share, so that ten viewers cost the engine what one costs."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any

from ..activity import KEPT, kind_of
from .sources import Snapshot, Source

#: Seconds between two snapshots.
PERIOD = 0.5
_AGE = 0.8 * PERIOD


class Feed:
    """The last snapshot, and the last operations and log lines."""

    def __init__(self, source: Source) -> None:
        self._source, self._lock = source, threading.Lock()
        self._operations: deque[tuple[Any, ...]] = deque(maxlen=KEPT)
        self._lines: deque[tuple[int, str]] = deque(maxlen=500)
        self._latest: Snapshot = {}
        self._at = 0.0
        self._profile: dict[str, Any] = {}
        self._profiled_at = 0.0
        self.error = ""  # why there is no snapshot

    def latest(self) -> Snapshot:
        """A snapshot that is not old; empty where the engine has ended."""
        with self._lock:
            if time.monotonic() - self._at > _AGE:
                operation = self._operations[-1][0] if self._operations else 0
                line = self._lines[-1][0] if self._lines else 0
                try:
                    self._latest = self._source.snapshot(operation, line)
                    self.error = ""
                    self._operations.extend(
                        (*one, kind_of(one[3])) for one in map(tuple, self._latest.pop("operations"))
                    )
                    self._latest["totals"] = {
                        name: (count, seconds, kind_of(name))
                        for name, (count, seconds) in self._latest["totals"].items()
                    }
                    self._lines.extend((int(number), str(text)) for number, text in self._latest.pop("lines"))
                except (OSError, LookupError) as error:
                    self._latest, self.error = {}, str(error)
                self._at = time.monotonic()
            return self._latest

    def view(self, operation: int, line: int) -> dict[str, Any]:
        """A snapshot for a viewer that has the operations and lines up to these numbers."""
        latest = self.latest()
        return {
            **latest,
            "error": self.error,
            "operations": [one for one in list(self._operations) if one[0] > operation],
            "lines": [one for one in list(self._lines) if one[0] > line],
        }

    def profile(self) -> dict[str, Any]:
        """Sampled stacks, not older than a second; empty where the engine has ended."""
        with self._lock:
            if time.monotonic() - self._profiled_at > 2 * _AGE:
                try:
                    self._profile = self._source.profile()
                except (OSError, LookupError):
                    self._profile = {}
                self._profiled_at = time.monotonic()
            return self._profile

    def cancel(self, session: str, request: int) -> bool:
        """Interrupts a request of a session, by its number."""
        return self._source.cancel(session, request)
