# SPDX-License-Identifier: Apache-2.0
"""stream: `a + alpha*b`, the memory-bound minimum of array arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.data import aligned_empty, near_one
from atoll.bench.registry import Data, Request, Setup, Timed, case

ALPHA = 0.3


def make(request: Request) -> Data:
    a = near_one(request.size, request.seed, request.dtype)
    return {"a": a, "b": near_one(request.size, request.seed + 1, request.dtype)}


stream = case(
    "stream", "a + alpha*b", make=make, nominal_bytes=lambda data: 3 * data["a"].nbytes, dist="u64", dtype="float64"
)


@stream.contender("atoll")
def _atoll(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    a, b = ak.array(data["a"]), ak.array(data["b"])
    return Timed(lambda: (a + ALPHA * b).evaluate(), lambda answer: answer.to_numpy())


@stream.contender("numpy")
def _numpy(data: Data, setup: Setup) -> Timed:
    a, b = data["a"], data["b"]
    return Timed(lambda: a + ALPHA * b)


@stream.contender("numexpr")
def _numexpr(data: Data, setup: Setup) -> Timed:
    ne = peers.numexpr(setup)
    names = {"a": data["a"], "b": data["b"], "alpha": data["a"].dtype.type(ALPHA)}
    return Timed(lambda: ne.evaluate("a + alpha*b", names))


@stream.contender("numba")
def _numba(data: Data, setup: Setup) -> Timed:
    """Into an output that is kept, which spares it the first touch of new memory."""
    numba = peers.numba(setup)
    a, b, out = data["a"], data["b"], np.empty_like(data["a"])
    alpha = a.dtype.type(ALPHA)

    @numba.njit(parallel=True)
    def triad(a, b, alpha, out):  # type: ignore[no-untyped-def]
        for i in numba.prange(a.size):
            out[i] = a[i] + alpha * b[i]

    def run() -> Any:
        triad(a, b, alpha, out)
        return out

    return Timed(run)


@stream.contender("polars")
def _polars(data: Data, setup: Setup) -> Timed:
    pl = peers.polars()
    a, b = pl.Series(data["a"]), pl.Series(data["b"])
    return Timed(lambda: a + ALPHA * b, lambda answer: answer.to_numpy())


@stream.contender("limit")
def _limit(data: Data, setup: Setup) -> Timed:
    out = aligned_empty(data["a"].size, data["a"].dtype)
    return peers.limit(setup, "triad", [data["a"], data["b"], out], [ALPHA], answer=out)
