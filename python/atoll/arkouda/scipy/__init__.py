# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `scipy`: tests of goodness of fit, sparse matrices."""

from . import special, stats
from ._stats_py import Power_divergenceResult, chisquare, power_divergence
from .sparrayclass import sparray
from .sparsematrix import create_sparse_matrix, random_sparse_matrix, sparse_matrix_matrix_mult

__all__ = [
    "Power_divergenceResult", "chisquare", "create_sparse_matrix", "power_divergence", "random_sparse_matrix",
    "sparray", "sparse_matrix_matrix_mult", "special", "stats",
]  # fmt: skip
