# SPDX-License-Identifier: Apache-2.0
"""Formats that pandas reads and writes, on collected data; a warning names each once."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..annotations import ArrayLike

_named: set[str] = set()


class FallbackWarning(UserWarning):
    """Something was done by pandas itself, on data that was collected for it."""


def forget() -> None:
    """Lets every warning be given again."""
    _named.clear()


def outside() -> int:
    """The `stacklevel` for a warning of the caller's, of the line outside this package that called it."""
    level, frame = 2, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("atoll."):
        level, frame = level + 1, frame.f_back
    return level


def by_pandas(name: str, options: Iterable[str] = ()) -> None:
    """Warns that pandas does something, because of some options; once of each."""
    listed = ", ".join(f"{option}=" for option in options)
    what = f"{name} with {listed}" if listed else name
    if what not in _named:
        _named.add(what)
        level = outside()
        warnings.warn(f"{what} is pandas' own: data is collected for it", FallbackWarning, stacklevel=level)


@dataclass
class Ledger:
    """How often pandas did what, and how long it took, conversions included; kept only while `kept` is true."""

    kept: bool = False
    calls: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    depth: int = 0

    def add(self, name: str, seconds: float) -> None:
        """Notes one call."""
        self.calls[name] = self.calls.get(name, 0) + 1
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds


LEDGER = Ledger()


@contextmanager
def pandas_at_work(name: str) -> Iterator[None]:
    """Around what pandas does: its warnings name the line that called this package, and `LEDGER` notes the call.

    Of calls within calls the outermost is noted.
    """
    LEDGER.depth += 1
    start = time.perf_counter() if LEDGER.kept else 0.0
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        LEDGER.depth -= 1
        if LEDGER.kept and LEDGER.depth == 0:
            LEDGER.add(name, time.perf_counter() - start)
        for one in caught:
            frame = caller()
            warnings.warn_explicit(one.message, one.category, frame.f_code.co_filename, frame.f_lineno)


def caller() -> FrameType:
    """The frame of the line outside this package and pandas that called it."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
        ("atoll.", "contextlib", "pandas.")
    ):
        frame = frame.f_back
    return frame


def given(options: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """The options that differ from what is usual; of those without a usual value what is not None."""
    return {name: value for name, value in options.items() if not _same(value, usual.get(name))}


def _same(a: ArrayLike, b: ArrayLike) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return type(a).__name__ == "_NoDefault"
    try:
        return bool(a == b)
    except Exception:  # arrays, say
        return False
