# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all: under another name first, then renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def replacing(path: str) -> Iterator[str]:
    """A name beside `path` to write a file or directory under. It takes the place of `path` when the block ends well.

    Its bytes are on the disk before it is renamed; when the block fails nothing stays of it and `path` is as it was.
    """
    parent, name = os.path.split(path)
    aside = os.path.join(parent, f".{name}.{secrets.token_hex(4)}.part")
    try:
        yield aside
        _flush_all(aside)
        if os.path.isdir(path) and not os.path.islink(path):
            _exchange(aside, path)
        else:
            os.replace(aside, path)
        _flush(parent)
    finally:
        _remove(aside)


def _exchange(aside: str, path: str) -> None:
    """A directory with files cannot be renamed onto: the old one steps aside first, and comes back on an error."""
    old = f"{aside}.old"
    os.rename(path, old)
    try:
        os.rename(aside, path)
    except BaseException:
        os.rename(old, path)
        raise
    _remove(old)


def _remove(path: str) -> None:
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
        parent = os.path.dirname(target)
        if not os.path.isdir(parent):
            raise FileNotFoundError(f"no directory {parent} to write {os.path.basename(target)} in")
        mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else None
        with replacing(target) as aside:
            with open(aside, "xb") as stream:
                yield stream
            if mode is not None:
                os.chmod(aside, mode)
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
