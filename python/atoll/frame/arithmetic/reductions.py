# SPDX-License-Identifier: Apache-2.0
"""Reductions: a value of a column, a Series of a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.joining import stack
from ...arrays.ndarray import ndarray
from ...arrays.quantiles import median, nanmedian, nanquantile, quantile
from ...arrays.reductions import nanmax, nanmin, nanprod, nansum
from ...arrays.selection import compress, where
from ...arrays.statistics import nanmean, nanstd, nanvar
from ...arrays.ufuncs import isnan
from ...columns.column import Column
from ...columns.datetime.datetimes import Datetimes
from ...columns.datetime.ticks import Ticks
from ...columns.datetime.timestamp import NaT
from ...columns.functions.functions import unique
from ...columns.objects import Objects
from ...columns.text.strings import Strings
from ..classes import frame, series
from ..combine.align import union_of
from ..core import as_axis, is_numeric, numeric_places
from ..data.column_labels import Labels
from ..data.dtypes import all_missing, figure_of, item_of, kind_of
from ..data.values import choose, isna, join_rows, make, scalar
from ..window.across_columns import counted_distinct

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ..series import Series

Reduction = Callable[..., Any]


def _there(values: Any) -> Any:
    """The values that are there, as an array."""
    if isinstance(values, ndarray):
        return compress(~isnan(values), values) if values.dtype.kind == "f" else values
    return values._there()


def _moments(values: ArrayLike) -> tuple[int, Any, Any]:
    """How many values there are, and what each departs from the mean."""
    there = _there(values).astype(np.float64)
    return there.size, there, (there - (there.mean() if there.size else 0)).evaluate()


def _misses(values: Any) -> bool:
    """Whether a value is missing."""
    if isinstance(values, Column):
        return values.null_count > 0
    return bool(values.dtype.kind == "f" and isnan(values).any())


def _typed(values: Any, moment: Any) -> Any:
    """A moment in pandas' type: float32 of float32."""
    return np.float32(moment) if values.dtype == np.float32 else np.float64(moment)


def _skew(values: ArrayLike) -> Any:
    n, _, apart = _moments(values)
    if n < 3:
        return np.float64(np.nan)
    second, third = (apart * apart).sum(), (apart * apart * apart).sum()
    if second == 0:
        return np.float64(np.nan)
    return _typed(values, n * np.sqrt(n - 1) / (n - 2) * third / second**1.5)


def _kurt(values: ArrayLike) -> Any:
    n, _, apart = _moments(values)
    if n < 4:
        return np.float64(np.nan)
    second, fourth = (apart * apart).sum(), (apart * apart * apart * apart).sum()
    if second == 0:
        return np.float64(np.nan)
    adjustment = 3 * (n - 1) ** 2 / ((n - 2) * (n - 3))
    return _typed(values, n * (n + 1) * (n - 1) * fourth / ((n - 2) * (n - 3) * second**2) - adjustment)


def _spread(plain: Reduction, skipping: Reduction, name: str) -> Reduction:
    def function(values: Any, skipna: bool, ddof: int = 1) -> Any:
        if isinstance(values, Column):
            return np.nan if not skipna and values.null_count else scalar(getattr(values, name)(ddof=ddof))
        if values.size > ddof:
            with np.errstate(all="ignore"):
                found = plain(values, ddof)
            if found == found:  # no NaN among the values
                return found
        count = values.size - (int(isnan(values).sum()) if skipna and values.dtype.kind == "f" else 0)
        if count <= ddof:
            return np.nan
        return (skipping if skipna and values.dtype.kind == "f" else plain)(values, ddof)

    return function


def _plain(name: str, skipping: Reduction, least: int = 0) -> Reduction:
    """A reduction that arrays and columns have under one name."""

    def function(values: Any, skipna: bool) -> Any:
        if isinstance(values, Column):
            return np.nan if not skipna and values.null_count else scalar(getattr(values, name)())
        if values.size == 0 and least:
            return np.nan
        if not skipna or values.dtype.kind != "f":
            return getattr(values, name)()
        with np.errstate(all="ignore"):
            plain = getattr(values, name)()  # a NaN among the values makes it NaN
            if plain == plain:
                return plain
            if least and isnan(values).all():
                return np.nan
            return skipping(values)

    return function


