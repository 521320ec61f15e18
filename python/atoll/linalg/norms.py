# SPDX-License-Identifier: Apache-2.0
"""Lengths of vectors and matrices, as reductions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import as_array
from ..arrays.manipulation import _axis, moveaxis
from ..arrays.reductions import max, min, sum
from ..arrays.ufuncs import absolute, not_equal, sqrt
from .factors import svdvals

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Axes
    from ..arrays.ndarray import ndarray


def _values(x: ArrayLike) -> ndarray:
    array = as_array(x)
    return array if array.dtype.kind in "fc" else array.astype(np.float64)


def _root(x: Any) -> Any:
    return sqrt(x) if hasattr(x, "_expr") else np.sqrt(x)


def _squares(x: ndarray) -> Any:
    return x.real**2 + x.imag**2 if x.dtype.kind == "c" else x * x


def norm(x: ArrayLike, ord: Any = None, axis: Axes = None, keepdims: bool = False) -> Any:
    """The length of vectors along an axis, or of matrices along two; of everything when neither is named.

    Parameters
    ----------
    x : array_like
        Vectors or matrices.
    ord : optional
        Vectors: any number, `inf`, `-inf`, 0 (how many are not 0). Matrices: 'fro', 'nuc', 1, -1, 2, -2, `inf`, `-inf`.
    axis : int or pair of int, optional
        Where the vectors or matrices lie.
    keepdims : bool
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.norm([3.0, 4.0])
    np.float64(5.0)
    """
    array = as_array(x)
    if axis is None:
        if ord is None or (ord in ("f", "fro") and array.ndim == 2) or (ord == 2 and array.ndim == 1):
            length = _root(sum(_squares(_values(array))))  # the values have no name here, and are not stored
            return as_array(length).reshape((1,) * array.ndim) if keepdims else length
        axis = tuple(range(array.ndim))
    values = _values(array)
    axes = axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1:
        return _of_vectors(values, ord, _axis(axes[0], values.ndim), keepdims)
    if len(axes) == 2:
        return _of_matrices(values, ord, _axis(axes[0], values.ndim), _axis(axes[1], values.ndim), keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def _of_vectors(values: ndarray, ord: Any, axis: Any, keepdims: bool) -> Any:
    if ord == math.inf:
        return max(absolute(values), axis, keepdims=keepdims)
    if ord == -math.inf:
        return min(absolute(values), axis, keepdims=keepdims)
    if ord == 0:
        dtype = absolute(values).dtype
        return sum(not_equal(values, 0).astype(dtype), axis, keepdims=keepdims)
    if ord is None or ord == 2:
        return _root(sum(_squares(values), axis, keepdims=keepdims))
    if ord == 1:
        return sum(absolute(values), axis, keepdims=keepdims)
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    total = sum(absolute(values) ** ord, axis, keepdims=keepdims)
    with np.errstate(all="ignore"):
        return total ** total.dtype.type(1 / ord)


def _of_matrices(values: ndarray, ord: Any, rows: int, columns: int, keepdims: bool) -> Any:
    if rows == columns:
        raise ValueError("Duplicate axes given.")
    if ord in (None, "fro", "f"):
        return _root(sum(_squares(values), (rows, columns), keepdims=keepdims))
    if ord in (1, -1, math.inf, -math.inf):
        along, across = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = sum(absolute(values), along, keepdims=True)
        found = (max if ord > 0 else min)(sums, (along, across), keepdims=keepdims)
    elif ord in (2, -2, "nuc"):
        singular = svdvals(moveaxis(values, (rows, columns), (-2, -1)))
        found = sum(singular, -1) if ord == "nuc" else (max if ord == 2 else min)(singular, -1)
        if keepdims:
            shape = [1 if axis in (rows, columns) else length for axis, length in enumerate(values.shape)]
            found = as_array(found).reshape(shape)
    else:
        raise ValueError("Invalid norm order for matrices.")
    return found


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """The length of vectors that lie along one axis or several, all by default.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.vector_norm(ak.ones((2, 2)))
    np.float64(2.0)
    """
    values = _values(x)
    return _of_vectors(values, ord, axis if axis is not None else tuple(range(values.ndim)), keepdims)


def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The length of the matrices in the last two axes; `ord` as for `norm`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linalg.matrix_norm(ak.ones((2, 2)))
    np.float64(2.0)
    """
    values = _values(x)
    return norm(values, ord, (-2, -1), keepdims)
