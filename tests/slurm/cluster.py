# SPDX-License-Identifier: Apache-2.0
"""A Slurm of one node on this machine, in a folder of its own: munged, slurmctld and slurmd as our children.

    python tests/slurm/cluster.py COMMAND [ARGUMENT…]

runs a command with it: `python tests/slurm/cluster.py srun -n 4 hostname`. Nothing stays behind.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "sinfo")
CPUS = 8  # of the node, as Slurm sees it

CONFIGURATION = """
ClusterName=atoll
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={daemon_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault={mpi}
ReturnToService=2
InactiveLimit=0
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


def missing() -> str:
    """Why there can be no cluster here; empty: there can."""
    lacking = [name for name in PROGRAMS if find(name) is None]
    if lacking:
        return f"{', '.join(lacking)} not installed (Debian: slurm-wlm, munge)"
    if os.geteuid() != 0:
        return "slurmd wants to be root"
    return ""


def find(name: str) -> str | None:
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cluster:
    """Starts on entry, ends on exit. `environment` is for its clients."""

    def __init__(self, mpi: str = "pmi2") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="atoll-slurm-"))
        self.daemons: list[subprocess.Popen[bytes]] = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        self.environment["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
        self.mpi = mpi

    def __enter__(self) -> Cluster:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _daemon(self, *words: str) -> None:
        program = find(words[0])
        assert program is not None
        # Ends with us, also when we are killed.
        command = ["setpriv", "--pdeathsig", "TERM", program, *words[1:]]
        with (self.folder / f"{words[0]}.out").open("wb") as log:
            daemon = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment, start_new_session=True
            )
        self.daemons.append(daemon)

    def _start(self) -> None:
        self.folder.chmod(0o755)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        host = socket.gethostname().split(".")[0]
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=host,
                folder=self.folder,
                controller_port=free_port(),
                daemon_port=free_port(),
                cpus=CPUS,
                mpi=self.mpi,
            )
        )
        files = [f"--{kind}-file={self.folder}/munge.{kind}" for kind in ("key", "pid", "log", "seed")]
        self._daemon("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket", *files)
        self._await(lambda: (self.folder / "munge.socket").exists(), "munged")
        self._daemon("slurmctld", "-D")
        self._daemon("slurmd", "-D", "-N", host)
        self._await(self._idle, "the node")

    def _idle(self) -> bool:
        state = subprocess.run(
            ["sinfo", "-h", "-o", "%t"], env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )
        return state.stdout.strip() == "idle"

    def _await(self, ready: Callable[[], bool], what: str) -> None:
        for _ in range(600):
            if ready():
                return
            for daemon in self.daemons:
                if daemon.poll() is not None:
                    raise RuntimeError(f"{daemon.args} ended with {daemon.returncode}:\n{self.logs()}")
            time.sleep(0.1)
        raise RuntimeError(f"{what} is not ready after a minute:\n{self.logs()}")

    def logs(self) -> str:
        texts = []
        for file in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out")):
            texts.append(f"== {file.name}\n{file.read_text(errors='replace')[-2000:]}")
        return "\n".join(texts)

    def run(self, *words: str, timeout: float = 120, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            list(words), env={**self.environment, **environment}, capture_output=True, text=True, timeout=timeout,
            check=False, cwd=self.folder,
        )  # fmt: skip

    def stop(self) -> None:
        # In reverse order: slurmd ends its steps, then the controller, then munged, which authenticates both.
        for daemon in reversed(self.daemons):
            if daemon.poll() is None:
                daemon.terminate()
                try:
                    daemon.wait(10)
                except subprocess.TimeoutExpired:
                    os.killpg(daemon.pid, signal.SIGKILL)
                    daemon.wait()
        self._end_steps()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end_steps(self) -> None:
        """Job steps are not children of this process: the configuration in their environment identifies them."""
        mark = f"SLURM_CONF={self.folder}/".encode()
        for entry in Path("/proc").glob("[0-9]*/environ"):
            try:
                ours = mark in entry.read_bytes() and int(entry.parent.name) != os.getpid()
            except OSError:
                continue
            if ours:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(entry.parent.name), signal.SIGKILL)


def main(words: list[str]) -> int:
    if reason := missing():
        print(f"no Slurm here: {reason}", file=sys.stderr)
        return 77
    with Cluster(os.environ.get("ATOLL_SLURM_MPI", "pmi2")) as cluster:
        return subprocess.run(words, env=cluster.environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
