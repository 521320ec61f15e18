# SPDX-License-Identifier: Apache-2.0
"""gather, scatter and selection by a mask: moving elements by data."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.data import aligned, aligned_empty, generate
from atoll.bench.registry import Data, Request, Setup, Timed, case


def make(request: Request) -> Data:
    rng = np.random.default_rng(request.seed + 1)
    return {
        "v": generate(request.dtype, request.dist, request.size, request.seed),
        "i": aligned(rng.integers(0, max(request.size, 1), request.size)),
    }


def value_index_value(data: Data) -> int:
    return 3 * int(data["v"].nbytes)


gather = case("gather", "v[i], i uniform, N of N", make=make, nominal_bytes=value_index_value, dtype="int64")


@gather.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    v, i = ak.array(data["v"]), ak.array(data["i"])
    return Timed(lambda: v[i].evaluate(), lambda answer: answer.to_numpy())


@gather.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    v, i = data["v"], data["i"]
    return Timed(lambda: v[i])


@gather.contender("numba")
def _(data: Data, setup: Setup) -> Timed:
    """Into an output that is kept."""
    numba = peers.numba(setup)
    v, i, out = data["v"], data["i"], np.empty_like(data["v"])

    @numba.njit(parallel=True)
    def loop(v, i, out):  # type: ignore[no-untyped-def]
        for at in numba.prange(i.size):
            out[at] = v[i[at]]

    def run() -> Any:
        loop(v, i, out)
        return out

    return Timed(run)


@gather.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    pl = peers.polars()
    v, i = pl.Series(data["v"]), pl.Series(data["i"])
    return Timed(lambda: v.gather(i), lambda answer: answer.to_numpy())


@gather.contender("pyarrow")
def _(data: Data, setup: Setup) -> Timed:
    arrow = peers.pyarrow(setup)
    v, i = arrow.array(data["v"]), arrow.array(data["i"])
    return Timed(lambda: v.take(i), lambda answer: answer.to_numpy())


@gather.contender("limit")
def _(data: Data, setup: Setup) -> Timed:
    out = aligned_empty(data["v"].size, data["v"].dtype)
    return peers.limit(setup, "gather", [data["v"], data["i"], out], [], answer=out)


def make_permutation(request: Request) -> Data:
    """A permutation, which writes each element once: with repeats, results of parallel contenders would vary."""
    permutation = np.random.default_rng(request.seed + 1).permutation(request.size)
    return {**make(request), "i": aligned(permutation)}


scatter = case(
    "scatter", "c[i] = v, i a random permutation", make=make_permutation, nominal_bytes=value_index_value, dtype="int64"
)


@scatter.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    v, i = ak.array(data["v"]), ak.array(data["i"])
    c = ak.zeros(data["v"].size, data["v"].dtype)
    c.evaluate()

    def run():  # type: ignore[no-untyped-def]
        c[i] = v
        return c.evaluate()

    return Timed(run, lambda answer: answer.to_numpy())


@scatter.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    v, i, c = data["v"], data["i"], np.zeros_like(data["v"])

    def run() -> Any:
        c[i] = v
        return c

    return Timed(run)


@scatter.contender("numba")
def _(data: Data, setup: Setup) -> Timed:
    numba = peers.numba(setup)
    v, i, c = data["v"], data["i"], np.zeros_like(data["v"])

    @numba.njit(parallel=True)
    def loop(c, i, v):  # type: ignore[no-untyped-def]
        for at in numba.prange(i.size):
            c[i[at]] = v[at]

    def run() -> Any:
        loop(c, i, v)
        return c

    return Timed(run)


@scatter.contender("limit")
def _(data: Data, setup: Setup) -> Timed:
    c = aligned_empty(data["v"].size, data["v"].dtype)
    c[:] = 0
    return peers.limit(setup, "scatter", [data["v"], data["i"], c], [], answer=c)


def make_mask(request: Request) -> Data:
    chosen = np.random.default_rng(request.seed + 1).integers(0, 2, request.size, dtype=np.uint8)
    return {
        "a": generate(request.dtype, request.dist, request.size, request.seed),
        "mask": aligned(chosen.view(np.bool_)),
    }


select = case(
    "select",
    "a[mask], half of the mask true at random",
    make=make_mask,
    nominal_bytes=lambda data: int(data["a"].nbytes + data["mask"].nbytes + data["mask"].sum() * data["a"].itemsize),
    dtype="float64",
)


@select.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    a, mask = ak.array(data["a"]), ak.array(data["mask"])
    return Timed(lambda: a[mask].evaluate(), lambda answer: answer.to_numpy())


@select.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    a, mask = data["a"], data["mask"]
    return Timed(lambda: a[mask])


@select.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    pl = peers.polars()
    frame = pl.DataFrame({"a": data["a"], "mask": data["mask"]})
    kept = pl.col("a").filter(pl.col("mask"))
    return Timed(lambda: frame.select(kept), lambda answer: answer.to_series().to_numpy())


@select.contender("pyarrow")
def _(data: Data, setup: Setup) -> Timed:
    arrow = peers.pyarrow(setup)
    a, mask = arrow.array(data["a"]), arrow.array(data["mask"])
    return Timed(lambda: a.filter(mask), lambda answer: answer.to_numpy())


@select.contender("limit")
def _(data: Data, setup: Setup) -> Timed:
    out = aligned_empty(int(data["mask"].sum()), data["a"].dtype)
    return peers.limit(setup, "select", [data["a"], data["mask"], out], [], answer=out)
