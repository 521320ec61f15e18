# SPDX-License-Identifier: Apache-2.0
"""The listener: a thread that accepts connections, authenticates them, and answers control requests.

It uses no engine, so it answers while an operation runs. Before a client has proved itself, 4 KiB of it are read at
most, for 10 seconds at most, of 64 connections at most: then the oldest is dropped.
"""

from __future__ import annotations

import contextlib
import hmac
import logging
import os
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from ... import _core
from ...session.peer import user_of
from ..activity import LogLines
from ..handshake import RefusedError, Steps, server_steps
from ..machine import host, process, workers_of
from ..operations import DIGEST
from ..protocol import HANDSHAKE_SECONDS, ProtocolError, Role
from ..sampler import STACKS
from ..transfer import TransferMemory
from .client import Client
from .loop import Loop

_log = logging.getLogger("atoll.serve")
_PENDING = 64
_INFO = ("version", "compiler", "processor", "cores", "memory_bytes", "memory_available_bytes", "simd", "network")
_AGAIN = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError, InterruptedError)

#: What becomes of a connection after the handshake: takes the socket.
Outcome = Callable[[socket.socket], None]


class _NewConnection:
    """A connection that has not proved itself yet."""

    def __init__(self, connection: socket.socket, steps: Steps, peer: str) -> None:
        self.socket, self.steps, self.peer = connection, steps, peer
        self.deadline = time.monotonic() + HANDSHAKE_SECONDS
        self.data, self.out = bytearray(), bytearray()
        self.secured = not isinstance(connection, ssl.SSLSocket)
        first = next(steps)
        assert isinstance(first, int)
        self.wanted = first

    def go_on(self) -> Outcome | None:
        """As many steps as the socket allows; what becomes of the connection once the last is done."""
        if not self.secured:
            self.socket.do_handshake()  # type: ignore[attr-defined]
            self.secured = True
        while True:
            while self.out:
                del self.out[: self.socket.send(self.out)]
            while len(self.data) < self.wanted:
                some = self.socket.recv(self.wanted - len(self.data))
                if not some:
                    raise ConnectionResetError("the connection ended in the handshake")
                self.data += some
            given, self.data = bytes(self.data), bytearray()
            try:
                step = self.steps.send(given)
                while isinstance(step, bytes):
                    self.out += step
                    step = self.steps.send(b"")
                self.wanted = step
            except StopIteration as end:
                self._send_rest()
                outcome: Outcome = end.value
                return outcome
            except (RefusedError, ProtocolError):
                self._send_rest()
                raise

    def _send_rest(self) -> None:
        """The reply, of at most a few KiB, which an empty socket takes at once."""
        while self.out:
            del self.out[: self.socket.send(self.out)]


