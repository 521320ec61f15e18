# SPDX-License-Identifier: Apache-2.0
"""Recent activity of an engine: operations with times, totals by operation, and the progress of the running one.

The thread that runs operations writes; other threads read copies. Nothing here calls the engine.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from .scans import Scans
from .telemetry import Traces

#: Operations that are kept. Shorter ones than `_SHORTEST` seconds count in the totals alone.
KEPT = 2000
_SHORTEST = 100e-6
_LINES = 500
_LINE_CHARACTERS = 500

#: Kind → its operations. Charts colour operations by kind; an operation in no list has the kind "other".
_KINDS = {
    "elementwise": ("apply", "cast", "where", "Expr.evaluate", "full", "arange", "random", "random_law", "scan"),
    "reduction": ("reduce_all", "reduce_axes", "bincount", "histogram", "Expr.item"),
    "sort": ("sort", "argsort", "coargsort", "text_sort", "text_argsort", "unique", "searchsorted"),
    "group": ("group_by", "group_places", "join_rows", "asof_rows", "isin", "window", "run_starts", "cumulate"),
    "movement": (
        "take", "compress", "get_slice", "concatenate", "transpose", "reshape", "Expr.to_numpy", "from_numpy",
        "text_take", "text_buffers", "text_from_buffers",
    ),
    "matrix": ("multiply_matrices", "multiply_stacks", "fourier"),
    "program": ("run_everywhere",),
}  # fmt: skip
KIND_OF = {operation: kind for kind, operations in _KINDS.items() for operation in operations}


def kind_of(operation: str) -> str:
    """The kind of an operation, for its colour."""
    return KIND_OF.get(operation) or ("text" if operation.startswith("text_") else "other")


#: Phases that an engine counts, as `_core.Session.stats` names them. The rest of an operation's time is local work.
PHASES = ("exchange_ns", "wait_ns")


class Activity:
    """A record of operations. Times are those of `time.monotonic`.

    Parameters
    ----------
    traces : Traces, optional
        Makes spans of operations.
    counters : callable, optional
        Gives the counters of PE 0. They are asked for before and after operations that begin before `phases_until`.
    """

    def __init__(self, traces: Traces | None = None, counters: Callable[[], Mapping[str, int]] | None = None) -> None:
        self._traces, self._counters = traces, counters
        self.phases_until = 0.0
        self._before: Mapping[str, int] | None = None  # counters when the running operation began
        self.phases: dict[str, tuple[float, float, float]] = {}  # operation → seconds, of these exchange and wait
        self._recent: deque[tuple[int, float, float, str, str]] = deque(maxlen=KEPT)
        self._count = 0
        self.totals: dict[str, tuple[int, float]] = {}  # operation → calls, seconds
        self.begun = 0  # operations
        self.running: tuple[str, str, float] | None = None  # operation, session, begin
        self.progress: tuple[str, int, int] | None = None  # operation as the engine names it, done, total
        self.scans = Scans()

    def operation(self, operation: str, session: str, parent: str = "") -> Operation:
        """A context that notes begin and end of an operation; `parent`: the span of its caller."""
        return Operation(self, operation, session, parent)

    def begin(self, operation: str, session: str, has_phases: bool = True) -> float:
        """Notes that an operation begins; when. `has_phases`: PEs may exchange rows, or wait, in it."""
        now = time.monotonic()
        self.begun += 1
        self.running = operation, session, now
        self._before = None
        if now < self.phases_until and self._counters is not None:
            self._before = self._counters() if has_phases else {}
        return now

    def end(
        self, operation: str, session: str, began: float, error: BaseException | None = None, parent: str = ""
    ) -> None:
        """Notes that an operation has ended, with an error or None; `parent`: the span of its caller."""
        self.running = self.progress = None
        now = time.monotonic()
        if self._before is not None and self._counters is not None:
            before = self._before
            after = self._counters() if before else before
            spent = [1e-9 * (after.get(name, 0) - before.get(name, 0)) for name in PHASES]
            known = self.phases.get(operation, (0.0, 0.0, 0.0))
            self.phases[operation] = known[0] + now - began, known[1] + spent[0], known[2] + spent[1]
            self._before = None
        self.note(operation, session, began, now, error, parent)

    def note(
        self, operation: str, session: str, began: float, now: float, error: BaseException | None = None,
        parent: str = "",
    ) -> None:  # fmt: skip
        """Notes an operation that began and ended at these times."""
        count, seconds = self.totals.get(operation, (0, 0.0))
        self.totals[operation] = count + 1, seconds + (now - began)
        if now - began >= _SHORTEST:
            self._count += 1
            self._recent.append((self._count, began, now, operation, session))
            if self._traces is not None:
                self._traces.operation(operation, kind_of(operation), session, began, now, error, parent)

    def running_name(self) -> str:
        """The name of the running operation; empty: none."""
        running = self.running
        return "" if running is None else running[0]

    def after(self, number: int, limit: int) -> list[tuple[int, float, float, str, str]]:
        """The operations behind this number, the last `limit` of them at most."""
        for _ in range(3):  # another thread may append meanwhile
            try:
                found = [one for one in self._recent if one[0] > number]
                return found[-limit:]
            except RuntimeError:
                continue
        return []

    def state(self) -> dict[str, Any]:
        """The running operation; empty: none."""
        running, progress = self.running, self.progress
        if running is None:
            return {}
        operation, session, began = running
        _, done, total = progress or ("", 0, 0)
        return {
            "operation": operation, "session": session, "seconds": time.monotonic() - began, "done": done,
            "total": total, "kind": kind_of(operation),
        }  # fmt: skip


class Operation:
    """The time of one operation, as a context manager."""

    __slots__ = ("_activity", "_name", "_parent", "_session", "began")

    def __init__(self, activity: Activity, name: str, session: str, parent: str) -> None:
        self._activity, self._name, self._session, self._parent = activity, name, session, parent
        self.began = 0.0

    def __enter__(self) -> Operation:
        self.began = self._activity.begin(self._name, self._session)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._activity.end(self._name, self._session, self.began, error, self._parent)


class LogLines(logging.Handler):
    """The last lines of a log."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[tuple[int, str]] = deque(maxlen=_LINES)
        self._count = 0
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self._count += 1
        self._lines.append((self._count, self.format(record)[:_LINE_CHARACTERS]))

    def after(self, number: int, limit: int) -> list[tuple[int, str]]:
        """The lines behind this number, the last `limit` of them at most."""
        self.acquire()
        try:
            return [one for one in self._lines if one[0] > number][-limit:]
        finally:
            self.release()
