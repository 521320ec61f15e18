# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `shape`."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["shape"]


def shape(a: Any) -> tuple[int, ...]:
    """Elements along each axis; of a scalar, nothing.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.shape(ak.arange(3)), ak.shape(1)
    ((3,), ())
    """
    found = getattr(a, "shape", None)
    return tuple(found) if found is not None else np.shape(a)
