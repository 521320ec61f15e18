# SPDX-License-Identifier: Apache-2.0
"""Progress bars: when they are wanted, and what they show."""

import sys
from types import SimpleNamespace

import pytest

from atoll.session import progress


@pytest.mark.parametrize(("value", "expected"), [("on", True), ("off", False), ("auto", False), ("", False)])
def test_wanted(monkeypatch, value, expected):
    monkeypatch.setenv("ATOLL_PROGRESS", value)
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    assert progress.wanted() is expected


def test_a_bar_opens_moves_and_goes(capsys):
    bar = progress.Bar()
    bar("sort", 0, 0)  # running, but how far is not known
    assert bar._display is not None
    bar("sort", 30, 100)
    assert bar._display._display.tasks[0].percentage == 30
    bar("gather", 1, 4)
    assert bar._display._display.tasks[0].description == "gather"
    bar("gather", 4, 4)
    assert bar._display is None
    bar.close()
    assert capsys.readouterr().out == ""


def test_a_notebook_shows_a_widget_where_there_are_any(monkeypatch):
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
    bar = progress.Bar()
    bar("sort", 30, 120)
    assert [(one.description, one.value) for one in shown] == [("sort", 0.25)]
    bar("sort", 120, 120)
    assert shown[0].closed
