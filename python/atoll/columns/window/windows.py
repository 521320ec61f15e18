# SPDX-License-Identifier: Apache-2.0
"""Windows: aggregates of the rows around each row, by count, by time, from the start, or with weights that decay."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ...arrays.array import expr_of, wrap
from ...arrays.composed import clip
from ...arrays.creation import arange, empty, full
from ...arrays.joining import concatenate
from ...arrays.selection import take
from ...arrays.sizes import c_long
from ...arrays.ufuncs import isnan, sqrt
from ..column import Column
from ..functions.functions import where
from .cumulative import column_or_values, cumulate, expr_or_none, length_in_unit, shift

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["EwmWindows", "Windows", "ewm", "expanding", "rolling"]

CLOSED = ("right", "left", "both", "neither")
INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")

#: Elements that `Windows.apply` has in memory at a time.
APPLIED = 1 << 22


@dataclass(frozen=True)
class Rows:
    """The rows over which windows move, in order: of one column, or of concatenated groups.

    Attributes
    ----------
    size : int
        Rows of the columns that windows are asked for, and of results.
    segments : ndarray, optional
        Numbers of the rows' groups, in order of groups.
    forth, back : callable
        A column in order of groups, and aggregates in order of rows again.
    """

    size: int
    segments: ndarray | None = None
    forth: Callable[[ndarray], ndarray] = lambda column: column
    back: Callable[[ndarray], ndarray] = lambda figures: figures

    def of(self, values: Any, what: str) -> ndarray:
        """A column as float64 in this order, NaN where a value is missing."""
        column = column_or_values(values)
        if isinstance(column, Column):
            if type(column) is not Column:
                raise TypeError(f"{column.kind} have no {what} of windows")
            numbers = column.astype(np.float64)
            column = numbers.fillna(np.nan) if isinstance(numbers, Column) else numbers
        if column.size != self.size:
            raise ValueError(f"columns of one window must have one length, got {self.size} and {column.size}")
        return self.forth(column.astype(np.float64))


@dataclass(frozen=True)
class Frame:
    """Which rows a row's window has."""

    kind: str  # rows, range or expanding
    size: int = 1
    closed: str = "right"
    center: bool = False
    min_periods: int = 1
    step: int = 1
    times: ndarray | None = None  # of range, in the order of the rows


def rolling(
    values: ArrayLike, window: Any, min_periods: int | None = None, center: bool = False, closed: str | None = None,
    step: int | None = None, on: object = None,
) -> Windows:  # fmt: skip
    """Windows over the rows before each row, and itself.

    Parameters
    ----------
    values : array_like or Column
        1-dimensional numbers. Missing values and NaN are left out.
    window : int or timedelta
        How many rows, or with `on` how much time a window spans.
    min_periods : int, optional
        Windows with fewer values give NaN. By default `window`, and 1 with `on`.
    center : bool
        Windows lie around their rows.
    closed : str, optional
        Which ends belong to it: "right" (the default: of time `t` those in (t - window, t]), "left", "both", "neither".
    step : int, optional
        Only every so many rows are asked for.
    on : array_like or Column, optional
        Ascending times: integers, or a column of dates.

    Returns
    -------
    Windows
        Its methods are pandas': `sum mean median var std sem skew kurt min max count quantile rank cov corr apply agg`.

    Raises
    ------
    ValueError
        A window of no rows, `min_periods` that no window has, times that are not in order.

    Notes
    -----
    A pass over the rows of each PE and those that its windows reach beyond. No aggregate drifts: each is of its own
    window's values, not of the last one's with a value added and another taken away. Results depend on neither PEs nor
    threads.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.array([1.0, 3.0, 2.0, 8.0])
    >>> ak.rolling(a, 2).mean()
    array([nan, 2. , 2.5, 5. ])
    >>> ak.rolling(a, 10, on=ak.array([0, 5, 11, 40])).sum()
    array([1., 4., 5., 8.])
    """
    column = column_or_values(values)
    return Windows(column, Rows(column.size), rolling_frame(window, min_periods, center, closed, step, on))


