# SPDX-License-Identifier: Apache-2.0
"""One session of a client: its handles, what they take of memory, and the calls that its frames ask for."""

from __future__ import annotations

import secrets
import struct
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ...session.everywhere import relayed
from .. import codec
from ..activity import Activity
from ..operations import DROP, NAMES, NUMBERS, ROLES, SERVICES, function_of
from ..protocol import HANDSHAKE_SECONDS, Kind, ProtocolError, Role, frame_head
from ..telemetry import checked_traceparent
from ..transfer import LEAST, PIECE, TransferMemory
from . import side, transfers
from .connection import Connection, Frame, Part
from .deputy import Deputy, served
from .sizes import ITEM_BYTES, nbytes

if TYPE_CHECKING:
    from .names import Names

_DTYPE_NAMES = {code: name for name, code in _core.DTYPES.items()}
PIECE_SECONDS = 0.05  # for which a session runs calls while others wait
_TRANSFERS = frozenset(map(NUMBERS.__getitem__, side.PIECEWISE))
_TO_NUMPY, _EVALUATE = NUMBERS["Expr.to_numpy"], NUMBERS["Expr.evaluate"]

_FUNCTIONS: list[Callable[..., Any] | None] = [None if name in SERVICES else function_of(name) for name in NAMES]


def _run_everywhere(session: Any, request: bytes, inputs: Any, kinds: Any, rows: Any) -> Any:
    return _core.run_everywhere(session, relayed(request), inputs, kinds, rows)


def _text_from_buffers(session: Any, offsets: Any, data: Any, owner: Any, binary: bool) -> Any:
    return _core.text_from_buffers(session, offsets, data, (offsets, data), binary)  # one PE uses this memory as it is


_FUNCTIONS[NUMBERS["run_everywhere"]] = _run_everywhere
_FUNCTIONS[NUMBERS["text_from_buffers"]] = _text_from_buffers


class Failure:
    """In the place of a handle whose call failed: calls with it fail in the same way. It keeps what a client is told,
    and not the exception, whose traceback would keep the arguments of the calls."""

    def __init__(self, error: BaseException) -> None:
        self.name = _name_of(error)
        self.text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)


class Answer:
    """An answer that is kept until the client acknowledges it: it can be sent again."""

    def __init__(self, number: int, make: Callable[[], list[Part]]) -> None:
        self.number, self._make = number, make

    def send(self, connection: Connection) -> None:
        """Sends it, from the beginning."""
        connection.send(*self._make())


