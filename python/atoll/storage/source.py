# SPDX-License-Identifier: Apache-2.0
"""Reading bytes of files into memory, with errors that name the file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any


def fill(source: Any, room: Any) -> None:
    """Reads until the buffer is full; ValueError if the file ends before."""
    while len(room):
        count = source.readinto(room)
        if not count:
            raise ValueError("the file has become shorter")
        room = room[count:]


def pour(stream: Any, data: Any, step: int) -> None:
    """Writes bytes, so many at a time: signals are handled in between."""
    left = memoryview(data).cast("B")
    for begin in range(0, len(left), step):
        stream.write(left[begin : begin + step])


def land(here: Any, parts: Sequence[tuple[Any, ...]]) -> None:
    """Calls the engine's `add_values` on a PE."""
    with opening([part[3] for part in parts]):
        if parts:
            here.add_values(list(parts))


@contextlib.contextmanager
def opening(files: Iterable[str]) -> Iterator[None]:
    """Raises Python's own error for a file that the engine cannot open."""
    try:
        yield
    except ValueError:
        raise
    except Exception:
        for file in dict.fromkeys(files):
            with open(file, "rb"):
                pass
        raise


@contextlib.contextmanager
def reading(what: Any) -> Iterator[None]:
    """Adds the file and the position to errors of a library; corrupt content becomes a ValueError."""
    try:
        yield
    except (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError):
        raise
    except MemoryError as error:
        raise MemoryError(f"cannot read {what}: {_first_line(error)}") from error
    except OSError as error:
        if error.errno is not None:
            raise type(error)(error.errno, error.strerror, str(what)) from error
        raise ValueError(f"cannot read {what}: {_first_line(error)}") from error
    except Exception as error:  # libraries have many classes of errors for corrupt files
        raise ValueError(f"cannot read {what}: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]
