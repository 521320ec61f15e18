# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of a data file of `programs/`, each as a job of its own, and says which did not behave.

usage: run_programs.py FILE.toml --program BINARY --launcher OSHRUN [--only TEXT]

Of each program, and before them for the whole file: `pes`, the numbers of PEs (0: without the launcher); `arguments`,
lists to take one each of; `environment`, `over` (variables and the values to take in turn); `status`, what the job
exits with, a number or "failure"; `lines`, expressions that must each match a line of the output ({last} is the last
PE); `silent`, nothing is written; `complaints`, an expression that at least one line, and at the most one of each PE,
matches; `within_s`, seconds from the line "dying at ..." to the end of the job; `one_node`, it is for PEs of one node
alone. No process is left after a job.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT_S = 90
MARK = "OSH_TEST_JOB"
# On several hosts what computes is killed five seconds after the death.
GRACE_S = 8
NAMES = ["reef", "shoal", "cay"]


@dataclass(frozen=True)
class Job:
    """One run of one program."""

    name: str
    section: str
    number: int
    pes: int
    arguments: tuple[str, ...]
    environment: dict[str, str]
    about: dict[str, Any]

    def __str__(self) -> str:
        return " ".join(
            [self.name, *self.arguments, *(f"{k}={v}" for k, v in self.environment.items()), f"({self.pes} PEs)"]
        )


def jobs(text: dict[str, Any]) -> Iterator[Job]:
    for number, program in enumerate(text["program"]):
        about = {key: value for key, value in text.items() if key not in ("program", "prelude")} | program
        environment = text.get("environment", {}) | program.get("environment", {})
        over = about.get("over", {})
        for pes in about["pes"]:
            for arguments in itertools.product(*about.get("arguments", [])):
                for values in itertools.product(*over.values()):
                    chosen = environment | dict(zip(over, values, strict=True))
                    yield Job(program["name"], program["section"], number, pes, arguments, chosen, about)


def marked(mark: str) -> list[int]:
    """Processes that were started with this mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # ended, or not ours
    return found


def start_of(job: Job, launcher: str, nodes: int) -> list[str]:
    """The launcher and its options; over several nodes, as many PEs on each, the first ones one more."""
    if not job.pes:
        return []
    if nodes == 1:
        return [launcher, "-np", str(job.pes)]
    nodes = min(nodes, job.pes)
    shares = [job.pes // nodes + (node < job.pes % nodes) for node in range(nodes)]
    hosts = ",".join(f"{name}:{share}" for name, share in zip(NAMES, shares, strict=False))
    return [launcher, "--hosts", hosts, "--address", "127.0.0.1", "--launch-agent", "env ATOLL_NODE_NAME={host}"]


def run(job: Job, program: str, launcher: str, nodes: int, grace_s: float) -> list[str]:
    """Runs it; what did not hold."""
    mark = f"{os.getpid()}.{time.monotonic_ns()}"
    command = [*start_of(job, launcher, nodes), program, str(job.number), *job.arguments]
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("SHMEM_", "SMA_"))}
    shared_before = set(Path("/dev/shm").glob("*atoll*"))
    size = {} if "SMA_SYMMETRIC_SIZE" in job.environment else {"SHMEM_SYMMETRIC_SIZE": "64M"}
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**inherited, **size, **job.environment, MARK: mark},
        start_new_session=True,
    )
    try:
        output, _ = child.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)
        output, _ = child.communicate()
        return [f"did not end within {LIMIT_S} s", output]
    ended = time.clock_gettime(time.CLOCK_MONOTONIC)
    wrong = [f"wrong: {line}" for line in judge(job, child.returncode, output, grace_s, ended)]
    for _ in range(20):  # what was killed may take a moment to be gone
        left = marked(mark)
        if not left:
            break
        time.sleep(0.05)
    if left:
        wrong.append(f"wrong: processes {left} are left")
    if shared := set(Path("/dev/shm").glob("*atoll*")) - shared_before:
        wrong.append(f"wrong: {sorted(map(str, shared))} left")
    return [*wrong, *(f"  | {line}" for line in output.splitlines()[:40])] if wrong else []


def judge(job: Job, status: int, output: str, grace_s: float, ended: float) -> Iterator[str]:
    lines = output.splitlines()
    wanted = job.about.get("status", 0)
    if status == 0 if wanted == "failure" else status != wanted:
        yield f"exited with {status}, wanted {wanted}"
    for expression in job.about.get("lines", []):
        pattern = expression.replace("{last}", str(job.pes - 1))
        if not any(re.search(pattern, line) for line in lines):
            yield f"no line matches {pattern}"
    if job.about.get("silent") and output:
        yield "something was written"
    if "complaints" in job.about:
        complaints = [match for line in lines if (match := re.search(job.about["complaints"], line))]
        if not 1 <= len(complaints) <= max(job.pes, 1):
            yield f"{len(complaints)} lines complain"
    if "within_s" in job.about:
        died = [float(line.split()[-1]) for line in lines if line.startswith("dying at ")]
        if not died or ended - min(died) > job.about["within_s"] + grace_s:
            yield f"took {ended - min(died):.2f} s from the death to the end" if died else "no PE died"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--program", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--nodes", type=int, default=1, help="pretended, with the PEs spread over them: at most 3")
    parser.add_argument("--grace", type=float, default=0, help="seconds that an end may take longer: under sanitizers")
    parser.add_argument("--only", default="", help="run the programs whose name holds this")
    chosen = parser.parse_args()
    grace_s = chosen.grace + (GRACE_S if chosen.nodes > 1 else 0)
    ran = failed = 0
    for job in jobs(tomllib.loads(chosen.file.read_text())):
        if chosen.only not in str(job) or (chosen.nodes > 1 and (job.about.get("one_node") or job.pes == 0)):
            continue
        ran += 1
        if wrong := run(job, chosen.program, chosen.launcher, chosen.nodes, grace_s):
            failed += 1
            print(f"FAILED {job}, {job.section}:", *wrong, sep="\n", flush=True)
    print(f"{ran - failed} of {ran} jobs behave")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
