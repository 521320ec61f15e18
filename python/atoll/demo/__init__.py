# SPDX-License-Identifier: Apache-2.0
"""The main job, start to end: real data, scale, and the same scripts on several PEs.

The scripts are plain examples (`examples/` in a checkout, `atoll/demo/examples/` in an installed package); the demo
runs each as a user would, in a process of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from atoll import extras

PACKAGE = Path(__file__).resolve().parent.parent


class DemoError(Exception):
    """The demo cannot run; the text says what to do."""


@dataclass(frozen=True)
class Step:
    title: str
    command: list[str]
    shown: str


def examples_folder() -> Path:
    for folder in (PACKAGE / "demo" / "examples", PACKAGE.parent.parent / "examples"):
        if (folder / "flights.py").is_file():
            return folder
    raise DemoError(f"the examples are missing beside {PACKAGE}: install Atoll again")


def steps(out: Path, pes: int, size: int | None, only: Sequence[str]) -> list[Step]:
    """The programs of the demo."""
    if "flights" in only or "weather" in only:
        extras.need("demo")
    folder = examples_folder()
    scripts = {
        "flights": ["flights.py", "--out", str(out)],
        "weather": ["weather.py", "--out", str(out)],
        "sort": ["sort_at_scale.py", *(["--size", str(size)] if size is not None else [])],
    }
    titles = {
        "flights": "Real data: a year of flights",
        "weather": "Data frames: four files, a question, a picture",
        "sort": "Scale: sort and argsort",
    }
    found = []
    for name in only:
        script, *arguments = scripts[name]
        words = [str(folder / script), *arguments]
        shown = " ".join([f"examples/{script}", *arguments])
        found.append(Step(titles[name], [sys.executable, *words], f"python {shown}"))
        on_pes = [sys.executable, "-m", "atoll", "run", "-n", str(pes), *words]
        found.append(Step(f"{titles[name]}, on {pes} PEs", on_pes, f"atoll run -n {pes} {shown}"))
    # First all in one process, then all on several PEs.
    return found[0::2] + found[1::2]


def command() -> str:
    """How this shell calls this environment's `atoll`: by its name where PATH leads to it, else by its path."""
    beside = Path(sys.executable).with_name("atoll")
    found = shutil.which("atoll")
    if found is not None and Path(found).resolve() == beside.resolve():
        return "atoll"
    return os.path.relpath(beside) if beside.is_relative_to(Path.cwd()) else str(beside)


def run(out: Path, pes: int, size: int | None, only: Sequence[str]) -> int:
    """Runs the steps; the exit code of the first that fails."""
    from rich.console import Console

    console = Console(highlight=False)
    start = time.perf_counter()
    every = steps(out, pes, size, only)
    for number, step in enumerate(every, 1):
        console.rule(f"[bold]{number}/{len(every)}  {step.title}", align="left", style="cyan")
        console.print(f"[dim]$ {step.shown}[/dim]", soft_wrap=True)
        code = subprocess.run(step.command, check=False).returncode
        if code != 0:
            console.print(f"[bold red]failed[/bold red] with status {code}: {step.shown}")
            return code if code > 0 else 128 - code
    console.rule(style="cyan")
    console.print(f"All of it in {time.perf_counter() - start:.0f} s. Next: `{command()} bench list`, README.md")
    return 0
