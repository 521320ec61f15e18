# SPDX-License-Identifier: Apache-2.0
"""Rows that do not fit in memory: on each PE one file without a name, which the kernel removes when its process ends.

So nothing is left behind by whatever end, `kill -9` included, and each PE reads what it wrote itself. Rows lie there as
Arrow's streams; where each is, and how many rows it has, is known on all PEs.
"""

from __future__ import annotations

import copy
import errno
import itertools
import os
import re
import secrets
import tempfile
import threading
from collections.abc import Iterable, Sequence
from typing import Any

from .. import _core
from ..io.reader import Part, Reader
from ..session import current
from ..session.everywhere import clean_up, everywhere, once

#: Bytes up to which rows stay in memory: results of groups, say, that another step looks at.
_KEPT = 4 << 20


class _File:
    """One PE's rows."""

    def __init__(self, directory: str, bound: int) -> None:
        self._directory, self._bound = directory, bound
        self._lock = threading.Lock()
        self._handle = -1
        self._kept: dict[int, Any] = {}
        self._rooms: list[Any] = []  # memory that was written from, for what is written next
        self.size = 0

    def write(self, table: Any) -> tuple[int, int]:
        """Adds a table; where it begins and how many bytes it has. Any thread."""
        import pyarrow as pa

        measure = pa.MockOutputStream()
        with pa.ipc.new_stream(measure, table.schema) as stream:
            stream.write_table(table)
        size = measure.size()
        with self._lock:
            at = self.size
            self.size += size
            keep = self.size <= _KEPT
            if not keep and self._handle < 0:
                self._open()
            room = None if keep or not self._rooms else self._rooms.pop()
        if room is None or room.size < size:
            room = pa.allocate_buffer(size)
        with pa.ipc.new_stream(pa.FixedSizeBufferWriter(room), table.schema) as stream:
            stream.write_table(table)
        data = room.slice(0, size)
        if keep:
            self._kept[at] = data
            return at, size
        if self.size > self._bound:
            raise OSError(
                errno.ENOSPC,
                f"cannot spill rows to {self._directory}: a PE may have {self._bound} bytes there. Raise "
                "ATOLL_SPILL_LIMIT, or say where there is more space by ATOLL_SPILL_DIR",
            )
        try:
            left, begin = memoryview(data), at
            while len(left):
                written = os.pwrite(self._handle, left, begin)
                left, begin = left[written:], begin + written
        except OSError as error:
            text = (
                f"cannot spill rows to {self._directory}: {error.strerror}. Say where there is space by ATOLL_SPILL_DIR"
            )
            raise OSError(error.errno, text) from error
        with self._lock:
            self._rooms.append(room)
        return at, size

    def _open(self) -> None:
        try:
            self._handle = os.open(self._directory, os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
                raise
            self._handle, path = tempfile.mkstemp(prefix=".atoll-", dir=self._directory)
            os.unlink(path)
        if self._bound == 0:
            free = os.fstatvfs(self._handle)
            self._bound = free.f_bavail * free.f_frsize * 19 // 20

    def read(self, at: int, size: int) -> Any:
        """The table that was written there."""
        import pyarrow as pa

        data = self._kept.get(at)
        if data is None:
            data = pa.allocate_buffer(size)
            into, begin = memoryview(data).cast("B"), at
            while len(into):
                got = os.preadv(self._handle, [into], begin)
                if got == 0:
                    raise OSError(errno.EIO, "spilled rows are gone", self._directory)
                into, begin = into[got:], begin + got
        return pa.ipc.open_stream(data).read_all()

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._kept, self._rooms = -1, {}, []


_files: dict[str, _File] = {}


class Spill:
    """Files of all PEs, while the context lasts."""

    #: Bytes that all PEs have spilled.
    written = 0

    def __enter__(self) -> Spill:
        self._session = current()
        self.key = once(secrets.token_hex, 8)
        everywhere(_begin, self.key, _setting("ATOLL_SPILL_DIR") or tempfile.gettempdir(), _limit())
        return self

    def reader(self, schema: object, segments: Sequence[Sequence[Segment]]) -> SpilledReader:
        """The reader of what each PE has just spilled."""
        self.written += sum(size for own in segments for _, _, size, _, _ in own)
        return SpilledReader(self.key, schema, segments)

    def __exit__(self, *_: object, clean_up: Any = clean_up) -> None:  # bound: see there when the interpreter ends
        clean_up(self._session, _end, self.key)


def _setting(name: str) -> str:
    return next(value for known, value, *_ in _core.config() if known == name)


def _limit() -> int:
    """`ATOLL_SPILL_LIMIT`, written as all sizes are."""
    text = _setting("ATOLL_SPILL_LIMIT")
    parts = re.fullmatch(r"([\d.]+(?:e\d+)?) *(?:([KMGTPE])(?:iB|B)?|B?)", text, re.IGNORECASE)
    try:
        number, unit = parts.groups(default="") if parts else ("", "")
        return int(float(number) * 1024 ** " KMGTPE".find(unit.upper() or " "))
    except ValueError:
        raise ValueError(
            f"ATOLL_SPILL_LIMIT='{text}' is not a size. Write bytes, or a number with K, M, G or T: 512M, 4G"
        ) from None


def _begin(here: Any, key: str, directory: str, bound: int) -> None:
    if not os.path.isdir(directory):
        raise FileNotFoundError(errno.ENOENT, "no directory to spill rows to. Set ATOLL_SPILL_DIR", directory)
    _files[key] = _File(directory, bound)


def _end(here: Any, key: str) -> None:
    made = _files.pop(key, None)
    if made is not None:
        made.close()


def file_of(key: str) -> _File:
    """This PE's file."""
    return _files[key]


#: On one PE a table that was spilled: its order, offset, bytes, rows, and bytes in memory.
Segment = tuple[int, int, int, int, int]


class SpilledReader(Reader):
    """Rows that PEs have spilled: parts are segments, of which each PE reads its own."""

    def __init__(self, key: str, schema: Any, segments: Sequence[Sequence[Segment]]) -> None:
        self.key, self.schema = key, schema
        self.parts = [
            Part("spilled rows", at, memory, rows, {}, f"of PE {pe} at", at + size)
            for pe, own in enumerate(segments)
            for _, at, size, rows, memory in sorted(own)
        ]
        self._shares = _ranges(map(len, segments))

    def shares(self, pes: int) -> list[range]:
        return self._shares

    def cut(self, count: int) -> list[Reader]:
        return [self._within([_part_of(own, at, count) for own in self._shares]) for at in range(count)]

    def _within(self, ranges: Sequence[range]) -> SpilledReader:
        made = copy.copy(self)
        made.parts = [self.parts[number] for own in ranges for number in own]
        made._shares = _ranges(map(len, ranges))
        return made

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """The segment."""
        yield file_of(self.key).read(part.number, part.end - part.number).select(list(columns))


def _ranges(counts: Iterable[int]) -> list[range]:
    """One range behind the other, of so many numbers each."""
    return list(itertools.starmap(range, itertools.pairwise(itertools.accumulate(counts, initial=0))))


def _part_of(own: range, at: int, count: int) -> range:
    return own[len(own) * at // count : len(own) * (at + 1) // count]


class Chain(Reader):
    """Readers of the same columns, concatenated."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        self.readers, self.schema = list(readers), readers[0].schema
        self.parts, self._readers, counts = [], [], []
        for shares in zip(*(reader.shares(current().pes) for reader in readers), strict=True):
            for at, own in enumerate(shares):
                self.parts += [readers[at].parts[number] for number in own]
                self._readers += [at] * len(own)
            counts.append(sum(map(len, shares)))
        self._shares = _ranges(counts)
        self._of = {id(part): at for part, at in zip(self.parts, self._readers, strict=True)}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_of": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._of = {id(part): at for part, at in zip(self.parts, self._readers, strict=True)}

    def shares(self, pes: int) -> list[range]:
        return self._shares

    def cut(self, count: int) -> list[Reader]:
        return [piece for reader in self.readers for piece in reader.cut(max(1, count // len(self.readers)))]

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """Reads a part with the reader that it belongs to."""
        for table in self.readers[self._of[id(part)]].read(part, columns, None):
            yield table.select(list(columns))


def spilled(spill: Spill, frame: Any) -> SpilledReader:
    """The rows of a frame, spilled."""
    from ..io.rows import inputs_of

    columns = frame._named()
    prepared = inputs_of(columns)
    if prepared is None:
        kinds = {name: str(column.dtype) for name, column in columns.items()}
        raise TypeError(f"rows with these columns cannot be spilled; choose others before: {kinds}")
    inputs, kept = prepared
    answers = everywhere(_write, spill.key, kept, inputs=inputs)
    return spill.reader(answers[0][0], [segments for _, segments in answers])


def _write(here: Any, key: str, kept: Any) -> tuple[Any, list[Segment]]:
    from ..io.rows import table_of

    table = table_of(here, kept)
    step = max(1, table.num_rows * (8 << 20) // max(table.nbytes, 1))
    segments = []
    for begin in range(0, table.num_rows, step):
        piece = table.slice(begin, step)
        segments.append((begin, *file_of(key).write(piece), piece.num_rows, piece.nbytes))
    return table.schema, segments
