# SPDX-License-Identifier: Apache-2.0
"""Orthogonal factors and singular values, and what they solve.

Matrices with many more rows than columns stay distributed (`tall`), others go through LAPACK.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arrays.array import Array, as_array
from ..arrays.creation import array, zeros
from ..arrays.lapack import by_lapack
from ..arrays.manipulation import matrix_transpose
from ..arrays.products import matmul
from ..arrays.reductions import sum
from ..arrays.sizes import require_room
from ..arrays.ufuncs import conjugate
from .lapack import given_back
from .tall import is_tall, tall_qr

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from ..arrays.ndarray import ndarray


class QRResult(NamedTuple):
    """Result of `qr`."""

    Q: Any
    R: Any


class SVDResult(NamedTuple):
    """Result of `svd`."""

    U: Any
    S: Any
    Vh: Any


def qr(a: ArrayLike, mode: str = "reduced") -> Any:
    """Orthonormal columns, and the triangle that makes the matrix of them.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    mode : {'reduced', 'complete', 'r'}
        As many columns as the smaller side has, as many as there are rows, or the triangle alone.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(6.0).reshape(3, 2)
    >>> q, r = ak.linalg.qr(a)
    >>> ak.allclose(q @ r, a)
    True
    """
    if mode in ("reduced", "r") and is_tall(a):
        columns, triangle = tall_qr(as_array(a))
        return array(triangle) if mode == "r" else QRResult(columns, array(triangle))
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    if mode == "complete":
        _require_square(a)
    result = by_lapack(np.linalg.qr, [a], mode)
    return array(result) if mode == "r" else QRResult(*map(array, result))


def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values, and the vectors on both sides.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    full_matrices : bool
        Whether the vectors are made up to square matrices; without, matrices with many more rows than columns stay
        distributed.
    compute_uv : bool
        Whether vectors are wanted.
    hermitian : bool
        Whether the matrices are.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.svd(ak.diag([3.0, 2.0]), compute_uv=False)
    array([3., 2.])
    """
    if (not full_matrices or not compute_uv) and not hermitian and is_tall(a):
        columns, triangle = tall_qr(as_array(a))
        left, singular, right = by_lapack(np.linalg.svd, [triangle])
        if not compute_uv:
            return array(singular)
        return SVDResult(matmul(columns, array(left)), array(singular), array(right))
    if full_matrices and compute_uv:
        _require_square(a)
    result = by_lapack(np.linalg.svd, [a], full_matrices, compute_uv, hermitian)
    return SVDResult(*map(array, result)) if compute_uv else array(result)


def _require_square(a: ArrayLike) -> None:
    """MemoryError where square matrices of the longer sides do not fit the PEs' memory."""
    matrices = as_array(a)
    if matrices.ndim >= 2 and matrices.size:
        longer, shorter = max(matrices.shape[-2:]), min(matrices.shape[-2:])
        require_room(matrices.nbytes // shorter * longer, f"vectors that make up matrices of {longer} rows and columns")


def svdvals(x: ArrayLike, /) -> ndarray:
    """Singular values, descending.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.svdvals(ak.diag([3.0, 2.0]))
    array([3., 2.])
    """
    found: ndarray = svd(x, compute_uv=False)
    return found


def cond(x: ArrayLike, p: ArrayLike = None) -> Any:
    """How much a matrix enlarges errors: the greatest singular value over the least, or by another norm.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.cond(ak.diag([4.0, 2.0]))
    np.float64(2.0)
    """
    if p in (None, 2) and is_tall(x):
        singular = svdvals(x).to_numpy()
        return np.float64(singular[0] / singular[-1])
    return given_back(by_lapack(np.linalg.cond, [x], p))


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """How many singular values are greater than a tolerance.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.matrix_rank(ak.ones((3, 3)))
    np.int64(1)
    """
    options = {"tol": _plain(tol)} if rtol is None else {"rtol": _plain(rtol)}
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    if not hermitian and is_tall(A):
        singular = svdvals(A).to_numpy()
        part = max(A.shape) * np.finfo(singular.dtype).eps if rtol is None else _plain(rtol)
        return np.int64(np.count_nonzero(singular > (singular[0] * part if tol is None else _plain(tol))))
    return given_back(by_lapack(np.linalg.matrix_rank, [A], hermitian=hermitian, **options))


def _plain(value: ArrayLike) -> Any:
    return value.to_numpy() if isinstance(value, Array) else value


def pinv(a: ArrayLike, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> ndarray:
    """The inverse as far as there is one (Moore and Penrose).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.pinv(ak.diag([2.0, 0.0]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    options = {"rcond": _plain(rcond)} if rtol is None else {"rtol": _plain(rtol)}
    if rtol is not None and rcond is not None:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    return array(by_lapack(np.linalg.pinv, [a], hermitian=hermitian, **options))


def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, Any, Any, Any]:
    """The nearest solution of linear equations that are too many, or too few.

    Returns
    -------
    x, residuals, rank, singular values
        As NumPy's.

    Examples
    --------
    >>> import atoll as ak
    >>> x, rest, rank, s = ak.linalg.lstsq(ak.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), ak.array([1.0, 3.0, 5.0]))
    >>> ak.round(x, 6)
    array([1., 2.])
    """
    if is_tall(a) and as_array(b).shape[:1] == a.shape[:1]:
        return _tall_lstsq(as_array(a), as_array(b), tall_qr(as_array(a)), rcond)
    x, residuals, rank, singular = by_lapack(np.linalg.lstsq, [a, b], rcond)
    return array(x), array(residuals), rank, array(singular)


def _tall_lstsq(
    a: ndarray, b: ndarray, factors: tuple[ndarray, np.ndarray[Any, Any]], rcond: Any
) -> tuple[Any, Any, Any, Any]:
    basis, triangle = factors
    columns = b.reshape(b.shape[0], -1)
    along = matmul(conjugate(matrix_transpose(basis)), columns).to_numpy()
    left, singular, right = by_lapack(np.linalg.svd, [triangle])
    limit = np.finfo(singular.dtype).eps * max(a.shape) if rcond is None else rcond
    keep = singular > limit * singular[0]
    x = (right[keep].conj().T / singular[keep]) @ (left[:, keep].conj().T @ along)
    rest = columns - matmul(a, array(x))
    squares = rest.real**2 + rest.imag**2 if rest.dtype.kind == "c" else rest * rest
    residuals = sum(squares, 0) if keep.all() else zeros(0)
    return array(x.reshape((a.shape[1], *b.shape[1:]))), residuals, np.int32(keep.sum()), array(singular)
