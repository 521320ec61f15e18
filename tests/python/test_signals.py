# SPDX-License-Identifier: Apache-2.0
"""Signal handlers run while another library works, however long it takes: what they raise ends the wait for it.

In each test the library's function sends a signal to its process, and does not return until the test has ended.
"""

import os
import signal
import threading

import numpy as np
import pytest

import atoll as ak
from atoll.session.interruptible import interruptible

LONGEST = 60  # seconds that a function waits for its test's end: then signals were not handled, and the test fails


@pytest.fixture(scope="module", autouse=True)
def session():
    ak.shutdown()
    with ak.init(1, 1) as running:
        yield running


@pytest.fixture
def stuck(monkeypatch):
    """`stuck(owner, name)`: the first call of that function sends SIGINT, and does not return before the test ends."""
    ended, begun, late = threading.Event(), threading.Event(), []

    def stick(owner, name):
        function = getattr(owner, name)

        def call(*args, **options):
            if not begun.is_set():
                begun.set()
                os.kill(os.getpid(), signal.SIGINT)
                if not ended.wait(LONGEST):
                    late.append(name)
                raise AssertionError("this result is dropped")
            return function(*args, **options)

        monkeypatch.setattr(owner, name, call)

    yield stick
    ended.set()
    assert begun.is_set()
    assert not late


def test_a_call_answers_and_raises_what_it_would_alone():
    assert interruptible(divmod, 7, 2) == (3, 1)
    assert interruptible(int, "11", base=2) == 3
    with pytest.raises(ZeroDivisionError):
        interruptible(divmod, 1, 0)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        interruptible(np.divide, np.ones(3), np.zeros(3))


def test_a_call_of_another_thread_is_direct():
    found = []
    thread = threading.Thread(target=lambda: found.append(interruptible(threading.get_ident)))
    thread.start()
    thread.join()
    assert found == [thread.ident]


LAPACK = {
    "cholesky": lambda a: ak.linalg.cholesky(a @ a.T),
    "solve": lambda a: ak.linalg.solve(a, a),
    "inv": ak.linalg.inv,
    "det": ak.linalg.det,
    "slogdet": ak.linalg.slogdet,
    "eigh": ak.linalg.eigh,
    "eigvalsh": ak.linalg.eigvalsh,
    "eig": ak.linalg.eig,
    "eigvals": ak.linalg.eigvals,
    "tensorinv": lambda a: ak.linalg.tensorinv(a, 1),
    "tensorsolve": lambda a: ak.linalg.tensorsolve(a, a[0]),
    "qr": ak.linalg.qr,
    "svd": ak.linalg.svd,
    "cond": ak.linalg.cond,
    "matrix_rank": ak.linalg.matrix_rank,
    "pinv": ak.linalg.pinv,
    "lstsq": lambda a: ak.linalg.lstsq(a, a[0]),
}


@pytest.mark.parametrize("name", LAPACK)
def test_lapack(stuck, name):
    a = ak.eye(170) + ak.random.default_rng(1).random((170, 170)) / 1000
    a.evaluate()
    stuck(np.linalg, name)
    with pytest.raises(KeyboardInterrupt):
        LAPACK[name](a)
    assert int(ak.arange(10).sum()) == 45


def test_roots_of_a_polynomial(stuck):
    stuck(np, "roots")
    with pytest.raises(KeyboardInterrupt):
        ak.roots(ak.arange(1000))


def test_factors_of_blocks_of_a_tall_matrix(stuck):
    a = ak.zeros((1 << 14, 8))
    a[0] = 1  # columns that are alike, whose products have no factor
    stuck(np.linalg, "qr")
    with pytest.raises(KeyboardInterrupt):
        ak.linalg.qr(a)


def test_lapack_within_the_memory_limit():
    with pytest.raises(MemoryError, match=r"matrices of \d+ bytes and LAPACK's copies"):
        ak.linalg.inv(ak.broadcast_to(1.0, (1 << 20, 1 << 20)))
    with pytest.raises(MemoryError, match="vectors that make up matrices of 1048576 rows"):
        ak.linalg.qr(ak.ones((1 << 20, 2)), mode="complete")
