# SPDX-License-Identifier: Apache-2.0
"""The hosts that a batch system has given to this process: Slurm, PBS, LSF."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from .. import _core

#: `srun` as the command that starts an agent on a host. Agents do not work themselves: they share the cores and memory
#: of other steps (--overlap), and the PEs that they start use all cores of the host.
SRUN = "srun --overlap --nodes=1 --ntasks=1 --mpi=none --cpu-bind=none --input=0 --nodelist={host}"
_ASK_S = 60


@dataclass(frozen=True)
class Allocation:
    """The allocation of a batch job: its hosts, and the command that starts a program on one of them."""

    scheduler: str
    hosts: list[str]
    launch_agent: str = ""  # empty: ATOLL_LAUNCH_AGENT, or ssh


def find(environment: Mapping[str, str] = os.environ) -> Allocation | None:
    """The allocation of several hosts in which this process runs; None when it runs in none, or on one host alone."""
    found = _slurm(environment) or _pbs(environment) or _lsf(environment)
    if found is None or len(found.hosts) < 2:
        return None
    if any(name == "ATOLL_LAUNCH_AGENT" and value for name, value, *_ in _core.config()):
        return Allocation(found.scheduler, found.hosts)
    return found


def _slurm(environment: Mapping[str, str]) -> Allocation | None:
    nodes = environment.get("SLURM_JOB_NODELIST", "")
    if not environment.get("SLURM_JOB_ID") or not nodes:
        return None
    asked = subprocess.run(
        ["scontrol", "show", "hostnames", nodes], capture_output=True, text=True, check=False, timeout=_ASK_S
    )
    if asked.returncode != 0:
        raise RuntimeError(
            f"scontrol does not expand the list of hosts {nodes!r} ({asked.stderr.strip()}). Name them: "
            "ak.init(hosts=…)?"
        )
    return Allocation("slurm", asked.stdout.split(), SRUN)


def _pbs(environment: Mapping[str, str]) -> Allocation | None:
    if not environment.get("PBS_JOBID"):
        return None
    return _from_file("pbs", environment.get("PBS_NODEFILE", ""), "pbs_tmrsh")


def _lsf(environment: Mapping[str, str]) -> Allocation | None:
    if not environment.get("LSB_JOBID"):
        return None
    return _from_file("lsf", environment.get("LSB_DJOB_HOSTFILE", ""), "blaunch")


def _from_file(scheduler: str, path: str, agent: str) -> Allocation | None:
    """Reads a host file with one line per slot."""
    if not path:
        return None
    with open(path) as stream:
        hosts = list(dict.fromkeys(line.strip() for line in stream if line.strip()))
    return Allocation(scheduler, hosts, agent if shutil.which(agent) else "")
