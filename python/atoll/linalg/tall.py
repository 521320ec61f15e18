# SPDX-License-Identifier: Apache-2.0
"""Orthogonal factors of matrices with many more rows than columns, whose rows stay on their PEs.

Cholesky's factor of the columns' products makes the columns orthonormal, shifted at first and then twice again (Fukaya
and others, Shifted Cholesky QR, 2020). Columns that depend on one another have no such factor: then blocks of rows are
factored by LAPACK, each on its PE, and their triangles again (Demmel and others, Communication-avoiding QR, 2012).
Blocks are of a size of their own, so that results do not depend on the PEs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import Array
from ..arrays.composed import imag, real
from ..arrays.creation import array, zeros
from ..arrays.joining import concatenate
from ..arrays.lapack import by_lapack
from ..arrays.manipulation import matrix_transpose
from ..arrays.products import matmul
from ..arrays.ufuncs import conjugate
from ..session.everywhere import everywhere
from ..session.interruptible import interruptible

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from ..arrays.ndarray import ndarray

_TALL = 16  # rows for each column, from which on a matrix is worth factoring in place
_LARGE = 1 << 16  # elements; below, one PE is faster


def is_tall(a: ArrayLike) -> bool:
    """By shape alone, so that results do not depend on the PEs."""
    return isinstance(a, Array) and a.ndim == 2 and a.size >= _LARGE and a.shape[0] >= _TALL * a.shape[1] > 0


def tall_qr(a: ndarray) -> tuple[ndarray, np.ndarray[Any, Any]]:
    """Orthonormal columns and a small triangle."""
    columns = a if a.dtype.kind in "fc" else a.astype(np.float64)
    return _by_products(columns) or _by_blocks(columns)


def _products(columns: ndarray) -> np.ndarray[Any, Any]:
    """The matrix of products of all pairs of columns."""
    return matmul(conjugate(matrix_transpose(columns)), columns).to_numpy()


def _by_products(columns: ndarray) -> tuple[ndarray, np.ndarray[Any, Any]] | None:
    """None when columns depend on one another."""
    rows, number = columns.shape
    triangle = np.eye(number, dtype=columns.dtype)
    unit = np.finfo(columns.dtype).eps / 2
    try:
        for turn in range(3):
            together = _products(columns)
            if turn == 0:
                size = float(np.trace(together).real)
                together = together + np.eye(number) * (11 * (rows * number + number * (number + 1)) * unit * size)
            step = by_lapack(np.linalg.cholesky, [together], upper=True).astype(columns.dtype)
            columns = matmul(columns, array(by_lapack(np.linalg.inv, [step])))
            triangle = by_lapack(np.matmul, [step, triangle])
    except np.linalg.LinAlgError:
        return None
    off = np.abs(_products(columns) - np.eye(number)).max()
    return (columns, triangle) if off < 100 * number * unit else None


def _by_blocks(a: ndarray) -> tuple[ndarray, np.ndarray[Any, Any]]:
    rows, number = a.shape
    each = max(_TALL * number, _LARGE // number)
    blocks = rows // each
    if blocks < 2:
        columns, triangle = by_lapack(np.linalg.qr, [a])
        return array(columns), triangle
    # A row of the workspace is a block; its columns and its triangle take the block's place.
    width = each * number
    spaces = []
    for part in (real(a), imag(a)) if a.dtype.kind == "c" else (a,):
        space = zeros((blocks, width + number * number), part.dtype)
        space[:, :width] = part[: blocks * each].reshape(blocks, width)
        spaces.append(space)
    everywhere(_factor_blocks, each, number, inputs=[space._read() for space in spaces])
    found = spaces[0] if len(spaces) == 1 else spaces[0] + 1j * spaces[1]
    last = by_lapack(np.linalg.qr, [a[blocks * each :]])
    triangles = found[:, width:].reshape(blocks * number, number)
    above, triangle = _by_blocks(concatenate([triangles, array(last.R)]))
    inside = found[:, :width].reshape(blocks, each, number)
    body = matmul(inside, above[: blocks * number].reshape(blocks, number, number)).reshape(blocks * each, number)
    return concatenate([body, matmul(array(last.Q), above[blocks * number :])]), triangle


def _factor_blocks(here: Any, each: int, number: int) -> None:
    """The factors of this PE's blocks, in their place."""
    parts = here.rows()
    width = each * number
    for row in range(len(parts[0])):
        block = parts[0][row, :width] if len(parts) == 1 else parts[0][row, :width] + 1j * parts[1][row, :width]
        values = block.reshape(each, number).astype(np.result_type(*parts, block))
        columns, triangle = interruptible(np.linalg.qr, values)
        for part, take in zip(parts, (np.real, np.imag), strict=False):
            part[row, :width] = take(columns).reshape(-1)
            part[row, width:] = take(triangle).reshape(-1)
