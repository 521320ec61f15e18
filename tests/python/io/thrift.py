# SPDX-License-Identifier: Apache-2.0
"""Thrift's compact protocol as trees, so that single numbers of a Parquet footer can be made to lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_STOP, _YES, _NO, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)

#: A value: its kind, and what it is. Structs are lists of [field, value], lists [kind of elements, values].
Value = list[Any]


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        found = shift = 0
        while True:
            one = self.byte()
            found |= (one & 127) << shift
            shift += 7
            if one < 128:
                return found

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]


def parsed(data: bytes) -> Value:
    """The struct that bytes begin with."""
    return _value(_Bytes(data), _STRUCT)


def _value(source: _Bytes, kind: int, element: bool = False) -> Value:
    if kind in (_YES, _NO):
        return [kind, source.byte() if element else kind]
    if kind == _BYTE:
        return [kind, source.byte()]
    if kind in (_I16, _I32, _I64):
        word = source.varint()
        return [kind, (word >> 1) ^ -(word & 1)]
    if kind == _DOUBLE:
        return [kind, source.take(8)]
    if kind == _BINARY:
        return [kind, source.take(source.varint())]
    if kind in (_LIST, _SET):
        head = source.byte()
        count = head >> 4 if head >> 4 < 15 else source.varint()
        return [kind, head & 15, [_value(source, head & 15, True) for _ in range(count)]]
    assert kind == _STRUCT
    fields, number = [], 0
    while (head := source.byte()) != _STOP:
        number = number + (head >> 4) if head >> 4 else _value(source, _I16)[1]
        fields.append([number, _value(source, head & 15)])
    return [_STRUCT, fields]


def unparsed(value: Value) -> bytes:
    """The bytes of a struct."""
    made = bytearray()
    _put(made, value)
    return bytes(made)


def _varint(made: bytearray, number: int) -> None:
    while number >= 128:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)


def _zigzag(number: int) -> int:
    return (number << 1 ^ number >> 63) & (1 << 64) - 1


def _put(made: bytearray, value: Value, element: bool = False) -> None:
    kind = value[0]
    if kind in (_YES, _NO):
        if element:
            made.append(value[1])
    elif kind == _BYTE:
        made.append(value[1])
    elif kind in (_I16, _I32, _I64):
        _varint(made, _zigzag(value[1]))
    elif kind == _DOUBLE:
        made += value[1]
    elif kind == _BINARY:
        _varint(made, len(value[1]))
        made += value[1]
    elif kind in (_LIST, _SET):
        count = len(value[2])
        made.append(min(count, 15) << 4 | value[1])
        if count >= 15:
            _varint(made, count)
        for one in value[2]:
            _put(made, one, True)
    else:
        before = 0
        for number, one in value[1]:
            made.append((number - before if 0 < number - before < 16 else 0) << 4 | one[0])
            if not 0 < number - before < 16:
                _varint(made, _zigzag(number))
            _put(made, one)
            before = number
        made.append(_STOP)


def numbers(value: Value, path: str = "") -> Iterator[tuple[str, Value]]:
    """All whole numbers and texts in a tree, each with the path of fields that leads to it."""
    kind = value[0]
    if kind in (_I16, _I32, _I64, _BINARY):
        yield path, value
    elif kind in (_LIST, _SET):
        for at, one in enumerate(value[2]):
            yield from numbers(one, f"{path}.{at}")
    elif kind == _STRUCT:
        for number, one in value[1]:
            yield from numbers(one, f"{path}.{number}")


def lies(struct: bytes) -> Iterator[tuple[str, bytes]]:
    """The struct with one of its numbers (or the first letter of a text) altered, and where that is."""
    tree = parsed(struct)
    assert unparsed(tree) == struct
    for path, value in numbers(tree):
        true = value[1]
        if value[0] == _BINARY:
            others: list[Any] = [b"", b"\xff" + true[1:], true + b"x"]
        else:
            others = [0, -1, true + 1, true - 1, 1 << 31, -(1 << 31), 1 << 40, (1 << 63) - 1, -(1 << 63)]
        for other in others:
            if other != true:
                value[1] = other
                yield f"{path}={other!r}", unparsed(tree)
        value[1] = true


def footer_lies(file: bytes) -> Iterator[tuple[str, bytes]]:
    """A Parquet file whose footer lies once."""
    size = int.from_bytes(file[-8:-4], "little")
    body, footer = file[: -8 - size], file[-8 - size : -8]
    for where, made in lies(footer):
        yield where, body + made + len(made).to_bytes(4, "little") + b"PAR1"
