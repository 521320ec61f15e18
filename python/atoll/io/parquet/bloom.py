# SPDX-License-Identifier: Apache-2.0
"""Bloom filters of Parquet's row groups: blocks of 256 bits, of which a value's hash sets eight in one."""

from __future__ import annotations

import datetime
import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .thrift import STRUCT, parsed

if TYPE_CHECKING:
    from ...annotations import ArrayLike

_HEADER = 64  # bytes that are read at first; headers have some twenty
_BLOCK = 32
_SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)
_SIZE, _ALGORITHM, _HASH, _COMPRESSION = 1, 2, 3, 4

# -- hashes --

_M = (1 << 64) - 1
_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> (64 - by)) & _M


def _round(sum_: int, word: int) -> int:
    return _rotated((sum_ + word * _P2) & _M, 31) * _P1 & _M


def xxh64(data: bytes) -> int:
    """XXH64 with seed 0, as https://github.com/Cyan4973/xxHash describes it."""
    at, end = 0, len(data)
    if end >= 32:
        sums = [(_P1 + _P2) & _M, _P2, 0, -_P1 & _M]
        while at + 32 <= end:
            words = struct.unpack_from("<4Q", data, at)
            sums = [_round(one, word) for one, word in zip(sums, words, strict=True)]
            at += 32
        found = sum(_rotated(one, by) for one, by in zip(sums, (1, 7, 12, 18), strict=True)) & _M
        for one in sums:
            found = ((found ^ _round(0, one)) * _P1 + _P4) & _M
    else:
        found = _P5
    found = (found + end) & _M
    while at + 8 <= end:
        (word,) = struct.unpack_from("<Q", data, at)
        found = (_rotated(found ^ _round(0, word), 27) * _P1 + _P4) & _M
        at += 8
    if at + 4 <= end:
        (word,) = struct.unpack_from("<I", data, at)
        found = (_rotated(found ^ (word * _P1 & _M), 23) * _P2 + _P3) & _M
        at += 4
    for byte in data[at:]:
        found = _rotated(found ^ (byte * _P5 & _M), 11) * _P1 & _M
    found = (found ^ found >> 33) * _P2 & _M
    found = (found ^ found >> 29) * _P3 & _M
    return found ^ found >> 32


def hashes_of(values: Sequence[Any], kind: str, physical: str) -> list[int] | None:
    """Hashes of all values as a column of Arrow's type `kind` has them in a file; None where one cannot be told."""
    found: list[int] = []
    for value in values:
        encoded = _encoded(value, kind, physical)
        if encoded is None:
            return None
        found += map(xxh64, encoded)
    return found


def _encoded(value: ArrayLike, kind: Any, physical: str) -> list[bytes] | None:
    """The bytes that are hashed for values equal to this one."""
    import pyarrow as pa

    types = pa.types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64):
        value = value.item()
    if types.is_integer(kind) and isinstance(value, int) and not isinstance(value, bool):
        width = {"INT32": 32, "INT64": 64}.get(physical)
        fits = width is not None and -(1 << (width - 1)) <= value < 1 << width
        return [(value & ((1 << width) - 1)).to_bytes(width // 8, "little")] if fits and width else None
    if types.is_floating(kind) and isinstance(value, float) and not math.isnan(value):
        form = {"FLOAT": "<f", "DOUBLE": "<d"}.get(physical)
        try:
            return (form and [struct.pack(form, one) for one in ((0.0, -0.0) if value == 0 else (value,))]) or None
        except OverflowError:
            return None
    if (types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)) and isinstance(value, str):
        return [value.encode()] if physical == "BYTE_ARRAY" else None
    if (types.is_binary(kind) or types.is_large_binary(kind)) and isinstance(value, bytes):
        return [value] if physical == "BYTE_ARRAY" else None
    moment = types.is_timestamp(kind) and kind.unit != "s" and physical == "INT64"
    if (moment or (types.is_date32(kind) and physical == "INT32")) and isinstance(
        value, (datetime.date, np.datetime64)
    ):
        try:
            return [pa.scalar(value, kind).value.to_bytes(8 if moment else 4, "little", signed=True)]
        except (pa.ArrowException, ValueError, TypeError, OverflowError, AttributeError):
            return None
    return None


# -- filters --


def excludes(source: Any, at: int, hashes: Sequence[int]) -> bool:
    """Whether the filter at a place of a file has none of the hashes. A filter that is broken excludes nothing."""
    source.seek(at)
    head = bytes(source.read(_HEADER))
    try:
        header, bitset = parsed(head)
        count = header[_SIZE][1] // _BLOCK
        # The format has one algorithm (blocks), one hash (XXH64) and one compression (none).
        known = all(
            header[number][0] == STRUCT and 1 in header[number][1] for number in (_ALGORITHM, _HASH, _COMPRESSION)
        )
    except (ValueError, KeyError, TypeError):
        return False
    if not known or count < 1:
        return False
    for one in hashes:
        source.seek(at + bitset + ((one >> 32) * count >> 32) * _BLOCK)
        block = bytes(source.read(_BLOCK))
        if len(block) < _BLOCK:
            return False
        words = struct.unpack("<8I", block)
        if all(word >> ((one * salt & 0xFFFFFFFF) >> 27) & 1 for word, salt in zip(words, _SALT, strict=True)):
            return False
    return True
