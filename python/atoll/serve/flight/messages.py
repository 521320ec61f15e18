# SPDX-License-Identifier: Apache-2.0
"""Messages of Arrow Flight SQL: commands in descriptors and tickets, bodies of actions.

Flight SQL wraps each message into a `google.protobuf.Any`. Its messages have few kinds of fields, whose encoding is a
page; the package protobuf would be a dependency for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

#: A message: the fields that are there, by name.
Message = dict[str, Any]

_PACKAGE = "arrow.flight.protocol.sql."
_URL = f"type.googleapis.com/{_PACKAGE}"
_STRING, _BYTES, _BOOL, _UINT32 = "string", "bytes", "bool", "uint32"
_KEYS = (("catalog", _STRING), ("db_schema", _STRING), ("table", _STRING))

#: Message → its fields in the order of their numbers, from 1. A field whose type begins with "*" is repeated.
_MESSAGES: dict[str, tuple[tuple[str, str], ...]] = {
    "CommandGetSqlInfo": (("info", "*uint32"),),
    "CommandGetCatalogs": (),
    "CommandGetDbSchemas": (("catalog", _STRING), ("db_schema_filter_pattern", _STRING)),
    "CommandGetTables": (
        ("catalog", _STRING), ("db_schema_filter_pattern", _STRING), ("table_name_filter_pattern", _STRING),
        ("table_types", "*string"), ("include_schema", _BOOL),
    ),
    "CommandGetTableTypes": (),
    "CommandGetPrimaryKeys": _KEYS,
    "CommandGetExportedKeys": _KEYS,
    "CommandGetImportedKeys": _KEYS,
    "CommandGetCrossReference": (
        *((f"pk_{name}", kind) for name, kind in _KEYS), *((f"fk_{name}", kind) for name, kind in _KEYS),
    ),
    "CommandStatementQuery": (("query", _STRING), ("transaction_id", _BYTES)),
    "CommandStatementUpdate": (("query", _STRING), ("transaction_id", _BYTES)),
    "TicketStatementQuery": (("statement_handle", _BYTES),),
    "CommandPreparedStatementQuery": (("prepared_statement_handle", _BYTES),),
    "CommandPreparedStatementUpdate": (("prepared_statement_handle", _BYTES),),
    "ActionCreatePreparedStatementRequest": (("query", _STRING), ("transaction_id", _BYTES)),
    "ActionCreatePreparedStatementResult": (
        ("prepared_statement_handle", _BYTES), ("dataset_schema", _BYTES), ("parameter_schema", _BYTES),
    ),
    "ActionClosePreparedStatementRequest": (("prepared_statement_handle", _BYTES),),
}  # fmt: skip

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5  # wire types


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of 7 bits a byte, and the place behind it."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a message ends inside of a number")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _as_varint(value: int) -> bytes:
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Numbers and values of the fields of a message."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if kind == _LENGTH:
            size, at = _varint(data, at)
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"a field of the unknown wire type {kind}")
        if size > len(data) - at:
            raise ValueError("a message ends inside of a field")
        yield tag >> 3, data[at : at + size]
        at += size


def _numbers(value: int | bytes) -> list[int]:
    """The numbers of a repeated field: one, or several that are packed."""
    if isinstance(value, int):
        return [value]
    numbers, at = [], 0
    while at < len(value):
        number, at = _varint(value, at)
        numbers.append(number)
    return numbers


def _value(kind: str, given: int | bytes) -> Any:
    if kind in (_BOOL, _UINT32) and isinstance(given, int):
        return bool(given) if kind == _BOOL else given
    if kind in (_STRING, _BYTES) and isinstance(given, bytes):
        return given.decode() if kind == _STRING else given
    raise ValueError(f"a field that should be {kind} has another wire type")


def _parsed(fields: tuple[tuple[str, str], ...], data: bytes) -> Message:
    made: Message = {}
    for number, given in _fields(data):
        if not 1 <= number <= len(fields):
            continue  # of a later version of Flight SQL
        name, kind = fields[number - 1]
        if not kind.startswith("*"):
            made[name] = _value(kind, given)
        elif kind == "*uint32":
            made.setdefault(name, []).extend(_numbers(given))
        else:
            made.setdefault(name, []).append(_value(kind[1:], given))
    return made


def unpack(data: bytes) -> tuple[str, Message]:
    """The name and the fields of the message in an `Any`. ValueError: it is no message that this server knows."""
    try:
        wrapped = _parsed((("type_url", _STRING), ("value", _BYTES)), data)
        name = str(wrapped.get("type_url", "")).rpartition("/")[2].removeprefix(_PACKAGE)
        if name in _MESSAGES:
            return name, _parsed(_MESSAGES[name], wrapped.get("value", b""))
    except ValueError as error:  # UnicodeDecodeError is one
        raise ValueError(f"{len(data)} bytes are no message of Flight SQL ({error})") from None
    raise ValueError(f"the server does not know the message {name!r}")


def _field(number: int, value: bytes) -> bytes:
    return _as_varint(number << 3 | _LENGTH) + _as_varint(len(value)) + value


def pack(name: str, given: Mapping[str, bytes]) -> bytes:
    """A message of fields of bytes in an `Any`, as bytes."""
    numbers = {field: number for number, (field, _) in enumerate(_MESSAGES[name], 1)}
    body = b"".join(_field(numbers[field], value) for field, value in given.items())
    return _field(1, f"{_URL}{name}".encode()) + _field(2, body)
