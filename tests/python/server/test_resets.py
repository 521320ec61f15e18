# SPDX-License-Identifier: Apache-2.0
"""Three clients at once, whose connections are reset at random bytes, get the answers of NumPy and pandas."""

import contextlib
import multiprocessing
import traceback
from functools import partial
from pathlib import Path

import answers
import fuzz
import numpy as np
import pandas as pd
import pytest
from frame.frames import same as same_frame
from frame.test_pandas_answers import things
from oracle import same
from server.conftest import running_server
from server.cutting_proxy import CuttingProxy

import atoll as ak
import atoll.pandas as akpd
from atoll.serve import server_files

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # the clients use no other thread
_HERE = Path(__file__).parents[1]
_ARRAYS = answers.cases(_HERE / "numpy_answers.txt")
_FRAMES = [
    case for case in answers.cases(_HERE / "frame" / "pandas_answers.txt") if not case.section.endswith("by pandas")
]
_CLIENTS = 3


def _array(case):
    answers.compare(
        lambda: case.evaluate({"m": np, "np": np}),
        lambda: case.evaluate({"m": ak, "np": np}),
        partial(same, ulps=6000 if case.section == "products and sums in range" else 4),
    )


def _frame(case):
    answers.compare(lambda: case.evaluate(things(pd)), lambda: case.evaluate(things(akpd)), same_frame)


def _connected(port, token):
    for _ in range(100):  # the first handshake may be cut, too
        with contextlib.suppress(ConnectionError, TimeoutError):
            return ak.connect(f"127.0.0.1:{port}", token=token)
    raise ConnectionError(f"nothing answers at port {port}")


def _client(number, port, token, every, least, result):
    """Runs its share of the cases, and goes on until its connection has been reset so many times. For a process."""
    found = []
    with _connected(port, token) as session:
        work = [
            *(partial(_array, case) for case in _ARRAYS[number::_CLIENTS][::every]),
            *(partial(_frame, case) for case in _FRAMES[number::_CLIENTS][:: 6 * every]),
        ]
        done = 0
        while work or session.stats()["resumed"] < least:
            step = work.pop() if work else partial(fuzz.check, 1000 * number + done)
            try:
                step()
            except BaseException:  # pytest's own failures, too
                found.append(f"{step}\n{traceback.format_exc()}")
            done += 1
        result.send((done, session.stats()["resumed"], found))


def _run(server, every, cuts, most):
    """Three clients, each of which loses its connection a third of `cuts` times or more."""
    ak.shutdown()
    address = server_files.read(server)
    proxy = CuttingProxy((address.host, address.port), seed=every, most=most)
    fork = multiprocessing.get_context("fork")
    clients, results = [], []
    for number in range(_CLIENTS):
        result, sent = fork.Pipe(duplex=False)
        results.append(result)
        given = number, proxy.port, address.tokens["code"], every, -(-cuts // _CLIENTS), sent
        clients.append(fork.Process(target=_client, args=given))
        clients[-1].start()
        sent.close()  # so that the end of a client ends `recv`
    proxy.start()
    try:
        found = [one.recv() for one in results]
        for one in clients:
            one.join()
            assert one.exitcode == 0
    finally:
        for one in clients:
            one.kill()
            one.join()
        proxy.close()
    failed = [text for _, _, texts in found for text in texts]
    assert not failed, f"{len(failed)} failures, the first ones:\n" + "\n".join(failed[:3])
    assert proxy.cuts >= cuts
    assert sum(resumed for _, resumed, _ in found) >= cuts
    return found


def test_resets_at_random_bytes_change_no_answer(server):
    _run(server, every=200, cuts=12, most=3000)


@pytest.mark.slow
@pytest.mark.parametrize("pes", [1, 3])
def test_all_answers_and_programs_survive_a_hundred_resets(home, pes):
    name = f"cut{pes}"
    with running_server(name, "-n", str(pes), "--grace", "60"):
        found = _run(name, every=1, cuts=300, most=60_000)
    assert sum(done for done, _, _ in found) >= len(_ARRAYS) + len(_FRAMES) // 6
