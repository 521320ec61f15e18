# SPDX-License-Identifier: Apache-2.0
"""Files that are in the page cache: Parquet and CSV, read and written."""

from __future__ import annotations

import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.cases.strings import random_texts
from atoll.bench.registry import Case, Data, Request, Setup, Timed, case


def numbers(rng: np.random.Generator, n: int) -> Any:
    return peers.require("pyarrow").table({"x": rng.integers(0, 1 << 60, n)})


def floats(rng: np.random.Generator, n: int) -> Any:
    return peers.require("pyarrow").table({"x": rng.random(n)})


def texts(rng: np.random.Generator, n: int) -> Any:
    return peers.require("pyarrow").table({"x": random_texts(rng, n)})


def mixed(rng: np.random.Generator, n: int) -> Any:
    pa = peers.require("pyarrow")
    from pyarrow import compute

    # Without the sign in front some texts, "nan" say, would be what stands for a missing value.
    sign, between = pa.scalar("_", pa.large_string()), pa.scalar("", pa.large_string())
    signed = compute.binary_join_element_wise(sign, random_texts(rng, n), between)
    return pa.table({"i": rng.integers(0, 1 << 30, n), "f": rng.random(n), "t": signed})


class Folder:
    """A directory that goes with its object."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="atoll-bench-")
        weakref.finalize(self, shutil.rmtree, self.name)


Make = Callable[[np.random.Generator, int], Any]


def in_file(make: Make, ending: str, **options: Any) -> Callable[[Request], Data]:
    """Data: the table, and a file of it in a directory that goes with it."""

    def made(request: Request) -> Data:
        table = make(np.random.default_rng(request.seed), request.size)
        folder = Folder()
        path = pathlib.Path(folder.name) / f"data.{ending}"
        if ending == "csv":
            peers.require("pyarrow")
            from pyarrow import csv

            csv.write_csv(table, path)
        else:
            from pyarrow import parquet

            parquet.write_table(table, path, **options)
        return {"table": table, "folder": folder, "path": str(path)}

    return made


def nominal(data: Data) -> int:
    return int(data["table"].nbytes)


def columns_of(answer: Any) -> list[Any]:
    """Every column, as Arrow has it."""
    pa = peers.require("pyarrow")
    if isinstance(answer, dict):
        arrays = [one.to_arrow() if hasattr(one, "to_arrow") else pa.array(one.to_numpy()) for one in answer.values()]
    else:
        arrays = list(answer.columns if isinstance(answer, pa.Table) else answer.to_arrow().columns)
    return [one.combine_chunks() if isinstance(one, pa.ChunkedArray) else one for one in arrays]


def figures(answer: Any) -> tuple[Any, ...]:
    """What tells columns apart: numbers as they are, of texts lengths and bytes."""
    pa = peers.require("pyarrow")
    found: list[Any] = []
    for array in columns_of(answer):
        if pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
            found.append(array.to_numpy())
        else:
            whole = pa.concat_arrays([array.cast(pa.large_string())])
            offsets = np.frombuffer(whole.buffers()[1], np.int64)
            found += [np.diff(offsets), np.frombuffer(whole.buffers()[2], np.uint8)[: offsets[-1]]]
    return tuple(found)


def reads(one: Case, csv: bool) -> None:
    @one.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        peers.atoll(setup)
        from atoll.io.csv import csv_columns
        from atoll.io.parquet import parquet_columns

        read = csv_columns if csv else parquet_columns
        return Timed(lambda: read(data["path"]), figures)

    @one.contender("polars")
    def _(data: Data, setup: Setup) -> Timed:
        pl = peers.polars()
        read = pl.read_csv if csv else pl.read_parquet
        return Timed(lambda: read(data["path"]), figures)

    @one.contender("duckdb")
    def _(data: Data, setup: Setup) -> Timed:
        connection = peers.duckdb(setup)
        return Timed(lambda: connection.sql(f"SELECT * FROM '{data['path']}'").to_arrow_table(), figures)

    @one.contender("pyarrow")
    def _(data: Data, setup: Setup) -> Timed:
        peers.pyarrow(setup)
        from pyarrow import csv as arrow_csv
        from pyarrow import parquet

        read = arrow_csv.read_csv if csv else parquet.read_table
        return Timed(lambda: read(data["path"]), figures)

    @one.contender("pandas")
    def _(data: Data, setup: Setup) -> Timed:
        pandas = peers.require("pandas")
        read = pandas.read_csv if csv else pandas.read_parquet
        return Timed(lambda: peers.require("pyarrow").Table.from_pandas(read(data["path"])), figures)


for name, make, options in (
    ("int64", numbers, {"compression": "none", "use_dictionary": False}),
    ("float64", floats, {"compression": "none", "use_dictionary": False}),
    ("snappy", numbers, {"use_dictionary": False}),
    ("texts", texts, {}),
):
    reads(
        case(
            f"io.parquet.{name}", f"a Parquet file of one column is read: {name}",
            make=in_file(make, "parquet", **options), nominal_bytes=nominal,
            default_size=10_000_000 if name != "texts" else 2_000_000,
        ),
        csv=False,
    )  # fmt: skip

reads(
    case(
        "io.csv", "a CSV file of whole numbers, numbers and texts is read", make=in_file(mixed, "csv"),
        nominal_bytes=nominal, default_size=1_000_000,
    ),
    csv=True,
)  # fmt: skip

write = case(
    "io.write", "numbers and texts are written to a Parquet file, packed by Snappy", make=in_file(mixed, "parquet"),
    nominal_bytes=nominal, default_size=1_000_000,
)  # fmt: skip


def written(data: Data, name: str) -> Callable[[Any], Any]:
    """What is in the file that has been written."""

    def export(_: Any) -> Any:
        from pyarrow import parquet

        return figures(parquet.read_table(f"{data['folder'].name}/{name}"))

    return export


@write.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    from atoll.io.parquet import write_parquet

    columns = {name: ak.array(data["table"][name].combine_chunks()) for name in data["table"].column_names}
    return Timed(lambda: write_parquet(f"{data['folder'].name}/atoll", columns), written(data, "atoll"))


@write.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    frame = peers.polars().from_arrow(data["table"])
    return Timed(
        lambda: frame.write_parquet(f"{data['folder'].name}/polars", compression="snappy"), written(data, "polars")
    )


@write.contender("pyarrow")
def _(data: Data, setup: Setup) -> Timed:
    peers.pyarrow(setup)
    from pyarrow import parquet

    return Timed(lambda: parquet.write_table(data["table"], f"{data['folder'].name}/pyarrow"), written(data, "pyarrow"))
