# SPDX-License-Identifier: Apache-2.0
"""Agents that this process starts itself, in the place of ssh: the launcher's command asks it through a Unix socket."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Callable

from .peer import user_of

#: Starts `words` on `host` and writes `secret` and a line end to its standard input, which stays open.
Start = Callable[[str, list[str], str], None]

# Passes the host, the agent's command and the secret from its standard input on, and stays for as long as the launcher.
_ASK = """
import json, os, socket, struct, sys
name, host, *words = sys.argv[1:]
line = socket.socket(socket.AF_UNIX)
line.connect("\\0" + name)
if struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1] != os.getuid():
    sys.exit(1)
with line.makefile("rw") as stream:
    json.dump([host, words, sys.stdin.readline().strip()], stream)
    stream.write(chr(10))
    stream.flush()
    error = json.loads(stream.readline() or '"the driver has ended"')
    if error:
        print(error, file=sys.stderr)
        sys.exit(1)
    sys.stdin.read()
"""
_held: list[subprocess.Popen[bytes]] = []


def start_here(words: list[str], secret: str) -> None:
    """Starts an agent on the host of this process; it ends with its launcher."""
    agent = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)
    assert agent.stdin is not None
    agent.stdin.write(secret.encode() + b"\n")
    agent.stdin.flush()
    _held[:] = [one for one in _held if one.poll() is None] + [agent]


class RemoteStart:
    """Answers the launcher's commands with `start`, as long as it is open."""

    def __init__(self, start: Start) -> None:
        self._start = start
        name = f"atoll-start-{secrets.token_hex(16)}"
        self.launch_agent = shlex.join([sys.executable, "-S", "-c", _ASK, name, "{host}"])
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind("\0" + name)
        self._listener.listen()
        threading.Thread(target=self._serve, name="atoll-remote-start", daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rw") as stream, contextlib.suppress(OSError, ValueError):
            if user_of(connection) != os.getuid():
                return
            host, words, secret = json.loads(stream.readline())
            try:
                self._start(host, words, secret)
                error = ""
            except Exception as found:
                error = f"cannot start the agent on {host}: {found}"
            stream.write(json.dumps(error) + "\n")
            stream.flush()

    def close(self) -> None:
        """Once all agents have been started."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
