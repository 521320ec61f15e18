# SPDX-License-Identifier: Apache-2.0
"""What strangers and broken clients send: refused, with nothing left behind. What both sides encode comes back."""

import contextlib
import random
import socket
import struct
import time
from types import SimpleNamespace

import numpy as np
import pytest
from server.test_sessions import _sessions

import atoll as ak
from atoll import _core
from atoll.serve import codec, handshake, operations, protocol, server_files
from atoll.serve.activity import LogLines
from atoll.serve.client.channel import Target
from atoll.serve.handshake import RefusedError
from atoll.serve.protocol import HEADER, VERSION, Kind, ProtocolError, Role
from atoll.serve.server import listener
from atoll.serve.server.connection import Connection

_SORT = operations.NUMBERS["sort"]
VALUES = [
    None, True, False, 0, -1, 2**63 - 1, -(2**63), 2**63, -(2**200), 1.5, float("inf"), 1 - 2j, "", "é😀", b"", b"\0x",
    (), (1, (2, [3, "x"])), [], [1, None], {"a": 1, 2: (3,)},
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_value_comes_back(value):
    found = codec.decoded(codec.encoded(value))
    assert found == value
    assert type(found) is type(value)


def test_arrays_come_back_whatever_stands_before_them():
    arrays = [np.arange(3, dtype=np.int8), np.ones((2, 3)), np.empty((0, 4), np.uint16), np.array(7, np.int64)]
    out, bulk = bytearray(), []
    codec.encode(arrays, out, bulk, codec.ENCODERS)
    data = np.frombuffer(b"".join(bulk), np.uint8)
    for got, expected in zip(codec.Decoder(bytes(out), {}, data).value(), arrays, strict=True):
        assert got.dtype == expected.dtype and np.array_equal(got, expected)


def test_broken_values_raise_protocol_errors():
    rng = random.Random(1)
    handles = {69: lambda number: number, 88: lambda number: number, 83: lambda: None}
    whole = codec.encoded(VALUES) + b"E" + struct.pack("<q", 3) + codec.array_head("int64", (2, 3))
    for _ in range(3000):
        data = bytearray(whole if rng.random() < 0.7 else rng.randbytes(rng.randrange(1, 60)))
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        data = data[: rng.randrange(1, len(data) + 1)]
        decoder = codec.Decoder(bytes(data), handles, np.zeros(48, np.uint8))
        try:
            while not decoder.end():
                decoder.value()
        except ProtocolError:
            pass


def test_every_function_of_the_engine_is_listed():
    listed = {*operations.NAMES, *operations.LOCAL}
    for name in dir(_core):
        signature = str(getattr(getattr(_core, name), "__nb_signature__", ""))
        if any(f"_core.{one}" in signature.partition("->")[0] for one in ("Session", "Expr", "Texts")):
            assert name in listed, f"{name} takes handles: put it into a list of atoll.serve.operations"
    for name in operations.NAMES:
        assert name in operations.SERVICES or callable(operations.function_of(name))


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_connection_puts_frames_together_from_any_pieces(size):
    ours, theirs = socket.socketpair()
    connection = Connection(ours, 1 << 30)
    rng = np.random.default_rng(1)
    frames = [(b"x" * 10, b""), (b"", b""), (b"y" * 70_000, b"z" * 3), (b"abc", rng.bytes(200_000)), (b"last", b"")]
    data = b"".join(
        protocol.frame_head(Kind.CALLS, len(body), len(bulk), number) + body + bulk
        for number, (body, bulk) in enumerate(frames)
    )
    if size == 1:
        frames, data = frames[:2], data[: 2 * HEADER.size + 10]
    elif size == 7:
        frames, data = frames[:3], data[: 3 * HEADER.size + 70_013]
    found = []
    for begin in range(0, len(data), size):
        theirs.sendall(data[begin : begin + size])
        while (frame := connection.read()) is not None:
            found.append((frame.body, b"" if frame.bulk is None else frame.bulk.tobytes()))
    assert found == frames
    connection.close()
    theirs.close()


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: localhost:1\r\n", b"\xff" * 32, struct.pack("<B3xIQQQ", 1, 2**32 - 1, 0, 1, 0),
        struct.pack("<B3xIQQQ", 1, 0, 2**63, 1, 0), struct.pack("<B3xIQQQ", 1, 10, 2**41, 1, 0),
    ],
)  # fmt: skip
def test_header_that_is_not_valid_raises(head):
    with pytest.raises(ProtocolError):
        protocol.header_of(head.ljust(32, b"\0")[:32])


