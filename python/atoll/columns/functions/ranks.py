# SPDX-License-Identifier: Apache-2.0
"""Ranks: the places of values in their order, of a whole column or by group; and bins of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.array import Array
from ...arrays.creation import arange, asarray, empty, full
from ...arrays.histograms import searchsorted
from ...arrays.joining import concatenate
from ...arrays.quantiles import quantile
from ...arrays.scans import cumsum
from ...arrays.selection import flatnonzero, take
from ...arrays.sorting import argsort, coargsort
from ..column import Column
from ..window.cumulative import column_or_values, valid_rows
from .functions import where

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["rank"]

METHODS = ("average", "min", "max", "first", "dense")
NA_OPTIONS = ("keep", "top", "bottom")
#: So many numbers are ranked by NumPy: 1,000 in a fifth of the time that the engine's steps take to begin.
FEW = 4096


def rank(
    values: ArrayLike, method: str = "average", ascending: bool = True, na_option: str = "keep", pct: bool = False
) -> ndarray:
    """The place of each value in their order, from 1 on.

    Parameters
    ----------
    values : array_like or Column
        1-dimensional, of any kind that has an order.
    method : str
        What equal values get: the "average", "min" or "max" of their places, "first": their places in order of rows,
        "dense": as min, but the next larger value gets the next number.
    ascending : bool
        Whether the smallest value is the first.
    na_option : str
        Missing values, and NaN: "keep" gives NaN, "top" and "bottom" the first or last places.
    pct : bool
        Places as parts of their number.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> import atoll as ak
    >>> ak.rank(ak.array([30, 10, 30, 20]))
    array([3.5, 1. , 3.5, 2. ])
    >>> ak.rank(ak.array(["b", None, "a"]), method="min")
    array([ 2., nan,  1.])
    """
    return rank_of(column_or_values(values), None, 1, method, ascending, na_option, pct)


def _few_ranks(values: Any, method: str, ascending: bool, na_option: str, pct: bool) -> Any:
    """`rank` of few numbers, which NumPy orders before the engine has begun."""
    gone = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.size, dtype=bool)
    there = values[~gone]
    distinct, codes = np.unique(there, return_inverse=True)
    codes = codes if ascending else distinct.size - 1 - codes
    missing = int(gone.sum()) if na_option != "keep" else 0
    numbers = np.full(values.size, -1, dtype=np.int64)
    numbers[~gone] = codes + (missing > 0 and na_option == "top")
    if missing:
        numbers[gone] = 0 if na_option == "top" else distinct.size
    known = numbers[numbers >= 0]
    counts = np.bincount(known, minlength=1)
    last = counts.cumsum()
    if method == "first":
        ranks = np.empty(known.size)
        ranks[np.argsort(known, kind="stable")] = np.arange(1, known.size + 1)
    else:
        first = last - counts + 1
        each = {"average": (first + last) / 2, "min": first, "max": last, "dense": (counts > 0).cumsum()}[method]
        ranks = each[known].astype(np.float64)
    if pct and known.size:
        ranks /= (counts > 0).sum() if method == "dense" else known.size
    made = np.full(values.size, np.nan)
    made[numbers >= 0] = ranks
    return made


def rank_of(
    column: Any, groups: ndarray | None, ngroups: int, method: str, ascending: bool, na_option: str, pct: bool
) -> ndarray:
    """`rank`, in groups by number."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    if na_option not in NA_OPTIONS:
        raise ValueError("na_option must be one of 'keep', 'top', or 'bottom'")
    if groups is None and column.size <= FEW and isinstance(column, Array) and column.dtype.kind in "biuf":
        return asarray(_few_ranks(column.to_numpy(), method, ascending, na_option, pct))
    valid = valid_rows(column)
    rows = None if valid is None else flatnonzero(valid)
    if rows is not None and rows.size == column.size:
        rows = None
    if rows is None or na_option == "keep":
        numbers = _numbers(column if rows is None else _at(column, rows))
        own = groups if groups is None or rows is None else take(groups, rows)
        ranks = _ranks(numbers, own, ngroups, method, ascending, pct)
        if rows is None:
            return ranks
        spread = full(column.size, np.nan)
        spread[rows] = ranks
        return spread
    # Missing values are one more value, at an end.
    numbers = full(column.size, 0, dtype=np.int64)
    numbers[rows] = _dense(_numbers(_at(column, rows))) + 1
    if (na_option == "bottom") == ascending:
        numbers = where(numbers == 0, column.size + 1, numbers)
    return _ranks(numbers, groups, ngroups, method, ascending, pct)


