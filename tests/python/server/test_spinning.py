# SPDX-License-Identifier: Apache-2.0
"""Waits for a peer without sleeping: as long as they pay, and only where the peer is on this host."""

import os
import socket

import pytest

from atoll.serve.spinning import Spinner


class Peer:
    """A connection to an address."""

    family = socket.AF_INET

    def __init__(self, host):
        self.host = host

    def getpeername(self):
        if self.host is None:
            raise OSError("not connected")
        return self.host, 1


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})


def looks(spinner, waits, found_at=None):
    """How often each wait looks, where the look with this number finds something."""
    counts = []
    for _ in range(waits):
        seen = []

        def poll(timeout, seen=seen):
            assert timeout == 0
            seen.append(timeout)
            return ["something"] if len(seen) == found_at else []

        found = spinner.wait(poll)
        assert found == (["something"] if seen and len(seen) == found_at else [])
        counts.append(len(seen))
    return counts


def test_what_comes_soon_is_found_without_sleeping():
    assert looks(Spinner(Peer("127.0.0.1"), 3600.0), 3, found_at=5) == [5, 5, 5]


def test_waits_that_find_nothing_are_left_out_more_and_more():
    spinner = Spinner(Peer("127.0.0.1"), 1e-9)
    assert looks(spinner, 13) == [1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    looks(spinner, 2000)
    assert 1 in looks(spinner, 256)  # it tries again
    assert sum(looks(spinner, 2560)) == 10


def test_waits_that_pay_come_back():
    spinner = Spinner(Peer("127.0.0.1"), 1e-9)
    looks(spinner, 2000)
    looks(spinner, 256 + 10, found_at=1)
    assert looks(spinner, 3) == [1, 0, 1]


@pytest.mark.parametrize("host", ["10.0.0.7", None])
def test_other_hosts_are_waited_for_asleep(host):
    assert looks(Spinner(Peer(host)), 3, found_at=1) == [0, 0, 0]


def test_one_core_is_left_to_the_peer(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3})
    assert looks(Spinner(Peer("127.0.0.1")), 3, found_at=1) == [0, 0, 0]


def test_unix_sockets_are_of_this_host():
    one, other = socket.socketpair()
    with one, other:
        assert looks(Spinner(one), 1, found_at=1) == [1]
