# SPDX-License-Identifier: Apache-2.0
"""An interrupt of a driver ends an operation also while only other PEs still work on it.

A worker is held in the middle of its work until the driver is interrupted, which then waits for the worker. So these
tests do not depend on how long anything takes.
"""

import os
import signal
import threading

import everywhere_programs
import numpy as np
import pytest
import test_interrupts
from oracle import same

import atoll as ak
import atoll.pandas as pd
from atoll.session.everywhere import everywhere

PES, HELD = 3, 1

#: Operations of test_interrupts.py that `make test` tries; the slow tests try all.
SOME = {"sort", "index by rows", "groupby of many", "join of large tables", "matmul", "str.replace"}
#: With so few rows their longest kernels take less than 1 ms, which is not worth an agreement of all PEs
#: (`Engine::interruptibly`): workers end them, and leave the operation at its next agreement.
SHORT = {"groupby by texts", "groupby cumsum", "join by texts", "slice with a step", "str.numbers", "str.ranks"}


@pytest.fixture(scope="module", autouse=True)
def session():
    ak.shutdown()
    test_interrupts.data.cache_clear()
    with ak.init(PES, 1) as running:
        yield running
    test_interrupts.data.cache_clear()


FILES = {
    "read CSV": lambda path: pd.read_csv(path / "f.csv"),
    "read Parquet": lambda path: pd.read_parquet(path / "f.parquet"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, session):
    path = tmp_path_factory.mktemp("files")
    rows = 1 << 18
    words = ak.array([f"word {number}" for number in range(1000)]).take(ak.arange(rows) % 1000)
    frame = pd.DataFrame({"a": ak.arange(rows), "b": ak.arange(rows) / 7, "t": words})
    frame.to_csv(path / "f.csv", index=False)
    frame.to_parquet(path / "f.parquet")
    return path


def end_while_a_worker_is_held(session, tmp_path, run):
    mark = tmp_path / "held"
    everywhere(everywhere_programs.watch_looks, HELD, 0, "")
    run()
    seen, _, _ = everywhere(everywhere_programs.looks, HELD)[HELD]
    assert seen > 0, "the worker does not look for an interrupt"

    interrupted = []

    def interrupt(operation):
        if mark.exists() and not interrupted:
            interrupted.append(operation)
            raise KeyboardInterrupt(operation)

    everywhere(everywhere_programs.watch_looks, HELD, (seen + 1) // 2, str(mark))
    session._core.watch_every_poll(interrupt, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            run()
    finally:
        session._core.watch_every_poll(None)
        _, after, late = everywhere(everywhere_programs.looks, HELD)[HELD]
    assert not late
    return seen, after


def check(session, tmp_path, run):
    d = test_interrupts.d
    before = int(d.i.sum()), d.t[::1000].to_list()
    _, after = end_while_a_worker_is_held(session, tmp_path, run)
    assert after <= 1  # it left at once
    assert (int(d.i.sum()), d.t[::1000].to_list()) == before
    same(ak.arange(10) + 1, np.arange(1, 11))


CASES = [(case.id, case.values[0]) for case in test_interrupts.CASES]


@pytest.mark.parametrize("run", [pytest.param(run, id=name) for name, run in CASES if name in SOME])
def test_workers_leave_an_operation(session, tmp_path, run):
    check(session, tmp_path, run)


@pytest.mark.slow
@pytest.mark.parametrize("run", [pytest.param(run, id=name) for name, run in CASES if name not in SOME | SHORT])
def test_workers_leave_any_operation(session, tmp_path, run):
    check(session, tmp_path, run)


@pytest.mark.parametrize("name", FILES)
def test_workers_leave_a_reader(session, folder, tmp_path, name):
    check(session, tmp_path, lambda: FILES[name](folder))


def test_workers_leave_python_code(session, tmp_path):
    """As readers and writers run it, some in libraries that know nothing of interrupts."""
    mark, ended = tmp_path / "held", tmp_path / "ended"
    done = threading.Event()

    def interrupt():
        while not done.wait(0.001):
            if mark.exists():
                os.kill(os.getpid(), signal.SIGINT)
                return

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            everywhere(everywhere_programs.work_until_interrupted, HELD, str(mark), str(ended))
    finally:
        done.set()
        thread.join()
    assert ended.exists()
    assert everywhere(everywhere_programs.answer, 5) == [(pe, 5) for pe in range(PES)]
