# SPDX-License-Identifier: Apache-2.0
"""Code that Python runs within an array operation, on its thread: it gets an error, and the session stays as it was."""

import pytest
from built import needs_launcher
from test_faults import BEGIN, end, start

KINDS = ["embedded", "driver", pytest.param("spmd", marks=needs_launcher)]

WITHIN = (
    BEGIN
    + """
import logging, pickle, signal, sys, time, weakref
from operator import attrgetter
from atoll import _core
from atoll.session import everywhere

a = ak.arange(3000).evaluate()
seen = []

def attempt(*_):
    "An operation where there must be none."
    zeros = lambda: ak.zeros(5).evaluate()
    for use in (a.sum, lambda: ak.sort(a), lambda: (a + 1).evaluate(), ak.barrier, ak.shutdown, zeros):
        try:
            use()
        except RuntimeError as error:
            assert "inside another one" in str(error), error
            seen.append(error)
        else:
            raise AssertionError(f"no error of {use}")
"""
)

WAYS = {
    "signal handler": """
signal.signal(signal.SIGUSR1, attempt)
def happens(): os.kill(os.getpid(), signal.SIGUSR1); time.sleep(0.01)
""",
    "finalizer": """
class Dies:
    def __del__(self): attempt()
def happens(): Dies()
""",
    "weakref callback": """
class Thing: pass
def happens():
    thing = Thing()
    held = weakref.ref(thing, attempt)
    del thing
""",
    "logging handler": """
class Handler(logging.Handler):
    def emit(self, record): attempt()
logging.getLogger("t").addHandler(Handler())
def happens(): logging.getLogger("t").warning("now")
""",
    "tracing function": """
def trace(frame, event, argument):
    if event == "call" and frame.f_code.co_name == "traced": attempt()
def traced(): pass
def happens():
    sys.settrace(trace)
    try: traced()
    finally: sys.settrace(None)
""",
    "profiling function": """
def profile(frame, event, argument):
    if event == "call" and frame.f_code.co_name == "traced": attempt()
def traced(): pass
def happens():
    sys.setprofile(profile)
    try: traced()
    finally: sys.setprofile(None)
""",
}

#: The program of this process runs within an operation; workers of a driver answer as always.
CHECK = """
def answer(request, landing):
    happens()
    return b"\\0" + pickle.dumps(0)
seen.clear()
_core.set_program(answer)
_core.run_everywhere(session._core, pickle.dumps((sys.path, False, pickle.dumps((attrgetter("pe"), ())))), [], [], [])
_core.set_program(everywhere.answer)
assert len(seen) == 6, ("WAY", seen)
assert not session.failed and not session.closed
assert a.sum() == 4498500 and ak.sort(-a)[0] == -2999
"""


@pytest.mark.parametrize("kind", KINDS)
def test_an_operation_within_an_operation_is_refused(kind):
    code = (
        WITHIN
        + "".join(text + CHECK.replace("WAY", way) for way, text in WAYS.items())
        + 'print("intact", flush=True)\n'
    )
    status, output, errors = end(start(kind, code, pes=2))
    assert (status, errors) == (0, ""), errors
    assert output == "intact\n" * (2 if kind == "spmd" else 1)


LONG = (
    BEGIN
    + """
import signal, time
big = ak.random.default_rng(1).random(1_000_000).evaluate()
caught, done = [], []
def handler(*_):
    try:
        big.sum()
        done.append(1)
    except RuntimeError as error:
        assert "inside another one" in str(error), error
        caught.append(1)
signal.signal(signal.SIGALRM, handler)
while not caught:  # signals are delivered every 50 ms of an operation, so the operation grows until it takes that long
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    ak.sort(big).sum()
    signal.setitimer(signal.ITIMER_REAL, 0)
    if big.size < 64_000_000: big = ak.concatenate([big, big]).evaluate()
assert abs(float(big.mean()) - 0.5) < 0.01
print("intact", flush=True)
"""
)


@pytest.mark.parametrize("kind", ["embedded", "driver"])
def test_a_signal_handler_within_a_long_operation_is_refused(kind):
    status, output, errors = end(start(kind, LONG, pes=2), within_s=60)
    assert (status, errors, output) == (0, "", "intact\n")


DROPS = (
    BEGIN
    + """
import gc, pickle, signal, sys, threading
from atoll import _core
a = ak.arange(100_000).evaluate()
class Cycle:
    def __init__(self): self.me, self.array = self, ak.arange(50_000).evaluate()
def answer(request, landing):
    cycles.clear()
    gc.collect()
    return b"\\0" + pickle.dumps(0)
from atoll.session import everywhere
from operator import attrgetter
for round in range(20):
    cycles = [Cycle() for _ in range(5)]
    _core.set_program(answer)
    call = pickle.dumps((attrgetter("pe"), ()))
    _core.run_everywhere(session._core, pickle.dumps((sys.path, False, call)), [], [], [])
    _core.set_program(everywhere.answer)
    assert a.sum() == 4999950000
    if round == 5: before = ak.stats()["memory_in_use"]
assert ak.stats()["memory_in_use"] == before
print("intact", flush=True)
"""
)


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_are_dropped_within_an_operation(kind):
    status, output, errors = end(start(kind, DROPS, pes=2))
    assert (status, errors) == (0, "")
    assert output == "intact\n" * (2 if kind == "spmd" else 1)


THREADS = (
    BEGIN
    + """
import sys, threading
sys.setswitchinterval(1e-5)
a = ak.arange(20_000).evaluate()
failures = []
def work(number):
    try:
        for _ in range(30):
            assert (a + number).sum() == 199990000 + 20_000 * number
            assert ak.sort(-a)[0] == -19_999
            assert a[5] == 5 and a[a > 19_990].size == 9
    except BaseException as error:
        failures.append(error)
threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for one in threads: one.start()
for one in threads: one.join()
assert not failures, failures
print("intact")
"""
)


@pytest.mark.parametrize("kind", ["embedded", "driver"])
def test_threads_take_turns(kind):
    assert end(start(kind, THREADS, pes=2)) == (0, "intact\n", "")
