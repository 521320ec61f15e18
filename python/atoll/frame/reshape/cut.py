# SPDX-License-Identifier: Apache-2.0
"""Values to bins: `cut` and `qcut`. Bins are intervals, and what is made of them categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.selection import where
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.datetime.ticks import Ticks
from ...columns.functions import ranks
from ...columns.interval.intervals import Intervals, overlapping
from ...columns.text.strings import strings
from ..classes import is_series, series
from ..data.values import hide, make, take
from ..index.base import IndexCore, index_of
from ..index.interval import as_intervals, containing

if TYPE_CHECKING:
    from ...annotations import ArrayLike


def _precision(edges: np.ndarray[Any, Any], base: int) -> int:
    """So few decimals as tell the edges apart."""
    different = np.unique(edges).size
    for digits in range(base, 20):
        if np.unique(_rounded(edges, digits)).size == different:
            return digits
    return base


def _rounded(edges: np.ndarray[Any, Any], digits: int) -> np.ndarray[Any, Any]:
    """Edges to so many decimals, those between -1 and 1 to so many digits behind their zeros."""
    made = np.around(edges, digits)
    if edges.dtype.kind != "f":
        return made
    kept = ~np.isfinite(edges)
    made[kept] = edges[kept]
    small = np.flatnonzero((np.abs(edges) < 1) & (edges != 0))
    places = digits - 1 - np.floor(np.log10(np.abs(edges[small]))).astype(np.int64)
    for one in np.unique(places):
        some = small[places == one]
        made[some] = np.around(edges[some], one)
    return made


class _Scale:
    """How values become numbers that bins are made of, and how edges become values again."""

    def __init__(self, values: object) -> None:
        self.of = values if isinstance(values, Ticks) else None

    def numbers(self, values: ArrayLike) -> Any:
        """Values, or edges, as numbers: datetimes in their column's unit."""
        if self.of is None:
            return values
        held = values if isinstance(values, Ticks) else make(values)
        held = self.of._own(held).as_unit(self.of.unit)  # type: ignore[union-attr]  # of a column it is one
        return held._values if held.valid is None else Column(held._values, held.valid)

    def edges(self, numbers: Any) -> Any:
        """Edges as values."""
        if self.of is None:
            return numbers
        return self.of._like(asarray(np.asarray(numbers).astype(np.int64)), None)

    def even(self, numbers: Any, count: int, right: bool) -> np.ndarray[Any, Any]:
        """Edges of so many bins of datetimes, as whole numbers of their unit."""
        there = numbers.dropna() if isinstance(numbers, Column) else numbers
        there = there.values if isinstance(there, Column) else there
        if there.size == 0:
            raise ValueError("Cannot cut empty array")
        low, high = int(there.min()), int(there.max())
        if low == high:
            assert self.of is not None
            second = {"D": 1, "s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[self.of.unit]
            return np.linspace(low - second, high + second, count + 1).astype(np.int64)
        edges = low + (high - low) * np.arange(count + 1, dtype=object) // count
        apart = int((high - low) * 0.001)
        edges[0 if right else -1] += -apart if right else apart
        return edges.astype(np.int64)


def _bins(edges: Any, scale: _Scale, precision: int, right: bool, include_lowest: bool) -> Intervals:
    """The intervals between edges, rounded as far as they stay apart."""
    if scale.of is not None:
        numbers = np.array(edges, dtype=np.int64)
        if right and include_lowest:
            numbers[0] -= 1
        shown = scale.edges(numbers)
    else:
        digits = _precision(edges, precision)
        rounded = _rounded(edges, digits)
        if right and include_lowest and rounded.size:
            rounded = rounded.astype(np.result_type(rounded, 1.0))
            rounded[0] -= 10.0**-digits
        shown = asarray(rounded)
    return Intervals(shown[:-1], shown[1:], "right" if right else "left")


def _binned(x: Any, codes: Any, bins: object, labels: Any, ordered: bool) -> Any:
    """The bins row by row, or their labels; numbers when no labels are wanted."""
    gone = codes < 0
    if labels is False:
        made: Any = codes if not gone.any() else hide(codes, gone)
    elif labels is None:
        made = Categorical.from_codes(codes, bins, ordered=ordered)
    else:
        wanted = list(labels)
        if all(isinstance(one, str) for one in wanted) and len(set(wanted)) == len(wanted):
            made = Categorical.from_codes(codes, strings(wanted), ordered=ordered)
        else:
            table = make(wanted)
            if len(set(wanted)) < len(wanted) and ordered:
                raise ValueError("labels must be unique if ordered=True; pass ordered=False for duplicate labels")
            made = take(table, where(gone, 0, codes))
            made = Categorical(hide(made, gone) if gone.any() else made, categories=list(dict.fromkeys(wanted)),
                               ordered=ordered)  # fmt: skip
    return series(made, x._index, x._name) if is_series(x) else made


def _checked_labels(labels: object, bins: int) -> None:
    if labels is None or labels is False:
        return
    if not hasattr(labels, "__len__") or isinstance(labels, str):
        raise ValueError("Bin labels must either be False, None or passed in as a list-like argument")
    if len(labels) != bins:
        raise ValueError("Bin labels must be one fewer than the number of bin edges")


def _values(x: Any) -> Any:
    return x._values if is_series(x) or isinstance(x, IndexCore) else make(x)


def _in_intervals(x: ArrayLike, values: ArrayLike, intervals: Intervals, labels: object) -> Any:
    """Which of some given intervals each value lies in."""
    codes = containing(intervals, values)
    if labels is False:
        return _binned(x, codes, None, False, True)
    return _binned(x, codes, intervals, None, True)


def cut(
    x: ArrayLike, bins: Any, right: bool = True, labels: Any = None, retbins: bool = False, precision: int = 3,
    include_lowest: bool = False, duplicates: str = "raise", ordered: bool = True,
) -> Any:  # fmt: skip
    """Which bin each value lies in.

    Parameters
    ----------
    x : Series or array_like
        Numbers, datetimes or durations.
    bins : int, sequence or IntervalIndex
        How many bins of one width, their edges, or the bins themselves.
    right : bool
        Bins include their upper edge, else their lower one.
    labels : sequence or False, optional
        The bins' names instead of intervals; False: their numbers.
    retbins : bool
        Also the edges.
    precision : int
        Decimals of edges that are shown.
    include_lowest : bool
        The first bin includes its lower edge, too.
    duplicates : {"raise", "drop"}
        What becomes of edges that repeat.
    ordered : bool
        Whether the bins' order means something.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cut(ak.Series([1, 7, 5]), [0, 4, 8])
    0    (0, 4]
    1    (4, 8]
    2    (4, 8]
    dtype: category
    Categories (2, interval[int64, right]): [(0, 4] < (4, 8]]
    >>> ak.cut(ak.Series([1, 7, 5]), [0, 4, 8], labels=["low", "high"]).to_list()
    ['low', 'high', 'high']
    """
    values = _values(x)
    given = as_intervals(bins)
    if given is not None:
        if overlapping(given.dropna()):
            raise ValueError("Overlapping IntervalIndex is not accepted.")
        made = _in_intervals(x, values, given, labels)
        return (made, bins) if retbins else made
    scale = _Scale(values)
    numbers = scale.numbers(values)
    if scale.of is not None:
        if np.ndim(bins) == 0:
            edges = scale.even(numbers, int(bins), right)
        else:
            held = scale.numbers(bins._values if hasattr(bins, "_values") else bins)
            edges = np.asarray(held.to_numpy())
    elif np.ndim(bins) == 0:
        edges = np.asarray(ranks.cut(numbers, bins, right, include_lowest)[1].to_numpy())
    else:
        edges = np.asarray(make(bins).to_numpy())
        if (edges[1:] < edges[:-1]).any():
            raise ValueError("bins must increase monotonically.")
    edges = _distinct(edges, duplicates)
    codes = ranks.cut(numbers, edges, right, include_lowest)[0]
    _checked_labels(labels, edges.size - 1)
    made = _binned(x, codes, _bins(edges, scale, precision, right, include_lowest), labels, ordered)
    return (made, _returned(edges, scale)) if retbins else made


def _returned(edges: Any, scale: _Scale) -> Any:
    return edges if scale.of is None else index_of(scale.edges(edges))


def _distinct(edges: np.ndarray[Any, Any], duplicates: str) -> np.ndarray[Any, Any]:
    if duplicates not in ("raise", "drop"):
        raise ValueError("invalid value for 'duplicates' parameter, valid options are: raise, drop")
    found = np.unique(edges)
    if found.size < edges.size and edges.size != 2:
        if duplicates == "raise":
            raise ValueError(
                f"Bin edges must be unique: {edges!r}.\nYou can drop duplicate edges by setting the 'duplicates' kwarg"
            )
        return found
    return edges


def qcut(
    x: ArrayLike, q: object, labels: Any = None, retbins: bool = False, precision: int = 3, duplicates: str = "raise"
) -> Any:
    """Bins of about equally many values each.

    Parameters
    ----------
    x : Series or array_like
        Numbers, datetimes or durations.
    q : int or sequence of float
        How many bins, or the shares of values at their edges.
    labels, retbins, precision, duplicates :
        As of `cut`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.qcut(ak.Series([1, 2, 3, 4]), 2).to_list()
    [Interval(0.999, 2.5, closed='right'), Interval(0.999, 2.5, closed='right'), \
Interval(2.5, 4.0, closed='right'), Interval(2.5, 4.0, closed='right')]
    >>> ak.qcut(ak.Series([1, 2, 3, 4]), 2, labels=False).to_list()
    [0, 0, 1, 1]
    """
    values = _values(x)
    scale = _Scale(values)
    codes, found = ranks.qcut(scale.numbers(values), q, duplicates)
    edges = found.to_numpy()
    _checked_labels(labels, edges.size - 1)
    made = _binned(x, codes, _bins(edges, scale, precision, True, True), labels, True)
    return (made, _returned(edges, scale)) if retbins else made
