# SPDX-License-Identifier: Apache-2.0
"""A loop of all PEs in which some die: what it keeps must be that of an undisturbed run.

    survivors.py FOLDER STEPS [PE:STEP[:PLACE]]...

PE dies in STEP: at its begin, between two assignments ("middle"), at its end, or ("random") at some time after its
begin. FOLDER remembers which deaths have happened.
"""

import os
import random
import signal
import sys
import threading

import numpy as np

import atoll as ak

folder, steps = sys.argv[1], int(sys.argv[2])
deaths = [(one + ":begin").split(":")[:3] for one in sys.argv[3:]]
session = ak.init(resilience="process")
pe = session.pe
rows = 50_000


timers = []


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def perhaps_die(step, place):
    for at, (victim, when, where) in enumerate(deaths):
        if (int(victim), int(when)) != (pe, step) or (where != place and (where, place) != ("random", "begin")):
            continue
        try:
            os.close(os.open(os.path.join(folder, f"{at}"), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        if where == "random":
            timer = threading.Timer(random.Random(f"{deaths} {at}").random() * 0.1, die)
            timer.daemon = True
            timer.start()
            timers.append(timer)
        else:
            die()


def initial():
    return np.arange(rows) * 0.25


def changed(step, lib, state):
    """One step with NumPy's names: new arrays, and arrays that change in place."""
    x, table, wave = state["x"], state["table"], state["wave"]
    yield
    table[::2] = table[::2] * 2 + step
    yield
    state["x"] = lib.sort(x * -0.5 + step)
    table[1] = 7 * step
    state["wave"] = wave * 1j + step
    state["total"] = state["total"] + float(state["x"][step] + table[4])


def begin(lib):
    return {
        "x": lib.array(initial()), "table": lib.ones(3000), "wave": lib.full(10, 1 + 2j), "total": 0.0, "name": "kept",
    }  # fmt: skip


in_place = ak.ones(3000)
state = {
    "x": lambda: ak.array(initial()), "table": in_place, "wave": lambda: ak.full(10, 1 + 2j), "total": 0.0,
    "name": "kept",
}  # fmt: skip
recoveries = 0
while True:
    try:
        for step in ak.steps(steps, keep=state):
            perhaps_die(step, "begin")
            for _ in changed(step, ak, state):
                perhaps_die(step, "middle")
            perhaps_die(step, "end")
        for timer in timers:  # what follows survives nothing
            timer.cancel()
        ak.barrier()
        break
    except ak.PeFailedError:
        report = ak.recover()
        recoveries += 1
        assert report["pes"] and "killed by signal 9" in report["cause"], report

expected = begin(np)
for step in range(steps):
    for _ in changed(step, np, expected):
        pass
assert in_place is state["table"], "an array that was passed is replaced"
for name in ("x", "table", "wave"):
    assert np.array_equal(state[name].to_numpy(), expected[name]), name
assert state["total"] == expected["total"] and state["name"] == "kept"
assert session.pe == ak.pe() == pe and not session.failed
print(f"PE {pe} of {session.pes} recovered {recoveries} times: {len(session.recoveries)}")
