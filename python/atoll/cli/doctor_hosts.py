# SPDX-License-Identifier: Apache-2.0
"""`atoll doctor --hosts`: checks each host through the launcher itself, under the conditions of a job."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from atoll.cli.common import CommandError
from atoll.cli.doctor_report import Report, describe, judge
from atoll.cli.run import launcher

#: Difference in seconds between the clocks of two hosts that is reported.
CLOCK_LIMIT = 1.0
#: Number of hosts that are checked at a time.
AT_ONCE = 16
#: Requests for the time; the fastest answer is the most precise.
PINGS = 10

#: The test job over all hosts: an all-gather of PE numbers.
JOB = "import atoll as ak; n = ak.pes(); assert int((ak.arange(1000 * n) + 1).sum()) == 500 * n * (1000 * n + 1)"


def names_of(listed: str | None, file: Path | None) -> list[str]:
    """The hosts' names, each once, without numbers of PEs. The launcher reports invalid hosts."""
    if listed is not None:
        words = listed.split(",")
    else:
        try:
            lines = (file or Path()).read_text().splitlines()
        except OSError as error:
            raise CommandError(f"cannot read {file}: {error.strerror}") from None
        words = [line.split("#")[0].split()[0] for line in lines if line.split("#")[0].strip()]
    names = [re.sub(r"^\[(.*)\](:\d+)?$", r"\1", word) if word.startswith("[") else word for word in words]
    return list(dict.fromkeys(re.sub(r"^([^:]*):\d+$", r"\1", name) for name in names))


def options(arguments: argparse.Namespace) -> list[str]:
    given = []
    if arguments.launch_agent:
        given += ["--launch-agent", arguments.launch_agent]
    if arguments.address:
        given += ["--address", arguments.address]
    return given


def host_list(names: Sequence[str]) -> str:
    return ",".join(f"[{name}]:1" if ":" in name else f"{name}:1" for name in names)


@dataclass
class Visit:
    """The check of one host, and its result."""

    name: str
    report: Report | None = None
    error: str = ""
    #: seconds until the first answer: start of agent, handshake and start of Python
    start_seconds: float = 0.0
    #: seconds of a request and its answer, through launcher and agent
    round_trip_seconds: float = 0.0
    #: offset of its clock from ours; accurate to half a round trip
    clock_seconds: float = 0.0
    #: the address to which its agent connected
    address: str = ""
    said: list[str] = field(default_factory=list)

    def run(self, given: Sequence[str], timeout: float) -> Visit:
        program = [sys.executable, "-u", "-m", "atoll", "doctor", "--answer"]
        command = [launcher(), "--hosts", host_list([self.name]), *given, *program]
        begin = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "ATOLL_LOG": "info"},
        )  # fmt: skip
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(timeout, give_up)
        timer.start()
        try:
            self._ask(process, begin)
        except (OSError, ValueError):
            self.report = None
        finally:
            _, errors = process.communicate()
            timer.cancel()
        self._listen(errors, f"it has not answered within {timeout:g} s" if late.is_set() else "")
        return self

    def _ask(self, process: subprocess.Popen[str], begin: float) -> None:
        assert process.stdin is not None
        assert process.stdout is not None

        def question(text: str) -> Any:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(text + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())  # ValueError at the end of the stream

        question("time")
        self.start_seconds = time.monotonic() - begin
        self.round_trip_seconds = float("inf")
        for _ in range(PINGS):
            sent, there, received = time.time(), question("time"), time.time()
            if received - sent < self.round_trip_seconds:
                self.round_trip_seconds = received - sent
                self.clock_seconds = there - (sent + received) / 2
        self.report = question("report")

    def _listen(self, errors: str, late: str) -> None:
        lines = []
        for line in errors.splitlines():
            reported = re.search(r"agents report to (\S+)", line)
            if reported:
                self.address = reported[1]
            elif re.match(r"atoll(-run|\[.*\] (warning|error)):", line):
                lines.append(line.removeprefix("atoll-run: ").removeprefix(f"{self.name}: "))
        if self.report is None:
            self.error = late or " / ".join(lines) or "it does not answer"
        else:
            self.said = lines

    def describe(self) -> str:
        if self.report is None:
            return "cannot be used"
        trip_ms, clock_ms = self.round_trip_seconds * 1e3, self.clock_seconds * 1e3
        return (
            f"{describe(self.report)}\n"
            f"up after {self.start_seconds:.2f} s, a question and its answer {trip_ms:.2f} ms, "
            f"clock {clock_ms:+.1f} ms (± {trip_ms / 2:.1f}), reports to {self.address}"
        )

    def problems(self) -> list[str]:
        if self.report is None:
            return [self.error]
        found = [*judge(self.report), *self.said]
        if abs(self.clock_seconds) > CLOCK_LIMIT:
            found.append(
                f"its clock is {self.clock_seconds:+.1f} s off ours: logs of the two cannot be compared. Set up NTP"
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        if self.report is None:
            return {"error": self.error}
        return {
            **self.report, "start_seconds": self.start_seconds, "round_trip_seconds": self.round_trip_seconds,
            "clock_seconds": self.clock_seconds, "address": self.address,
        }  # fmt: skip


def visit_all(names: Sequence[str], arguments: argparse.Namespace) -> list[Visit]:
    given = options(arguments)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda name: Visit(name).run(given, arguments.timeout), names))


@dataclass
class Outcome:
    """The result of a job."""

    seconds: float
    error: str

    def describe(self) -> str:
        return "failed" if self.error else f"works: {self.seconds:.2f} s with one PE on each"

    def problems(self) -> list[str]:
        return [f"a job over all hosts fails: {self.error}"] if self.error else []

    def as_dict(self) -> dict[str, Any]:
        return {"seconds": self.seconds, "error": self.error}


def try_job(names: Sequence[str], arguments: argparse.Namespace) -> Outcome:
    limits = ["--timeout", str(arguments.timeout)]
    command = [launcher(), "--hosts", host_list(names), *limits, *options(arguments), sys.executable, "-c", JOB]
    begin = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    lines = [line for line in done.stderr.splitlines() if re.match(r"\S*Error: |atoll", line)]
    return Outcome(
        seconds, "" if done.returncode == 0 else "; ".join(dict.fromkeys(lines[-4:])) or f"status {done.returncode}"
    )
