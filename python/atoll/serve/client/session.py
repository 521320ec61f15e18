# SPDX-License-Identifier: Apache-2.0
"""A remote session: what `_core.Session` is for a client of a server."""

from __future__ import annotations

import builtins
import os
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from ... import _core
from ...plan.record import Record
from .. import codec
from ..operations import DIGEST, DROP, NUMBERS
from ..protocol import Kind
from ..telemetry import traceparent
from ..transfer import TransferMemory
from . import transfers
from .channel import Channel, Target, local_user
from .handles import RemoteExpr, RemoteTexts

_FROM_NUMPY = NUMBERS["from_numpy"]
_NOTE_SCAN = NUMBERS["note_scan"]
_TRACE_UNDER = NUMBERS["trace_under"]
_DTYPE_NAMES = {code: name for name, code in _core.DTYPES.items()}
_FLUSH = 48 << 10  # bytes of deferred calls that go without waiting for a call with an answer
_DROP_BYTES = 1 << 20  # of arrays that are no longer used: the server learns of these at once


def _handle(value: Any, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
    out += b"E" + struct.pack("<q", value.id)


def _texts_handle(value: Any, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
    out += b"X" + struct.pack("<q", value.id)


class RemoteSession:
    """Operations go to a server, results come back as handles or values. Threads take turns."""

    kind = "remote"
    pe = 0

    def __init__(self, target: Target, quota: int | None = None) -> None:
        request = {
            "purpose": "session", "operations": DIGEST, "version": _core.VERSION, "user": local_user(),
            "process": os.getpid(), "quota": quota,
        }  # fmt: skip
        self._channel = Channel(target, request)
        reply = self._channel.reply
        self.pes, self.threads = int(reply["pes"]), int(reply["threads"])
        self.name, self.target, self.role = str(reply["name"]), target, target.role
        self._info: dict[str, Any] = dict(reply["info"])
        self.closed = self.failed = False
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._batch = bytearray()
        self._dropped: deque[int] = deque()
        self._dropped_bytes = 0
        self._last = 0
        self._span = ""  # under which the server traces this session's calls
        self._monitor: Callable[[str, int, int], None] | None = None
        self._channel.on_progress = self._show_progress
        self._in_progress = ""  # operation whose progress the monitor has been told, and not its end
        self._encoders = {
            **codec.ENCODERS,
            RemoteExpr: self._own(_handle),
            RemoteTexts: self._own(_texts_handle),
            RemoteSession: self._own(lambda value, out, bulk, table: out.append(83)),
        }
        self._decoders: dict[int, Callable[..., Any]] = {
            101: lambda number, dtype, stored, shape: RemoteExpr(self, number, dtype, shape, stored),
            120: lambda number, rows, size: RemoteTexts(self, number, rows, size),
        }

    def _own(self, encoder: codec.Encoder) -> codec.Encoder:
        def own_encoder(value: Any, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
            if value is not self and value.session is not self:
                raise ValueError("the arrays belong to different sessions. Copy one of them: ak.array(x.to_ndarray())")
            encoder(value, out, bulk, table)

        return own_encoder

    # -- operations --

    def call(self, operation: int, args: tuple[Any, ...]) -> Any:
        """Calls an operation of the server and waits for its result, or raises its exception."""
        self._refuse_within_call()  # as `exclusive` does, which takes 1 us longer
        with self._lock:
            self._refuse_ended()
            try:
                return self._answer(self._send(Kind.CALLS, operation, 0, args))
            except ConnectionError:
                self.failed = True
                raise

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Within it only `ask`, `post` and `answer` send requests, all of this thread."""
        self._refuse_within_call()
        with self._lock:
            self._refuse_ended()
            try:
                yield
            except ConnectionError:
                self.failed = True
                raise

    def ask(self, operation: int, args: tuple[Any, ...]) -> int:
        """Sends a request; its number, for `answer`. One request at a time is on its way."""
        return self._send(Kind.CALLS, operation, 0, args)

    def answer(self, number: int) -> Any:
        """The result of a request, or its exception."""
        return self._answer(number)

    def post(self, operation: int, args: tuple[Any, ...], result: int) -> None:
        """Sends a call without an answer, whose result is to have this number."""
        self._send(Kind.NOTE, operation, result, args)

    def note_scan(self, run: Record) -> None:
        """Tells the server how far a run of scans is: with the next request, or at once when the run has ended."""
        owned: bool = self._lock._is_owned()  # type: ignore[attr-defined]
        if owned or self.closed or self.failed or self._process != os.getpid():
            return
        args = run.number, run.state, run.seconds, [tuple(one) for one in run.steps()]
        with suppress(OSError), self._lock:  # the next call reports a lost connection
            self._write(self._batch, _NOTE_SCAN, 0, args, [])
            if run.state != "running":
                self._flush()

    @property
    def memory(self) -> TransferMemory | None:
        """Memory that the server shares with this process; None: it is on another host, or behind TCP."""
        return self._channel.memory

    def _send(self, kind: Kind, operation: int, result: int, args: tuple[Any, ...]) -> int:
        bulk: list[Any] = []
        if self._dropped:
            self._write_drops()
        out = self._batch
        prefix, before = len(out), self._channel.number
        try:
            span = traceparent()
            if span != self._span:
                self._write(out, _TRACE_UNDER, 0, (span,), bulk)
            self._write(out, operation, result, args, bulk)
            return self._channel.send(kind, bytes(out), bulk, prefix)
        finally:
            if self._channel.number == before:  # interrupted before it was the channel's
                del out[prefix:]
            else:
                self._span = span
                out.clear()

    def defer(self, operation: int, args: tuple[Any, ...], result: int) -> None:
        """Adds a call whose result is known to have the number `result`; 0: it has none."""
        self._refuse_within_call()
        with self._lock:
            self._refuse_ended()
            self._write(self._batch, operation, result, args, [])
            try:
                if len(self._batch) >= _FLUSH:
                    self._flush()
            except ConnectionError:
                self.failed = True
                raise

    def upload(self, values: np.ndarray[Any, Any]) -> RemoteExpr:
        """A new array with these values."""
        values = plain(values)
        if transfers.is_large(values):
            return transfers.upload(self, values, _core.DTYPES[values.dtype.name])
        made: RemoteExpr = self.call(_FROM_NUMPY, (self, values, True))
        return made

    def download(self, array: RemoteExpr) -> np.ndarray[Any, Any]:
        """The elements of an array."""
        return transfers.download(self, array, _DTYPE_NAMES)

    def number(self) -> int:
        """A number for a handle that this side makes."""
        self._last += 1
        return self._last

    def drop(self, number: int, size: int, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        """Called by finalizers, which may run anywhere: in another call of this session, and when modules are empty."""
        if self.closed or self.failed or is_finalizing():
            return
        self._dropped.append(number)
        self._dropped_bytes += size
        if self._dropped_bytes < _DROP_BYTES or self._lock._is_owned():  # type: ignore[attr-defined]
            return
        if self._lock.acquire(blocking=False):
            try:
                if self._process == os.getpid():
                    self._flush()
            except OSError:
                pass  # the next call reports the lost connection
            finally:
                self._lock.release()

    def _write(self, out: bytearray, operation: int, result: int, args: tuple[Any, ...], bulk: list[Any]) -> None:
        begin = len(out)
        try:
            out += codec.CALL.pack(operation, result, len(args))
            table = self._encoders
            for one in args:
                encoder = table.get(type(one))
                if encoder is None:
                    codec.encode(one, out, bulk, table)
                else:
                    encoder(one, out, bulk, table)
        except BaseException:
            del out[begin:]
            raise

    def _write_drops(self) -> None:
        self._dropped_bytes = 0
        while self._dropped:
            some = [self._dropped.popleft() for _ in range(min(len(self._dropped), 255))]
            self._batch += codec.CALL.pack(DROP, 0, len(some)) + struct.pack(f"<{len(some)}q", *some)

    def _flush(self) -> None:
        self._write_drops()
        if not self._batch:
            return
        before = self._channel.number
        try:
            self._channel.send(Kind.NOTE, bytes(self._batch), [], len(self._batch))
        finally:
            if self._channel.number != before:
                self._batch.clear()

    def _answer(self, number: int) -> Any:
        try:
            return self._awaited(number)
        finally:
            if self._in_progress:  # the report of its end may be lost with the connection
                self._tell_progress(self._in_progress, 1, 1)

    def _awaited(self, number: int) -> Any:
        interrupted = False
        while True:
            try:
                header, body, bulk = self._channel.answer(number)
                decoder = codec.Decoder(body, self._decoders, bulk)
                value = decoder.value()
                self._channel.acknowledge(header.number)
                break
            except KeyboardInterrupt:
                self._channel.interrupted()
                if interrupted or self._channel.answered >= number:
                    raise
                interrupted = True
                self._interrupt(number)
            except BaseException:
                self._channel.interrupted()  # a signal handler may have raised it
                raise
        if header.kind is Kind.FAILURE:
            raise self._error(value)
        if interrupted:
            raise KeyboardInterrupt
        return value

    def interrupt(self) -> None:
        """Interrupts the running request, whose call raises KeyboardInterrupt. Any thread."""
        self._interrupt(self._channel.number)

    def _interrupt(self, number: int) -> None:
        """Asks the server, on a second connection, to interrupt this session's request."""
        reply = self._channel.reply
        request = {"purpose": "interrupt", "session": reply["session"], "key": reply["key"], "number": number}
        with suppress(OSError):  # the first connection tells what is wrong
            self.target.control(request, 2.0)

    def _error(self, value: Any) -> BaseException:
        name, text = value
        if name == "PeFailedError":
            self.failed = True
            return _core.PeFailedError(text)
        kind = getattr(builtins, name, None)
        if name == "KeyboardInterrupt":
            return KeyboardInterrupt()
        if (
            isinstance(kind, type)
            and issubclass(kind, Exception)
            and kind not in (UnicodeDecodeError, UnicodeEncodeError)
        ):
            return kind(text)
        return RuntimeError(f"{name}: {text}")

    def _refuse_within_call(self) -> None:
        if self._lock._is_owned():  # type: ignore[attr-defined]
            raise RuntimeError(
                "an operation of this session is running on this thread (a signal handler or a callback called "
                "another). Call it after the operation"
            )

    def _refuse_ended(self) -> None:
        if self.closed or self.failed or self._process != os.getpid():
            raise RuntimeError(
                "the session has ended: its arrays can no longer be used. Connect again"
                if self.closed or self.failed
                else "this process is the child of a fork: it cannot use its parent's session. Connect here"
            )

    def info(self) -> dict[str, Any]:
        """`_core.info` of the server: version, processor, cores, memory; and its host and address."""
        return {**_core.info(), **self._info}

    # -- what `_core.Session` has --

    def shutdown(self) -> None:
        """Ends the session; the server frees its arrays, but not published ones."""
        if not self.closed:
            self.closed = True
            if self._process == os.getpid():
                self._channel.close()
                self.target.close()
            else:
                self._channel.abandon()

    def barrier(self) -> None:
        self.call(NUMBERS["Session.barrier"], (self,))

    def noop(self) -> None:
        self.call(NUMBERS["Session.noop"], (self,))

    def trim(self) -> None:
        self.call(NUMBERS["Session.trim"], (self,))

    def moved_bytes(self) -> int:
        return int(self.call(NUMBERS["Session.moved_bytes"], (self,)))

    def stats(self) -> dict[str, int]:
        """The counters of the server's PE 0, and of this client: requests that waited for an answer."""
        found: dict[str, int] = self.call(NUMBERS["Session.stats"], (self,))
        found["round_trips"] = self._channel.round_trips
        found["resumed"] = self._channel.resumed
        return found

    def set_monitor(self, callback: Callable[[str, int, int], None] | None) -> None:
        self._monitor = callback

    def set_locator(self, locator: Callable[[], str]) -> None:
        """Errors of SPMD sessions name the line of each PE; here there is one program."""

    def watch_every_poll(self, callback: Callable[[str], object] | None) -> None:
        raise RuntimeError("the operations of a remote session run in its server, where nothing can be watched")

    def _show_progress(self, body: bytes) -> None:
        self._tell_progress(*codec.decoded(body))

    def _tell_progress(self, operation: str, done: int, total: int) -> None:
        self._in_progress = "" if 0 < total <= done else operation
        if self._monitor is not None:
            self._monitor(operation, done, total)


def plain(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The values as they can be sent: in C order."""
    return np.ascontiguousarray(values).reshape(values.shape)
