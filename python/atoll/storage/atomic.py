# SPDX-License-Identifier: Apache-2.0
"""Atomic writes of files: data go to a temporary file in the same directory, which is then renamed.

A writer holds a lock on its temporary file; the kernel releases the lock when the process ends. So the next writer of
the same file recognises and removes temporary files of dead processes.
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

#: Temporary files of this process, and the descriptors that hold their locks.
_held: dict[str, int] = {}
_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2
_AT_FDCWD = -100


class Device:
    """A device or pipe: it cannot be replaced, but written to."""

    def __init__(self, path: str) -> None:
        self.path = path


def is_special(path: str) -> bool:
    """Whether a path is a device, pipe or similar file, which cannot be replaced, only written to."""
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
    """A new temporary file in the directory of `path`. Removes temporary files of dead writers of `path`."""
    _check(path)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    return _beside(path, lambda aside: os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)))


def directory_beside(path: str) -> str:
    """The same for a directory. Refuses one that contains the current or home directory, whose files would vanish."""
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
        with contextlib.suppress(OSError):  # a file system without locks: temporary files of dead writers stay
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.exists(aside) and os.path.samestat(os.stat(aside), os.fstat(handle)):
            _held[aside] = handle
            return aside
        os.close(handle)  # another writer removed it before it was locked


def _tidy(parent: str, name: str) -> None:
    """Removes temporary files of dead writers; restores a directory whose replacement was interrupted."""
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
                    remove(path)
            finally:
                os.close(handle)


def settle(aside: str, path: str) -> None:
    """Replaces `path` by the temporary file: flushes it to disk, then renames it."""
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
    """A temporary file, which replaces `path` if the block ends without error; else `path` is unchanged."""
    aside = beside(path)
    try:
        yield aside
        settle(aside, path)
    finally:
        discard(aside)


def _exchange(aside: str, path: str) -> None:
    """Replaces a directory: exchanges both names atomically (rename needs an empty target) and deletes the old one.

    Where a file system cannot exchange names, the old directory is renamed first; if the program is killed in between,
    the next writer restores it."""
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
        remove(old)
    finally:
        os.close(handle)


def discard(path: str) -> None:
    """Removes a temporary file or directory of this process, or of one that has ended, and releases its lock.

    One of a running process stays. After the death of a PE, the first PE may be replacing a directory with it while the
    other PEs discard it: the directory would lack what they had removed. Its own process discards it.
    """
    if path in _held or not _is_locked(path):
        remove(path)
    handle = _held.pop(path, None)
    if handle is not None:
        os.close(handle)


def _is_locked(path: str) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(handle)
    return False


def remove(path: str) -> None:
    """Removes a file or a directory, if it exists."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def flush_all(path: str) -> None:
    """Flushes a file, or a directory with all its files, to disk."""
    if os.path.isdir(path):
        for at, _, names in os.walk(path):
            for name in names:
                flush(os.path.join(at, name))
            flush(at)
    else:
        flush(path)


def flush(path: str) -> None:
    """Flushes a file, or the entries of a directory, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def sink(system: Any, target: Any) -> Iterator[Any]:
    """A binary stream to a path (on `system`, an Arrow file system, or locally), or `target` if it is a stream."""
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
