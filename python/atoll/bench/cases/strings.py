# SPDX-License-Identifier: Apache-2.0
"""Strings of 1 to 15 bytes: sorting, distinct values, searching, gathering, groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.registry import Case, Data, Request, Setup, Timed, case

LONGEST = 15
DISTINCT = 100_000
NEEDLE, HEAD = "ab", "ab"


def random_texts(rng: np.random.Generator, n: int) -> Any:
    """pyarrow's large_string of small letters, lengths evenly between 1 and 15."""
    pa = peers.require("pyarrow")
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(rng.integers(1, LONGEST + 1, n), out=offsets[1:])
    letters = rng.integers(ord("a"), ord("z") + 1, int(offsets[-1]), dtype=np.uint8)
    return pa.Array.from_buffers(pa.large_string(), n, [None, pa.py_buffer(offsets), pa.py_buffer(letters)])


def make(request: Request) -> Data:
    return {"t": random_texts(np.random.default_rng(request.seed), request.size)}


def make_few(request: Request) -> Data:
    rng = np.random.default_rng(request.seed)
    known = random_texts(rng, max(min(DISTINCT, request.size // 10), 1))
    rows = rng.integers(0, len(known), request.size)
    return {"t": known.take(peers.require("pyarrow").array(rows)), "v": rng.integers(0, 100, request.size)}


def make_gather(request: Request) -> Data:
    rng = np.random.default_rng(request.seed)
    return {"t": random_texts(rng, request.size), "i": rng.integers(0, request.size, request.size)}


def nominal(data: Data) -> int:
    return int(data["t"].nbytes)


def texts_of(answer: Any) -> tuple[Any, Any]:
    """Lengths and bytes of an Arrow string array."""
    pa = peers.require("pyarrow")
    array = answer.to_arrow() if hasattr(answer, "to_arrow") else pa.array(answer)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    array = array.cast(pa.large_string())
    if len(array) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.uint8)
    offsets = np.frombuffer(array.buffers()[1], np.int64)[array.offset : array.offset + len(array) + 1]
    return np.diff(offsets), np.frombuffer(array.buffers()[2], np.uint8)[offsets[0] : offsets[-1]]


def sorted_texts(answer: Any) -> tuple[Any, Any]:
    pa = peers.require("pyarrow")
    array = answer.to_arrow() if hasattr(answer, "to_arrow") else pa.array(answer)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    return texts_of(array.cast(pa.large_string()).sort())


def by_order(data: Data) -> Callable[[Any], tuple[Any, Any]]:
    """The strings in the order of the permutation; equal strings may be in any order."""
    return lambda rows: texts_of(data["t"].take(peers.require("pyarrow").array(np.asarray(rows, np.int64))))


Action = Callable[[Any, Data], Any]
Exporter = Callable[[Data], Callable[[Any], Any]]


def plain(data: Data) -> Callable[[Any], Any]:
    return lambda answer: np.asarray(answer, dtype=bool)


def declare(
    name: str, summary: str, maker: Callable[[Request], Data], export: Exporter, *,
    atoll: Action, polars: Action, pandas: Action, pyarrow: Action, duckdb: str,
) -> Case:  # fmt: skip
    """Declares a benchmark of one column `t`, with its contenders."""
    texts = case(f"strings.{name}", summary, make=maker, nominal_bytes=nominal, dtype="int64")

    @texts.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        ak = peers.atoll(setup)
        own = {key: ak.array(value) for key, value in data.items()}
        return Timed(lambda: atoll(ak, own), export(data))

    @texts.contender("polars")
    def _(data: Data, setup: Setup) -> Timed:
        pl = peers.polars()
        own = {key: pl.Series(key, value) for key, value in data.items()}
        return Timed(lambda: polars(pl, own), export(data))

    @texts.contender("duckdb")
    def _(data: Data, setup: Setup) -> Timed:
        rows = np.arange(len(data["t"]))
        connection = peers.duckdb(setup, t={**data, "r": rows})
        return Timed(lambda: connection.sql(duckdb).to_arrow_table().column(0), export(data))

    @texts.contender("pandas")
    def _(data: Data, setup: Setup) -> Timed:
        pd = peers.require("pandas")
        own = {"t": pd.Series(data["t"].to_pandas(), dtype="str")}
        own |= {key: pd.Series(value) for key, value in data.items() if key != "t"}
        return Timed(lambda: pandas(pd, own), export(data))

    @texts.contender("pyarrow")
    def _(data: Data, setup: Setup) -> Timed:
        pa = peers.pyarrow(setup)
        own = {key: value if key == "t" else pa.array(value) for key, value in data.items()}
        return Timed(lambda: pyarrow(pa, own), export(data))

    return texts


declare(
    "sort", "random texts in order", make, lambda data: texts_of,
    atoll=lambda ak, d: ak.sort(d["t"]),
    polars=lambda pl, d: d["t"].sort(),
    pandas=lambda pd, d: d["t"].sort_values(),
    pyarrow=lambda pa, d: d["t"].take(pa.compute.array_sort_indices(d["t"])),
    duckdb="SELECT t FROM t ORDER BY t",
)  # fmt: skip
declare(
    "argsort", "the order of random texts", make, by_order,
    atoll=lambda ak, d: ak.argsort(d["t"]).evaluate(),
    polars=lambda pl, d: d["t"].arg_sort(),
    pandas=lambda pd, d: d["t"].argsort(),
    pyarrow=lambda pa, d: pa.compute.array_sort_indices(d["t"]),
    duckdb="SELECT r FROM t ORDER BY t",
)  # fmt: skip
for _name, _summary, _make in (
    ("unique", "distinct ones of random texts", make),
    ("unique_few", "distinct ones of 10^5 texts", make_few),
):
    declare(
        _name, _summary, _make, lambda data: sorted_texts,
        atoll=lambda ak, d: ak.unique(d["t"]),
        polars=lambda pl, d: d["t"].unique(),
        pandas=lambda pd, d: d["t"].unique(),
        pyarrow=lambda pa, d: d["t"].unique(),
        duckdb="SELECT DISTINCT t FROM t",
    )  # fmt: skip
declare(
    "contains", f"texts that have '{NEEDLE}' in them", make, plain,
    atoll=lambda ak, d: d["t"].str.contains(NEEDLE, regex=False).evaluate(),
    polars=lambda pl, d: d["t"].str.contains(NEEDLE, literal=True),
    pandas=lambda pd, d: d["t"].str.contains(NEEDLE, regex=False),
    pyarrow=lambda pa, d: pa.compute.match_substring(d["t"], NEEDLE),
    duckdb=f"SELECT contains(t, '{NEEDLE}') FROM t",
)  # fmt: skip
declare(
    "startswith", f"texts that begin with '{HEAD}'", make, plain,
    atoll=lambda ak, d: d["t"].str.startswith(HEAD).evaluate(),
    polars=lambda pl, d: d["t"].str.starts_with(HEAD),
    pandas=lambda pd, d: d["t"].str.startswith(HEAD),
    pyarrow=lambda pa, d: pa.compute.starts_with(d["t"], HEAD),
    duckdb=f"SELECT starts_with(t, '{HEAD}') FROM t",
)  # fmt: skip
declare(
    "gather", "texts by random row numbers", make_gather, lambda data: texts_of,
    atoll=lambda ak, d: d["t"][d["i"]],
    polars=lambda pl, d: d["t"].gather(d["i"]),
    pandas=lambda pd, d: d["t"].take(d["i"]),
    pyarrow=lambda pa, d: d["t"].take(d["i"]),
    duckdb="SELECT s.t FROM t JOIN t AS s ON t.i = s.r ORDER BY t.r",
)  # fmt: skip
declare(
    "groupby", "sum by 10^5 texts", make_few, lambda data: lambda answer: np.sort(np.asarray(answer, np.int64)),
    atoll=lambda ak, d: ak.groupby(d["t"]).sum(d["v"]).evaluate(),
    polars=lambda pl, d: pl.DataFrame(d).group_by("t").agg(pl.col("v").sum())["v"],
    pandas=lambda pd, d: d["v"].groupby(d["t"], sort=False).sum(),
    pyarrow=lambda pa, d: pa.table(d).group_by("t").aggregate([("v", "sum")])["v_sum"],
    duckdb="SELECT sum(v)::BIGINT AS v FROM t GROUP BY t",
)  # fmt: skip
