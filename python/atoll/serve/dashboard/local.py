# SPDX-License-Identifier: Apache-2.0
"""Records the operations of this process's engine, by functions in front of those of `_core`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from ... import _core
from ...arrays import engine
from ...plan import record
from ...session import progress
from ..activity import Activity
from ..operations import NAMES, SERVICES
from ..telemetry import traces

_STATS_SECONDS = 0.25
_METHODS = ("evaluate", "item", "to_numpy")  # of handles: these run operations that were deferred


class Recorder:
    """The record, from now until `close`. Operations of a session run on one thread at a time."""

    def __init__(self, core: _core.Session) -> None:
        self.activity = Activity(traces(), core.stats)
        self.activity.phases_until = float("inf")
        self.stats: dict[str, int] = core.stats()
        self._core, self._looked_at = core, 0.0
        self._depth = 0  # of operations that call others
        self._replaced: list[tuple[Any, str, Any]] = []
        for name in NAMES:
            if "." in name or name in SERVICES:
                continue
            found = getattr(_core, name)
            recording = self._recording(name, found)
            for module in (_core, engine):
                if getattr(module, name, None) is found:
                    self._replace(module, name, found, recording)
        for name in _METHODS:
            found = getattr(_core.Expr, name)
            self._replace(_core.Expr, name, found, self._recording(f"Expr.{name}", found))
        record.LISTENERS.append(self._note_scan)
        if core.pe == 0:
            self._bar = progress.Bar() if progress.wanted() else None
            core.set_monitor(self._progress)

    def close(self) -> None:
        """Puts the engine's own functions back."""
        for owner, name, found in self._replaced:
            setattr(owner, name, found)
        self._replaced.clear()
        record.LISTENERS.remove(self._note_scan)
        if not self._core.closed and self._core.pe == 0:
            self._core.set_monitor(self._bar)

    def _replace(self, owner: Any, name: str, found: object, by: object) -> None:
        self._replaced.append((owner, name, found))
        setattr(owner, name, by)

    def _recording(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def recorded(*args: object, **named: Any) -> Any:
            if self._depth:
                return function(*args, **named)
            operation = self.activity.operation(name, "local")
            self._depth = 1
            try:
                with operation:
                    return function(*args, **named)
            finally:
                self._depth = 0
                began = operation.began
                if began > self._looked_at + _STATS_SECONDS and not self._core.closed:
                    self._looked_at = began
                    self.stats = self._core.stats()

        return recorded

    def _note_scan(self, run: record.Record) -> None:
        self.activity.scans.note("local", run.number, run.state, run.seconds, run.steps())

    def _progress(self, operation: str, done: int, total: int) -> None:
        self.activity.progress = operation, done, total
        self.stats = self._core.stats()
        if self._bar is not None:
            self._bar(operation, done, total)

    def objects(self) -> list[dict[str, Any]]:
        """Variables of the main program that are arrays, columns or frames."""
        main = vars(sys.modules["__main__"]).copy()
        found = []
        for name, value in main.items():
            if name.startswith("_") or not type(value).__module__.startswith("atoll."):
                continue
            size = getattr(value, "nbytes", None)
            if isinstance(size, int):
                kind = type(value).__name__
                found.append({"name": name, "kind": kind, "bytes": size, "user": "", "role": "", "at": 0.0})
        return found
