# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all: under another name first, then renamed.

Who writes holds a lock on what lies aside, which ends with its process however that ends. So the next writer of the
same file knows what was left behind, and removes it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from typing import Any

#: What lies aside for this process, and the handle that holds its lock.
_held: dict[str, int] = {}
_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2
_AT_FDCWD = -100


class Device:
    """A device or pipe: it cannot be replaced, but written to."""

    def __init__(self, path: str) -> None:
        self.path = path


def is_special(path: str) -> bool:
    """Whether a path is of a device or pipe, say: what cannot be replaced, but written to."""
    _check(path)
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _check(path: str) -> None:
    if "\0" in path:
        raise ValueError(f"path {path!r} has a NUL character (paths end at it). Leave it out?")


def beside(path: str) -> str:
    """A new empty file beside `path`, to write to. What writers of `path` have left that are no more is removed."""
    _check(path)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    return _beside(path, lambda aside: os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)))


def directory_beside(path: str) -> str:
    """The same for a directory. A directory that programs work in is not replaced: its files would go."""
    _check(path)
    held = os.path.realpath(path)
    for kept, what in ((os.getcwd(), "current"), (os.path.expanduser("~"), "home")):
        if os.path.isdir(held) and os.path.commonpath([held, os.path.realpath(kept)]) == held:
            raise ValueError(
                f"{path} cannot be replaced (the {what} directory {kept} is in it). Name a directory below it?"
            )
    return _beside(path, os.mkdir)


def _beside(path: str, make: Callable[[str], None]) -> str:
    path = os.path.realpath(path)
    parent, name = os.path.split(path)
    if not os.path.isdir(parent):
        raise FileNotFoundError(f"no directory {parent} to write {name} in")
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    _tidy(parent, name)
    while True:
        aside = os.path.join(parent, f".{name}.{secrets.token_hex(4)}.part")
        make(aside)
        handle = os.open(aside, os.O_RDONLY)
        with contextlib.suppress(OSError):  # a file system without locks: nobody tidies up there
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.exists(aside) and os.path.samestat(os.stat(aside), os.fstat(handle)):
            _held[aside] = handle
            return aside
        os.close(handle)  # somebody took it for left behind before it was locked


def _tidy(parent: str, name: str) -> None:
    """Removes what lies beside a file without a writer; puts back a directory that was on its way to be replaced."""
    left = re.compile(re.escape(f".{name}.") + r"[0-9a-f]{8}\.part(\.old)?")
    for entry in os.listdir(parent):
        found = left.fullmatch(entry)
        if found is None:
            continue
        path = os.path.join(parent, entry)
        with contextlib.suppress(OSError):
            handle = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                target = os.path.join(parent, name)
                if found[1] and not os.path.lexists(target):
                    os.rename(path, target)
                else:
                    discard(path)
            finally:
                os.close(handle)


def settle(aside: str, path: str) -> None:
    """Puts what was written aside in the place of `path`: first its bytes are on the disk, then it has the name."""
    path = os.path.realpath(path)
    if os.path.isfile(path) and os.path.isfile(aside):
        os.chmod(aside, os.stat(path).st_mode & 0o777)
    flush_all(aside)
    if os.path.isdir(path) or (os.path.isdir(aside) and os.path.exists(path)):
        _exchange(aside, path)
    else:
        os.replace(aside, path)
    flush(os.path.dirname(path))


@contextlib.contextmanager
def replacing(path: str) -> Iterator[str]:
    """A file to write to, which takes the place of `path` when the block ends well; else `path` is as it was."""
    aside = beside(path)
    try:
        yield aside
        settle(aside, path)
    finally:
        discard(aside)


def _exchange(aside: str, path: str) -> None:
    """A directory with files cannot be renamed onto: the two change their names at once, and the old one goes.

    Where a file system cannot do that, the old one steps aside first; a program that is killed between leaves it there,
    and the next writer puts it back."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is not None and rename(_AT_FDCWD, os.fsencode(aside), _AT_FDCWD, os.fsencode(path), _EXCHANGE) == 0:
        discard(aside)
        return
    old = f"{aside}.old"
    handle = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(path, old)
        try:
            os.rename(aside, path)
        except BaseException:
            os.rename(old, path)
            raise
        discard(old)
    finally:
        os.close(handle)


def discard(path: str) -> None:
    """Removes a file or directory, if it is there, and gives its lock back."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
    handle = _held.pop(path, None)
    if handle is not None:
        os.close(handle)


def flush_all(path: str) -> None:
    """The bytes of a file, or of all of a directory, are on the disk."""
    if os.path.isdir(path):
        for at, _, names in os.walk(path):
            for name in names:
                flush(os.path.join(at, name))
            flush(at)
    else:
        flush(path)


def flush(path: str) -> None:
    """The bytes of a file, or the names of a directory, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def sink(system: Any, target: Any) -> Iterator[Any]:
    """A binary stream to a path (on `system`, a file system of Arrow's, or here), or the stream that `target` is."""
    if hasattr(target, "write"):
        yield target
    elif isinstance(target, Device):
        with open(target.path, "wb") as stream:
            yield stream
    elif system is None:
        with replacing(target) as aside, open(aside, "wb") as stream:
            yield stream
    else:
        # Object stores show an object when its upload is complete; an error must leave the stream without closing it.
        aside = f"{target}.{secrets.token_hex(4)}.part"
        try:
            with system.open_output_stream(aside) as stream:
                yield stream
            system.move(aside, target)
        except BaseException:
            with contextlib.suppress(OSError):
                system.delete_file(aside)
            raise
