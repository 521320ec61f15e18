# SPDX-License-Identifier: Apache-2.0
"""Samples the Python stack of one thread: where a program's or a server's time goes."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

#: Seconds between two samples: 1 % of a core at 0.1 ms each.
PERIOD = 0.01
#: Stacks that a dashboard shows.
STACKS = 300
_FRAMES = 60
_STACKS = 2000  # different ones; further ones count as one
_OTHERS = ("(other stacks)",)
_FOLDERS = 2  # of a path, in a frame's name


class Sampler:
    """Counts stacks while it is wanted.

    Parameters
    ----------
    thread : int
        The identifier of the thread.
    running : callable
        Gives the name of the engine's operation that the thread runs, or "". It stands below the frames of Python.
    busy : callable
        Whether the thread does something; samples of an idle thread are not counted.
    """

    def __init__(self, thread: int, running: Callable[[], str], busy: Callable[[], bool]) -> None:
        self._thread_id, self._running, self._busy = thread, running, busy
        self._counts: dict[tuple[str, ...], int] = {}
        self._names: dict[tuple[Any, int], str] = {}  # code and line → frame's name
        self._wanted_until = 0.0
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._ending = False
        self._thread: threading.Thread | None = None
        self.samples = self.idle = 0

    def want(self, seconds: float) -> None:
        """Samples are taken for so many seconds from now."""
        self._wanted_until = time.monotonic() + seconds
        with self._lock:
            if self._thread is None and not self._ending:
                self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
                self._thread.start()
        self._wake.set()

    def close(self) -> None:
        """Ends the thread."""
        with self._lock:
            self._ending = True
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join()

    def profile(self, most: int) -> dict[str, Any]:
        """Samples in all, of these idle, and the `most` most frequent stacks, outermost frame first, with counts."""
        with self._lock:
            found = sorted(self._counts.items(), key=lambda one: -one[1])[:most]
            return {
                "samples": self.samples, "idle": self.idle, "period": PERIOD,
                "stacks": [(count, list(stack)) for stack, count in found],
            }  # fmt: skip

    def _run(self) -> None:
        while not self._ending:
            if time.monotonic() > self._wanted_until:
                self._wake.clear()
                if time.monotonic() > self._wanted_until and not self._ending:
                    self._wake.wait()
                continue
            self.sample()
            time.sleep(PERIOD)

    def sample(self) -> None:
        """Takes one sample."""
        if not self._busy():
            self.samples += 1
            self.idle += 1
            return
        running = self._running()
        frame = sys._current_frames().get(self._thread_id)
        stack = self._stack(frame)
        if running:
            stack = (*stack, f"{running} (engine)")
        with self._lock:
            self.samples += 1
            if stack not in self._counts and len(self._counts) >= _STACKS:
                stack = _OTHERS
            self._counts[stack] = self._counts.get(stack, 0) + 1

    def _stack(self, frame: FrameType | None) -> tuple[str, ...]:
        found: list[str] = []
        while frame is not None and len(found) < _FRAMES:
            key = frame.f_code, frame.f_lineno
            name = self._names.get(key)
            if name is None:
                if len(self._names) > 10 * _STACKS:
                    self._names.clear()
                path = "/".join(frame.f_code.co_filename.split("/")[-_FOLDERS:])
                name = self._names[key] = f"{frame.f_code.co_qualname} ({path}:{frame.f_lineno})"
            found.append(name)
            frame = frame.f_back
        return tuple(reversed(found))
