# SPDX-License-Identifier: Apache-2.0
"""Spans of OpenTelemetry: one for each operation, below the span of the client that called it."""

import json
import os
import subprocess
import sys

import pytest
from server.conftest import running_server

import atoll as ak
from atoll.serve.activity import Activity
from atoll.serve.telemetry import Traces, checked_traceparent, traceparent

trace = pytest.importorskip("opentelemetry.sdk.trace")
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@pytest.fixture
def exported():
    """A provider of traces, and the spans that it exports."""
    provider, spans = trace.TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    return provider.get_tracer("tests"), spans


def run(activity, seconds, error=None, parent=""):
    began = activity.begin("sort", "s1")
    activity.end("sort", "s1", began - seconds, error, parent)


def test_an_operation_is_a_span(exported):
    tracer, spans = exported
    run(Activity(Traces(tracer)), 0.25)
    (span,) = spans.get_finished_spans()
    assert span.name == "atoll sort"
    assert dict(span.attributes) == {"atoll.operation": "sort", "atoll.kind": "sort", "atoll.session": "s1"}
    assert span.end_time - span.start_time >= 0.249e9
    assert span.parent is None


def test_a_short_operation_is_none(exported):
    tracer, spans = exported
    run(Activity(Traces(tracer)), -1)
    assert spans.get_finished_spans() == ()


def test_an_error_is_the_status_of_its_span(exported):
    tracer, spans = exported
    run(Activity(Traces(tracer)), 1, MemoryError("too large"))
    (span,) = spans.get_finished_spans()
    assert span.attributes["error.type"] == "MemoryError"
    assert (span.status.is_ok, span.status.description) == (False, "too large")


def test_the_span_of_the_client_is_the_parent(exported):
    tracer, spans = exported
    assert traceparent() == ""
    with tracer.start_as_current_span("a program") as outer:
        parent = traceparent()
    run(Activity(Traces(tracer)), 1, parent=parent)
    span = spans.get_finished_spans()[-1]
    assert span.parent.span_id == outer.context.span_id
    assert span.context.trace_id == outer.context.trace_id


@pytest.mark.parametrize("text", [3, None, "x", "00-1-2-3", "00-" + "g" * 32 + "-" + "0" * 16 + "-01"])
def test_a_server_refuses_what_is_no_traceparent(text):
    with pytest.raises(ValueError, match="the form 00-TRACE-SPAN-FLAGS"):
        checked_traceparent(text)


_PROGRAM = """
import sys
import atoll as ak
from opentelemetry.sdk.trace import TracerProvider

tracer = TracerProvider().get_tracer("program")
with ak.connect(sys.argv[1]):
    x = ak.arange(1_000_000)
    with tracer.start_as_current_span("mine") as span:
        (x * 2).sum().item()
        print(f"0x{span.context.trace_id:032x}", f"0x{span.context.span_id:016x}")
    ak.sort(x).sum().item()
"""


def test_a_server_exports_spans_below_those_of_its_clients(home, monkeypatch):
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    path = home / "spans"
    with open(path, "w") as spans, running_server("traced", stderr=spans):
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, "traced"], capture_output=True, text=True, check=True, env=os.environ
        )
    mine = tuple(done.stdout.split())
    decoder, text, found = json.JSONDecoder(), path.read_text(), []
    while text.strip():
        span, end = decoder.raw_decode(text.lstrip())
        found.append(span)
        text = text.lstrip()[end:]
    below = [span["name"] for span in found if (span["context"]["trace_id"], span["parent_id"]) == mine]
    alone = [span["name"] for span in found if span["parent_id"] is None]
    assert "atoll reduce_all" in below
    assert "atoll sort" in alone
    assert found[0]["resource"]["attributes"]["service.name"] == "atoll traced"
    assert ak.arange(3).sum() == 3
