# SPDX-License-Identifier: Apache-2.0
"""Sum and mean by group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.data import aligned, aligned_empty, in_order, near_one
from atoll.bench.registry import Data, Request, Setup, Skip, Timed, case

Answer = tuple[Any, Any, Any]
Keys = Callable[[np.random.Generator, int], Any]


def sparse(rng: np.random.Generator, n: int) -> Any:
    """N/10 groups, keys from the whole range of int64."""
    limits = np.iinfo(np.int64)
    return rng.integers(limits.min, limits.max, max(n // 10, 1))[rng.integers(0, max(n // 10, 1), n)]


#: name -> what it is, and its keys.
KINDS: dict[str, tuple[str, Keys]] = {
    "hundred": ("100 groups", lambda rng, n: rng.integers(0, 100, n)),
    "ten_thousand": ("10^4 groups", lambda rng, n: rng.integers(0, 10_000, n)),
    "million": ("10^6 groups", lambda rng, n: rng.integers(0, 1_000_000, n)),
    "tenth": ("N/10 groups", lambda rng, n: rng.integers(0, max(n // 10, 1), n)),
    "sparse": ("N/10 groups, keys all over int64", sparse),
}


def make(request: Request, keys: Keys) -> Data:
    rng = np.random.default_rng(request.seed)
    return {"k": aligned(keys(rng, request.size)), "v": near_one(request.size, request.seed)}


for name, (what, keys) in KINDS.items():
    groupby = case(
        f"groupby.{name}",
        f"sum and mean by key, {what}",
        make=lambda request, keys=keys: make(request, keys),
        nominal_bytes=lambda data: data["k"].nbytes + data["v"].nbytes,
        dtype="int64",
    )

    @groupby.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        ak = peers.atoll(setup)
        k, v = ak.array(data["k"]), ak.array(data["v"])

        def run() -> Answer:
            groups = ak.groupby(k)
            figures = groups.agg({"sum": (v, "sum"), "mean": (v, "mean")})
            return groups.keys, figures["sum"], figures["mean"]

        return Timed(run, lambda answer: tuple(one.to_numpy() for one in answer))

    @groupby.contender("polars")
    def _(data: Data, setup: Setup) -> Timed:
        pl = peers.polars()
        frame = pl.DataFrame(data)
        figures = [pl.col("v").sum().alias("sum"), pl.col("v").mean().alias("mean")]
        return Timed(
            lambda: frame.group_by("k").agg(figures),
            lambda answer: in_order(answer["k"], answer["sum"], answer["mean"]),
        )

    @groupby.contender("duckdb")
    def _(data: Data, setup: Setup) -> Timed:
        connection = peers.duckdb(setup, t=data)
        query = "SELECT k, sum(v) AS s, avg(v) AS m FROM t GROUP BY k"
        return Timed(
            lambda: connection.execute(query).fetchnumpy(),
            lambda answer: in_order(answer["k"], answer["s"], answer["m"]),
        )

    @groupby.contender("pandas")
    def _(data: Data, setup: Setup) -> Timed:
        frame = peers.require("pandas").DataFrame(data)
        return Timed(
            lambda: frame.groupby("k", sort=False)["v"].agg(["sum", "mean"]),
            lambda answer: in_order(answer.index, answer["sum"], answer["mean"]),
        )

    @groupby.contender("pyarrow")
    def _(data: Data, setup: Setup) -> Timed:
        table = peers.pyarrow(setup).table(data)
        return Timed(
            lambda: table.group_by("k").aggregate([("v", "sum"), ("v", "mean")]),
            lambda answer: in_order(answer["k"], answer["v_sum"], answer["v_mean"]),
        )

    @groupby.contender("limit")
    def _(data: Data, setup: Setup, name: str = name) -> Timed:
        """Keys are indices of a table."""
        if name == "sparse":
            raise Skip("no hand-written loop")
        groups, present = int(data["k"].max()) + 1, np.unique(data["k"])
        sums, means = aligned_empty(groups, np.float64), aligned_empty(groups, np.float64)
        timed = peers.limit(setup, "group_sum", [data["k"], data["v"], sums, means], [], answer=(sums, means))
        return Timed(timed.run, lambda answer: (present, *(one[present] for one in answer)))
