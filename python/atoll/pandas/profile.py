# SPDX-License-Identifier: Apache-2.0
"""The table of what pandas did for a script: how often, and what time it took."""

from __future__ import annotations

import sys
from typing import TextIO

from ..io.fallback import LEDGER


def table() -> str:
    """A table of the calls that pandas did, with their times, including conversions to pandas and back."""
    if not LEDGER.calls:
        return "pandas did nothing: every call was Atoll's.\n"
    rows = [(name, str(LEDGER.calls[name]), f"{LEDGER.seconds[name]:.3f}") for name in LEDGER.calls]
    rows.sort(key=lambda row: (-LEDGER.seconds[row[0]], row[0]))
    rows.append(("total", str(sum(LEDGER.calls.values())), f"{sum(LEDGER.seconds.values()):.3f}"))
    header = ("done by pandas", "calls", "seconds")
    widths = [max(len(row[at]) for row in [header, *rows]) for at in range(3)]
    lines = [
        f"{name:<{widths[0]}}  {calls:>{widths[1]}}  {seconds:>{widths[2]}}" for name, calls, seconds in [header, *rows]
    ]
    return "\n".join(lines) + "\n"


def start() -> None:
    """Counts from now on."""
    LEDGER.kept = True
    LEDGER.calls.clear()
    LEDGER.seconds.clear()


def report(stream: TextIO | None = None) -> None:
    """Prints the table, by default to the standard error."""
    print(file=stream or sys.stderr)
    print(table(), end="", file=stream or sys.stderr)
