# SPDX-License-Identifier: Apache-2.0
"""Servers behind ssh: `ssh://user@login/NAME`, reached through a Unix socket that the system's ssh forwards."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ..certificates import pinned_context
from ..protocol import Role
from ..server_files import Server, check_name
from .channel import Target

_ASK_S = 60.0
_END_S = 5.0
#: A user and a host that neither ssh nor a shell takes for something else.
_DESTINATION = re.compile(r"(?:[A-Za-z0-9_.+-]+@)?[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
# Printed by the remote shell once the socket is forwarded. Then `cat` waits for the end of this process.
_READY = "atoll-ready"


@dataclass(frozen=True)
class Address:
    """The parts of `ssh://user@login:port/NAME`."""

    destination: str
    port: int | None
    name: str

    @staticmethod
    def parse(text: str) -> Address:
        """ValueError where it is no such address."""
        parts = urlsplit(text)
        destination = parts.netloc.rpartition(":")[0] if parts.port is not None else parts.netloc
        name = parts.path.removeprefix("/")
        if not _DESTINATION.match(destination) or parts.query or parts.fragment:
            raise ValueError(f"{text!r} is no address of a server behind ssh. Use ssh://user@login/NAME")
        return Address(destination, parts.port, check_name(name))

    def command(self, *words: str, options: tuple[str, ...] = ()) -> list[str]:
        """The ssh command that runs a command there."""
        program = shutil.which("ssh")
        if program is None:
            raise FileNotFoundError("there is no ssh on the PATH, which ssh:// addresses need. Install it?")
        port = ["-p", str(self.port)] if self.port is not None else []
        return [program, "-T", *port, *options, self.destination, *words]


class Tunnel:
    """The ssh process that forwards a socket of this host to the server; started again when it has ended.

    It ends with this process, whatever ends that: its remote command reads from a pipe that this process holds.
    """

    def __init__(self, address: Address, server: Server) -> None:
        self._address = address
        # The Unix socket checks its peer, but exists on the server's host alone.
        direct = server.host not in ("127.0.0.1", "::1", "localhost") and bool(server.fingerprint)
        host = f"[{server.host}]" if ":" in server.host else server.host
        #: The server's TCP socket is forwarded, where traffic is encrypted if the server asks for that.
        self.is_tcp = direct or not server.socket
        self._remote = f"{host}:{server.port}" if self.is_tcp else server.socket
        self._folder = tempfile.mkdtemp(prefix="atoll-ssh-")
        self.path = str(Path(self._folder) / "socket")
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()  # an interrupt opens its connection from another thread

    def ensure(self) -> None:
        """Waits until the socket is forwarded. ConnectionError: ssh has ended."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return
            self._end()
            forward = f"{self.path}:{self._remote}"
            options = ("-o", "ExitOnForwardFailure=yes", "-o", "ServerAliveInterval=15", "-L", forward)
            self._process = subprocess.Popen(
                self._address.command(f"echo {_READY}; exec cat", options=options),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
            assert self._process.stdout is not None
            for line in self._process.stdout:
                if line.strip() == _READY.encode():
                    return
            status = self._process.wait()
            raise ConnectionError(
                f"ssh {self._address.destination} ended with status {status} before it forwarded {self._remote}. "
                f"Does this work: ssh {self._address.destination} true?"
            )

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            process.terminate()
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        Path(self.path).unlink(missing_ok=True)

    def close(self) -> None:
        """Ends ssh and removes the socket."""
        with self._lock:
            self._end()
            with contextlib.suppress(OSError):
                os.rmdir(self._folder)


def _connection_file(address: Address) -> Server:
    """The contents of the server's connection file, read over ssh."""
    path = f".atoll/servers/{address.name}.json"
    asked = subprocess.run(
        address.command(f"cat {shlex.quote(path)}"), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=_ASK_S, check=False,
    )  # fmt: skip
    if asked.returncode == 255:  # of ssh itself
        raise ConnectionError(f"ssh {address.destination} does not work ({asked.stderr.strip()}). Try it in a shell?")
    if asked.returncode != 0:
        raise LookupError(
            f"there is no server {address.name!r} of this user on {address.destination} ({asked.stderr.strip()}). "
            f"Start it there with `atoll serve --name {address.name}`?"
        )
    try:
        return Server(**json.loads(asked.stdout))
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"~/{path} on {address.destination} is no connection file of this version ({error}). Use one version of "
            "Atoll on both sides"
        ) from error


def target_of(text: str, role: Role, token: str | None = None) -> Target:
    """Where the server of an ssh:// address is reached, through a tunnel that is open."""
    address = Address.parse(text)
    server = _connection_file(address)
    known = token or server.tokens.get(role.label)
    if not known:
        raise PermissionError(f"the connection file of {text!r} has no token of the role {role.label!r}. Pass token=")
    tunnel = Tunnel(address, server)
    is_secured = bool(server.fingerprint) and tunnel.is_tcp
    return Target(
        repr(text), known, role, server.host, server.port, tunnel.path, pinned_context() if is_secured else None,
        server.fingerprint, tunnel,
    )  # fmt: skip
