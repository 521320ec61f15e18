# SPDX-License-Identifier: Apache-2.0
"""Data frames from files, under pandas' names: thin over the formats' modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...columns.creation import from_arrow
from ...io.arrow import arrow_columns
from ...io.fallback import by_pandas, given, pandas_at_work
from ...io.file_columns import read_with_codes
from ...io.hdf.reader import hdf_columns
from ...io.json.reader import json_columns
from ...io.orc.reader import orc_columns
from ...io.parquet.members import members_of
from ...io.parquet.reader import parquet_reader
from ...io.reading import expression
from ...io.sql import asked, is_of_pandas
from ...io.zarr import zarr_values
from ...session.everywhere import once
from .. import DataFrame, RangeIndex
from .json_values import has_lines, held, json_by_pandas
from .read_csv import as_pandas_guesses, read_csv, read_table

if TYPE_CHECKING:
    from ...annotations import ColumnType, Files
    from ...arrays.ndarray import ndarray

__all__ = [
    "read_csv",
    "read_feather",
    "read_hdf",
    "read_json",
    "read_orc",
    "read_parquet",
    "read_sql",
    "read_table",
    "read_zarr",
]


def read_parquet(
    path: Any, engine: str = "auto", columns: Sequence[str] | None = None, storage_options: Any = None,
    *, filters: Any = None, **options: object,
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
        an expression of `pyarrow.compute`. Row groups whose statistics exclude them are not read, nor those whose Bloom
        filters exclude the values that a list asks for by "=" or "in".

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
    reader = parquet_reader(path, storage_options).narrowed(members_of(filters))
    index = [name for name in reader.index if isinstance(name, str)]
    wanted = None if columns is None else [*columns, *(name for name in index if name not in columns)]
    frame = DataFrame(read_with_codes(reader, wanted, expression(filters)))
    if not index:
        told = reader.index[0] if reader.index and filters is None else None
        if told is not None and len(range(told["start"], told["stop"], told["step"])) == len(frame):
            frame.index = RangeIndex(told["start"], told["stop"], told["step"], name=told["name"])
        return frame
    frame = frame.set_index(index if len(index) > 1 else index[0])
    return frame.rename_axis([None if name.startswith("__index_level_") else name for name in index])


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
    path_or_buf: Files, *, orient: str | None = None, typ: str = "frame", dtype: ColumnType = None,
    convert_axes: Any = None,
    convert_dates: Any = None, keep_default_dates: Any = None, precise_float: bool = False, date_unit: Any = None,
    encoding: str | None = None, encoding_errors: str = "strict", lines: bool | None = None,
    chunksize: int | None = None, compression: str | None = "infer", nrows: int | None = None,
    storage_options: dict[str, Any] | None = None,
    dtype_backend: Any = None, engine: Any = None, columns: Sequence[str] | None = None, filters: object = None,
) -> Any:  # fmt: skip
    """A frame of files with a JSON object in each line; each PE reads its own range of bytes.

    Files of one JSON value (`orient` says how rows are in it), and what else asks for pandas' own rules, pandas reads,
    on one process; a warning says so once.

    Parameters
    ----------
    path_or_buf
        As `path` of `read_parquet`.
    lines : bool, optional
        Whether each line has an object. By default it has, unless `orient` is given, or the file begins with a list or
        with an object of several lines.
    columns, filters
        What to read; see `read_parquet`.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> ak.read_json(io.StringIO('{"a": 1}\\n{"a": 2}\\n'))
       a
    0  1
    1  2
    """
    told = {
        "orient": orient, "typ": typ, "dtype": dtype, "convert_axes": convert_axes, "convert_dates": convert_dates,
        "keep_default_dates": keep_default_dates, "precise_float": precise_float, "date_unit": date_unit,
        "encoding": encoding, "encoding_errors": encoding_errors, "chunksize": chunksize, "nrows": nrows,
        "dtype_backend": dtype_backend,
    }  # fmt: skip
    usual = {"typ": "frame", "precise_float": False, "encoding_errors": "strict"}
    others = given(told, usual)
    if others.get("encoding", "").lower() in ("utf-8", "utf8"):
        del others["encoding"]
    if lines is None and not (others.keys() - {"nrows", "chunksize"}):
        path_or_buf = held(path_or_buf)
        lines = once(has_lines, path_or_buf, compression, storage_options)
    if lines and others.get("orient") == "records":
        del others["orient"]
    if lines and not others and not isinstance(compression, dict):
        made = json_columns(
            path_or_buf, columns, compression=compression, filters=filters, storage_options=storage_options
        )
        return DataFrame({name: as_pandas_guesses(column) for name, column in made.items()})
    return json_by_pandas(path_or_buf, others, bool(lines), compression, storage_options, columns, filters)


def read_hdf(
    path_or_buf: Files, key: str | None = None, *, columns: Sequence[str] | None = None, filters: object = None,
    storage_options: dict[str, Any] | None = None,
) -> DataFrame:  # fmt: skip
    """A frame of the datasets of HDF5 files, also of those that Arkouda wrote; see `atoll.io.hdf.hdf_columns`.

    With `key`, of those below that group.
    """
    group = "/" if key is None else key
    made = hdf_columns(path_or_buf, columns, group=group, filters=filters, storage_options=storage_options)
    return DataFrame(made)


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
    if is_of_pandas(con):
        by_pandas("read_sql", ["con"])
        import pandas

        with pandas_at_work("read_sql"):
            return DataFrame(pandas.read_sql(sql, con, index_col=index_col, params=params))
    table = once(asked, sql, con, params)
    frame = DataFrame({name: from_arrow(table.column(at)) for at, name in enumerate(table.column_names)})
    return frame if index_col is None else frame.set_index(index_col)


def _no_more(function: str, options: dict[str, Any], *idle: str) -> None:
    """Options of pandas that have no effect here pass; others would, and do not."""
    for name in options:
        if name not in idle:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")


def read_zarr(path: Any, columns: Sequence[str] | None = None, *, storage_options: Any = None) -> ndarray | DataFrame:
    """An array of a Zarr store, or a frame of the arrays of a group; each PE reads its own chunks.

    Parameters
    ----------
    path : str or path
        The store: a directory, or a URL that fsspec opens. Of a member of a group ``store/member``.
    columns : list of str, optional
        Which arrays of a group to read: those of one axis and one length are a frame.

    Raises
    ------
    ValueError
        A chunk that is broken: it says in which rows.

    Examples
    --------
    >>> import atoll as ak
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.zarr"
    >>> ak.to_zarr(path, ak.arange(6).reshape(2, 3))
    >>> ak.read_zarr(path)
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    made = zarr_values(path, columns, storage_options)
    return DataFrame(made) if isinstance(made, dict) else made