def _median(values: Any, skipna: bool) -> Any:
    if isinstance(values, Column):
        if not skipna and values.null_count:
            return np.nan
        values = _there(values)
    if values.size == 0:
        return np.nan
    with np.errstate(all="ignore"):
        found = median(values)
        if found == found or not skipna or values.dtype.kind != "f" or bool(isnan(values).all()):
            return found
        return nanmedian(values)


def _sem(values: ArrayLike, skipna: bool, ddof: int = 1) -> Any:
    return REDUCTIONS["std"](values, skipna, ddof) / np.sqrt(_there(values).size)


REDUCTIONS: dict[str, Reduction] = {
    "sum": _plain("sum", nansum),
    "prod": _plain("prod", nanprod),
    "mean": _plain("mean", nanmean, 1),
    "min": _plain("min", nanmin, 1),
    "max": _plain("max", nanmax, 1),
    "median": _median,
    "var": _spread(lambda values, ddof: values.var(ddof=ddof), lambda values, ddof: nanvar(values, ddof=ddof), "var"),
    "std": _spread(lambda values, ddof: values.std(ddof=ddof), lambda values, ddof: nanstd(values, ddof=ddof), "std"),
    "sem": _sem,
    "skew": lambda values, skipna: _skew(values) if skipna or not _misses(values) else np.float64(np.nan),
    "kurt": lambda values, skipna: _kurt(values) if skipna or not _misses(values) else np.float64(np.nan),
    "any": lambda values, skipna: np.bool_((_there(values) if skipna else values).any()),
    "all": lambda values, skipna: np.bool_((_there(values) if skipna else values).all()),
}
#: What strings have.
OF_TEXTS = ("min", "max")
#: What dates and lengths of time have.
OF_TIMES = ("min", "max", "mean", "median", "std", "sum")


def reduced(name: str, values: Any, skipna: bool = True, min_count: int = 0, **options: object) -> Any:
    """A figure of a column. TypeError where its kind has none."""
    if min_count > 0 and count(values) < min_count:
        return np.nan
    if isinstance(values, Objects):
        return _of_objects(name, values)
    if isinstance(values, Strings) and name not in OF_TEXTS:
        if name == "sum":
            return np.nan if not skipna and values.null_count else "".join(values.dropna().to_list())
        if name in ("any", "all"):
            return bool((values.str.len().fillna(0) > 0).any() if name == "any" else (values.str.len() > 0).all())
        raise TypeError(f"dtype 'str' does not support operation '{name}'")
    if not is_numeric(values) and not isinstance(values, Strings):
        if isinstance(values, Datetimes) and name in ("any", "all"):
            raise TypeError(
                f"'{name}' with datetime64 dtypes is not supported. Use (obj != pd.Timestamp(0)).{name}() instead."
            )
        if not hasattr(values, name):
            raise TypeError(f"dtype '{kind_of(values)}' does not support operation '{name}'")
        found = getattr(values, name)(**options)
        return figure_of(values, None if not skipna and values.null_count else found)
    return REDUCTIONS[name](values, skipna, **options)


def _of_objects(name: str, values: Objects) -> Any:
    held = values.dropna().to_list()
    if not held and name in ("sum", "prod"):
        return 0 if name == "sum" else 1
    if not held and name in ("mean", "median", "std", "var", "sem", "min", "max"):
        return np.nan
    numbers = make(held)
    if isinstance(numbers, Objects):
        known: dict[str, Any] = {"min": min, "max": max, "sum": sum, "any": any, "all": all}
        function = known.get(name)
        if function is None:
            raise TypeError(f"dtype 'object' does not support operation '{name}'")
        return function(held)
    return reduced(name, numbers)


def count(values: Any) -> int:
    """How many values are there."""
    if isinstance(values, ndarray):
        return values.size - (int(isnan(values).sum()) if values.dtype.kind == "f" else 0)
    return values.count()


