# SPDX-License-Identifier: Apache-2.0
"""Functions that tests run on every PE."""

import itertools
import socket
import time

import pyarrow as pa


def answer(here, value):
    return here.pe, value


def host_name(here):
    return socket.gethostname()


def sleep_on_last(here, seconds):
    time.sleep(seconds if here.pe == 2 else 0)
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
