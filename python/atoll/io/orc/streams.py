# SPDX-License-Identifier: Apache-2.0
"""Validates the strings and lists of an ORC file before Arrow's reader trusts them.

That reader makes room for as many bytes as a stripe's lengths add up to, and ends the process where there is none. A
text cannot have more bytes than its stream has, nor a list more elements than the stripe's bytes can stand for.
"""

from __future__ import annotations

import io
import zlib
from bisect import bisect_right
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from ... import _core
from ..parquet.thrift import varint

_DATA, _LENGTH, _WORDS = 1, 2, 3  # kinds of streams
_ABOUT = (6, 7, 8)  # kinds of streams that say where values are: no rows come of them
_TEXTS, _LISTS = (7, 8, 16, 17), (10, 11)  # kinds of types
_DICTIONARIES, _LATER = (1, 3), (2, 3)  # kinds of encodings: by a dictionary, and with runs of version 2
_NONE, _ZLIB, _SNAPPY, _LZ4, _ZSTD = 0, 1, 2, 4, 5  # compressions
_MOST = 1024  # values that a byte stands for at most: a run of 512, or one of 130 bytes that say which are there
_NEAR = 1 << 16  # bytes between two streams that are sooner read than left out
_HEAD = 8  # bytes of a compressed part's head, and of what Snappy says of its size
_MARK = 8000  # the tail field with the file's magic string
_END = 256  # bytes in which the last part of a file lies, which says where others are


class _Stripe(NamedTuple):
    offset: int
    before: int  # bytes of streams
    footer: int  # bytes behind them
    rows: int


class Remembered(io.RawIOBase):
    """A far file for Arrow's reader, which does not fetch again what `OrcFile.check` has looked at."""

    def __init__(self, file: OrcFile) -> None:
        self._file, self._at = file, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._file.size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, room: Any) -> int:
        data = self._file._read(self._at, min(len(room), max(self._file.size - self._at, 0)))
        room[: len(data)] = data
        self._at += len(data)
        return len(data)


