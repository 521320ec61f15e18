# SPDX-License-Identifier: Apache-2.0
"""Grouped Series and frames: aggregates, and functions applied to each group's rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.creation import arange, asarray
from ...arrays.histograms import searchsorted
from ...arrays.joining import concatenate
from ...arrays.selection import flatnonzero
from ...arrays.sorting import argsort
from ...columns.column import Column, as_column
from ...columns.objects import Objects
from ..classes import CLASSES, define, frame, series
from ..combine.concat import concat
from ..core import is_numeric
from ..data.column_labels import Labels
from ..data.values import gaps, is_scalar, join_rows, make, nullable, take_or_miss
from ..data.values import take as take_rows
from ..fallback.convert import from_pandas
from ..index.base import range_index
from ..own.groups import each_group
from ..reshape.cut import cut as cut_into_bins
from ..window.windows import Windowed, as_before, as_numbers
from .groups import BUILT_IN, Grouped, figure, figures, named
from .more_methods import DataFrameGroupByOthers, SeriesGroupByOthers

FIGURES = {
    "sum": "Sum", "mean": "Mean", "min": "Smallest value", "max": "Largest value", "median": "Median",
    "var": "Variance", "std": "Standard deviation", "sem": "Standard error of the mean", "prod": "Product",
    "count": "How many values there are", "nunique": "How many distinct values there are", "first": "First value",
    "last": "Last value", "any": "Whether any value is true", "all": "Whether all values are true", "skew": "Skewness",
    "kurt": "Excess kurtosis",
}  # fmt: skip
_DOC = """{what}, of each group.

Parameters
----------
numeric_only : bool, default False
    Whether columns that are not numbers are left out.
min_count : int, default -1
    Values that are needed for a result (`sum`, `prod`, `min`, `max`, `first`, `last`).
**options
    `skipna`, and `ddof` of `var`, `std` and `sem`. `engine` has no effect.

Examples
--------
>>> import atoll as ak
>>> ak.Series([1, 2, 4]).groupby(["x", "x", "y"]).{name}().to_list()
{answer}
"""
#: Those of the examples: of 1 and 2, and of 4.
_ANSWERS = {
    "sum": [3, 4], "mean": [1.5, 4.0], "min": [1, 4], "max": [2, 4], "median": [1.5, 4.0], "var": "[0.5, nan]",
    "std": "[0.7071067811865476, nan]", "sem": "[0.5, nan]", "prod": [2, 4], "count": [2, 1], "nunique": [2, 1],
    "first": [1, 4], "last": [2, 4], "any": [True, True], "all": [True, True], "skew": "[nan, nan]",
    "kurt": "[nan, nan]",
}  # fmt: skip
_WITHIN_DOC = """`{name}` within each group.

Parameters
----------
*args, **options
    Those of `{name}` of Series and frames.

