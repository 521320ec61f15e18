# SPDX-License-Identifier: Apache-2.0
"""A connection to a server, for one request at a time. A connection that breaks is made again and resumes.

Requests are numbered. The channel keeps those that the server has not answered, and the server keeps its last answer,
so after a new connection each side sends what the other has not seen.
"""

from __future__ import annotations

import errno
import hmac
import os
import select
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...session.peer import user_of
from ..certificates import fingerprint_of
from ..handshake import RefusedError, client_steps
from ..protocol import BODY_LIMIT, HANDSHAKE_SECONDS, HEADER, Header, Kind, ProtocolError, Role, frame_head, header_of
from ..spinning import Spinner
from ..transfer import TransferMemory

_BUFFER = 64 << 10
_GONE_SECONDS = 1.0  # for which an address that refuses connections is tried again
_DROPPED = (0.02, 0.1, 0.3)  # seconds after which a connection that was closed in the handshake is made again
_ABSENT = (errno.ECONNREFUSED, errno.ENOENT, errno.ECONNRESET, errno.EPIPE)


@dataclass(frozen=True)
class Target:
    """Where a server is, and how a client proves that it may use it."""

    label: str  # for messages
    token: str = field(repr=False)
    role: Role
    host: str = ""
    port: int = 0
    path: str = ""  # of its Unix socket
    tls: ssl.SSLContext | None = None
    fingerprint: str = ""  # SHA-256 of the server's certificate, where it must be this one
    tunnel: Any = None  # `ssh.Tunnel` that forwards `path`

    @property
    def local(self) -> dict[str, Any]:
        """What a request says where the server is a process of this host: it may pass memory."""
        return {"memory": True} if self.path and self.tunnel is None and self.tls is None else {}

    def open(self, seconds: float = HANDSHAKE_SECONDS) -> socket.socket:
        """A connection, not authenticated yet."""
        if self.tunnel is not None:
            self.tunnel.ensure()
        if self.path:
            unix = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                unix.settimeout(seconds)
                unix.connect(self.path)
                if self.tunnel is None:
                    self._check_owner(unix)
            except BaseException:
                unix.close()
                raise
            return unix if self.tls is None else self._secured(unix)
        plain = socket.create_connection((self.host, self.port), seconds)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if self.tls is None:
                return plain
            return self._secured(plain)
        except BaseException:
            plain.close()
            raise

    def _check_owner(self, unix: socket.socket) -> None:
        if (user := user_of(unix)) != os.getuid():
            raise RefusedError(
                f"{self.path} belongs to a process of user {user}, not of user {os.getuid()}. Is it this user's server?"
            )

    def _secured(self, plain: socket.socket) -> socket.socket:
        assert self.tls is not None
        secure = self.tls.wrap_socket(plain, server_hostname=self.host)
        if self.fingerprint:
            found = fingerprint_of(secure.getpeercert(binary_form=True) or b"")
            if not hmac.compare_digest(found, self.fingerprint):
                secure.close()
                raise RefusedError(
                    f"the certificate of {self.label} is not the one that is expected. Was the server started again?"
                )
        return secure

    def ask(
        self, request: Mapping[str, Any], seconds: float = HANDSHAKE_SECONDS
    ) -> tuple[socket.socket, dict[str, Any]]:
        """A connection for a request, authenticated, and the server's reply.

        A server drops connections that have not proved themselves while many others come: then it is asked again.
        """
        for delay in _DROPPED:
            try:
                return self._asked(request, seconds)
            except (ConnectionResetError, BrokenPipeError):
                time.sleep(delay)
        return self._asked(request, seconds)

    def _asked(self, request: Mapping[str, Any], seconds: float) -> tuple[socket.socket, dict[str, Any]]:
        connection = self.open(seconds)
        try:
            connection.settimeout(seconds)
            return connection, _driven(connection, client_steps(self.token, self.role, dict(request)))
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Once no connection is needed any more."""
        if self.tunnel is not None:
            self.tunnel.close()

    def control(self, request: Mapping[str, Any], seconds: float = HANDSHAKE_SECONDS) -> dict[str, Any]:
        """The reply to a request that needs no session."""
        connection, reply = self.ask(request, seconds)
        connection.close()
        return reply


def _driven(connection: socket.socket, steps: Any) -> dict[str, Any]:
    """Carries out the handshake's steps on a socket that blocks."""
    given = b""
    wanted = next(steps)
    try:
        while True:
            if isinstance(wanted, bytes):
                connection.sendall(wanted)
                wanted = steps.send(b"")
            else:
                given = _exactly(connection, wanted)
                wanted = steps.send(given)
    except StopIteration as end:
        found: dict[str, Any] = end.value
        return found


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        some = connection.recv(count - len(data))
        if not some:
            raise ConnectionResetError("the server closed the connection during the handshake. Is the address right?")
        data += some
    return bytes(data)