def expanding(values: ArrayLike, min_periods: int = 1) -> Windows:
    """Windows over all rows up to each row. See `rolling`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.expanding(ak.array([1.0, 3.0, 2.0, 8.0])).max()
    array([1., 3., 3., 8.])
    """
    column = column_or_values(values)
    return Windows(column, Rows(column.size), Frame("expanding", min_periods=_periods(min_periods, None)))


def rolling_frame(
    window: Any,
    min_periods: int | None,
    center: bool,
    closed: str | None,
    step: Any,
    on: object,
    rows: Rows | None = None,
) -> Frame:
    """The arguments of `rolling`, checked."""
    if closed is not None and closed not in CLOSED:
        raise ValueError("closed must be 'right', 'left', 'both' or 'neither'")
    if step is not None and operator.index(step) < 1:
        raise ValueError(f"step must be >= 1, got {step}")
    if not isinstance(center, (bool, np.bool_)):
        raise ValueError("center must be a boolean")
    frame = Frame("rows", 1, closed or "right", bool(center), 1, 1 if step is None else operator.index(step))
    if on is None:
        if not hasattr(window, "__index__"):
            raise ValueError("window must be an integer; for a window of time say which with on=")
        size = operator.index(window)
        if size < 1:
            raise ValueError(f"window must be 1 or more rows, got {size}")
        size = min(size, 1 << 60)
        return replace(frame, size=size, min_periods=_periods(min_periods, size))
    times, span = _times(on, window)
    if span < 1:
        raise ValueError(f"window must be positive, got {window}")
    if rows is not None:
        if times.size != rows.size:
            raise ValueError(f"on must have the length of the keys, {rows.size}, got {times.size}")
        times = rows.forth(times)
    _check_order(times, None if rows is None else rows.segments)
    return replace(
        frame,
        kind="range",
        size=span,
        min_periods=_periods(1 if min_periods is None else min_periods, None),
        times=times,
    )


def _periods(min_periods: int | None, size: int | None) -> int:
    if min_periods is None:
        assert size is not None
        return size
    if not hasattr(min_periods, "__index__"):
        raise ValueError("min_periods must be an integer")
    periods = operator.index(min_periods)
    if periods < 0:
        raise ValueError("min_periods must be >= 0")
    if size is not None and periods > size:
        raise ValueError(f"min_periods {periods} must be <= window {size}")
    return int(c_long(periods))


def _times(on: Any, window: Any) -> tuple[ndarray, int]:
    """Times as int64, and a length of time in their unit."""
    column = column_or_values(on)
    kind = np.dtype(column.dtype).kind
    if isinstance(column, Column):
        if column.null_count:
            raise ValueError("on must not have missing values; leave those rows out first")
        column = column._values
    if kind in "Mm":
        return column.astype(np.int64), int(length_in_unit(window, on.dtype))
    if column.dtype.kind not in "iu" or column.dtype == np.uint64:
        raise TypeError(f"on must be integers or dates, got {column.dtype}")
    if not hasattr(window, "__index__"):
        raise ValueError(f"window must be an integer, as the times are, got {window!r}")
    return column.astype(np.int64), operator.index(window)


def _check_order(times: ndarray, segments: ndarray | None) -> None:
    back = times[1:] < times[:-1]
    if segments is not None:
        back = back & (segments[1:] == segments[:-1])
    if times.size and bool(back.any()):
        raise ValueError(
            "on must be monotonic: sort the rows by it first" + (", in each group" if segments is not None else "")
        )


