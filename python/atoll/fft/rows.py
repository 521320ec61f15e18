# SPDX-License-Identifier: Apache-2.0
"""Transforms along the last axis: rows by the engine, long vectors as matrices."""

from __future__ import annotations

import math
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


def transform(values: ndarray, backward: bool) -> Any:
    """The transforms along the last axis, not scaled, of float32, float64 or complex numbers."""
    expr: Any = values._read()
    re, im = (expr.re, expr.im) if type(expr) is Pair else (expr, None)
    if values.ndim == 1:
        sides = _sides(values.size)
        if sides is not None:
            return _as_matrix(values, sides, backward)
        shape = (1, values.size)
        re, im = _core.reshape(re, shape), None if im is None else _core.reshape(im, shape)
    pair: Any = Pair(*_core.fourier(re, im, backward))
    return wrap(pair) if values.ndim > 1 else wrap(pair).reshape(-1)


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
    columns = transform(values.reshape(first, second).T.copy(), backward)
    place = arange(second).reshape(-1, 1) * arange(first)
    turn = place.astype(DTYPE_OF[FLOAT64]) * ((2 if backward else -2) * math.pi / values.size)
    turned: Any = columns * wrap(Pair(cos(turn)._read(), sin(turn)._read()))  # type: ignore[arg-type]
    rows = transform(turned.astype(columns.dtype).T.copy(), backward)
    return rows.T.reshape(-1)
