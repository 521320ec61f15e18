# SPDX-License-Identifier: Apache-2.0
"""Encodings of strings, by Python's names."""

from __future__ import annotations

import codecs
from typing import Any

ENCODINGS = ("utf-8", "ascii", "latin-1", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
ERRORS = ("strict", "ignore", "replace")


def encoding_of(encoding: Any) -> bytes:
    """The engine's name of an encoding. LookupError for others, in Python's words."""
    name = codecs.lookup(encoding).name
    name = {"iso8859-1": "latin-1"}.get(name, name)
    if name not in ENCODINGS:
        raise LookupError(f"texts are not encoded as {name} here; take one of {', '.join(ENCODINGS)}")
    return name.encode()


def error_of(errors: Any) -> int:
    """The number of a way to go on."""
    if errors not in ERRORS:
        raise LookupError(f"unknown error handler name {errors!r}; there are {', '.join(ERRORS)}")
    return ERRORS.index(errors)
