# SPDX-License-Identifier: Apache-2.0
"""Data frames from files, under pandas' names: thin over the formats' modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..columns.making import from_arrow
from ..frame import DataFrame, RangeIndex
from ..session.everywhere import once
from .arrow import arrow_columns
from .csv import csv_columns
from .dialect import MISSING
from .hdf import hdf_columns
from .json import json_columns
from .orc import orc_columns
from .parquet import parquet_reader
from .reading import expression, read_columns
from .sql import asked

__all__ = ["read_csv", "read_feather", "read_hdf", "read_json", "read_orc", "read_parquet", "read_sql", "read_table"]


def read_parquet(
    path: Any, engine: str = "auto", columns: Sequence[str] | None = None, storage_options: Any = None,
    *, filters: Any = None, **options: Any,
) -> DataFrame:  # fmt: skip
    """A frame of Parquet files; each PE reads its own row groups.

    Parameters
    ----------
    path
        A path, a list of paths, a pattern (``"2026-*/*.parquet"``), a directory in which ``name=value`` steps are
        columns, a URL, or a binary stream.
    engine : str
        Of no effect.
    columns : list of str, optional
        Which columns to read: others cost nothing.
    storage_options : dict, optional
        For fsspec, which then opens URLs.
    filters
        Rows to read: a list of ``(column, operator, value)`` that all hold, a list of such lists of which one holds, or
        an expression of `pyarrow.compute`. Row groups whose statistics exclude them are not read.

    Raises
    ------
    ValueError
        A file that is broken: it says which, and where in it.
    TypeError
        Files whose columns of one name are of types that do not go together.

    Examples
    --------
    >>> import atoll as ak
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.parquet"
    >>> ak.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}).to_parquet(path)
    >>> ak.read_parquet(path, columns=["b"], filters=[("a", ">", 1)])
       b
    0  y
    1  z
    """
    _no_more("read_parquet", options, "dtype_backend", "use_nullable_dtypes", "filesystem")
    reader = parquet_reader(path, storage_options)
    index = [name for name in reader.index if isinstance(name, str)]
    wanted = None if columns is None else [*columns, *(name for name in index if name not in columns)]
    frame = DataFrame(read_columns(reader, wanted, expression(filters)))
    if not index:
        told = reader.index[0] if reader.index and filters is None else None
        if told is not None and len(range(told["start"], told["stop"], told["step"])) == len(frame):
            frame.index = RangeIndex(told["start"], told["stop"], told["step"], name=told["name"])
        return frame
    frame = frame.set_index(index if len(index) > 1 else index[0])
    return frame.rename_axis([None if name.startswith("__index_level_") else name for name in index])


def read_csv(
    filepath_or_buffer: Any, *, sep: str = ",", delimiter: str | None = None, header: Any = "infer", names: Any = None,
    index_col: Any = None, usecols: Any = None, dtype: Any = None, skiprows: int = 0, nrows: int | None = None,
    na_values: Any = None, keep_default_na: bool = True, parse_dates: Any = (), quotechar: str | None = '"',
    escapechar: str | None = None, encoding: str = "utf-8", compression: str | None = "infer", decimal: str = ".",
    on_bad_lines: str = "error", true_values: Sequence[str] = (), false_values: Sequence[str] = (),
    storage_options: Any = None, filters: Any = None, **options: Any,
) -> DataFrame:  # fmt: skip
    """A frame of text files of separated values; each PE reads its own ranges of bytes. Parameters as pandas'.

    Parameters
    ----------
    filepath_or_buffer
        As `path` of `read_parquet`. Files are decompressed as their names end: .gz, .bz2, .zst, .lz4, .xz, .zip.
    dtype
        A type for all columns, or by name; others are guessed from all values.
    parse_dates : list of str
        Columns that become moments.
    on_bad_lines : str
        "error", "warn" of lines that have not as many values as there are columns and skip them, or "skip" them.
    filters
        Rows to keep; see `read_parquet`.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> ak.read_csv(io.StringIO("a,b\\n1,x\\n2,\\n"))
       a    b
    0  1    x
    1  2  NaN
    """
    _no_more(
        "read_csv", options, "engine", "low_memory", "memory_map", "skip_blank_lines", "dtype_backend", "cache_dates"
    )
    if header == "infer":
        header = 0 if names is None else None
    missing = list(MISSING) if keep_default_na else []
    if na_values is not None:
        missing += [na_values] if isinstance(na_values, str) else [str(one) for one in na_values]
    if isinstance(parse_dates, bool):
        parse_dates = ()
    positions = usecols is not None and any(isinstance(one, int) for one in usecols)
    named = csv_columns(
        filepath_or_buffer, None if positions or usecols is None else frozenset(usecols), dtype=dtype, filters=filters,
        storage_options=storage_options, sep=delimiter or sep, quotechar=quotechar, escapechar=escapechar,
        header=header, names=None if names is None else [str(name) for name in names], skiprows=skiprows, nrows=nrows,
        encoding=encoding, compression=compression, decimal=decimal,
        on_bad_lines=on_bad_lines, missing=missing, true_values=list(true_values),
        false_values=list(false_values), dates=tuple(parse_dates),
    )  # fmt: skip
    if positions:
        named = {name: column for at, (name, column) in enumerate(named.items()) if at in usecols}
    frame = DataFrame(named)
    if header is None and names is None:
        frame.columns = list(range(len(named)))
    if index_col is None or index_col is False:
        return frame
    several = index_col if isinstance(index_col, (list, tuple)) else [index_col]
    labels = [list(frame.columns)[one] if isinstance(one, int) else one for one in several]
    frame = frame.set_index(labels if len(labels) > 1 else labels[0])
    return frame.rename_axis([None if str(label).startswith("Unnamed: ") else label for label in labels])


def read_table(filepath_or_buffer: Any, *, sep: str = "\t", **options: Any) -> DataFrame:
    """As `read_csv`, separated by tabs."""
    return read_csv(filepath_or_buffer, sep=sep, **options)


def read_feather(
    path: Any, columns: Sequence[str] | None = None, use_threads: bool = True, storage_options: Any = None,
    *, filters: Any = None,
) -> DataFrame:  # fmt: skip
    """A frame of files in Arrow's file (Feather) or stream format; each PE reads its own record batches.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> stream = io.BytesIO()
    >>> ak.DataFrame({"a": [1, 2]}).to_feather(stream)
    >>> ak.read_feather(io.BytesIO(stream.getvalue()))
       a
    0  1
    1  2
    """
    return DataFrame(arrow_columns(path, columns, filters=filters, storage_options=storage_options))


def read_orc(
    path: Any, columns: Sequence[str] | None = None, storage_options: Any = None, *, filters: Any = None
) -> DataFrame:
    """A frame of ORC files; each PE reads its own stripes. Parameters as `read_parquet`'s."""
    return DataFrame(orc_columns(path, columns, filters=filters, storage_options=storage_options))


