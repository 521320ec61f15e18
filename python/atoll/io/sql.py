# SPDX-License-Identifier: Apache-2.0
"""Tables of data bases, through ADBC: their answers come as Arrow's record batches."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .. import extras
from .writing import agree, check_nul, tables, writes

_ROWS = 1 << 17  # that are sent at a time: signals are handled in between


def asked(sql: str, con: Any, params: Sequence[Any] | None) -> Any:
    """The result of a database query as an Arrow table."""
    check_nul(sql, "query")
    query = sql if " " in sql.strip() else f'SELECT * FROM "{sql.replace(chr(34), chr(34) * 2)}"'
    with _Connection(con) as connection, connection.cursor() as cursor:
        cursor.execute(query, params)
        pa = extras.module("pyarrow", "reading tables of data bases")
        reader = cursor.fetch_record_batch()
        return _plain(pa.Table.from_batches(list(reader), reader.schema))  # signals are handled between batches


def is_of_pandas(con: Any) -> bool:
    """Whether a connection is none of ADBC's, but one that pandas knows: of sqlite3, or of SQLAlchemy."""
    module = type(con).__module__.partition(".")[0]
    return module in ("sqlite3", "sqlalchemy")


def _plain(table: Any) -> Any:
    """The table without types of a data base's own: exact numbers are floats, as pandas has them, others as sent."""
    pa = extras.module("pyarrow", "reading tables of data bases")
    for at, field in enumerate(table.schema):
        if isinstance(field.type, pa.BaseExtensionType):
            held = pa.chunked_array([chunk.storage for chunk in table.column(at).chunks], field.type.storage_type)
            numeric = getattr(field.type, "type_name", "") == "numeric"
            table = table.set_column(at, field.name, held.cast(pa.float64()) if numeric else held)
    return table


def write_sql(name: str, con: Any, columns: Mapping[str, Any], if_exists: str = "fail") -> int:
    """Writes columns to a table of a data base, in one transaction; how many rows.

    `if_exists`: "fail", "replace" or "append", as pandas has it.
    """
    modes = {"fail": "create", "replace": "replace", "append": "append"}
    if if_exists not in modes:
        raise ValueError(f"'{if_exists}' is not valid for if_exists")
    check_nul(name, "table name")
    pieces = tables(columns)
    failure: BaseException | None = None
    if writes():
        try:
            with _Connection(con) as connection, connection.cursor() as cursor:
                mode = modes[if_exists]
                for table in pieces:
                    for begin in range(0, max(table.num_rows, 1), _ROWS):
                        cursor.adbc_ingest(name, _with_nulls(table.slice(begin, _ROWS)), mode=mode)
                        mode = "append"
                connection.commit()
        except BaseException as error:
            full = "database or disk is full" in str(error)
            failure = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name) if full else error
    agree(failure, pieces)
    return len(next(iter(columns.values()))) if columns else 0


def _with_nulls(table: Any) -> Any:
    """The table with NULL where a float is NaN, as pandas writes it."""
    pa = extras.module("pyarrow", "writing tables of data bases")
    compute = extras.module("pyarrow.compute", "writing tables of data bases")
    for at, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            held = table.column(at)
            table = table.set_column(at, field.name, compute.if_else(compute.is_nan(held), pa.scalar(None), held))
    return table


class _Connection:
    """A connection: one that is given is left open, one of a URI is closed."""

    def __init__(self, con: Any) -> None:
        self._own = isinstance(con, str)
        self._con = _connected(con) if self._own else con
        if not hasattr(self._con, "cursor"):
            raise TypeError(f"con is a connection of ADBC's or a URI, not {type(con).__name__}")

    def __enter__(self) -> Any:
        return self._con

    def __exit__(self, *_: object) -> None:
        if self._own:
            self._con.close()


def _connected(uri: str) -> Any:
    check_nul(uri, "URI")
    scheme = uri.partition(":")[0].partition("+")[0]
    if scheme == "sqlite":
        return extras.module("adbc_driver_sqlite.dbapi", "SQLite").connect(
            uri.partition(":")[2].removeprefix("///") or ":memory:"
        )
    if scheme in ("postgresql", "postgres"):
        return extras.module("adbc_driver_postgresql.dbapi", "PostgreSQL").connect(uri)
    raise ValueError(f"no driver is known for {scheme!r}: pass a connection of ADBC's")
