# SPDX-License-Identifier: Apache-2.0
"""Covariance and correlation of variables."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import as_array
from .composed import clip, imag, real
from .creation import zeros
from .diagonals import diag
from .dtypes import DTYPE_OF, FLOAT64, DTypeLike, code_of, result_code
from .joining import concatenate
from .products import matmul
from .statistics import average
from .ufuncs import conj, sqrt

if TYPE_CHECKING:
    from .ndarray import ndarray

__all__ = ["corrcoef", "cov"]


def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None, fweights: Any = None,
    aweights: Any = None, *, dtype: DTypeLike = None,
) -> Any:  # fmt: skip
    """The covariance matrix of variables: a small matrix, from sums over all observations.

    Parameters
    ----------
    m : array_like
        A variable in each row (or column), an observation in each column (or row); 1-d: one variable.
    y : array_like, optional
        Further variables, of the same form.
    rowvar : bool
        Whether rows are variables.
    bias : bool
        Divide by the number of observations instead of one less; `ddof` sets what is subtracted.
    fweights : array_like of int, optional
        Number of times that each observation counts.
    aweights : array_like, optional
        Weight of each observation.
    dtype : dtype, optional
        Type of the result; at least float64 by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cov(ak.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    first = as_array(m)
    if first.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    others = None if y is None else as_array(y)
    if others is not None and others.ndim > 2:
        raise ValueError("y has more than 2 dimensions")
    codes = [first._expr.dtype, FLOAT64] + ([others._expr.dtype] if others is not None else [])
    wide = DTYPE_OF[result_code(*codes) if dtype is None else code_of(dtype)]
    variables = _rows(first, rowvar, wide, m_alone=True)
    if variables.shape[0] == 0:
        return zeros((0, 0), wide)
    if others is not None:
        variables = concatenate([variables, _rows(others, rowvar, wide, m_alone=False)], 0)
    less = (0 if bias else 1) if ddof is None else int(ddof)
    weights = _observation_weights(fweights, aweights, variables.shape[1])
    mean, total = average(variables, axis=1, weights=weights, returned=True)
    total = float(total[0])
    factor: float
    if weights is None:
        factor = variables.shape[1] - less
    elif less == 0:
        factor = total
    elif aweights is None:
        factor = total - less
    else:
        factor = total - less * float((weights * as_array(aweights)).sum()) / total
    if factor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        factor = 0.0
    distance = (variables - mean.reshape(-1, 1)).evaluate()
    weighted = conj(distance if weights is None else distance * weights).evaluate()
    result = matmul(distance, weighted.T) / wide.type(factor)
    return result.reshape(()) if result.size == 1 else result


def _rows(array: ndarray, rowvar: bool, dtype: np.dtype[Any], m_alone: bool) -> ndarray:
    """Variables as rows."""
    if array.ndim < 2:
        array = array.reshape(1, -1)
    elif not rowvar and (m_alone or array.shape[0] != 1):
        array = array.T
    return array.astype(dtype)


def _observation_weights(fweights: Any, aweights: Any, number: int) -> ndarray | None:
    weights: ndarray | None = None
    if fweights is not None:
        given = as_array(fweights)
        if given.dtype.kind not in "biu" and not bool((given == given.round()).all()):
            raise TypeError("fweights must be integer")
        weights = _checked(given, "fweights", number).astype(np.float64)
    if aweights is not None:
        given = _checked(as_array(aweights), "aweights", number).astype(np.float64)
        weights = given if weights is None else weights * given
    return weights


def _checked(weights: ndarray, name: str, number: int) -> ndarray:
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights.shape != (number,):
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if bool((weights < 0).any()):
        raise ValueError(f"{name} cannot be negative")
    return weights


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: DTypeLike = None) -> Any:
    """The matrix of Pearson's correlations of variables; parameters as `cov`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.corrcoef(ak.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    together = cov(x, y, rowvar, dtype=dtype)
    if together.ndim == 0:
        return together / together
    spread = sqrt(real(diag(together)))
    found = together / spread.reshape(-1, 1) / spread.reshape(1, -1)
    if found.dtype.kind != "c":
        return clip(found, -1, 1)
    real(found)[...] = clip(real(found), -1, 1)
    imag(found)[...] = clip(imag(found), -1, 1)
    return found
