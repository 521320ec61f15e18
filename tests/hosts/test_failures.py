# SPDX-License-Identifier: Apache-2.0
"""Jobs over several hosts when a host, the network or a PE fails. Every surviving PE gets an error with the failed PE,
its host and advice, within ATOLL_PEER_TIMEOUT; no process remains; a PE that is only slow is waited for."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import hosts as network
import pytest
from built import ROOT, needs_core, needs_launcher

PROGRAM = ROOT / "build/release/tests/pe_program"
OSHCC = ROOT / "build/release/shmem/bin/oshcc"
SMALL = {"ATOLL_HEAP_SIZE": "1G", "SHMEM_SYMMETRIC_SIZE": "64M", "ATOLL_THREADS": "1"}
# The least that a busy machine needs to start a job.
TIMEOUT_S = 8
SHORT = {**SMALL, "ATOLL_PEER_TIMEOUT": str(TIMEOUT_S), "PYTHONPATH": str(ROOT / "python")}

pytestmark = [
    needs_launcher,
    pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-"),
    pytest.mark.skipif(not PROGRAM.exists(), reason="needs the C++ test program"),
]

# Says "ready" on every PE, then works with all others for ever.
PYTHON = """
import atoll as ak
numbers = ak.arange(200000)
ak.barrier()
print("ready", flush=True)
while True:
    try:
        ak.sort(-numbers).sum().item()
    except ak.PeFailedError as error:
        print("survivor:", error, flush=True)
        raise SystemExit(17) from None
