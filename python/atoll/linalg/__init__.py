# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, by NumPy's names.

Products, norms, powers, and `qr`, `svd`, `lstsq` of matrices with many more rows than columns are distributed. What is
left (`solve`, `inv`, `eigh`, `det` …) runs by NumPy's LAPACK on one PE: for matrices that fit there.
"""

from numpy.linalg import LinAlgError

from ..arrays.manipulation import matrix_transpose
from ..arrays.products import matmul, outer, tensordot, vecdot
from .factors import QRResult, SVDResult, cond, lstsq, matrix_rank, pinv, qr, svd, svdvals
from .lapack import (
    EighResult,
    EigResult,
    SlogdetResult,
    cholesky,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    slogdet,
    solve,
    tensorinv,
    tensorsolve,
)
from .norms import matrix_norm, norm, vector_norm
from .powers import cross, diagonal, matrix_power, multi_dot, trace

__all__ = [
    "EigResult", "EighResult", "LinAlgError", "QRResult", "SVDResult", "SlogdetResult", "cholesky", "cond",
    "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet",
    "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot", "vector_norm",
]  # fmt: skip
