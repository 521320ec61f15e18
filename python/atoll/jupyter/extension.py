# SPDX-License-Identifier: Apache-2.0
"""IPython's extension: `%load_ext atoll`, then `%%atoll_time`, and completion of published names."""

from __future__ import annotations

import re
import time
from typing import Any

_SECOND_NS = 1_000_000_000
#: Text before the cursor that ends in the name of a published object, or in its beginning.
_NAME_OF_OBJECT = r"""(?s).*\b(?:attach|unpublish)\(\s*["'][^"']*$"""


def load_ipython_extension(shell: Any) -> None:
    """Adds the magic `atoll_time`, for a line or a cell, and completions. Called by ``%load_ext atoll``."""

    def atoll_time(line: str, cell: str | None = None) -> None:
        _timed(shell, line if cell is None else cell)

    shell.register_magic_function(atoll_time, "line_cell", "atoll_time")
    shell.set_hook("complete_command", published_names, re_key=_NAME_OF_OBJECT)


def published_names(shell: Any, event: Any) -> list[str]:
    """Names that `ak.attach(" …` may go on with: those of the current session's server."""
    from ..serve.client.names import published
    from ..session.session import current, running

    before = re.search(r"""["']([^"']*)$""", event.text_until_cursor)
    if before is None or not running() or current().kind != "remote":
        return []
    rest = [name[len(before[1]) :] for name in sorted(published()) if name.startswith(before[1])]
    return [event.symbol + one for one in rest]  # IPython replaces `symbol`, the text behind the last separator


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
