# SPDX-License-Identifier: Apache-2.0
"""Values as bytes: what arguments and results of the engine's operations consist of. Nothing is pickled.

A value is a tag of one byte and what the tag says. The elements of arrays are not among these bytes: an encoder lists
them apart, as bulk, and a decoder takes them from the bulk of the frame, one array behind the other. Handles are
numbers; each side gives a function that looks them up.

| tag | then |
|---|---|
| N T F | nothing: None, True, False |
| i | i64 |
| I | u32 count, bytes of a signed integer of any size |
| d, c | f64; two f64 of a complex number |
| s, b | u32 count, UTF-8 or bytes |
| t, l | u32 count, values of a tuple or list |
| m | u32 count, pairs of values of a dict |
| a | u8 length and name of the dtype, u8 axes, i64 extents: an array, elements in the bulk |
| S | nothing: the session |
| E | i64: a handle on an array |
| e | i64 number, u8 dtype, u8 stored or not, u8 axes, i64 extents: a handle that the server has made |
| X | i64: a handle on a column of strings |
| x | i64 number, i64 rows, i64 bytes: one that the server has made |
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from .protocol import BODY_LIMIT, ProtocolError

_I64, _F64, _U32, _2F64, _3I64 = (struct.Struct(form) for form in ("<q", "<d", "<I", "<dd", "<qqq"))
#: What stands before the arguments of a call: operation, number of the result's handle (0: none), how many arguments.
CALL = struct.Struct("<HqB")
_DEPTH = 24  # of tuples in tuples; the engine's arguments need 4
_AXES = 64
#: Dtypes whose elements may be bulk.
DTYPES = {
    name: np.dtype(name)
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
        "complex64", "complex128",
    )
}  # fmt: skip

#: How a type is encoded: a function of the value, the bytes so far, the bulk so far, and the table itself.
Encoder = Callable[[Any, bytearray, list[Any], dict[type, Any]], None]


def _integer(value: int, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
    if -0x8000000000000000 <= value <= 0x7FFFFFFFFFFFFFFF:
        out += b"i" + _I64.pack(value)
    else:
        size = value.bit_length() // 8 + 1
        out += b"I" + _U32.pack(size) + value.to_bytes(size, "little", signed=True)


def _text(value: str, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
    data = value.encode()
    out += b"s" + _U32.pack(len(data)) + data


def _bytes(value: bytes, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
    out += b"b" + _U32.pack(len(value)) + value


def _several(tag: bytes) -> Encoder:
    def encode_several(value: Any, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
        out += tag + _U32.pack(len(value))
        for one in value:
            encoder = table.get(type(one))
            if encoder is None:
                encode(one, out, bulk, table)
            else:
                encoder(one, out, bulk, table)

    return encode_several


def _mapping(value: dict[Any, Any], out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
    out += b"m" + _U32.pack(len(value))
    for pair in value.items():
        for one in pair:
            encode(one, out, bulk, table)


def _array(value: np.ndarray[Any, Any], out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
    name = value.dtype.name
    if DTYPES.get(name) != value.dtype:
        raise TypeError(f"arrays of dtype {value.dtype} cannot be sent. Convert the array to another dtype?")
    data = np.ascontiguousarray(value)
    out += array_head(name, value.shape)
    bulk.append(memoryview(data).cast("B") if data.size else b"")  # type: ignore[arg-type]


def array_head(dtype: str, shape: tuple[int, ...]) -> bytes:
    """An array's tag, dtype and shape; its elements go to the bulk."""
    return b"a" + bytes((len(dtype),)) + dtype.encode() + bytes((len(shape),)) + struct.pack(f"<{len(shape)}q", *shape)


def made_array(number: int, dtype: int, stored: bool, shape: tuple[int, ...]) -> bytes:
    """A handle that the server has made."""
    return b"e" + _I64.pack(number) + bytes((dtype, stored, len(shape))) + struct.pack(f"<{len(shape)}q", *shape)


def made_texts(number: int, rows: int, size: int) -> bytes:
    """A handle on a column of strings that the server has made."""
    return b"x" + _3I64.pack(number, rows, size)


#: The encoders of Python's and NumPy's types. Each side adds those of its handles to a copy.
ENCODERS: dict[type, Any] = {
    type(None): lambda value, out, bulk, table: out.append(78),
    bool: lambda value, out, bulk, table: out.append(84 if value else 70),
    int: _integer,
    float: lambda value, out, bulk, table: out.extend(b"d" + _F64.pack(value)),
    complex: lambda value, out, bulk, table: out.extend(b"c" + _2F64.pack(value.real, value.imag)),
    str: _text,
    bytes: _bytes,
    tuple: _several(b"t"),
    list: _several(b"l"),
    dict: _mapping,
    np.ndarray: _array,
}


def encode(value: Any, out: bytearray, bulk: list[Any], table: dict[type, Any]) -> None:
    """Appends a value to `out`, and the elements of its arrays to `bulk`. TypeError where it is of no known type."""
    encoder = table.get(type(value))
    if encoder is None:
        if isinstance(value, np.generic):
            value = value.item()
        elif isinstance(value, (range, map)):
            value = tuple(value)
        elif isinstance(value, np.ndarray):
            value = value.view(np.ndarray)
        elif isinstance(value, (bytearray, memoryview)):
            value = bytes(value)
        else:
            plain = next((one for one in (int, float, str, bytes, tuple, list) if isinstance(value, one)), None)
            if plain is None:
                raise TypeError(f"a {type(value).__name__} cannot be sent to the server")
            value = plain(value)
        encoder = table[type(value)]
    encoder(value, out, bulk, table)


