# SPDX-License-Identifier: Apache-2.0
"""Interrupts, lack of memory, and threads of the caller leave all arrays unchanged."""

import signal
import threading

import numpy as np
import pytest
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")


def test_oversized_results_raise_before_any_change():
    a, rng = ak.arange(1000).evaluate(), ak.random.default_rng(1)
    for request in (
        lambda: ak.empty(10**13),
        lambda: ak.zeros(10**12).evaluate(),
        lambda: (ak.arange(10**12) * 2).evaluate(),
        lambda: rng.random(10**12),
        lambda: ak.sort(ak.arange(10**12)),
        lambda: ak.tile(a, 10**10),
        lambda: a[ak.zeros(10**12, int)],
    ):
        with pytest.raises(MemoryError, match=r"[0-9.]+ [GT]iB.*limit"):
            request()
    same(a, np.arange(1000))


@pytest.mark.parametrize("seconds", [0.002, 0.02, 0.05, 0.1])
def test_interrupted_operations_change_nothing(seconds):
    """Ctrl-C while sorting in place: the array is either as it was or sorted."""
    x = np.random.default_rng(3).integers(0, 2**62, 1_000_003)
    a = ak.array(x)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    interrupted = False
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        a.sort()
        a *= 1
        a.evaluate()
    except KeyboardInterrupt:
        interrupted = True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    found = a.to_numpy()
    assert np.array_equal(found, np.sort(x)) or (interrupted and np.array_equal(found, x))
    assert ak.arange(10).sum() == 45


def test_threads_of_the_caller_take_turns():
    shared = ak.arange(2000) * 2
    problems = []

    def work(number):
        try:
            x = np.arange(1000) * number
            a = ak.array(x)
            for step in range(20):
                assert (a + step).sum() == (x + step).sum()
                b = a * 2 + step
                b[3] = 5
                assert b[4] == x[4] * 2 + step and b[3] == 5
                assert ak.sort(a * -1)[0] == -x.max()
                assert (shared + step).max() == 3998 + step
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_a_chain_used_twice_is_computed_once():
    a = ak.arange(1000) * 0.5
    chain = a * 2 + 1
    assert not chain._expr.ready
    chain.sum()
    assert chain._expr.ready
    other = a * 3
    (other + 1).sum()  # a temporary leaves nothing behind
    ak.sum(a - 1)
    assert chain.max() == 1000.0
