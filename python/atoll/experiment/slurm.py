# SPDX-License-Identifier: Apache-2.0
"""Points as Slurm jobs: a job script, in which `{command}` is the benchmark, passed to `sbatch --wait`."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from atoll.experiment import PointFailed
from atoll.experiment.plan import Plan
from atoll.experiment.point import Point

#: `${pes}` is left to the shell, `{pes}` is replaced here.
PLACEHOLDER = re.compile(r"(?<!\$)\{(command|pes|threads|name)\}")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def check(plan: Plan) -> None:
    """ExperimentError when the points cannot run as jobs."""
    assert plan.slurm is not None
    try:
        text = plan.slurm.read_text()
    except OSError as error:
        raise plan.wrong("slurm", f"cannot read {plan.slurm}: {error.strerror}") from None
    if "{command}" not in text:
        raise plan.wrong(
            "slurm", f"{plan.slurm} lacks {{command}}: there the benchmark is to run, as in srun {{command}}"
        )
    if shutil.which("sbatch") is None:
        raise plan.wrong("slurm", "there is no sbatch on the PATH: run this where Slurm's commands are")
    try:
        asked = subprocess.run(["sinfo", "-h"], capture_output=True, text=True, timeout=60, check=False)
        wrong = asked.stderr.strip() if asked.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        wrong = str(error)
    if wrong:
        raise plan.wrong("slurm", f"Slurm does not answer: {wrong.splitlines()[0]}")


def script(template: str, point: Point, command: Sequence[str], environment: dict[str, str]) -> str:
    """The job script of a point."""
    settings = [f"{name}={value}" for name, value in environment.items()]
    values = {
        "command": shlex.join([*(["env", *settings] if settings else []), *command]),
        "pes": str(point.pes or 1),
        "threads": str(point.threads or 1),
        "name": point.benchmark,
    }
    return PLACEHOLDER.sub(lambda found: values[found.group(1)], template)


def run(
    plan: Plan, point: Point, command: Sequence[str], environment: dict[str, str], run_here: Run
) -> subprocess.CompletedProcess[str]:
    """Runs the job; returns its status and output. The nodes must see the experiment's folder, where the script is."""
    assert plan.slurm is not None
    text = script(plan.slurm.read_text(), point, command, environment)
    with tempfile.TemporaryDirectory(prefix=".atoll-job-", dir=plan.path.parent.resolve()) as folder:
        job, out, err = (Path(folder) / name for name in ("job.sh", "out", "err"))
        job.write_text(text)
        done = run_here(["sbatch", "--wait", f"--output={out}", f"--error={err}", str(job)], plan.timeout_s)
        said = {file: file.read_text(errors="replace") if file.exists() else "" for file in (out, err)}
    if done.returncode != 0 and not said[err]:
        raise PointFailed(f"sbatch: {done.stderr.strip() or f'status {done.returncode}'}")
    return subprocess.CompletedProcess(command, done.returncode, said[out], said[err])
