# SPDX-License-Identifier: Apache-2.0
"""Thrift's compact protocol: structs of Parquet's footers, read and written without knowing their fields' names."""

from __future__ import annotations

from typing import Any

#: Kinds of fields; a field that is a bool has its value in its kind.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_DEEPEST = 16

#: Field number -> kind and value: an int, bytes (also of a double), a bool, a `(kind, values)` of a list, a struct.
Struct = dict[int, tuple[int, Any]]


def parsed(data: bytes | memoryview, at: int = 0, last: int | None = None) -> tuple[Struct, int]:
    """The struct at a place, to field number `last` or all of it, and where that ends. ValueError for what is none."""
    reader = _Reader(data, at)
    try:
        return reader.struct(0, last), reader.at
    except IndexError as error:
        raise ValueError("a struct of Thrift's ends too early") from error


def packed(struct: Struct) -> bytes:
    """The struct's bytes, fields in order of their numbers."""
    out = bytearray()
    _put_struct(out, struct)
    return bytes(out)


class _Reader:
    def __init__(self, data: bytes | memoryview, at: int) -> None:
        self.data, self.at = data, at

    def _byte(self) -> int:
        value = self.data[self.at]
        self.at += 1
        return value

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number of Thrift's is too long")

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _some(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise IndexError
        self.at += count
        return bytes(self.data[self.at - count : self.at])

    def struct(self, depth: int, last: int | None = None) -> Struct:
        if depth > _DEEPEST:
            raise ValueError("structs of Thrift's within too many others")
        found: Struct = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._number()
            kind = head & 15
            found[number] = (kind, self._value(kind, depth) if kind > FALSE else kind == TRUE)
            if number == last:
                break
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (I16, I32, I64):
            return self._number()
        if kind == BINARY:
            return self._some(self._varint())
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (LIST, SET):
            head = self._byte()
            count, inner = head >> 4, head & 15
            count = self._varint() if count == 15 else count
            if count > len(self.data) - self.at:
                raise IndexError
            return inner, [self._byte() if inner <= BYTE else self._value(inner, depth + 1) for _ in range(count)]
        if kind == BYTE:
            return self._byte()
        if kind == DOUBLE:
            return self._some(8)
        raise ValueError(f"a field of Thrift's is of kind {kind}")


def _put_varint(out: bytearray, value: int) -> None:
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _put_number(out: bytearray, value: int) -> None:
    _put_varint(out, value << 1 if value >= 0 else (-value << 1) - 1)


def _put_struct(out: bytearray, struct: Struct) -> None:
    before = 0
    for number in sorted(struct):
        kind, value = struct[number]
        if kind <= FALSE:
            kind = TRUE if value else FALSE
        if 0 < number - before < 16:
            out.append((number - before) << 4 | kind)
        else:
            out.append(kind)
            _put_number(out, number)
        before = number
        if kind > FALSE:
            _put(out, kind, value)
    out.append(0)


def _put(out: bytearray, kind: int, value: Any) -> None:
    if kind in (I16, I32, I64):
        _put_number(out, value)
    elif kind == BINARY:
        _put_varint(out, len(value))
        out += value
    elif kind == STRUCT:
        _put_struct(out, value)
    elif kind in (LIST, SET):
        inner, values = value
        out.append(min(len(values), 15) << 4 | inner)
        if len(values) >= 15:
            _put_varint(out, len(values))
        for one in values:
            if inner <= BYTE:
                out.append(one)
            else:
                _put(out, inner, one)
    elif kind == BYTE:
        out.append(value)
    elif kind == DOUBLE:
        out += value
    else:
        raise ValueError(f"a field of Thrift's is of kind {kind}")
