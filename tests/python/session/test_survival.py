# SPDX-License-Identifier: Apache-2.0
"""Driver sessions that go on when workers have died: what their arrays hold afterwards."""

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
import warnings

import everywhere_programs as programs
import numpy as np
import pytest

import atoll as ak
from atoll.session.everywhere import everywhere, everywhere_reading
from atoll.session.recovery import sentence


@pytest.fixture
def start():
    """Starts protected sessions, in the place of the one that tests share."""
    ak.shutdown()

    def begin(pes=3):
        return ak.init(pes, 1, resilience="process")

    yield begin
    ak.shutdown()


def kill(session, *pes):
    """Kills workers and waits until the driver has noticed, so that the next operation meets the death."""
    pids = session._core.pids()
    for pe in pes:
        os.kill(pids[pe - 1], signal.SIGKILL)
    for pe in pes:
        while os.path.exists(f"/proc/{pids[pe - 1]}"):  # it is a child of this process, which reaps it
            time.sleep(0.001)


def test_arrays_survive_the_death_of_a_worker(start):
    session = start()
    large, small = ak.arange(1_000_000).evaluate(), ak.arange(100).evaluate()
    kill(session, 2)
    with pytest.warns(RuntimeWarning, match=r"PE 2 \(pid \d+\) was killed by signal 9.*adopted.*PE 2.*It took"):
        assert large.sum() == 499999500000
    assert np.array_equal(small.to_numpy(), np.arange(100))
    assert np.array_equal((large * 2 + 1).to_numpy(), np.arange(1_000_000) * 2 + 1)
    assert len(session.recoveries) == 1 and not session.failed and "1 so far" in repr(session)
    assert "<th>survives</th><td>deaths of workers (1 so far)</td>" in session._repr_html_()


