# SPDX-License-Identifier: Apache-2.0
"""The libraries that benchmarks compare with: availability, versions, and equal numbers of threads."""

from __future__ import annotations

import importlib
import os
from functools import cache
from importlib import metadata
from typing import Any

from atoll import extras
from atoll.bench.registry import Setup, Skip, Timed

#: contender -> the module it needs. Variants (`numpy-unstable`) need the module of their first word.
MODULES = {
    "numpy": "numpy",
    "polars": "polars",
    "duckdb": "duckdb",
    "pandas": "pandas",
    "pyarrow": "pyarrow",
    "numexpr": "numexpr",
    "numba": "numba",
    "scipy": "scipy",
    "h5py": "h5py",
    "atoll": "atoll._core",
    "sockets": "socket",
    "limit": "atoll.bench._limit",
}

THREAD_VARIABLES = (
    "POLARS_MAX_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMEXPR_MAX_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
)


def prepare_environment(threads: int) -> None:
    """Sets every library's number of threads. Call before the first is imported: most read it only then."""
    for name in THREAD_VARIABLES:
        os.environ[name] = str(threads)


def require(name: str) -> Any:
    """The module of a contender; Skip, with the reason, when it is missing."""
    module = MODULES[name.split("-")[0]]
    try:
        return extras.load(module, "bench") if module in extras.EXTRAS["bench"] else importlib.import_module(module)
    except extras.MissingExtraError as error:
        raise Skip(str(error)) from None
    except ImportError as error:
        raise Skip(f"{module} does not load ({error})") from None


def is_here(name: str) -> bool:
    try:
        require(name)
    except Skip:
        return False
    return True


@cache
def versions() -> dict[str, str]:
    """Versions of the peers that are installed."""
    found = {}
    for name, module in MODULES.items():
        if module.startswith("atoll"):
            continue
        try:
            found[name] = metadata.version(module)
        except metadata.PackageNotFoundError:
            continue
    return found


def atoll(setup: Setup) -> Any:
    """`import atoll as ak`, with a session of the wanted shape."""
    require("atoll")
    import atoll as ak
    from atoll.session import session

    while session.running() and ak.init()._core.kind == "remote":  # of a case with a server
        ak.shutdown()
    try:
        ak.init(pes=setup.pes, threads=setup.threads)
    except RuntimeError:  # a session of another shape, from the case before
        ak.shutdown()
        ak.init(pes=setup.pes, threads=setup.threads)
    return ak


def polars() -> Any:
    return require("polars")


def pyarrow(setup: Setup) -> Any:
    """pyarrow with its pool of threads set; its compute functions are in `.compute`."""
    module = require("pyarrow")
    importlib.import_module("pyarrow.compute")
    module.set_cpu_count(setup.cores)
    return module


def numexpr(setup: Setup) -> Any:
    module = require("numexpr")
    module.set_num_threads(setup.cores)
    return module


def numba(setup: Setup) -> Any:
    module = require("numba")
    module.set_num_threads(min(setup.cores, module.config.NUMBA_NUM_THREADS))
    return module


def duckdb(setup: Setup, **tables: Any) -> Any:
    """A connection in memory that holds each given {column: array} as a table of its own."""
    module = require("duckdb")
    arrow = require("pyarrow")
    connection = module.connect(":memory:")
    connection.execute(f"SET threads TO {setup.cores}")
    for name, columns in tables.items():
        connection.register("incoming", arrow.table(columns))
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM incoming")
        connection.unregister("incoming")
    return connection


def limit(setup: Setup, name: str, arrays: list[Any], parameters: list[float], answer: Any = None) -> Timed:
    """A hand-written loop of `bench/limit`. Its answer is the content of `answer`, or the checksum that it returns."""
    loops = require("limit")
    if name not in loops.names():
        raise Skip(f"no hand-written loop '{name}'")
    if setup.pes != 1:
        raise Skip("hand-written loops are for one PE")
    try:
        loops.run(name, setup.cores, arrays, parameters)
    except TypeError as error:
        raise Skip(str(error)) from None
    if answer is None:
        return Timed(lambda: loops.run(name, setup.cores, arrays, parameters))

    def run() -> Any:
        loops.run(name, setup.cores, arrays, parameters)
        return answer

    return Timed(run, lambda answer: answer)
