# SPDX-License-Identifier: Apache-2.0
"""Reading and writing Parquet files in the page cache; and shared code of the other formats' cases."""

from __future__ import annotations

import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.cases.strings import random_texts
from atoll.bench.registry import Case, Data, Request, Setup, Timed, case

# -- data --


def integers(rng: np.random.Generator, n: int) -> Any:
    """A column of 60-bit integers."""
    return peers.require("pyarrow").table({"x": rng.integers(0, 1 << 60, n)})


def floats(rng: np.random.Generator, n: int) -> Any:
    """A column of floats."""
    return peers.require("pyarrow").table({"x": rng.random(n)})


def texts(rng: np.random.Generator, n: int) -> Any:
    """A column of strings of 1 to 15 letters."""
    return peers.require("pyarrow").table({"x": random_texts(rng, n)})


def few_texts(rng: np.random.Generator, n: int) -> Any:
    """A string column with a thousand distinct values."""
    pa = peers.require("pyarrow")
    words = random_texts(rng, max(min(1000, n // 10), 1))
    return pa.table({"x": words.take(pa.array(rng.integers(0, len(words), n)))})


def numbers(rng: np.random.Generator, n: int) -> Any:
    """Two columns of integers, two of floats."""
    whole = {name: rng.integers(0, 1 << 30, n) for name in ("i", "j")}
    return peers.require("pyarrow").table({**whole, "f": rng.random(n), "g": rng.normal(0, 100, n)})


def mixed(rng: np.random.Generator, n: int) -> Any:
    """A column of integers, one of floats, one of strings."""
    pa = peers.require("pyarrow")
    from pyarrow import compute

    # Without the prefix some strings, such as "nan", would be parsed as missing values.
    sign, between = pa.scalar("_", pa.large_string()), pa.scalar("", pa.large_string())
    signed = compute.binary_join_element_wise(sign, random_texts(rng, n), between)
    return pa.table({"i": rng.integers(0, 1 << 30, n), "f": rng.random(n), "t": signed})


Make = Callable[[np.random.Generator, int], Any]


class Folder:
    """A directory that is removed with its object."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="atoll-bench-")
        weakref.finalize(self, shutil.rmtree, self.name)


def with_folder(make: Make, write: Callable[[Any, str], Any] | None = None) -> Callable[[Request], Data]:
    """Data: the table, a directory, and, if a writer is given, a file of the table in it."""

    def made(request: Request) -> Data:
        table = make(np.random.default_rng(request.seed), request.size)
        folder = Folder()
        path = str(pathlib.Path(folder.name) / "data")
        if write is not None:
            write(table, path)
        return {"table": table, "folder": folder, "path": path}

    return made


def nominal(data: Data) -> int:
    return int(data["table"].nbytes)


# -- answers --


def columns_of(answer: Any) -> list[Any]:
    """Every column as an Arrow array."""
    pa = peers.require("pyarrow")
    if isinstance(answer, dict):
        arrays = [one.to_arrow() if hasattr(one, "to_arrow") else pa.array(np.asarray(one)) for one in answer.values()]
    elif isinstance(answer, pa.Table):
        arrays = list(answer.columns)
    elif hasattr(answer, "to_arrow"):  # Polars
        arrays = list(answer.to_arrow().columns)
    else:
        arrays = list(pa.Table.from_pandas(answer, preserve_index=False).columns)
    return [one.combine_chunks() if isinstance(one, pa.ChunkedArray) else one for one in arrays]


def figures(answer: Any) -> tuple[Any, ...]:
    """A comparable form: numbers as they are, and lengths and bytes of strings."""
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


# -- contenders: functions that read a path, and that write a table to a path --

Read = Callable[[str], Any]
Write = Callable[[str], Any]


def reads(one: Case, how: Mapping[str, Callable[[Setup], Read]]) -> None:
    """Contenders of a reading case: each setup returns a function that reads a path."""
    for name, ready in how.items():

        @one.contender(name)
        def _(data: Data, setup: Setup, ready: Callable[[Setup], Read] = ready) -> Timed:
            read = ready(setup)
            return Timed(lambda: read(data["path"]), figures)


def writes(one: Case, how: Mapping[str, Callable[[Any, Setup], Write]], read_back: Callable[[str], Any]) -> None:
    """Contenders of a writing case: each setup converts the table, and returns a function that writes it to a path."""
    for name, ready in how.items():

        @one.contender(name)
        def _(data: Data, setup: Setup, name: str = name, ready: Callable[[Any, Setup], Write] = ready) -> Timed:
            write, path = ready(data["table"], setup), f"{data['folder'].name}/{name}"
            return Timed(lambda: write(path), lambda _: figures(read_back(path)))


def atoll_columns(table: Any, setup: Setup) -> dict[str, Any]:
    """The table's columns as Atoll columns."""
    ak = peers.atoll(setup)
    return {name: ak.array(table[name].combine_chunks()) for name in table.column_names}


def by_query(setup: Setup, read: str) -> Read:
    """DuckDB: a query whose {} is the path."""
    connection = peers.duckdb(setup)
    return lambda path: connection.sql(f"SELECT * FROM {read.format(repr(path))}").to_arrow_table()


def by_copy(table: Any, setup: Setup, options: str) -> Write:
    """DuckDB: a table in its memory, copied with options."""
    connection = peers.duckdb(setup)
    connection.register("incoming", table)
    connection.execute("CREATE TABLE t AS SELECT * FROM incoming")
    return lambda path: connection.execute(f"COPY t TO '{path}' ({options})")


def by_pyarrow(read: Read) -> Callable[[Setup], Read]:
    """pyarrow with the setup's threads."""

    def ready(setup: Setup) -> Read:
        peers.pyarrow(setup)
        return read

    return ready


# -- Parquet --


def _atoll_reads(setup: Setup) -> Read:
    peers.atoll(setup)
    from atoll.io.parquet import parquet_columns

    return parquet_columns


def read_parquet(path: str) -> Any:
    from pyarrow import parquet

    return parquet.read_table(path)


PARQUET_READERS: dict[str, Callable[[Setup], Read]] = {
    "atoll": _atoll_reads,
    "polars": lambda setup: peers.polars().read_parquet,
    "duckdb": lambda setup: by_query(setup, "read_parquet({})"),
    "pyarrow": by_pyarrow(read_parquet),
    "pandas": lambda setup: peers.require("pandas").read_parquet,
}


def parquet_file(**options: Any) -> Callable[[Any, str], None]:
    """Writes a table with pyarrow."""

    def write(table: Any, path: str) -> None:
        from pyarrow import parquet

        parquet.write_table(table, path, **options)

    return write


for name, make, size, options in (
    ("int64", integers, 10_000_000, {"compression": "none", "use_dictionary": False}),
    ("float64", floats, 10_000_000, {"compression": "none", "use_dictionary": False}),
    ("snappy", integers, 10_000_000, {"use_dictionary": False}),
    ("zstd", integers, 10_000_000, {"use_dictionary": False, "compression": "zstd"}),
    ("dictionary", numbers, 2_000_000, {}),
    ("texts", texts, 2_000_000, {}),
    ("few_texts", few_texts, 5_000_000, {}),
):
    reads(
        case(
            f"io.parquet.{name}", f"a Parquet file is read: {name}", make=with_folder(make, parquet_file(**options)),
            nominal_bytes=nominal, default_size=size,
        ),
        PARQUET_READERS,
    )  # fmt: skip


def parquet_writers(compression: str) -> dict[str, Callable[[Any, Setup], Write]]:
    """Writers with the same compression."""

    def atoll(table: Any, setup: Setup) -> Write:
        columns = atoll_columns(table, setup)
        from atoll.io.parquet import write_parquet

        return lambda path: write_parquet(path, columns, compression=None if compression == "none" else compression)

    def polars(table: Any, setup: Setup) -> Write:
        frame = peers.polars().from_arrow(table)
        return lambda path: frame.write_parquet(
            path, compression="uncompressed" if compression == "none" else compression
        )

    def pyarrow(table: Any, setup: Setup) -> Write:
        peers.pyarrow(setup)
        from pyarrow import parquet

        return lambda path: parquet.write_table(table, path, compression=compression)

    def pandas(table: Any, setup: Setup) -> Write:
        frame = peers.require("pandas") and table.to_pandas()
        return lambda path: frame.to_parquet(path, compression=None if compression == "none" else compression)

    known = "uncompressed" if compression == "none" else compression
    return {
        "atoll": atoll,
        "polars": polars,
        "duckdb": lambda table, setup: by_copy(table, setup, f"FORMAT parquet, COMPRESSION {known}"),
        "pyarrow": pyarrow,
        "pandas": pandas,
    }


for name, make, size, compression in (
    ("write_int64", integers, 10_000_000, "none"),
    ("write_mixed", mixed, 2_000_000, "snappy"),
    ("write_zstd", mixed, 2_000_000, "zstd"),
):
    writes(
        case(
            f"io.parquet.{name}", f"a Parquet file is written: {make.__name__}, compression {compression}",
            make=with_folder(make), nominal_bytes=nominal, default_size=size,
        ),
        parquet_writers(compression),
        read_parquet,
    )  # fmt: skip
