# SPDX-License-Identifier: Apache-2.0
"""MPI_Comm_spawn in jobs over several hosts: processes start where they are wanted, or the call says why not."""

import os
import re
import subprocess

import hosts as network
import pytest
from built import ROOT

PROGRAM = ROOT / "build/release/tests/mpi/spawns"
SMALL = {"ATOLL_HEAP_SIZE": "64M", "ATOLL_THREADS": "1", "ATOLL_PEER_TIMEOUT": "30"}
ENDED_S = 10  # processes of a job whose launcher has ended

pytestmark = [
    pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-"),
    pytest.mark.skipif(not PROGRAM.exists(), reason="needs the MPI test programs"),
]


@pytest.fixture(scope="module")
def two():
    with network.Hosts(2) as made:
        yield made


def outcome(hosts, *words, slots=1):
    done = hosts.run(PROGRAM, *words, slots=slots, timeout=120, **SMALL)
    assert hosts.everything_ends(ENDED_S)
    return done


def places(done):
    return sorted(re.findall(r"^started on (\S+)$", done.stdout, re.MULTILINE))


def test_processes_start_on_the_hosts_that_are_named(two):
    first, second = two.names
    done = outcome(two, "each", second, first, second)
    assert done.returncode == 0, done.stderr
    started = places(done)
    assert len(started) == 5
    assert started.count(first) >= 1
    assert started.count(second) >= 2


@pytest.mark.slow
def test_processes_start_on_the_hosts_with_the_fewest(two):
    done = outcome(two, "long", slots=2)
    assert done.returncode == 0, done.stderr
    assert places(done) == two.names


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["twice", "nested"])
def test_cohorts_meet_and_end(two, kind):
    done = outcome(two, kind)
    assert done.returncode == 0, done.stderr
    assert len(places(done)) == {"twice": 6, "nested": 3}[kind]


@pytest.mark.slow
def test_spawns_succeed_after_refused_ones(two):
    done = outcome(two, "refused", two.names[1])
    assert done.returncode == 0, done.stderr
    assert places(done) == [two.names[1]] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "host", "why"),
    [
        (
            "true",
            "nowhere",
            r"no process can be started on host nowhere \(hosts that can take one: {0}, {1}; .*\)\. Name",
        ),
        ("no-such-program", "{1}", "cannot start 'no-such-program' in .*: No such file or directory on {1}"),
        ("true", "{1}", "'true' on {1} exited with status 0 before it came to MPI_Init"),
    ],
)
def test_a_refusal_says_why(two, program, host, why):
    done = outcome(two, "refuse", program, host.format(*two.names))
    assert done.returncode != 0
    assert re.search(r"atoll-mpi: rank [01]: MPI_Comm_spawn: " + why.format(*two.names), done.stderr), done.stderr


@pytest.mark.slow
def test_a_host_whose_processes_have_ended_refuses_and_the_other_does_not(two):
    first, second = two.names
    done = outcome(two, "ended", second)
    assert done.returncode != 0
    assert places(done) == [first]
    why = rf"no process can be started on host {second} \(hosts that can take one: {first}; none on which the job began"
    assert re.search(r"MPI_Comm_spawn: " + why, done.stderr), done.stderr


def test_a_killed_process_is_named_and_the_others_are_told(two):
    done = outcome(two, "killed")
    assert done.returncode == 7, done.stderr
    assert done.stdout.count("survived") == 2
    assert re.search(r"^atoll-run: PE 3 \(host \S+, pid \d+\) was killed by signal 9", done.stderr, re.MULTILINE)


@pytest.mark.slow
def test_a_killed_process_ends_a_job_that_does_not_handle_it(two):
    done = outcome(two, "fatal")
    assert done.returncode == 137, done.stderr
    assert re.search(r"^atoll-run: PE 3 \(host \S+, pid \d+\) was killed by signal 9", done.stderr, re.MULTILINE)


