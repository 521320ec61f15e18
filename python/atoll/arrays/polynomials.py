# SPDX-License-Identifier: Apache-2.0
"""Polynomials by their coefficients, the highest power first.

Coefficients are few: NumPy computes functions of coefficients only. Evaluation and fitting at many points are
distributed.
"""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..session.interruptible import interruptible
from .array import Array, as_array
from .creation import array, ones, zeros
from .dtypes import KIND_OF
from .joining import stack
from .lapack import by_lapack
from .products import matmul
from .reductions import sum
from .scans import cumprod
from .ufuncs import sqrt

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = [
    "poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval", "roots", "vander",
]  # fmt: skip


#: Number of coefficients from which roots may take longer than 10 ms.
_MANY = 150


def _numbers(coefficients: Any) -> np.ndarray[Any, Any]:
    return np.asarray(coefficients.to_numpy() if isinstance(coefficients, Array) else coefficients)


def poly(seq_of_zeros: Any) -> Any:
    """Coefficients of the polynomial with these roots, or of a matrix's characteristic polynomial.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.poly([1, 2])
    array([ 1., -3.,  2.])
    """
    found = by_lapack(np.poly, [_numbers(seq_of_zeros)])
    return array(found) if isinstance(found, np.ndarray) else found


def roots(p: ArrayLike) -> ndarray:
    """The roots of a polynomial.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.roots([1, -3, 2])
    array([2., 1.])
    """
    coefficients = _numbers(p)
    long = len(coefficients) > _MANY  # its companion matrix is square
    return array(interruptible(np.roots, coefficients) if long else np.roots(coefficients))


def polyadd(a1: Any, a2: Any) -> ndarray:
    """The sum of two polynomials.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.polyadd([1, 2], [9, 5, 4])
    array([9, 6, 6])
    """
    return array(np.polyadd(_numbers(a1), _numbers(a2)))


def polysub(a1: Any, a2: Any) -> ndarray:
    """The difference of two polynomials.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.polysub([2, 10, -2], [3, 10, -4])
    array([-1,  0,  2])
    """
    return array(np.polysub(_numbers(a1), _numbers(a2)))


def polymul(a1: Any, a2: Any) -> ndarray:
    """The product of two polynomials.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.polymul([1, 2, 3], [9, 5, 1])
    array([ 9, 23, 38, 17,  3])
    """
    return array(np.polymul(_numbers(a1), _numbers(a2)))


