# SPDX-License-Identifier: Apache-2.0
"""Windows, ranks, cumulative aggregates of groups, as-of joins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.data import aligned, near_one
from atoll.bench.registry import Data, Request, Setup, Timed, case

#: Rows of a window.
WINDOW = 100


def values(request: Request) -> Data:
    return {"v": near_one(request.size, request.seed)}


def grouped(request: Request) -> Data:
    """1000 groups."""
    rng = np.random.default_rng(request.seed)
    return {"k": aligned(rng.integers(0, 1000, request.size)), "v": aligned(rng.integers(0, 1000, request.size))}


def sides(request: Request) -> Data:
    """Two sides with equal numbers of rows, 1000 names, sorted by time."""
    rng = np.random.default_rng(request.seed)
    data = {}
    for side in ("left", "right"):
        data[side] = aligned(np.sort(rng.integers(0, 4 * request.size, request.size)))
        data[side + "_by"] = aligned(rng.integers(0, 1000, request.size))
    return data


def digits(answer: Any) -> Any:
    """Floats whose last digits differ between programs."""
    return np.round(np.nan_to_num(np.asarray(answer, np.float64), nan=-1), 6)


def whole(answer: Any) -> Any:
    return np.asarray(answer)


def rows(answer: Any) -> Any:
    """Row numbers, -1 for none."""
    return np.nan_to_num(np.asarray(answer, np.float64), nan=-1).astype(np.int64)


def add(
    name: str,
    what: str,
    make: Callable[[Request], Data],
    answer: Callable[[Any], Any],
    run: dict[str, Callable[[Any, Data], Callable[[], Any]]],
) -> None:
    """Declares a case; its contenders get their module and the data, and return the timed function."""
    window = case(
        f"window.{name}", what, make=make, nominal_bytes=lambda data: sum(one.nbytes for one in data.values()),
        dtype="float64",
    )  # fmt: skip

    @window.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        ak = peers.atoll(setup)
        columns = {key: ak.array(value) for key, value in data.items()}
        return Timed(run["atoll"](ak, columns), lambda found: answer(found.to_numpy()))

    @window.contender("polars")
    def _(data: Data, setup: Setup) -> Timed:
        return Timed(run["polars"](peers.polars(), data), answer)

    @window.contender("pandas")
    def _(data: Data, setup: Setup) -> Timed:
        return Timed(run["pandas"](peers.require("pandas"), data), answer)


def polars_column(expression: Callable[[Any], Any]) -> Callable[[Any, Data], Callable[[], Any]]:
    def make(pl: Any, data: Data) -> Callable[[], Any]:
        frame = pl.DataFrame(data)
        return lambda: frame.select(r=expression(pl))["r"].to_numpy()

    return make


def pandas_column(of: Callable[[Any], Any]) -> Callable[[Any, Data], Callable[[], Any]]:
    def make(pd: Any, data: Data) -> Callable[[], Any]:
        frame = pd.DataFrame(data)
        return lambda: of(frame).to_numpy()

    return make


def rolling(figure: str) -> dict[str, Callable[[Any, Data], Callable[[], Any]]]:
    return {
        "atoll": lambda ak, data: lambda: getattr(ak.rolling(data["v"], WINDOW), figure)(),
        "polars": polars_column(lambda pl: getattr(pl.col("v"), f"rolling_{figure}")(WINDOW)),
        "pandas": pandas_column(lambda frame: getattr(frame.v.rolling(WINDOW), figure)()),
    }


for figure in ("mean", "max", "median"):
    add(
        f"rolling_{figure}",
        f"{figure} of each row and the {WINDOW - 1} before it",
        values,
        digits,
        rolling(figure),
    )

add(
    "rank",
    "ranks, ties by their mean",
    values,
    whole,
    {
        "atoll": lambda ak, data: lambda: ak.rank(data["v"]),
        "polars": polars_column(lambda pl: pl.col("v").rank()),
        "pandas": pandas_column(lambda frame: frame.v.rank()),
    },
)

add(
    "group_cumsum",
    "running sums in 1000 groups",
    grouped,
    whole,
    {
        "atoll": lambda ak, data: lambda: ak.groupby(data["k"]).cumsum(data["v"]),
        "polars": polars_column(lambda pl: pl.col("v").cum_sum().over("k")),
        "pandas": pandas_column(lambda frame: frame.groupby("k").v.cumsum()),
    },
)


def asof(by: bool) -> dict[str, Callable[[Any, Data], Callable[[], Any]]]:
    def atoll(ak: Any, data: Data) -> Callable[[], Any]:
        names = (data["left_by"], data["right_by"]) if by else None
        return lambda: ak.join_asof(data["left"], data["right"], by=names).right

    def polars(pl: Any, data: Data) -> Callable[[], Any]:
        left = pl.DataFrame({"t": data["left"], "k": data["left_by"]}).set_sorted("t")
        right = pl.DataFrame({"t": data["right"], "k": data["right_by"]}).with_row_index("r").set_sorted("t")
        return lambda: left.join_asof(right, on="t", by="k" if by else None, check_sortedness=False)["r"].to_numpy()

    def pandas(pd: Any, data: Data) -> Callable[[], Any]:
        left = pd.DataFrame({"t": data["left"], "k": data["left_by"]})
        right = pd.DataFrame({"t": data["right"], "k": data["right_by"], "r": np.arange(len(data["right"]))})
        right = right if by else right.drop(columns="k")
        return lambda: pd.merge_asof(left, right, on="t", by="k" if by else None).r.to_numpy()

    return {"atoll": atoll, "polars": polars, "pandas": pandas}


add("asof", "for each row the last one of another table that is not later", sides, rows, asof(by=False))
add("asof_by", "the same among rows of one of 1000 names", sides, rows, asof(by=True))