# -- against a running server --


def _tcp(server, token=None, role=Role.CODE):
    found = server_files.read(server)
    return Target("it", token or found.tokens[role.label], role, found.host, found.port)


def test_wrong_token_is_refused(server):
    with pytest.raises(PermissionError, match="does not know this token"):
        _tcp(server, "0" * 64).control({"purpose": "status"})
    with pytest.raises(PermissionError, match="does not know this token"):
        ak.connect(f"127.0.0.1:{server_files.read(server).port}", token="wrong")
    # The token of one role is none of another.
    with pytest.raises(PermissionError, match="does not know this token"):
        _tcp(server, server_files.read(server).tokens["read"], Role.CODE).control({"purpose": "status"})


def test_server_asks_for_the_clients_proof(server):
    found = server_files.read(server)
    with socket.create_connection((found.host, found.port)) as raw:
        raw.sendall(struct.pack("<4sH32sB", b"ATLS", protocol.VERSION, b"n" * 32, Role.CODE))
        assert len(raw.recv(100)) == 70
        raw.sendall(b"p" * 32)
        assert raw.recv(100) == b""


def test_other_version_is_refused_by_both_sides(server, monkeypatch):
    monkeypatch.setattr(handshake, "VERSION", 99)
    with pytest.raises(ProtocolError, match=rf"speaks version {VERSION} of the protocol and this process version 99"):
        _tcp(server).control({"purpose": "status"})


def test_other_operations_are_refused(server, monkeypatch):
    monkeypatch.setattr("atoll.serve.client.session.DIGEST", "other")
    with pytest.raises(RefusedError, match="their operations differ"):
        ak.connect(server)


def test_garbage_and_half_open_connections_leave_sessions_alone(session):
    rng, found = random.Random(2), server_files.read("three")
    x = ak.arange(100)
    strangers = []
    for number in range(1000):
        raw = socket.create_connection((found.host, found.port))
        if number % 2:
            raw.sendall(rng.randbytes(rng.randrange(1, 200)))
        strangers.append(raw)
        if number % 250 == 0:
            assert x.sum() == 4950
    with ak.connect("three"):  # others come in beside them
        assert ak.arange(100).sum() == 4950
    assert x.sum() == 4950
    assert _tcp("three").control({"purpose": "status"})["refused"] > 0  # behind the others of the same listener
    for raw in strangers:
        raw.close()
    assert (x + 1).sum() == 5050


@pytest.mark.parametrize("dropped", [1, 2, 10**9])
def test_connection_that_is_dropped_in_the_handshake_is_made_again(server, monkeypatch, dropped):
    opened, opens = [], Target.open

    def open_some(self, *about):
        opened.append(self)
        if len(opened) > dropped:
            return opens(self, *about)
        ours, theirs = socket.socketpair()
        theirs.close()
        return ours

    monkeypatch.setattr(Target, "open", open_some)
    ak.shutdown()
    if dropped > 5:
        with pytest.raises(ConnectionError, match="closed the connection"):
            ak.connect(server)
        return
    with ak.connect(server):
        assert ak.arange(3).sum() == 3
    assert len(opened) == dropped + 1


def test_strangers_by_tcp_give_way_before_processes_of_the_same_user():
    by_tcp, by_unix = (SimpleNamespace(socket=SimpleNamespace(family=one)) for one in (socket.AF_INET, socket.AF_UNIX))
    by_tcp.deadline, by_unix.deadline = 9.0, 1.0
    later = SimpleNamespace(socket=by_tcp.socket, deadline=10.0)
    assert min([by_unix, later, by_tcp], key=listener._precedence) is by_tcp


def test_seconds_of_a_server_do_not_depend_on_the_clock(monkeypatch):
    loop = SimpleNamespace(
        lock=contextlib.nullcontext(), clients={}, running=None, names=(), core=SimpleNamespace(pes=1, threads=1),
        checkpoints=SimpleNamespace(status=dict),
    )  # fmt: skip
    with socket.create_server(("127.0.0.1", 0)) as listening:
        found = listener.Listener(loop, [listening], {}, "clock", 0, 1, None, LogLines())
        monkeypatch.setattr(time, "time", lambda: 0.0)
        assert 0 <= found._status(Role.READ, {})[0]["seconds"] < 3600


def _raw_session(server):
    request = {"purpose": "session", "operations": operations.DIGEST, "version": "", "user": "raw", "process": 0}
    return _tcp(server).ask(request)