class OrcFile:
    """A file's tail, and a look through its stripes. ValueError where it is broken."""

    def __init__(self, source: Any, far: bool = False) -> None:
        self._source, self.size, self._far = source, source.size(), far
        self._held: list[tuple[int, bytes]] = []  # of a far file what has been read, in order
        last = self._read(max(self.size - _END, 0), min(self.size, _END))
        try:
            told = dict(_fields(last[-1 - last[-1] : -1])) if last and last[-1] < len(last) else {}
        except ValueError:
            told = {}
        if told.get(_MARK) != b"ORC":
            raise ValueError("it is no ORC file, or is cut: its end does not say that it is one")
        self._compression, self._block = told.get(2, _NONE), told.get(3, 1 << 18)
        end = self.size - 1 - last[-1]
        footer = self._read(end - told.get(1, 0), told.get(1, 0))
        self._most_of(end - told.get(1, 0) - told.get(5, 0), told.get(5, 0))
        self._kinds: list[int] = []
        types: list[bytes] = []
        self._stripes: list[_Stripe] = []
        for number, value in _fields(self._unpacked(footer)):
            if number == 3:
                of = dict(_fields(value))
                before = of.get(2, 0) + of.get(3, 0)
                self._stripes.append(_Stripe(of.get(1, 0), before, of.get(4, 0), of.get(5, 0)))
            elif number == 4:
                self._kinds.append(dict(_fields(value)).get(1, 0))
                types.append(value)
        self._columns = _columns_of(types)

    def check(self, number: int, columns: Collection[str] | None = None) -> None:
        """ValueError where a stripe's lengths cannot be, those of some columns or of all."""
        stripe = self._stripes[number]
        self._held = []
        streams, encodings = self._streams(stripe)
        rows_of = {column: {kind: of[kind] for kind in of if kind not in _ABOUT} for column, of in streams.items()}
        streams = {column: of for column, of in rows_of.items() if of}
        if columns is not None and all(name.encode() in self._columns for name in columns):
            wanted = {column for name in columns for column in self._columns[name.encode()]}
            streams = {column: of for column, of in streams.items() if column in wanted} or streams
        if self._far:  # each read is a request
            self._hold(sorted(where for of in streams.values() for where in of.values()))
        held = sum(self._most_of(at, size) for of in streams.values() for at, size in of.values())
        bound = _MOST * (held + 1)
        if streams and stripe.rows > bound:
            raise ValueError(f"it declares {stripe.rows} rows in {held} bytes")
        for column, of in streams.items():
            kind = self._kinds[column] if column < len(self._kinds) else -1
            if _LENGTH not in of or kind not in (*_TEXTS, *_LISTS):
                continue
            how, words = encodings[column] if column < len(encodings) else (0, 0)
            if kind in _LISTS:
                count, most = min(bound, (1 << 62) - 1), bound
            else:
                count, stream = (words, _WORDS) if how in _DICTIONARIES else (stripe.rows, _DATA)
                most = self._most_of(*of.get(stream, (0, 0)))
            at, size = of[_LENGTH]
            if how in _DICTIONARIES and count > _MOST * (self._most_of(at, size) + 1):
                raise ValueError(f"column {column} of it declares {count} words")
            total = _core.sum_orc_lengths(self._unpacked(self._read(at, size)), 2 if how in _LATER else 1, count)
            if total > most:
                what = "texts" if kind in _TEXTS else "lists"
                raise ValueError(f"the {what} of column {column} are said to be of {total} together, of {most} at most")

    def _streams(self, stripe: _Stripe) -> tuple[dict[int, dict[int, tuple[int, int]]], list[tuple[int, int]]]:
        """The streams of each column by kind, and the encoding of each column."""
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
        if at < 0 or size < 0 or size > self.size - at:
            raise ValueError(f"{size} bytes from byte {at} are not in a file of {self.size}")
        place = bisect_right(self._held, at, key=lambda piece: piece[0]) - 1
        begin, piece = self._held[place] if place >= 0 else (0, b"")
        if at + size <= begin + len(piece):
            return piece[at - begin : at - begin + size]
        self._source.seek(at)
        data = bytes(self._source.read(size))
        if len(data) < size:
            raise ValueError("the file has become shorter")
        return data

    def _hold(self, streams: list[tuple[int, int]]) -> None:
        """Reads streams, neighbours at once."""
        runs: list[list[int]] = []
        for at, size in streams:
            if runs and at <= runs[-1][1] + _NEAR:
                runs[-1][1] = max(runs[-1][1], at + size)
            else:
                runs.append([at, at + size])
        self._held = [(begin, self._read(begin, end - begin)) for begin, end in runs]

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


def _columns_of(types: list[bytes]) -> dict[bytes, list[int]]:
    """The numbers of what belongs to each column, by its name; nothing where the types are not a tree in order."""
    names: list[bytes] = []
    below: list[list[int]] = []
    for value in types:
        below.append([])
        for number, of in _fields(value):
            if number == 2:
                below[-1] += [of] if isinstance(of, int) else _varints(of)
            elif number == 3 and len(below) == 1:
                names.append(of)
    expected, left = 0, [0]
    while left:
        if (number := left.pop()) != expected or number >= len(below):
            return {}
        left += reversed(below[number])
        expected += 1
    if expected < len(below) or len(names) != len(below[0]):
        return {}
    found: dict[bytes, list[int]] = {}
    for name, begin, end in zip(names, below[0], [*below[0][1:], expected], strict=True):
        found.setdefault(name, []).extend(range(begin, end))
    return found


def _varints(data: bytes) -> list[int]:
    found, at = [], 0
    while at < len(data):
        value, at = _varint(data, at)
        found.append(value)
    return found


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
    try:
        return varint(data, at)
    except IndexError:
        raise ValueError("a number of it is broken") from None


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
