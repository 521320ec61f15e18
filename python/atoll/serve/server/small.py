# SPDX-License-Identifier: Apache-2.0
"""A request in the side engine: all of its calls, or none."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ... import _core
from .. import codec
from ..operations import DROP, NAMES, ROLES
from ..protocol import Kind
from ..telemetry import checked_traceparent
from . import side
from .connection import Frame, Part
from .sizes import elements, nbytes

if TYPE_CHECKING:
    from .client import Client

_ELEMENTS = 16 * side.SMALL  # of the arguments of all calls of a request, at most


class _UnsuitableError(Exception):
    """The request needs the main thread."""


class SmallRequest:
    """Runs a frame with copies of the client's arrays. The client changes only once all calls have succeeded.

    Whatever is not small, or fails, is left to the main thread, which runs the same frame in its turn.
    """

    def __init__(self, client: Client, core: Any) -> None:
        self._client, self._core = client, core
        self._made: dict[int, Any] = {}  # new handles and changed copies, of the side engine
        self._attached: dict[int, Any] = {}  # handles on published objects, of the main engine
        self._copies: dict[int, Any] = {}  # handle on a published object, by its id → its copy
        self._dropped: list[int] = []
        self._first = 0  # number of the first handle in a call
        self._noted: list[tuple[str, float, float]] = []  # operation, begin, end
        self._span: str | None = None
        self._elements = 0
        self._encoders = {**codec.ENCODERS, _core.Expr: self._new_array, _core.Texts: self._new_texts}

    def run(self, frame: Frame) -> list[Part] | None:
        """Runs the frame. Returns the parts of its answer, or None where the main thread has to run it."""
        numbers = self._client.numbers
        try:
            body, bulk = self._run(frame)
        except Exception:
            self._client.numbers = numbers
            return None
        client = self._client
        if self._span is not None:
            client.trace_under(self._span)
        for operation, began, ended in self._noted:
            client.activity.note(operation, client.id, began, ended, None, client.span)
        client.calls += len(self._noted)
        return client.adopt(frame, self._made, self._attached, self._dropped, body, bulk)

    def _run(self, frame: Frame) -> tuple[bytes | None, list[Any]]:
        handles: dict[int, Callable[..., Any]] = {69: self._found, 88: self._found, 83: lambda: self._core}
        decoder = codec.Decoder(frame.body, handles, frame.bulk)
        out, bulk, is_answered = bytearray(), list[Any](), False
        while not decoder.end():
            operation, result, count = codec.CALL.unpack(decoder.take(codec.CALL.size))
            if operation == DROP:
                for number in struct.unpack(f"<{count}q", decoder.take(8 * count)):
                    self._dropped.append(number)
                    self._made.pop(number, None)
                continue
            self._first = 0
            value = self._called(NAMES[operation], [decoder.value() for _ in range(count)])
            if result > 0:
                self._made[result] = value
            if frame.header.kind is Kind.CALLS and decoder.end():
                decoder.check_end()
                codec.encode(value, out, bulk, self._encoders)
                is_answered = True
        if is_answered != (frame.header.kind is Kind.CALLS) or (self._made and self._client.copies.is_full):
            raise _UnsuitableError
        self._client.check_quota(sum(map(nbytes, self._made.values())))
        return bytes(out) if is_answered else None, bulk

    def _called(self, name: str, args: list[Any]) -> Any:
        client = self._client
        if name not in side.OPERATIONS or client.role < ROLES[name] or not side.is_small(name, args):
            raise _UnsuitableError
        self._elements += elements(args)
        if self._elements > _ELEMENTS:
            raise _UnsuitableError
        began = time.monotonic()
        value = self._result(name, args)
        if elements(value) > side.SMALL:
            raise _UnsuitableError
        self._noted.append((name, began, time.monotonic()))
        return value

    def _result(self, name: str, args: list[Any]) -> Any:
        client = self._client
        if name == "trace_under":
            self._span = checked_traceparent(*args)
            return None
        if name == "published":
            return client.names.published(client, *args)
        if name == "attach":
            return self._attach(*args)
        if name in side.CHANGING:
            args[0] = self._own()
        return client.function(name)(*args)

    def _attach(self, name: str) -> Any:
        found = self._client.names.attach(self._client, name)
        copies = self._client.names.copies(name)
        self._copies.update((id(handle), copy) for handle, copy in zip(found[2], copies, strict=True))
        return found

    def _found(self, number: int) -> Any:
        self._first = self._first or number
        return self._made[number] if number in self._made else self._client.copies.find(number)

    def _own(self) -> Any:
        """The array that a call changes: a new one, so that a request that fails leaves the old one as it is."""
        if self._first not in self._made:
            self._made[self._first] = side.alias(self._client.copies.find(self._first))
        return self._made[self._first]

    def _number(self, value: Any) -> int:
        number = self._client.next_number()
        if id(value) not in self._copies:
            self._made[number] = value
            return number
        self._attached[number] = value
        if (copy := self._copies[id(value)]) is not None:
            self._made[number] = side.alias(copy)
        return number

    def _new_array(self, value: Any, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
        out += codec.made_array(self._number(value), value.dtype, value.ready, value.shape)

    def _new_texts(self, value: Any, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
        out += codec.made_texts(self._number(value), value.rows, value.nbytes)
