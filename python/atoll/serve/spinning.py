# SPDX-License-Identifier: Apache-2.0
"""Waiting for a peer on this host: for a short time without sleeping, because a thread that sleeps on another core
takes 20 µs and more to wake."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from typing import Any

#: Seconds for which one waits without sleeping. A small request and its answer take less than 50 µs.
SECONDS = 100e-6
#: The same between two pieces of an array, each of which takes a client a millisecond to copy.
PIECE_SECONDS = 1e-3
#: Waits that are left out after one that finds nothing, at most.
_MOST_LEFT_OUT = 255


class Spinner:
    """Looks again and again whether something has come, as long as that pays.

    It does not where the peer needs the same core, or takes long to answer. So after a wait that finds nothing the
    next one is left out, after another one the next 3, then 7, and so on.

    Parameters
    ----------
    connection : socket
        Tells whether the peer is on this host.
    seconds : float
        How long a wait looks, at most.
    """

    __slots__ = ("_left_out", "_seconds", "_skipped")

    def __init__(self, connection: socket.socket, seconds: float = SECONDS) -> None:
        self._seconds = seconds if is_local(connection) and len(os.sched_getaffinity(0)) > 1 else 0.0
        self._skipped = self._left_out = 0

    def wait(self, poll: Callable[[float], list[Any]]) -> list[Any]:
        """What `poll(0)` finds; nothing: wait for it asleep."""
        if not self._seconds:
            return []
        if self._left_out:
            self._left_out -= 1
            return []
        end = time.monotonic() + self._seconds
        while True:
            if found := poll(0):
                self._skipped //= 2
                return found
            if time.monotonic() >= end:
                self._skipped = min(2 * self._skipped + 1, _MOST_LEFT_OUT)
                self._left_out = self._skipped
                return []


def is_local(connection: socket.socket) -> bool:
    """Whether the other end is a process of this host, as far as the address tells."""
    try:
        return connection.family == socket.AF_UNIX or connection.getpeername()[0] in ("127.0.0.1", "::1")
    except OSError:
        return False
