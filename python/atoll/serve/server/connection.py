# SPDX-License-Identifier: Apache-2.0
"""Frames of one client on a socket that never blocks."""

from __future__ import annotations

import fcntl
import socket
import ssl
import sys
import termios
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..protocol import HEADER, Header, ProtocolError, header_of
from ..spinning import PIECE_SECONDS, Spinner

_BUFFER = 64 << 10
_AGAIN = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)

#: Data to send: bytes, or a function that returns the next piece whenever the socket has room.
Part = bytes | memoryview | Iterator[Any]


@dataclass
class Frame:
    """A frame that has come whole."""

    header: Header
    body: bytes
    bulk: Any


class Connection:
    """Reads frames and sends parts, as far as the socket allows.

    Parameters
    ----------
    connection : socket
        Authenticated. It is made non-blocking.
    bulk_limit : int
        Bytes of bulk of a frame, at most.
    """

    def __init__(self, connection: socket.socket, bulk_limit: int) -> None:
        connection.setblocking(False)
        self.socket, self._limit = connection, bulk_limit
        self._buffer = memoryview(bytearray(_BUFFER))
        self._begin = self._end = 0
        self._header: Header | None = None
        self._rest: list[memoryview] = []  # memory that the frame's long parts still go to
        self._body: bytearray | None = None
        self._bulk: Any = None
        self._parts: deque[Part] = deque()
        self.closed = False
        self.spinner, self.piece_spinner = Spinner(connection), Spinner(connection, PIECE_SECONDS)
        self.events = 0  # that the loop waits for

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        """Closes the socket; what was to be sent is dropped."""
        self.closed = True
        self._parts.clear()
        self.socket.close()

    # -- reading --

    def read(self) -> Frame | None:
        """The next whole frame; None: not yet. ConnectionError where the client has gone or sends what is no frame."""
        while True:
            if self._end > self._begin or self._header is not None:
                frame = self._parsed()
                if frame is not None:
                    return frame
            try:
                target = self._rest[0] if self._rest else self._room()
                got = self.socket.recv_into(target)
            except _AGAIN:
                return None
            except InterruptedError:
                continue
            if not got:
                raise ConnectionResetError("the client closed the connection")
            if self._rest:
                self._filled(got)
            else:
                self._end += got

    def has_more(self) -> bool:
        """Whether bytes have been read from the socket that belong to a later frame."""
        pending = getattr(self.socket, "pending", None)
        return self._end > self._begin or (pending is not None and pending() > 0)

    def waits(self) -> bool:
        """Whether bytes have come that have not been read. Another thread may ask."""
        count = bytearray(4)
        try:
            fcntl.ioctl(self.socket.fileno(), termios.FIONREAD, count)
        except (OSError, ValueError):  # closed meanwhile
            return False
        return self._end > self._begin or int.from_bytes(count, sys.byteorder) > 0

    def _room(self) -> memoryview:
        if self._begin == self._end:
            self._begin = self._end = 0
        elif self._begin and self._end == _BUFFER:
            rest = self._end - self._begin
            self._buffer[:rest] = bytes(self._buffer[self._begin : self._end])
            self._begin, self._end = 0, rest
        return self._buffer[self._end :]

    def _filled(self, count: int) -> None:
        self._rest[0] = self._rest[0][count:]
        if not len(self._rest[0]):
            self._rest.pop(0)

    def _parsed(self) -> Frame | None:
        if self._header is None:
            if self._end - self._begin < HEADER.size:
                return None
            header = header_of(self._buffer[self._begin : self._end], self._limit)
            whole = HEADER.size + header.body
            if not header.bulk and whole <= _BUFFER:
                if self._end - self._begin < whole:
                    if self._begin + whole > _BUFFER:  # move it to where the whole frame fits
                        rest = self._end - self._begin
                        self._buffer[:rest] = bytes(self._buffer[self._begin : self._end])
                        self._begin, self._end = 0, rest
                    return None
                body = bytes(self._buffer[self._begin + HEADER.size : self._begin + whole])
                self._begin += whole
                return Frame(header, body, None)
            self._begin += HEADER.size
            self._header = header
            try:
                self._body, self._bulk = bytearray(header.body), np.empty(header.bulk, np.uint8)
            except MemoryError:
                raise ProtocolError(f"there is no memory for {header.bulk} bytes of a client") from None
            self._rest = [view for view in (memoryview(self._body), memoryview(self._bulk)) if len(view)]
        while self._rest and self._end > self._begin:
            count = min(len(self._rest[0]), self._end - self._begin)
            self._rest[0][:count] = self._buffer[self._begin : self._begin + count]
            self._begin += count
            self._filled(count)
        if self._rest:
            return None
        assert self._body is not None
        frame = Frame(self._header, bytes(self._body), self._bulk if self._header.bulk else None)
        self._header = self._body = self._bulk = None
        return frame

    # -- sending --

    @property
    def sending(self) -> bool:
        """Whether something waits until the socket takes more."""
        return bool(self._parts)

    def send(self, *parts: Part) -> None:
        """Sends parts, now as far as the socket takes them."""
        if len(parts) == 1 and not self._parts and isinstance(parts[0], bytes):  # most answers
            part = parts[0]
            try:
                sent = self.socket.send(part)
            except _AGAIN:
                sent = 0
            if sent < len(part):
                self._parts.append(memoryview(part)[sent:])
            return
        self._parts.extend(parts)
        self.flush()

    def flush(self) -> None:
        """Sends what waits, as far as the socket takes it, and one piece of a maker at most."""
        pieces = 0
        while self._parts:
            part = self._parts[0]
            if isinstance(part, (bytes, memoryview)):
                if not len(part):
                    self._parts.popleft()
                    continue
                try:
                    sent = self.socket.send(part)
                except _AGAIN:
                    return
                if sent == len(part):
                    self._parts.popleft()
                else:
                    self._parts[0] = memoryview(part)[sent:]
                continue
            if pieces:
                return
            pieces += 1
            piece = next(part, None)
            if piece is None:
                self._parts.popleft()
            else:
                self._parts.appendleft(piece)
