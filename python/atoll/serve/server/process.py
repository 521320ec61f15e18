# SPDX-License-Identifier: Apache-2.0
"""The server process: starts the PEs, listens, serves, and leaves nothing behind at its end."""

from __future__ import annotations

import logging
import os
import signal
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Any

from ... import _core
from ...session.launched import slots_of
from ...session.session import init, shutdown
from .. import server_files, telemetry
from ..activity import LogLines
from ..certificates import make, server_context
from ..handshake import new_token
from ..protocol import BULK_LIMIT, Role
from .checkpoints import Checkpoints
from .listener import Listener
from .loop import Loop, raise_stop_signals
from .names import Names

_log = logging.getLogger("atoll.serve")


@dataclass(frozen=True)
class Settings:
    """How a server is started."""

    name: str
    pes: int | None = None  # 1; with hosts, all of them
    threads: int | None = None
    host: str = "127.0.0.1"
    port: int = 0
    grace: float = 300.0
    idle: float = 0.0
    quota: int = 0
    sessions: int = 64
    tls: bool = False
    certificate: str = ""  # files in PEM; empty: made at the start
    key: str = ""
    checkpoint: str = ""  # directory of checkpoints; empty: none
    every: float = 600.0  # seconds between checkpoints while published objects change
    rest: float = 30.0  # seconds without a request after which a change is written
    restore: bool = False
    seconds: float = 0.0  # after which the server ends; 0: never
    memory: int = 0  # bytes of arrays on all PEs; 0: what the host has
    hosts: str = ""  # as `ak.init` takes them; empty: this one, or those of the allocation


def serve(settings: Settings, ready: Any = None) -> None:
    """Runs a server in this process until its end. Calls `ready(server_files.Server)` when clients may connect."""
    server_files.prepare()
    lines = _open_log(settings.name)
    sockets: list[socket.socket] = []
    try:
        names = Names()
        checkpoints = Checkpoints(names, settings.checkpoint, settings.every, settings.rest)
        if not settings.restore:
            checkpoints.check_unused()
        sockets = _sockets(settings)
        hosts = settings.hosts.split(",") if settings.hosts else []
        if settings.memory:
            pes = settings.pes or sum(map(slots_of, hosts)) or 1
            os.environ.update(ATOLL_MEMORY_LIMIT=str(max(1, settings.memory // pes)))
        core = init(settings.pes, settings.threads, hosts=hosts or None)._core
        if settings.restore:
            _log.info("%d names of the checkpoint in %s", checkpoints.restore(), settings.checkpoint)
        telemetry.set_up(f"atoll {settings.name}")
        loop = Loop(core, settings.grace, settings.idle, min(BULK_LIMIT, max(1, _memory(core))), names, checkpoints)
        raise_stop_signals(loop)
        tokens = {role: new_token() for role in Role}
        context, fingerprint = _tls(settings)
        listener = Listener(loop, sockets, tokens, settings.name, settings.quota, settings.sessions, context, lines)
        host, port = sockets[0].getsockname()[:2]
        server = server_files.Server(
            settings.name, os.getpid(), host, port, server_files.socket_of(settings.name) if len(sockets) > 1 else "",
            core.pes, time.time(), _core.VERSION, {role.label: token for role, token in tokens.items()}, fingerprint,
        )  # fmt: skip
        server_files.write(server)
        try:
            listener.open()
            _log.info("%s: %d PEs, %s:%d, process %d", settings.name, core.pes, host, port, os.getpid())
            if ready is not None:
                ready(server)
            signal.setitimer(signal.ITIMER_REAL, settings.seconds)  # 0: never
            loop.run()
            if core.failed:
                _log.error("a PE has failed: all arrays are lost")
            else:
                checkpoints.finish()
        finally:
            listener.close()
            server_files.remove(settings.name, os.getpid())
            _log.info("%s has ended", settings.name)
    finally:
        for one in sockets:
            one.close()
        shutdown()


def _tls(settings: Settings) -> tuple[ssl.SSLContext | None, str]:
    if not settings.tls:
        return None, ""
    given = settings.certificate, settings.key
    return server_context(*(given if all(given) else make(server_files.directory(), settings.name)))


def _memory(core: Any) -> int:
    return int(core.stats()["memory_limit"]) * int(core.pes)


def _sockets(settings: Settings) -> list[socket.socket]:
    """The TCP socket, and the Unix socket where its path is short enough."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    tcp = socket.socket(family, socket.SOCK_STREAM)
    found = [tcp]
    try:
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        tcp.bind((settings.host, settings.port))
        tcp.listen(128)
        if path := server_files.socket_of(settings.name):
            unix = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            found.append(unix)
            if os.path.exists(path):
                os.unlink(path)  # of a server that was killed: `check_free` has asked
            before = os.umask(0o177)
            try:
                unix.bind(path)
            finally:
                os.umask(before)
            unix.listen(128)
    except BaseException:
        for one in found:
            one.close()
        raise
    return found


def _open_log(name: str) -> LogLines:
    """Logs to the server's file, and keeps the last lines."""
    path = server_files.log_of(name)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    handler = logging.StreamHandler(os.fdopen(descriptor, "a", buffering=1))
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    lines = LogLines()
    _log.handlers[:] = [handler, lines]
    _log.setLevel(logging.INFO)
    _log.propagate = False
    return lines
