# SPDX-License-Identifier: Apache-2.0
"""Sizes that come from data and from users: sums that do not wrap, integers of more than 64 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .creation import shape_of

if TYPE_CHECKING:
    from .ndarray import ndarray

_INT64 = np.iinfo(np.int64)


def total_of(counts: ndarray) -> int:
    """The sum of counts, none of them negative; MemoryError for more elements than an address space holds."""
    if counts.size == 0:
        return 0
    if int(counts.max()) * counts.size > _INT64.max:
        # The sum of float64 is right but for one part in 10^9, where that of int64 may have wrapped to anything.
        shape_of(int(counts.astype(np.float64).sum()))
    return shape_of(int(counts.sum()))[0]


def is_wide(value: Any) -> bool:
    """Whether it is an integer that neither int64 nor uint64 holds."""
    return isinstance(value, int) and not _INT64.min <= value < 1 << 64


def c_long(value: Any) -> Any:
    """`value`; NumPy's OverflowError for an integer that int64 does not hold."""
    if isinstance(value, int) and not _INT64.min <= value <= _INT64.max:
        raise OverflowError("Python int too large to convert to C long")
    return value