def _at(column: Any, rows: ndarray) -> Any:
    return column.take(rows)._like_valid() if isinstance(column, Column) else take(column, rows)


def _numbers(column: Any) -> ndarray:
    """Numbers in the order of the values."""
    return column.ranks() if isinstance(column, Column) else column


def _dense(numbers: ndarray) -> ndarray:
    """Places of distinct values."""
    order = argsort(numbers)
    ordered = take(numbers, order)
    places = empty(numbers.size, dtype=np.int64)
    places[order] = cumsum(_differs(ordered))
    return places


def _differs(ordered: ndarray) -> ndarray:
    """Where another value begins."""
    if ordered.size == 0:
        return full(0, False)
    return concatenate([full(1, True), ordered[1:] != ordered[:-1]])


def _descending(numbers: ndarray) -> ndarray:
    """Numbers whose order is the reverse."""
    return -numbers if numbers.dtype.kind == "f" else ~numbers


def _ranks(numbers: ndarray, groups: ndarray | None, ngroups: int, method: str, ascending: bool, pct: bool) -> ndarray:
    size = numbers.size
    if size == 0:
        return empty(0)
    keys = numbers if ascending else _descending(numbers)
    order = argsort(keys) if groups is None else coargsort([groups, keys])
    ordered = take(keys, order)
    begins = _differs(ordered)
    # Where each row's group begins and how many rows it has.
    first: Any = 0
    count: Any = size
    if groups is not None:
        of = take(groups, order)
        starts = searchsorted(of, arange(ngroups + 1))
        first = take(starts, of)
        count = take(starts, of + 1) - first
        begins = begins | (arange(size) == first)
    place: Any = arange(size) - first + 1
    if method != "first":
        tie = cumsum(begins) - 1
        ties = flatnonzero(begins)
        if method == "dense":
            place = tie - (0 if groups is None else take(tie, first)) + 1
            if pct:
                count = (
                    ties.size if groups is None else take(tie, first + count - 1) - take(tie, first) + 1
                ) + 0 * place
        else:
            low = take(ties, tie)
            high = take(concatenate([ties, full(1, size, dtype=np.int64)]), tie + 1)
            place = {"min": low + 1, "max": high, "average": (low + high + 1) / 2}[method] - first
    place = place.astype(np.float64)
    if pct:
        place = place / count
    ranks = empty(size)
    ranks[order] = place
    return ranks


# -- bins --


def cut(values: ArrayLike, bins: Any, right: bool = True, include_lowest: bool = False) -> tuple[ndarray, ndarray]:
    """Which bin each value lies in.

    Parameters
    ----------
    values : array_like or Column
        Numbers.
    bins : int or array_like
        How many bins of equal width, or their edges, ascending.
    right : bool
        Bins include their upper edge, else their lower one.
    include_lowest : bool
        Whether the first bin includes its lower edge, too.

    Returns
    -------
    codes : ndarray of int64
        -1 of values in no bin, of missing ones and of NaN.
    edges : ndarray
        One more than bins. Of equal bins the outermost is moved out by 0.1 % of the range, as pandas does.

    Examples
    --------
    >>> import atoll as ak
    >>> from atoll.columns.functions.ranks import cut
    >>> codes, edges = cut(ak.array([1, 7, 5, 4, 6, 3]), [0, 4, 8])
    >>> codes
    array([0, 1, 1, 0, 1, 0])
    """
    numbers, valid = _numbers_of(values)
    if np.ndim(bins) == 0:
        edges = _even_edges(numbers if valid is None else numbers[valid], bins, right)
    else:
        edges = np.asarray(asarray(bins).to_numpy())
        if (edges[1:] < edges[:-1]).any():
            raise ValueError("bins must increase monotonically.")
    return _codes(numbers, valid, edges, right, include_lowest), asarray(edges)


