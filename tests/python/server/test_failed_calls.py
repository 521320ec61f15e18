# SPDX-License-Identifier: Apache-2.0
"""What a session keeps of calls that failed: what its client is told, and none of their arguments."""

import gc
import struct

import numpy as np
import pytest

import atoll as ak
from atoll.serve import codec
from atoll.serve.activity import Activity
from atoll.serve.operations import DROP, NUMBERS
from atoll.serve.protocol import Header, Kind, Role
from atoll.serve.server.client import Client
from atoll.serve.server.connection import Frame
from atoll.serve.server.names import Names

ARRAY, FAILED = 7, 8


@pytest.fixture
def core():
    """The engine of a new session; unreachable cycles stay meanwhile."""
    ak.shutdown()
    yield ak.init(1, 1)._core
    gc.enable()
    ak.shutdown()


def _answer(client, calls):
    """The body of the answer to (operation, result, encoded arguments)."""
    body, bulk = bytearray(), []
    for operation, result, arguments in calls:
        body += struct.pack("<HqB", operation, result, len(arguments))
        for one in arguments:
            if isinstance(one, bytes):
                body += one
            else:
                codec.encode(one, body, bulk, codec.ENCODERS)
    data = np.frombuffer(b"".join(map(bytes, bulk)), np.uint8)
    client.begin(Frame(Header(Kind.CALLS, len(body), data.size, client.done + 1, client.done), bytes(body), data))
    while (parts := client.go_on()) is None:
        pass
    return codec.decoded(bytes(parts[0])[32:])


def test_arguments_of_failed_calls_are_freed_at_once(core):
    before = core.stats()["memory_in_use"]
    client = Client(core, Names(), Role.COMPUTE, {}, 0, Activity())
    array, failed = (b"E" + struct.pack("<q", number) for number in (ARRAY, FAILED))
    gc.collect()
    gc.disable()
    made = (NUMBERS["from_numpy"], ARRAY, [b"S", np.zeros(1 << 20), True])
    fails = (NUMBERS["Expr.item_at"], FAILED, [array, 1 << 40])
    told = _answer(client, [made, fails, (NUMBERS["Expr.alias"], 0, [failed])])
    assert told[0] == "IndexError"
    assert core.stats()["memory_in_use"] > before
    body = struct.pack("<HqB", DROP, 0, 2) + struct.pack("<2q", ARRAY, FAILED)
    client.begin(Frame(Header(Kind.NOTE, len(body), 0, client.done + 1, client.done), body, None))
    client.go_on()
    assert not client.handles
    assert core.stats()["memory_in_use"] == before