def distinct(values: ArrayLike, dropna: bool = True) -> int:
    """How many distinct values there are."""
    found = int(unique(values if not isinstance(values, ndarray) else _there(values)).size)
    return found if dropna else found + bool(isna(values).any())


def quantile_of(values: Any, q: Any, interpolation: str = "linear") -> Any:
    """The value below which a share of the others lies."""
    if isinstance(values, Strings):
        raise TypeError("dtype 'str' does not support operation 'quantile'")
    there = values if isinstance(values, ndarray) else _there(values)
    if isinstance(there, Column) and hasattr(there, "quantile") and there.size:
        return figure_of(values, there.quantile(q))
    if isinstance(values, Column) and not isinstance(there, Column) and hasattr(values, "quantile"):
        return values.quantile(q) if np.ndim(q) else figure_of(values, values.quantile(q))
    if isinstance(there, Column) or there.size == 0:
        return np.full(np.shape(q), np.nan) if np.ndim(q) else np.nan
    return (nanquantile if there.dtype.kind == "f" else quantile)(there, q, method=interpolation)


# -- methods --


#: What NumPy's own reductions pass to a method of their name.
_OF_NUMPY = ("out", "dtype", "keepdims", "initial", "where")


def _known(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in _OF_NUMPY}


_DOC = """{what}

Parameters
----------
{axis}
skipna : bool, default True
    Whether missing values are left out; else a missing value makes the result missing.
numeric_only : bool, default False
    Whether columns that are not numbers are left out.
**options
    `min_count` (`sum`, `prod`): values that are needed for a result. `ddof` (`var`, `std`, `sem`): the divisor is the
    number of values less this.

Examples
--------
>>> import atoll as ak
>>> {call}
{answer}
"""


def _series_reduction(name: str) -> Any:
    def method(
        self: Any, axis: int | str | None = 0, skipna: bool = True, numeric_only: bool = False, **options: object
    ) -> Any:
        return reduced(name, self._values, skipna, **_known(options))

    method.__name__ = name
    method.__doc__ = _DOC.format(
        what=f"{_DOCS[name]}.", axis="axis : None or 0\n    A Series has one axis.",
        call=f"ak.Series([1, 2, 4, 8]).{name}().item()", answer=_ANSWERS[name],
    )  # fmt: skip
    return method


def _frame_reduction(name: str) -> Any:
    def method(
        self: Any, axis: int | str | None = 0, skipna: bool = True, numeric_only: bool = False, **options: object
    ) -> Any:
        if axis is None:
            return reduced(name, reduce_frame(self, name, 0, skipna, numeric_only, **options)._values, skipna)
        return reduce_frame(self, name, as_axis(axis), skipna, numeric_only, **_known(options))

    method.__name__ = name
    method.__doc__ = _DOC.format(
        what=f"{_DOCS[name]}, of each column or with ``axis=1`` of each row.",
        axis="axis : {0 or 'index', 1 or 'columns', None}, default 0\n    Columns (0), rows (1), or all values (None).",
        call=f'ak.DataFrame({{"a": [1, 2, 4, 8]}}).{name}()["a"].item()', answer=_ANSWERS[name],
    )  # fmt: skip
    return method


_DOCS = {
    "sum": "Sum", "prod": "Product", "mean": "Mean", "min": "Smallest value", "max": "Largest value",
    "median": "Median", "var": "Variance", "std": "Standard deviation", "sem": "Standard error of the mean",
    "skew": "Skewness", "kurt": "Excess kurtosis", "any": "Whether any value is true",
    "all": "Whether all values are true",
}  # fmt: skip
#: Those of the examples: of 1, 2, 4 and 8.
_ANSWERS = {
    "sum": 15, "prod": 64, "mean": 3.75, "min": 1, "max": 8, "median": 3.0, "var": 9.583333333333334,
    "std": 3.095695936834452, "sem": 1.547847968417226, "skew": 1.1376243669576889, "kurt": 0.7576559546313799,
    "any": True, "all": True,
}  # fmt: skip


#: Up to so many elements a call for each column costs more than its work.
_FEW = 1 << 14