class Idle:
    """A job of `pes` ranks on hosts with more `slots` than that: it begins with no rank on the last host."""

    def __init__(self, hosts, slots, pes, *words, program="spawns"):
        self.hosts = hosts
        self.process = subprocess.Popen(
            hosts.command("-n", pes, PROGRAM.with_name(program), *words, slots=slots), env={**os.environ, **SMALL},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def end(self):
        output, errors = self.process.communicate(timeout=120)
        assert self.hosts.everything_ends(ENDED_S)
        return self.process.returncode, output, errors


@pytest.fixture(scope="module")
def three():
    with network.Hosts(3) as made:
        yield made


@pytest.mark.parametrize(
    ("slots", "pes", "wanted"),
    [((1, 1, 4), 2, (2,)), pytest.param((1, 1, 1), 1, (2, 1, 0), marks=pytest.mark.slow)],
)
def test_processes_start_on_a_host_without_a_process(three, slots, pes, wanted):
    status, output, errors = Idle(three, slots, pes, "each", *(three.names[number] for number in wanted)).end()
    assert status == 0, errors
    started = re.findall(r"^started on (\S+)$", output, re.MULTILINE)
    assert len(started) == len(wanted) + 2
    assert set(started) >= {three.names[number] for number in wanted}


@pytest.mark.slow
@pytest.mark.parametrize(("slots", "pes", "where"), [((1, 1, 4), 2, (2, 2)), ((2, 2, 2), 1, (0, 1))])
def test_processes_start_where_slots_are_free(three, slots, pes, where):
    status, output, errors = Idle(three, slots, pes, "long").end()
    assert status == 0, errors
    started = sorted(re.findall(r"^started on (\S+)$", output, re.MULTILINE))
    assert started == [three.names[number] for number in where]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "status", "survived"), [("killed", 7, 2), ("fatal", 137, 0)])
def test_a_killed_process_on_a_host_without_first_processes_is_named(three, kind, status, survived):
    ended, output, errors = Idle(three, (1, 1, 2), 2, kind).end()
    assert ended == status, errors
    assert output.count("survived") == survived
    assert re.search(rf"^atoll-run: PE 3 \(host {three.names[2]}, pid \d+\) was killed", errors, re.MULTILINE), errors


@pytest.mark.slow
def test_replacements_start_on_a_host_without_first_processes():
    with network.Hosts(4) as four:
        status, _, errors = Idle(four, (1, 1, 1, 4), 3, program="replace").end()
        assert status == 0, errors
        deaths = re.findall(r"^atoll-run: PE \d+ \(host (\S+), pid \d+\) was killed", errors, re.MULTILINE)
        assert deaths == [four.names[0], four.names[2], four.names[3]]


@pytest.mark.slow
def test_the_launchers_death_ends_processes_on_a_host_without_first_processes(three):
    job = Idle(three, (1, 1, 2), 2, "stay")
    assert [job.process.stdout.readline() for _ in range(2)] == ["staying\n"] * 2
    assert len(three.pids_on(2, "spawns")) == 2
    job.process.kill()
    job.end()


@pytest.mark.slow
def test_the_death_of_a_host_without_first_processes_ends_the_job_and_is_named(three):
    job = Idle(three, (1, 1, 2), 2, "stay")
    assert [job.process.stdout.readline() for _ in range(2)] == ["staying\n"] * 2
    three.kill(2)
    status, _, errors = job.end()
    assert status != 0
    assert f"atoll-run: host {three.names[2]}: the connection to its agent ended" in errors


@pytest.mark.slow
def test_a_host_that_cannot_be_reached_refuses_the_spawn_alone(three):
    with network.Hosts(3) as broken:
        broken.servers[2].kill()
        status, _, errors = Idle(broken, (1, 1, 2), 2, "refuse", "true", broken.names[2]).end()
        assert status != 0
        why = rf"MPI_Comm_spawn: no process can be started on host {broken.names[2]}: the command for its agent exited"
        assert re.search(why, errors), errors


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "status"), [("part", 0), ("die", 137)])
def test_more_processes_than_have_memory_at_a_time_run_one_after_the_other(two, kind, status):
    done = two.run(PROGRAM, kind, 12, 2, slots=1, timeout=120, **{**SMALL, "ATOLL_HEAP_SIZE": "16G"})
    assert done.returncode == status, done.stderr
    assert done.stdout.count(f"{kind}: 12 times 2 processes: ") == 2
    assert two.everything_ends(ENDED_S)


@pytest.mark.slow
def test_a_dead_host_takes_no_processes_and_the_others_do():
    with network.Hosts(3) as three:
        process = subprocess.Popen(
            three.command(PROGRAM, "dead", three.names[2], slots=1), env={**os.environ, **SMALL},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        for _ in three.names:
            assert process.stdout.readline() == "ready\n"
        three.kill(2)
        output, errors = process.communicate(timeout=100)
        assert process.returncode == 0, errors
        started = re.findall(r"^started on (\S+)$", output, re.MULTILINE)
        assert len(started) == 3
        assert set(started) == set(three.names[:2])
        assert three.everything_ends(ENDED_S)