class Client:
    """A session on the server.

    The listener makes it. Then the thread that serves sessions uses it (`Deputy`); any thread sets `interrupted`.

    Parameters
    ----------
    core : _core.Session
        The engine.
    names : Names
        The published objects of the server.
    role : Role
        What the client may do.
    request : dict
        What the client said of itself.
    quota : int
        Bytes that its arrays may take; 0: no limit.
    activity : Activity
        Records its operations.
    deputy : Deputy, optional
        Serves other sessions during its long operations.
    """

    def __init__(
        self, core: Any, names: Names, role: Role, request: dict[str, Any], quota: int, activity: Activity,
        deputy: Deputy | None = None,
    ) -> None:  # fmt: skip
        self.activity = activity
        self.span = ""  # of the client, as W3C's traceparent
        self.bytes = 0  # of its arrays, as the main thread has last counted
        self.id, self.key = secrets.token_hex(8), secrets.token_hex(16)
        self.role, self.quota = role, quota
        self.user, self.process = str(request.get("user", ""))[:64], request.get("process")
        self.began = time.monotonic()
        self.lost_at = self.began + HANDSHAKE_SECONDS  # it gets its first connection before
        self.connection: Connection | None = None
        self.handles: dict[int, Any] = {}  # of the main engine
        self.copies = side.Copies()
        self.pending: Frame | None = None  # that the deputy has left to the main thread
        self.done = 0  # number of the last request that was begun
        self.answer: Answer | None = None
        self.interrupted = 0  # number of the request that the client wants interrupted
        self.calls = 0
        self.in_transfer = False  # the last call was one on a piece of an array
        self.running = ""  # name of the running operation
        self.interruptible = False  # a signal handler may raise: a function of the engine runs
        self.memory: TransferMemory | None = None  # that a client of this host shares
        self.names = names
        self.numbers = 0  # of handles that the server has made
        self._core, self._deputy = core, deputy
        self._retired: list[Any] = []  # handles of the main engine that the main thread frees
        self._first = 0  # number of the first handle in the running call
        self._work: Generator[None, None, list[Part]] | None = None
        self._failure: Failure | None = None
        self._decoders: dict[int, Callable[..., Any]] = {69: self._found, 88: self._found, 83: lambda: core}
        self._encoders = {**codec.ENCODERS, _core.Expr: self._new_array, _core.Texts: self._new_texts}
        self._new: list[int] = []

    # -- handles --

    def _found(self, number: int) -> Any:
        self._first = self._first or number
        try:
            found = self.handles[number]
        except KeyError:
            found = self.handles[number] = self._moved(number)
        if type(found) is Failure:
            self._failure = self._failure or found
        return found

    def _moved(self, number: int) -> Any:
        """A handle on what only the side engine has so far."""
        try:
            return side.copied(self.copies.find(number), self._core)
        except KeyError:
            raise ProtocolError(f"there is no handle {number} in this session") from None

    def next_number(self) -> int:
        """A number for a handle that the server has made."""
        self.numbers -= 1
        return self.numbers

    def add(self, handle: Any) -> int:
        """Keeps a handle that the server has made; its number."""
        number = self.next_number()
        self._keep(number, handle)
        self._new.append(number)
        return number

    def _keep(self, number: int, handle: Any) -> None:
        self.handles[number] = handle
        self.copies.miss(number)

    def _drop(self, number: int) -> None:
        self.handles.pop(number, None)
        self.copies.forget(number)

    def _new_array(self, value: Any, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
        out += codec.made_array(self.add(value), value.dtype, value.ready, value.shape)

    def _new_texts(self, value: Any, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
        out += codec.made_texts(self.add(value), value.rows, value.nbytes)

    def used(self) -> int:
        """Bytes of all handles."""
        return sum(nbytes(one) for one in self.handles.values()) + self.copies.apart(self.handles)

    def check_quota(self, more: int) -> None:
        """MemoryError where so many bytes more are too many."""
        if self.quota and (used := self.used()) + more > self.quota:
            raise MemoryError(
                f"the arrays of this session would take {used + more} bytes (its quota is {self.quota} bytes). Drop "
                "arrays, or connect with a larger quota"
            )

    def _check_growth(self, before: int) -> None:
        """MemoryError where a call has made the arrays take more than the quota, and more than `before`."""
        if self.quota and self.used() > max(before, self.quota):
            self.check_quota(0)

    def _check_evaluation(self, array: Any) -> None:
        """MemoryError where the elements of a lazy array are too many."""
        if self.quota and isinstance(array, _core.Expr) and not array.ready:
            self.check_quota(array.size * ITEM_BYTES[array.dtype])

    # -- calls --

    @property
    def unfinished(self) -> bool:
        """Whether calls of a frame are left."""
        return self._work is not None

    def begin(self, frame: Frame) -> None:
        """Takes a frame, whose calls `go_on` runs."""
        self._work = self._run(frame)

    def go_on(self) -> list[Part] | None:
        """Runs calls until some time has passed, so that other sessions have a turn between the calls of a frame.

        Returns what is to be sent when the frame is done, else None.
        """
        assert self._work is not None
        end = time.monotonic() + PIECE_SECONDS
        try:
            while True:
                next(self._work)
                if time.monotonic() >= end:
                    return None
        except StopIteration as stop:
            self._work = None
            parts: list[Part] = stop.value
            return parts
        except BaseException:
            self._work = None
            raise

    def close(self) -> None:
        """Frees what the session holds."""
        self._work = self.answer = self.pending = self._failure = None
        self.handles.clear()
        self.copies.clear()
        self._retired.clear()
        if self.memory is not None:
            self.memory.close()
            self.memory = None

    def _run(self, frame: Frame) -> Generator[None, None, list[Part]]:
        """Runs the calls of a frame, and yields between them; returns what is to be sent."""
        self._retired.clear()
        self._begun(frame)
        answers = frame.header.kind is Kind.CALLS
        decoder = codec.Decoder(frame.body, self._decoders, frame.bulk)
        outcome: Callable[[], list[Part]] | None = None
        while not decoder.end():
            operation, result, count = codec.CALL.unpack(decoder.take(codec.CALL.size))
            if operation == DROP:
                for number in struct.unpack(f"<{count}q", decoder.take(8 * count)):
                    self._drop(number)
                continue
            if operation >= len(NAMES):
                raise ProtocolError(f"there is no operation {operation}")
            self._failure, self._first = None, 0
            args = [decoder.value() for _ in range(count)]
            wanted = answers and decoder.end()
            if wanted:
                decoder.check_end()
                frame.bulk = None
            self.calls += 1
            failure = self._failure
            if failure is None:
                try:
                    outcome = self._called(operation, result, args, wanted)
                except (ProtocolError, SystemExit):
                    self.interruptible = False
                    raise
                except BaseException as error:
                    self.interruptible = False
                    failure = Failure(error)
            if failure is not None and wanted:
                outcome = self._failed(failure)
            elif failure is not None and result > 0:
                self._keep(result, failure)
            if not decoder.end():
                yield
        if not answers:
            return []
        if outcome is None:
            raise ProtocolError("a request has no call")
        self.answer = Answer(frame.header.number, outcome)
        return outcome()

    def _begun(self, frame: Frame) -> None:
        """A request has begun."""
        self.done = frame.header.number
        if self.answer is not None and frame.header.acknowledged >= self.answer.number:
            self.answer = None

    def _called(self, operation: int, result: int, args: list[Any], wanted: bool) -> Callable[[], list[Part]] | None:
        name, self.in_transfer = NAMES[operation], operation in _TRANSFERS
        if name in side.CHANGING:
            self.copies.miss(self._first)
        if self.role < ROLES[name]:
            raise PermissionError(
                f"{name} needs the role {ROLES[name].label} (this session has the role {self.role.label}). "
                "Connect with another role?"
            )
        if wanted and self.interrupted == self.done:
            raise KeyboardInterrupt
        if operation == _TO_NUMPY and isinstance(args[0], _core.Expr):
            return self._download(args[0])
        function = _FUNCTIONS[operation]
        if operation == _EVALUATE:
            self._check_evaluation(args[0])
        before = self.used() if self.quota else 0
        value = self._performed(name, function or partial(self._serve, name), args)
        if result > 0:
            self._keep(result, value)
        self._check_growth(before)
        return self._succeeded(value, before) if wanted else None

    def _performed(self, name: str, function: Callable[..., Any], args: list[Any]) -> Any:
        """The result of a function of the engine."""
        self.running = name
        long = side.may_be_long(name, args)
        began = self.activity.begin(name, self.id, long)  # what is small runs on PE 0 alone
        try:
            if long:
                with served(self._deputy):
                    value = self._interruptibly(function, args)
            else:
                try:  # as `_interruptibly`, without a call
                    self.interruptible = True
                    value = function(*args)
                finally:
                    self.interruptible = False
        except BaseException as error:
            self.activity.end(name, self.id, began, error, self.span)
            raise
        else:
            self.activity.end(name, self.id, began, None, self.span)
        finally:
            self.running = ""
        return value

    def _interruptibly(self, function: Callable[..., Any], args: list[Any]) -> Any:
        try:
            self.interruptible = True
            return function(*args)
        finally:
            self.interruptible = False

    def _serve(self, name: str, *args: Any) -> Any:
        """Calls an operation of the server itself."""
        if name == "trace_under":
            return self.trace_under(*args)
        if name == "note_scan":
            return self.note_scan(*args)
        own: Callable[..., Any] = transfers.FUNCTIONS.get(name) or getattr(self.names, name)
        return own(self, *args)

    def trace_under(self, span: object) -> None:
        """Notes the client's span, "" for none: the spans of its next operations are below it."""
        self.span = checked_traceparent(span)

    def note_scan(self, number: object, state: object, seconds: object, steps: object) -> None:
        """Notes how far a run of the client's scans is."""
        self.activity.scans.note(self.id, number, state, seconds, steps)

    def _succeeded(self, value: object, before: int = 0) -> Callable[[], list[Part]]:
        out, bulk = bytearray(), list[Any]()
        self._new = []
        try:
            codec.encode(value, out, bulk, self._encoders)
            if self._new:
                self._check_growth(before)
        except BaseException:
            for number in self._new:
                self._drop(number)
            raise
        return self._answered(out, bulk)

    def _answered(self, body: bytes | bytearray, bulk: list[Any]) -> Callable[[], list[Part]]:
        data = frame_head(Kind.ANSWER, len(body), sum(map(len, bulk)), self.done) + body
        return lambda: [data, *bulk]

    def _failed(self, failure: Failure) -> Callable[[], list[Part]]:
        body = codec.encoded((failure.name, failure.text))
        data = frame_head(Kind.FAILURE, len(body), 0, self.done) + body
        return lambda: [data]

    def _download(self, array: Any) -> Callable[[], list[Part]]:
        """An array's elements; many of them in pieces, each of which is copied when the socket has room."""
        dtype, shape = array.dtype, array.shape
        size = array.size * ITEM_BYTES[dtype]
        self._check_evaluation(array)
        if size < LEAST or not array.ndim:
            return self._succeeded(array.to_numpy(True))
        self._performed("Expr.evaluate", array.evaluate, [])
        body = codec.array_head(_DTYPE_NAMES[dtype], shape)
        data = frame_head(Kind.ANSWER, len(body), size, self.done) + body
        if self._core.pes == 1:  # the elements are in this process's memory, and stay as they are
            elements: Any = array.to_numpy(None)
            return lambda: [data, memoryview(elements).cast("B")]
        fixed = array.alias()  # later changes in place leave it as it is
        return lambda: [data, _pieces(fixed, size)]

    # -- requests in the side engine --

    @staticmethod
    def function(name: str) -> Callable[..., Any]:
        """The function of an operation of the engine."""
        found = _FUNCTIONS[NUMBERS[name]]
        assert found is not None
        return found

    def adopt(
        self, frame: Frame, made: Mapping[int, Any], attached: Mapping[int, Any], dropped: Iterable[int],
        body: bytes | None, bulk: list[Any],
    ) -> list[Part]:  # fmt: skip
        """Takes what a request has made in the side engine; what is to be sent. `body`: its answer; None: it has none.

        The main thread alone frees handles of the main engine.
        """
        self._begun(frame)
        for number, handle in attached.items():
            self._keep(number, handle)
        for number, copy in made.items():
            if number not in attached and (old := self.handles.pop(number, None)) is not None:
                self._retired.append(old)
            self.copies.put(number, copy)
        for number in dropped:
            self._retired.append(self.handles.pop(number, None))
            self.copies.forget(number)
        if body is None:
            return []
        outcome = self._answered(body, bulk)
        self.answer = Answer(self.done, outcome)
        return outcome()

    def status(self) -> dict[str, Any]:
        """Data for `atoll serve sessions`. The listener's thread may call it: it uses no engine."""
        return {
            "session": self.id, "user": self.user, "process": self.process, "role": self.role.label,
            "seconds": round(time.monotonic() - self.began, 1), "connected": self.connection is not None,
            "arrays": len({*self.handles, *self.copies.numbers()}), "quota": self.quota, "calls": self.calls,
            "running": self.running, "bytes": self.bytes, "waiting": not self.running and self._waits(),
            "request": self.done if self.running else self.done + 1,
        }  # fmt: skip

    def _waits(self) -> bool:
        """Whether a request has come that has not begun."""
        connection = self.connection
        if self.pending is not None:
            return True
        return connection is not None and not connection.sending and connection.waits()


def _pieces(array: Any, size: int) -> Iterator[memoryview]:
    """The elements of an array. A piece is sent before the next one takes its memory."""
    buffer = np.empty(PIECE, np.uint8)
    for begin in range(0, size, PIECE):
        piece = buffer[: min(PIECE, size - begin)]
        _core.read_bytes(array, begin, piece)
        yield memoryview(piece)  # type: ignore[arg-type]


def _name_of(error: BaseException) -> str:
    """The name of the exception's class, or of the builtin class that it is derived from."""
    if isinstance(error, _core.PeFailedError):
        return "PeFailedError"
    return next(one.__name__ for one in type(error).__mro__ if one.__module__ == "builtins")
