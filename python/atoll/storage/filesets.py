# SPDX-License-Identifier: Apache-2.0
"""Sets of files that belong together, with Arkouda's names: `PREFIX_LOCALE0000`, `PREFIX_LOCALE0001`, …

A set is replaced atomically: the old set stays complete until the new one is, whatever job wrote it and with whatever
number of files. The new files are written into a hidden directory beside the old ones. A rename of that directory
commits them: from then on the prefix means the new files. Then they are moved to their final names, and old files
without a successor are removed. If the process ends in between, the next reader or writer of the files completes this.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..session.everywhere import once
from .atomic import directory_beside, discard, flush, flush_all, remove
from .session_files import of_files, target_here

_COMMITTED = ".whole"  # suffix of a committed directory, whose files are to be moved to their final names
_LIST = ".files.json"
_PATIENCE = 10  # seconds to wait for another process that moves files


def located(prefix: str, number: int | None = 0) -> str:
    """The file name of a PE, or with None a pattern of those of all PEs."""
    stem, ending = os.path.splitext(prefix)
    return f"{stem}_LOCALE{'*' if number is None else f'{number:04d}'}{ending}"


@contextlib.contextmanager
def replacing_files(prefix: str) -> Iterator[str]:
    """A temporary prefix; if the block ends without error, its files replace those of `prefix`."""
    path, _ = target_here(prefix, expands=False)
    parent, name = of_files(os.path.realpath, os.path.dirname(path)), os.path.basename(path)
    once(complete, [parent])
    aside = once(directory_beside, os.path.join(parent, name))
    try:
        yield os.path.join(aside, name)
        once(_commit, aside, name)
    finally:
        once(discard, aside)


def complete(directories: Iterable[str]) -> bool:
    """Completes the interrupted replacements of dead processes in directories; returns whether there were any."""
    found = False
    for directory in directories:
        if _committed(directory):
            with _alone(directory):
                for path in _committed(directory):
                    _move(path)
            found = True
    return found


class _Told(NamedTuple):
    """The content of a committed directory: the prefix, and all its files."""

    name: str
    files: list[str]

    def is_old(self, file: str) -> bool:
        """Whether a file has the prefix and no successor."""
        return file not in self.files and _is_of(self.name, file)


def _is_of(name: str, file: str) -> bool:
    stem, ending = os.path.splitext(name)
    return re.fullmatch(re.escape(f"{stem}_LOCALE") + r"\d+" + re.escape(ending), file) is not None


def _committed(directory: str) -> list[str]:
    try:
        names = os.listdir(directory or ".")
    except OSError:  # the directory is missing or unreadable
        return []
    paths = [os.path.join(directory, one) for one in sorted(names) if one[:1] == "." and one.endswith(_COMMITTED)]
    return [path for path in paths if _is_own(path)]


def _is_own(path: str) -> bool:
    """Whether this user owns it: in a shared directory, another user could name this user's files."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _commit(aside: str, name: str) -> None:
    parent = os.path.dirname(aside)
    made = sorted(os.listdir(aside))
    for file in made:
        with contextlib.suppress(FileNotFoundError):
            os.chmod(os.path.join(aside, file), os.stat(os.path.join(parent, file)).st_mode & 0o777)
    with open(os.path.join(aside, _LIST), "w", encoding="utf-8") as stream:
        json.dump({"name": name, "files": made}, stream)
    flush_all(aside)
    with _alone(parent):
        for path in _committed(parent):
            _move(path)
        committed = aside.removesuffix(".part") + _COMMITTED
        os.rename(aside, committed)
        flush(parent)
        _move(committed)


def _move(committed: str) -> None:
    """Moves files to their final names, and removes old ones. Idempotent."""
    parent, told = os.path.dirname(committed), _told(committed)
    for name in told.files:
        with contextlib.suppress(FileNotFoundError):
            os.replace(os.path.join(committed, name), os.path.join(parent, name))
    for name in filter(told.is_old, os.listdir(parent or ".")):
        os.unlink(os.path.join(parent, name))
    flush(parent or ".")
    remove(committed)


def _told(committed: str) -> _Told:
    """The file list of a committed directory; ValueError if it is invalid or names files elsewhere."""
    path = os.path.join(committed, _LIST)
    try:
        with open(path, encoding="utf-8") as stream:
            found = json.load(stream)
        told = _Told(str(found["name"]), [str(one) for one in found["files"]])
        if told.files and all(_is_of(told.name, one) and os.path.basename(one) == one for one in told.files):
            return told
        what = "it names no files, or others"
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        what = f"{type(error).__name__}: {error}"
    raise ValueError(f"{path} is no list of files that are to move ({what}). Remove the directory?")


@contextlib.contextmanager
def _alone(directory: str) -> Iterator[None]:
    """Holds a lock so that no other process moves files of the directory, if the file system has locks."""
    handle = os.open(directory or ".", os.O_RDONLY)
    try:
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise TimeoutError(
                        f"another process has been moving files into {directory} for {_PATIENCE} s. Is it stopped?"
                    ) from None
                time.sleep(0.01)
            except OSError:  # no locks
                break
        yield
    finally:
        os.close(handle)
