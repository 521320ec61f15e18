# SPDX-License-Identifier: Apache-2.0
"""A progress bar for operations that run longer than about a second."""

from __future__ import annotations

import sys
from typing import Any

from .. import _core


def _notebook() -> bool:
    shell = sys.modules.get("IPython")
    instance = shell.get_ipython() if shell is not None else None
    return instance is not None and type(instance).__name__ == "ZMQInteractiveShell"


def wanted() -> bool:
    """Whether bars may be shown: ATOLL_PROGRESS is on, or auto with a terminal or notebook to show them in."""
    choice = next(value for name, value, *_ in _core.config() if name == "ATOLL_PROGRESS")
    if choice == "auto":
        return (sys.stderr is not None and sys.stderr.isatty()) or _notebook()
    return bool(choice == "on")


class Bar:
    """Shows one operation at a time; the engine calls it from the thread that waits for the operation."""

    def __init__(self) -> None:
        self._display: Any = None
        self._task: Any = None
        self._operation = ""

    def __call__(self, operation: str, done: int, total: int) -> None:
        if self._display is not None and operation != self._operation:
            self.close()
        if 0 < total <= done:
            self.close()
            return
        if self._display is None:
            self._open(operation)
        if total:
            self._display.update(self._task, completed=done, total=total)

    def _open(self, operation: str) -> None:
        from rich.console import Console  # 40 ms to import: only once a bar is due
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self._display = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._display.add_task(operation, total=None)
        self._operation = operation
        self._display.start()

    def close(self) -> None:
        """Removes the bar."""
        if self._display is not None:
            self._display.stop()
            self._display = None


def watch(session: _core.Session) -> None:
    """Shows the session's long operations on PE 0, when bars are wanted."""
    if session.pe == 0 and wanted():
        session.set_monitor(Bar())
