# SPDX-License-Identifier: Apache-2.0
"""Programs and scripts under other launchers: MPICH's mpiexec, Open MPI's prterun and mpirun."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from built import ROOT, needs_core

SCRIPTS = Path(__file__).parent / "spmd"
PROGRAM = ROOT / "build/release/tests/pe_program"
MPI = ROOT / "build/release/tests/mpi"
PORTALS = ROOT / "build/release/tests/portals/portals_door"

pytestmark = [pytest.mark.slow, needs_core]


def tool(name, *options):
    """A launcher's command line, or none: looked for beside this Python (wheels put theirs there) and on the PATH."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    return [found, *options] if found else None


LAUNCHERS = {
    "mpiexec.hydra": tool("mpiexec.hydra"),
    "prterun": tool("prterun", "--allow-run-as-root", "--map-by", ":oversubscribe"),
    "mpirun.openmpi": tool("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"),
}


@pytest.fixture(params=sorted(LAUNCHERS))
def launcher(request):
    command = LAUNCHERS[request.param]
    if command is None:
        pytest.skip(f"{request.param} is not installed")
    return command


def run(launcher, pes, *command, timeout=60, **environment):
    return subprocess.run(
        [*launcher, "-n", str(pes), *map(str, command)],
        capture_output=True, text=True, timeout=timeout, check=False,
        env={**os.environ, "ATOLL_GRAIN": "4", "ATOLL_HEAP_SIZE": "1G", "ATOLL_THREADS": "1", **environment},
    )  # fmt: skip


def left_behind(mark):
    """Processes with `mark` in their command line, but this one. Launchers may go a little before their PEs."""
    for _ in range(100):
        if not (found := running(mark)):
            break
        time.sleep(0.1)
    return found


def running(mark):
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if mark in words and int(entry.parent.name) != os.getpid():
            found.append(words)
    return found


def names_the_failure(done):
    """Whether a survivor named the PE, or its launcher, which may be faster, the process."""
    text = done.stderr + done.stdout
    return (
        re.search(r"PE \d+ \(pid \d+\)|PID \d+ RUNNING AT|(process rank|PMI.*rank) \d|on signal 9|proc-aborted", text)
        is not None
    )


@pytest.mark.parametrize("pes", [2, 4, 5])
def test_a_script_gives_the_answers_of_one_process(launcher, pes):
    alone = subprocess.run(
        [sys.executable, SCRIPTS / "answers.py"], capture_output=True, text=True, timeout=60, check=True
    )
    done = run(launcher, pes, sys.executable, SCRIPTS / "answers.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == alone.stdout


def test_every_process_is_a_pe(launcher):
    code = """
import atoll as ak, sys
s = ak.init()
assert s.kind == 'spmd'
sys.stdout.write(f'{s.pe} {s.pes} {int(ak.arange(100).sum())}\\n')  # at once: launchers pass on pieces
"""
    done = run(launcher, 4, sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split("\n")) == ["", *(f"{pe} 4 4950" for pe in range(4))]


@pytest.mark.parametrize("pes", [2, 3])
def test_portals_programs_are_started_by_pmi(launcher, pes):
    done = run(launcher, pes, PORTALS, TEST_RANKS=str(pes))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not (MPI / "message").exists(), reason="needs the MPI test programs")
@pytest.mark.parametrize("program", ["message", "collective", "windows"])
def test_mpi_programs_are_started(launcher, program):
    done = run(launcher, 4, MPI / program)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_is_a_job_of_its_own_when_asked(launcher):
    code = "import atoll as ak; print(ak.init().kind)"
    done = run(launcher, 2, sys.executable, "-c", code, ATOLL_BOOTSTRAP="none")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["embedded", "embedded"]


def test_a_killed_pe_ends_the_job_and_is_named(launcher):
    mark = f"mark-{os.getpid()}-{time.time_ns()}"
    code = f"""
import os, signal, atoll as ak
mark = "{mark}"
a = ak.arange(1000)
ak.barrier()
if ak.pe() == 1: os.kill(os.getpid(), signal.SIGKILL)
for _ in range(1000): ak.barrier()
"""
    begin = time.monotonic()
    done = run(launcher, 3, sys.executable, "-c", code)
    assert done.returncode != 0
    assert names_the_failure(done), done.stderr
    assert time.monotonic() - begin < 30
    assert not left_behind(mark)


@pytest.mark.skipif(not (MPI / "outlives").exists(), reason="needs the MPI test programs")
def test_a_killed_rank_of_mpi_ends_the_job_and_is_named(launcher):
    mark = f"mark-{os.getpid()}-{time.time_ns()}"
    job = subprocess.Popen(
        [*launcher, "-n", "3", str(MPI / "outlives"), "ends", mark], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "ATOLL_HEAP_SIZE": "256M", "ATOLL_THREADS": "1"},
    )  # fmt: skip
    for _ in range(3):
        assert job.stdout.readline().strip().endswith("ready")
    ranks = [
        int(entry.parent.name)
        for entry in Path("/proc").glob("[0-9]*/cmdline")
        if entry.read_bytes().startswith(bytes(MPI / "outlives")) and mark.encode() in entry.read_bytes()
    ]
    os.kill(ranks[1], signal.SIGKILL)
    output, errors = job.communicate(timeout=60)
    done = subprocess.CompletedProcess(job.args, job.returncode, output, errors)
    assert done.returncode != 0
    assert names_the_failure(done), done.stderr
    assert not left_behind(mark)


def test_an_exception_on_one_pe_ends_the_job(launcher):
    mark = f"mark-{os.getpid()}-{time.time_ns()}"
    code = f"""
import atoll as ak
mark = "{mark}"
ak.barrier()
if ak.pe() == 2: raise KeyError("just here")
for _ in range(1000): ak.barrier()
"""
    done = run(launcher, 3, sys.executable, "-c", code)
    assert done.returncode != 0
    assert "just here" in done.stderr
    assert not left_behind(mark)


@pytest.mark.skipif(not PROGRAM.exists(), reason="needs the C++ test program")
@pytest.mark.parametrize("what", ["die", "leave", "stubborn"])
def test_programs_that_die_or_go_on_are_ended(launcher, what):
    begin = time.monotonic()
    done = run(launcher, 4, PROGRAM, what)
    # MPICH's ends the others when one leaves, and may report the status of that one.
    assert done.returncode != 0 or (what == "leave" and "hydra" in launcher[0])
    assert time.monotonic() - begin < 20
    assert what == "leave" or names_the_failure(done), done.stderr
    assert not left_behind(f"{PROGRAM} {what}")
