# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all: under another name first, then renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from typing import Any


def beside(path: str) -> str:
    """A name beside `path` to write a file or directory under."""
    parent, name = os.path.split(path)
    if not os.path.isdir(parent):
        raise FileNotFoundError(f"no directory {parent} to write {name} in")
    return os.path.join(parent, f".{name}.{secrets.token_hex(4)}.part")


def settle(aside: str, path: str) -> None:
    """Puts what was written aside in the place of `path`: first its bytes are on the disk, then it has the name."""
    if os.path.isfile(path) and os.path.isfile(aside):
        os.chmod(aside, os.stat(path).st_mode & 0o777)
    _flush_all(aside)
    if os.path.isdir(path) and not os.path.islink(path):
        _exchange(aside, path)
    else:
        os.replace(aside, path)
    _flush(os.path.dirname(path))


@contextlib.contextmanager
def replacing(path: str) -> Iterator[str]:
    """A name to write under, which takes the place of `path` when the block ends well; else `path` is as it was."""
    aside = beside(path)
    try:
        yield aside
        settle(aside, path)
    finally:
        discard(aside)


def _exchange(aside: str, path: str) -> None:
    """A directory with files cannot be renamed onto: the old one steps aside first, and comes back on an error."""
    old = f"{aside}.old"
    os.rename(path, old)
    try:
        os.rename(aside, path)
    except BaseException:
        os.rename(old, path)
        raise
    discard(old)


def discard(path: str) -> None:
    """Removes a file or directory, if it is there."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _flush_all(path: str) -> None:
    if os.path.isdir(path):
        for at, _, names in os.walk(path):
            for name in names:
                _flush(os.path.join(at, name))
            _flush(at)
    else:
        _flush(path)


def _flush(path: str) -> None:
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
    elif system is None:
        with replacing(target) as aside, open(aside, "xb") as stream:
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
