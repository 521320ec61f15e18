# SPDX-License-Identifier: Apache-2.0
"""server: sessions on a server of `atoll serve`, beside bare sockets and memcpy.

The contender `atoll` connects by TCP on loopback, `atoll-unix` by the Unix socket (large arrays by shared memory),
`atoll-tls` by TLS. `sockets` exchanges messages of 64 bytes, or the same bytes, with a Python process that answers at
once.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import sys
import threading
import time
import urllib.request
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import BenchError, peers, servers
from atoll.bench.data import near_one
from atoll.bench.registry import Case, Data, Maker, Request, Setup, Timed, case

#: contender → its connection.
CONNECTIONS = {"atoll": "tcp", "atoll-unix": "unix", "atoll-tls": "tls"}
SOCKETS = {"sockets": socket.AF_INET, "sockets-unix": socket.AF_UNIX}
_CHAIN = 20


def make(request: Request) -> Data:
    return {"a": near_one(request.size, request.seed)}


def _size(data: Data) -> int:
    return int(data["a"].nbytes)


def _answer(data: Data, answer: Any, reference: Any) -> None:
    """Bare sockets have the data's sum as their answer, summed by NumPy."""
    np.testing.assert_allclose(answer, reference, rtol=1e-9)


def _declare(bench: Case, contender: str, run: Callable[[Any, Data], Timed]) -> None:
    """A contender that runs in a session on a server."""

    def maker(data: Data, setup: Setup) -> Timed:
        if contender == "atoll":
            peers.atoll(setup)  # ends the sessions of the case before
        return run(servers.connect(setup, CONNECTIONS[contender]), data)

    bench.contender(contender)(maker)


def _round_trips(family: socket.AddressFamily) -> Maker:
    def maker(data: Data, setup: Setup) -> Timed:
        bare, total = servers.bare_socket(family), float(data["a"].sum())
        return Timed(bare.round_trip, lambda answer: np.asarray(total))

    return maker


# -- small requests --

small = case(
    "server.sum",
    "x.sum() of few elements: a round trip",
    make=make,
    nominal_bytes=_size,
    check=_answer,
    default_size=1000,
)


def _sum(session: Any, data: Data) -> Timed:
    import atoll as ak

    x = ak.array(data["a"])
    return Timed(x.sum)


chain = case(
    "server.chain",
    f"{_CHAIN} lazy operations and a sum: one round trip",
    make=make,
    nominal_bytes=_size,
    check=_answer,
    default_size=1000,
)