@pytest.mark.parametrize(
    "body",
    [
        b"\xff" * 11, struct.pack("<HqB", 60000, 0, 0), struct.pack("<HqB", _SORT, 0, 1) + b"E" + b"\1" * 8,
        struct.pack("<HqB", _SORT, 0, 200), b"", b"\0",
    ],
)  # fmt: skip
def test_frame_that_is_not_valid_ends_its_session_alone(session, body):
    x = ak.arange(100)
    raw, _ = _raw_session("three")
    raw.sendall(protocol.frame_head(Kind.CALLS, len(body), 0, 1) + body)
    assert raw.recv(100) == b""
    raw.close()
    assert x.sum() == 4950
    assert [one["user"] for one in _sessions("three") if one["user"] == "raw"] == []


def test_calls_with_wrong_arguments_raise_and_change_nothing(session):
    rng = random.Random(3)
    x = ak.arange(100)
    core, expr = session._core, x._expr
    pool = [None, 1, -1, 2**40, "x", (), (3,), [(0, 1, 3)], [], expr, [expr, expr], True, 2.5, b"b", core]
    skipped = {"run_everywhere", "Session.trim", *operations.SERVICES}
    for name in operations.NAMES:
        if name in skipped or name.startswith("Expr.assign"):
            continue
        for _ in range(3):
            with contextlib.suppress(TypeError, ValueError, IndexError, RuntimeError, OverflowError, MemoryError):
                core.call(operations.NUMBERS[name], tuple(rng.choice(pool) for _ in range(rng.randrange(5))))
    assert x.sum() == 4950


def test_client_killed_in_an_upload_leaves_nothing(session):
    x = ak.arange(100)
    raw, reply = _raw_session("three")
    raw.sendall(protocol.frame_head(Kind.CALLS, 10, 1 << 20, 1) + b"x" * 1000)
    raw.close()
    assert x.sum() == 4950
    while (left := [one for one in _sessions("three") if one["session"] == reply["session"]]) and left[0]["connected"]:
        x.sum()
    assert [one["arrays"] for one in left] == [0]


def test_roles_bound_what_a_session_may_call(server):
    ak.shutdown()
    with ak.connect(server, role="compute"):
        assert ak.arange(10).sum() == 45
        with pytest.raises(PermissionError, match="run_everywhere needs the role code"):
            ak.read_csv("/nowhere.csv")
    with ak.connect(server, role="read"), pytest.raises(PermissionError, match="argsort needs the role compute"):
        ak.argsort(ak.arange(3))


def test_connection_file_that_others_may_read_is_refused(home, tmp_path):
    server_files.prepare()
    path = server_files.file_of("leaky")
    path.write_text("{}")
    path.chmod(0o644)
    with pytest.raises(PermissionError, match="not private"):
        server_files.read("leaky")
    path.unlink()
    with pytest.raises(LookupError, match="there is no server 'absent'"):
        ak.connect("absent")
    with pytest.raises(ValueError, match="no name of a server"):
        ak.connect("../etc")


def test_calls_of_a_frame_take_turns_with_other_sessions(monkeypatch):
    from atoll.serve.activity import Activity
    from atoll.serve.server import client as module
    from atoll.serve.server.connection import Frame
    from atoll.serve.server.names import Names

    monkeypatch.setattr(module, "PIECE_SECONDS", 0.0)
    ak.shutdown()
    with ak.init(1) as session:
        client = module.Client(session._core, Names(), Role.COMPUTE, {}, 0, Activity())
        body = b""
        for result in (1, 2, 3):
            body += struct.pack("<HqB", operations.NUMBERS["arange"], result, 5) + b"S" + codec.encoded((0, 1))[5:]
            body += codec.encoded(10 * result) + codec.encoded(_core.DTYPES["int64"])
        body += struct.pack("<HqB", operations.NUMBERS["Expr.to_numpy"], 0, 2) + b"E" + struct.pack("<q", 3) + b"T"
        client.begin(Frame(protocol.Header(Kind.CALLS, len(body), 0, 1, 0), body, None))
        for made in (1, 2, 3):
            assert client.go_on() is None
            assert len(client.handles) == made
            assert client.unfinished
        head, elements = client.go_on()
        assert not client.unfinished
        assert protocol.header_of(head).number == 1
        assert np.frombuffer(elements, np.int64).tolist() == list(range(30))
        client.close()
