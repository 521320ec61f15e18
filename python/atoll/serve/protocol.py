# SPDX-License-Identifier: Apache-2.0
"""Frames between clients and servers, their limits, and what a connection is for.

A frame is a header, a body of encoded values (module `codec`), and bulk: the elements of the body's arrays, one array
behind the other. All numbers are little-endian.

| byte | what | valid |
|---|---|---|
| 0 | u8 kind | a `Kind` |
| 1 | u8 × 3 | zero |
| 4 | u32 bytes of the body | at most the receiver's limit |
| 8 | u64 bytes of bulk | at most the receiver's limit |
| 16 | u64 number | of a request: one more than the request before; of an answer: its request's |
| 24 | u64 acknowledged | the last request whose answer the client has; 0 in answers |
"""

from __future__ import annotations

import enum
import struct
from typing import NamedTuple

#: Raised when frames, values, the handshake or shared memory change. Both sides must have the same.
VERSION = 2
HEADER = struct.Struct("<B3xIQQQ")
assert HEADER.size == 32

#: Bytes of a body, at most, in either direction.
BODY_LIMIT = 16 << 20
#: Bytes of one upload or download, at most, unless the receiver has less memory.
BULK_LIMIT = 1 << 40
#: Seconds from the first byte of a connection until the client must have proved itself.
HANDSHAKE_SECONDS = 10.0


class ProtocolError(ConnectionError):
    """A violation of the protocol, which ends the connection."""


class Kind(enum.IntEnum):
    """Kinds of frames."""

    CALLS = 1  # of a client: calls, in order; the last one is answered
    NOTE = 2  # of a client: calls without an answer
    ANSWER = 3
    FAILURE = 4  # an answer: the exception of the call
    PROGRESS = 5  # of a server: how far the running operation is; number 0
    END = 6  # of a client: the session ends now


class Role(enum.IntEnum):
    """Rights of a client. Each role includes those below it."""

    READ = 1  # attach to published objects and read their values
    COMPUTE = 2  # all operations that need no pickle
    CODE = 3  # functions of the user, and reading and writing files

    @classmethod
    def of(cls, name: str) -> Role:
        try:
            return cls[name.upper()]
        except KeyError:
            raise ValueError(f"there is no role {name!r}. Use one of {', '.join(one.label for one in cls)}") from None

    @property
    def label(self) -> str:
        return self.name.lower()


class Header(NamedTuple):
    """The header of a frame."""

    kind: Kind
    body: int
    bulk: int
    number: int
    acknowledged: int


_KINDS = {int(kind): kind for kind in Kind}


def header_of(data: bytes | bytearray | memoryview, bulk_limit: int = BULK_LIMIT) -> Header:
    """The header that stands at the beginning of `data`. ProtocolError where it is not valid."""
    code, body, bulk, number, acknowledged = HEADER.unpack_from(data)
    kind = _KINDS.get(code)
    if kind is None or data[1] or data[2] or data[3]:
        raise ProtocolError(f"this is no frame of Atoll's protocol (its first bytes are {bytes(data[:4]).hex()})")
    if body > BODY_LIMIT:
        raise ProtocolError(f"a body of {body} bytes is too long (the limit is {BODY_LIMIT})")
    if bulk > bulk_limit:
        raise ProtocolError(f"{bulk} bytes of bulk are too many (the limit is {bulk_limit})")
    return Header(kind, body, bulk, number, acknowledged)


def frame_head(kind: Kind, body: int, bulk: int, number: int, acknowledged: int = 0) -> bytes:
    """The header of a frame, as bytes."""
    return HEADER.pack(kind, body, bulk, number, acknowledged)
