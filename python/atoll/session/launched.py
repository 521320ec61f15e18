# SPDX-License-Identifier: Apache-2.0
"""PEs on several hosts behind a driver: the launcher starts them, and this process takes the place of PE 0."""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from .. import _core
from .interruptible import interruptible
from .peer import user_of
from .worker import launched_command

#: Seconds that a launcher has to end its job, once all PEs have been told to end.
_END_S = 20.0
#: Seconds for which the launcher's error is waited for when the job has failed at its start.
_ERROR_S = 10.0
#: What the launcher ends with when it does not accept an option.
_USAGE_STATUS = 2
_OWN_LINES = b"atoll-run: "


def launcher() -> str:
    """Path of the launcher: beside this package, or on the PATH."""
    beside = Path(__file__).resolve().parent.parent / "bin" / "atoll-run"
    found = str(beside) if beside.is_file() else shutil.which("atoll-run")
    if found is None:
        raise FileNotFoundError(f"the launcher {beside} is missing. In a checkout: `make build`, then again")
    return found


def name_of(host: str) -> str:
    """The name in "name", "name:2" and "[v6]:2"."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host


def slots_of(host: str) -> int:
    """The number of PEs in "name:2" and "[v6]:2"; 1 without one."""
    number = host[len(name_of(host)) :].rpartition(":")[2]
    return int(number) if number.isdigit() else 1


def is_here(name: str) -> bool:
    """Whether this process runs on that host."""
    own = socket.gethostname()
    if name in ("localhost", own, own.partition(".")[0]) or name.partition(".")[0] == own:
        return True
    try:
        found = socket.getaddrinfo(name, 0, type=socket.SOCK_DGRAM)
    except OSError:
        return False
    for family, kind, _, _, address in found:
        with contextlib.suppress(OSError), socket.socket(family, kind) as probe:
            probe.bind(address)
            return True
    return False


def this_host_first(hosts: Sequence[str]) -> list[str]:
    """The hosts in the order of the PEs: PE 0 is this process. ValueError when this host is not one of them."""
    places = [place for place, host in enumerate(hosts) if is_here(name_of(host))]
    if not places:
        raise ValueError(
            f"hosts={','.join(hosts)!r} does not name this host, {socket.gethostname()!r} (the driver is PE 0, so that "
            "its host is one of them). Add it, or start this process on one of these hosts?"
        )
    return [hosts[place] for place in places] + [host for place, host in enumerate(hosts) if place not in places]


class LaunchedJob:
    """The PEs of a driver session over several hosts.

    The launcher is a child of this process, in a session of its own, so that Ctrl-C on the terminal does not reach it.
    It ends when this process has ended, however that ended.

    Parameters
    ----------
    hosts : sequence of str
        As the launcher takes them: "name" or "name:slots". The first is this host.
    pes, threads : int, optional
        As the launcher's options -n and -t.
    launch_agent : str, optional
        As the launcher's option --launch-agent.
    ended : callable, optional
        Called once nothing of the job is left.
    """

    def __init__(
        self, hosts: Sequence[str], pes: int | None = None, threads: int | None = None, launch_agent: str = "",
        ended: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        self.hosts = list(hosts)
        self._owner = os.getpid()
        self._ended = ended
        self._stand_in: socket.socket | None = None
        name = f"atoll-driver-{secrets.token_hex(16)}"
        words = [launcher(), "--hosts", ",".join(hosts)]
        for option, value in (("-n", pes), ("-t", threads), ("--launch-agent", launch_agent)):
            if value:
                words += [option, str(value)]
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("\0" + name)
            listener.listen()
            self._launcher = subprocess.Popen(
                [*words, *launched_command(name)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
            self._errors = _Errors(self._launcher)
            try:
                self._stand_in = self._await_stand_in(listener)
                place, files, _, _ = socket.recv_fds(self._stand_in, 64, 1)
                if not files:
                    raise RuntimeError("PE 0 has ended")
                npes, own_threads = map(int, place.split())
                self.core: _core.Session = interruptible(_core.drive_job, files[0], npes, own_threads)
            except BaseException as error:
                if isinstance(error, RuntimeError | OSError):
                    said = self._failed()
                    wrong = ValueError if self._launcher.returncode == _USAGE_STATUS else RuntimeError
                    raise wrong(f"cannot start PEs on {','.join(hosts)}: {said or error}") from None
                self.end(lost=True)
                raise
        self._errors.pass_on()

    def _await_stand_in(self, listener: socket.socket) -> socket.socket:
        """The connection of PE 0 as the launcher has started it."""
        poll = select.poll()
        end = os.pidfd_open(self._launcher.pid)
        try:
            poll.register(listener, select.POLLIN)
            poll.register(end, select.POLLIN)
            while True:
                if listener.fileno() not in [descriptor for descriptor, _ in poll.poll()]:
                    raise RuntimeError("the launcher has ended")
                connection, _ = listener.accept()
                if user_of(connection) == os.getuid():
                    return connection
                connection.close()
        finally:
            os.close(end)

    def _failed(self) -> str:
        """The launcher's messages about a job that has not started."""
        if self._stand_in is not None:
            self._stand_in.close()  # PE 0 ends
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._launcher.wait(_ERROR_S)
        self.end(lost=True)
        return self._errors.said()

    def end(self, *, lost: bool) -> None:
        """Waits until nothing of the job is left. `lost`: its PEs have not been told to end, or cannot be."""
        if os.getpid() != self._owner:
            return
        if self._stand_in is not None:
            with contextlib.suppress(OSError):
                if not lost:
                    self._stand_in.send(b"\n")
            self._stand_in.close()
        if lost:
            self._launcher.terminate()
        try:
            self._launcher.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._launcher.kill()  # its agents end their PEs then
            self._launcher.wait()
        self._errors.close()
        if self._ended is not None:
            self._ended()


class _Errors:
    """Standard error of the launcher and its PEs: held back until the job has started, then passed on.

    Of a running job the launcher's own lines are dropped: what they say, the session's error says too.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        self._stream = process.stderr
        self._lock = threading.Lock()
        self._kept: list[bytes] = []
        self._passes = False
        self._thread = threading.Thread(target=self._read, name="atoll-launcher-errors", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in self._stream:
                with self._lock:
                    if not self._passes:
                        self._kept.append(line)
                        continue
                if not line.startswith(_OWN_LINES):
                    os.write(2, line)

    def said(self) -> str:
        """The lines so far, without the launcher's name."""
        with self._lock:
            return b"".join(line.removeprefix(_OWN_LINES) for line in self._kept).decode(errors="replace").strip()

    def pass_on(self) -> None:
        """Passes on what was kept, and all that follows."""
        with self._lock:
            kept, self._kept, self._passes = self._kept, [], True
        for line in kept:
            os.write(2, line)

    def close(self) -> None:
        """Once the launcher has ended; a process that it left behind may hold its end of the pipe."""
        self._thread.join(1.0)
