# SPDX-License-Identifier: Apache-2.0
"""Thrift's compact protocol: structs of Parquet's footers, read and written without knowing their fields' names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Kinds of fields; a field that is a bool has its value in its kind.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_DEEPEST = 16

#: Field number -> kind and value: an int, bytes (also of a double), a bool, a `(kind, values)` of a list, a struct.
Struct = dict[int, tuple[int, Any]]

#: Numbers of the fields that are wanted, and of each what is wanted of its structs; None: all.
Wanted = Mapping[int, "Wanted | None"]


def parsed(
    data: bytes | memoryview, at: int = 0, last: int | None = None, wanted: Wanted | None = None
) -> tuple[Struct, int]:
    """The struct at a place, to field number `last` or all of it, and where that ends. ValueError for what is none.

    What is not wanted is passed over, which is much quicker.
    """
    reader = _Reader(data, at)
    try:
        return reader.struct(0, last, wanted), reader.at
    except IndexError as error:
        raise ValueError("a struct of Thrift's ends too early") from error


def packed(struct: Struct) -> bytes:
    """The struct's bytes, fields in order of their numbers."""
    out = bytearray()
    _put_struct(out, struct)
    return bytes(out)


def varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """A number, seven bits a byte, and the place behind it. IndexError where the data end too early."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")


class _Reader:
    def __init__(self, data: bytes | memoryview, at: int) -> None:
        self.data, self.at = data, at

    def _byte(self) -> int:
        value = self.data[self.at]
        self.at += 1
        return value

    def varint(self) -> int:
        value, self.at = varint(self.data, self.at)
        return value

    def _number(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def _some(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise IndexError
        self.at += count
        return bytes(self.data[self.at - count : self.at])

    def struct(self, depth: int, last: int | None = None, wanted: Wanted | None = None) -> Struct:
        if depth > _DEEPEST:
            raise ValueError("structs of Thrift's within too many others")
        found: Struct = {}
        data, at, number = self.data, self.at, 0
        while head := data[at]:
            kind = head & 15
            at += 1
            if head >> 4:
                number += head >> 4
            else:
                self.at = at
                number, at = self._number(), self.at
            if wanted is not None and number not in wanted:
                at = at + 1 if I16 <= kind <= I64 and data[at] < 0x80 else _behind(data, kind, at, depth)
            elif kind > FALSE:
                self.at = at
                found[number] = (kind, self._value(kind, depth, None if wanted is None else wanted[number]))
                at = self.at
            else:
                found[number] = (kind, kind == TRUE)
            if number == last:
                self.at = at
                return found
        self.at = at + 1
        return found

    def _value(self, kind: int, depth: int, wanted: Wanted | None = None) -> Any:
        if kind in (I16, I32, I64):
            return self._number()
        if kind == BINARY:
            return self._some(self.varint())
        if kind == STRUCT:
            return self.struct(depth + 1, None, wanted)
        if kind in (LIST, SET):
            head = self._byte()
            count, inner = head >> 4, head & 15
            count = self.varint() if count == 15 else count
            if count > len(self.data) - self.at:
                raise IndexError
            return inner, [
                self._byte() if inner <= BYTE else self._value(inner, depth + 1, wanted) for _ in range(count)
            ]
        if kind == BYTE:
            return self._byte()
        if kind == DOUBLE:
            return self._some(8)
        raise ValueError(f"a field of Thrift's is of kind {kind}")


def _behind(data: bytes | memoryview, kind: int, at: int, depth: int) -> int:
    """The place behind a field's value."""
    if kind <= FALSE:
        return at
    if I16 <= kind <= I64:
        while data[at] >= 0x80:
            at += 1
        return at + 1
    if kind in (BYTE, DOUBLE):
        return at + (1 if kind == BYTE else 8)
    if kind == BINARY:
        size, at = varint(data, at)
        return at + size
    if depth > _DEEPEST:
        raise ValueError("structs of Thrift's within too many others")
    if kind == STRUCT:
        while head := data[at]:
            at += 1
            if not head >> 4:
                at = _behind(data, I16, at, depth)
            inner = head & 15
            if I16 <= inner <= I64 and data[at] < 0x80:  # most of what there is
                at += 1
            else:
                at = _behind(data, inner, at, depth + 1)
        return at + 1
    if kind in (LIST, SET):
        count, inner = data[at] >> 4, data[at] & 15
        at += 1
        if count == 15:
            count, at = varint(data, at)
        if inner <= BYTE:
            return at + count
        for _ in range(count):
            at = _behind(data, inner, at, depth + 1)
        return at
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
