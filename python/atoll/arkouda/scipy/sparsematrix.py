# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices: from rows, columns and values, at random, and their products."""

from __future__ import annotations

from typing import Any

import numpy as np

import atoll

from ..numpy.pdarraycreation import zeros
from ..numpy.sorting import coargsort
from ..objects import lift
from ..pandas.groupbyclass import GroupBy
from ..pandas.join import inner_join
from .sparrayclass import sparray

__all__ = ["create_sparse_matrix", "random_sparse_matrix", "sparse_matrix_matrix_mult"]


def _shape(size: Any) -> tuple[Any, ...]:
    return (int(size),) * 2 if np.ndim(size) == 0 else tuple(size)


def create_sparse_matrix(size: Any, rows: Any, cols: Any, vals: Any, layout: str) -> sparray:
    """The matrix with these values at these rows and columns, in the order of its layout: "CSC" or "CSR"."""
    if layout not in ("CSC", "CSR"):
        raise ValueError("layout must be 'CSR' or 'CSC'")
    if not rows.size == cols.size == vals.size:
        raise ValueError("rows, cols, and vals must have the same size")
    shape = _shape(size)
    order = coargsort([cols, rows] if layout == "CSC" else [rows, cols])
    return sparray(shape, rows[order], cols[order], vals[order], layout)


def random_sparse_matrix(size: Any, density: float, layout: str, dtype: object = np.int64) -> sparray:
    """A matrix with places at random and zeros there."""
    if not 0.0 <= density <= 1.0:
        raise ValueError("density must be in the range [0.0, 1.0]")
    shape = _shape(size)
    chosen = atoll.random.default_rng().random(shape[0] * shape[1]) < density
    places = atoll.flatnonzero(chosen)
    rows, cols = lift(places // shape[1] + 1), lift(places % shape[1] + 1)
    return create_sparse_matrix(shape, rows, cols, zeros(rows.size, dtype), layout)


def sparse_matrix_matrix_mult(A: sparray, B: sparray) -> sparray:
    """The product of two matrices."""
    if not isinstance(A, sparray) or not isinstance(B, sparray):
        raise TypeError("both matrices must be sparrays")
    if A.shape[1] != B.shape[0]:
        raise ValueError("the matrices' sizes do not go together")
    left, right = inner_join(A._cols, B._rows)
    products = A._vals[left] * B._vals[right]
    groups = GroupBy([A._rows[left], B._cols[right]])
    (rows, cols), values = groups.sum(products)
    return create_sparse_matrix((A.shape[0], B.shape[1]), rows, cols, values, "CSR")
