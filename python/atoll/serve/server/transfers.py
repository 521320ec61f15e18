# SPDX-License-Identifier: Apache-2.0
"""Pieces of a large array: operations of the server itself. Other sessions have a turn between two pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core

if TYPE_CHECKING:
    from .client import Client


def fetch(client: Client, array: Any, begin: int, slot: int, count: int) -> None:
    """Copies bytes of an array's elements to a slot of the memory that the session shares with its client."""
    _core.read_bytes(_checked(array, begin), begin, _slot(client, slot, count))


def store(client: Client, array: Any, begin: int, slot: int, count: int) -> None:
    """Replaces bytes of an array's elements by those in a slot of the session's memory."""
    _core.write_bytes(_checked(array, begin), begin, _slot(client, slot, count))


def upload(client: Client, array: Any, begin: int, data: Any) -> Any:
    """Replaces bytes of an array's elements by those of a frame; returns the array, so that an error stays with it."""
    if not isinstance(data, np.ndarray) or data.dtype != np.uint8 or data.ndim != 1:
        raise TypeError("a piece of an array consists of bytes")
    _core.write_bytes(_checked(array, begin), begin, data)
    return array


FUNCTIONS: dict[str, Callable[..., Any]] = {"fetch": fetch, "store": store, "upload": upload}


def _checked(array: Any, begin: Any) -> Any:
    if not isinstance(array, _core.Expr) or type(begin) is not int or begin < 0:
        raise TypeError("a transfer needs an array and the place of its first byte")
    return array


def _slot(client: Client, slot: Any, count: Any) -> Any:
    if client.memory is None:
        raise ValueError("this session shares no memory with its client")
    if type(slot) is not int or type(count) is not int:
        raise TypeError("a transfer needs the number of a slot and of its bytes")
    return client.memory.slot(slot, count)
