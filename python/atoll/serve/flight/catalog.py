# SPDX-License-Identifier: Apache-2.0
"""Answers of Flight SQL about the server and its tables: catalogs, schemas, tables, keys, properties."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa

from ... import _core
from .messages import Message
from .queries import CATALOG, SCHEMA
from .tables import Tables

_TABLE = "TABLE"
#: Numbers of `SqlInfo` → values. Transactions: none. Statements that are read only: all.
_INFO: dict[int, Any] = {
    0: "Atoll",
    1: _core.VERSION,
    3: True,  # FLIGHT_SQL_SERVER_READ_ONLY
    4: True,  # FLIGHT_SQL_SERVER_SQL
    5: False,  # FLIGHT_SQL_SERVER_SUBSTRAIT
    8: 0,  # FLIGHT_SQL_SERVER_TRANSACTION: none
    9: False,  # FLIGHT_SQL_SERVER_CANCEL
    500: False,  # SQL_DDL_CATALOG
    501: False,  # SQL_DDL_SCHEMA
    502: False,  # SQL_DDL_TABLE
    504: '"',  # SQL_IDENTIFIER_QUOTE_CHAR
}
_STRING, _BOOLEAN, _BIGINT, _BITMASK = range(4)


def like(pattern: str | None, name: str) -> bool:
    """Whether a name matches a pattern of SQL's LIKE; None matches all.

    >>> like("tr_p%", "trips"), like("tr_p", "trips")
    (True, False)
    """
    if pattern is None:
        return True
    parts = (".*" if one == "%" else "." if one == "_" else re.escape(one) for one in pattern)
    return re.fullmatch("".join(parts), name, re.DOTALL) is not None


def _rows(schema: pa.Schema, rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = [[row[place] for row in rows] for place in range(len(schema))]
    made: pa.Table = pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )
    return made


def _schema(*fields: tuple[str, Any], needed: tuple[str, ...] = ()) -> pa.Schema:
    made: pa.Schema = pa.schema([pa.field(name, kind, nullable=name not in needed) for name, kind in fields])
    return made


def _tables(tables: Tables, message: Message) -> pa.Table:
    fields: list[tuple[str, Any]] = [
        ("catalog_name", pa.string()), ("db_schema_name", pa.string()), ("table_name", pa.string()),
        ("table_type", pa.string()),
    ]  # fmt: skip
    if message.get("include_schema"):
        fields.append(("table_schema", pa.binary()))
    wanted = (
        message.get("catalog") in (None, CATALOG)
        and like(message.get("db_schema_filter_pattern"), SCHEMA)
        and _TABLE in message.get("table_types", (_TABLE,))
    )
    names = [one for one in tables.names() if wanted and like(message.get("table_name_filter_pattern"), one)]
    rows: list[tuple[Any, ...]] = []
    for name in names:
        if not message.get("include_schema"):
            rows.append((CATALOG, SCHEMA, name, _TABLE))
        elif (table := tables.get(name)) is not None:
            rows.append((CATALOG, SCHEMA, name, _TABLE, table.schema.serialize().to_pybytes()))
    return _rows(_schema(*fields, needed=("table_name", "table_type", "table_schema")), rows)


def _info(message: Message) -> pa.Table:
    wanted = [number for number in message.get("info", _INFO) if number in _INFO]
    values = [_INFO[number] for number in wanted]
    codes = [_BOOLEAN if isinstance(one, bool) else _BITMASK if isinstance(one, int) else _STRING for one in values]
    kinds = (
        ("string_value", pa.string()), ("bool_value", pa.bool_()), ("bigint_value", pa.int64()),
        ("int32_bitmask", pa.int32()), ("string_list", pa.list_(pa.string())),
        ("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32()))),
    )  # fmt: skip
    children = [
        pa.array([value for value, code in zip(values, codes, strict=True) if code == number], kind)
        for number, (_, kind) in enumerate(kinds)
    ]
    offsets = [codes[:place].count(code) for place, code in enumerate(codes)]
    union = pa.UnionArray.from_dense(
        pa.array(codes, pa.int8()), pa.array(offsets, pa.int32()), children, [name for name, _ in kinds]
    )
    schema = _schema(("info_name", pa.uint32()), ("value", union.type), needed=("info_name", "value"))
    made: pa.Table = pa.table([pa.array(wanted, pa.uint32()), union], schema=schema)
    return made


def _primary_keys() -> pa.Table:
    text = pa.string()
    return _rows(
        _schema(
            ("catalog_name", text), ("db_schema_name", text), ("table_name", text), ("column_name", text),
            ("key_sequence", pa.int32()), ("key_name", text), needed=("table_name", "column_name", "key_sequence"),
        ),
        [],
    )  # fmt: skip


def _foreign_keys() -> pa.Table:
    text = pa.string()
    names = [f"{side}_{part}" for side in ("pk", "fk") for part in
             ("catalog_name", "db_schema_name", "table_name", "column_name")]  # fmt: skip
    return _rows(
        _schema(
            *((name, text) for name in names), ("key_sequence", pa.int32()), ("fk_key_name", text),
            ("pk_key_name", text), ("update_rule", pa.uint8()), ("delete_rule", pa.uint8()),
            needed=(*(name for name in names if name.endswith(("table_name", "column_name"))), "key_sequence",
                    "update_rule", "delete_rule"),
        ),
        [],
    )  # fmt: skip


def answer(tables: Tables, name: str, message: Message) -> pa.Table | None:
    """The answer to a question about the server or its tables; None where the message is no such question."""
    text = pa.string()
    match name:
        case "CommandGetSqlInfo":
            return _info(message)
        case "CommandGetCatalogs":
            return _rows(_schema(("catalog_name", text), needed=("catalog_name",)), [(CATALOG,)])
        case "CommandGetDbSchemas":
            found = message.get("catalog") in (None, CATALOG) and like(message.get("db_schema_filter_pattern"), SCHEMA)
            schema = _schema(("catalog_name", text), ("db_schema_name", text), needed=("db_schema_name",))
            return _rows(schema, [(CATALOG, SCHEMA)] if found else [])
        case "CommandGetTables":
            return _tables(tables, message)
        case "CommandGetTableTypes":
            return _rows(_schema(("table_type", text), needed=("table_type",)), [(_TABLE,)])
        case "CommandGetPrimaryKeys":
            return _primary_keys()
        case "CommandGetExportedKeys" | "CommandGetImportedKeys" | "CommandGetCrossReference":
            return _foreign_keys()
    return None