Examples
--------
>>> import atoll as ak
>>> groups = ak.DataFrame({{"k": ["x", "y", "x"], "v": [1, 2, 3]}}).groupby("k")
>>> {call}
{answer}
"""
#: How examples call a method, and the answers.
_WITHIN_EXAMPLES = {
    "rolling": ("groups.v.rolling(2).sum().to_list()", "[nan, 4.0, nan]"),
    "expanding": ("groups.v.expanding().sum().to_list()", "[1.0, 4.0, 2.0]"),
    "ewm": ("groups.v.ewm(alpha=0.5, adjust=False).mean().to_list()", "[1.0, 2.0, 2.0]"),
    "shift": ("groups.v.shift().to_list()", "[nan, nan, 1.0]"),
    "diff": ("groups.v.diff().to_list()", "[nan, nan, 2.0]"),
    "pct_change": ("groups.v.pct_change().to_list()", "[nan, nan, 2.0]"),
    "cumsum": ("groups.v.cumsum().to_list()", "[1, 2, 4]"),
    "cumprod": ("groups.v.cumprod().to_list()", "[1, 2, 3]"),
    "cummin": ("groups.v.cummin().to_list()", "[1, 2, 1]"),
    "cummax": ("groups.v.cummax().to_list()", "[1, 2, 3]"),
    "rank": ("groups.v.rank().to_list()", "[1.0, 1.0, 2.0]"),
    "ffill": ("groups.v.ffill().to_list()", "[1, 2, 3]"),
    "bfill": ("groups.v.bfill().to_list()", "[1, 2, 3]"),
}
#: Methods that number rows, whatever their values are.
_NUMBERS = ("cumcount", "ngroup")
_ALONG = ("shift", "diff", "pct_change", "cumsum", "cumprod", "cummin", "cummax", "rank", "ffill", "bfill")


def _nunique(self: Any, dropna: bool = True) -> Any:
    """How many distinct values each group has.

    Parameters
    ----------
    dropna : bool, default True
        Whether missing values are left out.

    Examples
    --------
    >>> import atoll as ak
    >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
    >>> groups.nunique()
       v
    k
    x  2
    y  1
    """
    return self._figure("nunique", **({} if dropna else {"dropna": False}))


def _method(name: str) -> Any:
    def method(self: Any, numeric_only: bool = False, min_count: int = -1, **options: object) -> Any:
        options.pop("engine", None)
        options.pop("engine_kwargs", None)
        skipna = options.pop("skipna", True)
        if min_count > 0:
            options["min_count"] = min_count
        made = self._figure(name, numeric_only, **options)
        if skipna or not self._options["as_index"]:
            return made
        of = self._of if self._of.ndim == 1 else self._without_keys()
        gone = type(self)(of.isna(), self._groups, {**self._options, "used": set()})._figure("any")
        return made.mask(gone if made.ndim == 1 else gone[list(made._labels.values)])

    method.__name__, method.__doc__ = name, _DOC.format(what=FIGURES[name], name=name, answer=_ANSWERS[name])
    return method


class SeriesGroupBy(SeriesGroupByOthers, Grouped):
    """A Series by groups; `Series.groupby` makes it."""

    def _of_groups(self, values: object, name: str | None) -> Any:
        made = series(values, self._groups.index(), name)
        if self._options["as_index"]:
            return made
        return made.to_frame(name).reset_index()

    def _figure(self, name: str, numeric_only: bool = False, **options: Any) -> Any:
        return self._of_groups(figure(self._groups, self._of._values, name, **options), self._of._name)

    def agg(self, func: object = None, *args: Any, **kwargs: Any) -> Any:
        """Figures by name or function: one gives a Series, several a frame.

        Parameters
        ----------
        func : callable, str, list or dict, optional
            The function, or the name of a method; a dict has those of each column.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.agg(["min", "max"])
           min  max
        k
        x    1    3
        y    2    2
        """
        if func is None:
            func = kwargs
        if isinstance(func, dict):
            labels, wanted = list(func), list(func.values())
        elif isinstance(func, (list, tuple)):
            pairs = [one if isinstance(one, tuple) else (named(one), one) for one in func]
            labels, wanted = [label for label, _ in pairs], [one for _, one in pairs]
        else:
            return self._of_groups(_aggregated(self, [(self._of, func)], args, kwargs)[0], self._of._name)
        held = _aggregated(self, [(self._of, one) for one in wanted], (), {})
        made = frame(held, Labels(labels), self._groups.index())
        return made if self._options["as_index"] else made.reset_index()

    aggregate = agg

    def transform(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """A figure of each group, or what a function makes of its rows, row by row.

        Parameters
        ----------
        func : callable, str, list or dict
            The function, or the name of a method; several make several columns.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.transform("sum")
        0    4
        1    2
        2    4
        Name: v, dtype: int64
        """
        if isinstance(func, str) and func in _ALONG:
            return getattr(self, func)(*args, **kwargs)
        if isinstance(func, str):
            name = func
            if name in _NUMBERS:
                return getattr(self, name)(*args, **kwargs)
            if name == "quantile":
                kwargs = {"q": 0.5, **dict(zip(("q", "interpolation"), args, strict=False)), **kwargs}
            values = self._groups.size() if name == "size" else figure(self._groups, self._of._values, name, **kwargs)
            return self._of._new(self._broadcast(values))
        groups = list(self._rows())
        rows = [where for _, where in groups]
        parts = [
            make([made] * len(where)) if is_scalar(made) else made._values if hasattr(made, "_values") else make(made)
            for made, where in zip(each_group(self._of, groups, func, args, kwargs, from_pandas), rows, strict=True)
        ]
        return self._of._new(_scattered(parts, rows, len(self._of)))

    def value_counts(
        self, normalize: bool = False, sort: bool = True, ascending: bool = False, bins: Any = None, dropna: bool = True
    ) -> Any:
        """How often each value occurs in each group.

        Parameters
        ----------
        normalize : bool, default False
            Whether shares of all rows are given instead of counts.
        sort : bool, default True
            Whether the most frequent come first; else they are in order of their first rows.
        ascending : bool or list of bool, default False
            Whether the smallest comes first; a list has one for each key.
        bins : int or sequence, optional
            Numbers are counted in this many bins of equal width, or in bins with these edges.
        dropna : bool, default True
            Whether missing values are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.value_counts()
        k  v
        x  1    1
           3    1
        y  2    1
        Name: count, dtype: int64
        """
        numbers = self._groups.numbers()
        values = self._of._values
        if bins is not None:
            values = cut_into_bins(self._of, bins, include_lowest=True)._values.decode()
        table = frame([numbers, values], Labels(["group", "value"]), range_index(len(self._of)))
        table = table[table["group"] >= 0]
        if dropna:
            table = table.dropna()
        counts = table.groupby(["group", "value"], sort=True).size().reset_index(name="count")
        if sort:
            counts = counts.sort_values(["group", "count"], ascending=[True, ascending])
        index = self._groups.index()._take(counts["group"]._values)
        columns = [*index._labels_of_index, counts["value"]._values]
        named_index = CLASSES["MultiIndex"]._of(columns, [*index.names, self._of._name])
        made = series(counts["count"]._values, named_index, "proportion" if normalize else "count")
        if normalize:
            totals = counts.groupby("group")["count"].transform("sum")
            made = made._new(made._values / totals._values)
        return made

    def unique(self) -> Any:
        """The distinct values of each group: lists, in order of first rows.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.unique()
        k
        x    [1, 3]
        y       [2]
        Name: v, dtype: object
        """
        values = self._of._values
        if not isinstance(values, Objects) and not (isinstance(values, Column) and values.valid is not None):
            return self._of_groups(self._groups.by.unique(values), self._of._name)
        return self.apply(lambda part: part.unique().tolist())

    def nlargest(self, n: int = 5, keep: str = "first") -> Any:
        """The largest values of each group.

        Parameters
        ----------
        n : int, default 5
            How many.
        keep : {'first', 'last', 'all'}, default 'first'
            Which of equal ones are kept where not all have room; 'all': all of them.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.nlargest(1)
        k
        x  2    3
        y  1    2
        Name: v, dtype: int64
        """
        return self._of_ends(n, keep, largest=True)

    def nsmallest(self, n: int = 5, keep: str = "first") -> Any:
        """The smallest values of each group.

        Parameters
        ----------
        n : int, default 5
            How many.
        keep : {'first', 'last', 'all'}, default 'first'
            Which of equal ones are kept where not all have room; 'all': all of them.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.nsmallest(1)
        k
        x  0    1
        y  1    2
        Name: v, dtype: int64
        """
        return self._of_ends(n, keep, largest=False)

    def _of_ends(self, n: int, keep: str, largest: bool) -> Any:
        if keep != "first" or not is_numeric(self._of._values):
            return self.apply(lambda part: (part.nlargest if largest else part.nsmallest)(n, keep))
        numbers = self._groups.numbers()
        rows = flatnonzero(numbers >= 0)
        values = as_column(nullable(take_rows(self._of._values, rows)))  # missing ones come last
        rows = rows[values.argsort(descending=largest)]  # equal ones stay in order of rows
        rows = rows[argsort(numbers[rows])]
        group = numbers[rows]
        place = arange(rows.size) - searchsorted(group, arange(self.ngroups))[group]
        rows = rows[flatnonzero(place < n)]
        return self._keyed(rows, self._of) if self._options["group_keys"] else self._of._take(rows)

    def idxmin(self, **options: object) -> Any:
        """The label of each group's smallest value.

        Parameters
        ----------
        **options
            `skipna`, and of a frame `numeric_only`.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.idxmin()
        k
        x    0
        y    1
        Name: v, dtype: int64
        """
        return self._labels_at("argmin")

    def idxmax(self, **options: object) -> Any:
        """The label of each group's largest value.

        Parameters
        ----------
        **options
            `skipna`, and of a frame `numeric_only`.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.idxmax()
        k
        x    2
        y    1
        Name: v, dtype: int64
        """
        return self._labels_at("argmax")

    def _labels_at(self, name: str) -> Any:
        rows = getattr(self._groups.by, name)(nullable(self._of._values))
        return self._of_groups(self._of._index._take(rows)._values, self._of._name)

    def quantile(self, q: Any = 0.5, interpolation: str = "linear", numeric_only: bool = False) -> Any:
        """The value below which a share of each group lies.

        Parameters
        ----------
        q : float or sequence of float, default 0.5
            Shares between 0 and 1; several give a result for each.
        interpolation : {'linear', 'lower', 'higher', 'nearest', 'midpoint'}, default 'linear'
            What the result is where it lies between two values.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.quantile(0.5)
        k
        x    2.0
        y    2.0
        Name: v, dtype: float64
        """
        if not is_scalar(q):
            return _several_quantiles(self, list(q), interpolation, numeric_only)
        return self._figure("quantile", q=q, interpolation=interpolation)

    def describe(self, **options: Any) -> Any:
        """Count, mean, standard deviation and quartiles of each group.

        Parameters
        ----------
        **options
            Those of `describe`.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.v.describe()
           count  mean       std  min  25%  50%  75%  max
        k
        x    2.0   2.0  1.414214  1.0  1.5  2.0  2.5  3.0
        y    1.0   2.0       NaN  2.0  2.0  2.0  2.0  2.0
        """
        held = _aggregated(self, [(self._of, one) for one in ("count", "mean", "std", "min")], (), {})
        held += [figure(self._groups, self._of._values, "quantile", q=q) for q in (0.25, 0.5, 0.75)]
        held.append(figure(self._groups, self._of._values, "max"))
        names = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
        return frame([one.astype(np.float64) for one in held], Labels(names), self._groups.index())

    def _along(self, name: str, *args: Any, **options: Any) -> Any:
        values = self._of._values
        made = getattr(self._groups.by, name)(as_numbers(values), *args, **options)
        return self._of._new(as_before(made, values))

    def fillna(self, value: Any) -> Any:
        """Another value where one is missing.

        Parameters
        ----------
        value : scalar
            The value.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1.0, None]).groupby([0, 0]).fillna(0)  # doctest: +SKIP
        """
        return self._of.fillna(value)


def _several_quantiles(self: Any, shares: list[float], interpolation: str, numeric_only: bool) -> Any:
    held = [self.quantile(q, interpolation, numeric_only) for q in shares]
    index = held[0]._index
    count = len(shares)
    rows = asarray(np.repeat(np.arange(len(index)), count))
    outer = index._take(rows)
    inner = make(shares * len(index))
    full = CLASSES["MultiIndex"]._of([*outer._labels_of_index, inner], [*outer.names, None])
    order = asarray(np.arange(len(index) * count).reshape(count, len(index)).T.reshape(-1))
    if self._of.ndim == 1:
        return series(take_rows(concat(held)._values, order), full, self._of._name)
    return concat(held)._take(order)._with_index(full)


def _scattered(parts: list[Any], rows: list[Any], size: int) -> Any:
    """Parts by group back to the rows they are of; missing in rows that are in no group."""
    if not parts:
        return make([np.nan] * size)
    together = join_rows(parts)
    places = np.full(size, -1)
    places[concatenate(rows).to_numpy()] = np.arange(together.size)
    where = asarray(places)
    return take_or_miss(together, where, gaps(where))


def _aggregated(self: Any, wanted: list[tuple[Any, Any]], args: Any, kwargs: Any) -> list[Any]:
    """Figures of Series by name, together; by function, group by group."""
    plain: list[tuple[Any, str]] = []
    places: list[int] = []
    made: list[Any] = [None] * len(wanted)
    for place, (of, how) in enumerate(wanted):
        name = BUILT_IN.get(how, how) if not isinstance(how, str) else how
        if isinstance(name, str) and (name in FIGURES or name == "size"):
            plain.append((of._values, name))
            places.append(place)
        elif name == "quantile" and not args:
            made[place] = figure(self._groups, of._values, name, **({"q": 0.5} | kwargs))
        elif isinstance(name, str) and name in ("idxmin", "idxmax"):
            made[place] = (
                SeriesGroupBy(of, self._groups, {**self._options, "as_index": True})
                ._labels_at("arg" + name[3:])
                ._values
            )
        else:
            parts = (SeriesGroupBy(of, self._groups, self._options))._rows()
            held = []
            for _, rows in parts:
                part = of._take(rows)
                held.append(
                    getattr(part, name)(*args, **kwargs) if isinstance(name, str) else name(part, *args, **kwargs)
                )
            made[place] = make(held) if held else make([], np.float64)
    if len(plain) == 1 and kwargs:
        computed = [figure(self._groups, *plain[0], **kwargs)]
    else:
        computed = figures(self._groups, plain)
    for place, one in zip(places, computed, strict=True):
        made[place] = one
    return made


class DataFrameGroupBy(DataFrameGroupByOthers, Grouped):
    """A frame by groups; `DataFrame.groupby` makes it."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and key not in self._of._labels.places:
            raise ValueError("Cannot subset columns with a tuple with more than one element. Use a list instead.")
        if isinstance(key, list):
            lost = [label for label in key if label not in self._of._labels.places]
            if lost:
                raise KeyError(f"Columns not found: {str(lost)[1:-1]}")
            of = self._of._at(self._of._labels.where(key))
            return DataFrameGroupBy(of, self._groups, {**self._options, "used": set()})
        if key not in self._of._labels.places:
            raise KeyError(f"Column not found: {key}")
        return SeriesGroupBy(self._of[key], self._groups, self._options)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._of._labels.places:
            return self[name]
        raise AttributeError(f"'DataFrameGroupBy' object has no attribute '{name}'")

    def _without_keys(self) -> Any:
        used = self._options["used"]
        if not used:
            return self._of
        return self._of._at([place for place, label in enumerate(self._of._labels.values) if label not in used])

    def _made(self, held: list[Any], labels: object) -> Any:
        made = frame(held, labels, self._groups.index())
        if self._options["as_index"]:
            return made
        return made.reset_index() if made._index.nlevels == 1 or all(n is not None for n in made._index.names) else made

    def _figure(self, name: str, numeric_only: bool = False, **options: object) -> Any:
        of = self._without_keys()
        places = [place for place, one in enumerate(of._columns) if not numeric_only or is_numeric(one)]
        if options:
            held = [figure(self._groups, of._columns[place], name, **options) for place in places]
        else:
            held = figures(self._groups, [(of._columns[place], name) for place in places])
        return self._made(held, of._labels.of(places))

    def agg(self, func: object = None, *args: Any, **kwargs: Any) -> Any:
        """Figures of each group, by name or function: of each column, of some by a dict, or under names of their own.

        Parameters
        ----------
        func : callable, str, list or dict, optional
            The function, or the name of a method; a dict has those of each column.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"k": [1, 1, 2], "x": [5, 7, 9]})
        >>> df.groupby("k", as_index=False).agg(low=("x", "min"), high=("x", "max"))
           k  low  high
        0  1    5     7
        1  2    9     9
        """
        of = self._without_keys()
        if func is None:
            wanted = [(self._of[one[0]], one[1]) for one in kwargs.values()]
            return self._made(_aggregated(self, wanted, (), {}), Labels(kwargs))
        if isinstance(func, dict):
            lost = [label for label in func if label not in self._of._labels.places]
            if lost:
                raise KeyError(f"Label(s) {lost} do not exist")
            several = any(isinstance(one, (list, tuple)) for one in func.values())
            pairs = [
                (label, one)
                for label, how in func.items()
                for one in (how if isinstance(how, (list, tuple)) else [how])
            ]
            held = _aggregated(self, [(self._of[label], one) for label, one in pairs], args, kwargs)
            if several:
                labels = Labels([(label, named(one)) for label, one in pairs], [None, None])
            else:
                labels = Labels([label for label, _ in pairs], of._labels.names)
            return self._made(held, labels)
        if isinstance(func, (list, tuple)):
            pairs = [(label, one) for label in of._labels.values for one in func]
            held = _aggregated(self, [(of[label], one) for label, one in pairs], args, kwargs)
            return self._made(held, Labels([(label, named(one)) for label, one in pairs], [None, None]))
        held = _aggregated(self, [(of._series(place), func) for place in range(len(of._columns))], args, kwargs)
        return self._made(held, of._labels)

    aggregate = agg

    def transform(self, func: object = None, *args: Any, **kwargs: Any) -> Any:
        """A figure of each group, or what a function makes of its columns, row by row.

        Parameters
        ----------
        func : callable, str, list or dict, optional
            The function, or the name of a method; several make several columns.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.transform("sum")
           v
        0  4
        1  2
        2  4
        """
        if isinstance(func, str) and func in _NUMBERS:
            return getattr(self, func)(*args, **kwargs)
        of = self._without_keys()
        if func == "size":
            return series(self._broadcast(self._groups.size()), of._index)
        if func is None or isinstance(func, dict):
            pairs = {label: (label, how) for label, how in func.items()} if func is not None else kwargs
            made = [self[one[0]].transform(one[1])._values for one in pairs.values()]
            return frame(made, Labels(pairs), of._index)
        held = [
            SeriesGroupBy(one, self._groups, self._options).transform(func, *args, **kwargs)._values
            for one in of._each()
        ]
        return of._new(held)

    def _along(self, name: str, *args: object, **options: object) -> Any:
        of = self._without_keys()
        held = [
            getattr(SeriesGroupBy(one, self._groups, self._options), name)(*args, **options)._values
            for one in of._each()
        ]
        return of._new(held)

    def quantile(self, q: Any = 0.5, interpolation: str = "linear", numeric_only: bool = False) -> Any:
        """The value below which a share of each group lies.

        Parameters
        ----------
        q : float or sequence of float, default 0.5
            Shares between 0 and 1; several give a result for each.
        interpolation : {'linear', 'lower', 'higher', 'nearest', 'midpoint'}, default 'linear'
            What the result is where it lies between two values.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.quantile(0.5)
             v
        k
        x  2.0
        y  2.0
        """
        if not is_scalar(q):
            return _several_quantiles(self, list(q), interpolation, numeric_only)
        return self._figure("quantile", numeric_only, q=q, interpolation=interpolation)

    def describe(self, **options: object) -> Any:
        """Count, mean, standard deviation and quartiles of each group, for each column of numbers.

        Parameters
        ----------
        **options
            Those of `describe`.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.describe()
              v
          count mean       std  min  25%  50%  75%  max
        k
        x   2.0  2.0  1.414214  1.0  1.5  2.0  2.5  3.0
        y   1.0  2.0       NaN  2.0  2.0  2.0  2.0  2.0
        """
        of = self._without_keys()
        parts = {}
        for one in of._each():
            if is_numeric(one._values):
                made = SeriesGroupBy(one, self._groups, self._options).describe()
                parts.update({(one._name, label): column._values for label, column in made.items()})
        return frame(list(parts.values()), Labels(parts, [None, None]), self._groups.index())

    def idxmin(self, **options: Any) -> Any:
        """The label of each group's smallest value, of each column.

        Parameters
        ----------
        **options
            `skipna`, and of a frame `numeric_only`.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.idxmin()
           v
        k
        x  0
        y  1
        """
        return self.agg("idxmin")

    def idxmax(self, **options: Any) -> Any:
        """The label of each group's largest value, of each column.

        Parameters
        ----------
        **options
            `skipna`, and of a frame `numeric_only`.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.idxmax()
           v
        k
        x  2
        y  1
        """
        return self.agg("idxmax")

    def corr(self, method: str = "pearson", min_periods: int = 1, numeric_only: bool = False) -> Any:
        """Correlations of the columns in each group.

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
        >>> ak.DataFrame({"k": [0, 0, 0], "a": [1, 2, 3], "b": [3, 2, 1]}).groupby("k").corr()
               a    b
        k
        0 a  1.0 -1.0
          b -1.0  1.0
        """
        return self.apply(lambda part: part.corr(method, min_periods, numeric_only))