def read_json(
    path_or_buf: Any, *, lines: bool = True, compression: str | None = "infer", storage_options: Any = None,
    columns: Sequence[str] | None = None, filters: Any = None,
) -> DataFrame:  # fmt: skip
    """A frame of files with a JSON object in each line; each PE reads its own range of bytes.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> ak.read_json(io.StringIO('{"a": 1}\\n{"a": 2}\\n'))
       a
    0  1
    1  2
    """
    if not lines:
        raise NotImplementedError(
            "files of one JSON value are not read in parts: use pandas, or write them with lines=True"
        )
    made = json_columns(path_or_buf, columns, compression=compression, filters=filters, storage_options=storage_options)
    return DataFrame(made)


def read_hdf(
    path_or_buf: Any, columns: Sequence[str] | None = None, *, filters: Any = None, storage_options: Any = None
) -> DataFrame:
    """A frame of the datasets of HDF5 files, also of those that Arkouda wrote; see `atoll.io.hdf.hdf_columns`."""
    return DataFrame(hdf_columns(path_or_buf, columns, filters=filters, storage_options=storage_options))


def read_sql(sql: str, con: Any, index_col: Any = None, params: Sequence[Any] | None = None) -> DataFrame:
    """A frame of what a data base answers. One PE asks it; the rows are then spread over all.

    Parameters
    ----------
    sql : str
        A query, or the name of a table.
    con
        A connection of ADBC's (`adbc_driver_sqlite.dbapi.connect(…)`), or a URI: ``"sqlite:///path"``, or
        ``"postgresql://…"`` when ADBC's driver for it is installed. In an SPMD session a URI.
    index_col : str or list of str, optional
        Columns that become the labels of rows.
    params : sequence, optional
        Values for the query's placeholders.

    Examples
    --------
    >>> import atoll as ak
    >>> import pathlib, tempfile
    >>> uri = f"sqlite:///{pathlib.Path(tempfile.mkdtemp()) / 'a.db'}"
    >>> ak.DataFrame({"a": [1, 2, 3], "t": ["x", None, "z"]}).to_sql("things", uri)
    3
    >>> ak.read_sql("SELECT t FROM things WHERE a > ?", uri, params=[1])
         t
    0  NaN
    1    z
    """
    table = once(asked, sql, con, params)
    frame = DataFrame({name: from_arrow(table.column(at)) for at, name in enumerate(table.column_names)})
    return frame if index_col is None else frame.set_index(index_col)


def _no_more(function: str, options: dict[str, Any], *idle: str) -> None:
    """Options of pandas that have no effect here pass; others would, and do not."""
    for name in options:
        if name not in idle:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
