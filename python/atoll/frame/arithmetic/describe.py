# SPDX-License-Identifier: Apache-2.0
"""Summaries of frames: `describe`, `info`, memory, correlations."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.selection import flatnonzero, take
from ...columns.column import Column
from ..classes import CLASSES, frame, is_frame, series
from ..core import as_axis, is_numeric, numeric_places
from ..data.column_labels import Labels
from ..data.dtypes import figure_of, kind_of
from ..data.values import isna, make
from ..display.format import pad
from ..index.base import range_index
from .reductions import count

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ..dataframe import DataFrame
    from ..series import Series


def _shares(percentiles: Any) -> tuple[list[float], list[str]]:
    shares = sorted({*([0.25, 0.5, 0.75] if percentiles is None else [float(one) for one in percentiles])})
    names = []
    for one in shares:
        text = f"{one * 100:.10g}"
        names.append(f"{text}%")
    return shares, names


def _of_numbers(self: Any, percentiles: Any) -> tuple[list[str], list[Any]]:
    shares, names = _shares(percentiles)
    quantiles = self.quantile(shares).to_list()
    figures = [self.count(), self.mean(), self.std(), self.min(), *quantiles, self.max()]
    return ["count", "mean", "std", "min", *names, "max"], [float(one) for one in figures]


def _of_others(self: Any) -> tuple[list[str], list[Any]]:
    counts = self.value_counts()
    top, times = (counts._index[0], int(counts.iloc[0])) if len(counts) else (np.nan, np.nan)
    return ["count", "unique", "top", "freq"], [self.count(), len(counts), top, times]


def _of_dates(self: Any, percentiles: Any) -> tuple[list[str], list[Any]]:
    shares, names = _shares(percentiles)
    quantiles = [self.quantile(one) for one in shares]
    figures = [self.mean(), self.min(), *quantiles, self.max()]
    return ["count", "mean", "min", *names, "max"], [self.count(), *(figure_of(self._values, one) for one in figures)]


class SeriesDescribing:
    """Figures of a Series together."""

    __slots__ = ()

    def describe(self: Any, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Series:
        """Count, mean, standard deviation and quartiles; of strings: count, distinct, most frequent.

        Parameters
        ----------
        percentiles : sequence of float, optional
            The shares whose quantiles are given; 0.25, 0.5 and 0.75 unless given.
        include : object, optional
            No effect on a Series, as in pandas.
        exclude : object, optional
            No effect on a Series, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 2, 3]).describe()["mean"].item()
        2.0
        """
        if is_numeric(self._values, bools=False):
            names, held = _of_numbers(self, percentiles)
        elif getattr(self.dtype, "kind", "O") in "mM":
            names, held = _of_dates(self, percentiles)
        else:
            names, held = _of_others(self)
        return series(make(held), Labels(names).index(), self._name)

    def info(
        self: Any, verbose: Any = None, buf: Any = None, max_cols: Any = None, memory_usage: Any = None,
        show_counts: Any = None,
    ) -> None:  # fmt: skip
        """Prints name, dtype, count and memory.

        Parameters
        ----------
        verbose : bool, optional
            False: name and count are left out.
        buf : file, optional
            Where the text is written; standard output unless given.
        max_cols : None
            A Series has no columns: a ValueError where it is given.
        memory_usage : bool or 'deep', optional
            Whether the memory is printed. Strings are always counted with their bytes.
        show_counts : bool, optional
            Whether the number of values is printed.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.info()
        <class 'atoll.Series'>
        Index: 3 entries, a to c
        Series name: None
        Non-Null Count  Dtype
        --------------  -----
        3 non-null      int64
        dtypes: int64(1)
        memory usage: 59.0 bytes
        """
        if max_cols is not None:
            raise ValueError("Argument `max_cols` can only be passed in DataFrame.info, not Series.info")
        lines = [_class_of(self), _summary(self._index)]
        if verbose is not False:
            lines.append(f"Series name: {self._name}")
            cells = _cells([], [self._values], show_counts)
            lines += _table(cells)
        lines.append(_tally([str(kind_of(self._values))]))
        _print_info(lines, self, memory_usage, buf)

    def memory_usage(self: Any, index: bool = True, deep: bool = False) -> int:
        """Bytes of the values, and of the index.

        Parameters
        ----------
        index : bool, default True
            Whether the index counts.
        deep : bool, default False
            No effect: strings are always counted with their bytes.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> index = ak.Index(["b", "a", "c"])
        >>> s.memory_usage(index=False)
        24
        """
        return int(self._values.nbytes) + (_bytes_of(self._index) if index else 0)

    @property
    def nbytes(self: Any) -> int:
        """Bytes of the values, on all PEs together."""
        return int(self._values.nbytes)

    def corr(self: Any, other: object, method: str = "pearson", min_periods: int | None = None) -> Any:
        """The correlation with another Series.

        Parameters
        ----------
        other : Series
            The other Series.
        method : {'pearson', 'kendall', 'spearman'}, default 'pearson'
            Which correlation.
        min_periods : int, optional
            Values that are needed for a result; with fewer it is missing.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.corr(s * 2)
        np.float64(1.0)
        """
        a, b = _pair(self, other)
        found = correlation(a, b, method) if a.size >= (min_periods or 1) else np.nan
        return found if callable(method) else np.float64(found)

    def cov(self: Any, other: object, min_periods: int | None = None, ddof: int = 1) -> Any:
        """The covariance with another Series.

        Parameters
        ----------
        other : Series
            The other Series.
        min_periods : int, optional
            Values that are needed for a result; with fewer it is missing.
        ddof : int, default 1
            The divisor is the number of values less this.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.cov(s * 2)
        np.float64(2.0)
        """
        a, b = _pair(self, other)
        return _covariance(a, b, ddof)

    def autocorr(self: Any, lag: int = 1) -> Any:
        """The correlation with itself some rows before.

        Parameters
        ----------
        lag : int, default 1
            How many rows before.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 3, 2, 4]).autocorr()
        np.float64(-0.5)
        """
        return self.corr(self.shift(lag))


def _bytes_of(index: Any) -> int:
    return int(index.memory_usage())


def _floats(values: Any) -> Any:
    if isinstance(values, Column):
        values = values.astype(np.float64)
        values = values if not isinstance(values, Column) else values.fillna(np.nan)
    return values.astype(np.float64)


def _pair(self: Any, other: Any) -> tuple[Any, Any]:
    """The values of two Series at the labels where both have one."""
    a, b = self.align(other, join="inner")
    return _both(_floats(a._values), _floats(b._values))


def _both(a: ArrayLike, b: ArrayLike) -> tuple[Any, Any]:
    gone = isna(a) | isna(b)
    if not gone.any():
        return a, b
    rows = flatnonzero(~gone)
    return take(a, rows), take(b, rows)


def _covariance(a: Any, b: Any, ddof: int = 1) -> Any:
    if a.size - ddof <= 0:
        return np.nan
    return ((a - a.mean()) * (b - b.mean())).sum() / (a.size - ddof)


def correlation(a: Any, b: Any, method: str | None = "pearson") -> Any:
    """The correlation of two arrays of floats: of values, or of their ranks."""
    if callable(method):
        return method(a.to_numpy(), b.to_numpy())
    if method == "spearman":
        index = range_index(a.size)
        a, b = (series(one, index).rank()._values for one in (a, b))
    elif method == "kendall":
        return _kendall(a.to_numpy(), b.to_numpy())
    elif method != "pearson":
        raise ValueError(
            f"method must be either 'pearson', 'kendall', 'spearman', or a callable, '{method}' was supplied"
        )
    if a.size < 2:
        return np.nan
    if _is_constant(a) or _is_constant(b):
        return np.nan
    apart, other = a - a.mean(), b - b.mean()
    with np.errstate(all="ignore"):
        found = (apart * other).sum() / np.sqrt((apart**2).sum() * (other**2).sum())
    return float(np.clip(found, -1.0, 1.0))


def _is_constant(values: Any) -> bool:
    """Whether all values are equal: their mean may differ from them by rounding."""
    first = values[0]
    return bool(values[-1] == first) and bool((values == first).all())


def _kendall(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    signs = np.sign(a[:, None] - a[None, :]) * np.sign(b[:, None] - b[None, :])
    ties = [float((np.sign(one[:, None] - one[None, :]) != 0).sum()) for one in (a, b)]
    return float(signs.sum() / np.sqrt(ties[0] * ties[1]))


class FrameDescribing:
    """Summaries of a frame."""

    __slots__ = ()

    def describe(self: Any, percentiles: Any = None, include: Any = None, exclude: Any = None) -> DataFrame:
        """Count, mean, standard deviation and quartiles of each column of numbers.

        Parameters
        ----------
        percentiles : sequence of float, optional
            The shares whose quantiles are given; 0.25, 0.5 and 0.75 unless given.
        include : dtype, list of dtypes or 'all', optional
            The dtypes of columns that are described; numbers unless given.
        exclude : dtype or list of dtypes, optional
            The dtypes of columns that are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2, 3]}).describe().loc["mean", "a"].item()
        2.0
        """
        if include is None and exclude is None:
            times = [place for place, one in enumerate(self._columns) if getattr(one.dtype, "kind", "O") in "mM"]
            places = sorted([*numeric_places(self._columns, bools=False), *times]) if self._columns else []
            made = self._at(places) if places else self
        elif isinstance(include, str) and include == "all":
            made = self
        else:
            made = self.select_dtypes(include, exclude)
        if not made._columns:
            raise ValueError("Cannot describe a DataFrame without columns")
        parts = [one.describe(percentiles) for one in made._each()]
        numbers = [part._index.to_list() for part in parts]
        names = list(dict.fromkeys(name for part in sorted(numbers, key=len) for name in part))
        index = Labels(names).index()
        return frame([part._to_index(index)._values for part in parts], made._labels, index)

    def info(
        self: Any, verbose: Any = None, buf: Any = None, max_cols: Any = None, memory_usage: Any = None,
        show_counts: Any = None,
    ) -> None:  # fmt: skip
        """Prints columns, kinds, counts and memory.

        Parameters
        ----------
        verbose : bool, optional
            Whether each column has a line; unless given, where there are not more than `max_cols`.
        buf : file, optional
            Where the text is written; standard output unless given.
        max_cols : int, default 100
            Up to so many columns have a line each, where `verbose` does not decide.
        memory_usage : bool or 'deep', optional
            Whether the memory is printed. Strings are always counted with their bytes.
        show_counts : bool, optional
            Whether the numbers of values are printed; unless given, of frames with few columns and rows.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.info()
        <class 'atoll.DataFrame'>
        RangeIndex: 3 entries, 0 to 2
        Data columns (total 2 columns):
         #   Column  Non-Null Count  Dtype
        ---  ------  --------------  -----
         0   a       3 non-null      int64
         1   b       2 non-null      float64
        dtypes: float64(1), int64(1)
        memory usage: 180.0 bytes
        """
        lines = [_class_of(self), _summary(self._index)]
        size = len(self._columns)
        exceeds = size > (_INFO_COLUMNS if max_cols is None else max_cols)
        if show_counts is None:
            show_counts = not exceeds and len(self) <= _INFO_ROWS
        kinds = [str(kind_of(one)) for one in self._columns]
        if not self._columns:
            lines.append(f"Empty {type(self).__name__}\n")
            memory_usage = False
        elif verbose is False or (verbose is None and exceeds):
            lines.append(f"Columns: {size} entries, {self._labels.values[0]} to {self._labels.values[-1]}")
            lines.append(_tally(kinds))
        else:
            lines.append(f"Data columns (total {size} columns):")
            numbered = [
                [" # ", "---", *(f" {place}" for place in range(size))],
                ["Column", "------", *map(str, self._labels.values)],
            ]
            lines += _table(_cells(numbered, self._columns, show_counts))
            lines.append(_tally(kinds))
        _print_info(lines, self, memory_usage, buf)

    def memory_usage(self: Any, index: bool = True, deep: bool = False) -> Series:
        """Bytes of each column, and of the index.

        Parameters
        ----------
        index : bool, default True
            Whether the index counts.
        deep : bool, default False
            No effect: strings are always counted with their bytes.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> index = ak.Index(["b", "a", "c"])
        >>> df.memory_usage(index=False)
        a    24
        b    24
        dtype: int64
        """
        names = [*(["Index"] if index else []), *self._labels.values]
        sizes = [*([_bytes_of(self._index)] if index else []), *(int(one.nbytes) for one in self._columns)]
        return series(make(sizes, np.int64), Labels(names).index())

    def corr(self: Any, method: str = "pearson", min_periods: int = 1, numeric_only: bool = False) -> DataFrame:
        """Correlations of each pair of columns.

        Parameters
        ----------
        method : {'pearson', 'kendall', 'spearman'}, default 'pearson'
            Which correlation.
        min_periods : int, default 1
            Values that are needed for a result; with fewer it is missing.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.corr()
             a    b
        a  1.0  1.0
        b  1.0  1.0
        """
        return self._pairs(lambda a, b: correlation(a, b, method) if a.size >= min_periods else np.nan, numeric_only)

    def cov(self: Any, min_periods: int | None = None, ddof: int = 1, numeric_only: bool = False) -> DataFrame:
        """Covariances of each pair of columns.

        Parameters
        ----------
        min_periods : int, optional
            Values that are needed for a result; with fewer it is missing.
        ddof : int, default 1
            The divisor is the number of values less this.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.cov()
             a    b
        a  1.0  2.0
        b  2.0  2.0
        """
        least = min_periods or 1
        return self._pairs(lambda a, b: _covariance(a, b, ddof) if a.size >= least else np.nan, numeric_only)

    def _pairs(self: Any, figure: Any, numeric_only: bool) -> DataFrame:
        places = numeric_places(self._columns) if numeric_only else list(range(len(self._columns)))
        columns = [self._columns[place] for place in places]
        for one in columns:
            if not is_numeric(one):
                raise ValueError(f"could not convert a column of {kind_of(one)} to float: say numeric_only=True")
        held = [_floats(one) for one in columns]
        table = np.empty((len(held), len(held)))
        for i, a in enumerate(held):
            for j in range(i, len(held)):
                table[i, j] = table[j, i] = figure(*_both(a, held[j]))
        labels = self._labels.of(places)
        return frame([asarray(table[:, place].copy()) for place in range(len(held))], labels, labels.index())

    def corrwith(
        self: Any, other: Any, axis: int | str | None = 0, drop: bool = False, method: str | None = "pearson",
        numeric_only: bool = False,
        min_periods: Any = None,
    ) -> Any:  # fmt: skip
        """Correlations of the columns with those of another frame, or with a Series.

        Parameters
        ----------
        other : DataFrame or Series
            What the columns are compared with.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        drop : bool, default False
            Whether what has no counterpart is left out.
        method : {'pearson', 'kendall', 'spearman'}, default 'pearson'
            Which correlation.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.
        min_periods : int, optional
            Values that are needed for a result; with fewer it is missing.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.corrwith(df["a"])
        a    1.0
        b    1.0
        dtype: float64
        """
        made = self._at(numeric_places(self._columns)) if numeric_only else self
        if as_axis(axis) == 1:
            other = other.T if is_frame(other) else other
            return made.T.corrwith(other, 0, drop, method, min_periods=min_periods)
        pairs = [(one._name, one) for one in made._each() if not is_frame(other) or one._name in other._labels.places]
        held = {name: one.corr(other[name] if is_frame(other) else other, method, min_periods) for name, one in pairs}
        if is_frame(other) and not drop:  # those that only one of the two has
            both = [*made._labels.values, *other._labels.values]
            held.update({name: np.nan for name in both if name not in held})
        return CLASSES["Series"](held)


def _summary(index: Any) -> str:
    size = len(index)
    name = type(index).__name__
    ends = f", {index[0]} to {index[size - 1]}" if size else ""
    return f"{name}: {size} entries{ends}"


#: Frames of more columns have no line for each in `info`, unless it is asked for; those of more rows no counts.
_INFO_COLUMNS, _INFO_ROWS = 100, 1_690_785


def _class_of(of: Any) -> str:
    return f"<class 'atoll.{type(of).__name__}'>"


def _cells(before: list[list[str]], columns: Any, show_counts: bool | None) -> list[list[str]]:
    """Columns of the table of `info`: those before, counts unless they are not wanted, and dtypes."""
    counts = [["Non-Null Count", "--------------", *(f"{count(one)} non-null" for one in columns)]]
    kinds = ["Dtype", "-----", *(str(kind_of(one)) for one in columns)]
    return [*before, *(counts if show_counts is not False else ()), kinds]


def _table(cells: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in cells]
    return [
        "  ".join(pad(text, width, left=True) for text, width in zip(row, widths, strict=True))
        for row in zip(*cells, strict=True)
    ]


def _tally(kinds: list[str]) -> str:
    """How many columns have each dtype."""
    return "dtypes: " + ", ".join(f"{kind}({kinds.count(kind)})" for kind in sorted(set(kinds)))


def _print_info(lines: list[str], of: Any, memory_usage: Any, buf: Any) -> None:
    if memory_usage is not False:
        size = of.memory_usage()
        lines.append(f"memory usage: {_size(int(size if of.ndim == 1 else size.sum()))}")
    # As pandas: the last line ends where the memory does.
    print("\n".join(lines), file=buf or sys.stdout, end="" if memory_usage is False else "\n")


def _size(number: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if number < 1024 or unit == "TB":
            return f"{number:.1f} {unit}"
        number /= 1024
    return ""