def reduce_frame(self: Any, name: str, axis: int, skipna: bool, numeric_only: bool, **options: Any) -> Any:
    """A figure of each column, or of each row."""
    if axis == 1:
        return _across(self, name, skipna, numeric_only, **options)
    places = numeric_places(self._columns) if numeric_only else range(len(self._columns))
    if name == "median" and skipna:
        table = _table([self._columns[place] for place in places])
        if table is not None:
            return series(nanmedian(table, axis=1), self._labels.of(places).index())
    values = [reduced(name, self._columns[place], skipna, **options) for place in places]
    if values and all(one is NaT for one in values):
        kinds = [self._columns[place] for place in places]
        return series(join_rows([all_missing(one, 1) for one in kinds]), self._labels.of(places).index())
    made = figures(values)
    sources = [self._columns[place] for place in places]
    if isinstance(made, Ticks) and all(isinstance(one, Ticks) and one.unit == sources[0].unit for one in sources):
        made = made.as_unit(sources[0].unit)
    return series(made, self._labels.of(places).index())


def _table(columns: list[Any]) -> Any:
    """Columns of floats as rows of one array, where a call for each column costs more than its elements; else None."""
    if len(columns) < 2 or not all(type(one) is ndarray and one.dtype == np.float64 for one in columns):
        return None
    if not 0 < columns[0].size * len(columns) <= _FEW or columns[0]._expr.session.pes > 1:
        return None
    return asarray(np.stack([one.to_numpy(None) for one in columns]))


def figures(values: list[Any]) -> Any:
    """Figures of several columns, in one kind if there is one."""
    if not values:
        return make([], np.float64)
    kinds = {isinstance(one, (bool, np.bool_)) for one in values}
    if len(kinds) > 1 or any(isinstance(one, str) for one in values):
        return Objects(values) if len({type(one) for one in values}) > 1 else make(values)
    items = [one.item() if isinstance(one, np.generic) and one.dtype.kind in "iufb" else one for one in values]
    if all(isinstance(one, (np.integer, np.floating)) for one in values):
        return make(items, np.result_type(*{one.dtype for one in values}))
    return make(items)


def _across(self: Any, name: str, skipna: bool, numeric_only: bool, **options: Any) -> Any:
    places = numeric_places(self._columns) if numeric_only else list(range(len(self._columns)))
    columns = [self._columns[place] for place in places]
    if not all(is_numeric(one) for one in columns):
        rows = zip(*(one.to_list() if isinstance(one, Column) else one.tolist() for one in columns), strict=True)
        return series(make([reduced(name, make(list(row)), skipna, **options) for row in rows]), self._index)
    arrays = [one if isinstance(one, ndarray) else where(~isna(one), one.values, np.nan) for one in columns]
    if not arrays:
        return series(make([0.0] * len(self)), self._index)
    table = stack(arrays, axis=1)
    return series(_OF_ROWS[name](table, skipna and table.dtype.kind == "f", **options), self._index)


def _rows(plain: str, skipping: Reduction) -> Reduction:
    def function(table: Any, skipna: bool, min_count: int = 0, **options: object) -> Any:
        if not skipna:
            return getattr(table, plain)(axis=1, **options)
        with np.errstate(all="ignore"):
            if plain in ("sum", "prod"):
                made = skipping(table, axis=1)
                return made if min_count <= 0 else choose((~isnan(table)).sum(axis=1) < min_count, np.nan, made)
            # A row without a value has none, and NumPy's functions warn of it.
            empty = isnan(table).all(axis=1)
            filled = where(empty.reshape(-1, 1), 0, table)
            return where(empty, np.nan, skipping(filled, axis=1, **options))

    return function


def _spread_of_rows(power: float) -> Reduction:
    def function(table: Any, skipna: bool, ddof: int = 1, **options: object) -> Any:
        table = table.astype(np.float64)
        there = ~isnan(table)
        counts = there.sum(axis=1)
        with np.errstate(all="ignore"):
            means = where(there, table, 0).sum(axis=1) / counts
            apart = where(there, table - means.reshape(-1, 1), 0)
            return where(counts > ddof, ((apart**2).sum(axis=1) / (counts - ddof)) ** power, np.nan)

    return function


