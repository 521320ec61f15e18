# SPDX-License-Identifier: Apache-2.0
"""noop: the overhead of a command, and an operation on few elements."""

from __future__ import annotations

import numpy as np

from atoll.bench import peers
from atoll.bench.data import near_one
from atoll.bench.registry import Data, Request, Setup, Timed, case

roundtrip = case(
    "noop.roundtrip",
    "one empty command to every PE and back",
    make=lambda request: {},
    nominal_bytes=lambda data: 0,
    default_size=1,
)


@roundtrip.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    peers.atoll(setup)
    from atoll.session import current

    session = current()
    return Timed(lambda: session.noop(), lambda answer: np.zeros(0))


def make(request: Request) -> Data:
    return {"a": near_one(request.size, request.seed), "b": near_one(request.size, request.seed + 1)}


small = case(
    "noop.add",
    "a + b, small: the cost beside the work",
    make=make,
    nominal_bytes=lambda data: 3 * data["a"].nbytes,
    default_size=1000,
)


@small.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    a, b = ak.array(data["a"]), ak.array(data["b"])
    return Timed(lambda: (a + b).evaluate(), lambda answer: answer.to_numpy())


@small.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    a, b = data["a"], data["b"]
    return Timed(lambda: a + b)
