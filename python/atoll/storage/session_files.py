# SPDX-License-Identifier: Apache-2.0
"""Files that a session writes: those of this process's file system, and of a server in a remote session."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from ..session import current
from ..session.everywhere import clean_up_once, once
from . import atomic
from .atomic import Device, beside, discard, settle

_PIECE = 4 << 20  # bytes that go to a server, or come from it, at a time


def is_remote() -> bool:
    """Whether paths are those of a server."""
    return current().kind == "remote"


def of_files(function: Callable[..., Any], *args: Any) -> Any:
    """What a function of paths gives on the host whose files these are."""
    return once(function, *args) if is_remote() else function(*args)


def target_here(path: str, *, expands: bool = True) -> tuple[str, bool]:
    """The absolute path of a file that is to be written, and whether it is a device or pipe; `expands`: "~", too."""
    found: tuple[str, bool] = of_files(_target, path, expands)
    return found


def _target(path: str, expands: bool) -> tuple[str, bool]:
    path = os.path.abspath(os.path.expanduser(path) if expands else path)
    return path, atomic.is_special(path)


def exists(path: str) -> bool:
    """Whether there is a file or directory of this name."""
    return bool(of_files(os.path.exists, path))


@contextlib.contextmanager
def replacing(path: str, make: Callable[[str], str] = beside) -> Iterator[str]:
    """A file, or what else `make` makes, for all PEs to write to: it takes the place of `path`, unless that fails."""
    session = current()
    aside = once(make, path)
    try:
        yield aside
        once(settle, aside, path)
    finally:
        clean_up_once(session, discard, aside)


@contextlib.contextmanager
def sink(system: Any, target: Any) -> Iterator[Any]:
    """A binary stream to a path (on `system`, an Arrow file system, or locally), or `target` if it is a stream.

    In a remote session a local path is one of the server's host.
    """
    if system is not None or hasattr(target, "write") or not is_remote():
        with atomic.sink(system, target) as stream:
            yield stream
    elif isinstance(target, Device):
        with _ServerStream.buffered(target.path) as stream:
            yield stream
    else:
        with replacing(target) as aside, _ServerStream.buffered(aside) as stream:
            yield stream


@contextlib.contextmanager
def written_by_path(path: str) -> Iterator[str]:
    """A path of this process's file system for a library to write to: that file then takes the place of `path`."""
    if not is_remote():
        with atomic.replacing(os.path.abspath(path)) as aside:
            yield aside
        return
    with replacing(target_here(path)[0]) as aside, tempfile.TemporaryDirectory() as folder:
        own = os.path.join(folder, "file")
        yield own
        with open(own, "rb") as source, _ServerStream.buffered(aside) as stream:
            while piece := source.read(_PIECE):
                stream.write(piece)


@contextlib.contextmanager
def read_by_path(path: str) -> Iterator[str]:
    """A path of this process's file system with what a file has, for a library to read."""
    if not is_remote():
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        own = os.path.join(folder, "file")
        with open(own, "wb") as stream:
            for piece in _pieces(path):
                stream.write(piece)
        yield own


def content(path: str) -> bytes:
    """All bytes of a file."""
    if is_remote():
        return b"".join(_pieces(path))
    with open(path, "rb") as stream:
        return stream.read()


def _pieces(path: str) -> Iterator[bytes]:
    at = 0
    while piece := once(_read, path, at):
        yield piece
        at += len(piece)


def _read(path: str, at: int) -> bytes:
    with open(path, "rb") as stream:
        stream.seek(at)
        return stream.read(_PIECE)


def _append(path: str, data: bytes) -> None:
    with open(path, "ab", buffering=0) as stream:
        rest = memoryview(data)
        while len(rest):
            rest = rest[stream.write(rest) or 0 :]


class _ServerStream(io.RawIOBase):
    """Writes to the end of a file of the server's host, a piece at a time."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._ended = False  # after that what is left in buffers is dropped

    @classmethod
    @contextlib.contextmanager
    def buffered(cls, path: str) -> Iterator[io.BufferedWriter[_ServerStream]]:
        """A stream whose rest is written at the end of the block, unless that fails."""
        own = cls(path)
        stream = io.BufferedWriter(own, _PIECE)
        try:
            yield stream
            if not stream.closed:  # by a compressor, which has written the rest
                stream.flush()
        finally:
            own._ended = True
            stream.close()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        piece = bytes(memoryview(data)[:_PIECE])
        if not self._ended:
            once(_append, self._path, piece)
        return len(piece)
