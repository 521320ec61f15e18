# SPDX-License-Identifier: Apache-2.0
"""The current position of the program: the line outside of this package that called it, and the called function."""

from __future__ import annotations

import linecache
import os
import sys
from types import FrameType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
#: Packages that call array operations on behalf of the user's line.
_BETWEEN = ("numpy", "pandas")
_LONGEST = 120


def where() -> str:
    """The position for error messages: "in ndarray.sum (sums.py:4: `print(a.sum())`)". Empty outside of a program."""
    frame: FrameType | None = sys._getframe(1)
    called = ""
    while frame is not None and is_ours(frame):
        called = _name(frame) or called
        frame = frame.f_back
    while frame is not None and (is_ours(frame) or frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN):
        frame = frame.f_back
    if frame is None:
        return ""
    return f"in {called or 'an array operation'} ({_line(frame)})"


def position() -> str:
    """The line of the program that has called the package, as "file:line"."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame):
        frame = frame.f_back
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this package."""
    return frame.f_code.co_filename.startswith(_PACKAGE)


def _name(frame: FrameType) -> str:
    """The public name of a function: "ak.sort", "ndarray.sum"; empty if it has none."""
    name = frame.f_code.co_qualname
    if "<" in name:
        return ""
    return name if "." in name else f"ak.{name}"


def _line(frame: FrameType) -> str:
    file = frame.f_code.co_filename
    source = linecache.getline(file, frame.f_lineno, frame.f_globals).strip()
    if not file.startswith("<"):
        relative = os.path.relpath(file)
        file = relative if len(relative) < len(file) else file
    if len(source) > _LONGEST:
        source = source[:_LONGEST] + "…"
    return f"{file}:{frame.f_lineno}: `{source}`" if source else f"{file}:{frame.f_lineno}"
