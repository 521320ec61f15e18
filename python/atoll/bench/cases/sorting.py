# SPDX-License-Identifier: Apache-2.0
"""argsort, coargsort and sort."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.data import aligned_empty, generate
from atoll.bench.registry import Array, Data, Request, Setup, Timed, case


def one_column(request: Request) -> Data:
    return {"a": generate(request.dtype, request.dist, request.size, request.seed)}


def bytes_of_keys(data: Data) -> int:
    return sum(value.nbytes for value in data.values())


def check_permutation(order: Array, size: int) -> None:
    seen = np.zeros(size, np.bool_)
    if order.shape != (size,):
        raise AssertionError(f"shape {order.shape}, expected ({size},)")
    seen[order] = True
    if not seen.all():
        raise AssertionError("not a permutation")


def check_order(data: Data, order: Any, reference: Any) -> None:
    """A permutation that puts the keys in lexicographic order; ties may be in any order."""
    order = np.asarray(order)
    check_permutation(order, next(iter(data.values())).size)
    columns = [value[order] for value in data.values()]
    tied = np.ones(max(columns[0].size - 1, 0), np.bool_)
    for column in columns:
        if (tied & (column[1:] < column[:-1])).any():
            raise AssertionError("not in order")
        tied &= column[1:] == column[:-1]


def sorted_keys(data: Data, order: Any) -> tuple[Array, ...] | Array:
    """The sorted keys, which are equal for every correct answer."""
    columns = tuple(value[np.asarray(order)] for value in data.values())
    return columns if len(columns) > 1 else columns[0]


argsort = case(
    "argsort",
    "order of one key (Atoll's is stable)",
    make=one_column,
    nominal_bytes=bytes_of_keys,
    dtype="int64",
    check=check_order,
    canonical=sorted_keys,
)


@argsort.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    a = ak.array(data["a"])
    return Timed(lambda: ak.argsort(a).evaluate(), lambda answer: answer.to_numpy())


@argsort.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    """Stable, as Atoll's."""
    a = data["a"]
    return Timed(lambda: np.argsort(a, stable=True))


@argsort.contender("numpy-unstable")
def _(data: Data, setup: Setup) -> Timed:
    """NumPy's default, which may swap equal keys."""
    a = data["a"]
    return Timed(lambda: np.argsort(a))


@argsort.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    series = peers.polars().Series(data["a"])
    return Timed(lambda: series.arg_sort(), lambda answer: answer.to_numpy())


@argsort.contender("duckdb")
def _(data: Data, setup: Setup) -> Timed:
    connection = peers.duckdb(setup, t={"a": data["a"], "i": np.arange(data["a"].size)})
    query = "SELECT i FROM t ORDER BY a"
    return Timed(lambda: connection.execute(query).fetchnumpy(), lambda answer: np.asarray(answer["i"]))


@argsort.contender("pyarrow")
def _(data: Data, setup: Setup) -> Timed:
    arrow = peers.pyarrow(setup)
    column = arrow.array(data["a"])
    return Timed(lambda: arrow.compute.array_sort_indices(column), lambda answer: answer.to_numpy())


@argsort.contender("limit")
def _(data: Data, setup: Setup) -> Timed:
    out = aligned_empty(data["a"].size, np.int64)
    return peers.limit(setup, "argsort", [data["a"], out], [], answer=out)


def keys(count: int) -> Any:
    """`count` keys of size/count rows; each but the last has about one distinct value per thousand rows, so that the
    next one decides among its ties."""

    def make(request: Request) -> Data:
        rows = max(1, request.size // count)
        leading = {
            f"k{i}": np.random.default_rng(request.seed + i)
            .integers(0, max(2, rows // 1000), rows)
            .astype(request.dtype)
            for i in range(count - 1)
        }
        return leading | {f"k{count - 1}": generate(request.dtype, request.dist, rows, request.seed + count)}

    return make


for key_count in (2, 3):
    coargsort = case(
        f"coargsort.{key_count}",
        f"lexicographic order of {key_count} keys of N/{key_count} rows",
        make=keys(key_count),
        nominal_bytes=bytes_of_keys,
        dtype="int64",
        check=check_order,
        canonical=sorted_keys,
    )

    @coargsort.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        ak = peers.atoll(setup)
        columns = [ak.array(column) for column in data.values()]
        return Timed(lambda: ak.coargsort(columns).evaluate(), lambda answer: answer.to_numpy())

    @coargsort.contender("numpy")
    def _(data: Data, setup: Setup) -> Timed:
        columns = list(data.values())[::-1]
        return Timed(lambda: np.lexsort(columns))

    @coargsort.contender("polars")
    def _(data: Data, setup: Setup) -> Timed:
        pl = peers.polars()
        frame = pl.DataFrame(data)
        order = pl.arg_sort_by(list(data))
        return Timed(lambda: frame.select(order), lambda answer: answer.to_series().to_numpy())

    @coargsort.contender("duckdb")
    def _(data: Data, setup: Setup) -> Timed:
        rows = next(iter(data.values())).size
        connection = peers.duckdb(setup, t={**data, "i": np.arange(rows)})
        query = f"SELECT i FROM t ORDER BY {', '.join(data)}"
        return Timed(lambda: connection.execute(query).fetchnumpy(), lambda answer: np.asarray(answer["i"]))

    @coargsort.contender("pyarrow")
    def _(data: Data, setup: Setup) -> Timed:
        arrow = peers.pyarrow(setup)
        table = arrow.table(data)
        by = [(name, "ascending") for name in data]
        return Timed(lambda: arrow.compute.sort_indices(table, sort_keys=by), lambda answer: answer.to_numpy())


sort = case("sort", "sorted copy", make=one_column, nominal_bytes=bytes_of_keys, dtype="int64")


@sort.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    a = ak.array(data["a"])
    return Timed(lambda: ak.sort(a).evaluate(), lambda answer: answer.to_numpy())


@sort.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    a = data["a"]
    return Timed(lambda: np.sort(a))


@sort.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    series = peers.polars().Series(data["a"])
    return Timed(lambda: series.sort(), lambda answer: answer.to_numpy())


@sort.contender("duckdb")
def _(data: Data, setup: Setup) -> Timed:
    connection = peers.duckdb(setup, t={"a": data["a"]})
    query = "SELECT a FROM t ORDER BY a"
    return Timed(lambda: connection.execute(query).fetchnumpy(), lambda answer: np.asarray(answer["a"]))


@sort.contender("limit")
def _(data: Data, setup: Setup) -> Timed:
    out = aligned_empty(data["a"].size, data["a"].dtype)
    return peers.limit(setup, "sort", [data["a"], out], [], answer=out)
