# SPDX-License-Identifier: Apache-2.0
"""Distinct values and set operations on 1-d data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import engine
from .array import as_array, expr_of, wrap
from .composed import choose
from .creation import ones, zeros
from .dtypes import FLOAT32, KIND_OF, UINT64, result_code
from .joining import concatenate
from .manipulation import _axis
from .scans import cumsum
from .sizes import without_wide
from .ufuncs import isnan

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Axis
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
    """Result of `unique_all`."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """Result of `unique_counts`."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """Result of `unique_inverse`."""

    values: ndarray
    inverse_indices: ndarray


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Axis = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Sorted distinct values of the flattened array, or distinct slices along an axis.

    Parameters
    ----------
    ar : array_like
        Values.
    return_index, return_inverse, return_counts : bool
        Also return where each first occurs, which of them each element is (in the shape of `ar`), and how often each
        occurs.
    axis : int, optional
        Axis whose slices are compared, element by element in their order: a pass for each element of a slice.
    equal_nan : bool
        Whether NaN count as one value; in slices they never do.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unique(ak.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    expr = expr_of(ar)
    if axis is not None and (expr.ndim > 1 or _axis(axis, expr.ndim)):
        found = _unique_slices(as_array(ar), _axis(axis, expr.ndim))
    elif equal_nan or expr.dtype < FLOAT32:
        parts = engine.unique(expr, bool(return_index), bool(return_inverse), bool(return_counts))
        found = [None if part is None else wrap(part) for part in parts]
    else:
        found = _unique_apart(wrap(engine.reshape(expr, (expr.size,))))
    values, index, inverse, counts = found
    if inverse is not None and axis is None and inverse.shape != expr.shape:
        inverse = inverse.reshape(expr.shape)
    wanted = zip((True, return_index, return_inverse, return_counts), (values, index, inverse, counts), strict=True)
    result = [part for is_wanted, part in wanted if is_wanted]
    return tuple(result) if len(result) > 1 else result[0]


def _unique_apart(array: ndarray) -> list[Any]:
    """Values, first positions, inverse and counts, with every NaN distinct."""
    values, index, inverse, counts = unique(array, True, True, True)
    where_nan = isnan(array)
    number = int(where_nan.sum())
    if not number:
        return [values, index, inverse, counts]
    others = values.size - 1  # NaN come last
    nans = wrap(engine.flatnonzero(where_nan._read()))
    return [
        concatenate([values[:others], array[nans]]),
        concatenate([index[:others], nans]),
        choose(where_nan, others - 1 + cumsum(where_nan), inverse),
        concatenate([counts[:others], ones(number, counts.dtype)]),
    ]


def _unique_slices(array: ndarray, place: int) -> list[Any]:
    """The same for slices along an axis, in the order of their first different elements."""
    order = [place, *(axis for axis in range(array.ndim) if axis != place)]
    number = array.shape[place]
    table = array.transpose(order).reshape(number, array.size // max(number, 1))
    # Ranks of the slices by the columns so far, which each further column refines without changing their order.
    keys: ndarray = zeros(number, int)
    for column in range(table.shape[1]):
        here = table[:, column]
        if here._expr.dtype >= FLOAT32:
            distinct, _, inverse, _ = _unique_apart(here)
        else:
            distinct, inverse = unique(here, return_inverse=True)
        keys = unique(keys * distinct.size + inverse, return_inverse=True)[1]
    _, index, inverse, counts = unique(keys, True, True, True)
    return [array[(slice(None),) * place + (index,)], index, inverse, counts]


def unique_values(x: ArrayLike) -> ndarray:
    """Sorted distinct values.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unique_values(ak.array([3, 1, 3]))
    array([1, 3])
    """
    return unique(x)


def unique_counts(x: ArrayLike) -> UniqueCountsResult:
    """Sorted distinct values and how often each occurs.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unique_counts(ak.array([3, 1, 3])).counts
    array([1, 2])
    """
    return UniqueCountsResult(*unique(x, return_counts=True))


def unique_inverse(x: ArrayLike) -> UniqueInverseResult:
    """Sorted distinct values and which of them each element is.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unique_inverse(ak.array([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    return UniqueInverseResult(*unique(x, return_inverse=True))


def unique_all(x: ArrayLike) -> UniqueAllResult:
    """Sorted distinct values, first positions, inverse and counts.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unique_all(ak.array([3, 1, 3])).indices
    array([1, 0])
    """
    return UniqueAllResult(*unique(x, True, True, True))


def value_counts(a: ArrayLike) -> tuple[ndarray, ndarray]:
    """Sorted distinct values and how often each occurs (Arkouda's name).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.value_counts(ak.array([3, 1, 3]))
    (array([1, 3]), array([1, 2]))
    """
    values, counts = unique(a, return_counts=True)
    return values, counts


def _common(a: Any, b: Any) -> tuple[engine.Expr, engine.Expr]:
    """Both, flattened, in their common type."""
    x, y = expr_of(a), expr_of(b)
    code = result_code(x.dtype, y.dtype)
    x, y = (one if one.dtype == code else engine.cast(one, code) for one in (x, y))
    x, y = (one if one.ndim == 1 else engine.reshape(one, (one.size,)) for one in (x, y))
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
    test_elements = without_wide(test_elements)
    own, tests = expr_of(element), expr_of(test_elements)
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    if kind == "table" and not (KIND_OF[own.dtype] in "biu" and KIND_OF[tests.dtype] in "biu"):
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind."
        )
    if UINT64 in (own.dtype, tests.dtype) and "i" in (KIND_OF[own.dtype], KIND_OF[tests.dtype]):
        # No common type is exact: compared as unsigned, where neither a negative number nor one too large is in both.
        signed = own if tests.dtype == UINT64 else tests
        x, y = (one if one.dtype == UINT64 else engine.cast(one, UINT64) for one in (own, tests))
        possible = wrap(signed.alias()) >= 0 if signed is own else wrap(own.alias()) < 2**63
    else:
        x, y = _common(element, test_elements)
        possible = None
    x, y = (one if one.ndim == 1 else engine.reshape(one, (one.size,)) for one in (x, y))
    found = engine.isin(x, y)
    answer = wrap(found if found.shape == own.shape else engine.reshape(found, own.shape))
    if possible is not None:
        answer = answer & possible
    return ~answer if invert else answer


def in1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, invert: bool = False) -> ndarray:
    """Whether each element of the flattened `ar1` is in `ar2`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.in1d(ak.array([1, 2, 3]), ak.array([2, 5]), invert=True)
    array([ True, False,  True])
    """
    return isin(ar1, ar2, assume_unique, invert).reshape(-1)


def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray:
    """Sorted distinct values that are in either.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.union1d(ak.array([1, 3]), ak.array([2, 3]))
    array([1, 2, 3])
    """
    x, y = _common(ar1, ar2)
    return unique(concatenate([wrap(x.alias()), wrap(y.alias())]))


def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any:
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


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
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
    return wrap(engine.sort(joined._expr))
