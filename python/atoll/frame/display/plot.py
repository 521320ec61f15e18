# SPDX-License-Identifier: Apache-2.0
"""Pictures: what is drawn is counted on the PEs first, so many rows draw as quickly as few."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange
from ...arrays.grids import histogram2d
from ...arrays.histograms import histogram
from ...arrays.ndarray import ndarray
from ...arrays.selection import compress
from ...arrays.ufuncs import isnan
from ...columns.groupby.groupby import groupby
from ...extras import module
from ...io.fallback import by_pandas, pandas_at_work
from ..core import is_numeric
from ..data.column_labels import list_of
from ..data.dtypes import cast, to_list

if TYPE_CHECKING:
    from ...annotations import ArrayLike

#: Lines and points of more rows than this are drawn as what is in each of so many columns of the picture.
ROWS, COLUMNS = 10_000, 1_000
_OWN = ("line", "bar", "barh", "hist", "scatter")
#: What pandas draws, of values that are collected for it; and what it divides a picture into.
_OF_PANDAS = ("area", "box", "density", "hexbin", "kde", "pie")
_PANES = ("subplots", "layout", "secondary_y", "stacked", "logx", "logy", "loglog", "xlabel", "ylabel", "grid", "rot",
          "xlim", "ylim", "xticks", "yticks", "legend", "table", "yerr", "xerr", "colormap", "fontsize", "sharex",
          "sharey", "style", "use_index", "sort_columns", "mark_right", "include_bool", "by", "column")  # fmt: skip


def _numbers(values: Any) -> Any:
    """Values as floats."""
    return values.astype(np.float64) if isinstance(values, ndarray) else cast(values, np.float64)


def _axes(ax: Any, figsize: Any, title: Any) -> Any:
    plt = module("matplotlib.pyplot", "plots")
    if ax is None:
        ax = plt.subplots(figsize=figsize)[1]
    if title is not None:
        ax.set_title(title)
    return ax


class Plot:
    """`plot` of Series and frames: lines, bars, histograms, points, by matplotlib.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import atoll as ak
    >>> axes = ak.Series([1.0, 2.0, 2.5]).plot.hist(bins=2)
    >>> axes.get_ylabel()
    'Frequency'
    """

    __slots__ = ("_of",)

    def __init__(self, of: Any) -> None:
        self._of = of

    def __call__(self, x: object = None, y: ArrayLike = None, kind: str = "line", **options: Any) -> Any:
        if kind not in (*_OWN, *_OF_PANDAS):
            raise ValueError(f"{kind} is not a valid plot kind")
        if kind in _OF_PANDAS or any(name in _PANES for name in options):
            by_pandas("plot", ["kind"] if kind in _OF_PANDAS else [name for name in options if name in _PANES])
            places = {name: value for name, value in (("x", x), ("y", y)) if value is not None}
            with pandas_at_work("plot"):
                return self._of.to_pandas().plot(kind=kind, **places, **options)
        if kind == "hist":
            return getattr(self, kind)(**options)
        return getattr(self, kind)(x, y, **options)

    def __getattr__(self, name: str) -> Any:
        if name not in _OF_PANDAS:
            raise AttributeError(f"'Plot' object has no attribute {name!r}")
        by_pandas("plot", ["kind"])
        return getattr(self._of.to_pandas().plot, name)

    def _series(self, y: Any) -> list[Any]:
        of = self._of
        if of.ndim == 1:
            return [of]
        chosen = of if y is None else of[[y] if not isinstance(y, (list, tuple)) else list(y)]
        found = [one for one in chosen._each() if is_numeric(one._values)]
        if not found:
            raise TypeError("no numeric data to plot")
        return found

    def hist(
        self, by: Any = None, bins: Any = 10, ax: Any = None, figsize: Any = None, title: Any = None, **options: Any
    ) -> Any:
        """How many values lie in each of some bins, which all columns share."""
        ax = _axes(ax, figsize, title)
        columns = [(one._name, _there(_numbers(one._values))) for one in self._series(by)]
        edges = bins
        if np.ndim(bins) == 0:
            low, high = min(float(one.min()) for _, one in columns), max(float(one.max()) for _, one in columns)
            edges = (
                np.linspace(low, high, int(bins) + 1)
                if low < high
                else np.linspace(low - 0.5, high + 0.5, int(bins) + 1)
            )
        for name, values in columns:
            counts, _ = histogram(values, bins=np.asarray(edges, dtype=np.float64))
            ax.stairs(counts.to_numpy(), edges, fill=True, alpha=0.7, label=name, **options)
        ax.set_ylabel("Frequency")
        if self._of.ndim == 2:
            ax.legend()
        return ax

    def line(
        self, x: ArrayLike = None, y: Any = None, ax: Any = None, figsize: Any = None, title: Any = None, **options: Any
    ) -> Any:
        """Lines through the rows; of many rows, the range that a line covers at each place."""
        ax = _axes(ax, figsize, title)
        columns = [one for one in self._series(y) if one._name != x or x is None]
        for one in columns:
            if len(one) <= ROWS:
                ax.plot(self._places(x), one.to_numpy(), label=one._name, **options)
                continue
            groups = groupby(arange(len(one)) * COLUMNS // len(one))
            values = _numbers(one._values)
            ends = groups.agg({"low": (values, "min"), "high": (values, "max")})
            at = np.linspace(0, len(one), COLUMNS, endpoint=False)
            ax.fill_between(at, ends["low"].to_numpy(), ends["high"].to_numpy(), label=one._name, **options)
        if self._of.ndim == 2:
            ax.legend()
        return ax

    def _places(self, x: ArrayLike) -> Any:
        if x is not None and self._of.ndim == 2:
            return self._of[x].to_numpy()
        labels = self._of._index
        return np.asarray(labels.to_numpy()) if labels.nlevels == 1 else np.arange(labels.size)

    def bar(
        self, x: ArrayLike = None, y: Any = None, ax: Any = None, figsize: Any = None, title: Any = None, **options: Any
    ) -> Any:
        """A bar for each row."""
        return self._bars("bar", x, y, _axes(ax, figsize, title), options)

    def barh(
        self, x: ArrayLike = None, y: Any = None, ax: Any = None, figsize: Any = None, title: Any = None, **options: Any
    ) -> Any:
        """The same, lying."""
        return self._bars("barh", x, y, _axes(ax, figsize, title), options)

    def _bars(self, kind: str, x: ArrayLike, y: Any, ax: Any, options: dict[str, Any]) -> Any:
        if len(self._of) > ROWS:
            raise ValueError(f"{len(self._of)} bars are more than a picture shows: take figures of groups, or head()")
        columns = [one for one in self._series(y) if one._name != x or x is None]
        names = [str(one) for one in (list_of(self._of._index) if x is None else to_list(self._of[x]._values))]
        places, width = np.arange(len(names)), 0.8 / max(len(columns), 1)
        for number, one in enumerate(columns):
            getattr(ax, kind)(places + number * width, one.to_numpy(), width, label=one._name, **options)
        middle = places + width * (len(columns) - 1) / 2
        (ax.set_xticks if kind == "bar" else ax.set_yticks)(middle, names)
        if self._of.ndim == 2:
            ax.legend()
        return ax

    def scatter(
        self,
        x: ArrayLike,
        y: Any,
        ax: Any = None,
        figsize: Any = None,
        title: Any = None,
        bins: int = 256,
        **options: Any,
    ) -> Any:
        """A point for each row; of many rows, how many lie at each place."""
        if self._of.ndim == 1:
            raise ValueError("plot kind scatter can only be used for data frames")
        ax = _axes(ax, figsize, title)
        if len(self._of) <= ROWS:
            ax.scatter(self._of[x].to_numpy(), self._of[y].to_numpy(), **options)
        else:
            rows = self._of[[x, y]].dropna()
            counts, across, up = histogram2d(_numbers(rows._columns[0]), _numbers(rows._columns[1]), bins=bins)
            table = np.asarray(counts.to_numpy(), dtype=np.float64).T
            shown = np.where(table > 0, np.log1p(table), np.nan)
            ax.pcolormesh(np.asarray(across), np.asarray(up), shown, **options)
        ax.set_xlabel(str(x))
        ax.set_ylabel(str(y))
        return ax


def _there(values: ArrayLike) -> Any:
    found = compress(~isnan(values), values)
    if found.size == 0:
        raise TypeError("no numeric data to plot")
    return found


class Plotting:
    """Pictures of Series and frames."""

    __slots__ = ()

    @property
    def plot(self) -> Plot:
        """Lines, bars, histograms, points: ``plot.hist()``, ``plot(kind="line")``."""
        return Plot(self)

    def hist(self: Any, bins: object = 10, **options: object) -> Any:
        """A histogram.

        Parameters
        ----------
        bins : int or sequence, default 10
            How many bins, or their edges.
        **options
            Those of `plot`, and of matplotlib.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> axes = s.hist(bins=3)  # doctest: +SKIP
        """
        return Plot(self).hist(bins=bins, **options)
