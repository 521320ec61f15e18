# SPDX-License-Identifier: Apache-2.0
"""Which code calls: the user's, a library's, or this package's own, by the file that it is in."""

from __future__ import annotations

import site
import sys
import sysconfig
from enum import Enum
from pathlib import Path
from types import FrameType

#: Packages in site-packages that pass objects on without a look at what they are, as the standard library does.
_NEUTRAL = ("numpy", "IPython", "ipykernel", "_pytest", "pluggy", "pytest")


class Caller(Enum):
    """Kinds of code."""

    USER = "user"
    LIBRARY = "library"
    OWN = "own"
    NEUTRAL = "neutral"


def _folders() -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """This package's folder, those of libraries, and those of the standard library."""
    paths = sysconfig.get_paths()
    libraries = {paths["purelib"], paths["platlib"], *site.getsitepackages(), site.getusersitepackages()}
    standard = {paths["stdlib"], paths["platstdlib"]}
    own = str(Path(__file__).parent.parent)
    return own, tuple(map(_below, libraries)), tuple(map(_below, standard))


def _below(folder: str) -> str:
    return str(Path(folder)) + "/"


_OWN, _LIBRARIES, _STANDARD = _folders()
#: Kinds that are known, by file.
KNOWN: dict[str, Caller] = {}


def kind_of_file(file: str) -> Caller:
    """The kind of the code in a file; names in angle brackets are of code without a file."""
    found = KNOWN.get(file)
    if found is None:
        found = KNOWN[file] = _kind_of_file(file)
    return found


def _kind_of_file(file: str) -> Caller:
    if file.startswith("<frozen"):
        return Caller.NEUTRAL
    if file.startswith("<"):
        return Caller.USER
    path = file if file.startswith("/") else str(Path(file).absolute())
    if path.startswith(_below(_OWN)):
        return Caller.OWN
    for folder in _LIBRARIES:
        if path.startswith(folder):
            return Caller.NEUTRAL if path[len(folder) :].split("/")[0] in _NEUTRAL else Caller.LIBRARY
    if "/site-packages/" in path or "/dist-packages/" in path:
        return Caller.LIBRARY
    return Caller.NEUTRAL if path.startswith(_STANDARD) else Caller.USER


def caller(frame: FrameType | None) -> Caller:
    """The kind of the code that a frame is of: the nearest that is not neutral, else the user's."""
    while frame is not None:
        kind = kind_of_file(frame.f_code.co_filename)
        if kind is not Caller.NEUTRAL:
            return kind
        frame = frame.f_back
    return Caller.USER


def is_library(frame: FrameType) -> bool:
    """Whether a library's code calls."""
    return caller(frame) is Caller.LIBRARY


def imports_pandas(frame: FrameType) -> bool:
    """Whether the module that a frame is of gets pandas itself: a library's, the standard library's, our own."""
    return kind_of_file(frame.f_code.co_filename) is not Caller.USER


def name_of_library(frame: FrameType | None) -> str:
    """The package of the nearest code that is not neutral."""
    while frame is not None and kind_of_file(frame.f_code.co_filename) is Caller.NEUTRAL:
        frame = frame.f_back
    name = "" if frame is None else str(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] or sys.argv[0]
