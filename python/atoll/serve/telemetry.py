# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry: a span for each operation of an engine, where the package is installed and traces are exported.

`opentelemetry-instrument atoll serve` sets up the export; so do the environment variables that OpenTelemetry defines
(`OTEL_TRACES_EXPORTER`, `OTEL_EXPORTER_OTLP_ENDPOINT`) and, in a program, the program.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from typing import Any

from .. import extras

_log = logging.getLogger("atoll.serve")
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\Z")
_PACKAGES = ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http")
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


class Traces:
    """Makes the spans. `tracer`: OpenTelemetry's."""

    def __init__(self, tracer: Any) -> None:
        self._tracer = tracer
        from opentelemetry import trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._failed = trace.StatusCode.ERROR
        self._propagator = TraceContextTextMapPropagator()

    def operation(
        self, name: str, kind: str, session: str, began: float, ended: float, error: BaseException | None, parent: str
    ) -> None:
        """The span of an operation that has ended.

        Parameters
        ----------
        began, ended
            Times of `time.monotonic`.
        error
            What the operation raised.
        parent
            The span of the client that called it, as W3C's traceparent; "": the current span of this thread.
        """
        offset = time.time() - time.monotonic()
        context = None
        if parent:
            context = self._propagator.extract({"traceparent": parent})
        span = self._tracer.start_span(
            f"atoll {name}", context=context, start_time=int((began + offset) * 1e9),
            attributes={"atoll.operation": name, "atoll.kind": kind, "atoll.session": session},
        )  # fmt: skip
        if error is not None:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(self._failed, str(error)[:200])
        span.end(end_time=int((ended + offset) * 1e9))


def traces() -> Traces | None:
    """What makes spans; None where OpenTelemetry is not installed, or nothing exports its traces."""
    if not extras.is_here("opentelemetry"):
        return None
    from opentelemetry import trace

    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return None
    return Traces(trace.get_tracer("atoll"))


def set_up(service: str) -> None:
    """Exports this process's traces where OpenTelemetry's environment variables ask for it. A warning: it cannot."""
    wanted = os.environ.get("OTEL_TRACES_EXPORTER", "otlp" if any(map(os.environ.get, _ENDPOINTS)) else "none")
    if wanted == "none" or not extras.is_here("opentelemetry"):
        return
    from opentelemetry import trace

    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return  # `opentelemetry-instrument` has done it
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

        exporter: Any
        if wanted == "otlp":
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            exporter = OTLPSpanExporter()
        elif wanted == "console":
            exporter = ConsoleSpanExporter(out=sys.stderr)
        else:
            raise ValueError(f"OTEL_TRACES_EXPORTER={wanted!r} is not known. Use otlp, console or none")
    except ImportError as error:
        _log.warning("traces are not exported (%s): %s", error, extras.command(_PACKAGES, "traces"))
        return
    except ValueError as error:
        _log.warning("traces are not exported: %s", error)
        return
    attributes = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": service}
    provider = TracerProvider(resource=Resource.create(attributes))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)


def traceparent() -> str:
    """The current span of this thread, as W3C's traceparent; "": there is none."""
    api: Any = sys.modules.get("opentelemetry.trace")
    if api is None:
        return ""
    context = api.get_current_span().get_span_context()
    if not context.is_valid:
        return ""
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags):02x}"


def checked_traceparent(text: object) -> str:
    """The text if it is a traceparent, or empty. ValueError: it is neither."""
    if text != "" and not (isinstance(text, str) and _TRACEPARENT.match(text)):
        raise ValueError("a traceparent has the form 00-TRACE-SPAN-FLAGS, in hexadecimal digits")
    return str(text)