class _Sent:
    """A frame that has not been acknowledged."""

    __slots__ = ("body", "bulk", "kind", "number")

    def __init__(self, kind: Kind, number: int, body: bytes, bulk: list[Any]) -> None:
        self.kind, self.number, self.body, self.bulk = kind, number, body, bulk


class _ServerClosedError(ConnectionResetError):
    """The server closed the connection."""


def _of_the_connection(error: BaseException) -> bool:
    """Whether the connection failed. A signal handler may raise an OSError as well, for example TimeoutError()."""
    return isinstance(error, OSError) and (error.errno is not None or isinstance(error, _ServerClosedError))


class Channel:
    """Requests and answers of one session; one thread at a time.

    A signal handler may raise between any two steps of this code, also after bytes left the socket and before they
    were counted. So only an exception during the wait for bytes keeps the connection (`_waiting`). Any other exception
    closes it; the next use resumes, and the server sends again what was not acknowledged.
    """

    def __init__(self, target: Target, request: dict[str, Any]) -> None:
        self.target = target
        self._socket: socket.socket | None = None
        connection, self.reply = target.ask(request | target.local)
        self.memory: TransferMemory | None = None
        self._adopt(connection, self.reply)
        self._waiting = False  # for bytes, of which none has been taken
        self._buffer = memoryview(bytearray(_BUFFER))
        self._begin = self._end = 0
        self.number = self.answered = 0  # of the last request, and of the last answer
        self._kept: list[_Sent] = []
        self.grace = float(self.reply.get("grace", 0))
        self.on_progress: Callable[[bytes], None] | None = None
        self.round_trips = self.resumed = 0

    # -- requests --

    def send(self, kind: Kind, body: bytes, bulk: list[Any], prefix: int = -1) -> int:
        """Sends a frame and returns its number. An interrupt leaves of it the calls in the first `prefix` bytes."""
        if len(body) > BODY_LIMIT:
            raise ValueError(f"arguments of {len(body)} bytes are too long (the limit is {BODY_LIMIT})")
        if self._socket is None:
            self._resume()
        frame = _Sent(kind, self.number + 1, body, bulk)
        try:
            self.number = frame.number
            self._kept.append(frame)
            self._transmit(frame)
        except BaseException as error:
            if not _of_the_connection(error):
                self._close()  # in the middle of the frame
                frame.kind, frame.body, frame.bulk = Kind.NOTE, body[: max(prefix, 0)], []
                self.number = frame.number
                if not self._kept or self._kept[-1] is not frame:
                    self._kept.append(frame)
                raise
            self._lost(error)
        return frame.number

    def answer(self, number: int) -> tuple[Header, bytes, Any]:
        """The answer to a request: header, body and bulk. The caller acknowledges it.

        After an exception of a signal handler, call `interrupted`, and `answer` again to wait on.
        """
        while True:
            try:
                if self._socket is None:
                    self._resume()
                header, body, bulk = self._frame()
            except ProtocolError:
                self._close()
                raise
            except OSError as error:
                if not _of_the_connection(error):
                    raise
                self._lost(error)
                continue
            if header.kind is Kind.PROGRESS:
                if self.on_progress is not None:
                    self.on_progress(body)
            elif header.number >= number:
                return header, body, bulk

    def acknowledge(self, number: int) -> None:
        """The answer to this request was used: the server need not send it again."""
        self.answered = number
        if self._kept and self._kept[-1].number <= number:
            self._kept.clear()
        else:
            self._kept = [one for one in self._kept if one.number > number]
        self.round_trips += 1

    def interrupted(self) -> None:
        """Call after an exception of a signal handler: closes the connection if bytes may have been lost."""
        if not self._waiting:
            self._close()

    def close(self) -> None:
        """Ends the session and the connection."""
        if self._socket is not None:
            try:
                self._socket.settimeout(1)
                self._socket.sendall(frame_head(Kind.END, 0, 0, self.number + 1, self.answered))
            except OSError:
                pass
        self._close()

    def abandon(self) -> None:
        """Closes this process's end only: for the child of a fork."""
        self._close()

    # -- resuming --

    def _adopt(self, connection: socket.socket, reply: Mapping[str, Any]) -> None:
        if reply.get("memory"):
            try:
                self.memory = TransferMemory.receive(connection)
            except BaseException:
                connection.close()
                raise
        connection.settimeout(None)
        self._readable = select.poll()
        self._readable.register(connection, select.POLLIN)
        self._pending = getattr(connection, "pending", None)  # bytes that TLS has decrypted already
        self._spinner = Spinner(connection)
        self._begin = self._end = 0
        self._socket = connection

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._begin = self._end = 0

    def _lost(self, error: BaseException) -> None:
        self._close()
        if not self.grace:
            raise ConnectionError(f"the connection to {self.target.label} is lost ({error})") from error
        self._resume()

    def _resume(self) -> None:
        """Makes the connection again. ConnectionError where the server has ended or has forgotten the session."""
        began, delay = time.monotonic(), 0.02
        request = {
            "purpose": "resume", "session": self.reply["session"], "key": self.reply["key"], "answered": self.answered,
            **self.target.local,
        }  # fmt: skip
        while True:
            try:
                connection, reply = self.target.ask(request)
                break
            except (RefusedError, ProtocolError) as error:
                raise ConnectionError(f"the session on {self.target.label} cannot go on: {error}") from error
            except OSError as error:
                absent = error.errno in _ABSENT or isinstance(error, ConnectionResetError)
                if time.monotonic() - began > (_GONE_SECONDS if absent else self.grace):
                    raise ConnectionError(
                        f"the server {self.target.label} does not answer ({error}): its arrays are lost if it has "
                        "ended. Start it again, and connect"
                    ) from error
            time.sleep(delay)
            delay = min(2 * delay, 1.0)
        done = int(reply["done"])
        try:
            self._adopt(connection, reply)
        except OSError as error:
            self._lost(error)
            return
        self.resumed += 1
        try:
            for frame in self._kept:
                if frame.number > done:
                    self._transmit(frame)
        except BaseException as error:
            if not _of_the_connection(error):
                self._close()  # in the middle of a frame
                raise
            self._lost(error)

    # -- frames --

    def _transmit(self, frame: _Sent) -> None:
        assert self._socket is not None
        size = sum(map(len, frame.bulk)) if frame.bulk else 0
        head = frame_head(frame.kind, len(frame.body), size, frame.number, self.answered)
        self._socket.sendall(head + frame.body)
        for one in frame.bulk:
            self._socket.sendall(one)

    def _frame(self) -> tuple[Header, bytes, Any]:
        """The next frame."""
        self._fill(HEADER.size)
        header = header_of(self._buffer[self._begin : self._end])
        whole = HEADER.size + header.body
        if whole <= _BUFFER:
            self._fill(whole)
            body = bytes(self._buffer[self._begin + HEADER.size : self._begin + whole])
            self._begin += whole
            if not header.bulk:
                return header, body, None
            bulk = np.empty(header.bulk, np.uint8)
            self._receive([memoryview(bulk)])  # type: ignore[arg-type]
            return header, body, bulk
        self._begin += HEADER.size
        long, bulk = bytearray(header.body), np.empty(header.bulk, np.uint8)
        self._receive([memoryview(long), memoryview(bulk)])  # type: ignore[arg-type]
        return header, bytes(long), bulk if header.bulk else None

    def _fill(self, count: int) -> None:
        """Waits until the buffer has so many bytes."""
        assert self._socket is not None
        if self._begin == self._end:
            self._begin = self._end = 0
        elif self._end - self._begin < count and self._begin:
            rest = self._end - self._begin
            self._buffer[:rest] = bytes(self._buffer[self._begin : self._end])
            self._begin, self._end = 0, rest
        while self._end - self._begin < count:
            if self._pending is None or not self._pending():
                self._waiting = True
                if not self._spinner.wait(self._readable.poll):
                    self._readable.poll()
                self._waiting = False
            got = self._socket.recv_into(self._buffer[self._end :])
            if not got:
                raise _ServerClosedError("the server closed the connection")
            self._end += got

    def _receive(self, parts: list[memoryview]) -> None:
        """Fills memory, from the buffer first."""
        assert self._socket is not None
        for part in parts:
            have = min(len(part), self._end - self._begin)
            part[:have] = self._buffer[self._begin : self._begin + have]
            self._begin += have
            while have < len(part):
                got = self._socket.recv_into(part[have:])
                if not got:
                    raise _ServerClosedError("the server closed the connection")
                have += got


def local_user() -> str:
    """The name of this process's user, for lists of sessions."""
    return os.environ.get("USER", str(os.getuid()))