class Listener:
    """Listens, and hands authenticated connections to the loop."""

    def __init__(
        self, loop: Loop, listeners: list[socket.socket], tokens: Mapping[Role, str], name: str, quota: int,
        sessions: int, tls: ssl.SSLContext | None, lines: LogLines,
    ) -> None:  # fmt: skip
        self._lines = lines
        info = _core.info()  # but for its configuration, which may hold secrets of a job
        self._info = {key: info[key] for key in _INFO if key in info}
        self._info |= {"hostname": socket.gethostname(), "address": "{}:{}".format(*listeners[0].getsockname()[:2])}
        self._loop, self._listeners, self._tokens = loop, listeners, tokens
        self._name, self._quota, self._sessions, self._tls = name, quota, sessions, tls
        self._selector = selectors.DefaultSelector()
        self._new: dict[socket.socket, _NewConnection] = {}
        self._refused = 0
        self._began = time.monotonic()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)
        for one in listeners:
            one.setblocking(False)
            self._selector.register(one, selectors.EVENT_READ)

    def open(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stops listening and ends the thread."""
        self._ending.set()
        self._thread.join(2)
        for one in (*self._listeners, *self._new):
            one.close()

    def _run(self) -> None:
        while not self._ending.is_set():
            for key, _ in self._selector.select(0.2):
                connection: Any = key.fileobj
                if connection in self._new:
                    self._go_on(self._new[connection])
                else:
                    self._accept(connection)
            now = time.monotonic()
            for new in [one for one in self._new.values() if one.deadline < now]:
                self._drop(new, "it has not proved itself in time")

    def _accept(self, listener: socket.socket) -> None:
        try:
            connection, address = listener.accept()
        except OSError:
            return
        peer = "a process of this host" if listener.family == socket.AF_UNIX else str(address[0])
        try:
            connection.setblocking(False)
            if listener.family == socket.AF_UNIX:
                _check_peer(connection)
            else:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                if self._tls is not None:
                    connection = self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        except (OSError, RefusedError) as error:
            connection.close()
            self._note(peer, error)
            return
        if len(self._new) >= _PENDING:
            self._drop(min(self._new.values(), key=_precedence), "too many others connect")
        is_local = listener.family == socket.AF_UNIX

        def admit(role: Role, request: Any) -> tuple[dict[str, Any], Outcome]:
            return self._admit(role, request, is_local)

        new = _NewConnection(connection, server_steps(self._tokens, admit), peer)
        self._new[connection] = new
        self._selector.register(connection, selectors.EVENT_READ)

    def _go_on(self, new: _NewConnection) -> None:
        try:
            outcome = new.go_on()
        except _AGAIN:
            return
        except (OSError, ValueError) as error:
            self._drop(new, error)
            return
        except Exception as error:  # a request that no client of ours makes
            _log.exception("a connection of %s", new.peer)
            self._drop(new, error)
            return
        if outcome is not None:
            self._selector.unregister(new.socket)
            del self._new[new.socket]
            outcome(new.socket)

    def _drop(self, new: _NewConnection, why: object) -> None:
        self._selector.unregister(new.socket)
        del self._new[new.socket]
        new.socket.close()
        self._note(new.peer, why)

    def _note(self, peer: str, why: object) -> None:
        self._refused += 1
        if self._refused & (self._refused - 1) == 0:  # the 1st, 2nd, 4th, 8th …
            _log.warning("connection %d that is refused, of %s: %s", self._refused, peer, why)

    # -- requests of clients that have proved themselves --

    def _admit(self, role: Role, request: Any, is_local: bool) -> tuple[dict[str, Any], Outcome]:
        if not isinstance(request, dict):
            raise RefusedError("the request is not valid")
        request["memory"] = is_local and request.get("memory") is True
        purpose = request.get("purpose")
        admit = {
            "session": self._new_session, "resume": self._resumed, "interrupt": self._interrupt, "status": self._status,
            "stop": self._stop, "checkpoint": self._checkpoint,
            "monitor": self._monitor, "profile": self._profile, "cancel": self._cancel,
        }.get(purpose if isinstance(purpose, str) else "")  # fmt: skip
        if admit is None:
            raise RefusedError(f"the server knows no purpose {purpose!r}")
        return admit(role, request)

    def _new_session(self, role: Role, request: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
        if request.get("operations") != DIGEST:
            raise RefusedError(
                f"the client is Atoll {request.get('version')} and the server Atoll {_core.VERSION}: their operations "
                "differ. Use the same version on both sides"
            )
        if self._loop.stopping:
            raise RefusedError("the server is ending")
        asked = request.get("quota")
        quota = min((one for one in (self._quota, asked if isinstance(asked, int) else 0) if one > 0), default=0)
        client = Client(self._loop.core, self._loop.names, role, request, quota, self._loop.activity, self._loop.deputy)
        if request["memory"]:
            with contextlib.suppress(OSError):  # no memory: the elements go through the socket
                client.memory = TransferMemory.make()
        with self._loop.lock:
            if len(self._loop.clients) >= self._sessions:
                client.close()
                raise RefusedError(f"the server has {self._sessions} sessions already. End one, or start it with more")
            self._loop.admit(client)
        _log.info("session %s of %s begins, with the role %s", client.id, client.user, role.label)
        core = self._loop.core
        reply = {
            "session": client.id, "key": client.key, "pes": core.pes, "threads": core.threads, "name": self._name,
            "grace": self._loop.grace,
            "info": self._info,
        }  # fmt: skip
        return self._attached(client, reply, request, None)

    def _attached(
        self, client: Client, reply: dict[str, Any], request: dict[str, Any], answered: int | None
    ) -> tuple[dict[str, Any], Outcome]:
        """The reply, and a step that passes the session's memory on before the loop gets the connection."""
        memory = client.memory if request["memory"] else None

        def attach(connection: socket.socket) -> None:
            if memory is not None:
                try:
                    memory.send(connection)
                except OSError as error:
                    _log.warning("session %s gets no memory (%s)", client.id, error)
                    connection.close()
                    return
            self._loop.attach(client, connection, answered)

        return {**reply, "memory": memory is not None}, attach

    def _client(self, role: Role, request: dict[str, Any]) -> Client:
        with self._loop.lock:
            found = self._loop.clients.get(str(request.get("session")))
        if found is None or found.role != role or not hmac.compare_digest(found.key, str(request.get("key"))):
            raise RefusedError("there is no such session (it has ended, or waited too long for its client)")
        return found

    def _resumed(self, role: Role, request: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
        client, answered = self._client(role, request), request.get("answered")
        client.lost_at = time.monotonic() + HANDSHAKE_SECONDS  # it gets the new connection before
        have = answered if isinstance(answered, int) else 0
        return self._attached(client, {"done": client.done}, request, have)

    def _interrupt(self, role: Role, request: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
        client, number = self._client(role, request), request.get("number")
        if isinstance(number, int):
            self._loop.interrupt(client, number)
        return {}, _close

    def _status(self, role: Role, request: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
        with self._loop.lock:
            clients = list(self._loop.clients.values())
        core, running = self._loop.core, self._loop.running
        reply: dict[str, Any] = {
            "name": self._name, "pid": os.getpid(), "version": _core.VERSION, "pes": core.pes, "threads": core.threads,
            "seconds": round(time.monotonic() - self._began, 1), "sessions": len(clients),
            "published": len(self._loop.names),
            "refused": self._refused, "running": "" if running is None else running.running,
            "checkpoint": self._loop.checkpoints.status(),
        }  # fmt: skip
        if request.get("sessions") and role >= Role.COMPUTE:
            reply["list"] = [one.status() for one in clients]
        return reply, _close

    def _stop(self, role: Role, request: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
        if role < Role.CODE:
            raise RefusedError("stopping the server needs the role code")
        _log.info("a client asks the server to end")
        self._loop.stop()
        running = self._loop.running
        if running is not None:
            self._loop.interrupt(running, running.done)
        return {}, _close

    def _monitor(self, role: Role, request: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
        """Data for a dashboard, after the operations and log lines that it has already (`operations`, `lines`)."""
        if role < Role.CODE:
            raise RefusedError("the dashboard needs the role code")
        self._loop.watch()
        reply, _ = self._status(role, {"sessions": True})
        core, operations, lines = self._loop.core, request.get("operations"), request.get("lines")
        pids = [os.getpid(), *workers_of(os.getpid(), core.pes - 1)]
        reply.update(
            kind=core.kind,
            now=time.monotonic(),
            stats=dict(self._loop.stats),
            objects=list(self._loop.objects),
            processes=[process(pid) for pid in pids],
            host=host(),
            state=self._loop.activity.state(),
            totals=dict(self._loop.activity.totals),
            phases=dict(self._loop.activity.phases),
            scans=self._loop.activity.scans.last(),
            operations=self._loop.activity.after(operations if isinstance(operations, int) else 0, 500),
            lines=self._lines.after(lines if isinstance(lines, int) else 0, 100),
        )
        return reply, _close

    def _profile(self, role: Role, request: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
        """Sampled stacks of the main thread."""
        if role < Role.CODE:
            raise RefusedError("the profile needs the role code")
        self._loop.watch()
        return self._loop.sampler.profile(STACKS), _close

    def _cancel(self, role: Role, request: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
        if role < Role.CODE:
            raise RefusedError("cancelling requests of other sessions needs the role code")
        session, number = str(request.get("of")), request.get("number")
        if not isinstance(number, int):
            raise RefusedError("cancelling needs the number of a request")
        _log.info("a dashboard cancels request %d of session %s", number, session)
        return {"found": self._loop.cancel(session, number)}, _close

    def _checkpoint(self, role: Role, request: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
        if role < Role.CODE:
            raise RefusedError("writing a checkpoint needs the role code")
        if not self._loop.checkpoints.path:
            raise RefusedError("the server writes no checkpoints. Start it with --checkpoint")
        self._loop.checkpoint()
        return {}, _close


def _precedence(new: _NewConnection) -> tuple[bool, float]:
    """Which connection gives way to others: the oldest one by TCP, as those of the Unix socket are of the same user."""
    return new.socket.family == socket.AF_UNIX, new.deadline


def _close(connection: socket.socket) -> None:
    connection.close()


def _check_peer(connection: socket.socket) -> None:
    """RefusedError for a process of another user, which the socket's mode should have kept out."""
    if (user := user_of(connection)) != os.getuid():
        raise RefusedError(f"the process is of user {user}, not of user {os.getuid()}")
