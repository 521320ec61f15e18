# SPDX-License-Identifier: Apache-2.0
"""The demo and its examples, small."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from built import ROOT, needs_core, needs_launcher

from atoll import cli, demo, extras

needs_data = pytest.mark.skipif(
    not all(extras.is_here(name) for name in extras.EXTRAS["demo"]), reason=f"needs {extras.EXTRAS['demo']}"
)


def run(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Warning" not in done.stderr
    return done.stdout


def test_steps_are_the_same_scripts_on_one_and_on_several_pes():
    every = demo.steps(Path("out"), 3, 1000, ["sort"])
    assert [step.shown for step in every] == [
        "python examples/sort_at_scale.py --size 1000",
        "atoll run -n 3 examples/sort_at_scale.py --size 1000",
    ]


@needs_data
def test_all_steps():
    assert [step.shown.split()[0] for step in demo.steps(Path("out"), 4, None, ["flights", "weather", "sort"])] == [
        *["python"] * 3,
        *["atoll"] * 3,
    ]


def test_a_failing_step_stops_the_demo(monkeypatch, capsys):
    failing = demo.Step("title", [sys.executable, "-c", "raise SystemExit(3)"], "a command")
    monkeypatch.setattr(demo, "steps", lambda *arguments: [failing, failing])
    assert cli.main(["demo"]) == 3
    assert capsys.readouterr().out.count("failed with status 3: a command") == 1


@needs_core
@pytest.mark.parametrize("size", ["1000", "1e5"])
def test_sort_at_scale(size):
    out = run(str(ROOT / "examples/sort_at_scale.py"), "--size", size)
    assert "both equal NumPy's answers" in out
    assert "argsort checked" in out


@needs_core
@needs_launcher
@pytest.mark.parametrize("pes", ["2", "3"])
def test_sort_at_scale_on_several_pes(pes):
    out = run("-m", "atoll", "run", "-n", pes, str(ROOT / "examples/sort_at_scale.py"), "--size", "10001")
    assert out.count("argsort checked") == 1
    assert f"{pes} PEs" in out


@needs_core
@needs_data
def test_flights(tmp_path):
    out = run(str(ROOT / "examples/flights.py"), "--out", str(tmp_path))
    assert "336,776 flights left New York in 2013; 327,346 arrived" in out
    assert "Worst routes" in out
    assert "equal" in out
    assert (tmp_path / "flights.png").read_bytes().startswith(b"\x89PNG")


@needs_core
@needs_data
@needs_launcher
@pytest.mark.slow
def test_flights_on_several_pes(tmp_path):
    out = run("-m", "atoll", "run", "-n", "4", str(ROOT / "examples/flights.py"), "--out", str(tmp_path))
    assert out.count("flights left New York") == 1


@needs_core
@needs_data
def test_weather(tmp_path):
    out = run(str(ROOT / "examples/weather.py"), "--out", str(tmp_path))
    assert "327,346 flights of 2013" in out
    assert re.search(r"downpour +3,691 +55%", out)
    assert "equal" in out
    assert (tmp_path / "weather.png").read_bytes().startswith(b"\x89PNG")
    assert len(list((tmp_path / "flights").iterdir())) == 12


@needs_core
@needs_data
@needs_launcher
@pytest.mark.slow
def test_weather_on_several_pes(tmp_path):
    out = run("-m", "atoll", "run", "-n", "4", str(ROOT / "examples/weather.py"), "--out", str(tmp_path))
    assert out.count("in summer 29% of 84,124") == 1


def test_the_last_line_names_atoll_as_this_shell_finds_it(monkeypatch):
    beside = Path(sys.executable).with_name("atoll")
    monkeypatch.setenv("PATH", str(beside.parent))
    assert demo.command() == "atoll"
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(beside.parents[1])
    assert demo.command() == "bin/atoll"
    monkeypatch.chdir("/")
    assert demo.command() in (str(beside), os.path.relpath(beside))
