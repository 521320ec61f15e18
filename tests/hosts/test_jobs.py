# SPDX-License-Identifier: Apache-2.0
"""Jobs of Atoll over two hosts: PEs meet over the network, work as on one host, and are notified of failures."""

import os
import re
import signal
import subprocess
import sys
import time

import hosts as network
import pytest
from built import ROOT, needs_core, needs_launcher

PROGRAM = ROOT / "build/release/tests/pe_program"
SHMEM = ROOT / "build/release/tests/shmem"
SMALL = {"ATOLL_HEAP_SIZE": "256M", "SHMEM_SYMMETRIC_SIZE": "64M", "ATOLL_THREADS": "1"}
CHAPTERS = ["setup", "memory", "teams", "contexts", "rma", "atomics", "signals", "collectives", "reductions", "wait"]

pytestmark = [
    needs_launcher,
    pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-"),
    pytest.mark.skipif(not PROGRAM.exists(), reason="needs the C++ test program"),
]


LONG_PUTS = r"""
#include <shmem.h>
#include <string.h>
enum { BYTES = 8 << 20 };
int main(void) {
  shmem_init();
  int me = shmem_my_pe(), other = 1 - me, wrong = 0;
  char* from = shmem_malloc(BYTES);
  char* to = shmem_malloc(BYTES);
  for (int i = 1; i <= 4; ++i) {
    memset(from, 10 * i + me, BYTES);
    shmem_putmem(to, from, BYTES, other);
    shmem_barrier_all();
    for (int k = 0; k < BYTES; ++k) wrong += to[k] != 10 * i + other;
    shmem_barrier_all();
  }
  shmem_finalize();
  return wrong != 0;
}
"""


@pytest.fixture(scope="module")
def hosts():
    with network.Hosts(2) as made:
        yield made


@pytest.mark.parametrize("slots", [1, 2])
def test_pes_of_two_hosts_meet(hosts, slots):
    done = hosts.run(PROGRAM, "hello", slots=slots, **SMALL)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"hello from {pe} of {2 * slots}" for pe in range(2 * slots)]


# die: the last PE is killed in the middle of barriers; leave: PE 0 goes without a word; status: PE k exits with k.
@pytest.mark.parametrize(("what", "victim", "status"), [("die", 3, 137), ("leave", 0, 1), ("status", 3, 3)])
def test_the_end_of_a_pe_is_reported_on_both_hosts(hosts, what, victim, status):
    begin = time.monotonic()
    done = hosts.run(PROGRAM, what, slots=2, **SMALL)
    assert done.returncode == status, done.stderr
    assert re.search(rf"atoll-run: PE {victim} .*host {hosts.names[victim // 2]}", done.stderr)
    if what != "status":
        told = [line for line in done.stdout.splitlines() if line.startswith(f"survivor: PE {victim} ")]
        assert len(told) == 3, done.stdout
    assert time.monotonic() - begin < 20
    assert hosts.everything_ends(2)


def sent(hosts, host, interface):
    return int(hosts.on(host, "cat", f"/sys/class/net/{interface}/statistics/tx_bytes").stdout)


def test_long_transfers_are_divided_among_interfaces(tmp_path):
    (tmp_path / "puts.c").write_text(LONG_PUTS)
    subprocess.run([ROOT / "build/release/shmem/bin/oshcc", tmp_path / "puts.c", "-o", tmp_path / "puts"], check=True)
    with network.Hosts(2, cables=2) as hosts:
        for interfaces, least in (("eth0,eth1", 14 << 20), ("eth1", 32 << 20)):
            before = [sent(hosts, host, "eth1") for host in (0, 1)]
            done = hosts.run(tmp_path / "puts", slots=1, ATOLL_FABRIC_INTERFACES=interfaces, **SMALL)
            assert (done.returncode, done.stderr) == (0, "")
            for host in (0, 1):
                assert least < sent(hosts, host, "eth1") - before[host] < least * 1.3
        done = hosts.run(tmp_path / "puts", slots=1, ATOLL_FABRIC_INTERFACES="eth7", **SMALL)
        assert done.returncode != 0
        assert re.search("names 'eth7': the network's provider has .*eth[01], eth[01]", done.stderr)


@pytest.mark.slow
def test_a_pe_that_ignores_failures_is_ended(hosts):
    done = hosts.run(PROGRAM, "stubborn", slots=2, **SMALL)
    assert done.returncode == 128 + signal.SIGKILL
    assert hosts.everything_ends(2)


@pytest.mark.parametrize("status", [0, 7])
def test_one_pe_can_end_the_whole_job(hosts, status):
    done = hosts.run(PROGRAM, "end", status, 3, slots=2, **SMALL)
    assert done.returncode == status
    assert "word of 3;" in done.stdout
    assert "atoll-run:" not in done.stderr


@needs_core
def test_a_crash_is_a_crash(hosts, tmp_path, monkeypatch):
    """Libraries that come with libfabric must not catch it."""
    monkeypatch.chdir(tmp_path)
    crash = "ak.pe() == 1 and os.kill(os.getpid(), signal.SIGSEGV)"
    code = f"import os, signal, atoll as ak; ak.barrier(); {crash}; ak.barrier()"
    environment = {**SMALL, "PYTHONPATH": str(ROOT / "python"), "ATOLL_HEAP_SIZE": "1G"}
    done = hosts.run(sys.executable, "-c", code, slots=1, **environment)
    assert done.returncode == 128 + signal.SIGSEGV, done.stderr
    assert "was killed by signal 11" in done.stderr
    assert [file.name for file in tmp_path.iterdir() if not file.name.startswith("core")] == []


@needs_core
@pytest.mark.slow
@pytest.mark.parametrize("slots", [1, 2])
def test_arrays_give_the_answers_of_one_process(hosts, slots):
    script = ROOT / "tests/python/spmd/answers.py"
    environment = {**SMALL, "PYTHONPATH": str(ROOT / "python"), "ATOLL_HEAP_SIZE": "1G", "ATOLL_GRAIN": "4"}
    alone = subprocess.run(
        [sys.executable, script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    done = hosts.run(sys.executable, script, slots=slots, timeout=200, **environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout == alone.stdout


@needs_core
@pytest.mark.slow
def test_symmetric_arrays_on_two_hosts(hosts):
    script = ROOT / "tests/python/spmd/shmem_all.py"
    environment = {**SMALL, "PYTHONPATH": str(ROOT / "python"), "ATOLL_HEAP_SIZE": "1G"}
    done = hosts.run(sys.executable, script, slots=2, timeout=200, **environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all parts hold on 4 PEs\n"


@pytest.mark.slow
@pytest.mark.parametrize("program", ["message", "collective", "communicators", "objects"])
def test_mpi_on_two_hosts(hosts, program):
    path = ROOT / "build/release/tests/mpi" / program
    if not path.exists():
        pytest.skip("needs the MPI test programs")
    done = hosts.run(path, slots=2, timeout=200, **SMALL)
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_openshmem_on_two_hosts(hosts, chapter):
    program = SHMEM / f"{chapter}_c"
    if not program.exists():
        pytest.skip("needs the OpenSHMEM test programs")
    done = hosts.run("-x", "OSH_PES_PER_NODE=2", program, slots=2, timeout=200, **SMALL)
    assert done.returncode == 0, done.stderr + done.stdout
