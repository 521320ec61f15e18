# SPDX-License-Identifier: Apache-2.0
"""`atoll bench run` of the C programs over two hosts, beside the MPI libraries that are here."""

import os
import subprocess
import sys
from pathlib import Path

import hosts as network
import pytest
from built import ROOT, needs_core, needs_launcher

from atoll.bench import record, toolchains

pytestmark = [
    pytest.mark.slow,
    needs_core,
    needs_launcher,
    pytest.mark.skipif(toolchains.own_compiler() is None, reason="needs Atoll's oshcc"),
    pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-"),
]

#: With several installed beside this Python, that of the last.
MPICC = Path(sys.executable).parent / "mpicc"


@pytest.fixture(scope="module")
def hosts():
    with network.Hosts(2) as made:
        yield made


def bench(hosts, *words, slots):
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "python"),
        "UCX_TLS": "tcp,self",
        "SHMEM_SYMMETRIC_SIZE": "64M",
    }
    command = [sys.executable, "-m", "atoll", "bench", "run", *words, *hosts.options(slots), "--trials", "1"]
    return subprocess.run(command, capture_output=True, text=True, timeout=200, check=False, env=environment)


PROGRAMS = ["latency", "bandwidth", "message-rate", "threads", "collectives", "indexgather", "histo"]


@pytest.mark.parametrize(("program", "slots"), [("latency", 1), *((program, 2) for program in PROGRAMS)])
def test_programs_run_over_hosts(hosts, tmp_path, program, slots):
    path = tmp_path / "runs.jsonl"
    sizes = [] if program == "message-rate" else ["--size", "4096"]
    done = bench(hosts, program, *sizes, "--json", str(path), slots=slots)
    assert done.returncode == 0, done.stderr
    listed = ",".join(f"{name}:{slots}" for name in hosts.names)
    records = record.read([path])
    assert {(one["pes"], one["fabric"], one["hosts"]) for one in records} == {(2 * slots, "ofi", listed)}


@pytest.mark.skipif(not MPICC.exists(), reason="no MPI is installed beside this Python")
def test_an_mpi_runs_over_the_same_hosts(hosts, tmp_path):
    path = tmp_path / "runs.jsonl"
    done = bench(hosts, "latency", "--size", "1024", "--against", f"mpi={MPICC}", "--json", str(path), slots=1)
    assert done.returncode == 0, done.stderr
    records = record.read([path])
    assert {one["contender"] for one in records} == {"atoll", "mpi"}, done.stdout


def test_an_experiment_of_arrays_runs_over_hosts(hosts, tmp_path):
    options = dict(zip(*[iter(hosts.options(1))] * 2, strict=True))
    where = f'hosts = "{options["--hosts"]}"\npes = 2\nthreads = 1\n'
    sweep = f'[[sweep]]\nnames = ["sort"]\nsize = [1000, 3000]\ntrials = 2\n{where}'
    (tmp_path / "far.toml").write_text(sweep)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    environment |= {"ATOLL_LAUNCH_AGENT": options["--launch-agent"], "ATOLL_ADDRESS": options["--address"]}
    command = [sys.executable, "-m", "atoll", "experiment", "run", "far.toml", "--results", "far.jsonl"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=200, check=False, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    records = record.read([tmp_path / "far.jsonl"])
    assert {(one["size"], one["contender"]) for one in records} == {
        (n, c) for n in (1000, 3000) for c in ("atoll", "numpy")
    }
    assert {(one["pes"], one["fabric"], one["hosts"]) for one in records} == {(2, "ofi", options["--hosts"])}
