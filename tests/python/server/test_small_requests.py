# SPDX-License-Identifier: Apache-2.0
"""Small requests that the side engine answers: as the main engine does, all calls or none, beside a long operation."""

import pickle
import random
import subprocess
import threading
import time
from functools import partial
from pathlib import Path

import answers
import numpy as np
import pytest
from oracle import same

import atoll as ak
from atoll import _core
from atoll.serve.activity import Activity
from atoll.serve.client import session as client_session
from atoll.serve.client.connect import target_of
from atoll.serve.client.dispatch import install
from atoll.serve.protocol import HEADER, Header, Role, header_of
from atoll.serve.server.client import Client
from atoll.serve.server.connection import Frame
from atoll.serve.server.names import Names
from atoll.serve.server.side import SMALL, is_small, may_be_long
from atoll.serve.server.small import SmallRequest
from atoll.session import everywhere
from atoll.session import session as sessions

_HERE = Path(__file__).parents[1]
_SECONDS = 120  # for which the long operation waits for the small requests, at most


class _Server:
    """A server in this process, whose requests the side engine or the main engine runs, as `chooses` tells."""

    def __init__(self, chooses):
        self.main, self.side = _core.start_embedded(1), _core.start_embedded(1)
        self.client = Client(self.main, Names(), Role.CODE, {}, 0, Activity())
        self.chooses, self.beside, self.left = chooses, 0, 0  # requests of the side engine and of the main engine

    def answer(self, frame):
        parts = None
        if self.chooses():
            self.client.copies.complete(self.client.handles, self.side)
            self.client.names.copy_to(self.side)
            parts = SmallRequest(self.client, self.side).run(frame)
        if parts is not None:
            self.beside += 1
        else:
            self.left += 1
            self.client.begin(frame)
            while (parts := self.client.go_on()) is None:
                pass
        return parts

    def channel(self, target, request):
        return _Channel(self)


class _Channel:
    """In the place of a connection."""

    memory, round_trips, resumed, answered = None, 0, 0, 0

    def __init__(self, server):
        self.server, self.number, self.parts = server, 0, []
        self.reply = {"pes": 1, "threads": 1, "name": "here", "info": {}, "session": "", "key": ""}

    def send(self, kind, body, bulk, prefix=-1):
        self.number += 1
        size = sum(map(len, bulk))
        data = np.frombuffer(b"".join(bulk), np.uint8) if size else None
        self.parts = self.server.answer(Frame(Header(kind, len(body), size, self.number, self.number - 1), body, data))
        return self.number

    def answer(self, number):
        data = b"".join(bytes(one) for one in self.parts)
        header = header_of(data)
        end = HEADER.size + header.body
        return header, data[HEADER.size : end], np.frombuffer(data, np.uint8)[end:] if header.bulk else None

    def acknowledge(self, number):
        self.answered = number

    def close(self):
        self.server.client.close()


@pytest.fixture
def here(monkeypatch):
    """Starts a session on a server in this process."""
    ak.shutdown()
    started = []

    def start(chooses):
        server = _Server(chooses)
        monkeypatch.setattr(client_session, "Channel", server.channel)
        core = client_session.RemoteSession(target_of("127.0.0.1:1", token="x"))
        install()
        started.append(sessions.adopt(core))
        return server

    yield start
    for one in started:
        one.shutdown()


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_side_engine_gives_the_answers_of_numpy(here, seed):
    rng = random.Random(seed)
    server = here((lambda: True) if seed is None else (lambda: rng.random() < 0.5))
    for case in answers.cases(_HERE / "numpy_answers.txt")[::40]:
        answers.compare(
            lambda case=case: case.evaluate({"m": np, "np": np}),
            lambda case=case: case.evaluate({"m": ak, "np": np}),
            partial(same, ulps=6000 if case.section == "products and sums in range" else 4),
        )
    assert server.beside > 50


@pytest.mark.parametrize("seed", range(4))
def test_arrays_keep_their_values_whichever_engine_changes_them(here, seed):
    rng = random.Random(seed)
    server = here(lambda: rng.random() < 0.5)
    ours, theirs = [ak.arange(20)], [np.arange(20)]

    def step():
        at = rng.randrange(len(ours))
        match rng.randrange(6):
            case 0:
                ours[at][3:7] = rng.randrange(100)
                theirs[at][3:7] = ours[at][3:7].to_numpy()
            case 1:
                ours.append(ours[at] + 1)
                theirs.append(theirs[at] + 1)
            case 2:
                ours.append(ours[at].copy())
                theirs.append(theirs[at].copy())
            case 3:
                ours[at] += 2
                theirs[at] += 2
            case 4 if len(ours) > 3:
                del ours[at], theirs[at]
            case _:
                other = rng.randrange(len(ours))
                ours[at][ak.array([1, 5])] = ours[other][8:10]
                theirs[at][[1, 5]] = theirs[other][8:10].copy()

    for _ in range(120):
        step()
        assert [one.to_numpy().tolist() for one in ours] == [one.tolist() for one in theirs]
    assert server.beside > 100


