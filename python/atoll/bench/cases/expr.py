# SPDX-License-Identifier: Apache-2.0
"""expr: `(a*b + c*d - e) / f`, stored and summed: a chain that fused evaluation does in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.data import aligned_empty, near_one
from atoll.bench.registry import Case, Data, Request, Setup, Timed, case

FORMULA = "(a*b + c*d - e) / f"


def make(request: Request) -> Data:
    names = enumerate("abcdef")
    return {name: near_one(request.size, request.seed + at, request.dtype) for at, name in names}


def formula(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    return (a * b + c * d - e) / f


def declare(name: str, arrays: int) -> Case:
    return case(name, FORMULA, make=make, nominal_bytes=lambda data: arrays * data["a"].nbytes)


store = declare("expr.store", 7)
total = declare("expr.sum", 6)
total.summary = f"the sum of {FORMULA}"


@store.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    arrays = [ak.array(value) for value in data.values()]
    return Timed(lambda: formula(*arrays).evaluate(), lambda answer: answer.to_numpy())


@total.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    arrays = [ak.array(value) for value in data.values()]
    return Timed(lambda: formula(*arrays).sum())


@store.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    arrays = list(data.values())
    return Timed(lambda: formula(*arrays))


@total.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    arrays = list(data.values())
    return Timed(lambda: formula(*arrays).sum())


@store.contender("numexpr")
def _(data: Data, setup: Setup) -> Timed:
    ne = peers.numexpr(setup)
    return Timed(lambda: ne.evaluate(FORMULA, data))


@total.contender("numexpr")
def _(data: Data, setup: Setup) -> Timed:
    ne = peers.numexpr(setup)
    return Timed(lambda: ne.evaluate(f"sum({FORMULA})", data))


@store.contender("numba")
def _(data: Data, setup: Setup) -> Timed:
    """Into an output that is kept."""
    numba = peers.numba(setup)
    out = np.empty_like(data["a"])
    arrays = list(data.values())

    @numba.njit(parallel=True)
    def loop(a, b, c, d, e, f, out):  # type: ignore[no-untyped-def]
        for i in numba.prange(a.size):
            out[i] = (a[i] * b[i] + c[i] * d[i] - e[i]) / f[i]

    def run() -> Any:
        loop(*arrays, out)
        return out

    return Timed(run)


@total.contender("numba")
def _(data: Data, setup: Setup) -> Timed:
    numba = peers.numba(setup)
    arrays = list(data.values())

    @numba.njit(parallel=True)
    def loop(a, b, c, d, e, f):  # type: ignore[no-untyped-def]
        found = 0.0
        for i in numba.prange(a.size):
            found += (a[i] * b[i] + c[i] * d[i] - e[i]) / f[i]
        return found

    return Timed(lambda: loop(*arrays))


@store.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    pl = peers.polars()
    frame = pl.DataFrame(data)
    expression = formula(*(pl.col(name) for name in data)).alias("answer")
    return Timed(lambda: frame.select(expression), lambda answer: answer.to_series().to_numpy())


@total.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    pl = peers.polars()
    frame = pl.DataFrame(data)
    expression = formula(*(pl.col(name) for name in data)).sum().alias("answer")
    return Timed(lambda: frame.select(expression), lambda answer: np.asarray(answer.item()))


@store.contender("limit")
def _(data: Data, setup: Setup) -> Timed:
    out = aligned_empty(data["a"].size, data["a"].dtype)
    return peers.limit(setup, "expression", [*data.values(), out], [], answer=out)


@total.contender("limit")
def _(data: Data, setup: Setup) -> Timed:
    return peers.limit(setup, "expression_sum", list(data.values()), [])