class Decoder:
    """Reads values from a body. Whatever the bytes are, it raises ProtocolError or gives values of the types above.

    Parameters
    ----------
    body : bytes
        The encoded values.
    handles : dict
        What a tag of a handle becomes: `b"E"[0]` → function of the number, `b"S"[0]` → function of nothing, …
    bulk : uint8 array, optional
        The elements of the body's arrays, concatenated. Arrays share this memory.
    """

    __slots__ = ("_bulk", "_bulk_at", "_handles", "at", "body")

    def __init__(self, body: bytes, handles: dict[int, Callable[..., Any]], bulk: Any = None) -> None:
        self.body, self.at = body, 0
        self._handles, self._bulk, self._bulk_at = handles, bulk, 0

    def value(self, depth: int = 0) -> Any:
        """The next value."""
        body, at = self.body, self.at
        try:
            tag = body[at]
            self.at = at + 1
            if tag == 105:  # i
                self.at = at + 9
                return _I64.unpack_from(body, at + 1)[0]
            if tag == 116 or tag == 108:  # t, l
                several = [self.value(depth + 1) for _ in range(self._count(depth))]
                return tuple(several) if tag == 116 else several
            if tag == 69:  # E
                self.at = at + 9
                return self._handles[69](_I64.unpack_from(body, at + 1)[0])
            if tag == 115:  # s
                return str(self.take(self._count()), "utf-8")
            if tag == 78:  # N
                return None
            if tag == 84 or tag == 70:  # T, F
                return tag == 84
            if tag == 100:  # d
                self.at = at + 9
                return _F64.unpack_from(body, at + 1)[0]
            return self._rare(tag, depth)
        except (IndexError, struct.error, UnicodeDecodeError):
            raise ProtocolError(f"the value at byte {at} of a body of {len(body)} bytes is not valid") from None

    def end(self) -> bool:
        """Whether all bytes have been read."""
        return self.at >= len(self.body)

    def check_end(self) -> None:
        """ProtocolError where bytes are left, in the body or in the bulk."""
        if self.at != len(self.body) or self._bulk_at != (0 if self._bulk is None else len(self._bulk)):
            raise ProtocolError("a frame has bytes behind its values")

    def _count(self, depth: int = 0) -> int:
        (count,) = _U32.unpack_from(self.body, self.at)
        self.at += 4
        if count > len(self.body) - self.at or depth > _DEPTH:  # each value has a byte at least
            raise ProtocolError("a value in a frame is longer than the frame, or nested too deeply")
        return int(count)

    def take(self, count: int) -> bytes:
        """The next bytes."""
        if not 0 <= count <= len(self.body) - self.at:
            raise ProtocolError("a value in a frame is longer than the frame")
        self.at += count
        return self.body[self.at - count : self.at]

    def _integers(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}q", self.take(8 * count))

    def _rare(self, tag: int, depth: int) -> Any:
        if tag == 98:  # b
            return self.take(self._count())
        if tag == 73:  # I
            return int.from_bytes(self.take(self._count()), "little", signed=True)
        if tag == 99:  # c
            return complex(*_2F64.unpack(self.take(16)))
        if tag == 109:  # m
            pairs = [(self.value(depth + 1), self.value(depth + 1)) for _ in range(self._count(depth))]
            if not all(isinstance(key, (str, int)) for key, _ in pairs):
                raise ProtocolError("a key of a dict in a frame is no string and no integer")
            return dict(pairs)
        if tag == 97:  # a
            return self._array()
        if tag not in self._handles:
            raise ProtocolError(f"a value in a frame has the unknown tag {tag}")
        if tag == 83:  # S
            return self._handles[83]()
        if tag == 101:  # e
            (number,) = self._integers(1)
            dtype, stored, axes = self.take(3)
            return self._handles[101](number, dtype, bool(stored), self._integers(axes))
        return self._handles[tag](*self._integers(3 if tag == 120 else 1))  # x; X

    def _array(self) -> np.ndarray[Any, Any]:
        name = self.take(self.take(1)[0]).decode("ascii", "replace")
        axes = self.take(1)[0]
        shape = self._integers(axes)
        dtype = DTYPES.get(name)
        if dtype is None or axes > _AXES or any(extent < 0 for extent in shape):
            raise ProtocolError("an array in a frame has no valid dtype or shape")
        size = math.prod(shape) * dtype.itemsize
        begin, self._bulk_at = self._bulk_at, self._bulk_at + size
        if self._bulk_at > (0 if self._bulk is None else len(self._bulk)):
            raise ProtocolError(f"an array in a frame needs {size} bytes of bulk, which are not there")
        if not size:
            return np.empty(shape, dtype)
        data = self._bulk[begin : begin + size]
        if begin % dtype.itemsize:
            data = data.copy()  # elements must be aligned
        found: np.ndarray[Any, Any] = data.view(dtype).reshape(shape)
        return found


def encoded(value: object) -> bytes:
    """A value without arrays and handles, as bytes."""
    out = bytearray()
    encode(value, out, [], ENCODERS)
    if len(out) > BODY_LIMIT:
        raise ValueError(f"a message of {len(out)} bytes is too long (the limit is {BODY_LIMIT})")
    return bytes(out)


def decoded(data: bytes) -> Any:
    """The only value in some bytes, without arrays and handles."""
    decoder = Decoder(data, {})
    value = decoder.value()
    decoder.check_end()
    return value