"""
C = """
#include <shmem.h>
#include <stdio.h>
static long word, words[10000];
int main(void) {
  shmem_init();
  shmem_barrier_all();
  puts("ready");
  fflush(stdout);
  for (;;) {
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
      shmem_long_atomic_inc(&word, pe);
      shmem_long_put(words, words, 10000, pe);
    }
    shmem_barrier_all();
  }
}
"""

# Looks for ever, without ever waiting.
LOOKS = """
#include <shmem.h>
#include <stdio.h>
static long word;
int main(void) {
  shmem_init();
  shmem_barrier_all();
  puts("ready");
  fflush(stdout);
  while (!shmem_long_test(&word, SHMEM_CMP_EQ, 1)) continue;
}
"""


# PE 2 ends or stops by the signal of its argument. The others start more operations for it than the network holds.
QUEUES = """
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static long word, words[10000], fetched[10000];
int main(int count, char** arguments) {
  shmem_init();
  shmem_barrier_all();
  puts("ready");
  fflush(stdout);
  if (shmem_my_pe() == 2) raise(atoi(arguments[count - 1]));
  while (shmem_my_pe() != 2) {
    for (int i = 0; i < 10000; ++i) {
      shmem_long_put_nbi(words + i, fetched + i, 1, 2);
      shmem_long_atomic_fetch_add_nbi(fetched + i, &word, 1, 2);
      shmem_long_get_nbi(fetched + i, words + i, 1, 2);
    }
    shmem_quiet();
  }
}
"""


@pytest.fixture
def hosts():
    with network.Hosts(3) as made:
        yield made


def compiled(folder, text):
    if not OSHCC.exists():
        pytest.skip("needs oshcc")
    (folder / "program.c").write_text(text)
    subprocess.run([OSHCC, "-O1", folder / "program.c", "-o", folder / "program"], check=True)
    return folder / "program"


@pytest.fixture(scope="module")
def osh_program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("osh"), C)


class Job:
    """A job whose PEs have all said that they are ready."""

    def __init__(self, hosts, *words, slots=1, **environment):
        self.hosts = hosts
        self.launcher = subprocess.Popen(
            hosts.command(*words, slots=slots), env={**os.environ, **SHORT, **environment}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        for _ in range(slots * len(hosts.names)):
            line = self.launcher.stdout.readline()
            assert line == "ready\n", line + self.launcher.communicate(timeout=60)[1]

    def end(self, within):
        """What the survivors say, and the launcher."""
        begin = time.monotonic()
        output, errors = self.launcher.communicate(timeout=100)
        assert time.monotonic() - begin < within, errors
        assert self.launcher.returncode != 0
        assert self.hosts.everything_ends(TIMEOUT_S + 5)
        told = [line for line in output.splitlines() if line.startswith("survivor: ")]
        return told + re.findall(r"^atoll-shmem: PE \d+: \w+: (.*)$", errors, re.MULTILINE), errors


def words_of(what, tmp_path, osh_program):
    return {
        "waits": [PROGRAM, "idle", tmp_path / "pid"],
        "throws": [PROGRAM, "throws", tmp_path / "pid"],
        "arrays": [sys.executable, "-c", PYTHON],
        "openshmem": [osh_program],
    }[what]


KINDS = pytest.mark.parametrize(
    "what",
    [
        "waits",
        pytest.param("arrays", marks=[needs_core, pytest.mark.slow]),
        pytest.param("openshmem", marks=pytest.mark.slow),
    ],
)
# The ends of PEs that have to be noticed by silence: what is stated, the end of what does not end, and a busy machine.
SILENCE_S = TIMEOUT_S + 20


@KINDS
def test_a_host_whose_processes_are_all_killed(hosts, tmp_path, osh_program, what):
    job = Job(hosts, *words_of(what, tmp_path, osh_program), slots=2)
    hosts.kill(1)
    told, errors = job.end(within=20)
    assert f"host {hosts.names[1]} (PEs 2 to 3): the connection to its agent ended" in errors
    for line in told:
        assert f"on {hosts.names[1]}" in line
    assert len(told) == 4, told


@pytest.mark.parametrize(
    ("what", "number"),
    [
        ("waits", signal.SIGKILL),
        pytest.param("waits", signal.SIGABRT, marks=pytest.mark.slow),
        pytest.param("throws", signal.SIGKILL, marks=pytest.mark.slow),
        pytest.param("arrays", signal.SIGKILL, marks=[needs_core, pytest.mark.slow]),
        pytest.param("openshmem", signal.SIGKILL, marks=pytest.mark.slow),
    ],
)
def test_the_cause_is_named_although_its_agent_reports_it_last(hosts, tmp_path, osh_program, what, number):
    """The others end because of it, and their agents report that first."""
    words = words_of(what, tmp_path, osh_program)
    job = Job(hosts, *words)
    mark = str(words[-1])
    (victim,) = hosts.pids_on(2, mark)
    with hosts.agent_stopped(2):
        os.kill(victim, number)
        while hosts.pids_on(0, mark) or hosts.pids_on(1, mark):
            time.sleep(0.05)
    _, errors = job.end(within=SILENCE_S)
    assert job.launcher.returncode == 128 + number, errors
    lines = [line for line in errors.splitlines() if line.startswith("atoll-run: ")]
    assert len(lines) == 1, errors
    said = rf"atoll-run: PE 2 \(host {hosts.names[2]}, pid {victim}\) was killed by signal {int(number)} "
    assert re.match(said, lines[0])


def test_a_job_goes_on_when_what_started_an_agent_is_killed(hosts, tmp_path):
    end = tmp_path / "end"
    words = ["sh", "-c", f'echo ready; while [ ! -e "{end}" ]; do sleep 0.05; done; echo done']
    job = subprocess.Popen(hosts.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in hosts.names:
        assert job.stdout.readline() == "ready\n"
    socket = str(hosts.folder / hosts.names[1])
    listed = subprocess.run(
        ["pgrep", "-f", f"host_server.py {socket} "], capture_output=True, text=True, check=True
    ).stdout
    (server,) = map(int, listed.split())
    os.kill(server, signal.SIGKILL)
    while Path(f"/proc/{server}").exists():
        time.sleep(0.05)  # until the launcher has taken note
    end.touch()
    output, errors = job.communicate(timeout=60)
    assert (job.returncode, output, errors) == (0, "done\n" * len(hosts.names), "")
    assert hosts.everything_ends(10)


def test_two_hosts_at_once(hosts, tmp_path, osh_program):
    job = Job(hosts, *words_of("waits", tmp_path, osh_program))
    hosts.kill(1)
    hosts.kill(2)
    told, errors = job.end(within=20)
    assert re.search(rf"host {hosts.names[0][:-1]}[12] \(PE [12]\): the connection to its agent ended", errors)
    assert any(
        re.match(rf"survivor: PE [12] on {hosts.names[0][:-1]}[12] is lost with its host", line) for line in told
    )


@KINDS
@pytest.mark.slow
def test_a_host_whose_cable_is_pulled(hosts, tmp_path, osh_program, what):
    job = Job(hosts, *words_of(what, tmp_path, osh_program), slots=2)
    hosts.link_down(1)
    told, errors = job.end(within=SILENCE_S)
    assert hosts.names[1] in errors
    assert len([line for line in told if f"on {hosts.names[1]} is lost" in line]) >= 4


LOST = r"PE (\d) (\(pid \d+\) )?on \S+ is lost: PE (\d) on \S+ has heard nothing of it for 6 s\. Is it stopped"


def told_of_each_other(job, pes):
    """Ends the job. The launcher names the two that hear nothing of each other; what the PEs say."""
    told, errors = job.end(within=SILENCE_S)
    found = re.search("atoll-run: " + LOST, errors)
    assert found, errors
    assert {found[1], found[3]} == set(pes)
    return told


@KINDS
def test_a_firewall_between_two_hosts_that_both_reach_the_launcher(hosts, tmp_path, osh_program, what):
    job = Job(hosts, *words_of(what, tmp_path, osh_program))
    hosts.part(1, 2)
    told = told_of_each_other(job, "12")
    assert len(told) == 3
    for line in told:
        assert re.match("(survivor: )?" + LOST, line)


@contextlib.contextmanager
def launcher_stopped(job):
    """The launcher reads its agents' reports later, all at once."""
    (inner,) = map(int, Path(f"/proc/{job.launcher.pid}/task/{job.launcher.pid}/children").read_text().split())
    os.kill(inner, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(inner, signal.SIGCONT)


@KINDS
def test_pes_that_lose_each_other_are_named_although_all_have_ended_by_then(hosts, tmp_path, osh_program, what):
    words = words_of(what, tmp_path, osh_program)
    job = Job(hosts, *words)
    with launcher_stopped(job):
        hosts.part(1, 2)
        while any(hosts.pids_on(number, str(words[-1])) for number in range(3)):
            time.sleep(0.05)
    told_of_each_other(job, "12")


def test_a_firewall_within_a_long_message_leaves_the_others_alive(hosts):
    """PE 2 talks to both and is never named. All report, also one that only sends."""
    job = Job(hosts, PROGRAM, "talks")
    hosts.part(0, 1)
    told = told_of_each_other(job, "01")
    assert len(told) == 3, told
    for line in told:
        found = re.match("survivor: " + LOST, line)
        assert found, line
        assert {found[1], found[3]} == {"0", "1"}


def test_a_firewall_between_pes_that_look_without_waiting(tmp_path):
    with network.Hosts(2) as two:  # each PE has a core
        job = Job(two, compiled(tmp_path, LOOKS))
        two.part(0, 1)
        told_of_each_other(job, "01")


@pytest.mark.slow
def test_a_firewall_from_the_start(hosts):
    hosts.part(0, 2)
    done = hosts.run(PROGRAM, "hello", slots=1, **SHORT)
    assert done.returncode == 1
    assert re.search("atoll-run: " + LOST, done.stderr), done.stderr
    assert len(re.findall("survivor: " + LOST, done.stdout)) == 2
    assert hosts.everything_ends(10)


@pytest.mark.slow
def test_a_firewall_before_the_launcher(hosts):
    hosts.swallow(1, hosts.address)
    done = hosts.run(PROGRAM, "hello", slots=1, **SHORT)
    assert done.returncode == 1
    said = f"host {hosts.names[1]} (PE 1): its agent has not reported within {TIMEOUT_S} s. Is the host up, and port "
    assert said in done.stderr
    assert hosts.everything_ends(10)  # the agent that still tries, too


@pytest.mark.parametrize("which", ["agent", "program"])
def test_an_end_before_all_have_met(hosts, which):
    victim = "$PPID" if which == "agent" else "$$"
    done = hosts.run("sh", "-c", f"[ $ATOLL_PE = 1 ] && kill -9 {victim}; exec {PROGRAM} hello", slots=1, **SHORT)
    assert done.returncode != 0
    assert re.search(rf"host {hosts.names[1]}[ ,]", done.stderr), done.stderr
    assert hosts.everything_ends(10)


@pytest.mark.slow
def test_a_pe_that_is_stopped(hosts, tmp_path, osh_program):
    job = Job(hosts, *words_of("arrays", tmp_path, osh_program))
    os.kill(hosts.pids_on(2, "import atoll")[0], signal.SIGSTOP)
    told, errors = job.end(within=SILENCE_S)
    assert re.search(r"PE 2 on \S+ is lost: PE \d on \S+ has heard nothing of it", errors)
    assert len(told) == 2


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (signal.SIGKILL, r"PE 2 .*was killed by signal 9"),
        pytest.param(
            signal.SIGSTOP, r"PE 2 \S*.*is lost: PE \d on \S+ has heard nothing of it", marks=pytest.mark.slow
        ),
    ],
    ids=["killed", "stopped"],
)
def test_a_pe_that_others_have_queued_operations_for(hosts, tmp_path, how, expected):
    job = Job(hosts, compiled(tmp_path, QUEUES), str(int(how)))
    told, errors = job.end(within=SILENCE_S)
    assert re.search(expected, errors), errors
    assert len(told) >= 1, errors


