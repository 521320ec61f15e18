# SPDX-License-Identifier: Apache-2.0
"""How Jupyter starts and ends a kernel that is PE 0 of a job: on this host, or in an allocation of Slurm.

A kernel on this host is a child of Jupyter. In an allocation the child is `salloc`, and the kernel listens on the
allocation's first host; its messages are authenticated by the connection file's key, but not encrypted.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shlex
import signal
import socket
from pathlib import Path
from typing import Any

from jupyter_client.provisioning import LocalProvisioner
from traitlets import Unicode

from .kernel import HOST_SUFFIX

#: In the environment of a kernel and of all that it starts on its host.
_MARK = "JUPYTER_ATOLL_KERNEL"
_LEFT_S = 30.0
_LOOK_S = 0.1
#: Runs the kernel once, on the first host, and leaves all cores and memory to the PEs that it starts.
_STEP = ["srun", "--overlap", "--nodes=1", "--ntasks=1", "--mpi=none", "--cpu-bind=none"]


class AtollProvisioner(LocalProvisioner):  # type: ignore[misc]
    """Ends a kernel only when nothing of its PEs is left on this host."""

    slurm = Unicode("", config=True, help="Options of salloc; empty: the kernel runs on this host.")
    _mark = ""

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        self._mark = secrets.token_hex(8)
        environment = dict(kwargs.pop("env", None) or os.environ)
        environment[_MARK] = self._mark
        if self.slurm and self.parent is not None:
            self.parent.ip = "0.0.0.0"  # the host is known later
        prepared: dict[str, Any] = await super().pre_launch(env=environment, **kwargs)
        if self.slurm:
            allocate = ["salloc", "--quiet", f"--job-name={self._job}", *shlex.split(self.slurm)]
            prepared["cmd"] = [*allocate, *_STEP, *prepared["cmd"]]
        return prepared

    @property
    def _job(self) -> str:
        return f"atoll-kernel-{self._mark}"

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        if not self.slurm:
            return await super().launch_kernel(cmd, **kwargs)
        place = Path(self.parent.connection_file + HOST_SUFFIX)
        place.unlink(missing_ok=True)
        connection = await super().launch_kernel(cmd, **kwargs)
        while not (host := place.read_text() if place.exists() else ""):
            if await self.poll() is not None:
                raise RuntimeError(
                    f"the kernel has not started ({shlex.join(cmd[:-2])} has ended). Jupyter's log says why"
                )
            await asyncio.sleep(_LOOK_S)
        self.parent.ip = socket.gethostbyname(host)
        return {**connection, "ip": self.parent.ip}

    async def cleanup(self, restart: bool = False) -> None:
        if self.slurm and self._mark:
            cancel = await asyncio.create_subprocess_exec(
                "scancel", f"--name={self._job}", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
            )
            await cancel.wait()
        await self._await_end()
        if self.parent is not None and self.parent.connection_file:
            Path(self.parent.connection_file + HOST_SUFFIX).unlink(missing_ok=True)
        await super().cleanup(restart)

    async def _await_end(self) -> None:
        """Until the launcher and the PEs of this host have ended, which they do when the kernel has."""
        for _ in range(round(_LEFT_S / _LOOK_S)):
            if not (left := _pes_of(self._mark)):
                return
            await asyncio.sleep(_LOOK_S)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def _pes_of(mark: str) -> list[int]:
    """Launchers, agents and workers that a kernel has started on this host."""
    if not mark:
        return []
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes()
            if (b"atoll-run" in words or b"_core." in words) and f"{_MARK}={mark}".encode() in (
                place / "environ"
            ).read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found
