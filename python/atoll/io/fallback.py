# SPDX-License-Identifier: Apache-2.0
"""What pandas does itself, on data that is collected for it: a warning names it once."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

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


def given(options: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """The options that differ from what is usual; of those without a usual value what is not None."""
    return {name: value for name, value in options.items() if not _same(value, usual.get(name))}


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return type(a).__name__ == "_NoDefault"
    try:
        return bool(a == b)
    except Exception:  # arrays, say
        return False
