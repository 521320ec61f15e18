# SPDX-License-Identifier: Apache-2.0
"""H2O's data frame benchmark: ten group-by questions and five joins, on frames in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.registry import Data, Request, Setup, Timed, case

#: Distinct values of the short keys.
FEW = 100
VALUES = ("v1", "v2", "v3")

# -- data: strings are numbered here, and each contender makes its own strings --


def make_groups(request: Request) -> Data:
    """The table of the group-by questions: three string keys, three integer keys, three values."""
    rng, n = np.random.default_rng(request.seed), request.size
    many = max(n // FEW, 1)
    columns: Data = {
        name: rng.integers(0, count, n) for name, count in zip(("id1", "id2", "id3"), (FEW, FEW, many), strict=True)
    }
    columns |= {
        name: rng.integers(1, count + 1, n) for name, count in zip(("id4", "id5", "id6"), (FEW, FEW, many), strict=True)
    }
    columns |= {"v1": rng.integers(1, 6, n), "v2": rng.integers(1, 16, n), "v3": np.round(rng.uniform(0, 100, n), 6)}
    return columns


def group_table(data: Data) -> Any:
    """The data as a pyarrow table."""
    pa = peers.require("pyarrow")
    columns = dict(data)
    for name, width in (("id1", 3), ("id2", 3), ("id3", 10)):
        columns[name] = texts(data[name], f"id{{:0{width}d}}")
    return pa.table(columns)


def texts(codes: Any, form: str) -> Any:
    """Numbers as strings."""
    pa = peers.require("pyarrow")
    names = pa.array([form.format(number + 1) for number in range(int(codes.max()) + 1)])
    return pa.DictionaryArray.from_arrays(pa.array(codes), names).cast(pa.string())


def make_joins(request: Request) -> Data:
    """The tables of the join questions: one of N rows, others of N/10^6, N/10^3 and N rows."""
    rng, n = np.random.default_rng(request.seed), request.size
    sizes = {"small": max(n // 10**6, 1), "medium": max(n // 1000, 1), "big": n}
    keys = dict(zip(("id1", "id2", "id3"), sizes.values(), strict=True))
    data: Data = {f"x.{name}": rng.integers(0, max(int(count * 1.1), 1), n) for name, count in keys.items()}
    data["x.v1"] = np.round(rng.uniform(0, 100, n), 6)
    for table, (key, count) in zip(sizes, keys.items(), strict=True):
        data[f"{table}.{key}"] = rng.permutation(max(int(count * 1.1), 1))[:count]
        data[f"{table}.v2"] = np.round(rng.uniform(0, 100, count), 6)
    return data


def join_table(data: Data, name: str) -> Any:
    """The data as a pyarrow table: each key is an integer, and a string (id4 for id1 and so on)."""
    pa = peers.require("pyarrow")
    columns = {key.split(".")[1]: values for key, values in data.items() if key.startswith(f"{name}.")}
    for key, other in (("id1", "id4"), ("id2", "id5"), ("id3", "id6")):
        if key in columns and (name == "x" or key == "id2"):
            columns[other] = texts(columns[key], "id{}")
    return pa.table(columns)


# -- questions: in pandas' style for Atoll and pandas, as Polars expressions, and in SQL --


def _top(df: Any) -> Any:
    order = df[["id6", "v3"]].dropna().sort_values("v3", ascending=False)
    return order.groupby("id6", as_index=False).head(2)


def _regression(df: Any) -> Any:
    """The square of the correlation of v1 and v2 in each group, by the sums that make it."""
    both = df[["id2", "id4", "v1", "v2"]].assign(xy=df.v1 * df.v2, xx=df.v1 * df.v1, yy=df.v2 * df.v2)
    sums = both.groupby(["id2", "id4"]).agg(
        n=("v1", "size"), x=("v1", "sum"), y=("v2", "sum"), xy=("xy", "sum"), xx=("xx", "sum"), yy=("yy", "sum")
    )
    top = (sums.n * sums.xy - sums.x * sums.y) ** 2
    return (top / ((sums.n * sums.xx - sums.x**2) * (sums.n * sums.yy - sums.y**2))).reset_index(name="r2")


def _range(df: Any) -> Any:
    found = df.groupby("id3").agg(high=("v1", "max"), low=("v2", "min"))
    return (found.high - found.low).reset_index(name="range")


Question = tuple[str, Callable[[Any], Any], Callable[[Any, Any], Any], str]

GROUPS: dict[str, Question] = {
    "g1": (
        "sum of v1 by id1",
        lambda df: df.groupby("id1", as_index=False).agg({"v1": "sum"}),
        lambda pl, df: df.group_by("id1").agg(pl.sum("v1")),
        "SELECT id1, sum(v1) AS v1 FROM t GROUP BY id1",
    ),
    "g2": (
        "sum of v1 by id1 and id2",
        lambda df: df.groupby(["id1", "id2"], as_index=False).agg({"v1": "sum"}),
        lambda pl, df: df.group_by("id1", "id2").agg(pl.sum("v1")),
        "SELECT id1, id2, sum(v1) AS v1 FROM t GROUP BY id1, id2",
    ),
    "g3": (
        "sum of v1 and mean of v3 by id3",
        lambda df: df.groupby("id3", as_index=False).agg({"v1": "sum", "v3": "mean"}),
        lambda pl, df: df.group_by("id3").agg(pl.sum("v1"), pl.mean("v3")),
        "SELECT id3, sum(v1) AS v1, avg(v3) AS v3 FROM t GROUP BY id3",
    ),
    "g4": (
        "means of v1 to v3 by id4",
        lambda df: df.groupby("id4", as_index=False).agg({"v1": "mean", "v2": "mean", "v3": "mean"}),
        lambda pl, df: df.group_by("id4").agg(pl.mean(*VALUES)),
        "SELECT id4, avg(v1) AS v1, avg(v2) AS v2, avg(v3) AS v3 FROM t GROUP BY id4",
    ),
    "g5": (
        "sums of v1 to v3 by id6",
        lambda df: df.groupby("id6", as_index=False).agg({"v1": "sum", "v2": "sum", "v3": "sum"}),
        lambda pl, df: df.group_by("id6").agg(pl.sum(*VALUES)),
        "SELECT id6, sum(v1) AS v1, sum(v2) AS v2, sum(v3) AS v3 FROM t GROUP BY id6",
    ),
    "g6": (
        "median and standard deviation of v3 by id4 and id5",
        lambda df: df.groupby(["id4", "id5"], as_index=False).agg(median=("v3", "median"), sd=("v3", "std")),
        lambda pl, df: df.group_by("id4", "id5").agg(pl.median("v3").alias("median"), pl.std("v3").alias("sd")),
        "SELECT id4, id5, quantile_cont(v3, 0.5) AS median, stddev(v3) AS sd FROM t GROUP BY id4, id5",
    ),
    "g7": (
        "largest v1 less smallest v2 by id3",
        _range,
        lambda pl, df: df.group_by("id3").agg((pl.max("v1") - pl.min("v2")).alias("range")),
        "SELECT id3, max(v1) - min(v2) AS range FROM t GROUP BY id3",
    ),
    "g8": (
        "the two largest v3 by id6",
        _top,
        lambda pl, df: df.drop_nulls("v3").group_by("id6").agg(pl.col("v3").top_k(2)).explode("v3"),
        "SELECT id6, v3 FROM (SELECT id6, v3, row_number() OVER (PARTITION BY id6 ORDER BY v3 DESC) AS place FROM t) "
        "WHERE place <= 2",
    ),
    "g9": (
        "squared correlation of v1 and v2 by id2 and id4",
        _regression,
        lambda pl, df: df.group_by("id2", "id4").agg((pl.corr("v1", "v2") ** 2).alias("r2")),
        "SELECT id2, id4, corr(v1, v2) ^ 2 AS r2 FROM t GROUP BY id2, id4",
    ),
    "g10": (
        "sum of v3 and count by all six keys",
        lambda df: df.groupby(["id1", "id2", "id3", "id4", "id5", "id6"], as_index=False).agg(
            v3=("v3", "sum"), count=("v1", "size")
        ),
        lambda pl, df: df.group_by("id1", "id2", "id3", "id4", "id5", "id6").agg(pl.sum("v3"), pl.len().alias("count")),
        "SELECT id1, id2, id3, id4, id5, id6, sum(v3) AS v3, count(*) AS count FROM t "
        "GROUP BY id1, id2, id3, id4, id5, id6",
    ),
}

#: name -> what it is, the other table, how, and by which key.
JOINS: dict[str, tuple[str, str, str, str]] = {
    "j1": ("N with N/10^6 rows, by integers", "small", "inner", "id1"),
    "j2": ("N with N/10^3 rows, by integers", "medium", "inner", "id2"),
    "j3": ("N with N/10^3 rows, left", "medium", "left", "id2"),
    "j4": ("N with N/10^3 rows, by texts", "medium", "inner", "id5"),
    "j5": ("N with N rows, by integers", "big", "inner", "id3"),
}

# -- answers: number of rows, and the sum of each numeric column, independent of order --


def figures(columns: dict[str, Any]) -> tuple[Any, ...]:
    """The number of rows, and the sum of each float column."""
    first = next(iter(columns.values()))
    sums = [np.nansum(np.asarray(one, dtype=np.float64)) for one in columns.values()]
    return (np.array(len(first)), np.array(sums))


def by_atoll(answer: Any) -> dict[str, Any]:
    return {name: column.to_numpy() for name, column in answer.items() if _is_number(column.dtype)}


def by_polars(answer: Any) -> dict[str, Any]:
    return {column.name: column.to_numpy() for column in answer if column.dtype.is_numeric()}


def by_duckdb(answer: Any) -> dict[str, Any]:
    arrow = peers.require("pyarrow")
    columns = zip(answer.column_names, answer.columns, strict=True)
    return {name: column.to_numpy() for name, column in columns if not arrow.types.is_string(column.type)}


def _is_number(dtype: Any) -> bool:
    return getattr(dtype, "kind", "O") in "iuf"


def evaluated(answer: Any) -> Any:
    """A frame whose columns are all computed."""
    for column in answer._columns:
        evaluate = getattr(column, "evaluate", None)
        if evaluate is not None:
            evaluate()
    return answer


def size_of(data: Data) -> int:
    return sum(one.nbytes for one in data.values())


for name, (what, in_pandas, in_polars, sql) in GROUPS.items():
    question = case(f"h2o.{name}", what, make=make_groups, nominal_bytes=size_of, dtype="int64")

    @question.contender("atoll")
    def _(data: Data, setup: Setup, ask: Any = in_pandas) -> Timed:
        frame = peers.atoll(setup).DataFrame(group_table(data))
        return Timed(lambda: evaluated(ask(frame)), lambda answer: figures(by_atoll(answer)))

    @question.contender("polars")
    def _(data: Data, setup: Setup, ask: Any = in_polars) -> Timed:
        pl = peers.polars()
        frame = pl.from_arrow(group_table(data))
        return Timed(lambda: ask(pl, frame), lambda answer: figures(by_polars(answer)))

    @question.contender("duckdb")
    def _(data: Data, setup: Setup, sql: str = sql) -> Timed:
        connection = peers.duckdb(setup)
        connection.register("arrow", group_table(data))
        connection.execute("CREATE TABLE t AS SELECT * FROM arrow")
        return Timed(lambda: connection.sql(sql).to_arrow_table(), lambda answer: figures(by_duckdb(answer)))

    @question.contender("pandas")
    def _(data: Data, setup: Setup, ask: Any = in_pandas) -> Timed:
        frame = peers.require("pandas") and group_table(data).to_pandas()
        return Timed(lambda: ask(frame), lambda answer: figures(by_atoll(answer)))


for name, (what, other, how, key) in JOINS.items():
    question = case(f"h2o.{name}", what, make=make_joins, nominal_bytes=size_of, dtype="int64")

    @question.contender("atoll")
    def _(data: Data, setup: Setup, other: str = other, how: str = how, key: str = key) -> Timed:
        ak = peers.atoll(setup)
        left, right = ak.DataFrame(join_table(data, "x")), ak.DataFrame(join_table(data, other))
        return Timed(
            lambda: evaluated(left.merge(right, on=key, how=how)),
            lambda answer: figures(by_atoll(answer[["v1", "v2"]])),
        )

    @question.contender("polars")
    def _(data: Data, setup: Setup, other: str = other, how: str = how, key: str = key) -> Timed:
        pl = peers.polars()
        left, right = pl.from_arrow(join_table(data, "x")), pl.from_arrow(join_table(data, other))
        return Timed(
            lambda: left.join(right, on=key, how=how), lambda answer: figures(by_polars(answer.select("v1", "v2")))
        )

    @question.contender("duckdb")
    def _(data: Data, setup: Setup, other: str = other, how: str = how, key: str = key) -> Timed:
        connection = peers.duckdb(setup)
        for table in ("x", other):
            connection.register("arrow", join_table(data, table))
            connection.execute(f"CREATE TABLE {table} AS SELECT * FROM arrow")
        sql = f"SELECT x.*, {other}.* FROM x {how.upper()} JOIN {other} USING ({key})"
        return Timed(
            lambda: connection.sql(sql).to_arrow_table(),
            lambda answer: figures(by_duckdb(answer.select(["v1", "v2"]))),
        )

    @question.contender("pandas")
    def _(data: Data, setup: Setup, other: str = other, how: str = how, key: str = key) -> Timed:
        peers.require("pandas")
        left, right = join_table(data, "x").to_pandas(), join_table(data, other).to_pandas()
        return Timed(lambda: left.merge(right, on=key, how=how), lambda answer: figures(by_atoll(answer[["v1", "v2"]])))
