# SPDX-License-Identifier: Apache-2.0
"""Subprocesses of a run, which end with it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from atoll.bench import toolchains
from atoll.experiment import PointFailed

ATOLL = [sys.executable, "-m", "atoll"]


def ending_with_us() -> list[str]:
    """Before exec: the kernel ends it when this process ends, even if killed, so it cannot disturb later runs."""
    found = shutil.which("setpriv")
    return [found, "--pdeathsig", "TERM", "--"] if found else []


def run(command: Sequence[str], timeout_s: float, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a command that ends with this process; PointFailed when it cannot start or takes too long."""
    try:
        process = subprocess.Popen(
            [*ending_with_us(), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace", **options,
        )  # fmt: skip
    except OSError as error:
        raise PointFailed(f"{command[0]} does not start: {error.strerror}") from None
    try:
        out, err = process.communicate(timeout=timeout_s)
    except BaseException as error:
        toolchains.end(process)
        if isinstance(error, subprocess.TimeoutExpired):
            raise PointFailed(f"it has not ended within timeout_s = {timeout_s:.0f}") from None
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """The last output of a failed command, in one line."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    said = [line for line in lines if re.match(r"\S*(Error|atoll)\S*: ", line)]
    return (said or lines or [f"status {done.returncode}"])[-1].removeprefix("atoll: ").removeprefix("atoll-run: ")