def polydiv(u: Any, v: ArrayLike) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of two polynomials.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])
    (array([1.5 , 1.75]), array([0.25]))
    """
    quotient, rest = np.polydiv(_numbers(u), _numbers(v))
    return array(quotient), array(rest)


def polyder(p: ArrayLike, m: int = 1) -> ndarray:
    """The derivative of a polynomial, taken `m` times.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.polyder([1, 1, 1, 1])
    array([3, 2, 1])
    """
    return array(np.polyder(_numbers(p), m))


def polyint(p: ArrayLike, m: int = 1, k: Any = None) -> ndarray:
    """The integral of a polynomial, taken `m` times, with constants `k`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.polyint([3, 2, 1])
    array([1., 1., 1., 0.])
    """
    return array(np.polyint(_numbers(p), m, k))


def polyval(p: ArrayLike, x: ArrayLike) -> Any:
    """The polynomial's values at `x`, in one pass.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.polyval([3, 0, 1], ak.array([1, 5]))
    array([ 4, 76])
    """
    at = as_array(x)
    value: Any = zeros(at.shape, at.dtype)
    for factor in _numbers(p):
        value = value * at + factor
    return value if value.ndim else value.dtype.type(value.item())


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> ndarray:
    """Powers of `x` as columns, the highest first unless `increasing`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.vander([1, 2, 3], 3)
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    points = as_array(x)
    if points.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    number = points.size if N is None else operator.index(N)
    dtype = points.dtype if points.dtype.kind != "b" else np.dtype(np.int64)
    dtype = np.promote_types(dtype, np.int64)
    powers = ones((points.size, number), dtype)
    if number > 1:
        powers[:, 1:] = points.reshape(-1, 1)
        powers[:, 1:] = cumprod(powers[:, 1:], 1)
    return powers if increasing else powers[:, ::-1]


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: Any = None,
    cov: Any = False,
) -> Any:
    """The polynomial of a degree that is nearest to points, by least squares.

    Distributed sums orthogonalise the powers of `x`; the remaining system has as many unknowns as the
    polynomial has coefficients.

    Parameters
    ----------
    x, y : array_like
        The points; several sets of `y` as columns.
    deg : int
        The polynomial's degree.
    rcond : float, optional
        Singular values below this part of the greatest count as 0.
    full : bool
        Return residuals, rank, singular values and `rcond` as well.
    w : array_like, optional
        Weight of each point, which multiplies its distance.
    cov : bool or 'unscaled'
        Return the coefficients' covariance as well.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.round(ak.polyfit([0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 7.0, 13.0], 2), 6)
    array([1., 1., 1.])
    """
    order = int(deg) + 1
    points, values = (as_array(one) for one in (x, y))
    points = points if KIND_OF[points._expr.dtype] == "f" else points.astype(np.float64)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if points.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if points.size == 0:
        raise TypeError("expected non-empty vector for x")
    if values.ndim < 1 or values.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if points.size != values.shape[0]:
        raise TypeError("expected x and y to have same length")
    points, values = points.astype(np.float64), values.astype(np.float64)
    limit = points.size * np.finfo(as_array(x).dtype if as_array(x).dtype.kind == "f" else float).eps
    rcond = limit if rcond is None else rcond
    heights = values.reshape(points.size, -1)
    columns = vander(points, order)
    if w is not None:
        weights = as_array(w).astype(np.float64)
        if weights.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if weights.shape[0] != values.shape[0]:
            raise TypeError("expected w and y to have the same length")
        heights, columns = heights * weights.reshape(-1, 1), columns * weights.reshape(-1, 1)
    scale = np.sqrt((columns * columns).sum(axis=0).to_numpy())
    basis, triangle = orthogonal((columns / array(scale)).evaluate())
    right = matmul(basis.T, heights.evaluate()).to_numpy()
    left, singular, turned = by_lapack(np.linalg.svd, [triangle])
    keep = singular > rcond * singular[0]
    rank = int(keep.sum())
    inverse = (turned[keep].T / singular[keep]) @ left[:, keep].T
    found = inverse @ right / scale[:, None]
    if rank != order and not full:
        warnings.warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning, stacklevel=2)
    rest = heights - matmul(columns, array(found))
    residuals = (rest * rest).sum(axis=0)
    shape = values.shape[1:]
    coefficients = array(found.reshape((order, *shape)))
    if full:
        exact = rank != order or points.size <= order
        return coefficients, zeros(0) if exact else residuals, np.int32(rank), array(singular), rcond
    if cov is False or cov is None:
        return coefficients
    covariance = inverse @ inverse.T / np.outer(scale, scale)
    if cov == "unscaled":
        factor: Any = 1.0
    else:
        if points.size <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = residuals.to_numpy() / (points.size - order)
    if len(shape) == 0:
        return coefficients, array(covariance * factor)
    return coefficients, array(covariance[:, :, None] * factor)


def orthogonal(columns: ndarray) -> tuple[ndarray, np.ndarray[Any, Any]]:
    """Orthonormal columns that span the same space, and the upper triangle that makes the columns of them.

    Gram and Schmidt's method, each column twice: then they are orthogonal to the last bits whatever the condition
    (Giraud, Langou and others, 2005). A column that depends on those before it becomes zeros.
    """
    number = columns.shape[1]
    triangle = np.zeros((number, number))
    found: list[ndarray] = []
    for place in np.arange(number).tolist():
        column = columns[:, place].copy()
        length = float(sqrt(sum(column * column)))
        for _ in range(2):
            if found:
                parts = np.array([float(sum(one * column)) for one in found])
                for part, one in zip(parts, found, strict=True):
                    column = column - part * one
                column = column.evaluate()
                triangle[:place, place] += parts
        rest = float(sqrt(sum(column * column)))
        if rest <= length * np.finfo(np.float64).eps:
            found.append(zeros(column.shape, column.dtype))
            continue
        triangle[place, place] = rest
        found.append((column / rest).evaluate())
    return stack(found, 1), triangle
