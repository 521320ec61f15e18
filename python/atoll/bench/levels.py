# SPDX-License-Identifier: Apache-2.0
"""The SIMD level as a dimension: one process per level, since libraries choose theirs once; they run in turns."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from atoll.bench import BenchError
from atoll.bench.registry import Case, Request, Setup
from atoll.bench.result import Result

#: SIMD levels, lowest first.
LEVELS = ("sse4", "avx2", "avx512")
#: NumPy's, Arrow's and LLVM's (numba's) names of them. Polars and DuckDB have no setting.
NUMPY_BEYOND = {"sse4": ("AVX", "F16C", "FMA", "X86_V3", "X86_V4"), "avx2": ("AVX512", "X86_V4"), "avx512": ()}
ARROW = {"sse4": "SSE4_2", "avx2": "AVX2", "avx512": "AVX512"}
LLVM = {"sse4": "x86-64-v2", "avx2": "x86-64-v3", "avx512": "x86-64-v4"}


def best() -> str:
    """The level that this process uses."""
    from atoll import _core

    return str(_core.info()["simd"])


def environment(level: str) -> dict[str, str]:
    """Environment variables that limit Atoll, and libraries with such a setting, to a level."""
    dispatched = importlib.import_module("numpy._core._multiarray_umath").__cpu_dispatch__
    disabled = [name for name in dispatched if name.startswith(NUMPY_BEYOND[level])]
    found = {
        "ATOLL_SIMD": level,
        "ARROW_USER_SIMD_LEVEL": ARROW[level],
        "NUMBA_CPU_NAME": LLVM[level],
        "NUMBA_CPU_FEATURES": "",
    }
    return found | ({"NPY_DISABLE_CPU_FEATURES": " ".join(disabled)} if disabled else {})


def check(levels: Sequence[str]) -> None:
    for level in levels:
        if level not in LEVELS:
            raise BenchError(f"there is no SIMD level '{level}'. There are: {', '.join(LEVELS)}")
        if best() not in LEVELS or LEVELS.index(level) > LEVELS.index(best()):
            raise BenchError(f"kernels here go up to {best()}, which is less than {level}")


class LevelProcess:
    """The contenders of a case, set up at one level in a process that runs `level_process`."""

    def __init__(self, level: str, job: dict[str, Any]) -> None:
        self.level = level
        # With the same thread settings as this process, which reads its standard output.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "atoll.bench.level_process"],
            env={**os.environ, **environment(level)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._send(job)

    def __enter__(self) -> LevelProcess:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:  # closes its input, whose end makes it exit
            pass

    def ask(self) -> dict[str, Any]:
        """Its next answer: first the contenders that it set up, then one after each `turn`."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise BenchError(f"the process of {self.level} ended: see what it wrote above")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise BenchError(f"{self.level}: {answer['error']}")
        return answer

    def turn(self) -> dict[str, float]:
        """Seconds of one run of each contender, in turns."""
        self._send({})
        return dict(self.ask()["seconds"])

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def run_case_at(
    levels: Sequence[str],
    case: Case,
    request: Request,
    setup: Setup,
    against: Sequence[str],
    trials: int,
    tick: Callable[[str], None] = lambda name: None,
) -> list[Result]:
    """One case at each level: trial by trial, each level's contenders run before the next level's."""
    check(levels)
    job = {
        "case": case.name,
        "request": dataclasses.asdict(request),
        "setup": dataclasses.asdict(setup),
        "against": list(against),
    }
    with ExitStack() as stack:
        # One after the other, because setting up uses all cores.
        processes, made = [], []
        for level in levels:
            processes.append(stack.enter_context(LevelProcess(level, job)))
            made.append(processes[-1].ask())
        seconds: list[dict[str, list[float]]] = [{} for _ in levels]
        for _ in range(trials):
            for process, found in zip(processes, seconds, strict=True):
                tick(process.level)
                for name, one in process.turn().items():
                    found.setdefault(name, []).append(one)
    return [
        Result(
            case,
            request,
            setup,
            one["bytes"],
            found,
            one["checksums"],
            one["skipped"],
            moved_ratio=one["moved"],
            phases=one["phases"],
            simd=level,
        )
        for level, one, found in zip(levels, made, seconds, strict=True)
    ]
