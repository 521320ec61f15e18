# SPDX-License-Identifier: Apache-2.0
"""Rows of two tables with equal keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.data import aligned, in_order
from atoll.bench.registry import Data, Request, Setup, Timed, case


def make(request: Request) -> Data:
    """The right table has a tenth as many rows, each key once; nine in ten left rows find theirs."""
    rng = np.random.default_rng(request.seed)
    rows = max(request.size // 10, 1)
    limits = np.iinfo(np.int64)
    keys = np.unique(rng.integers(limits.min, limits.max, 2 * rows))[:rows]
    rng.shuffle(keys)
    left = keys[rng.integers(0, len(keys), request.size)]
    left = np.where(rng.random(request.size) < 0.9, left, rng.integers(limits.min, limits.max, request.size))
    return {"left": aligned(left), "right": aligned(keys)}


def pairs(left: Any, right: Any) -> tuple[Any, ...]:
    return in_order(np.asarray(left).astype(np.int64), np.asarray(right).astype(np.int64))


join = case(
    "join",
    "row numbers of pairs with equal keys, 10 rows to 1 unique one",
    make=make,
    nominal_bytes=lambda data: data["left"].nbytes + data["right"].nbytes,
    dtype="int64",
)


@join.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    left, right = ak.array(data["left"]), ak.array(data["right"])
    return Timed(lambda: ak.join(left, right), lambda rows: (rows.left.to_numpy(), rows.right.to_numpy()))


@join.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    pl = peers.polars()
    left = pl.DataFrame({"k": data["left"]}).with_row_index("left")
    right = pl.DataFrame({"k": data["right"]}).with_row_index("right")
    return Timed(
        lambda: left.join(right, on="k").select("left", "right"),
        lambda answer: pairs(answer["left"], answer["right"]),
    )


@join.contender("duckdb")
def _(data: Data, setup: Setup) -> Timed:
    rows = {side: {"k": data[side], side: np.arange(len(data[side]))} for side in ("left", "right")}
    connection = peers.duckdb(setup, a=rows["left"], b=rows["right"])
    query = 'SELECT a."left" AS l, b."right" AS r FROM a JOIN b ON a.k = b.k'
    return Timed(lambda: connection.execute(query).fetchnumpy(), lambda answer: pairs(answer["l"], answer["r"]))


@join.contender("pandas")
def _(data: Data, setup: Setup) -> Timed:
    pd = peers.require("pandas")
    left = pd.DataFrame({"k": data["left"], "left": np.arange(len(data["left"]))})
    right = pd.DataFrame({"k": data["right"], "right": np.arange(len(data["right"]))})
    return Timed(lambda: left.merge(right, on="k"), lambda answer: pairs(answer["left"], answer["right"]))


@join.contender("pyarrow")
def _(data: Data, setup: Setup) -> Timed:
    arrow = peers.pyarrow(setup)
    left = arrow.table({"k": data["left"], "left": np.arange(len(data["left"]))})
    right = arrow.table({"k": data["right"], "right": np.arange(len(data["right"]))})
    return Timed(
        lambda: left.join(right, "k", join_type="inner"), lambda answer: pairs(answer["left"], answer["right"])
    )


@join.contender("limit")
def _(data: Data, setup: Setup) -> Timed:
    rows = [aligned(np.full(len(data["left"]), -1)) for _ in range(2)]
    timed = peers.limit(setup, "join", [data["left"], data["right"], *rows], [], answer=rows)
    return Timed(timed.run, lambda answer: tuple(one[answer[1] >= 0] for one in answer))
