# SPDX-License-Identifier: Apache-2.0
"""Sizes of the engine's handles and of the arguments of operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from .. import codec

ITEM_BYTES = {code: codec.DTYPES[name].itemsize for name, code in _core.DTYPES.items()}


def nbytes(handle: Any) -> int:
    """Bytes that a handle's elements take; 0 of what has not been computed."""
    if isinstance(handle, _core.Texts):
        return handle.nbytes
    if isinstance(handle, _core.Expr) and handle.ready:
        return handle.size * ITEM_BYTES[handle.dtype]
    return 0


def elements(value: Any) -> int:
    """Elements of an argument or a result: those of arrays; of strings and bytes one for 8 bytes."""
    kind = type(value)
    if kind is _core.Expr or kind is np.ndarray:
        return int(value.size)
    if kind is list or kind is tuple:
        return sum(map(elements, value))
    if kind is _core.Texts:
        return max(value.rows, value.nbytes // 8)
    return len(value) // 8 if kind is bytes else 0
