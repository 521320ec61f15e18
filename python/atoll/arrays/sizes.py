# SPDX-License-Identifier: Apache-2.0
"""Sizes from data and users: overflow-safe sums and products, integers beyond 64 bits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..session import current
from .creation import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..annotations import ArrayLike
    from .ndarray import ndarray

_INT64 = np.iinfo(np.int64)
#: Least memory of an array object in a Python list.
_OBJECT_BYTES = 256


def total_of(counts: ndarray) -> int:
    """The sum of counts, none of them negative; MemoryError for more elements than an address space holds."""
    if counts.size == 0:
        return 0
    if int(counts.max()) * counts.size > _INT64.max:
        # The sum of float64 is right but for one part in 10^9, where that of int64 may have wrapped to anything.
        shape_of(int(counts.astype(np.float64).sum()))
    return shape_of(int(counts.sum()))[0]


def listed(count: int, what: str) -> int:
    """`count`; MemoryError when a Python list of `count` objects would exceed memory."""
    most = current().stats()["memory_limit"] // _OBJECT_BYTES
    if count > most:
        raise MemoryError(f"{count} {what} do not fit this PE's memory (at most {most}). Fewer?")
    return count


def require_room(size_bytes: int, what: str) -> None:
    """MemoryError when a result of this size exceeds the memory limit of all PEs, before its first part is made."""
    session = current()
    room = session.stats()["memory_limit"] * session.pes
    if size_bytes > room:
        raise MemoryError(
            f"{what} take {size_bytes} bytes (all PEs together may hold {room}). Fewer, or raise ATOLL_MEMORY_LIMIT?"
        )


def product_of(lengths: Iterable[int]) -> int:
    """The product of lengths; MemoryError for more elements than an address space holds."""
    return shape_of(math.prod(int(length) for length in lengths))[0]


def without_wide(values: ArrayLike) -> Any:
    """The values; of a list, without integers beyond 64 bits, which equal no element of an array."""
    if is_wide(values):
        return []
    return [one for one in values if not is_wide(one)] if isinstance(values, (list, tuple)) else values


def is_wide(value: ArrayLike) -> bool:
    """Whether it is an integer that neither int64 nor uint64 holds."""
    return isinstance(value, int) and not _INT64.min <= value < 1 << 64


def c_long(value: ArrayLike) -> Any:
    """`value`; NumPy's OverflowError for an integer that int64 does not hold."""
    if isinstance(value, int) and not _INT64.min <= value <= _INT64.max:
        raise OverflowError("Python int too large to convert to C long")
    return value
