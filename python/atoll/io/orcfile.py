# SPDX-License-Identifier: Apache-2.0
"""What an ORC file says of its texts and lists, looked through before Arrow's reader believes it.

That reader makes room for as many bytes as a stripe's lengths add up to, and ends the process where there is none. A
text cannot have more bytes than its stream has, nor a list more elements than the stripe's bytes can stand for.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import _core

_DATA, _LENGTH, _WORDS = 1, 2, 3  # kinds of streams
_TEXTS, _LISTS = (7, 8, 16, 17), (10, 11)  # kinds of types
_DICTIONARIES, _LATER = (1, 3), (2, 3)  # kinds of encodings: by a dictionary, and with runs of version 2
_NONE, _ZLIB, _SNAPPY, _LZ4, _ZSTD = 0, 1, 2, 4, 5  # compressions
_MOST = 1024  # values that a byte stands for at most: a run of 512, or one of 130 bytes that say which are there
_HEAD = 8  # bytes of a compressed part's head, and of what Snappy says of its size
_MARK = 8000  # the field of a file's end that says what it is
_END = 256  # bytes in which the last part of a file lies, which says where others are


class _Stripe(NamedTuple):
    offset: int
    before: int  # bytes of streams
    footer: int  # bytes behind them
    rows: int


class OrcFile:
    """The tail of a file. ValueError where it is broken."""

    def __init__(self, source: Any, far: bool = False) -> None:
        self._source, self._size, self._far = source, source.size(), far
        self._held, self._held_at = b"", 0  # of a far file the stripe that is looked at
        last = self._read(max(self._size - _END, 0), min(self._size, _END))
        try:
            told = dict(_fields(last[-1 - last[-1] : -1])) if last and last[-1] < len(last) else {}
        except ValueError:
            told = {}
        if told.get(_MARK) != b"ORC":
            raise ValueError("it is no ORC file, or is cut: its end does not say that it is one")
        self._compression, self._block = told.get(2, _NONE), told.get(3, 1 << 18)
        end = self._size - 1 - last[-1]
        footer = self._read(end - told.get(1, 0), told.get(1, 0))
        self._most_of(end - told.get(1, 0) - told.get(5, 0), told.get(5, 0))
        self._kinds: list[int] = []
        self._stripes: list[_Stripe] = []
        for number, value in _fields(self._unpacked(footer)):
            if number == 3:
                of = dict(_fields(value))
                before = of.get(2, 0) + of.get(3, 0)
                self._stripes.append(_Stripe(of.get(1, 0), before, of.get(4, 0), of.get(5, 0)))
            elif number == 4:
                self._kinds.append(dict(_fields(value)).get(1, 0))

    def check(self, number: int) -> None:
        """ValueError where a stripe's lengths cannot be."""
        stripe = self._stripes[number]
        if self._far:  # each read is a request
            self._held, self._held_at = self._read(stripe.offset, stripe.before + stripe.footer), stripe.offset
        streams, encodings = self._streams(stripe)
        held = sum(self._most_of(at, size) for streams_of in streams.values() for at, size in streams_of.values())
        if streams and stripe.rows > _MOST * (held + 1):
            raise ValueError(f"it is said to have {stripe.rows} rows in {held} bytes")
        for column, of in streams.items():
            kind = self._kinds[column] if column < len(self._kinds) else -1
            if _LENGTH not in of or kind not in (*_TEXTS, *_LISTS):
                continue
            how, words = encodings[column] if column < len(encodings) else (0, 0)
            count, most = stripe.rows, _MOST * (held + 1)
            if kind in _TEXTS:
                at, size = of.get(_WORDS if how in _DICTIONARIES else _DATA, (0, 0))
                count, most = (words if how in _DICTIONARIES else count), self._most_of(at, size)
            elif kind in _LISTS:
                count = min(_MOST * (held + 1), (1 << 62) - 1)
            at, size = of[_LENGTH]
            if count > _MOST * (self._most_of(at, size) + 1) and how in _DICTIONARIES:
                raise ValueError(f"column {column} of it is said to have {count} words")
            total = _core.sum_orc_lengths(self._unpacked(self._read(at, size)), 2 if how in _LATER else 1, count)
            if total > most:
                what = "texts" if kind in _TEXTS else "lists"
                raise ValueError(f"the {what} of column {column} are said to be of {total} together, of {most} at most")

    def _streams(self, stripe: _Stripe) -> tuple[dict[int, dict[int, tuple[int, int]]], list[tuple[int, int]]]:
        """Of each column where its streams are, by their kinds; and how each is encoded."""
        found: dict[int, dict[int, tuple[int, int]]] = {}
        encodings: list[tuple[int, int]] = []
        at = stripe.offset
        for number, value in _fields(self._unpacked(self._read(stripe.offset + stripe.before, stripe.footer))):
            of = dict(_fields(value)) if number in (1, 2) else {}
            if number == 1:
                size = of.get(3, 0)
                if size > stripe.offset + stripe.before - at:
                    raise ValueError(f"a stream of {size} bytes is longer than what is left of it")
                found.setdefault(of.get(2, 0), {})[of.get(1, 0)] = (at, size)
                at += size
            elif number == 2:
                encodings.append((of.get(1, 0), of.get(2, 0)))
        return found, encodings

    def _read(self, at: int, size: int) -> bytes:
        if at < 0 or size < 0 or size > self._size - at:
            raise ValueError(f"{size} bytes from byte {at} are not in a file of {self._size}")
        if self._held and self._held_at <= at and at + size <= self._held_at + len(self._held):
            return self._held[at - self._held_at : at - self._held_at + size]
        self._source.seek(at)
        data = bytes(self._source.read(size))
        if len(data) < size:
            raise ValueError("the file has become shorter")
        return data

    def _chunks(self, data: bytes) -> Iterator[tuple[bool, bytes]]:
        """Whether each part of a compressed stream is as it was, and its bytes."""
        at = 0
        while at < len(data):
            head = int.from_bytes(data[at : at + 3], "little")
            at += 3
            if len(data) - at < head >> 1:
                raise ValueError("a compressed stream of it ends too early")
            yield bool(head & 1), data[at : at + (head >> 1)]
            at += head >> 1

    def _most_of(self, at: int, size: int) -> int:
        """How many bytes a stream has at most when it is unpacked."""
        if self._compression == _NONE:
            return size
        total, end = 0, at + size
        while at < end:
            head = self._read(at, min(_HEAD, end - at))
            told, size = int.from_bytes(head[:3], "little"), 3 + (int.from_bytes(head[:3], "little") >> 1)
            if self._compression == _SNAPPY and not told & 1:
                self._check_snappy(head[3:])
            total += size - 3 if told & 1 else self._block
            at += size
        return total

    def _check_snappy(self, part: bytes) -> int:
        """The size that a part will have; Snappy's own reader does not ask whether there is room for it."""
        size = _varint(part, 0)[0]
        if size > self._block:
            raise ValueError(f"a part of it has {size} bytes, of {self._block} at most")
        return size

    def _size_of_lz4(self, part: bytes) -> int:
        """The size that a part will have: of each sequence its literals, and the bytes that it repeats."""
        at = size = 0
        while at < len(part):
            token = part[at]
            count, at = _lz4_count(part, at + 1, token >> 4)
            at, size = at + count, size + count
            if at < len(part):  # the last sequence repeats nothing
                count, at = _lz4_count(part, at + 2, token & 15)
                size += count + 4
        if at > len(part) or size > self._block:
            raise ValueError(f"a part of it ends too early, or has more than {self._block} bytes")
        return size

    def _unpacked(self, data: bytes) -> bytes:
        if self._compression == _NONE:
            return data
        return b"".join(part if whole else self._part(part) for whole, part in self._chunks(data))

    def _part(self, part: bytes) -> bytes:
        import pyarrow as pa

        if self._compression == _ZLIB:
            return zlib.decompressobj(-15).decompress(part, self._block)
        if self._compression == _ZSTD:
            return bytes(pa.CompressedInputStream(pa.BufferReader(part), "zstd").read(self._block))
        if self._compression == _SNAPPY:
            return pa.Codec("snappy").decompress(part, decompressed_size=self._check_snappy(part), asbytes=True)
        if self._compression == _LZ4:  # its reader does not say how much it has made
            return pa.Codec("lz4_raw").decompress(part, decompressed_size=self._size_of_lz4(part), asbytes=True)
        raise ValueError(f"its compression is {self._compression}")


def _lz4_count(data: bytes, at: int, count: int) -> tuple[int, int]:
    """A number that a token begins, with the bytes that go on with it."""
    if count == 15:
        while True:
            if at >= len(data):
                raise ValueError("a compressed part of it ends too early")
            count += data[at]
            at += 1
            if data[at - 1] < 255:
                break
    return count, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a number of it is broken")
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
        shift += 7


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Numbers and values of a message of Protocol Buffers': whole numbers, and bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            value: Any
            value, at = _varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7, -1)
            if key & 7 == 2:
                size, at = _varint(data, at)
            if size < 0 or size > len(data) - at:
                raise ValueError("a message of it ends too early")
            value, at = data[at : at + size], at + size
        yield key >> 3, value
