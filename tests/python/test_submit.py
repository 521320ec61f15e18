# SPDX-License-Identifier: Apache-2.0
"""Batch scripts: their directives, the line that starts the job, and the commands that take them."""

import os
import shlex
import subprocess
import sys

import pytest

from atoll.cli import main
from atoll.submit.job import Job, seconds_of

FULL = [
    "-N", "8", "--pes-per-node", "2", "-t", "4", "--cores", "8", "--time", "2:30", "--queue", "fast", "--account", "a1",
    "--name", "trips", "--output", "out.txt",
]  # fmt: skip
DIRECTIVES = {
    "slurm": """
        #SBATCH --job-name=trips
        #SBATCH --nodes=8
        #SBATCH --ntasks-per-node=1
        #SBATCH --cpus-per-task=8
        #SBATCH --time=2:30:00
        #SBATCH --partition=fast
        #SBATCH --account=a1
        #SBATCH --output=out.txt
        #SBATCH --extra
    """,
    "pbs": """
        #PBS -N trips
        #PBS -l select=8:ncpus=8:mpiprocs=1
        #PBS -j oe
        #PBS -l place=scatter
        #PBS -l walltime=2:30:00
        #PBS -q fast
        #PBS -A a1
        #PBS -o out.txt
        #PBS --extra
    """,
    "lsf": """
        #BSUB -J trips
        #BSUB -n 64
        #BSUB -R "span[ptile=8]"
        #BSUB -W 2:30
        #BSUB -q fast
        #BSUB -P a1
        #BSUB -o out.txt
        #BSUB --extra
    """,
}


def shown(capsys, *words):
    assert main(["submit", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("scheduler", DIRECTIVES)
def test_directives_follow_the_options(capsys, scheduler):
    text = shown(capsys, f"--{scheduler}", *FULL, "--option=--extra", "--dry-run", "a b.py", "--size", "3")
    found = [line for line in text.splitlines() if line.startswith(f"#{DIRECTIVES[scheduler].split()[0][1:]} ")]
    assert found == [line.strip() for line in DIRECTIVES[scheduler].strip().splitlines()]
    last = shlex.split(text.splitlines()[-1])
    assert last[:6] == ["exec", sys.executable, "-m", "atoll", "run", "--hosts"]
    assert last[6:] == ["$hosts", "--pes-per-node", "2", "-t", "4", "a b.py", "--size", "3"]


@pytest.mark.parametrize("scheduler", DIRECTIVES)
def test_whole_hosts_are_the_default(capsys, scheduler):
    text = shown(capsys, f"--{scheduler}", "--dry-run", "x.py")
    assert {"slurm": "--exclusive", "pbs": ":excl", "lsf": "-x"}[scheduler] in text
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0


@pytest.mark.parametrize("scheduler", DIRECTIVES)
def test_scripts_name_each_host_once(capsys, tmp_path, scheduler):
    """In the environment that the scheduler makes, with commands that print what they are given."""
    (tmp_path / "nodes").write_text("a\na\nb\nb\n")
    (tmp_path / "scontrol").write_text("#!/bin/sh\nprintf 'a\\nb\\n'\n")
    (tmp_path / "scontrol").chmod(0o755)
    text = shown(capsys, f"--{scheduler}", "-N", "2", "--dry-run", "x.py")
    text = text.replace(f"exec {sys.executable}", 'exec echo "$ATOLL_LAUNCH_AGENT;"')
    variables = {
        "SLURM_JOB_NODELIST": "a,b",
        "PBS_NODEFILE": f"{tmp_path}/nodes",
        "LSB_DJOB_HOSTFILE": f"{tmp_path}/nodes",
    }
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", **variables}
    done = subprocess.run(["bash"], input=text, env=environment, capture_output=True, text=True, check=True)
    agent, _, command = done.stdout.partition(";")
    assert command.split() == ["-m", "atoll", "run", "--hosts", "a,b", "--pes-per-node", "numa", "x.py"]
    assert agent.split()[:1] == {"slurm": ["srun"], "pbs": [], "lsf": ["blaunch"]}[scheduler]


def test_driver_runs_the_script_once(capsys):
    text = shown(capsys, "--slurm", "--driver", "--dry-run", "x.py")
    assert text.splitlines()[-1] == f"exec {shlex.join([sys.executable, 'x.py'])}"


def test_scripts_are_passed_to_the_scheduler(capsys, tmp_path, monkeypatch):
    for name, status in (("qsub", 0), ("bsub", 3)):
        (tmp_path / name).write_text(f"#!/bin/sh\ncat > {tmp_path}/{name}.in\necho 17.server\nexit {status}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert shown(capsys, "--pbs", "x.py") == "17.server\n"
    assert (tmp_path / "qsub.in").read_text() == shown(capsys, "--pbs", "--dry-run", "x.py")
    assert main(["submit", "--lsf", "x.py"]) == 1
    assert "bsub refuses the script (17.server)" in capsys.readouterr().err


def test_bad_values_are_refused(capsys):
    for words, message in (
        (["--time", "2"], "no time"),
        (["--time", "0:00"], "no time"),
        (["-N", "0"], "--nodes must be at least 1"),
        (["--pes-per-node", "0"], "not a number, numa or socket"),
        (["--name", "a b"], "no name of a job"),
        (["--queue", "a\nb"], "more than one line"),
    ):
        assert main(["submit", "--slurm", *words, "--dry-run", "x.py"]) == 1
        assert message in capsys.readouterr().err
    assert main(["submit", "--slurm"]) == 1
    assert "there is no script" in capsys.readouterr().err
    assert (seconds_of("1:02:03"), Job("x", ("x.py",), "/", seconds=3723).time) == (3723, "1:02:03")
