# SPDX-License-Identifier: Apache-2.0
"""A timeline that Perfetto and chrome://tracing open: a track for each PE, and an arrow for each message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from atoll.sim.point import Point


def events(point: Point, spans: list[tuple[str, int, int, int, int, int]]) -> Iterator[dict[str, Any]]:
    """The JSON trace events; microseconds."""
    for pe in sorted({span[1] for span in spans}):
        node = pe // point.pes_per_node
        yield {"ph": "M", "name": "process_name", "pid": node, "args": {"name": f"node {node}"}}
        yield {"ph": "M", "name": "thread_name", "pid": node, "tid": pe, "args": {"name": f"PE {pe}"}}
    begin = min((span[4] for span in spans), default=0)
    for number, (kind, pe, peer, size, start, end) in enumerate(spans):
        track = {"pid": pe // point.pes_per_node, "tid": pe}
        at, last = (start - begin) / 1e6, (end - begin) / 1e6
        if kind == "transfer":
            arrow = {"cat": "message", "name": "message", "id": number}
            yield {"ph": "s", "ts": at, **arrow, **track}
            yield {"ph": "f", "bp": "e", "ts": last, **arrow, "pid": peer // point.pes_per_node, "tid": peer}
        elif end > start:
            name = f"{kind} {'to' if kind == 'send' else 'from'} {peer}" if kind in ("send", "receive") else kind
            yield {"ph": "X", "cat": kind, "name": name, "ts": at, "dur": last - at, "args": {"bytes": size}, **track}


def write(point: Point, path: Path, most: int) -> dict[str, Any]:
    """Simulates a point and writes its first `most` spans. Returns its record."""
    result = point.run(trace_events=most)
    other = {"machine": point.machine.name, "collective": point.collective, "algorithm": result["algorithm"]}
    content = {"traceEvents": list(events(point, result["spans"])), "displayTimeUnit": "ns", "otherData": other}
    path.write_text(json.dumps(content))
    return point.record(result)
