# SPDX-License-Identifier: Apache-2.0
"""SQL over published frames: DuckDB runs the query in this process, on the columns that it reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from .tables import Table, Tables

#: Names of the catalog and of the schema in which all tables are.
CATALOG, SCHEMA = "atoll", "main"
_COLUMN = re.compile(r"t(\d+)c(\d+)\Z")


class Rows:
    """Columns of a table as a stream of Arrow, which DuckDB may read more than once. Names are t{table}c{column}."""

    def __init__(self, number: int, table: Table, columns: Sequence[int], *, empty: bool) -> None:
        self._table, self._columns, self._empty = table, columns, empty
        self._schema = pa.schema(
            pa.field(f"t{number}c{place}", table.schema.field(place).type) for place in columns
        )  # fmt: skip

    def __arrow_c_schema__(self) -> Any:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return pa.RecordBatchReader.from_batches(self._schema, self._batches()).__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        if not self._empty:
            for batch in self._table.batches(self._columns):
                yield batch.rename_columns(self._schema.names)


def quoted(name: str) -> str:
    """An identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


class Query:
    """A statement that reads published frames.

    Raises
    ------
    ValueError
        It is not one SELECT, or it names a table or column that does not exist.
    """

    def __init__(self, tables: Tables, text: str, memory: int = 0) -> None:
        self._text, self._memory = text, memory
        self._tables = dict(enumerate(tables.named_in(text)))
        with self._connection() as connection:
            statements = self._checked(lambda: connection.extract_statements(text))
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise ValueError("the server runs one SELECT at a time, and changes nothing")
            #: Number of parameters (`?`).
            self.parameters = len(statements[0].named_parameters)

    def schema(self, values: Sequence[Any] = ()) -> pa.Schema:
        """The result's schema. No rows are read."""
        with self._connection() as connection:
            self._show(connection, {})
            given = list(values) or [None] * self.parameters
            found = self._checked(lambda: connection.sql(self._text, params=given))
            made: pa.Schema = pa.RecordBatchReader.from_stream(found).schema
        return made

    def run(self, values: Sequence[Any] = ()) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """The result's schema, and its rows while they are computed."""
        connection = self._connection()
        try:
            self._show(connection, self._columns_read(values))
            found = self._checked(lambda: connection.sql(self._text, params=list(values)))
            reader = pa.RecordBatchReader.from_stream(found)
        except BaseException:
            connection.close()
            raise
        return reader.schema, _until_the_end(reader, connection)

    def _connection(self) -> Any:
        connection = duckdb.connect()
        connection.execute(f"ATTACH ':memory:' AS {CATALOG}")
        connection.execute(f"USE {CATALOG}")
        if self._memory:
            connection.execute(f"SET memory_limit = '{self._memory}B'")
        connection.execute("SET enable_external_access = false")  # no files, no network, no extensions
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET lock_configuration = true")
        return connection

    def _show(self, connection: Any, read: Mapping[int, Sequence[int]]) -> None:
        """Makes views. Columns that a query does not read are NULL; a table that it does not read is empty."""
        for number, table in self._tables.items():
            columns = list(read.get(number, ()))
            empty = not columns
            rows = Rows(number, table, columns or range(len(table.schema)), empty=empty)
            connection.register(f"s{number}", rows)
            kinds = {} if empty else self._kinds(connection, number, table)
            shown = ", ".join(
                f"{f't{number}c{place}' if empty or place in columns else f'NULL::{kinds[place]}'} AS {quoted(name)}"
                for place, name in enumerate(table.schema.names)
            )
            connection.execute(f"CREATE VIEW {quoted(table.name)} AS SELECT {shown} FROM s{number}")

    def _kinds(self, connection: Any, number: int, table: Table) -> dict[int, str]:
        """DuckDB's types of all columns of a table."""
        connection.register(f"k{number}", Rows(number, table, range(len(table.schema)), empty=True))
        return {place: row[1] for place, row in enumerate(connection.execute(f"DESCRIBE k{number}").fetchall())}

    def _columns_read(self, values: Sequence[Any]) -> dict[int, list[int]]:
        """Table → columns that the plan reads."""
        with self._connection() as connection:
            self._show(connection, {})
            plan = self._checked(lambda: connection.execute(f"EXPLAIN (FORMAT json) {self._text}", list(values)))
            read: dict[int, set[int]] = {}
            for node in json.loads(plan.fetchall()[0][1]):
                for name in _projections(node):
                    if found := _COLUMN.match(name):
                        read.setdefault(int(found[1]), set()).add(int(found[2]))
        return {number: sorted(columns) for number, columns in read.items()}

    def _checked(self, call: Any) -> Any:
        try:
            return call()
        except duckdb.Error as error:
            raise ValueError(str(error)) from error


def _projections(node: Mapping[str, Any]) -> Iterator[str]:
    """Names of the columns that the scans of a plan read."""
    about = node.get("extra_info", {}).get("Projections", ())
    yield from [about] if isinstance(about, str) else about
    for child in node.get("children", ()):
        yield from _projections(child)


def _until_the_end(reader: pa.RecordBatchReader, connection: Any) -> Iterator[pa.RecordBatch]:
    try:
        yield from reader
    except pa.ArrowException as error:
        raise ValueError(str(error).partition("\n")[0]) from error
    finally:
        connection.close()
