# SPDX-License-Identifier: Apache-2.0
"""Common operations of data frames, and the same calls of pandas; on few rows the overhead of a call dominates."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.registry import Data, Request, Setup, Timed, case

GROUPS = 50
TABLE = {number: number * 2.5 for number in range(GROUPS)}

#: Calls of a frame with columns k (integers), v and w (floats), s (strings), b (bools), and of a smaller one.
ACTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "filter": lambda df, other: df[df.v > 0],
    "column": lambda df, other: df.v * 2 + df.w,
    "assign": lambda df, other: df.assign(z=df.v - df.w),
    "sum": lambda df, other: df[["k", "v", "w"]].sum(),
    "describe": lambda df, other: df.v.describe(),
    "sort": lambda df, other: df.sort_values("v"),
    "sort_two": lambda df, other: df.sort_values(["k", "v"]),
    "head": lambda df, other: df.head(10),
    "iloc": lambda df, other: df.iloc[10:20],
    "groupby_sum": lambda df, other: df.groupby("k").v.sum(),
    "groupby_agg": lambda df, other: df.groupby("k").agg({"v": "mean", "w": "max"}),
    "groupby_text": lambda df, other: df.groupby("s").v.mean(),
    "transform": lambda df, other: df.groupby("k").v.transform("mean"),
    "merge": lambda df, other: df.merge(other, on="k"),
    "set_index": lambda df, other: df.set_index("k").sort_index(kind="stable"),
    "distinct": lambda df, other: df.drop_duplicates("k"),
    "value_counts": lambda df, other: df.k.value_counts(),
    "unique": lambda df, other: df.s.nunique(),
    "isin": lambda df, other: df[df.k.isin([1, 2, 3])],
    "fillna": lambda df, other: df.v.fillna(0.0),
    "where": lambda df, other: df.v.where(df.b, 0.0),
    "cumsum": lambda df, other: df.v.cumsum(),
    "shift": lambda df, other: df.v.shift(1),
    "rolling": lambda df, other: df.v.rolling(10).mean(),
    "rank": lambda df, other: df.v.rank(),
    "map": lambda df, other: df.k.map(TABLE),
    "upper": lambda df, other: df.s.str.upper(),
    "contains": lambda df, other: df[df.s.str.contains("a")],
    "pivot": lambda df, other: df.pivot_table("v", "k", "b", aggfunc="sum"),
    "quantile": lambda df, other: df.v.quantile(0.9),
}


def make(request: Request) -> Data:
    rng, n = np.random.default_rng(request.seed), request.size
    return {
        "k": rng.integers(0, GROUPS, n), "v": rng.normal(size=n), "w": rng.normal(size=n),
        "s": rng.integers(0, 20, n), "b": rng.integers(0, 2, n) == 1,
    }  # fmt: skip


def nominal(data: Data) -> int:
    return int(sum(column.nbytes for column in data.values()))


def tables(module: Any, data: Data) -> tuple[Any, Any]:
    """The frame, and one with a row for each of some keys."""
    columns = {**data, "s": [f"{'ab'[code % 2]}{code}" for code in data["s"].tolist()]}
    return module.DataFrame(columns), module.DataFrame({"k": np.arange(10), "x": np.arange(10.0)})


def numbers(answer: Any) -> Any:
    """A comparable form: numbers as one flat array; strings and mixed rows as an order-dependent hash."""
    held = answer.to_numpy() if hasattr(answer, "to_numpy") else np.asarray(answer)
    if held.dtype.kind in "biuf":
        return np.asarray(held, dtype=np.float64).ravel()
    return np.array([zlib.crc32("\n".join(map(str, held.ravel().tolist())).encode())])


def taken(answer: Any) -> Any:
    """The answer with all its columns evaluated."""
    for column in getattr(answer, "_columns", ()):
        getattr(column, "evaluate", lambda: None)()
    values = getattr(answer, "_values", None)
    getattr(values, "evaluate", lambda: None)()
    return answer


def declare(name: str, action: Callable[[Any, Any], Any]) -> None:
    """Declares one call for Atoll and pandas."""
    frames = case(f"frames.{name}", f"`{name}` of a data frame", make=make, nominal_bytes=nominal, default_size=1000)

    @frames.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        frame, other = tables(peers.atoll(setup), data)
        return Timed(lambda: taken(action(frame, other)), numbers)

    @frames.contender("pandas")
    def _(data: Data, setup: Setup) -> Timed:
        frame, other = tables(peers.require("pandas"), data)
        return Timed(lambda: action(frame, other), numbers)


for _name, _action in ACTIONS.items():
    declare(_name, _action)
