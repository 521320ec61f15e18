# SPDX-License-Identifier: Apache-2.0
"""Transforms along any axes by the engine; long vectors as matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from ..arrays.array import wrap
from ..arrays.creation import arange
from ..arrays.dtypes import DTYPE_OF, FLOAT64
from ..arrays.pair import Pair
from ..arrays.ufuncs import cos, sin

if TYPE_CHECKING:
    from ..arrays.ndarray import ndarray

_LONG = 1 << 16  # elements, from which on a vector is worth three exchanges
_LEAST = 32  # shorter sides do not spread


def transform(values: ndarray, axes: Sequence[int], backward: bool, factor: float) -> Any:
    """The transforms along the axes, times a factor, of float32, float64 or complex numbers; at least one."""
    if values.ndim == 1:
        sides = _sides(values.size)
        if sides is None:
            return transform(values.reshape(1, -1), (1,), backward, factor).reshape(-1)
        found = _as_matrix(values, sides, backward)
        return found if factor == 1 else found * found.real.dtype.type(factor)
    expr: Any = values._read()
    re, im = (expr.re, expr.im) if type(expr) is Pair else (expr, None)
    pair: Any = Pair(*_core.fourier(re, im, axes, backward, factor))
    return wrap(pair)


def _sides(length: int) -> tuple[int, int] | None:
    """Two factors, as near each other as there are, of a long vector's length; by that alone, not by the PEs."""
    if length < _LONG:
        return None
    for side in range(math.isqrt(length), _LEAST - 1, -1):
        if length % side == 0:
            return side, length // side
    return None


def _as_matrix(values: ndarray, sides: tuple[int, int], backward: bool) -> Any:
    """Columns, turns, rows (Gentleman and Sande 1966; Bailey's four steps)."""
    first, second = sides
    columns = transform(values.reshape(first, second), (0,), backward, 1.0).T
    place = arange(second).reshape(-1, 1) * arange(first)
    turn = place.astype(DTYPE_OF[FLOAT64]) * ((2 if backward else -2) * math.pi / values.size)
    turned: Any = columns * wrap(Pair(cos(turn)._read(), sin(turn)._read()))  # type: ignore[arg-type]
    rows = transform(turned.astype(columns.dtype), (0,), backward, 1.0)
    return rows.reshape(-1)
