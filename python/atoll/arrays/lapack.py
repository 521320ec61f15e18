# SPDX-License-Identifier: Apache-2.0
"""Calls of NumPy's LAPACK, on one PE."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..session.interruptible import interruptible
from .array import as_array
from .sizes import require_room

#: Elements times the shorter side, from which LAPACK may take longer than 10 ms. Starting a thread takes 0.1 ms.
_LONG = 1 << 22
#: Memory of LAPACK besides the matrices, in units of their size: a copy, its work space, results.
_COPIES = 3


def by_lapack(function: Callable[..., Any], matrices: Sequence[Any], *args: object, **options: object) -> Any:
    """Calls a NumPy function with matrices. Signals are handled while it runs.

    MemoryError, before anything is fetched, where the matrices and LAPACK's copies do not fit the PEs' memory.
    """
    given = [one if isinstance(one, np.ndarray) else as_array(one) for one in matrices]
    size = sum(one.nbytes for one in given)
    require_room((1 + _COPIES) * size, f"matrices of {size} bytes and LAPACK's copies of them")
    held = [one if isinstance(one, np.ndarray) else one.to_numpy() for one in given]
    if all(one.size * min(one.shape[-2:], default=1) < _LONG for one in held):
        return function(*held, *args, **options)
    return interruptible(function, *held, *args, **options)
