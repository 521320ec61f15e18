# SPDX-License-Identifier: Apache-2.0
"""Servers, sessions on them, and bare sockets, for benchmarks of servers."""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from atoll.bench import peers
from atoll.bench.registry import Setup, Skip

_CONNECTIONS = ("tcp", "unix", "tls")
#: Bytes of a message of bare sockets, in each direction.
MESSAGE = 64


def connect(setup: Setup, connection: str) -> Any:
    """A session on a server of this shape, the current one; it ends when the next case with arrays begins.

    `connection`: "tcp", "unix" (large arrays by shared memory), or "tls".
    """
    from atoll.serve import server_files
    from atoll.serve.client.connect import connect as attach

    if connection not in _CONNECTIONS:
        raise ValueError(f"there is no connection {connection!r}. Use one of {', '.join(_CONNECTIONS)}")
    name, home = _server(setup, connection == "tls")
    with _home(home):
        server = server_files.read(name)
        if connection == "unix":
            return attach(name)
    address = f"{server.host}:{server.port}"
    return attach(address, token=server.tokens["code"], fingerprint=server.fingerprint)


def environment(setup: Setup) -> dict[str, str]:
    """Variables for other client processes of the server without TLS, whose name is `name(setup)`."""
    return {**os.environ, "HOME": _server(setup, False)[1], "PYTHONPATH": _package()}


def name(setup: Setup) -> str:
    """The name of the server without TLS."""
    return _server(setup, False)[0]


@cache
def _server(setup: Setup, is_secure: bool) -> tuple[str, str]:
    """Starts a server, once; its name and its home directory."""
    peers.require("atoll")
    home = tempfile.TemporaryDirectory(prefix="atoll")
    words = ["--name", "bench", "-n", str(setup.pes), "--threads", str(setup.threads)] + ["--tls"] * is_secure
    process = started(
        [sys.executable, "-m", "atoll", "serve", *words],
        {**os.environ, "HOME": home.name, "PYTHONPATH": _package(), "ATOLL_PROGRESS": "off"},
    )
    atexit.register(home.cleanup)
    atexit.register(end, process)
    assert process.stdout is not None
    if not process.stdout.readline().startswith("server "):
        raise Skip(f"the server does not start: {(Path(home.name) / '.atoll/servers/bench.log').read_text()[-300:]}")
    return "bench", home.name


def processor_seconds(setup: Setup) -> float:
    """Processor time of the threads of the server without TLS, without that of its other PEs' processes."""
    from atoll.serve import server_files

    with _home(_server(setup, False)[1]):
        tasks = Path(f"/proc/{server_files.read(name(setup)).pid}/task")
    return 1e-9 * sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir())


@cache
def dashboard(setup: Setup) -> tuple[str, dict[str, str]]:
    """A dashboard of the server without TLS, started once: its address, and the headers of requests."""
    try:
        from atoll.serve.dashboard import web  # noqa: F401 - fails where its packages are missing
    except ImportError as error:
        raise Skip(f"dashboards need the extra serve ({error})") from None
    process = started([sys.executable, "-m", "atoll", "dashboard", name(setup)], environment(setup))
    atexit.register(end, process)
    assert process.stdout is not None
    address, _, token = process.stdout.readline().split()[-1].partition("#token=")
    return address, {"Authorization": f"Bearer {token}"}


def started(command: list[str], variables: dict[str, str]) -> subprocess.Popen[str]:
    """A process whose first lines the caller reads, and which `end` ends."""
    return subprocess.Popen(
        command, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def end(process: subprocess.Popen[str]) -> None:
    """Ends a process that this module or a case has started."""
    process.terminate()
    with process:
        process.wait()


def _package() -> str:
    return str(Path(__file__).parents[2])


@contextlib.contextmanager
def _home(place: str) -> Iterator[None]:
    before = os.environ.get("HOME")
    os.environ["HOME"] = place
    try:
        yield
    finally:
        os.environ.pop("HOME") if before is None else os.environ.update(HOME=before)


class BareSocket:
    """A socket to a process that answers each request at once: the least that a server's answer can cost.

    Parameters
    ----------
    family : socket.AddressFamily
        AF_INET (loopback) or AF_UNIX.
    """

    def __init__(self, family: socket.AddressFamily) -> None:
        script = str(Path(__file__).with_name("socket_peer.py"))
        self._process = started([sys.executable, script, family.name], dict(os.environ))
        assert self._process.stdout is not None
        address = self._process.stdout.readline().strip()
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        if family == socket.AF_UNIX:
            self._socket.connect("\0" + address)
        else:
            self._socket.connect(("127.0.0.1", int(address)))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._message = bytearray(MESSAGE)
        atexit.register(self.close)

    def round_trip(self) -> None:
        """A message there and back."""
        self._socket.sendall(b"e" + bytes(MESSAGE - 1))
        self._fill(memoryview(self._message))

    def up(self, data: memoryview) -> None:
        """Sends bytes; the process has them when this returns."""
        self._socket.sendall(b"u" + len(data).to_bytes(8, "little") + bytes(MESSAGE - 9))
        self._socket.sendall(data)
        self._fill(memoryview(self._message))

    def down(self, data: memoryview) -> None:
        """Receives as many bytes as the memory holds: those of the last `up`."""
        self._socket.sendall(b"d" + len(data).to_bytes(8, "little") + bytes(MESSAGE - 9))
        self._fill(data)

    def close(self) -> None:
        """Ends the process."""
        self._socket.close()
        end(self._process)

    def _fill(self, data: memoryview) -> None:
        while data:
            got = self._socket.recv_into(data)
            if not got:
                raise ConnectionResetError("the process of the bare socket has ended")
            data = data[got:]


@cache
def bare_socket(family: socket.AddressFamily) -> BareSocket:
    """The bare socket of a family, made once."""
    return BareSocket(family)
