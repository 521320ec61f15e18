# SPDX-License-Identifier: Apache-2.0
"""Slurm, PBS and LSF: a job as a batch script, and the command that takes it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from ..session.allocation import SRUN
from .job import Job, filled


def _slurm(job: Job) -> list[str]:
    found = [f"--job-name={job.name}", f"--nodes={job.nodes}", "--ntasks-per-node=1"]
    found.append(f"--cpus-per-task={job.cores}" if job.cores else "--exclusive")
    for option, value in (
        ("time", job.time), ("partition", job.queue), ("account", job.account), ("output", job.output),
    ):  # fmt: skip
        if value:
            found.append(f"--{option}={value}")
    return [f"#SBATCH {one}" for one in found]


def _pbs(job: Job) -> list[str]:
    cores = f":ncpus={job.cores}" if job.cores else ""
    found = [f"-N {job.name}", f"-l select={job.nodes}{cores}:mpiprocs=1", "-j oe"]
    found.append("-l place=scatter" if job.cores else "-l place=scatter:excl")
    for option, value in (("-l walltime=", job.time), ("-q ", job.queue), ("-A ", job.account), ("-o ", job.output)):
        if value:
            found.append(option + value)
    return [f"#PBS {one}" for one in found]


def _lsf(job: Job) -> list[str]:
    cores = job.cores or 1
    found = [f"-J {job.name}", f"-n {job.nodes * cores}", f'-R "span[ptile={cores}]"', *([] if job.cores else ["-x"])]
    minutes = "" if job.seconds is None else f"{-(-job.seconds // 60) // 60}:{-(-job.seconds // 60) % 60:02}"
    for option, value in (("-W", minutes), ("-q", job.queue), ("-P", job.account), ("-o", job.output)):
        if value:
            found.append(f"{option} {value}")
    return [f"#BSUB {one}" for one in found]


@dataclass(frozen=True)
class Scheduler:
    """How a scheduler takes jobs."""

    template: str
    directive: str  # what its lines in a script begin with
    submit: str  # the command that reads a script from standard input
    lines: Callable[[Job], list[str]]


SCHEDULERS = {
    "slurm": Scheduler("slurm.sh", "#SBATCH", "sbatch", _slurm),
    "pbs": Scheduler("pbs.sh", "#PBS", "qsub", _pbs),
    "lsf": Scheduler("lsf.sh", "#BSUB", "bsub", _lsf),
}


def script(job: Job, name: str) -> str:
    """The batch script of a job for a scheduler of `SCHEDULERS`."""
    scheduler = SCHEDULERS[name]
    lines = [*scheduler.lines(job), *(f"{scheduler.directive} {one}" for one in job.options)]
    values = {
        "nodes": str(job.nodes), "options": "\n".join(lines), "directory": shlex.quote(job.directory),
        "agent": shlex.quote(SRUN), "start": job.command(),
    }  # fmt: skip
    return filled(scheduler.template, values)


def submit(text: str, name: str) -> str:
    """Passes a script to the scheduler; returns its answer. OSError: it is not here, or refuses the script."""
    program = SCHEDULERS[name].submit
    if shutil.which(program) is None:
        raise FileNotFoundError(
            f"there is no {program} on the PATH. Run this where jobs are submitted, or use --dry-run"
        )
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        raise OSError(f"{program} refuses the script ({said}). Look at it with --dry-run?")
    return done.stdout.strip()