def _moment_of_rows(name: str) -> Reduction:
    def function(table: Any, skipna: bool, **options: object) -> Any:
        table = table.astype(np.float64)
        there = ~isnan(table)
        n = there.sum(axis=1).astype(np.float64)
        with np.errstate(all="ignore"):
            means = where(there, table, 0).sum(axis=1) / n
            apart = where(there, table - means.reshape(-1, 1), 0)
            second = (apart**2).sum(axis=1)
            if name == "skew":
                made = n * (n - 1) ** 0.5 / (n - 2) * (apart**3).sum(axis=1) / second**1.5
                return where((n < 3) | (second == 0), np.nan, made)
            scale = n * (n + 1) * (n - 1) / ((n - 2) * (n - 3))
            made = scale * (apart**4).sum(axis=1) / second**2 - 3 * (n - 1) ** 2 / ((n - 2) * (n - 3))
            return where((n < 4) | (second == 0), np.nan, made)

    return function


_OF_ROWS: dict[str, Reduction] = {
    "skew": _moment_of_rows("skew"),
    "kurt": _moment_of_rows("kurt"),
    "sem": lambda table, skipna, **options: (
        _OF_ROWS["std"](table, skipna, **options) / (~isnan(table.astype(np.float64))).sum(axis=1) ** 0.5
    ),
    "sum": _rows("sum", nansum),
    "prod": _rows("prod", nanprod),
    "mean": _rows("mean", nanmean),
    "min": _rows("min", nanmin),
    "max": _rows("max", nanmax),
    "median": lambda table, skipna: nanmedian(table, axis=1) if skipna else median(table, axis=1),
    "var": _spread_of_rows(1.0),
    "std": _spread_of_rows(0.5),
    "any": lambda table, skipna: (table != 0).any(axis=1),
    "all": lambda table, skipna: (table != 0).all(axis=1),
}


class SeriesReductions:
    """Figures of a Series."""

    __slots__ = ()

    def count(self: Any) -> Any:
        """How many values are there.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1.0, None]).count()
        np.int64(1)
        """
        return np.int64(count(self._values))

    def nunique(self: Any, dropna: bool = True) -> int:
        """How many distinct values there are.

        Parameters
        ----------
        dropna : bool, default True
            Whether missing values are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 1, 2]).nunique()
        2
        """
        return distinct(self._values, dropna)

    def quantile(self: Any, q: Any = 0.5, interpolation: str = "linear") -> Any:
        """The value below which a share of the others lies; a Series of several shares.

        Parameters
        ----------
        q : float or sequence of float, default 0.5
            Shares between 0 and 1; several give a result for each.
        interpolation : {'linear', 'lower', 'higher', 'nearest', 'midpoint'}, default 'linear'
            What the result is where it lies between two values.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 2, 3, 4]).quantile([0.25, 0.5])
        0.25    1.75
        0.50    2.50
        dtype: float64
        """
        if np.any((np.asarray(q) < 0) | (np.asarray(q) > 1)):
            raise ValueError("percentiles should all be in the interval [0, 1]. Try dividing by 100")
        if np.ndim(q):
            found = quantile_of(self._values, np.asarray(q, dtype=np.float64), interpolation)
            return type(self)(found, index=list(q), name=self._name)
        return quantile_of(self._values, q, interpolation)

    def agg(self: Any, func: Any = None, axis: int | str = 0, *args: Any, **kwargs: Any) -> Any:
        """Figures by name or by function; several give a Series.

        Parameters
        ----------
        func : callable, str, list or dict, optional
            The function, or the name of a method; a dict has those of each column.
        axis : None or 0, default 0
            A Series has one axis.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.agg(["min", "max"])
        min    1
        max    3
        dtype: int64
        """
        if isinstance(func, dict):
            return type(self)({label: self.agg(one) for label, one in func.items()}, name=self._name)
        if isinstance(func, (list, tuple)):
            names = [one if isinstance(one, str) else one.__name__ for one in func]
            return series(figures([self.agg(one) for one in func]), make_axis(names), self._name)
        if isinstance(func, str):
            return getattr(self, func)(*args, **kwargs)
        return func(self, *args, **kwargs)

    aggregate = agg

    def item(self: Any) -> Any:
        """The only value.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([7]).item()
        7
        """
        if len(self) != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        only = item_of(self._values, 0)
        return only.item() if isinstance(only, np.generic) and only.dtype.kind not in "mM" else only

    def idxmin(self: Any, axis: int | str | None = 0, skipna: bool = True) -> Any:
        """The label of the smallest value.

        Parameters
        ----------
        axis : None or 0, default 0
            A Series has one axis.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.idxmin()
        'b'
        """
        return self._index[self.argmin()]

    def idxmax(self: Any, axis: int | str | None = 0, skipna: bool = True) -> Any:
        """The label of the largest value.

        Parameters
        ----------
        axis : None or 0, default 0
            A Series has one axis.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.idxmax()
        'a'
        """
        return self._index[self.argmax()]

    def argmin(self: Any, axis: int | str | None = 0, skipna: bool = True) -> Any:
        """The row of the smallest value.

        Parameters
        ----------
        axis : None or 0, default 0
            A Series has one axis.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.argmin()
        np.int64(1)
        """
        return np.int64(extreme_row(self._values, descending=False))

    def argmax(self: Any, axis: int | str | None = 0, skipna: bool = True) -> Any:
        """The row of the largest value.

        Parameters
        ----------
        axis : None or 0, default 0
            A Series has one axis.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.argmax()
        np.int64(0)
        """
        return np.int64(extreme_row(self._values, descending=True))


