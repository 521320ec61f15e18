# SPDX-License-Identifier: Apache-2.0
"""Reading and writing CSV and JSON lines in the page cache."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from atoll.bench import peers
from atoll.bench.cases.io import (
    Read,
    Write,
    atoll_columns,
    by_copy,
    by_pyarrow,
    by_query,
    mixed,
    nominal,
    numbers,
    reads,
    with_folder,
    writes,
)  # fmt: skip
from atoll.bench.registry import Setup, case

# -- CSV --


def _atoll_reads_csv(setup: Setup) -> Read:
    peers.atoll(setup)
    from atoll.io.csv import csv_columns

    return csv_columns


def read_csv(path: str) -> Any:
    from pyarrow import csv

    return csv.read_csv(path)


def write_csv(table: Any, path: str) -> None:
    """Writes a file with pyarrow, with quotes where necessary."""
    from pyarrow import csv

    csv.write_csv(table, path, csv.WriteOptions(quoting_style="needed", quoting_header="none"))


def _atoll_writes_csv(table: Any, setup: Setup) -> Write:
    columns = atoll_columns(table, setup)
    from atoll.io.csv import write_csv

    return lambda path: write_csv(path, columns)


def _pyarrow_writes_csv(table: Any, setup: Setup) -> Write:
    peers.pyarrow(setup)
    return lambda path: write_csv(table, path)


def _pandas_writes_csv(table: Any, setup: Setup) -> Write:
    frame = peers.require("pandas") and table.to_pandas()
    return lambda path: frame.to_csv(path, index=False)


CSV_READERS: dict[str, Callable[[Setup], Read]] = {
    "atoll": _atoll_reads_csv,
    "polars": lambda setup: peers.polars().read_csv,
    "duckdb": lambda setup: by_query(setup, "read_csv({})"),
    "pyarrow": by_pyarrow(read_csv),
    "pandas": lambda setup: peers.require("pandas").read_csv,
}
CSV_WRITERS: dict[str, Callable[[Any, Setup], Write]] = {
    "atoll": _atoll_writes_csv,
    "polars": lambda table, setup: peers.polars().from_arrow(table).write_csv,
    "duckdb": lambda table, setup: by_copy(table, setup, "FORMAT csv"),
    "pyarrow": _pyarrow_writes_csv,
    "pandas": _pandas_writes_csv,
}

for make in (numbers, mixed):
    name = make.__name__
    reads(
        case(
            f"io.csv.{name}", f"a CSV file is read: {name}", make=with_folder(make, write_csv), nominal_bytes=nominal,
            default_size=1_000_000,
        ),
        CSV_READERS,
    )  # fmt: skip
    writes(
        case(
            f"io.csv.write_{name}", f"a CSV file is written: {name}", make=with_folder(make), nominal_bytes=nominal,
            default_size=1_000_000,
        ),
        CSV_WRITERS,
        read_csv,
    )  # fmt: skip

# -- JSON lines --


def write_json(table: Any, path: str) -> None:
    """An object in each line."""
    with open(path, "w") as stream:
        for batch in table.to_batches(max_chunksize=1 << 16):
            stream.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in batch.to_pylist())


def read_json(path: str) -> Any:
    from pyarrow import json as arrow_json

    return arrow_json.read_json(path)


def _atoll_reads_json(setup: Setup) -> Read:
    peers.atoll(setup)
    from atoll.io.json import json_columns

    return json_columns


def _pandas_reads_json(setup: Setup) -> Read:
    pandas = peers.require("pandas")
    return lambda path: pandas.read_json(path, lines=True)


def _atoll_writes_json(table: Any, setup: Setup) -> Write:
    columns = atoll_columns(table, setup)
    from atoll.io.json import write_json

    return lambda path: write_json(path, columns)


def _pandas_writes_json(table: Any, setup: Setup) -> Write:
    frame = peers.require("pandas") and table.to_pandas()
    return lambda path: frame.to_json(path, orient="records", lines=True, double_precision=15)


def _about(data: Any, answer: Any, reference: Any) -> None:
    """pandas writes no more than 15 digits behind the point."""
    import numpy as np

    for one, other in zip(answer, reference, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


reads(
    case(
        "io.json.mixed", "JSON lines are read: mixed", make=with_folder(mixed, write_json), nominal_bytes=nominal,
        default_size=500_000, check=_about,
    ),
    {
        "atoll": _atoll_reads_json,
        "polars": lambda setup: peers.polars().read_ndjson,
        "duckdb": lambda setup: by_query(setup, "read_json({}, format='newline_delimited')"),
        "pyarrow": by_pyarrow(read_json),
        "pandas": _pandas_reads_json,
    },
)  # fmt: skip
writes(
    case(
        "io.json.write_mixed", "JSON lines are written: mixed", make=with_folder(mixed), nominal_bytes=nominal,
        default_size=500_000, check=_about,
    ),
    {
        "atoll": _atoll_writes_json,
        "polars": lambda table, setup: peers.polars().from_arrow(table).write_ndjson,
        "duckdb": lambda table, setup: by_copy(table, setup, "FORMAT json"),
        "pandas": _pandas_writes_json,
    },
    read_json,
)  # fmt: skip
