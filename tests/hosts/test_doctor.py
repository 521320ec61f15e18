# SPDX-License-Identifier: Apache-2.0
"""`atoll doctor` on this host and on several: its report, and its advice about unusable hosts."""

import json
import os
import subprocess
import sys

import hosts as network
import pytest
from built import ROOT, needs_core, needs_launcher

from atoll import cli
from atoll.cli import doctor, doctor_hosts, doctor_report

pytestmark = [needs_core, needs_launcher]
needs_hosts = pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-")


@pytest.fixture(scope="module")
def hosts():
    with network.Hosts(2) as made:
        yield made


def run_doctor(*words, **environment):
    return subprocess.run(
        [sys.executable, "-m", "atoll", "doctor", *words], capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "ATOLL_HEAP_SIZE": "1G", **environment},
    )  # fmt: skip


def test_this_host(capsys):
    status = cli.main(["doctor"])
    shown = capsys.readouterr().out
    for text in ("Atoll ", "GiB available", "open files"):
        assert text in shown
    # Whether there is anything to change depends on the machine.
    assert ("nothing to change" in shown) == (status == 0)


def test_limits_are_judged():
    good = doctor_report.report()
    good.update(
        files=65536, memlock_bytes=None, memory_available_bytes=8 * 2**30, network="libfabric 1.17, tcp;ofi_rxm"
    )
    assert doctor_report.judge(good) == []
    assert "ulimit -n" in doctor_report.judge({**good, "files": 256})[0]
    assert "only 8 MiB of memory" in doctor_report.judge({**good, "memory_available_bytes": 8 * 2**20})[0]
    locked = {**good, "memlock_bytes": 65536, "network": "libfabric 1.17, verbs;ofi_rxm"}
    assert "ulimit -l unlimited" in doctor_report.judge(locked)[0]
    assert doctor_report.judge({**locked, "memlock_bytes": None}) == []
    assert "does not load: boom" in doctor_report.judge({**good, "broken": "boom"})[0]


def test_versions_are_compared():
    one = {"atoll": "1.0", "python": "3.11.7", "network": "libfabric 1.17, tcp"}
    assert doctor.compare({"a": one, "b": dict(one)}) == []
    said = doctor.compare({"a": one, "b": {**one, "atoll": "1.1"}})
    assert said == ["hosts differ in their version of Atoll: 1.0 on a; 1.1 on b. Install one version on all hosts"]
    none = {**one, "network": "none: no libfabric"}
    assert doctor.compare({"a": none, "b": none}) == ["a, b cannot reach other hosts: none: no libfabric"]


def test_bbr_congestion_control_is_reported():
    plain = {"network": "libfabric 1.17, net", "tcp_congestion_control": "cubic"}
    paced = {**plain, "tcp_congestion_control": "bbr"}
    assert doctor.advise({"a": plain, "b": {**paced, "network": "libfabric 1.17, verbs;ofi_rxm"}, "c": {}}) == []
    (said,) = doctor.advise({"a": plain, "b": paced, "c": {**paced, "network": "libfabric 2.5, tcp;ofi_rxm"}})
    assert "bbr on b, c:" in said
    assert "tcp_congestion_control=cubic" in said


def test_names_of_hosts(tmp_path):
    assert doctor_hosts.names_of("a:2,b,a:1,[::1]:4,me@c:3,fe80::7", None) == ["a", "b", "::1", "me@c", "fe80::7"]
    file = tmp_path / "hosts"
    file.write_text("# all\na slots=2\n\nb:3 # fast\n")
    assert doctor_hosts.names_of(None, file) == ["a", "b"]
    assert doctor_hosts.host_list(["a", "::1"]) == "a:1,[::1]:1"


def test_a_hostfile_that_is_none(capsys):
    assert cli.main(["doctor", "--hostfile", "/nonexistent"]) == cli.FAILED
    assert "cannot read /nonexistent: No such file" in capsys.readouterr().err


@needs_hosts
def test_hosts_are_visited(hosts):
    words = ["--hosts", ",".join(hosts.names), "--launch-agent", hosts.agent, "--address", hosts.address, "--json"]
    done = run_doctor(*words)
    found = json.loads(done.stdout)
    assert sorted(found["hosts"]) == hosts.names
    for visit in found["hosts"].values():
        assert visit["atoll"] == found["this"]["atoll"]
        assert visit["address"].startswith(f"{hosts.address}:")
        assert 0 < visit["round_trip_seconds"] < 1
        assert abs(visit["clock_seconds"]) <= 0.5 * visit["round_trip_seconds"] + 0.05  # they share a clock
    assert "job" in found
    assert (found["problems"] == []) == (done.returncode == 0)


@needs_hosts
def test_an_unusable_host_is_reported(hosts):
    words = ["--hosts", f"{hosts.names[0]},nowhere", "--launch-agent", hosts.agent, "--address", hosts.address]
    done = run_doctor(*words)
    assert done.returncode == 1
    assert "nowhere\ncannot be used" in done.stdout
    assert "- nowhere: " in done.stdout
    assert "host nowhere (PE 0): the command for its agent exited with status 255" in done.stdout
    assert "reports to" in done.stdout  # the other one works


@needs_hosts
@pytest.mark.slow
def test_a_host_that_hangs_is_given_up(hosts):
    agent = f"sh -c 'sleep 1000' {hosts.agent.split()[0]} {{host}}"
    done = run_doctor("--hosts", "a", "--launch-agent", agent, "--address", "lo", "--timeout", "2")
    assert done.returncode == 1
    assert "- a: it has not answered within 2 s" in done.stdout