def extreme_row(values: Any, descending: bool) -> int:
    """The first row of the smallest value, or of the largest."""
    value = reduced("max" if descending else "min", values)
    if value != value:
        raise ValueError(
            "attempt to get argmax of an empty sequence" if values.size == 0 else "Encountered all NA values"
        )
    found = values == value
    return int((found.fillna(False) if isinstance(found, Column) else found).argmax())


class FrameReductions:
    """Figures of a frame's columns."""

    __slots__ = ()

    def count(self: Any, axis: int | str | None = 0, numeric_only: bool = False) -> Series:
        """How many values each column, or row, has.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.count()
        a    3
        b    2
        dtype: int64
        """
        columns = [self._columns[place] for place in numeric_places(self._columns)] if numeric_only else self._columns
        if as_axis(axis) == 0:
            places = numeric_places(self._columns) if numeric_only else range(len(self._columns))
            return series(make([count(one) for one in columns], np.int64), self._labels.of(places).index())
        there = [(~isna(one)).astype(np.int64) for one in columns]
        return series(stack(there, axis=1).sum(axis=1), self._index)

    def nunique(self: Any, axis: int | str | None = 0, dropna: bool = True) -> Any:
        """How many distinct values each column, or row, has.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        dropna : bool, default True
            Whether missing values are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.nunique()
        a    3
        b    2
        dtype: int64
        """
        if as_axis(axis) == 1:
            return counted_distinct(self, dropna)
        return self._per_column(make([distinct(one, dropna) for one in self._columns], np.int64))

    def quantile(
        self: Any, q: Any = 0.5, axis: int | str | None = 0, numeric_only: bool = False, interpolation: str = "linear",
        method: str = "single",
    ) -> Any:  # fmt: skip
        """The value below which a share of a column lies; a frame of several shares.

        Parameters
        ----------
        q : float or sequence of float, default 0.5
            Shares between 0 and 1; several give a result for each.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.
        interpolation : {'linear', 'lower', 'higher', 'nearest', 'midpoint'}, default 'linear'
            What the result is where it lies between two values.
        method : {'single', 'table'}, default 'single'
            Whether columns are looked at one by one, or rows as wholes.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.quantile([0.25, 0.75])
                a    b
        0.25  1.5  4.5
        0.75  2.5  5.5
        """
        places = numeric_places(self._columns) if numeric_only else list(range(len(self._columns)))
        columns = [self._columns[place] for place in places]
        if any(isinstance(one, (Strings, Objects)) for one in columns):
            raise TypeError("Cannot perform quantile on columns that hold no numbers: say numeric_only=True")
        labels = self._labels.of(places)
        if np.ndim(q):
            shares = np.asarray(q, dtype=np.float64)
            return frame([asarray(quantile_of(one, shares, interpolation)) for one in columns], labels, make_axis(q))
        table = _table(columns)
        if table is not None:
            return series(nanquantile(table, q, axis=1, method=interpolation), labels.index(), q)
        return series(make([quantile_of(one, q, interpolation) for one in columns]), labels.index(), q)

    def idxmin(self: Any, axis: int | str | None = 0, skipna: bool = True, numeric_only: bool = False) -> Series:
        """The label of each column's smallest value.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: for each column the label of a row; 1: for each row the label of a column.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.idxmin()
        a    0
        b    0
        dtype: int64
        """
        return self._extremes(False, axis, numeric_only)

    def idxmax(self: Any, axis: int | str | None = 0, skipna: bool = True, numeric_only: bool = False) -> Series:
        """The label of each column's largest value.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: for each column the label of a row; 1: for each row the label of a column.
        skipna : bool, default True
            Whether missing values are left out; else a missing value makes the result missing.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.idxmax()
        a    2
        b    2
        dtype: int64
        """
        return self._extremes(True, axis, numeric_only)

    def _extremes(self: Any, descending: bool, axis: int | str | None, numeric_only: bool) -> Series:
        places = numeric_places(self._columns) if numeric_only else list(range(len(self._columns)))
        if as_axis(axis) == 1:
            table = stack([self._columns[place] for place in places], axis=1)
            found = (table.argmax(axis=1) if descending else table.argmin(axis=1)).tolist()
            return series(make([self._labels.values[places[place]] for place in found]), self._index)
        rows = [extreme_row(self._columns[place], descending) for place in places]
        return series(make([self._index[row] for row in rows]), self._labels.of(places).index())

    def agg(self: Any, func: object = None, axis: int | str = 0, *args: Any, **kwargs: Any) -> Any:
        """Figures of each column, by name or function; several give a frame, a dict those of its columns.

        Parameters
        ----------
        func : callable, str, list or dict, optional
            The function, or the name of a method; a dict has those of each column.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2], "b": [3, 5]}).agg(["sum", "max"])
             a  b
        sum  3  8
        max  2  5
        """
        if func is None:
            return self._named_figures(kwargs)
        if isinstance(func, dict):
            if any(isinstance(one, (list, tuple)) for one in func.values()):
                parts = {label: self[label].agg(one if isinstance(one, list) else [one]) for label, one in func.items()}
                index = union_of([part._index for part in parts.values()], sort=False)
                return type(self)({label: part._to_index(index) for label, part in parts.items()}, index=index)
            return series(figures([self[label].agg(one) for label, one in func.items()]), Labels(func).index())
        if isinstance(func, (list, tuple)):
            return type(self)({label: self[label].agg(list(func)) for label in self._labels.values})
        if isinstance(func, str):
            if axis not in (0, "index"):
                kwargs["axis"] = axis
            return getattr(self, func)(*args, **kwargs)
        return self.apply(func, axis=axis, args=args, **kwargs)

    aggregate = agg

    def _named_figures(self: Any, wanted: dict[str, Any]) -> Any:
        rows = {name: {one[0]: self[one[0]].agg(one[1])} for name, one in wanted.items()}
        labels = list(dict.fromkeys(one[0] for one in wanted.values()))
        return type(self)({one: [row.get(one, np.nan) for row in rows.values()] for one in labels}, index=list(rows))


def make_axis(labels: Any) -> Any:
    """An index of some labels."""
    return Labels(list(labels)).index()


for _name in _DOCS:
    setattr(SeriesReductions, _name, _series_reduction(_name))
    setattr(FrameReductions, _name, _frame_reduction(_name))
    if _name in ("prod", "kurt"):
        _other = {"prod": "product", "kurt": "kurtosis"}[_name]
        setattr(SeriesReductions, _other, getattr(SeriesReductions, _name))
        setattr(FrameReductions, _other, getattr(FrameReductions, _name))
