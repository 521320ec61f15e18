# SPDX-License-Identifier: Apache-2.0
"""Reading and writing files with memory-like layout in the page cache: Arrow, HDF5, NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.cases.io import (
    Read,
    Write,
    atoll_columns,
    by_pyarrow,
    floats,
    mixed,
    nominal,
    numbers,
    reads,
    with_folder,
    writes,
)  # fmt: skip
from atoll.bench.registry import Setup, case

# -- Arrow's file format (Feather), compressed with LZ4, its writers' default --


def write_feather(table: Any, path: str) -> None:
    from pyarrow import feather

    feather.write_feather(table, path, compression="lz4", chunksize=1 << 20)


def read_feather(path: str) -> Any:
    from pyarrow import feather

    return feather.read_table(path, memory_map=False)


def _atoll_reads_arrow(setup: Setup) -> Read:
    peers.atoll(setup)
    from atoll.io.arrow import arrow_columns

    return arrow_columns


def _atoll_writes_arrow(table: Any, setup: Setup) -> Write:
    columns = atoll_columns(table, setup)
    from atoll.io.arrow import write_arrow

    return lambda path: write_arrow(path, columns)


def _polars_writes_arrow(table: Any, setup: Setup) -> Write:
    frame = peers.polars().from_arrow(table)
    return lambda path: frame.write_ipc(path, compression="lz4")


def _pyarrow_writes_arrow(table: Any, setup: Setup) -> Write:
    peers.pyarrow(setup)
    return lambda path: write_feather(table, path)


reads(
    case(
        "io.arrow.mixed", "an Arrow file is read: mixed, packed by LZ4", make=with_folder(mixed, write_feather),
        nominal_bytes=nominal, default_size=4_000_000,
    ),
    {
        "atoll": _atoll_reads_arrow,
        "polars": lambda setup: peers.polars().read_ipc,
        "pyarrow": by_pyarrow(read_feather),
        "pandas": lambda setup: peers.require("pandas").read_feather,
    },
)  # fmt: skip
writes(
    case(
        "io.arrow.write_mixed", "an Arrow file is written: mixed, packed by LZ4", make=with_folder(mixed),
        nominal_bytes=nominal, default_size=4_000_000,
    ),
    {"atoll": _atoll_writes_arrow, "polars": _polars_writes_arrow, "pyarrow": _pyarrow_writes_arrow},
    read_feather,
)  # fmt: skip

# -- HDF5 --


def write_hdf(table: Any, path: str) -> None:
    """Each column a dataset."""
    h5py = peers.require("h5py")
    with h5py.File(path, "w") as file:
        for name in table.column_names:
            file[name] = table[name].to_numpy()


def read_hdf(path: str) -> dict[str, Any]:
    h5py = peers.require("h5py")
    with h5py.File(path, "r") as file:
        return {name: file[name][()] for name in file}


def _atoll_reads_hdf(setup: Setup) -> Read:
    peers.atoll(setup)
    from atoll.io.hdf import hdf_columns

    return hdf_columns


def _atoll_writes_hdf(table: Any, setup: Setup) -> Write:
    columns = atoll_columns(table, setup)
    from atoll.io.hdf import write_hdf

    return lambda path: write_hdf(path, columns)


reads(
    case(
        "io.hdf.numbers", "an HDF5 file is read: numbers", make=with_folder(numbers, write_hdf),
        nominal_bytes=nominal, default_size=2_500_000,
    ),
    {"atoll": _atoll_reads_hdf, "h5py": lambda setup: read_hdf},
)  # fmt: skip
writes(
    case(
        "io.hdf.write_numbers", "an HDF5 file is written: numbers", make=with_folder(numbers),
        nominal_bytes=nominal, default_size=2_500_000,
    ),
    {"atoll": _atoll_writes_hdf, "h5py": lambda table, setup: lambda path: write_hdf(table, path)},
    read_hdf,
)  # fmt: skip

# -- NumPy's format --


def write_npy(table: Any, path: str) -> None:
    with open(path, "wb") as stream:
        np.save(stream, table["x"].to_numpy())


def read_npy(path: str) -> dict[str, Any]:
    return {"x": np.load(path)}


def _atoll_reads_npy(setup: Setup) -> Read:
    ak = peers.atoll(setup)
    return lambda path: {"x": ak.load(path)}


def _atoll_writes_npy(table: Any, setup: Setup) -> Write:
    column = atoll_columns(table, setup)["x"]
    from atoll import save

    def write(path: str) -> None:
        with open(path, "wb") as stream:
            save(stream, column)

    return write


reads(
    case(
        "io.npy.float64", "a file of NumPy's is read", make=with_folder(floats, write_npy), nominal_bytes=nominal,
    ),
    {"atoll": _atoll_reads_npy, "numpy": lambda setup: read_npy},
)  # fmt: skip
writes(
    case("io.npy.write_float64", "a file of NumPy's is written", make=with_folder(floats), nominal_bytes=nominal),
    {"atoll": _atoll_writes_npy, "numpy": lambda table, setup: lambda path: write_npy(table, path)},
    read_npy,
)  # fmt: skip
