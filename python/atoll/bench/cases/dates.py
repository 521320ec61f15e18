# SPDX-License-Identifier: Apache-2.0
"""Datetimes in nanoseconds between 1970 and 2033: parts, rounding, strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.cases.strings import texts_of
from atoll.bench.registry import Data, Request, Setup, Timed, case

FORMAT = "%Y-%m-%d %H:%M:%S"


def make(request: Request) -> Data:
    rng = np.random.default_rng(request.seed)
    return {"t": rng.integers(0, 2 * 10**18, request.size)}


def make_texts(request: Request) -> Data:
    seconds = np.random.default_rng(request.seed).integers(0, 2 * 10**9, request.size).view("M8[s]")
    texts = np.strings.replace(np.datetime_as_string(seconds), "T", " ")
    return {"t": peers.require("pyarrow").array(texts.tolist(), "large_string")}


def nominal(data: Data) -> int:
    return int(data["t"].nbytes)


def moments(data: Data) -> Any:
    """The source of the column: datetimes, or strings as they are."""
    values = data["t"]
    return values.view("M8[ns]") if isinstance(values, np.ndarray) else values


def numbers(answer: Any) -> Any:
    """Integers of any dtype; datetimes in nanoseconds."""
    values = np.asarray(answer.to_numpy() if hasattr(answer, "to_numpy") else answer)
    return (values.astype("M8[ns]") if values.dtype.kind == "M" else values).astype(np.int64)


Action = Callable[[Any, Any], Any]


def declare(
    name: str, summary: str, export: Callable[[Any], Any], *, atoll: Action, polars: Action, pandas: Action,
    pyarrow: Action, maker: Callable[[Request], Data] = make,
) -> None:  # fmt: skip
    """Declares a benchmark of one column, with its contenders."""
    dates = case(f"dates.{name}", summary, make=maker, nominal_bytes=nominal, dtype="int64")

    @dates.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        ak = peers.atoll(setup)
        column = ak.array(moments(data))
        return Timed(lambda: atoll(ak, column), export)

    @dates.contender("polars")
    def _(data: Data, setup: Setup) -> Timed:
        pl = peers.polars()
        column = pl.Series("t", moments(data))
        return Timed(lambda: polars(pl, column), export)

    @dates.contender("pandas")
    def _(data: Data, setup: Setup) -> Timed:
        pd = peers.require("pandas")
        values = moments(data)
        column = pd.Series(values if isinstance(values, np.ndarray) else values.to_pandas())
        return Timed(lambda: pandas(pd, column), export)

    @dates.contender("pyarrow")
    def _(data: Data, setup: Setup) -> Timed:
        pa = peers.pyarrow(setup)
        column = pa.array(moments(data))
        return Timed(lambda: pyarrow(pa, column), export)


def declare_part(part: str) -> None:
    declare(
        part, f"the {part} of each moment", numbers,
        atoll=lambda ak, t: getattr(t.dt, part).evaluate(),
        polars=lambda pl, t: getattr(t.dt, part)(),
        pandas=lambda pd, t: getattr(t.dt, part),
        pyarrow=lambda pa, t: getattr(pa.compute, part)(t),
    )  # fmt: skip


for _part in ("year", "month", "hour"):
    declare_part(_part)
declare(
    "floor", "rounded down to hours", numbers,
    atoll=lambda ak, t: t.dt.floor("h"),
    polars=lambda pl, t: t.dt.truncate("1h"),
    pandas=lambda pd, t: t.dt.floor("h"),
    pyarrow=lambda pa, t: pa.compute.floor_temporal(t, unit="hour"),
)  # fmt: skip
declare(
    "strftime", f"as texts, {FORMAT}", texts_of,
    atoll=lambda ak, t: t.dt.strftime(FORMAT),
    polars=lambda pl, t: t.dt.strftime(FORMAT),
    pandas=lambda pd, t: t.dt.strftime(FORMAT),
    pyarrow=lambda pa, t: pa.compute.strftime(t.cast(pa.timestamp("s"), safe=False), format=FORMAT),
)  # fmt: skip
declare(
    "strptime", f"of texts, {FORMAT}", numbers, maker=make_texts,
    atoll=lambda ak, t: ak.to_datetime(t, format=FORMAT),
    polars=lambda pl, t: t.str.to_datetime(FORMAT, time_unit="us"),
    pandas=lambda pd, t: pd.to_datetime(t, format=FORMAT),
    pyarrow=lambda pa, t: pa.compute.strptime(t, format=FORMAT, unit="s"),
)  # fmt: skip