def test_the_warning_points_at_the_line_that_met_the_death(start):
    session = start()
    a = ak.arange(1000).evaluate()
    kill(session, 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        a.sum()
    assert [one.filename for one in caught] == [__file__]


def test_the_warning_counts_one_thing_in_the_singular():
    report = {"cause": "PE 1 was killed", "pes": [1, 1], "bytes": 8_000_000, "seconds": 0.25}
    assert sentence({**report, "arrays": 1, "repeated": 1, "lost": 1}) == (
        "PE 1 was killed. A new process adopted the memory of PE 1 (1 array, 8 MB); 1 earlier operation was repeated, "
        "and this one. 1 array could not be made again and cannot be used (PeFailedError). It took 0.25 s"
    )
    assert sentence({**report, "arrays": 2, "repeated": 0, "lost": 0}) == (
        "PE 1 was killed. A new process adopted the memory of PE 1 (2 arrays, 8 MB); 0 earlier operations were "
        "repeated, and this one. It took 0.25 s"
    )


def test_two_workers_die_at_once(start):
    session = start(4)
    a = ak.random.uniform(size=200_000, seed=3).evaluate()
    expected = a.to_numpy()
    kill(session, 1, 3)
    with pytest.warns(RuntimeWarning, match="PEs 1 and 3"):
        assert np.array_equal(ak.sort(a).to_numpy(), np.sort(expected))
    assert np.array_equal(a.to_numpy(), expected)


@pytest.mark.slow
def test_a_worker_dies_again_and_again(start):
    session = start()
    a = ak.arange(300_000).evaluate()
    for round_ in range(1, 4):
        kill(session, 1 + round_ % 2)
        with pytest.warns(RuntimeWarning):
            a[:] = a + 1
        assert np.array_equal(a.to_numpy(), np.arange(300_000) + round_)
    assert len(session.recoveries) == 3


def test_operations_behind_the_driver_are_repeated(start):
    """The driver returns from elementwise operations when its own rows are done: workers may still be at theirs."""
    session = start(2)
    a = ak.arange(4_000_000).evaluate()
    for _ in range(3):
        b = (a + 1).evaluate()
        c = (b * 2).evaluate()
        os.kill(session._core.pids()[0], signal.SIGKILL)
        del b
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            assert c.sum() == 4_000_000 * 4_000_001
            assert a.sum() == 4_000_000 * 3_999_999 // 2
    assert len(session.recoveries) >= 2  # the last death may be noticed after the last sum


def test_columns_and_frames_survive(start):
    session = start()
    words = ak.strings([f"word {i % 7}" for i in range(1000)])
    frame = ak.DataFrame({"key": ak.arange(1000) % 5, "word": words, "value": ak.arange(1000) * 0.5})
    expected = frame.groupby("key")["value"].sum().to_pandas()
    kill(session, 2)
    with pytest.warns(RuntimeWarning):
        found = frame.groupby("key")["value"].sum().to_pandas()
    assert found.equals(expected)
    assert words.to_list() == [f"word {i % 7}" for i in range(1000)]
    assert frame["word"].to_list()[:3] == ["word 0", "word 1", "word 2"]


def test_an_in_place_sum_is_not_added_twice(start):
    session = start()
    a = ak.zeros(10_000, dtype="int64").evaluate()
    at = ak.arange(10_000) % 100
    kill(session, 2)
    with pytest.warns(RuntimeWarning):
        ak.add.at(a, at, 1)
    assert np.array_equal(a.to_numpy()[:100], np.full(100, 100)) and a.sum() == 10_000


def test_errors_of_operations_stay_errors(start):
    session = start()
    a = ak.arange(10).evaluate()
    kill(session, 1)
    with pytest.warns(RuntimeWarning), pytest.raises(IndexError):
        a[ak.array([99])]
    assert a.sum() == 45


@pytest.mark.slow
def test_sessions_that_are_not_protected_end_as_before():
    ak.shutdown()
    session = ak.init(3, 1)
    assert session.resilience == "off" and session.recoveries == []
    a = ak.arange(1000).evaluate()
    kill(session, 1)
    with pytest.raises(ak.PeFailedError, match="PE 1"):
        ak.sort(a)
    ak.shutdown()


def test_functions_that_only_read_are_called_again(start, tmp_path):
    start(2)
    with pytest.warns(RuntimeWarning, match="PE 1"):
        assert everywhere_reading(programs.die_once_on, 1, str(tmp_path / "died")) == [0, 1]


def test_unknown_levels_are_refused():
    with pytest.raises(ValueError, match="'off', 'process'"):
        ak.init(resilience="parity")


def test_a_drill_kills_a_worker(start):
    session = start()
    a = ak.arange(1000).evaluate()
    before = session._core.pids()[1]
    ak.testing.fail(2)
    while os.path.exists(f"/proc/{before}"):
        time.sleep(0.001)
    with pytest.warns(RuntimeWarning):
        assert a.sum() == 499500
    with pytest.raises(ValueError, match="no worker PE 3"):
        ak.testing.fail(3)


def test_a_python_function_on_all_pes_is_not_repeated(start, tmp_path):
    session = start()
    a = ak.arange(1000).evaluate()
    with (
        pytest.warns(RuntimeWarning),
        pytest.raises(ak.PeFailedError, match=r"PE 2 .* killed by signal 9.*not repeated.*All arrays are as before"),
    ):
        everywhere(programs.die_on, 2, str(tmp_path / "ran"))
    assert (tmp_path / "ran").read_text() == "once"
    assert a.sum() == 499500 and everywhere(programs.own_pe) == [0, 1, 2] and not session.failed


@pytest.mark.slow
def test_a_file_is_read_again(start, tmp_path):
    session = start()
    ak.DataFrame({"x": ak.arange(1000)}).to_parquet(tmp_path / "a.parquet")
    kill(session, 1)
    with pytest.warns(RuntimeWarning):
        assert ak.read_parquet(tmp_path / "a.parquet")["x"].sum() == 499500


STOPPED = """
import os, signal, warnings
import atoll as ak
session = ak.init(3, 1, resilience="process")
a = ak.arange(1000).evaluate()
ak.barrier()
os.kill(session._core.pids()[0], signal.SIGSTOP)
try:
    ak.sort(a)
except TimeoutError as error:
    assert "PE 1 (stopped)" in str(error), error
else:
    raise AssertionError("no error")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert a.sum() == 499500
assert len(caught) == 1
print(ak.sort(-a)[0], len(session.recoveries))
"""


def test_a_stopped_worker_is_an_error_once(start):
    environment = {**os.environ, "ATOLL_PEER_TIMEOUT": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", STOPPED], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "-999 1\n", "")


@pytest.mark.slow
def test_a_death_while_a_file_is_written_leaves_the_old_or_the_new_one(start, tmp_path):
    session = start()
    path = tmp_path / "a.parquet"
    old, new = ak.DataFrame({"x": ak.arange(300_000)}), ak.DataFrame({"x": ak.arange(300_000) + 1})
    choice = random.Random(5)
    for _ in range(20):
        old.to_parquet(path)
        recoveries = len(session.recoveries)
        ak.testing.fail(choice.choice([1, 2]), after=choice.random() * 0.1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                new.to_parquet(path)
                written = True
            except ak.PeFailedError:
                written = False
            while len(session.recoveries) == recoveries:  # the worker may die after the write
                ak.barrier()
            found = ak.read_parquet(path)["x"].to_numpy()
        assert np.array_equal(found, np.arange(300_000) + written)
        assert os.listdir(tmp_path) == ["a.parquet"]
    assert not session.failed


@pytest.mark.slow
def test_a_worker_that_a_limit_kills_is_replaced(start):
    session = start()
    a = ak.random.uniform(size=5_000_000, seed=1).evaluate()
    expected = ak.sort(a).to_numpy()
    resource.prlimit(session._core.pids()[1], resource.RLIMIT_CPU, (1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for _ in range(500):
            assert np.array_equal(ak.sort(a).to_numpy(), expected)
            if session.recoveries:
                break
    assert "was killed by signal" in session.recoveries[0]["cause"]


def program(seed, operations):
    """Random operations on arrays; returns what they hold in the end. A function of its arguments alone."""
    choice = random.Random(seed)
    size = choice.choice([10, 1000, 20_000])
    arrays = [ak.random.randint(0, 1000, size=size, seed=seed + i) for i in range(3)]
    for _ in range(operations):
        a, b = choice.choice(arrays), choice.choice(arrays)
        what = choice.randrange(9)
        if what == 0:
            new = (a * 3 + b) % 1009
        elif what == 1:
            new = ak.sort(a)
        elif what == 2:
            new = a[ak.argsort(b)]
        elif what == 3:
            new = ak.cumsum(a) % 1009
        elif what == 4:
            new = a.copy()
            new[a > 500] = 7
        elif what == 5:
            new = ak.where(a > b, a, b)[::-1]
        elif what == 6:
            new = a.copy()
            new[: size // 2] = b[size - size // 2 :]
        elif what == 7:
            new = a.copy()
            ak.add.at(new, b % size, a)
            new %= 1009
        else:
            new = (a + int(b.max())) % 1009
        arrays[choice.randrange(3)] = new
    return [one.to_numpy() for one in arrays]


def run_with_kills(seed, pes, begin, operations):
    """Compares an undisturbed run with one in which workers die at random times."""
    choice = random.Random(f"kills {seed}")
    session = begin(pes)
    began = time.monotonic()
    expected = program(seed, operations)
    usual_s = time.monotonic() - began
    ends = threading.Event()

    def killer():
        for _ in range(choice.randrange(1, 4)):
            if ends.wait(choice.random() * usual_s * 0.7):
                return
            pid = choice.choice(session._core.pids())
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                if pid > 0:
                    os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=killer)
    thread.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            found = program(seed, operations)
    finally:
        ends.set()
        thread.join()
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other), f"seed {seed}"
    ak.shutdown()


@pytest.mark.parametrize("pes", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_random_programs_give_the_same_with_kills(start, pes):
    run_with_kills(pes, pes, start, operations=12)


@pytest.mark.slow
@pytest.mark.parametrize("pes", [3, 5])
@pytest.mark.parametrize("block", range(10))
def test_many_random_programs_give_the_same_with_kills(start, pes, block):
    for seed in range(100 + 10 * block, 110 + 10 * block):
        run_with_kills(seed, pes, start, operations=60)
