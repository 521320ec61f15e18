# SPDX-License-Identifier: Apache-2.0
"""Progress of operations on a server: what the client is told, and the bars that it shows."""

import os
import pty
import subprocess
import sys
from types import SimpleNamespace

import pytest
from server.conftest import _PACKAGE

import atoll as ak
from atoll.serve import codec
from atoll.session import progress

_SORTS = """
import atoll as ak
from atoll.session import progress

shown = []
display = progress._display
progress._display = lambda operation: shown.append(operation) or display(operation)
with ak.connect({name!r}):
    size = 16_000_000  # only operations that take more than a second are reported
    while not shown and size <= 512_000_000:
        ak.sort(ak.random.default_rng(1).random(size))
        size *= 2
print(*shown)
"""


def _sort_until(told):
    """Sorts more and more elements: only operations that take more than a second are reported."""
    size = 16_000_000
    while not told and size <= 512_000_000:
        ak.sort(ak.random.default_rng(1).random(size))
        size *= 2


def test_client_is_told_how_far_an_operation_is(session):
    told = []
    session._core.set_monitor(lambda *news: told.append(news))
    try:
        _sort_until(told)
    finally:
        session._core.set_monitor(None)
    assert told
    assert {operation for operation, _, _ in told} <= {"sort", "random"}
    assert all(0 <= done <= total or total == 0 for _, done, total in told)
    assert told[-1][1:] == (1, 1)  # so that a bar goes away


def test_client_is_told_the_end_of_an_operation_whose_last_report_is_lost(session):
    told, x = [], ak.arange(100)
    session._core.set_monitor(lambda *news: told.append(news))
    try:
        session._core._channel.on_progress(codec.encoded(("sort", 1, 2)))
        assert x.sum() == 4950
        session._core._channel.on_progress(codec.encoded(("sort", 1, 2)))
        with pytest.raises(IndexError):
            x[ak.array([500])].sum()
    finally:
        session._core.set_monitor(None)
    assert told == 2 * [("sort", 1, 2), ("sort", 1, 1)]


@pytest.mark.slow
def test_notebook_shows_a_widget_for_an_operation_on_the_server(session, monkeypatch):
    shown = []

    class FloatProgress:
        def __init__(self, value, least, most, description):
            self.value, self.description, self.closed = value, description, False

        def close(self):
            self.closed = True

    monkeypatch.setattr(progress, "_notebook", lambda: True)
    monkeypatch.setitem(sys.modules, "ipywidgets", SimpleNamespace(FloatProgress=FloatProgress))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=shown.append))
    monkeypatch.setenv("ATOLL_PROGRESS", "auto")
    progress.watch(session._core)  # as `connect` does
    try:
        _sort_until(shown)
    finally:
        session._core.set_monitor(None)
    assert shown[0].description in ("sort", "random")
    assert all(one.closed for one in shown)
    assert all(0 <= one.value <= 1 for one in shown)


@pytest.mark.slow
def test_terminal_shows_a_bar_for_an_operation_on_the_server(server):
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": _PACKAGE, "ATOLL_PROGRESS": "auto", "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-c", _SORTS.format(name=server)]
    with subprocess.Popen(command, env=environment, stderr=theirs, stdout=subprocess.PIPE) as process:
        os.close(theirs)
        screen = b""
        try:
            while some := os.read(ours, 4096):
                screen += some
        except OSError:  # the process has ended
            pass
        os.close(ours)
        assert process.stdout.read() != b"\n", screen.decode()
    assert b"sort" in screen or b"random" in screen
    assert b"\x1b[2K" in screen  # and removes it
