# SPDX-License-Identifier: Apache-2.0
"""MPI and OpenSHMEM programs that wait for a stopped process (SIGSTOP): messages name it, and with ATOLL_PEER_TIMEOUT
set the job ends."""

import os
import re
import signal
import subprocess
import time

import pytest
from built import ROOT
from campaign import family

OUTLIVES = ROOT / "build/release/tests/mpi/outlives"
MPIEXEC = ROOT / "build/release/mpi/bin/mpiexec"
OSHCC, OSHRUN = (ROOT / "build/release/shmem/bin" / name for name in ("oshcc", "oshrun"))
TIMEOUT_S = 2
SLACK_S = 10  # of a busy machine

WAITS = """
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>
static long word;
int main(void) {
  shmem_init();
  shmem_barrier_all();
  puts("ready");
  fflush(stdout);
  if (shmem_my_pe() != 0) {
    while (shmem_long_atomic_fetch(&word, 1) == 0) usleep(10000);
    shmem_long_p(&word, 1, 0);
  } else {
    shmem_long_wait_until(&word, SHMEM_CMP_NE, 0);
  }
  shmem_finalize();
  return 0;
}
"""


@pytest.fixture(params=["mpi", "openshmem"])
def command(request, tmp_path):
    if request.param == "mpi":
        if not OUTLIVES.exists():
            pytest.skip("needs the MPI test programs")
        return [MPIEXEC, "-n", "2", OUTLIVES, "waits"]
    if not OSHCC.exists():
        pytest.skip("needs oshcc")
    (tmp_path / "waits.c").write_text(WAITS)
    subprocess.run([OSHCC, "-O1", tmp_path / "waits.c", "-o", tmp_path / "waits"], check=True)
    return [OSHRUN, "-np", "2", tmp_path / "waits"]


def start(command, **environment):
    """The job, and the process of its PE 1, which is stopped once both PEs are ready."""
    job = subprocess.Popen(
        [str(word) for word in command], env={**os.environ, "ATOLL_HEAP_SIZE": "256M", **environment},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert [job.stdout.readline() for _ in range(2)] == ["ready\n"] * 2
    (pe,) = [pid for pid in family(job.pid) if is_pe_1(pid, str(command[3]))]
    os.kill(pe, signal.SIGSTOP)
    return job, pe


def is_pe_1(pid, program):
    try:
        with open(f"/proc/{pid}/environ", "rb") as environ, open(f"/proc/{pid}/cmdline", "rb") as words:
            return words.read().startswith(program.encode()) and b"ATOLL_PE=1\0" in environ.read()
    except OSError:
        return False


def test_the_job_ends_and_names_the_stopped_pe_within_the_timeout(command):
    begin = time.monotonic()
    job, pe = start(command, ATOLL_PEER_TIMEOUT=str(TIMEOUT_S))
    _, errors = job.communicate(timeout=60)
    assert job.returncode != 0
    assert re.search(
        rf"^atoll-\w+: (rank|PE) 0: \w+: PE 1 \(stopped\) has not answered for {TIMEOUT_S} s \(ATOLL_PEER_TIMEOUT\)\. "
        rf"Let it go on \(kill -CONT {pe}\), or end the job\?$",
        errors,
        re.MULTILINE,
    ), errors
    assert time.monotonic() - begin < TIMEOUT_S + 2 + SLACK_S


@pytest.mark.slow
def test_without_a_timeout_a_warning_names_the_stopped_pe_and_the_wait_goes_on(command):
    environment = {"ATOLL_PEER_TIMEOUT": ""}
    job, pe = start(command, **environment)
    try:
        line = job.stderr.readline()
        assert re.search(rf"warning: PE 1 is stopped \(kill -CONT {pe} lets it go on\), and PE 0 waits", line), line
        assert job.poll() is None
    finally:
        job.terminate()
        os.kill(pe, signal.SIGCONT)
        job.communicate(timeout=60)