def _chained(session: Any, data: Data) -> Timed:
    import atoll as ak

    x = ak.array(data["a"])

    def run() -> Any:
        y = x
        for _ in range(_CHAIN // 2):
            y = -y
            y = abs(y)
        return y.sum()

    before = session.stats()["round_trips"]
    run()
    if (trips := session.stats()["round_trips"] - before - 1) != 1:
        raise BenchError(f"server.chain: a chain took {trips} round trips")
    return Timed(run)


for _contender in CONNECTIONS:
    _declare(small, _contender, _sum)
    _declare(chain, _contender, _chained)
for _contender, _family in SOCKETS.items():
    small.contender(_contender)(_round_trips(_family))
    chain.contender(_contender)(_round_trips(_family))

# -- large arrays --

upload = case(
    "server.upload", "1 GiB from this process to a server", make=make, nominal_bytes=_size, default_size=1 << 27
)
download = case(
    "server.download", "1 GiB from a server to this process", make=make, nominal_bytes=_size, default_size=1 << 27
)


def _upload(session: Any, data: Data) -> Timed:
    values, core = data["a"], session._core
    return Timed(lambda: core.upload(values), lambda answer: answer.to_numpy(True))


def _download(session: Any, data: Data) -> Timed:
    import atoll as ak

    x = ak.array(data["a"])
    return Timed(x.to_numpy)


for _contender in CONNECTIONS:
    _declare(upload, _contender, _upload)
    _declare(download, _contender, _download)


@upload.contender("sockets")
def _(data: Data, setup: Setup) -> Timed:
    bare, values = servers.bare_socket(socket.AF_INET), data["a"]
    return Timed(lambda: bare.up(memoryview(values).cast("B")), lambda answer: values)


@upload.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    values, result = data["a"], data["a"].copy()
    return Timed(lambda: np.copyto(result, values), lambda answer: result)


@download.contender("sockets")
def _(data: Data, setup: Setup) -> Timed:
    bare, values = servers.bare_socket(socket.AF_INET), data["a"]
    bare.up(memoryview(values).cast("B"))

    def run() -> Any:
        result = np.empty_like(values)
        bare.down(memoryview(result).cast("B"))
        return result

    return Timed(run)


@download.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    values = data["a"]
    return Timed(values.copy)


# -- beside a long operation --

beside = case(
    "server.beside",
    "x.sum() of 1,000 elements while another client sorts arrays of this size",
    make=make,
    nominal_bytes=_size,
    default_size=10_000_000,
)
_SORTING = (
    "import sys, atoll as ak; session = ak.connect(sys.argv[1])\n"
    "x = ak.random.default_rng(1).random(int(sys.argv[2]))\n"
    "print(x.sum(), flush=True)\nwhile True: ak.sort(x)"
)


@beside.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    servers.connect(setup, "tcp")
    x = ak.array(data["a"][:1000])
    command = [sys.executable, "-c", _SORTING, servers.name(setup), str(data["a"].size)]
    other = servers.started(command, servers.environment(setup))
    assert other.stdout is not None
    other.stdout.readline()  # it sorts from now on

    def run() -> Any:
        return x.sum()

    weakref.finalize(run, servers.end, other)
    return Timed(run)


interrupt = case(
    "server.interrupt",
    "from the interrupt of a sort of this size until the client goes on",
    make=make,
    nominal_bytes=_size,
    default_size=10_000_000,
)


@interrupt.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    session = servers.connect(setup, "tcp")
    x = ak.array(data["a"])
    state: dict[str, Any] = {}

    def sort(ending: threading.Event) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            while not ending.is_set():
                ak.sort(x).evaluate()

    def start() -> None:
        state["ending"] = threading.Event()
        state["thread"] = threading.Thread(target=sort, args=(state["ending"],))
        state["thread"].start()
        while session._core.target.control({"purpose": "status"})["running"] != "sort":
            time.sleep(0.001)

    def run() -> Any:
        state["ending"].set()
        session._core.interrupt()
        state["thread"].join()
        return x

    return Timed(run, lambda answer: answer.sum(), reset=start)


# -- the dashboard --

metrics = case(
    "server.metrics",
    "/metrics while another client sorts arrays of this size",
    make=make,
    nominal_bytes=_size,
    default_size=1_000_000,
)


@metrics.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    peers.atoll(setup)
    servers.connect(setup, "tcp")
    address, headers = servers.dashboard(setup)
    host, _, port = address.removeprefix("http://").rstrip("/").rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=30)
    command = [sys.executable, "-c", _SORTING, servers.name(setup), str(data["a"].size)]
    other = servers.started(command, servers.environment(setup))
    assert other.stdout is not None
    other.stdout.readline()  # it sorts from now on

    def run() -> Any:
        connection.request("GET", "/metrics", headers=headers)
        text = connection.getresponse().read()
        if b"atoll_" not in text:
            raise BenchError(f"server.metrics: no metrics but {text[:80]!r}")
        return data["a"]

    weakref.finalize(run, servers.end, other)
    weakref.finalize(run, connection.close)
    return Timed(run, lambda answer: answer.sum())


watched = case(
    "server.dashboard",
    "processor time of the server in one second with an open dashboard (2 Hz, measured for size/10^6 seconds)",
    make=make,
    nominal_bytes=_size,
    default_size=30_000_000,
)


@watched.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    peers.atoll(setup)
    servers.connect(setup, "tcp")
    address, headers = servers.dashboard(setup)
    seconds = max(data["a"].size / 1e6, 1e-3)

    def ask(path: str) -> Any:
        return urllib.request.urlopen(urllib.request.Request(address + path, headers=headers), timeout=30)

    def used() -> float:
        ending = threading.Event()

        def read() -> None:  # as the page does: all events, and stacks each two seconds
            with ask("events") as events:
                while not ending.is_set():
                    events.readline()

        reader = threading.Thread(target=read)
        reader.start()
        before, began = servers.processor_seconds(setup), time.monotonic()
        while (left := began + seconds - time.monotonic()) > 0:
            with ask("profile") as stacks:
                stacks.read()
            time.sleep(max(0.0, min(2.0, left)))
        spent = servers.processor_seconds(setup) - before
        ending.set()
        reader.join()
        return spent / (time.monotonic() - began)

    return Timed(lambda: data["a"], lambda answer: answer.sum(), seconds=used)