class WindowedByGroup(Windowed):
    """Windows within each group; rows come group by group, with the group's key before their labels."""

    def __init__(self, groups: Any, of: Any, windows_of: Any) -> None:
        Windowed.__init__(self, of, windows_of)
        self._groups = groups

    def __getitem__(self, key: Any) -> Any:
        return WindowedByGroup(self._groups, self._of[key], self._windows)

    def _made(self, figure: Any, finite: bool = True) -> Any:
        made = Windowed._made(self, figure, finite)
        numbers = self._groups.numbers()
        order = argsort(numbers)[int((numbers < 0).sum()) :]
        made = made._take(order)
        keys = self._groups.index()._take(take_rows(numbers, order))
        columns = [*keys._labels_of_index, *made._index._labels_of_index]
        return made._with_index(CLASSES["MultiIndex"]._of(columns, [*keys.names, *made._index.names]))


def _within_doc(name: str) -> str:
    call, answer = _WITHIN_EXAMPLES[name]
    return _WITHIN_DOC.format(name=name, call=call, answer=answer)


def _windows_method(name: str) -> Any:
    def method(self: Any, *args: object, **options: object) -> Any:
        by = self._groups.by
        of = self._without_keys()
        if isinstance(options.get("on"), str):
            options["on"] = self._of._column(options["on"])
        elif name == "rolling" and args and not isinstance(args[0], int):
            options["on"] = self._of._index._values
        return WindowedByGroup(self._groups, of, lambda one: getattr(by, name)(as_numbers(one), *args, **options))

    method.__name__, method.__doc__ = name, _within_doc(name)
    return method


def _along_method(name: str) -> Any:
    def method(self: Any, *args: object, **options: object) -> Any:
        return self._along(name, *args, **options)

    method.__name__, method.__doc__ = name, _within_doc(name)
    return method


for _name in FIGURES:
    for _class in (SeriesGroupBy, DataFrameGroupBy):
        setattr(_class, _name, _method(_name))
for _class in (SeriesGroupBy, DataFrameGroupBy):
    setattr(_class, "nunique", _nunique)  # noqa: B010  # as those above
for _name in _ALONG:
    for _class in (SeriesGroupBy, DataFrameGroupBy):
        setattr(_class, _name, _along_method(_name))
for _name in ("rolling", "expanding", "ewm"):
    for _class in (SeriesGroupBy, DataFrameGroupBy):
        setattr(_class, _name, _windows_method(_name))

define(SeriesGroupBy)
define(DataFrameGroupBy)
