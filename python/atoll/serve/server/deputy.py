# SPDX-License-Identifier: Apache-2.0
"""The deputy: a thread that serves small requests of other sessions while the main thread waits in a long operation.

One of both threads serves sessions at a time, the one that holds `turn`. The main thread gives it away only during
calls of the engine that may be long, and the deputy never calls the main engine: it computes in the side engine. The
order of the main engine's operations, and so that of all PEs, is the main thread's alone.
"""

from __future__ import annotations

import contextlib
import logging
import select
import threading
import time
from typing import TYPE_CHECKING, Any

from ... import _core
from ..protocol import Kind
from .small import SmallRequest

if TYPE_CHECKING:
    from .client import Client
    from .connection import Connection, Frame
    from .loop import Loop

_log = logging.getLogger("atoll.serve")
_PATIENCE = 0.01  # seconds of an operation after which others are served
_LOOK = 0.02  # seconds between two looks whether it has ended, or a session is new
_FRAMES = 64  # of a session in its turn


class Deputy:
    """Serves the sessions of a loop whose main thread is busy."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._core: Any = None
        self._turn = threading.Lock()  # held by the thread that serves sessions
        self._operation = 0  # number of the running long operation; 0: none
        self._count = 0
        self._begun = threading.Event()
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="deputy", daemon=True)

    # -- the main thread --

    def start(self) -> None:
        """Starts the thread and the side engine."""
        self._core = _core.start_embedded(1)
        self._turn.acquire()
        self._thread.start()

    def close(self) -> None:
        """Ends both."""
        self._ending = True
        self._begun.set()
        self._turn.release()
        self._thread.join()
        if self._core is not None:
            self._core.shutdown()

    def begin(self) -> None:
        """Before a long operation: others are served from now on."""
        for client in list(self._loop.clients.values()):
            if client is not self._loop.running:
                client.copies.complete(client.handles, self._core)
        self._loop.names.copy_to(self._core)
        self._count += 1
        self._operation = self._count
        self._begun.set()
        self._turn.release()

    def end(self) -> None:
        """After the operation: waits until the deputy has answered its running request."""
        self._operation = 0  # before the lock is taken: the deputy takes it for no other request
        self._begun.clear()
        self._turn.acquire()

    # -- the deputy --

    def _run(self) -> None:
        while True:
            self._begun.wait()
            if self._ending:
                return
            time.sleep(_PATIENCE)
            if (operation := self._operation) != 0:
                try:
                    self._serve(operation)
                except Exception:  # sessions wait for the main thread then
                    _log.exception("the deputy has failed")

    def _serve(self, operation: int) -> None:
        postponed: set[Client] = set()  # sessions that wait for the main thread
        poll, asked = select.poll(), True
        while True:
            with self._turn:
                if self._operation != operation:
                    return
                self._loop.take_new()
                watched = self._watched(postponed)
            if asked:  # once: what was read from a socket before, the socket does not tell
                ready, asked = list(watched), False
            else:
                for descriptor, (_, connection) in watched.items():
                    poll.register(descriptor, select.POLLOUT if connection.sending else select.POLLIN)
                ready = [descriptor for descriptor, _ in poll.poll(1000 * _LOOK)]
                for descriptor in watched:
                    poll.unregister(descriptor)
            for descriptor in ready:
                with self._turn:
                    if self._operation != operation:
                        return
                    client, connection = watched[descriptor]
                    if client.connection is connection and not self._go_on(client, connection):
                        postponed.add(client)

    def _watched(self, postponed: set[Client]) -> dict[int, tuple[Client, Connection]]:
        found = {}
        with self._loop.lock:
            clients = list(self._loop.clients.values())
        for client in clients:
            connection = client.connection
            waits = client.unfinished or client.pending is not None or client in postponed
            if connection is not None and client is not self._loop.running and not waits:
                found[connection.fileno()] = client, connection
        return found

    def _go_on(self, client: Client, connection: Connection) -> bool:
        """Answers what has come from a session. False: the main thread must do what is next."""
        try:
            if connection.sending:
                connection.flush()
            for _ in range(_FRAMES):
                if connection.sending or (frame := connection.read()) is None:
                    break
                if not self._answered(client, connection, frame):
                    self._loop.postpone(client, frame)
                    return False
        except OSError:  # the main thread meets the same error
            return False
        self._loop.expect(connection)
        return True

    def _answered(self, client: Client, connection: Connection, frame: Frame) -> bool:
        header = frame.header
        if header.kind not in (Kind.CALLS, Kind.NOTE) or header.number != client.done + 1:
            return False
        if client.interrupted == header.number:
            return False
        parts = SmallRequest(client, self._core).run(frame)
        if parts:
            connection.send(*parts)
        return parts is not None


@contextlib.contextmanager
def served(deputy: Deputy | None) -> Any:
    """Within it the main thread runs a long operation, and the deputy, where there is one, serves sessions."""
    if deputy is None:
        yield
        return
    deputy.begin()
    try:
        yield
    finally:
        deputy.end()
