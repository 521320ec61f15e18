# SPDX-License-Identifier: Apache-2.0
"""JSON of files, checked when it is read: an error names the key whose value is not what it must be."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

#: Raises ValueError unless a value is what it must be. The second argument is the value's key: "seconds[2]".
Check = Callable[[Any, str], None]

_LONGEST = 60


def parse(text: str | bytes, check: Check) -> Any:
    """The value of a text.

    Raises
    ------
    ValueError
        The text is no JSON, or its value does not pass the check.

    Examples
    --------
    >>> parse('{"rows": 3}', record({"rows": count}))
    {'rows': 3}
    >>> parse('{"rows": null}', record({"rows": count}))
    Traceback (most recent call last):
        ...
    ValueError: 'rows' is None, not an integer of at least 0
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    check(value, "")
    return value


def anything(value: Any, key: str) -> None:
    """Every value passes."""


def text(value: Any, key: str) -> None:
    """A string."""
    _require(isinstance(value, str), value, key, "a string")


def number(value: Any, key: str) -> None:
    """A finite number."""
    _require(_is_number(value) and math.isfinite(value), value, key, "a finite number")


def count(value: Any, key: str) -> None:
    """An integer of at least 0, of at most 64 bits."""
    right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64
    _require(right, value, key, "an integer of at least 0")


def either(*checks: Check) -> Check:
    """A value that passes one of some checks; the error is that of the first."""

    def check(value: Any, key: str) -> None:
        for one in checks[1:]:
            try:
                return one(value, key)
            except ValueError:
                pass
        return checks[0](value, key)

    return check


def list_of(each: Check, least: int = 0) -> Check:
    """A list of at least so many values that all pass a check."""

    def check(value: Any, key: str) -> None:
        _require(isinstance(value, list), value, key, "a list")
        _require(len(value) >= least, value, key, f"a list of {least} or more values")
        for place, one in enumerate(value):
            each(one, f"{key}[{place}]")

    return check


def table_of(each: Check) -> Check:
    """An object whose values all pass a check."""

    def check(value: Any, key: str) -> None:
        _require(isinstance(value, dict), value, key, "an object")
        for name, one in value.items():
            each(one, _below(key, name))

    return check


def record(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with these keys, some of which may be missing; it may have others, too."""

    def check(value: Any, key: str) -> None:
        _require(isinstance(value, dict), value, key, "an object")
        for name, one in required.items():
            if name not in value:
                raise ValueError(f"{_below(key, name)!r} is missing")
            one(value[name], _below(key, name))
        for name, one in (optional or {}).items():
            if name in value:
                one(value[name], _below(key, name))

    return check


def _is_number(value: Any) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**1023) or isinstance(value, float)


def _below(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _require(right: bool, value: Any, key: str, what: str) -> None:
    if right:
        return
    shown = repr(value)
    shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
    raise ValueError(f"{repr(key) if key else 'its value'} is {shown}, not {what}")
