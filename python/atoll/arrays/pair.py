# SPDX-License-Identifier: Apache-2.0
"""Complex expressions: a pair of engine expressions, the real and the imaginary part.

So complex arrays are lazy, fused and distributed as real ones are; operations that move elements move both parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .dtypes import COMPLEX64, COMPLEX128, DTYPE_OF, FLOAT32


class Pair:
    """The complex counterpart of `_core.Expr`."""

    __slots__ = ("im", "re")

    def __init__(self, re: _core.Expr, im: _core.Expr) -> None:
        self.re = re
        self.im = im

    @property
    def dtype(self) -> int:
        """The code of the elements' type."""
        return COMPLEX64 if self.re.dtype == FLOAT32 else COMPLEX128

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""
        return self.re.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.re.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.re.size

    @property
    def session(self) -> _core.Session:
        """Where the elements are."""
        return self.re.session

    @property
    def ready(self) -> bool:
        """Whether both parts are stored in memory."""
        return self.re.ready and self.im.ready

    def evaluate(self) -> None:
        """Computes both parts."""
        self.re.evaluate()
        self.im.evaluate()

    def alias(self) -> Pair:
        """Second handles on the same values."""
        return Pair(self.re.alias(), self.im.alias())

    def item(self) -> complex:
        """The only element."""
        return complex(self.re.item(), self.im.item())

    def item_at(self, position: int) -> complex:
        """The element at a position in C order."""
        return complex(self.re.item_at(position), self.im.item_at(position))

    def _together(self, re: np.ndarray[Any, Any], im: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        values = np.empty(re.shape, DTYPE_OF[self.dtype])
        values.real, values.imag = re, im
        return values

    def to_numpy(self, copy: bool | None) -> np.ndarray[Any, Any]:
        """A copy; ValueError when it must be none."""
        if copy is False:
            raise ValueError("complex arrays share no memory with NumPy's; use copy=True")
        return self._together(self.re.to_numpy(None), self.im.to_numpy(None))

    def local(self) -> np.ndarray[Any, Any]:
        """A copy of this PE's rows."""
        return self._together(self.re.local(), self.im.local())

    def local_range(self) -> tuple[int, int]:
        """First and past-the-last row of this PE."""
        return self.re.local_range()

    def assign(self, value: Pair) -> None:
        """As `_core.Expr.assign`."""
        self.re.assign(value.re)
        self.im.assign(value.im)

    def assign_slice(self, slices: Any, value: Pair) -> None:
        """As `_core.Expr.assign_slice`."""
        self.re.assign_slice(slices, value.re)
        self.im.assign_slice(slices, value.im)

    def assign_mask(self, mask: _core.Expr, value: Pair) -> None:
        """As `_core.Expr.assign_mask`."""
        self.re.assign_mask(mask, value.re)
        self.im.assign_mask(mask, value.im)

    def assign_index(self, indices: _core.Expr, value: Pair, add: bool) -> None:
        """As `_core.Expr.assign_index`."""
        self.re.assign_index(indices, value.re, add)
        self.im.assign_index(indices, value.im, add)