@needs_core
@pytest.mark.parametrize("late", [0, 3])  # the leader of a host, and another
@pytest.mark.parametrize("seconds", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_a_slow_pe_is_waited_for(hosts, late, seconds):
    code = f"""
import os, signal, subprocess
import atoll as ak
ak.barrier()
if ak.pe() == {late}:
    subprocess.Popen(["sh", "-c", f"sleep {seconds}; kill -CONT {{os.getpid()}}"])
    os.kill(os.getpid(), signal.SIGSTOP)
print(ak.arange(100000).sum().item())
"""
    environment = {**SHORT, "ATOLL_PEER_TIMEOUT": "60"}
    done = hosts.run(sys.executable, "-c", code, slots=2, timeout=100, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "4999950000\n" * 6


@contextlib.contextmanager
def ports_taken(hosts, number):
    code = "import socket, time; taken = [socket.create_server(('0.0.0.0', 47000 + i)) for i in range(2)]"
    code += "; print(1, flush=True); time.sleep(100)"
    command = ["ip", "netns", "exec", hosts.names[number], sys.executable, "-c", code]
    taker = subprocess.Popen(command, stdout=subprocess.PIPE)
    taker.stdout.readline()
    yield
    taker.kill()
    taker.communicate()


@pytest.mark.parametrize(
    ("security", "expected"),
    [
        ("auth", "cannot listen for other hosts (Address already in use)"),
        ("none", "the network's provider tcp;ofi_rxm: cannot open"),
    ],
)
def test_ports_of_the_network_that_are_taken(hosts, security, expected):
    limits = {"FI_TCP_PORT_LOW_RANGE": "47000", "FI_TCP_PORT_HIGH_RANGE": "47001"}
    with ports_taken(hosts, 1):
        done = hosts.run(
            PROGRAM,
            "hello",
            slots=1,
            **SHORT,
            **limits,
            ATOLL_FABRIC_PROVIDER="tcp;ofi_rxm",
            ATOLL_NETWORK_SECURITY=security,
        )
    assert done.returncode == 18
    said = f"error: PE 1 on {hosts.names[1]} cannot join the network: {expected}"
    assert done.stdout.count(said) == 3
    assert done.stdout.count(" ports taken (FI_TCP_PORT_LOW_RANGE") == 3
    assert hosts.everything_ends(10)


@pytest.mark.parametrize(
    ("provider", "said"),
    [
        ("verbs", "has no provider 'verbs' with reliable datagrams in order"),
        ("shm", "the network's provider shm: cannot open a queue that a thread can sleep on"),
    ],
)
def test_a_provider_that_cannot_be_used(hosts, provider, said):
    done = hosts.run(PROGRAM, "hello", slots=1, **SHORT, ATOLL_FABRIC_PROVIDER=provider)
    assert done.returncode == 18
    lines = [line for line in done.stdout.splitlines() if said in line]
    assert len(lines) == 3
    for line in lines:
        assert re.match(rf"error: PE \d on {hosts.names[0][:-1]}\d cannot join the network: ", line)
        assert "ATOLL_FABRIC_PROVIDER" in line


def test_one_host_without_a_library_for_the_network(hosts, tmp_path):
    (tmp_path / "libfabric.so.1").write_text("no library")
    script = f"[ $ATOLL_PE = 2 ] && export LD_LIBRARY_PATH={tmp_path}; exec {PROGRAM} hello"
    done = hosts.run("sh", "-c", script, slots=1, **SHORT)
    assert done.returncode == 18
    said = f"error: PE 2 on {hosts.names[2]} cannot join the network: this job spans several nodes, and libfabric"
    assert done.stdout.count(said) == 3
    assert hosts.everything_ends(10)
