# SPDX-License-Identifier: Apache-2.0
"""Functions that tests run on every PE."""

import itertools
import os
import signal
import socket
import time
from pathlib import Path

import pyarrow as pa

LONGEST = 60  # seconds that a worker waits for an interrupt: then it was not forwarded, and the test fails


def answer(here, value):
    return here.pe, value


def host_name(here):
    return socket.gethostname()


def sleep_on_last(here, seconds):
    time.sleep(seconds if here.pe == 2 else 0)
    return here.pe


def die_on(here, pe, path):
    """Kills that PE, and notes each run of the PE in a file."""
    if here.pe == pe:
        with open(path, "a") as stream:
            stream.write("once")
        os.kill(os.getpid(), signal.SIGKILL)
    return here.pe


def die_once_on(here, pe, path):
    """Kills that PE in the first call."""
    if not os.path.exists(path):
        die_on(here, pe, path)
    return here.pe


def own_pe(here):
    return here.pe


def plain(value):
    return value + 1


def fail(here, pe):
    if here.pe >= pe:
        raise ZeroDivisionError(f"of PE {here.pe}")


def fail_with_key(here, pe):
    return {}[here.pe] if here.pe == pe else None


class Unsendable(Exception):
    def __reduce__(self):
        raise TypeError("cannot be sent")


def fail_unsendably(here):
    raise Unsendable("no way")


def rows(here):
    numbers, offsets, text = here.rows()
    whole = text.tobytes()
    return numbers.tolist(), [whole[a:b].decode() for a, b in itertools.pairwise(offsets)]


def leave(here, count):
    mine = range(here.pe * count, here.pe * count + count)
    for place in (1, 0):  # chunks in any order
        some = mine[2:] if place else mine[:2]
        here.add(0, place, pa.array([None if i % 3 == 0 else i / 2 for i in some], pa.float64()))
        here.add(1, place, pa.array([i % 2 == 0 for i in [0, *some]])[1:])
        here.add(2, place, pa.array([None if i % 4 == 0 else f"ä{i}" for i in some], pa.string()))
    return here.pe


def leave_one(here, array):
    here.add(0, 0, array)


class Looks:
    """Counts a worker's looks for an interrupt; holds it at one of them until the driver's user interrupts.

    `mark` is a file that is there while the worker is held.
    """

    now: "Looks"

    def __init__(self, here, at=0, mark=""):
        self.here, self.at, self.mark = here, at, mark
        self.seen, self.after, self.late = 0, 0, False

    def __call__(self, operation):
        if self.seen > self.at > 0:
            self.after += 1
        self.seen += 1
        if self.seen == self.at:
            Path(self.mark).touch()
            self.late = not held(self.here)


def held(here):
    """Waits until the operation is interrupted; False when it is not for a long time."""
    end = time.monotonic() + LONGEST
    while not here.interrupted:
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


def watch_looks(here, pe, at, mark):
    """From now on: of kernels on that PE."""
    if here.pe == pe:
        Looks.now = Looks(here, at, mark)
        here.watch_every_poll(Looks.now)


def looks(here, pe):
    """How many there were, how many behind the one at which the PE was held, and whether that wait timed out."""
    if here.pe != pe:
        return None
    here.watch_every_poll(None)
    return Looks.now.seen, Looks.now.after, Looks.now.late


def work_until_interrupted(here, pe, mark, ended):
    """On that PE; on the others nothing."""
    if here.pe != pe:
        return
    Path(mark).touch()
    end = time.monotonic() + LONGEST
    try:
        while time.monotonic() < end:
            time.sleep(0.001)
    except KeyboardInterrupt:
        Path(ended).touch()
        raise
