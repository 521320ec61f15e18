# SPDX-License-Identifier: Apache-2.0
"""What becomes of divisions by zero: Arkouda's `seterr` and its kin."""

from __future__ import annotations

import contextlib
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["errstate", "geterr", "geterrcall", "seterr", "seterrcall"]

_MODES = ("ignore", "warn", "raise", "call", "print", "log")
_state = dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")
_call: Callable[[str, str], None] | None = None
_logger = logging.getLogger("arkouda.err")


def handle(kind: str, message: str) -> None:
    """Does what was set for that kind of error."""
    if kind not in _state:
        raise ValueError(f"Unknown error type: {kind!r}")
    mode, text = _state[kind], f"{kind}: {message}"
    if mode == "warn":
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    elif mode == "raise":
        raise FloatingPointError(text)
    elif mode == "call" and _call is not None:
        _call(kind, message)
    elif mode == "print":
        sys.stdout.write(text)
    elif mode == "log":
        _logger.error("%s: %s", kind, message)


def geterr() -> dict[str, str]:
    """What is set, by kind of error.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.geterr()["divide"]
    'ignore'
    """
    return dict(_state)


def seterr(**kwargs: str) -> dict[str, str]:
    """Sets "ignore", "warn", "raise", "call", "print" or "log" for `divide`; returns what was set.

    The other kinds are remembered, and never occur.
    """
    old = geterr()
    for kind, mode in kwargs.items():
        if kind not in _state:
            raise ValueError(f"Unknown error type: {kind!r}")
        if mode not in _MODES:
            raise ValueError(f"Invalid setting {mode!r} for {kind!r}")
        if kind != "divide" and mode != _state[kind]:
            warnings.warn(  # in Arkouda's words, which its scripts may filter by
                f"errors of kind {kind!r} are not implemented yet: the setting has no effect", UserWarning, stacklevel=2
            )
        _state[kind] = mode
    return old


def geterrcall() -> Callable[[str, str], None] | None:
    """The function that "call" calls."""
    return _call


def seterrcall(func: Callable[[str, str], None] | None) -> Callable[[str, str], None] | None:
    """Sets the function that "call" calls, with the kind of error and a message; returns the one before."""
    global _call
    if func is not None and not callable(func):
        raise TypeError("seterrcall takes a function or None")
    old, _call = _call, func
    return old


@contextlib.contextmanager
def errstate(*, call: Any = None, **modes: Any) -> Iterator[None]:
    """Other settings within a block.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> with ak.errstate(divide="warn"):
    ...     ak.geterr()["divide"]
    'warn'
    """
    old, before = geterr(), geterrcall()
    try:
        seterr(**{kind: mode for kind, mode in modes.items() if mode is not None})
        if call is not None:
            seterrcall(call)
        yield
    finally:
        _state.update(old)
        seterrcall(before)
