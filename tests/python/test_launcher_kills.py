# SPDX-License-Identifier: Apache-2.0
"""Each process of a job is killed in turn: an error names it, the job ends, and no process remains."""

import atexit
import contextlib
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from built import ROOT, needs_launcher
from test_faults import NODES

from atoll import _core

pytestmark = needs_launcher
RUN = ROOT / "python/atoll/bin/atoll-run"
END_S = 120  # when a job and its processes have ended, on a machine under load

SCRIPT = """
import atoll as ak
a = ak.arange(1000).evaluate()
print("ready", flush=True)
while True:
    a.sum()
"""

OPENSHMEM = """
#include <shmem.h>
#include <stdio.h>
int main(void) {
  shmem_init();
  shmem_barrier_all();
  puts("ready");
  fflush(stdout);
  for (;;) shmem_barrier_all();
}
"""

WAYS = {
    "atoll run": [sys.executable, "-m", "atoll", "run", "-n", "2"],
    "atoll-run": [str(RUN), "-n", "2"],
    "hosts": [sys.executable, "-m", "atoll", "run", *NODES[:1], "a:1,b:1", *NODES[2:]],
    "mpiexec": [str(ROOT / "build/release/mpi/bin/mpiexec"), "-n", "2"],
    "oshrun": [str(ROOT / "build/release/shmem/bin/oshrun"), "-np", "2"],
}


@functools.cache
def program_of(way):
    """What the job of a launcher runs."""
    if way == "mpiexec":
        return [str(ROOT / "build/release/tests/mpi/outlives"), "ends"]
    if way == "oshrun":
        folder = Path(tempfile.mkdtemp())
        atexit.register(shutil.rmtree, folder)
        (folder / "meets.c").write_text(OPENSHMEM)
        compiler = ROOT / "build/release/shmem/bin/oshcc"
        subprocess.run([compiler, "-O1", folder / "meets.c", "-o", folder / "meets"], check=True)
        return [str(folder / "meets")]
    return [sys.executable, "-c", SCRIPT]


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def descendants(pid):
    """Processes below one, parents first."""
    children = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            children.setdefault(parent_of(entry.name), []).append(int(entry.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found[1:]


def alive(pids):
    found = []
    for pid in pids:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append(pid)
        except OSError:
            pass
    return found


def everything_ends(pids, within_s=END_S):
    until = time.monotonic() + within_s
    while (left := alive(pids)) and time.monotonic() < until:
        time.sleep(0.05)
    return not left


def shared_files():
    """Those of Atoll alone: other programs of this machine make and remove theirs at any time."""
    return set(Path("/dev/shm").glob("*atoll*"))


def role_of(pid):
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return " ".join(os.path.basename(word.decode(errors="replace")) for word in words[:3])


def job(way):
    started = subprocess.Popen(
        [*WAYS[way], *program_of(way)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "ATOLL_THREADS": "1", "ATOLL_HEAP_SIZE": "1G", "ATOLL_PEER_TIMEOUT": "10"},
    )  # fmt: skip
    assert [started.stdout.readline() for _ in range(2)] == ["ready\n"] * 2, started.communicate(timeout=END_S)
    return started


def kill_each(way):
    """Kills a process of a new job, for each of its processes in turn."""
    number = 0
    while True:
        started = job(way)
        pids = [started.pid, *descendants(started.pid)]
        shared = shared_files()
        if number == len(pids):
            started.send_signal(signal.SIGTERM)
            started.communicate(timeout=END_S)
            assert everything_ends(pids)
            assert number >= 4
            return
        victim, role = pids[number], role_of(pids[number])
        os.kill(victim, signal.SIGKILL)
        _, errors = started.communicate(timeout=END_S)
        assert everything_ends(pids), (role, [role_of(pid) for pid in alive(pids)], errors)
        assert started.returncode != 0, role
        assert re.search(r"killed|ended|lost|gone|reach", errors), (number, role, errors)
        assert shared_files() <= shared, role
        number += 1


@pytest.mark.parametrize(
    "way",
    [
        pytest.param("atoll run", marks=pytest.mark.slow),
        "atoll-run",
        pytest.param("hosts", marks=pytest.mark.slow),
        "mpiexec",
        "oshrun",
    ],
)
def test_the_death_of_each_process_is_reported_and_ends_the_job(way):
    if way == "hosts" and _core.info()["network"].startswith("none"):
        pytest.skip("no network between nodes")
    if way in ("mpiexec", "oshrun") and not (ROOT / "build/release/tests/mpi/outlives").exists():
        pytest.skip("needs the programs of a build with tests")
    kill_each(way)


def test_the_death_of_the_inner_launcher_is_reported():
    started = job("atoll-run")
    pids = descendants(started.pid)
    os.kill(pids[0], signal.SIGKILL)
    _, errors = started.communicate(timeout=END_S)
    assert f"the inner process of this launcher (pid {pids[0]}) was killed by signal 9" in errors
    assert everything_ends(pids)


def test_the_death_of_the_outer_launcher_is_reported():
    started = job("atoll-run")
    pids = descendants(started.pid)
    started.kill()
    _, errors = started.communicate(timeout=END_S)
    assert "the outer process of this launcher was killed" in errors
    assert everything_ends(pids)
