# SPDX-License-Identifier: Apache-2.0
"""Starting, ending and mixing sessions."""

import os
import subprocess
import sys

import numpy as np
import pytest
from oracle import same

import atoll as ak
from atoll.session import worker


@pytest.fixture(autouse=True)
def fresh():
    ak.shutdown()
    yield
    ak.shutdown()


def test_starts_itself():
    assert ak.arange(3).sum() == 3
    assert (ak.pe(), ak.pes()) == (0, 1)
    assert ak.threads() >= 1
    assert ak.get_config()["kind"] == "embedded"
    stats = ak.stats()
    assert {"memory_in_use", "memory_peak", "bytes_put", "bytes_got", "commands"} <= stats.keys()
    ak.barrier()


@pytest.mark.parametrize("pes", [1, 2, 3])
def test_context_manager(pes):
    with ak.init(pes, 1) as session:
        assert (session.pes, session.threads, session.pe, session.closed) == (pes, 1, 0, False)
        assert session.kind == ("embedded" if pes == 1 else "driver")
        assert ak.arange(1000).sum() == 499500
        assert "PE 0" in repr(session)
    assert session.closed and "closed" in repr(session)


def test_one_session_at_a_time():
    first = ak.init(threads=1)
    assert ak.init() is first and ak.init(1, 1) is first
    with pytest.raises(RuntimeError, match=r"ak\.shutdown"):
        ak.init(pes=2)
    first.shutdown()
    first.shutdown()


# fmt: off
@pytest.mark.parametrize(("args", "error"), [((0,), ValueError), ((-1,), ValueError), ((1.5,), TypeError),
                                             (("2",), TypeError), ((1, 0), ValueError), ((True,), TypeError)])
def test_bad_arguments(args, error):
    with pytest.raises(error):
        ak.init(*args)


@pytest.mark.parametrize("pes", [1, 2])
def test_use_after_shutdown(pes):
    ak.init(pes, 1)
    a = ak.arange(10) + 1
    b = a[2:4]
    ak.shutdown()
    for call in (lambda: a.sum(), lambda: (a + 1).sum(), lambda: a.to_numpy(), lambda: a[3], lambda: ak.sort(a),
                 lambda: b.sum(), lambda: repr(a), lambda: a.__setitem__(0, 1)):  # fmt: skip
        with pytest.raises(RuntimeError, match=r"\w+ \w+"):
            call()


def test_mixed_sessions():
    ak.init(1, 1)
    a = ak.arange(10).evaluate()
    ak.shutdown()
    ak.init(2, 1)
    b = ak.arange(10)
    calls = [
        *(lambda: (a + b).sum(), lambda: ak.concatenate([a, b]), lambda: ak.coargsort([a, b])),
        *(lambda: b[a], lambda: b[a > 3], lambda: b.__setitem__(a, 1), lambda: b.__setitem__(slice(None), a)),
        *(lambda: ak.isin(b, a), lambda: ak.searchsorted(b, a), lambda: ak.bincount(b, weights=a)),
    ]
    for call in calls:
        with pytest.raises((RuntimeError, ValueError), match=r"\w+ \w+"):
            call()
    same(b, np.arange(10))


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


def test_import_starts_nothing_and_exit_is_clean():
    done = run("import atoll as ak, sys; assert 'rich' not in sys.modules; a = ak.arange(5); print(a.sum())")
    assert (done.returncode, done.stdout, done.stderr) == (0, "10\n", "")
    done = run("import atoll as ak; ak.init(2, 1); a = ak.arange(5); print(a.sum())")
    assert (done.returncode, done.stdout, done.stderr) == (0, "10\n", "")


def test_workers_load_little():
    # 64 of them on two cores start one after the other.
    command = [sys.executable, "-X", "importtime", *worker.command()[1:]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "is not a PE of a job" in done.stderr  # it came as far as to join
    loaded = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "importlib" in loaded
    assert not loaded & {"site", "importlib.util", "contextlib", "collections", "re", "typing", "numpy"}


def test_bad_environment_names_the_variable():
    for name, value in (("ATOLL_THREADS", "many"), ("ATOLL_GRAIN", "0"), ("ATOLL_PROGRESS", "perhaps")):
        done = run("import atoll as ak; ak.arange(3).sum()", **{name: value})
        assert done.returncode != 0
        assert name in done.stderr and value in done.stderr and "Accepted" in done.stderr


@pytest.mark.parametrize("pes", [1, 2])
def test_arrays_may_be_dropped_after_the_session(pes):
    code = f"""
import atoll as ak, numpy as np
ak.init({pes}, 1)
a = ak.array([2, 1, 2, 1])
held = [a, a + 1, a[1:], a.T, ak.sort(a), ak.argsort(a), *ak.unique(a, True, True, True), a[a > 1], a[[0, 1]]]
held += [ak.cumsum(a), ak.bincount(a), *ak.histogram(a), ak.asarray(np.zeros(3)), a.to_numpy(copy=None)]
held += [ak.isin(a, a), ak.zeros(3) + 1]
for one in held[:5]:
    one.sum()
ak.shutdown()
while held:
    del held[0]
print("alive")
"""
    done = run(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "alive\n", "")
