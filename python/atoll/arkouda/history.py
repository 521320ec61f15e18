# SPDX-License-Identifier: Apache-2.0
"""What was typed in this shell or notebook."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

__all__ = ["HistoryRetriever", "NotebookHistoryRetriever", "ShellHistoryRetriever"]


class HistoryRetriever:
    """Commands of a shell, a notebook, or of neither."""

    @staticmethod
    def here() -> HistoryRetriever:
        """The one of where this runs."""
        shell = sys.modules.get("IPython")
        return NotebookHistoryRetriever() if shell is not None and shell.get_ipython() else ShellHistoryRetriever()

    def _commands(self) -> list[str]:
        return []

    def retrieve(self, command_filter: str | None = None, num_commands: int | None = None) -> list[str]:
        """The last commands, those alone that have a string in them."""
        found = [one for one in self._commands() if command_filter is None or command_filter in one]
        return found[-num_commands:] if num_commands else found


class ShellHistoryRetriever(HistoryRetriever):
    """Commands of Python's own shell."""

    def _commands(self) -> list[str]:
        with contextlib.suppress(ImportError):
            import readline

            return [readline.get_history_item(i + 1) or "" for i in range(readline.get_current_history_length())]
        return []


class NotebookHistoryRetriever(HistoryRetriever):
    """Commands of a notebook."""

    def _commands(self) -> list[str]:
        shell: Any = sys.modules["IPython"].get_ipython()
        return [text for _, _, text in shell.history_manager.get_range()]