def test_request_that_is_not_small_leaves_no_trace_in_the_side_engine(here):
    server = here(lambda: True)
    x = ak.arange(10) + 0
    assert x.sum() == 45
    assert server.left == 0
    copies = server.client.copies
    before = set(copies.numbers())
    with pytest.raises(ValueError, match="zero-size array"):
        ak.zeros(0).min()
    assert server.left == 1
    assert (ak.arange(SMALL + 1) + x[0]).sum() == SMALL * (SMALL + 1) // 2
    left = server.left
    assert left > 1
    assert before <= set(copies.numbers())
    for number in copies.numbers():
        assert copies.find(number).size <= SMALL
    x[0] = 5
    assert x.sum() == 50
    assert server.left == left


def test_outer_sum_of_small_arrays_is_left_to_the_main_engine(here):
    server = here(lambda: True)
    column, row = ak.arange(1000).reshape(1000, 1), ak.arange(1000)
    assert (column + row).sum() == 2 * 1000 * 499500
    assert server.left == 1


def test_memory_of_both_engines_counts(here):
    server = here(lambda: True)
    kept = ak.array(np.ones(1000))
    assert server.left == 0
    assert server.client.used() == 8000
    server.client.quota = 12_000
    with pytest.raises(MemoryError, match="its quota is 12000 bytes"):
        ak.array(np.ones(1000))
    assert server.left == 1
    server.client.quota = 0
    assert kept.sum() == 1000
    server.chooses = lambda: False
    assert kept.sum() == 1000  # moves to the main engine
    assert server.client.used() == 8000


def _hold(session, path):
    """Keeps the engine of a server busy until a file is there."""
    command = ["timeout", str(_SECONDS), "sh", "-c", f"until test -e {path}; do sleep 0.01; done"]
    call = pickle.dumps((everywhere._on_first, (subprocess.call, command)))
    _core.run_everywhere(session._core, pickle.dumps(([], False, call)), [], [], [])


def _running(name):
    return target_of(name).control({"purpose": "status"})["running"]


def test_small_requests_are_answered_during_a_long_operation(server, tmp_path):
    ak.shutdown()
    done = tmp_path / "done"
    with ak.connect(server) as other:
        ak.publish("small", ak.array([4, 5]))
        ak.publish("frame", ak.DataFrame({"text": ["b", None, "é"], "n": [1, 2, 3]}), replace=True)
        with ak.connect(server):
            x, words = ak.arange(1000) + 1, ak.array(["b", "a", "b"])
            assert x.sum() == 500500
            thread = threading.Thread(target=_hold, args=(other, done))
            thread.start()
            try:
                while _running(server) != "run_everywhere" and thread.is_alive():
                    time.sleep(0.005)
                assert x.sum() == 500500
                x[0] = 10
                assert (x * 2).to_numpy()[:2].tolist() == [20, 4]
                assert ak.sort(words).to_list() == ["a", "b", "b"]
                assert "small" in ak.published()
                assert ak.attach("small").sum() == 9
                assert ak.attach("frame")["text"].to_list()[2] == "é"
                with ak.connect(server):  # a client that comes meanwhile
                    drawn = ak.random.default_rng(3).random(100).to_numpy()
                assert _running(server) == "run_everywhere"
            finally:
                done.touch()
                thread.join()
            assert np.array_equal(ak.random.default_rng(3).random(100).to_numpy(), drawn)
            assert x.sum() == 500509
            assert (x + ak.arange(1000)).sum() == 500509 + 499500
        ak.unpublish("small")
        ak.unpublish("frame")


@pytest.mark.parametrize("shape", [[[0] * 5, 1 << 20, 1 << 20], ["a", 1 << 40], 3, [-1], [1 << 62, 0], [2] * 65, None])
def test_size_of_an_argument_that_is_no_shape_takes_no_memory(shape):
    assert not is_small("random", [None, "uniform", shape])
    assert not is_small("empty", [None])
    assert is_small("random", [None, "uniform", [2, 1 << 10]])


def test_pieces_of_arrays_that_are_there_call_no_deputy(here):
    array = ak.ones(1_000_000)
    lazy = (array + 1)._expr
    array.evaluate()
    assert not may_be_long("fetch", [array._expr, 0, 0, 8])
    assert may_be_long("fetch", [lazy, 0, 0, 8])  # its elements are computed first
    assert not may_be_long("fetch", [])
