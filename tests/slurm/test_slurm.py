# SPDX-License-Identifier: Apache-2.0
"""Scripts and programs under a real Slurm on this machine: srun with PMI-2 and PMIx, and sbatch."""

import importlib.util
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from built import ROOT, needs_core

from atoll.bench import record

# By path: the folder is no package, and pytest's importlib mode does not look beside the test.
_spec = importlib.util.spec_from_file_location("slurm_cluster", Path(__file__).with_name("cluster.py"))
slurm = importlib.util.module_from_spec(_spec)
sys.modules["slurm_cluster"] = slurm
_spec.loader.exec_module(slurm)

PROGRAM = ROOT / "build/release/tests/pe_program"
MPI = ROOT / "build/release/tests/mpi"
ANSWERS = ROOT / "tests/python/spmd/answers.py"
SMALL = {"ATOLL_GRAIN": "4", "ATOLL_HEAP_SIZE": "1G", "ATOLL_THREADS": "1", "PYTHONPATH": str(ROOT / "python")}

pytestmark = [
    pytest.mark.slow,
    needs_core,
    pytest.mark.skipif(bool(slurm.missing()), reason=slurm.missing() or "-"),
]
needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="needs the C++ test program")


@pytest.fixture(scope="module")
def cluster():
    with slurm.Cluster() as running:
        yield running


@pytest.mark.parametrize("mpi", ["pmi2", "pmix"])
@pytest.mark.parametrize("pes", [2, 4, 5])
def test_a_script_gives_the_answers_of_one_process(cluster, mpi, pes):
    alone = cluster.run(sys.executable, str(ANSWERS), **SMALL)
    assert alone.returncode == 0, alone.stderr
    done = cluster.run("srun", f"--mpi={mpi}", "-n", str(pes), sys.executable, str(ANSWERS), **SMALL)
    if "invalid mpi" in done.stderr.lower():
        pytest.skip(f"this Slurm has no {mpi} (Debian: libpmix-dev)")
    assert done.returncode == 0, done.stderr + cluster.logs()
    assert done.stdout == alone.stdout


@pytest.mark.skipif(not (MPI / "message").exists(), reason="needs the MPI test programs")
@pytest.mark.parametrize("program", ["message", "collective", "windows"])
def test_mpi_programs(cluster, program):
    done = cluster.run("srun", "-n", "4", str(MPI / program), **SMALL)
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()


def test_srun_needs_no_option(cluster):
    code = "import atoll as ak; print(f'{ak.pe()} {ak.pes()} {int(ak.arange(100).sum())}\\n', end='')"
    done = cluster.run("srun", "-n", "4", sys.executable, "-c", code, **SMALL)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split("\n")) == ["", *(f"{pe} 4 4950" for pe in range(4))]


def test_sbatch(cluster):
    script = cluster.folder / "job.sh"
    code = "import atoll as ak; print('pe', ak.pe(), ak.pes(), ak.init().kind)"
    # Before srun the script itself is no PE, although Slurm's variables are there.
    script.write_text(f'#!/bin/sh\n{sys.executable} -c "{code}"\nsrun {sys.executable} -c "{code}"\n')
    output = cluster.folder / "job.out"
    done = cluster.run("sbatch", "--wait", "-n", "3", "-o", str(output), str(script), **SMALL)
    text = output.read_text() if output.exists() else ""
    assert done.returncode == 0, done.stderr + text
    assert sorted(text.splitlines()) == ["pe 0 1 embedded", *(f"pe {pe} 3 spmd" for pe in range(3))]


@needs_program
@pytest.mark.parametrize("what", ["die", "stubborn", "leave"])
def test_a_death_ends_the_step_and_is_named(cluster, what):
    begin = time.monotonic()
    done = cluster.run("srun", "-n", "4", str(PROGRAM), what, **SMALL)
    assert done.returncode != 0
    assert f"PE {0 if what == 'leave' else 3} (pid" in done.stderr + done.stdout
    assert time.monotonic() - begin < 60


@needs_program
def test_a_bad_status_ends_the_step(cluster):
    code = "import atoll as ak, sys; ak.barrier(); ak.pe() == 1 and sys.exit(5); [ak.barrier() for _ in range(99)]"
    done = cluster.run("srun", "-n", "3", sys.executable, "-c", code, **SMALL)
    assert done.returncode != 0
    assert "task 1: Exited with exit code 5" in done.stderr


def test_without_pmi_each_process_warns_and_runs_alone(cluster):
    code = "import atoll as ak; print(ak.init().kind)"
    done = cluster.run("srun", "--mpi=none", "-n", "2", sys.executable, "-c", code, **SMALL)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["embedded", "embedded"]
    assert done.stderr.count("--mpi=pmi2") == 2


