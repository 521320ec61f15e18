# SPDX-License-Identifier: Apache-2.0
"""IPython's extension: `%load_ext atoll`, then `%%atoll_time`."""

from __future__ import annotations

import time
from typing import Any

_SECOND_NS = 1_000_000_000


def load_ipython_extension(shell: Any) -> None:
    """Adds the magic `atoll_time`, for a line or a cell. Called by ``%load_ext atoll``."""

    def atoll_time(line: str, cell: str | None = None) -> None:
        _timed(shell, line if cell is None else cell)

    shell.register_magic_function(atoll_time, "line_cell", "atoll_time")


def _timed(shell: Any, code: str) -> None:
    """Runs code and prints where its time went, by the counters of this PE."""
    from ..session import current

    session = current()
    session.noop()
    moved = session.moved_bytes()
    before, begin = session.stats(), time.perf_counter()
    shell.run_cell(code)
    session.noop()
    seconds = time.perf_counter() - begin
    after = session.stats()
    print(report(seconds, before, after, session.moved_bytes() - moved))


def report(seconds: float, before: dict[str, int], after: dict[str, int], moved: int) -> str:
    """The lines that `%%atoll_time` prints: time, operations, bytes between PEs, memory, and the phases that tell."""
    from ..session.words import plural

    count = after["commands"] - before["commands"]
    peak = max(0, after["memory_peak"])
    lines = [
        f"{seconds:.3f} s, {plural(count, 'operation')}, {moved:,} bytes between PEs, {peak:,} bytes at most on PE 0"
    ]
    for name in sorted(after):
        if name.endswith("_ns") and (spent := after[name] - before.get(name, 0)) > 0:
            lines.append(f"  {name.removesuffix('_ns').replace('_', ' ')}: {spent / _SECOND_NS:.3f} s")
    return "\n".join(lines)
