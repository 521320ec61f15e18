# SPDX-License-Identifier: Apache-2.0
"""Large arrays between a client and a server: through shared memory on one host, in frames over TCP."""

import mmap
import os
import socket

import numpy as np
import pytest

import atoll as ak
from atoll.serve import server_files
from atoll.serve.operations import NUMBERS
from atoll.serve.transfer import PIECE, SLOT, TransferMemory

_ROWS = 3 * SLOT // 24 + 5  # of three float64: some pieces end within a row


@pytest.fixture(params=["memory", "tcp"])
def way(request, server):
    ak.shutdown()
    known = server_files.read(server)
    where = (server,) if request.param == "memory" else (known.host, known.port)
    with ak.connect(*where, token=known.tokens["code"]) as session:
        assert (session._core.memory is not None) == (request.param == "memory")
        yield session


@pytest.mark.parametrize("dtype", ["float64", "int8", "bool", "complex128"])
def test_large_arrays_go_up_and_down_whole(way, dtype):
    values = np.random.default_rng(1).integers(0, 2, (_ROWS, 3)).astype(dtype)
    array = ak.array(values)
    assert np.array_equal(array.to_numpy(), values)
    assert np.array_equal(ak.array(values.T).to_numpy(), values.T)


def test_download_has_the_values_of_a_lazy_array(way):
    x = ak.arange(PIECE) * 2
    assert np.array_equal(x.to_numpy(), np.arange(PIECE) * 2)
    x += 1
    assert int(x.to_numpy()[-1]) == 2 * PIECE - 1


def test_transfers_go_on_after_the_connection_is_lost(way):
    values = np.arange(PIECE, dtype=np.float64)
    array = ak.array(values)
    channel = way._core._channel
    send, count = channel.send, 0

    def losing(*args):
        nonlocal count
        count += 1
        if count % 3 == 0:
            channel._socket.shutdown(socket.SHUT_RDWR)
        return send(*args)

    channel.send = losing
    assert np.array_equal(array.to_numpy(), values)
    assert np.array_equal(ak.array(values + 1).to_numpy(), values + 1)
    assert channel.resumed > 0


def test_upload_beyond_the_quota_is_a_memory_error(server):
    ak.shutdown()
    with ak.connect(server, quota=PIECE):
        with pytest.raises(MemoryError, match="quota"):
            ak.array(np.ones(PIECE))
        assert ak.arange(4).sum() == 6


@pytest.mark.parametrize("slot", [(2, 10), (-1, 10), (0, SLOT + 1), (0, -1)])
def test_slots_outside_of_the_memory_are_errors(server, slot):
    ak.shutdown()
    with ak.connect(server) as session:
        x = ak.arange(PIECE) + 0
        assert x.sum() > 0
        with pytest.raises(ValueError, match=r"no .* bytes in slot"):
            session._core.call(NUMBERS["fetch"], (x._expr, 0, *slot))
        with pytest.raises(ValueError, match="has no bytes"):
            session._core.call(NUMBERS["fetch"], (x._expr, 8 * PIECE - 9, 0, 10))
        assert x[3] == 3


def test_role_read_stores_nothing(server):
    ak.shutdown()
    with ak.connect(server) as session:
        ak.publish("to_read", ak.arange(PIECE), replace=True)
        with ak.connect(server, role="read") as reader:
            found = ak.attach("to_read")
            assert np.array_equal(found.to_numpy(), np.arange(PIECE))
            for name, args in (("store", (0, 0, 8)), ("upload", (0, np.zeros(8, np.uint8)))):
                with pytest.raises(PermissionError, match="needs the role compute"):
                    reader._core.call(NUMBERS[name], (found._expr, *args))
        assert session.pes == 3
        ak.unpublish("to_read")


def test_client_cannot_change_the_size_of_the_memory():
    ours, theirs = socket.socketpair()
    made = TransferMemory.make()
    with ours, theirs:
        made.send(ours)
        found = TransferMemory.receive(theirs)
        for size in (0, 4 * SLOT):
            with pytest.raises(PermissionError):
                os.ftruncate(found._descriptor, size)
        found.slot(1, 3)[:] = [1, 2, 3]
        assert made.slot(1, 3).tolist() == [1, 2, 3]
        found.close()
        made.close()


def test_memory_that_is_not_sealed_is_refused():
    ours, theirs = socket.socketpair()
    descriptor = os.memfd_create("unsealed")
    os.ftruncate(descriptor, mmap.PAGESIZE)
    with ours, theirs:
        socket.send_fds(ours, [b"\0"], [descriptor])
        os.close(descriptor)
        with pytest.raises(ConnectionResetError, match="no sealed memory"):
            TransferMemory.receive(theirs)
