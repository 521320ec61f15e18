# SPDX-License-Identifier: Apache-2.0
"""reduce and scan: one number, or running ones, from a column."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.data import aligned_empty, near_one
from atoll.bench.registry import Case, Data, Request, Setup, Skip, Timed, case

#: NumPy's name -> Polars' name.
REDUCTIONS = {
    "sum": "sum",
    "prod": "product",
    "min": "min",
    "max": "max",
    "argmin": "arg_min",
    "argmax": "arg_max",
}

SCANS = {"cumsum": ("cum_sum", "cumulative_sum"), "cumprod": ("cum_prod", "cumulative_prod")}


def make(request: Request) -> Data:
    """Near 1: the product of 10^7 of them would be a denormal otherwise, which measures the processor, not memory."""
    values = near_one(request.size, request.seed)
    if np.dtype(request.dtype).kind in "iu":
        return {"a": (values * 1000).astype(request.dtype)}
    # Pairs of a value and its inverse, so that products stay near 1.
    half = values[: (request.size + 1) // 2] * 0.001 + 0.9995
    values[0::2] = half
    values[1::2] = 1.0 / half[: request.size // 2]
    return {"a": values.astype(request.dtype, copy=False)}


def export_scalar(answer: Any) -> Any:
    return np.asarray(answer)


def declare_reduction(name: str, polars_name: str) -> Case:
    reduce = case(
        f"reduce.{name}",
        f"{name} of a column",
        make=make,
        nominal_bytes=lambda data: data["a"].nbytes,
        # Hand-written loops return every checksum as a double.
        canonical=lambda data, answer: np.int64(answer) if name.startswith("arg") else answer,
    )

    @reduce.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        ak = peers.atoll(setup)
        a, reduction = ak.array(data["a"]), getattr(ak, name)
        return Timed(lambda: reduction(a), export_scalar)

    @reduce.contender("numpy")
    def _(data: Data, setup: Setup) -> Timed:
        a, reduction = data["a"], getattr(np, name)
        return Timed(lambda: reduction(a), export_scalar)

    @reduce.contender("polars")
    def _(data: Data, setup: Setup) -> Timed:
        reduction = getattr(peers.polars().Series(data["a"]), polars_name)
        return Timed(lambda: reduction(), export_scalar)

    @reduce.contender("duckdb")
    def _(data: Data, setup: Setup) -> Timed:
        if name not in ("sum", "min", "max"):
            raise Skip(f"has no {name} of a column without row numbers")
        connection = peers.duckdb(setup, t={"a": data["a"]})
        query = f"SELECT {name}(a) FROM t"
        return Timed(lambda: connection.execute(query).fetchall()[0][0], export_scalar)

    @reduce.contender("numexpr")
    def _(data: Data, setup: Setup) -> Timed:
        if name.startswith("arg"):
            raise Skip(f"has no {name}")
        ne = peers.numexpr(setup)
        names = {"a": data["a"]}
        return Timed(lambda: ne.evaluate(f"{name}(a)", names), export_scalar)

    @reduce.contender("limit")
    def _(data: Data, setup: Setup) -> Timed:
        return peers.limit(setup, name, [data["a"]], [])

    return reduce


def declare_scan(name: str, polars_name: str, arrow_name: str) -> Case:
    scan = case(f"scan.{name}", f"{name} of a column", make=make, nominal_bytes=lambda data: 2 * data["a"].nbytes)

    @scan.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        ak = peers.atoll(setup)
        a, function = ak.array(data["a"]), getattr(ak, name)
        return Timed(lambda: function(a).evaluate(), lambda answer: answer.to_numpy())

    @scan.contender("numpy")
    def _(data: Data, setup: Setup) -> Timed:
        a, function = data["a"], getattr(np, name)
        return Timed(lambda: function(a))

    @scan.contender("polars")
    def _(data: Data, setup: Setup) -> Timed:
        function = getattr(peers.polars().Series(data["a"]), polars_name)
        return Timed(lambda: function(), lambda answer: answer.to_numpy())

    @scan.contender("pyarrow")
    def _(data: Data, setup: Setup) -> Timed:
        arrow = peers.pyarrow(setup)
        column, function = arrow.array(data["a"]), getattr(arrow.compute, arrow_name)
        return Timed(lambda: function(column), lambda answer: answer.to_numpy())

    @scan.contender("limit")
    def _(data: Data, setup: Setup) -> Timed:
        out = aligned_empty(data["a"].size, data["a"].dtype)
        return peers.limit(setup, name, [data["a"], out], [], answer=out)

    return scan


for numpy_name, polars_reduction in REDUCTIONS.items():
    declare_reduction(numpy_name, polars_reduction)
for numpy_name, (polars_scan, arrow_scan) in SCANS.items():
    declare_scan(numpy_name, polars_scan, arrow_scan)