class Windows:
    """A window for each row; `rolling`, `expanding` and `GroupBy.rolling` make it.

    Aggregates are float64, in order of rows; NaN where a window has fewer than `min_periods` values.
    """

    __slots__ = ("_frame", "_rows", "_values")

    def __init__(self, values: Any, rows: Rows, frame: Frame) -> None:
        self._values, self._rows, self._frame = values, rows, frame
        if frame.times is not None and rows.segments is None and frame.times.size != rows.size:
            raise ValueError(f"on must have the length of the values, {rows.size}, got {frame.times.size}")

    def __repr__(self) -> str:
        frame = self._frame
        size = (
            ""
            if frame.kind == "expanding"
            else f" of {frame.size} {'rows' if frame.kind == 'rows' else 'units of time'}"
        )
        return f"<atoll.Windows: {self._rows.size} rows, {frame.kind}{size}>"

    def count(self) -> ndarray:
        """How many values each window has; NaN where it has fewer than `min_periods` rows, with values or without."""
        there = ~isnan(self._rows.of(self._values, "count"))  # the sum of ones and zeros
        return self._figure("sum", numbers=there.astype(np.float64))

    def sum(self) -> ndarray:
        """Sums."""
        return self._figure("sum")

    def mean(self) -> ndarray:
        """Means."""
        return self._figure("mean")

    def var(self, ddof: int = 1) -> ndarray:
        """Variances, with `ddof` fewer degrees of freedom than values."""
        return self._figure("var", ddof=ddof)

    def std(self, ddof: int = 1) -> ndarray:
        """Their square roots."""
        return self._figure("std", ddof=ddof)

    def sem(self, ddof: int = 1) -> ndarray:
        """Standard errors of the mean."""
        return self.std(ddof) / where(self.count() > 0, self.count(), np.nan) ** 0.5

    def skew(self) -> ndarray:
        """Skewness, without bias; NaN of fewer than three values, or equal ones."""
        return self._figure("skew")

    def kurt(self) -> ndarray:
        """Excess kurtosis, without bias; NaN of fewer than four values, or equal ones."""
        return self._figure("kurt")

    def min(self) -> ndarray:
        """Smallest values."""
        return self._figure("min")

    def max(self) -> ndarray:
        """Largest values."""
        return self._figure("max")

    def median(self) -> ndarray:
        """Medians."""
        return self._figure("quantile", q=0.5)

    def quantile(self, q: float, interpolation: str = "linear") -> ndarray:
        """The values below which a share `q` of each window lies.

        Parameters
        ----------
        q : float
            Between 0 and 1.
        interpolation : str
            What lies between two values: "linear", "lower", "higher", "midpoint" or "nearest".
        """
        if not 0 <= q <= 1:
            raise ValueError(f"quantile value {q} not in [0, 1]")
        if interpolation not in INTERPOLATIONS:
            raise ValueError(f"Interpolation '{interpolation}' is not supported")
        return self._figure("quantile", q=q, interpolation=interpolation)

    def rank(self, method: str = "average", ascending: bool = True, pct: bool = False) -> ndarray:
        """The place of each window's last value among its values, from 1 on; NaN where it is missing.

        Parameters
        ----------
        method : str
            Of equal values: "average" of their places, "min" or "max".
        ascending : bool
            Whether the smallest value has place 1.
        pct : bool
            Places are given as shares of the values there are.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.expanding(ak.array([3.0, 1.0, 3.0, 2.0])).rank()
        array([1. , 1. , 2.5, 2. ])
        """
        if method not in ("average", "min", "max"):
            raise ValueError(f"Method '{method}' is not supported")
        same: Any = self._figure("same") if method != "min" or not ascending else 1
        below = self._figure("less")
        values = self.count() if pct or not ascending else None
        if not ascending:
            below = values - below - same
        places = below + {"min": 1, "max": same, "average": (same + 1) / 2}[method]
        return places / values if pct else places

    def cov(self, other: object, ddof: int = 1) -> ndarray:
        """Covariances with another column's values in the same rows; rows with both count."""
        return self._figure("cov", other, ddof=ddof)

    def corr(self, other: object) -> ndarray:
        """Correlations with another column's values in the same rows; rows with both count.

        Examples
        --------
        >>> import atoll as ak
        >>> a, b = ak.array([1.0, 2.0, 3.0, 5.0]), ak.array([2.0, 4.0, 6.0, 5.0])
        >>> ak.rolling(a, 2).corr(b)
        array([nan,  1.,  1., -1.])
        """
        return self._figure("corr", other)

    def agg(self, figures: str | Iterable[str]) -> Any:
        """Aggregates by name: one, or a dict of several.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.rolling(ak.array([1.0, 3.0, 2.0]), 2).agg(["min", "max"])
        {'min': array([nan,  1.,  2.]), 'max': array([nan,  3.,  3.])}
        """
        if isinstance(figures, str):
            if figures not in FIGURES:
                raise ValueError(f"windows have no figure {figures!r}; there are {', '.join(FIGURES)}")
            return getattr(self, figures)()
        return {name: self.agg(name) for name in figures}

    def apply(self, function: Callable[[ndarray], Any]) -> ndarray:
        """A function of windows of a fixed number of rows, many at once.

        Parameters
        ----------
        function : callable
            Is given an array with a window in each row, some thousand rows of them, oldest value first, NaN where
            there is none, and returns one number for each.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.rolling(ak.array([1.0, 3.0, 2.0, 8.0]), 2).apply(lambda windows: windows[:, 1] - windows[:, 0])
        array([nan,  2., -1.,  6.])
        """
        return self.applied(lambda windows, inside, least: function(windows))

    def applied(self, function: Callable[[ndarray, ndarray, int], Any]) -> ndarray:
        """As `apply`; the function gets the windows, which of their places are rows, and how many values one needs."""
        frame, rows = self._frame, self._rows
        least = max(frame.min_periods, 1)
        if frame.kind != "rows":
            raise ValueError("apply needs windows of a fixed number of rows")
        values = rows.of(self._values, "apply")
        size, total = frame.size, values.size
        offset = (size - 1) // 2 if frame.center else 0
        low = offset + 1 - size - (frame.closed in ("left", "both"))
        high = offset + (frame.closed in ("right", "both"))
        parts = []
        block = max(APPLIED // max(high - low, 1), 1)
        for begin in range(0, total, block):
            row = arange(begin, min(begin + block, total)).reshape(-1, 1)
            place = row + arange(low, high).reshape(1, -1)
            inside = (place >= 0) & (place < total)
            place = clip(place, 0, total - 1)
            if rows.segments is not None:
                inside = inside & (take(rows.segments, place) == take(rows.segments, row))
            parts.append(function(where(inside, take(values, place), np.nan), inside, least))
        figures = concatenate(parts) if parts else empty(0)
        if figures.shape != (total,):
            raise ValueError(f"the function must return one number for each window, got shape {figures.shape}")
        enough = Windows(self._values, rows, replace(frame, step=1, min_periods=0)).count() >= least
        return where(enough, rows.back(figures.astype(np.float64)), np.nan)[:: frame.step]

    def _figure(
        self, figure: str, other: Any = None, *, ddof: int = 1, q: float = 0.5, interpolation: str = "linear",
        numbers: ndarray | None = None,
    ) -> ndarray:  # fmt: skip
        """An aggregate of the values, or of numbers in place of them that are in the order of rows already."""
        frame, rows = self._frame, self._rows
        x = expr_of(rows.of(self._values, figure) if numbers is None else numbers)
        y = None if other is None else expr_of(rows.of(other, figure))
        figures = _core.window(
            x, y, expr_or_none(rows.segments), expr_or_none(frame.times), figure, frame.kind, frame.size, frame.closed,
            frame.center, frame.min_periods, ddof, q, interpolation,
        )  # fmt: skip
        answer = rows.back(wrap(figures))
        return answer if frame.step == 1 else answer[:: frame.step]


#: Aggregates that `Windows.agg` knows by name.
FIGURES = ("count", "sum", "mean", "var", "std", "sem", "skew", "kurt", "min", "max", "median")


def ewm(
    values: ArrayLike, com: float | None = None, span: float | None = None, halflife: Any = None,
    alpha: float | None = None,
    min_periods: int = 0, adjust: bool = True, ignore_na: bool = False, times: Any = None,
) -> EwmWindows:  # fmt: skip
    """All rows up to each row, with weights that decay exponentially.

    Parameters
    ----------
    values : array_like or Column
        1-dimensional numbers. Missing values and NaN are left out.
    com, span, halflife, alpha : float, optional
        One of them: alpha = 1 / (1 + com) = 2 / (span + 1) = 1 - 2 ** (-1 / halflife). With `times`, `halflife` is a
        length of time.
    min_periods : int
        Rows with fewer values up to them give NaN.
    adjust : bool
        Weights are 1, 1 - alpha, (1 - alpha)**2 and so on. False: each row's value has weight alpha, all before it
        together 1 - alpha.
    ignore_na : bool
        Whether rows without a value do not count as steps.
    times : array_like or Column, optional
        Ascending times: integers, or a column of dates. Weights decay with time, not with rows.

    Returns
    -------
    EwmWindows
        Its methods: `mean sum var std cov corr`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ewm(ak.array([1.0, 3.0, 3.0]), alpha=0.5, adjust=False).mean()
    array([1. , 2. , 2.5])
    """
    column = column_or_values(values)
    return EwmWindows(column, Rows(column.size), com, span, halflife, alpha, min_periods, adjust, ignore_na, times)


class EwmWindows:
    """Windows with weights; `ewm` and `GroupBy.ewm` make it. Aggregates are float64, in order of rows."""

    __slots__ = ("_adjust", "_alpha", "_halflife", "_ignore_na", "_periods", "_rows", "_times", "_values")

    def __init__(
        self, values: Any, rows: Rows, com: Any, span: Any, halflife: Any, alpha: Any, min_periods: Any, adjust: bool,
        ignore_na: bool, times: Any,
    ) -> None:  # fmt: skip
        self._values, self._rows = values, rows
        self._adjust, self._ignore_na = bool(adjust), bool(ignore_na)
        self._periods = max(_periods(min_periods or 0, None), 1)
        self._times: ndarray | None = None
        self._alpha, self._halflife = 0.5, 1.0
        if times is None:
            self._alpha = _alpha(com, span, halflife, alpha)
            return
        if halflife is None or any(other is not None for other in (com, span, alpha)):
            raise ValueError("times need a halflife, and no other of com, span and alpha")
        if not adjust and rows.segments is not None:
            raise NotImplementedError("times of groups is not supported with adjust=False.")
        order, self._halflife = _times(times, halflife)
        if self._halflife <= 0:
            raise ValueError("halflife must be positive, and not less than a unit of the times")
        if order.size != rows.size:
            raise ValueError("times must be the same length as the object.")
        self._times = rows.forth(order)
        _check_order(self._times, rows.segments)

    def _of(self, values: ArrayLike, adjust: bool = True) -> EwmWindows:
        """The same windows, with weights that are adjusted or not, of other values in the same rows."""
        made: EwmWindows = object.__new__(EwmWindows)
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        made._values, made._adjust = values, adjust
        return made

    def mean(self) -> ndarray:
        """Weighted means."""
        if self._times is not None and not self._adjust:
            return self._mean_by_gaps(self._times)
        return self._figure("mean", False)

    def _mean_by_gaps(self, times: ndarray) -> ndarray:
        """Each value weighs as its distance in time from the one before says, what was before the rest.

        y = d y' + (1 - d) x with d = 2 ** (-gap / halflife) is the mean with adjusted weights of (1 - d) x, over that
        of 1 - d: the products of d are what these weights are.
        """
        values = self._rows.of(self._values, "mean")
        there = ~isnan(values)
        known = cumulate(where(there, times.astype(np.float64), -np.inf), "max")
        before = shift(known, 1)
        before = before.fillna(-np.inf) if isinstance(before, Column) else where(isnan(before), -np.inf, before)
        own = 1 - 2.0 ** (-(times.astype(np.float64) - before) / self._halflife)
        weights = where(there, own, np.nan)
        return self._of(weights * values).mean() / self._of(weights).mean()

    def sum(self) -> ndarray:
        """Weighted sums: the newest value has weight 1."""
        if self._times is not None or not self._adjust:
            raise NotImplementedError("sum is not implemented with times, nor with adjust=False")
        values = self._rows.of(self._values, "mean")
        there = self._rows.back(where(isnan(values), 0.0, 1.0))
        counted = there if self._ignore_na else full(self._rows.size, 1.0)
        counts = self._rows.back(cumulate(self._rows.of(counted, "mean"), "sum", self._rows.segments))
        weights = (1 - (1 - self._alpha) ** counts) / self._alpha
        if not self._ignore_na:
            weights = weights * self._of(there)._figure("mean", False)
        return self._figure("mean", False) * weights

    def cov(self, other: object, bias: bool = False) -> ndarray:
        """Weighted covariances with another column's values in the same rows; rows with both count.

        As half of what the variance of the sum has beyond those of the two.
        """
        own, others = self._paired(other)
        both, one, another = (self._of(each, self._adjust)._figure("var", bias) for each in (own + others, own, others))
        return (both - one - another) / 2

    def _paired(self, other: Any) -> tuple[ndarray, ndarray]:
        """The values and another column's, NaN in rows where either is."""
        own, others = (self._rows.back(self._rows.of(one, "mean")) for one in (self._values, column_or_values(other)))
        gone = isnan(own) | isnan(others)
        return where(gone, np.nan, own), where(gone, np.nan, others)

    def corr(self, other: object) -> ndarray:
        """Weighted correlations with another column's values in the same rows; rows with both count."""
        own, others = self._paired(other)
        spread = self._of(own, self._adjust)._figure("var", True) * self._of(others, self._adjust)._figure("var", True)
        return where(spread > 0, self.cov(other, True) / sqrt(where(spread > 0, spread, 1.0)), np.nan)

    def var(self, bias: bool = False) -> ndarray:
        """Weighted variances; without `bias` corrected for the weights."""
        if self._times is not None and not self._adjust:
            raise NotImplementedError("times with adjust=False have means alone")
        return self._figure("var", bias)

    def std(self, bias: bool = False) -> ndarray:
        """Their square roots."""
        return self._figure("std", bias)

    def _figure(self, figure: str, bias: bool) -> ndarray:
        rows = self._rows
        figures = _core.decay(
            expr_of(rows.of(self._values, figure)), expr_or_none(rows.segments), expr_or_none(self._times), figure,
            self._adjust, self._ignore_na, self._alpha, self._halflife, self._periods, bool(bias),
        )  # fmt: skip
        return rows.back(wrap(figures))


def _alpha(com: Any, span: Any, halflife: Any, alpha: Any) -> float:
    given = [value for value in (com, span, halflife, alpha) if value is not None]
    if len(given) > 1:
        raise ValueError("comass, span, halflife, and alpha are mutually exclusive")
    if not given:
        raise ValueError("Must pass one of comass, span, halflife, or alpha")
    if com is not None:
        if com < 0:
            raise ValueError("comass must satisfy: comass >= 0")
        return 1 / (1 + float(com))
    if span is not None:
        if span < 1:
            raise ValueError("span must satisfy: span >= 1")
        return 2 / (float(span) + 1)
    if halflife is not None:
        if halflife <= 0:
            raise ValueError("halflife must satisfy: halflife > 0")
        return 1 - math.exp2(-1 / float(halflife))
    if not 0 < alpha <= 1:
        raise ValueError("alpha must satisfy: 0 < alpha <= 1")
    return float(alpha)
