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


class _Widget:
    """A bar of ipywidgets, in a notebook."""

    def __init__(self, operation: str, widgets: Any) -> None:
        from IPython.display import display

        self._bar = widgets.FloatProgress(0.0, 0.0, 1.0, description=operation)
        display(self._bar)

    def update(self, done: int, total: int) -> None:
        self._bar.value = done / total

    def stop(self) -> None:
        self._bar.close()


class _Text:
    """A bar of rich."""

    def __init__(self, operation: str) -> None:
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
        self._display.start()

    def update(self, done: int, total: int) -> None:
        self._display.update(self._task, completed=done, total=total)

    def stop(self) -> None:
        self._display.stop()


def _display(operation: str) -> _Widget | _Text:
    if _notebook():
        try:
            import ipywidgets
        except ImportError:
            return _Text(operation)
        return _Widget(operation, ipywidgets)
    return _Text(operation)


class Bar:
    """Shows one operation at a time; the engine calls it from the thread that waits for the operation."""

    def __init__(self) -> None:
        self._display: _Widget | _Text | None = None
        self._operation = ""

    def __call__(self, operation: str, done: int, total: int) -> None:
        if self._display is not None and operation != self._operation:
            self.close()
        if 0 < total <= done:
            self.close()
            return
        if self._display is None:
            self._display, self._operation = _display(operation), operation
        if total:
            self._display.update(done, total)

    def close(self) -> None:
        """Removes the bar."""
        if self._display is not None:
            self._display.stop()
            self._display = None


def watch(session: _core.Session) -> None:
    """Shows the session's long operations on PE 0, when bars are wanted."""
    if session.pe == 0 and wanted():
        session.set_monitor(Bar())
