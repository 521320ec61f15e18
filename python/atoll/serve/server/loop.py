# SPDX-License-Identifier: Apache-2.0
"""The main thread: one frame of each session in turn.

The engine runs one operation at a time, and Python delivers signals to the main thread. So this thread reads frames,
runs their calls and sends answers. During a long operation the deputy answers small requests in its place; what needs
no session is the listener's.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import select
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from .. import codec
from ..activity import Activity
from ..protocol import Kind, ProtocolError, frame_head
from ..sampler import Sampler
from ..spinning import Spinner
from ..telemetry import traces
from .checkpoints import Checkpoints
from .client import Client
from .connection import Connection, Frame
from .deputy import Deputy, served
from .names import Names

_log = logging.getLogger("atoll.serve")
#: What interrupts the running operation of a client; its handler raises KeyboardInterrupt in the main thread.
_INTERRUPT = signal.SIGUSR1
_WATCH_SECONDS = 10.0
_LOOK_SECONDS = 0.4


class Loop:
    """Serves the sessions of one engine until `stop` is called.

    Parameters
    ----------
    core : _core.Session
        The engine.
    grace : float
        Seconds for which a session without a connection is kept.
    idle : float
        Seconds without a session after which the server ends; 0: it does not.
    bulk_limit : int
        Bytes of one upload, at most.
    names : Names
        The published objects.
    checkpoints : Checkpoints
        Writes these to a directory.
    """

    def __init__(
        self, core: Any, grace: float, idle: float, bulk_limit: int, names: Names, checkpoints: Checkpoints
    ) -> None:
        self.core, self.grace, self.idle, self.bulk_limit = core, grace, idle, bulk_limit
        self.names, self.checkpoints = names, checkpoints
        self.clients: dict[str, Client] = {}
        self.lock = threading.Lock()  # of `clients`, which the listener reads and adds to
        self.running: Client | None = None
        self.activity = Activity(traces(), core.stats)
        self.sampler = Sampler(
            threading.main_thread().ident or 0, self.activity.running_name, lambda: self.running is not None
        )
        self.deputy = Deputy(self)
        self.stats: dict[str, int] = {}  # of the engine, as the main thread has last asked
        self.objects: list[dict[str, Any]] = []  # published, as the main thread has last looked
        self._watched_until = self._looked_at = 0.0
        self._inbox: queue.SimpleQueue[tuple[Client, socket.socket, int | None]] = queue.SimpleQueue()
        self._wake, self._woken = socket.socketpair()
        for one in (self._wake, self._woken):
            one.setblocking(False)
        self._poll = select.epoll()
        self._poll.register(self._woken, select.EPOLLIN)
        self._connected: dict[int, Client] = {}  # file descriptor → client
        self._ready: deque[Client] = deque()  # with a whole frame read, or bytes behind the last one
        self._stopping = False
        self._main = threading.main_thread().ident or 0
        self._quiet_since = self._last_request = time.monotonic()
        self._spinner: Spinner | None = None  # of whom has just been answered, and often sends the next request at once

    # -- other threads and signal handlers --

    @property
    def stopping(self) -> bool:
        """Whether the server ends."""
        return self._stopping

    def stop(self) -> None:
        """Ends `run` after the running operation."""
        self._stopping = True
        self.wake()

    def checkpoint(self) -> None:
        """Makes `run` write a checkpoint now."""
        self.checkpoints.asked = True
        self.wake()

    def wake(self) -> None:
        """Makes `run` look at what has changed."""
        with contextlib.suppress(BlockingIOError):  # it will wake anyway
            self._wake.send(b"\0")

    def attach(self, client: Client, connection: socket.socket, answered: int | None) -> None:
        """Hands over an authenticated connection; `answered`: the last answer that a resuming client has."""
        self._inbox.put((client, connection, answered))
        self.wake()

    def watch(self) -> None:
        """A dashboard asks: for some seconds the main thread keeps `stats` and the memory of sessions up to date."""
        self._watched_until = time.monotonic() + _WATCH_SECONDS
        self.activity.phases_until = self._watched_until
        self.sampler.want(_WATCH_SECONDS)
        if self.running is None:
            self.wake()

    def cancel(self, session: str, number: int) -> bool:
        """Interrupts a request of a session if it runs, else when its turn comes; whether there is such a session.
        A request that has ended is not interrupted, nor the one after it."""
        with self.lock:
            client = self.clients.get(session)
        if client is None:
            return False
        self.interrupt(client, number)
        return True

    def admit(self, client: Client) -> None:
        """Adds a session, which waits for its connection. The caller holds `lock`."""
        self.clients[client.id] = client

    def interrupt(self, client: Client, number: int) -> None:
        """Interrupts a request of a client, now if it is running, else when its turn comes."""
        client.interrupted = number
        if self.running is client and client.done == number:
            signal.pthread_kill(self._main, _INTERRUPT)

    def _on_interrupt(self, signum: int, frame: Any) -> None:
        running = self.running
        if running is not None and running.interruptible and running.interrupted == running.done:
            running.interruptible = False  # once: the next signal must not end what puts things in order
            raise KeyboardInterrupt

    # -- the loop --

    def run(self) -> None:
        """Serves until `stop`. Called by the main thread."""
        signal.signal(_INTERRUPT, self._on_interrupt)
        self.core.set_monitor(self._progress)
        self.deputy.start()
        try:
            while not self._stopping and not self.core.failed:
                self._turn()
        finally:
            for client in list(self.clients.values()):
                self._detach(client)
                client.close()
            self.clients.clear()
            self.deputy.close()
            self.sampler.close()

    def _turn(self) -> None:
        ready = self._ready
        for descriptor, events in self._poll.poll(0) if ready else self._awaited():
            client = self._connected.get(descriptor)
            if client is None:
                if descriptor == self._woken.fileno():
                    self.take_new()
            elif events & select.EPOLLOUT:
                self._guarded(client, client.connection, Connection.flush)
                if client.connection is not None and client.connection.has_more():
                    ready.append(client)
            elif client not in ready:
                ready.append(client)
        for _ in range(len(ready)):
            client = ready.popleft()
            if (connection := client.connection) is not None:
                self._guarded(client, connection, self._one_frame)
                more = client.unfinished or (not connection.sending and connection.has_more())
                if client.connection is connection and more:
                    ready.append(client)
        if len(self.clients) > len(self._connected) or self.idle > 0:  # something ends after some time
            self._forget()
        self._look()
        if self.checkpoints.path and self.checkpoints.patience(self._last_request) == 0.0:
            with served(self.deputy):
                self.checkpoints.step()

    def _awaited(self) -> list[tuple[int, int]]:
        """Waits for connections that have something to read or can take more; their numbers and events."""
        spinner, self._spinner = self._spinner, None
        if spinner is not None and (found := spinner.wait(self._poll.poll)):
            return found
        return self._poll.poll(self._patience())

    def _one_frame(self, connection: Connection) -> None:
        """One frame of a client, if it has come whole."""
        if connection.sending:
            return  # the answer before is still on its way: the socket tells when it takes more
        client = self._connected[connection.fileno()]
        if client.unfinished:
            self._go_on(client, connection)
            return
        frame, client.pending = client.pending or connection.read(), None
        if frame is None:
            return
        kind, _, _, number, _ = frame.header
        if number == client.done + 1 and (kind is Kind.CALLS or kind is Kind.NOTE):
            client.begin(frame)
            self._go_on(client, connection)
        elif kind is Kind.END:
            self._end(client, "ended")
        elif kind is not Kind.CALLS and kind is not Kind.NOTE:
            raise ProtocolError(f"a client does not send frames of kind {kind.name}")
        elif number > client.done:
            raise ProtocolError(f"request {number} came behind request {client.done}")
        elif client.answer is not None and client.answer.number == number:
            client.answer.send(connection)

    def _go_on(self, client: Client, connection: Connection) -> None:
        """Runs calls of a client, and sends the answer when they are done."""
        self.running = client
        self._last_request = time.monotonic()
        try:
            parts = client.go_on()
        finally:
            self.running = None
        if parts and client.connection is connection:
            connection.send(*parts)
            self._spinner = connection.piece_spinner if client.in_transfer else connection.spinner
        elif parts:  # during the operation the client has come back by another connection, or has not yet
            self._guarded(client, client.connection, lambda resumed: resumed.send(*parts))

    def _guarded(self, client: Client, connection: Connection | None, action: Callable[[Connection], None]) -> None:
        """Does something with a client's connection, which ends where that fails."""
        if connection is None:
            return
        try:
            action(connection)
        except ProtocolError as error:
            _log.warning("session %s of %s: %s", client.id, client.user, error)
            self._end(client, "sent what is not valid")
        except OSError as error:
            if client.connection is connection:
                _log.info("session %s of %s has lost its connection (%s)", client.id, client.user, error)
                self._detach(client)
        else:
            self.expect(connection)

    def expect(self, connection: Connection) -> None:
        """Waits for what comes next: while an answer is on its way, nothing else is read."""
        events = select.EPOLLOUT if connection.sending else select.EPOLLIN
        if events != connection.events and not connection.closed:
            connection.events = events
            self._poll.modify(connection, events)

    def postpone(self, client: Client, frame: Frame) -> None:
        """The deputy leaves a frame to the main thread."""
        client.pending = frame
        self._ready.append(client)

    # -- sessions --

    def take_new(self) -> None:
        """Takes the connections that the listener has handed over."""
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(4096)
        while not self._inbox.empty():
            client, raw, answered = self._inbox.get_nowait()
            if client.id not in self.clients:
                raw.close()
                continue
            self._detach(client)
            connection = Connection(raw, self.bulk_limit)
            connection.events = select.EPOLLIN
            client.connection = connection
            self._connected[connection.fileno()] = client
            self._poll.register(connection, select.EPOLLIN)
            if answered is not None:
                _log.info("session %s of %s resumes", client.id, client.user)
                if client.unfinished:
                    self._ready.append(client)
                answer = client.answer
                if answer is not None and answer.number > answered:
                    self._guarded(client, connection, answer.send)

    def _detach(self, client: Client) -> None:
        connection = client.connection
        if connection is not None:
            client.connection, client.pending, client.lost_at = None, None, time.monotonic()
            del self._connected[connection.fileno()]
            self._poll.unregister(connection)
            connection.close()

    def _end(self, client: Client, why: str) -> None:
        with self.lock:
            self.clients.pop(client.id, None)
            self._quiet_since = time.monotonic()
        self._detach(client)
        client.close()
        _log.info("session %s of %s %s (%d calls)", client.id, client.user, why, client.calls)

    def _patience(self) -> float | None:
        """Seconds until a session without a connection, the server, or a checkpoint has waited long enough."""
        if len(self.clients) == len(self._connected) and not self.idle and not self.checkpoints.path:
            return None
        now = time.monotonic()
        ends = [one.lost_at + self.grace for one in self.clients.values() if one.connection is None]
        if self.idle and not self.clients:
            ends.append(self._quiet_since + self.idle)
        if (due := self.checkpoints.patience(self._last_request)) is not None:
            ends.append(now + due)
        return max(0.0, min(ends) - now) if ends else None

    def _forget(self) -> None:
        """Ends what has waited long enough."""
        now = time.monotonic()
        for client in [one for one in self.clients.values() if one.connection is None]:
            if now - client.lost_at >= self.grace and self._inbox.empty():
                self._end(client, f"has not come back for {self.grace:g} s")
        if self.idle and not self.clients and now - self._quiet_since >= self.idle:
            _log.info("no session for %g s: the server ends", self.idle)
            self._stopping = True

    def _look(self) -> None:
        """Counts memory for dashboards, at most twice a second, and never for more than a part of the time."""
        now = time.monotonic()
        if now > self._watched_until or now < self._looked_at:
            return
        self.stats = self.core.stats()
        for client in list(self.clients.values()):
            client.bytes = client.used()
        self.objects = self.names.status()
        after = time.monotonic()
        self._looked_at = after + max(_LOOK_SECONDS, 20 * (after - now))

    def _progress(self, operation: str, done: int, total: int) -> None:
        """The engine calls this, on the main thread, in operations that run longer than a second."""
        self.activity.progress = operation, done, total
        if time.monotonic() < self._watched_until:
            self.stats = self.core.stats()
        client = self.running
        if client is None or client.connection is None or client.connection.sending:
            return
        body = codec.encoded((operation, done, total))
        with contextlib.suppress(OSError):  # the loop finds out when it sends the answer
            client.connection.send(frame_head(Kind.PROGRESS, len(body), 0, 0) + body)


def raise_stop_signals(loop: Loop) -> None:
    """SIGTERM, SIGINT and SIGALRM (the time limit) end the server after the running operation, which they interrupt."""

    def handler(signum: int, frame: Any) -> None:
        loop.stop()
        running = loop.running
        if running is not None and running.interruptible:
            running.interruptible = False
            raise KeyboardInterrupt

    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(one, handler)
    os.environ.setdefault("ATOLL_PROGRESS", "off")
