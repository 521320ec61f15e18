# SPDX-License-Identifier: Apache-2.0
"""TPC-H of examples/tpch from Parquet files: Atoll and pandas by the same functions, DuckDB and Polars by SQL."""

from __future__ import annotations

import importlib.util
import re
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.registry import Data, Request, Setup, Skip, Timed, case
from atoll.demo import examples_folder

#: Rows of the largest table at scale 1; `--size` is the number of its rows.
ROWS = 6_000_000
#: The smallest scale of the table generator.
LEAST = 0.001


@cache
def example(name: str) -> ModuleType:
    """Imports a module of the example."""
    spec = importlib.util.spec_from_file_location(f"tpch_{name}", examples_folder() / "tpch" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sql(number: int) -> str:
    """A query as SQL."""
    parts = re.split(r"^-- (\d+)$", (examples_folder() / "tpch" / "queries.sql").read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[str(number)]


@cache
def folder(scale: float) -> tempfile.TemporaryDirectory[str]:
    """The folder of the tables' files, which is removed at the process's end."""
    made = tempfile.TemporaryDirectory(prefix="atoll-tpch-")
    example("tables").generate(Path(made.name), scale)
    return made


def scale_of(size: int) -> float:
    return max(size / ROWS, LEAST)


def make(request: Request) -> Data:
    """The folder of the tables; contenders read them."""
    return {"scale": scale_of(request.size)}


def files(data: Data) -> Path:
    if example("tables").generator() is None:
        raise Skip("tables are made by tpchgen-cli: pip install tpchgen-cli")
    peers.require("pyarrow")
    return Path(folder(data["scale"]).name)


@cache
def of_pandas(scale: float) -> SimpleNamespace:
    """The tables as pandas frames."""
    import pyarrow as pa
    from pyarrow import parquet

    tables: dict[str, Any] = {"fraction": 0.0001 / scale}
    for name in example("tables").TABLES:
        table = parquet.read_table(Path(folder(scale).name) / f"{name}.parquet")
        kinds = [
            pa.float64() if pa.types.is_decimal(one.type) else pa.timestamp("s") if pa.types.is_date(one.type) else
            pa.string() if pa.types.is_string_view(one.type) else one.type for one in table.schema
        ]  # fmt: skip
        schema = pa.schema([pa.field(one.name, kind) for one, kind in zip(table.schema, kinds, strict=True)])
        tables[name] = table.cast(schema).to_pandas()
    return SimpleNamespace(**tables)


@cache
def connected(scale: float, cores: int) -> Any:
    """A DuckDB connection that reads the files in each query."""
    connection = peers.require("duckdb").connect(":memory:")
    connection.execute(f"SET threads TO {cores}")
    for name in example("tables").TABLES:
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{Path(folder(scale).name) / name}.parquet'")
    return connection


def by_polars(scale: float, text: str) -> Any:
    """Polars' answer to an SQL query, from scans of the files; money as floats, as in Atoll."""
    pl = peers.polars()
    tables = {}
    for name in example("tables").TABLES:
        scan = pl.scan_parquet(Path(folder(scale).name) / f"{name}.parquet")
        money = [one for one, kind in scan.collect_schema().items() if isinstance(kind, pl.Decimal)]
        tables[name] = scan.with_columns(pl.col(money).cast(pl.Float64))
    with pl.SQLContext(tables) as context:
        return context.execute(text, eager=True).to_arrow()


def figures(answer: Any) -> Any:
    """The number of rows, and the sums of the numeric columns."""
    if not hasattr(answer, "columns"):
        return np.array(1), np.array([float(answer)])
    columns = [answer[label].to_numpy() for label in answer.columns]
    sums = [column.astype(np.float64).sum() for column in columns if column.dtype.kind in "iuf"]
    return np.array(len(answer)), np.array(sums)


def figures_of_sql(answer: Any) -> Any:
    import pyarrow as pa

    sums = [
        np.nansum(column.cast(pa.float64()).to_numpy())
        for column in answer.columns
        if pa.types.is_decimal(column.type) or pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    ]
    return np.array(answer.num_rows), np.array(sums)


for number in range(1, 23):
    query = case(
        f"tpch.q{number}",
        f"query {number}; size is rows of the largest table, 6 * 10^6 at scale 1",
        make=make,
        nominal_bytes=lambda data: int(data["scale"] * 10**9),
        default_size=ROWS,
    )

    @query.contender("atoll")
    def _(data: Data, setup: Setup, number: int = number) -> Timed:
        files(data)
        peers.atoll(setup)
        path, scale, ask = Path(folder(data["scale"]).name), data["scale"], example("queries").QUERIES[number]
        return Timed(lambda: ask(example("tables").read(path, scale)), figures)

    @query.contender("duckdb")
    def _(data: Data, setup: Setup, number: int = number) -> Timed:
        files(data)
        connection, scale = connected(data["scale"], setup.cores), data["scale"]
        text = sql(number).replace(":fraction", f"{0.0001 / scale:.12f}")
        return Timed(lambda: connection.sql(text).to_arrow_table(), figures_of_sql)

    @query.contender("polars")
    def _(data: Data, setup: Setup, number: int = number) -> Timed:
        files(data)
        text, scale = sql(number).replace(":fraction", f"{0.0001 / data['scale']:.12f}"), data["scale"]
        errors = peers.polars().exceptions
        try:
            by_polars(scale, text)
        except (errors.PolarsError, errors.SQLSyntaxError) as error:
            raise Skip(f"Polars' SQL does not take it: {str(error).splitlines()[0][:80]}") from None
        return Timed(lambda: by_polars(scale, text), figures_of_sql)

    @query.contender("pandas")
    def _(data: Data, setup: Setup, number: int = number) -> Timed:
        files(data)
        peers.require("pandas")
        tables, ask = of_pandas(data["scale"]), example("queries").QUERIES[number]
        return Timed(lambda: ask(tables), figures)
