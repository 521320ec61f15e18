# SPDX-License-Identifier: Apache-2.0
"""How a client and a server prove to each other that they know the token, without sending it.

    client: "ATLS", u16 version, 32 random bytes, u8 role
    server: "ATLS", u16 version, 32 random bytes, proof of the server
    client: proof of the client, u32 length and the request: what the connection is for
    server: u32 length and the reply

The server proves itself first: a client gives nothing to a server without the token. A proof is HMAC-SHA256, with the
token of the role as key, over the name of the side, the version, the role and the random bytes of both. The random
bytes are new for each connection, so a recorded proof proves nothing later. Both sides are generators that yield how
many bytes they want next or bytes to send, so that they do not know how sockets wait.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
from collections.abc import Callable, Generator, Mapping
from typing import Any

from .codec import decoded, encoded
from .protocol import VERSION, ProtocolError, Role

_MAGIC = b"ATLS"
_HELLO = struct.Struct("<4sH32sB")
_REPLY = struct.Struct("<4sH32s32s")
_LENGTH = struct.Struct("<I")
_REQUEST_LIMIT = 4 << 10  # of a client that has proved itself
_ANSWER_LIMIT = 16 << 20

#: Yields an int: give me so many bytes; or bytes: send them.
Steps = Generator[int | bytes, bytes, Any]


class RefusedError(PermissionError):
    """The other side does not know the token, or refuses what was asked for."""


def new_token() -> str:
    """A token that cannot be guessed: 256 random bits."""
    return secrets.token_hex(32)


def _proof(token: str, side: bytes, role: int, client: bytes, server: bytes) -> bytes:
    words = b"atoll " + side + struct.pack("<HB", VERSION, role) + client + server
    return hmac.new(token.encode(), words, hashlib.sha256).digest()


def _version_error(where: str, theirs: int) -> ProtocolError:
    return ProtocolError(
        f"{where} speaks version {theirs} of the protocol and this process version {VERSION}. "
        "Use the same version of Atoll on both sides?"
    )


def client_steps(token: str, role: Role, request: Any) -> Steps:
    """The client's side; returns the server's reply."""
    mine = secrets.token_bytes(32)
    yield _HELLO.pack(_MAGIC, VERSION, mine, role)
    magic, version, theirs, proof = _REPLY.unpack((yield _REPLY.size))
    if magic != _MAGIC:
        raise ProtocolError("the other side is no Atoll server. Is the address right?")
    if version != VERSION:
        raise _version_error("the server", version)
    if not hmac.compare_digest(proof, _proof(token, b"server", role, mine, theirs)):
        raise RefusedError("the server does not know this token. Is it the token of this server and of this role?")
    body = encoded(request)
    yield _proof(token, b"client", role, mine, theirs) + _LENGTH.pack(len(body)) + body
    (size,) = _LENGTH.unpack((yield _LENGTH.size))
    if size > _ANSWER_LIMIT:
        raise ProtocolError(f"a reply of {size} bytes is too long")
    reply = decoded((yield size) if size else b"")
    if not isinstance(reply, dict):
        raise ProtocolError("the reply of the server is not valid")
    if "error" in reply:
        raise RefusedError(str(reply["error"]))
    return reply


def server_steps(tokens: Mapping[Role, str], admit: Callable[[Role, Any], Any]) -> Steps:
    """The server's side; `admit(role, request)` gives the reply, or raises RefusedError. Returns what `admit` gave."""
    magic, version, theirs, number = _HELLO.unpack((yield _HELLO.size))
    if magic != _MAGIC:
        raise ProtocolError("the first bytes are not those of an Atoll client")
    mine = secrets.token_bytes(32)
    # The token of a role that does not exist is a new random one: such a client learns nothing else.
    token = next((token for role, token in tokens.items() if role == number), None) or new_token()
    yield _REPLY.pack(_MAGIC, VERSION, mine, _proof(token, b"server", number, theirs, mine))
    if version != VERSION:
        raise _version_error("the client", version)
    proof = yield 32
    if not hmac.compare_digest(proof, _proof(token, b"client", number, theirs, mine)):
        raise RefusedError(f"a client does not know the token of role {number}")
    (size,) = _LENGTH.unpack((yield _LENGTH.size))
    if size > _REQUEST_LIMIT:
        raise ProtocolError(f"a request of {size} bytes is too long (the limit is {_REQUEST_LIMIT})")
    request = decoded((yield size) if size else b"")
    try:
        reply, outcome = admit(Role(number), request)
    except RefusedError as error:
        yield _framed({"error": str(error)})
        raise
    yield _framed(reply)
    return outcome


def _framed(reply: Any) -> bytes:
    body = encoded(reply)
    return _LENGTH.pack(len(body)) + body