def test_an_experiment_is_jobs(cluster):
    (cluster.folder / "job.sh").write_text("#!/bin/sh\n#SBATCH -n {pes}\nsrun -n ${SLURM_NTASKS} {command}\n")
    sweep = '[[sweep]]\nnames = ["sort"]\nsize = 1000\npes = [1, 2]\ntrials = 2\nsimd = "sse4"\n'
    (cluster.folder / "jobs.toml").write_text(f'slurm = "job.sh"\n{sweep}')
    command = [sys.executable, "-m", "atoll", "experiment", "run", "jobs.toml", "--results", "jobs.jsonl"]
    done = cluster.run(*command, **SMALL)
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    records = record.read([cluster.folder / "jobs.jsonl"])
    assert {(one["pes"], one["contender"]) for one in records} == {(n, c) for n in (1, 2) for c in ("atoll", "numpy")}
    (cluster.folder / "job.sh").write_text("#!/bin/sh\nsrun -n {pes} {command} --nonsense\n")
    done = cluster.run(*command[:-1], "other.jsonl", **SMALL)
    assert done.returncode == 1
    assert "unrecognized arguments: --nonsense" in done.stdout


def test_agents_start_by_srun(cluster):
    from atoll.session import allocation

    launcher = ROOT / "python/atoll/bin/atoll-run"
    code = "import atoll as ak; print(f'{ak.pe()} {ak.pes()} {int(ak.arange(100).sum())}\\n', end='')"
    hosts = "$(scontrol show hostnames $SLURM_JOB_NODELIST):3"
    script = f"{launcher} --hosts {hosts} --launch-agent '{allocation.SRUN}' {sys.executable} -c \"{code}\""
    done = cluster.run("salloc", "-Q", "-N", "1", "-n", "4", "sh", "-c", script, **SMALL)
    assert done.returncode == 0, done.stderr + cluster.logs()
    assert sorted(done.stdout.split("\n")) == ["", *(f"{pe} 3 4950" for pe in range(3))]


@pytest.mark.parametrize("driver", [False, True])
def test_submitted_script_runs(cluster, driver):
    script = cluster.folder / "submitted.py"
    start = "ak.init(pes=3)\n" if driver else ""
    script.write_text(
        f"import atoll as ak\n{start}total = ak.arange(9).sum()\n"
        "if ak.pe() == 0:\n    print(ak.pes(), ak.init().kind, total)\n"
    )
    output = cluster.folder / f"submitted-{driver}.out"
    words = ["--slurm", "--pes-per-node", "3", "--cores", "4", "--option=--wait", "--output", str(output)]
    words += ["--driver"] if driver else []
    done = cluster.run(sys.executable, "-m", "atoll", "submit", *words, str(script), **SMALL)
    text = output.read_text() if output.exists() else ""
    assert done.returncode == 0, done.stderr + text + cluster.logs()
    assert text == f"3 {'driver' if driver else 'spmd'} 36\n"


def test_warning_signal_ends_a_server_with_a_checkpoint(cluster, monkeypatch):
    """Slurm sends it up to a minute earlier than asked for: 10 to 70 s after the start."""
    import atoll as ak

    home = cluster.folder / "h"
    home.mkdir()
    script, place = cluster.folder / "serve.sh", cluster.folder / "checkpoint"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} -m atoll serve -n 2 --name slurm --checkpoint {place}\n")
    words = ["--signal=B:TERM@50", "--time=2", "-n", "2", "--parsable", "-o", str(cluster.folder / "serve.out")]
    job = cluster.run("sbatch", *words, str(script), **SMALL, HOME=str(home)).stdout.strip()
    monkeypatch.setenv("HOME", str(home))
    try:
        end = time.monotonic() + 60
        while not (home / ".atoll/servers/slurm.json").exists():
            assert time.monotonic() < end, cluster.logs()
            time.sleep(0.1)
        ak.shutdown()
        with ak.connect("slurm"):
            ak.publish("kept", ak.arange(1000))
        end = time.monotonic() + 180
        while cluster.run("squeue", "-h", "-j", job).stdout.strip():
            assert time.monotonic() < end, cluster.logs()
            time.sleep(0.5)
    finally:
        cluster.run("scancel", job)
    state = cluster.run("scontrol", "show", "job", job).stdout
    assert "JobState=COMPLETED" in state, state
    assert not (home / ".atoll/servers/slurm.json").exists()
    assert ak.load_checkpoint(place)["kept/0"].sum() == 499_500


def test_kernel_in_an_allocation(cluster, tmp_path, monkeypatch):
    manager = pytest.importorskip("jupyter_client.manager")
    pytest.importorskip("ipykernel")
    from jupyter_client.provisioning import KernelProvisionerFactory

    from atoll.jupyter import kernelspec
    from atoll.jupyter.provisioner import AtollProvisioner

    entry = SimpleNamespace(name=kernelspec.PROVISIONER, load=lambda: AtollProvisioner)
    monkeypatch.setitem(KernelProvisionerFactory.instance().provisioners, kernelspec.PROVISIONER, entry)
    for name, value in {**cluster.environment, **SMALL, "JUPYTER_DATA_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    kernelspec.install(kernelspec.Kernel("slurm", pes=2, slurm="-N 1 -n 2"))
    kernel = manager.KernelManager(kernel_name="atoll-slurm")
    kernel.start_kernel()
    client = kernel.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        printed = []
        code = "import atoll as ak, os; print(int(ak.arange(100).sum()), ak.pes(), 'SLURM_JOB_ID' in os.environ)"
        hook = lambda message: printed.append(message["content"].get("text"))  # noqa: E731
        assert client.execute_interactive(code, timeout=60, output_hook=hook)["content"]["status"] == "ok"
        assert "4950 2 True\n" in printed
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    left = cluster.run("squeue", "-h", "-t", "PENDING,RUNNING")
    assert left.stdout == ""
