# SPDX-License-Identifier: Apache-2.0
"""Factorisations by NumPy's LAPACK on one PE: matrices are passed to it and results back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arrays.creation import array
from ..arrays.lapack import by_lapack

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Axes
    from ..arrays.ndarray import ndarray


class EigResult(NamedTuple):
    """Result of `eig`."""

    eigenvalues: Any
    eigenvectors: Any


class EighResult(NamedTuple):
    """Result of `eigh`."""

    eigenvalues: Any
    eigenvectors: Any


class SlogdetResult(NamedTuple):
    """Result of `slogdet`."""

    sign: Any
    logabsdet: Any


def given_back(found: Any) -> Any:
    """NumPy's answer as an array here; scalars as they are."""
    return array(found) if isinstance(found, np.ndarray) else found


def cholesky(a: ArrayLike, /, *, upper: bool = False) -> ndarray:
    """The lower triangle whose product with its conjugate transpose is `a`; with `upper` that transpose.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
    array([[2., 0.],
           [1., 2.]])
    """
    return array(by_lapack(np.linalg.cholesky, [a], upper=upper))


def solve(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The solution of linear equations.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.solve([[3.0, 1.0], [1.0, 2.0]], [9.0, 8.0])
    array([2., 3.])
    """
    return array(by_lapack(np.linalg.solve, [a, b]))


def inv(a: ArrayLike) -> ndarray:
    """The inverse of matrices.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.inv([[2.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return array(by_lapack(np.linalg.inv, [a]))


def det(a: ArrayLike) -> Any:
    """The determinant of matrices.

    Examples
    --------
    >>> import atoll as ak
    >>> round(float(ak.linalg.det([[1.0, 2.0], [3.0, 4.0]])), 6)
    -2.0
    """
    return given_back(by_lapack(np.linalg.det, [a]))


def slogdet(a: ArrayLike) -> SlogdetResult:
    """Sign and logarithm of the determinant.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.slogdet([[1.0, 0.0], [0.0, -1.0]])
    SlogdetResult(sign=np.float64(-1.0), logabsdet=np.float64(0.0))
    """
    return SlogdetResult(*map(given_back, by_lapack(np.linalg.slogdet, [a])))


def eigh(a: ArrayLike, UPLO: Any = "L") -> EighResult:
    """Eigenvalues, ascending, and eigenvectors of symmetric or Hermitian matrices.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues
    array([1., 2.])
    """
    return EighResult(*map(array, by_lapack(np.linalg.eigh, [a], UPLO)))


def eigvalsh(a: ArrayLike, UPLO: Any = "L") -> ndarray:
    """Eigenvalues of symmetric or Hermitian matrices, ascending.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]])
    array([1., 2.])
    """
    return array(by_lapack(np.linalg.eigvalsh, [a], UPLO))


def eig(a: ArrayLike) -> EigResult:
    """Eigenvalues and eigenvectors of square matrices; complex where they are.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.eig([[2.0, 0.0], [0.0, 1.0]]).eigenvalues
    array([2., 1.])
    """
    return EigResult(*map(array, by_lapack(np.linalg.eig, [a])))


def eigvals(a: ArrayLike) -> ndarray:
    """Eigenvalues of square matrices; complex where they are.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.eigvals([[0.0, -1.0], [1.0, 0.0]])
    array([0.+1.j, 0.-1.j])
    """
    return array(by_lapack(np.linalg.eigvals, [a]))


def tensorinv(a: ArrayLike, ind: int = 2) -> ndarray:
    """The inverse of a tensor as a map from its last axes to its first `ind`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.tensorinv(ak.eye(4).reshape(2, 2, 4)).shape
    (4, 2, 2)
    """
    return array(by_lapack(np.linalg.tensorinv, [a], ind))


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Axes = None) -> ndarray:
    """The solution of linear equations between tensors.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.tensorsolve(ak.eye(4).reshape(2, 2, 4), ak.ones((2, 2)))
    array([1., 1., 1., 1.])
    """
    return array(by_lapack(np.linalg.tensorsolve, [a, b], axes))
