# SPDX-License-Identifier: Apache-2.0
"""Distinct values and set operations on 1-d data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from .array import expr_of, wrap
from .dtypes import FLOAT32, result_code
from .joining import concatenate

if TYPE_CHECKING:
    from .ndarray import ndarray

__all__ = [
    "in1d",
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "value_counts",
]


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns."""

    values: ndarray
    inverse_indices: ndarray


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Sorted distinct values of the flattened array.

    Parameters
    ----------
    ar : array_like
        Values; NaN count as one value.
    return_index, return_inverse, return_counts : bool
        Also return where each first occurs, which of them each element is (in the shape of `ar`), and how often each
        occurs.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unique(ak.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    if axis is not None and expr_of(ar).ndim > 1:
        raise NotImplementedError("ak.unique works on the flattened array; combine the columns into one key for axis=")
    if not equal_nan:
        raise NotImplementedError("ak.unique treats NaN as equal; use equal_nan=True")
    expr = expr_of(ar)
    values, index, inverse, counts = _core.unique(expr, bool(return_index), bool(return_inverse), bool(return_counts))
    result = [wrap(values)]
    if index is not None:
        result.append(wrap(index))
    if inverse is not None:
        result.append(wrap(inverse if inverse.shape == expr.shape else _core.reshape(inverse, expr.shape)))
    if counts is not None:
        result.append(wrap(counts))
    return tuple(result) if len(result) > 1 else result[0]


def unique_values(x: Any) -> ndarray:
    """Sorted distinct values.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unique_values(ak.array([3, 1, 3]))
    array([1, 3])
    """
    return unique(x)


def unique_counts(x: Any) -> UniqueCountsResult:
    """Sorted distinct values and how often each occurs.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unique_counts(ak.array([3, 1, 3])).counts
    array([1, 2])
    """
    return UniqueCountsResult(*unique(x, return_counts=True))


def unique_inverse(x: Any) -> UniqueInverseResult:
    """Sorted distinct values and which of them each element is.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unique_inverse(ak.array([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    return UniqueInverseResult(*unique(x, return_inverse=True))


def unique_all(x: Any) -> UniqueAllResult:
    """Sorted distinct values, first positions, inverse and counts.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unique_all(ak.array([3, 1, 3])).indices
    array([1, 0])
    """
    return UniqueAllResult(*unique(x, True, True, True))


def value_counts(a: Any) -> tuple[ndarray, ndarray]:
    """Sorted distinct values and how often each occurs (Arkouda's name).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.value_counts(ak.array([3, 1, 3]))
    (array([1, 3]), array([1, 2]))
    """
    values, counts = unique(a, return_counts=True)
    return values, counts


def _common(a: Any, b: Any) -> tuple[_core.Expr, _core.Expr]:
    """Both, flattened, in their common type."""
    x, y = expr_of(a), expr_of(b)
    code = result_code(x.dtype, y.dtype)
    x, y = (one if one.dtype == code else _core.cast(one, code) for one in (x, y))
    x, y = (one if one.ndim == 1 else _core.reshape(one, (one.size,)) for one in (x, y))
    return x, y


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: str | None = None
) -> ndarray:
    """Whether each element is among the test elements; in the shape of `element`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isin(ak.array([1, 2, 3]), [2, 5])
    array([False,  True, False])
    """
    shape = expr_of(element).shape
    x, y = _common(element, test_elements)
    found = _core.isin(x, y)
    answer = wrap(found if found.shape == shape else _core.reshape(found, shape))
    return ~answer if invert else answer


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> ndarray:
    """Whether each element of the flattened `ar1` is in `ar2`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.in1d(ak.array([1, 2, 3]), ak.array([2, 5]), invert=True)
    array([ True, False,  True])
    """
    return isin(ar1, ar2, assume_unique, invert).reshape(-1)


def union1d(ar1: Any, ar2: Any) -> ndarray:
    """Sorted distinct values that are in either.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.union1d(ak.array([1, 3]), ak.array([2, 3]))
    array([1, 2, 3])
    """
    x, y = _common(ar1, ar2)
    return unique(concatenate([wrap(x.alias()), wrap(y.alias())]))


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Sorted distinct values that are in both, and on request their first positions in each.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.intersect1d(ak.array([1, 3, 3]), ak.array([3, 2]))
    array([3])
    """
    x, y = _common(ar1, ar2)
    if not return_indices:
        values = unique(wrap(x.alias()))
        return values[_nan_aware(values, isin(values, wrap(y.alias())))]
    left, first = unique(wrap(x.alias()), return_index=True)
    right, second = unique(wrap(y.alias()), return_index=True)
    both, other = _nan_aware(left, isin(left, right)), _nan_aware(right, isin(right, left))
    return left[both], first[both], second[other]


def _nan_aware(values: ndarray, found: ndarray) -> ndarray:
    # NaN equals nothing, so it is in no other set, in NumPy too.
    return found & (values == values) if values._expr.dtype >= FLOAT32 else found


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> ndarray:
    """Sorted distinct values of the first that are not in the second.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.setdiff1d(ak.array([1, 3, 2]), ak.array([3]))
    array([1, 2])
    """
    x = wrap(expr_of(ar1).alias()).reshape(-1)
    values = x if assume_unique else unique(x)
    return values[~_nan_aware(values, isin(values, ar2))]


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> ndarray:
    """Sorted distinct values that are in exactly one of both.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.setxor1d(ak.array([1, 3]), ak.array([3, 2]))
    array([1, 2])
    """
    x, y = (unique(wrap(one.alias())) for one in _common(ar1, ar2))
    both = [x[~_nan_aware(x, isin(x, y))], y[~_nan_aware(y, isin(y, x))]]
    joined = concatenate(both)
    return wrap(_core.sort(joined._expr))