def _numbers_of(values: ArrayLike) -> tuple[ndarray, ndarray | None]:
    """A column's numbers, and which of them are there."""
    column = column_or_values(values)
    if isinstance(column, Column) and type(column) is not Column:
        raise TypeError(f"bins are of numbers, not of {column.kind}")
    return column.values if isinstance(column, Column) else column, valid_rows(column)


def _even_edges(numbers: ndarray, bins: Any, right: bool) -> np.ndarray[Any, Any]:
    count = int(bins)
    if count != bins or count < 1:
        raise ValueError("`bins` should be a positive integer.")
    if numbers.size == 0:
        raise ValueError("Cannot cut empty array")
    low, high = float(numbers.min()), float(numbers.max())
    if not np.isfinite([low, high]).all():
        raise ValueError("cannot specify integer `bins` when input data contains infinity")
    if low == high:
        low -= 0.001 * abs(low) if low != 0 else 0.001
        high += 0.001 * abs(high) if high != 0 else 0.001
        return np.linspace(low, high, count + 1)
    edges = np.linspace(low, high, count + 1)
    step = (high - low) * 0.001
    edges[0 if right else -1] += -step if right else step
    return edges


def _codes(
    numbers: ndarray, valid: ndarray | None, edges: np.ndarray[Any, Any], right: bool, include_lowest: bool
) -> ndarray:
    common = np.result_type(numbers.dtype if numbers.dtype.kind != "b" else np.int64, edges.dtype)
    table, own = asarray(edges.astype(common)), numbers.astype(common)
    codes = searchsorted(table, own, side="left" if right else "right") - 1
    if include_lowest:
        codes = where(own == edges[0], 0, codes)
    outside = (codes < 0) | (codes >= edges.size - 1)
    return where(outside if valid is None else outside | ~valid, -1, codes)


def qcut(values: ArrayLike, q: Any, duplicates: str = "raise") -> tuple[ndarray, ndarray]:
    """Bins of about equally many values each, and which of them each value lies in.

    Parameters
    ----------
    values : array_like or Column
        Numbers.
    q : int or sequence of float
        How many bins, or the shares of values at their edges.
    duplicates : str
        Edges that are equal "raise", or are one: "drop".

    Returns
    -------
    codes : ndarray of int64
        -1 of missing values and NaN.
    edges : ndarray
        One more than bins.

    Examples
    --------
    >>> import atoll as ak
    >>> from atoll.columns.functions.ranks import qcut
    >>> codes, edges = qcut(ak.arange(5), 4)
    >>> codes, edges
    (array([0, 0, 1, 2, 3]), array([0., 1., 2., 3., 4.]))
    """
    if duplicates not in ("raise", "drop"):
        raise ValueError("invalid value for 'duplicates' parameter, valid options are: raise, drop")
    numbers, valid = _numbers_of(values)
    shares = np.linspace(0, 1, int(q) + 1) if np.ndim(q) == 0 else np.asarray(q, dtype=np.float64)
    there = numbers if valid is None else numbers[valid]
    edges = np.asarray(quantile(there.astype(np.float64), asarray(shares)).to_numpy())
    distinct = np.unique(edges)
    if distinct.size < edges.size and edges.size != 2:
        if duplicates == "raise":
            raise ValueError(
                f"Bin edges must be unique: {edges!r}.\nYou can drop duplicate edges by setting the 'duplicates' kwarg"
            )
        edges = distinct
    return _codes(numbers, valid, edges, True, True), asarray(edges)
