# SPDX-License-Identifier: Apache-2.0
"""unique, value_counts and in1d."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.data import aligned, aligned_empty, generate
from atoll.bench.registry import Data, Request, Setup, Skip, Timed, case

#: Values that in1d looks for.
TEST_SIZE = 1_000_000


def make(request: Request) -> Data:
    return {"a": generate(request.dtype, request.dist, request.size, request.seed)}


def input_bytes(data: Data) -> int:
    return sum(value.nbytes for value in data.values())


unique = case("unique", "sorted distinct values", make=make, nominal_bytes=input_bytes, dtype="int64", dist="groups")
value_counts = case(
    "value_counts",
    "sorted distinct values, counted",
    make=make,
    nominal_bytes=input_bytes,
    dtype="int64",
    dist="groups",
)


@unique.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    a = ak.array(data["a"])
    return Timed(lambda: ak.unique(a).evaluate(), lambda answer: answer.to_numpy())


@unique.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    a = data["a"]
    return Timed(lambda: np.unique(a))


@unique.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    a = peers.polars().Series(data["a"])
    return Timed(lambda: a.unique().sort(), lambda answer: answer.to_numpy())


@unique.contender("pandas")
def _(data: Data, setup: Setup) -> Timed:
    pd, a = peers.require("pandas"), data["a"]
    return Timed(lambda: np.sort(pd.unique(a)))


@unique.contender("duckdb")
def _(data: Data, setup: Setup) -> Timed:
    connection = peers.duckdb(setup, t=data)
    query = "SELECT DISTINCT a FROM t ORDER BY a"
    return Timed(lambda: connection.execute(query).fetchnumpy(), lambda answer: np.asarray(answer["a"]))


@unique.contender("pyarrow")
def _(data: Data, setup: Setup) -> Timed:
    arrow = peers.pyarrow(setup)
    a = arrow.array(data["a"])
    return Timed(lambda: a.unique().sort(), lambda answer: answer.to_numpy())


@value_counts.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    a = ak.array(data["a"])

    def run() -> Any:
        values, counts = ak.value_counts(a)
        return values.evaluate(), counts.evaluate()

    return Timed(run, lambda answer: tuple(one.to_numpy() for one in answer))


@value_counts.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    a = data["a"]
    return Timed(lambda: np.unique(a, return_counts=True), tuple)


@value_counts.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    a = peers.polars().Series("a", data["a"])
    return Timed(
        lambda: a.value_counts().sort("a"),
        lambda answer: (answer["a"].to_numpy(), answer["count"].to_numpy().astype(np.int64)),
    )


@value_counts.contender("pandas")
def _(data: Data, setup: Setup) -> Timed:
    series = peers.require("pandas").Series(data["a"])
    return Timed(
        lambda: series.value_counts(sort=False).sort_index(),
        lambda answer: (answer.index.to_numpy(), answer.to_numpy()),
    )


@value_counts.contender("duckdb")
def _(data: Data, setup: Setup) -> Timed:
    connection = peers.duckdb(setup, t=data)
    query = "SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY a"
    return Timed(
        lambda: connection.execute(query).fetchnumpy(),
        lambda answer: (np.asarray(answer["a"]), np.asarray(answer["n"])),
    )


def in1d_data(request: Request, bound: int | None) -> Data:
    """Half of the elements are found. Dense: both below twice the number of test values. Sparse: over all of int64."""
    rng = np.random.default_rng(request.seed)
    tests = min(TEST_SIZE, max(1, request.size // 10))
    if bound is not None:
        within = bound * tests
        a, b = rng.integers(0, within, request.size), rng.permutation(within)[:tests]
    else:
        limits = np.iinfo(np.int64)
        b = rng.integers(limits.min, limits.max, tests)
        a = np.where(
            rng.integers(0, 2, request.size) == 1,
            b[rng.integers(0, tests, request.size)],
            rng.integers(limits.min, limits.max, request.size),
        )
    return {"a": aligned(a.astype(request.dtype)), "b": aligned(b.astype(request.dtype))}


for kind, factor in (("dense", 2), ("sparse", None)):
    in1d = case(
        f"in1d.{kind}",
        f"which are among 10^6 values, {kind}",
        make=lambda request, factor=factor: in1d_data(request, factor),
        nominal_bytes=input_bytes,
        dtype="int64",
    )

    @in1d.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        ak = peers.atoll(setup)
        a, b = ak.array(data["a"]), ak.array(data["b"])
        return Timed(lambda: ak.in1d(a, b).evaluate(), lambda answer: answer.to_numpy())

    @in1d.contender("numpy")
    def _(data: Data, setup: Setup) -> Timed:
        a, b = data["a"], data["b"]
        return Timed(lambda: np.isin(a, b))

    @in1d.contender("polars")
    def _(data: Data, setup: Setup) -> Timed:
        pl = peers.polars()
        a, b = pl.Series(data["a"]), pl.Series(data["b"]).implode()
        return Timed(lambda: a.is_in(b), lambda answer: answer.to_numpy())

    @in1d.contender("pandas")
    def _(data: Data, setup: Setup) -> Timed:
        series, b = peers.require("pandas").Series(data["a"]), data["b"]
        return Timed(lambda: series.isin(b), lambda answer: answer.to_numpy())

    @in1d.contender("pyarrow")
    def _(data: Data, setup: Setup) -> Timed:
        arrow = peers.pyarrow(setup)
        a, b = arrow.array(data["a"]), arrow.array(data["b"])
        return Timed(lambda: arrow.compute.is_in(a, value_set=b), lambda answer: answer.to_numpy(zero_copy_only=False))

    @in1d.contender("limit")
    def _(data: Data, setup: Setup, kind: str = kind) -> Timed:
        """Dense: looks up in a precomputed bitmap."""
        if kind == "sparse":
            raise Skip("no hand-written loop")
        out = aligned_empty(data["a"].size, np.bool_)
        bits = np.zeros((int(data["a"].max()) // 64 + 1) * 64, np.uint8)
        bits[data["b"][data["b"] < bits.size]] = 1
        bitmap = aligned(np.packbits(bits, bitorder="little").view(np.uint64))
        return peers.limit(setup, "in1d_dense", [data["a"], bitmap, out], [], answer=out)
