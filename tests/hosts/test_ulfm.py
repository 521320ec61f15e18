# SPDX-License-Identifier: Apache-2.0
"""MPI programs over several hosts: some go on when ranks, agents or whole hosts die, the others end."""

import os
import re
import signal
import subprocess
import time

import hosts as network
import pytest
from built import ROOT

PROGRAMS = ROOT / "build/release/tests/mpi"
TIMEOUT_S = 8
SMALL = {"ATOLL_HEAP_SIZE": "256M", "ATOLL_THREADS": "1", "ATOLL_PEER_TIMEOUT": str(TIMEOUT_S)}
ENDED_S = 10  # processes of a job whose launcher has ended

pytestmark = [
    pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-"),
    pytest.mark.skipif(not (PROGRAMS / "outlives").exists(), reason="needs the MPI test programs"),
]


@pytest.fixture(scope="module")
def four():
    with network.Hosts(4) as made:
        yield made


def outcome(hosts, name, *words, slots=1):
    done = hosts.run(PROGRAMS / name, *words, slots=slots, timeout=120, **SMALL)
    assert hosts.everything_ends(ENDED_S)
    return done


class Job:
    """`outlives KIND`, whose ranks have all met once."""

    def __init__(self, hosts, kind, slots=1):
        self.hosts = hosts
        self.process = subprocess.Popen(
            hosts.command(PROGRAMS / "outlives", kind, slots=slots), env={**os.environ, **SMALL},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        for _ in range(slots * len(hosts.names)):
            line = self.process.stdout.readline()
            assert line == "ready\n", line + self.process.communicate(timeout=60)[1]

    def ranks_on(self, number):
        return self.hosts.pids_on(number, "outlives")

    def end(self):
        output, errors = self.process.communicate(timeout=100)
        assert self.hosts.everything_ends(ENDED_S)
        return self.process.returncode, output, errors


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 13))])
@pytest.mark.parametrize("slots", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ranks_die_until_one_is_left(four, seed, slots):
    done = outcome(four, "fault", seed, slots=slots)
    assert (done.returncode, done.stdout.count("survived")) == (0, 1), done.stderr
    deaths = re.findall(r"^atoll-run: PE \d+ \(host \S+, pid \d+\) was killed by signal 9", done.stderr, re.MULTILINE)
    assert len(deaths) == 4 * slots - 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", [110, 115, 118, 125])
def test_ranks_die_two_at_a_time_until_one_is_left(four, seed):
    done = outcome(four, "fault", seed, "two", slots=2)
    assert (done.returncode, done.stdout.count("survived")) == (0, 1), done.stderr


def test_communicators_are_revoked(four):
    assert outcome(four, "revoke").returncode == 0


@pytest.mark.parametrize("kind", [0, 1, 2, 4, 5])
def test_a_rank_dies_beside_others(four, kind):
    done = outcome(four, "beside", kind, "far")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("slots", [1, 2])
def test_a_host_dies_and_the_other_ranks_go_on(four, slots):
    job = Job(four, "recovers", slots)
    four.kill(1)
    status, output, errors = job.end()
    assert (status, output) == (0, f"{3 * slots} left\n" * (3 * slots)), errors
    assert f"host {four.names[1]} (PE" in errors
    assert "the connection to its agent ended" in errors


def test_the_host_of_rank_0_dies(four):
    job = Job(four, "recovers")
    four.kill(0)
    status, output, errors = job.end()
    assert (status, output) == (0, "3 left\n" * 3), errors


def test_an_agent_dies_and_its_ranks_with_it(four):
    job = Job(four, "recovers", 2)
    for pid in four.pids_on(2, "--agent"):
        os.kill(pid, signal.SIGKILL)
    status, output, errors = job.end()
    assert (status, output) == (0, "6 left\n" * 6), errors


@pytest.mark.slow
def test_a_host_without_a_network_is_lost(four):
    with network.Hosts(3) as three:
        job = Job(three, "recovers")
        three.link_down(2)
        status, output, errors = job.end()
        assert (status, output) == (0, "2 left\n" * 2), errors
        assert three.names[2] in errors


@pytest.mark.slow
def test_of_two_ranks_that_do_not_reach_each_other_one_is_ended():
    with network.Hosts(3) as three:
        job = Job(three, "recovers")
        three.part(1, 2)
        status, output, errors = job.end()
        assert (status, output) == (0, "2 left\n" * 2), errors
        assert re.search(r"PE [12] on \S+ is lost: PE [12] on \S+ ", errors), errors


def test_a_program_that_does_not_recover_ends_and_names_the_host(four):
    job = Job(four, "ends")
    four.kill(2)
    status, output, errors = job.end()
    assert status != 0
    assert f"host {four.names[2]} (PE 2): the connection to its agent ended" in errors
    assert "left" not in output


@pytest.mark.parametrize("slots", [1, 2])
def test_an_abort_names_the_rank_that_called_it(four, slots):
    done = outcome(four, "outlives", "aborts", slots=slots)
    assert done.returncode == 42
    # Of the ranks that the launcher ends none reports another.
    assert done.stderr == "atoll-mpi: rank 1: MPI_Abort: the program ends the job with code 42\n"


@pytest.mark.slow
def test_an_abort_decides_although_its_agent_reports_it_last(four):
    """The ranks that follow it end first."""
    job = Job(four, "aborts")
    with four.agent_stopped(1):
        while job.ranks_on(0) or job.ranks_on(2):
            time.sleep(0.05)
        time.sleep(1.5)  # longer than the launcher once waited for the cause
    status, _, errors = job.end()
    assert (status, errors) == (42, "atoll-mpi: rank 1: MPI_Abort: the program ends the job with code 42\n")


def test_the_cause_is_named_although_its_agent_reports_it_last(four):
    job = Job(four, "ends")
    (victim,) = job.ranks_on(3)
    with four.agent_stopped(3):
        os.kill(victim, signal.SIGKILL)
        while job.ranks_on(0) or job.ranks_on(1):
            time.sleep(0.05)
    status, _, errors = job.end()
    assert status == 137, errors
    lines = [line for line in errors.splitlines() if line.startswith("atoll-run: ")]
    assert len(lines) == 1, errors
    assert re.match(rf"atoll-run: PE 3 \(host {four.names[3]}, pid {victim}\) was killed by signal 9", lines[0])


@pytest.mark.parametrize("victim", ["rank", "launcher"])
def test_a_kill_ends_everything(four, victim):
    job = Job(four, "ends", 2)
    if victim == "rank":
        os.kill(job.ranks_on(3)[1], signal.SIGKILL)
    else:
        job.process.kill()
    status, _, errors = job.end()
    assert status in ({137} if victim == "rank" else {-9, 137}), errors
    if victim == "rank":
        assert re.search(rf"(?m)^atoll-run: PE 7 \(host {four.names[3]}, pid \d+\) was killed by signal 9", errors)
