# SPDX-License-Identifier: Apache-2.0
"""A snapshot as metrics for Prometheus, by prometheus-client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ... import extras
from .sources import Snapshot

_STATS = {
    "memory_in_use": ("gauge", "atoll_memory_in_use_bytes", "Bytes of arrays on PE 0"),
    "memory_peak": ("gauge", "atoll_memory_peak_bytes", "Most bytes of arrays on PE 0 so far"),
    "memory_limit": ("gauge", "atoll_memory_limit_bytes", "Bytes that arrays on PE 0 may take"),
    "bytes_put": ("counter", "atoll_put_bytes", "Bytes that PE 0 has put to other PEs"),
    "bytes_got": ("counter", "atoll_got_bytes", "Bytes that PE 0 has got from other PEs"),
    "bytes_sent": ("counter", "atoll_sent_bytes", "Bytes of messages of PE 0 to other PEs"),
    "messages": ("counter", "atoll_messages", "Messages of PE 0 to other PEs"),
    "commands": ("counter", "atoll_commands", "Commands that the engine has executed"),
}
_NUMBERS = {
    "pes": ("atoll_pes", "PEs"),
    "sessions": ("atoll_sessions", "Sessions of clients"),
    "published": ("atoll_published_objects", "Published objects"),
    "seconds": ("atoll_uptime_seconds", "Seconds since the start"),
    "refused": ("atoll_refused_connections", "Connections that were refused"),
}


class _Collector:
    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._core: Any = extras.module("prometheus_client.core", "metrics")

    def collect(self) -> Iterator[Any]:
        snapshot, gauge, counter = self._snapshot, self._core.GaugeMetricFamily, self._core.CounterMetricFamily
        yield gauge("atoll_up", "1: the engine answers", 1 if snapshot else 0)
        if not snapshot:
            return
        for key, (name, text) in _NUMBERS.items():
            yield gauge(name, text, snapshot[key])
        for key, (kind, name, text) in _STATS.items():
            if key in snapshot["stats"]:
                yield (gauge if kind == "gauge" else counter)(name, text, snapshot["stats"][key])
        processor = counter("atoll_pe_cpu_seconds", "Processor seconds of a PE's process", labels=["pe"])
        memory = gauge("atoll_pe_resident_bytes", "Resident memory of a PE's process", labels=["pe"])
        for pe, one in enumerate(snapshot["processes"]):
            if one:
                processor.add_metric([str(pe)], one["cpu_seconds"])
                memory.add_metric([str(pe)], one["resident"])
        yield processor
        yield memory
        calls = counter("atoll_operations", "Operations by name", labels=["operation"])
        seconds = counter("atoll_operation_seconds", "Seconds in operations by name", labels=["operation"])
        for operation, (count, total, _) in snapshot["totals"].items():
            calls.add_metric([operation], count)
            seconds.add_metric([operation], total)
        yield calls
        yield seconds
        of_session = gauge("atoll_session_bytes", "Bytes of arrays of a session", labels=["session", "user"])
        for one in snapshot["list"]:
            of_session.add_metric([one["session"], one["user"]], one["bytes"])
        yield of_session
        of_name = gauge("atoll_object_bytes", "Bytes of a published object", labels=["name"])
        for one in snapshot["objects"]:
            of_name.add_metric([one["name"]], one["bytes"])
        yield of_name
        yield gauge(
            "atoll_waiting_requests", "Sessions with a request that has not begun",
            sum(bool(one["waiting"]) for one in snapshot["list"]),
        )  # fmt: skip
        if checkpoint := snapshot.get("checkpoint"):
            yield gauge("atoll_checkpoint_timestamp_seconds", "Time of the last checkpoint; 0: none", checkpoint["at"])
            yield gauge("atoll_checkpoint_failed", "1: the last attempt failed", 1 if checkpoint["error"] else 0)


def exposition(snapshot: Snapshot) -> tuple[bytes, str]:
    """The metrics, and their content type."""
    client: Any = extras.module("prometheus_client", "metrics")
    registry = client.CollectorRegistry(auto_describe=False)
    registry.register(_Collector(snapshot))
    return client.generate_latest(registry), client.CONTENT_TYPE_LATEST
