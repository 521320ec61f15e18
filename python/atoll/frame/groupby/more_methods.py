# SPDX-License-Identifier: Apache-2.0
"""Less frequent methods of groups: `ohlc`, correlations, `nth`, `sample`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.joining import concatenate
from ...arrays.selection import take, where
from ..classes import CLASSES, frame, is_frame, is_series, series
from ..data.column_labels import Labels
from ..data.values import make
from ..index.lookup import is_increasing


class GroupedOthers:
    """Methods of grouped Series and grouped frames."""

    __slots__ = ()

    @property
    def ndim(self: Any) -> int:
        """1 of a Series, 2 of a frame."""
        return int(self._of.ndim)

    @property
    def keys(self: Any) -> Any:
        """The grouping keys."""
        names = self._options["names"]
        return names if self._options["listed"] else names[0] if names else None

    def _keyed(self: Any, rows: Any, of: Any) -> Any:
        """Some rows, with the keys of their groups before their labels."""
        numbers = take(self._groups.numbers(), rows)
        keys = self._groups.index()._take(numbers)
        made = of._take(rows)
        columns = [*keys._labels_of_index, *made._index._labels_of_index]
        return made._with_index(CLASSES["MultiIndex"]._of(columns, [*keys.names, *made._index.names]))

    def take(self: Any, indices: Any, **options: object) -> Any:
        """The rows at some places of each group; negative ones count from its end.

        Parameters
        ----------
        indices : array_like of int
            Places of rows; negative ones count from the end.
        **options
            No effect.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.take([0])
             v
        k
        x 0  1
        y 1  2
        """
        parts = []
        for _, rows in self._rows():
            places = make(list(indices) if not isinstance(indices, int) else [indices])
            if bool(((places >= rows.size) | (places < -rows.size)).any()):
                raise IndexError("positional indexers are out-of-bounds")
            parts.append(take(rows, where(places < 0, places + rows.size, places)))
        rows = concatenate(parts) if parts else asarray(np.zeros(0, np.int64))
        return self._keyed(rows, self._without_keys())

    def sample(
        self: Any, n: Any = None, frac: Any = None, replace: bool = False, weights: Any = None, random_state: Any = None
    ) -> Any:
        """Some rows of each group by chance; a seed says which.

        Parameters
        ----------
        n : int, optional
            How many.
        frac : float, optional
            How many, as a share of the rows, instead of `n`.
        replace : bool, default False
            Whether a row may be chosen more than once.
        weights : array_like or label, optional
            How often each row is chosen, relative to the others.
        random_state : int or Generator, optional
            A seed, or a source of random numbers; the same seed chooses the same rows on any number of PEs.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> len(groups.sample(1, random_state=1))
        2
        """
        generator = random_generator(random_state)
        shares = None if weights is None else np.asarray(weights, dtype=np.float64)
        chosen = []
        for _, rows in self._rows():
            size = rows.size if n is None and frac is not None else 0
            count = int(n) if n is not None else round(frac * size) if frac is not None else 1
            share = None
            if shares is not None:
                share = shares[rows.to_numpy()]
                share = share / share.sum()
            chosen.append(rows.to_numpy()[generator.choice(rows.size, count, replace=replace, p=share)])
        picked = np.concatenate(chosen) if chosen else np.zeros(0, np.int64)
        return self._of._take(asarray(picked.astype(np.int64)))

    def resample(self: Any, rule: Any, *args: object, on: object = None, **options: object) -> Any:
        """Rows of each group by steps of time.

        Parameters
        ----------
        rule : str or DateOffset
            The length of a step, as ``'D'`` or ``'15min'``.
        *args
            Those of `resample`.
        on : label, optional
            The column of datetimes; the index unless given.
        **options
            Those of `resample`.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> times = ak.date_range("2024-02-28", periods=3, freq="12h")
        >>> ak.Series([1, 2, 3], index=times).groupby([0, 0, 1]).resample("D").sum()
        0  2024-02-28    3
        1  2024-02-29    3
        dtype: int64
        """
        return ResampledGroups(self, rule, args, {**options, "on": on})


class SeriesGroupByOthers(GroupedOthers):
    """Methods of grouped Series alone."""

    __slots__ = ()

    @property
    def dtype(self: Any) -> Any:
        """The kind of each group's values."""
        return self.apply(lambda part: part.dtype)

    def ohlc(self: Any) -> Any:
        """First, largest, smallest and last value of each group.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([3, 5, 1], index=["a", "a", "b"]).groupby(level=0).ohlc()
           open  high  low  close
        a     3     5    3      5
        b     1     1    1      1
        """
        made = self.agg(["first", "max", "min", "last"])
        made.columns = ["open", "high", "low", "close"]
        return made

    @property
    def is_monotonic_increasing(self: Any) -> Any:
        """Whether the values of each group are in ascending order."""
        return self.apply(lambda part: bool(is_increasing(part._values)))

    @property
    def is_monotonic_decreasing(self: Any) -> Any:
        """Whether the values of each group are in descending order."""
        return self.apply(lambda part: bool(is_increasing(part._values[::-1])))

    def corr(self: Any, other: object, method: str = "pearson", min_periods: int | None = None) -> Any:
        """The correlation of each group's values with another Series'.

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
        >>> ak.Series([1, 2, 3]).groupby([0, 0, 0]).corr(ak.Series([3, 2, 1]))
        0   -1.0
        dtype: float64
        """
        return self.apply(lambda part: part.corr(other, method, min_periods))

    def cov(self: Any, other: object, min_periods: int | None = None, ddof: int = 1) -> Any:
        """The covariance of each group's values with another Series'.

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
        >>> ak.Series([1, 2, 3]).groupby([0, 0, 0]).cov(ak.Series([3, 2, 1]))
        0   -1.0
        dtype: float64
        """
        return self.apply(lambda part: part.cov(other, min_periods, ddof))


class DataFrameGroupByOthers(GroupedOthers):
    """Methods of grouped frames alone."""

    __slots__ = ()

    def cov(self: Any, min_periods: int | None = None, ddof: int = 1, numeric_only: bool = False) -> Any:
        """Covariances of the columns in each group.

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
        >>> ak.DataFrame({"k": [0, 0, 0], "a": [1, 2, 3], "b": [3, 2, 1]}).groupby("k").cov()
               a    b
        k
        0 a  1.0 -1.0
          b -1.0  1.0
        """
        return self.apply(lambda part: part.cov(min_periods, ddof, numeric_only))

    def corrwith(
        self: Any, other: object, axis: int | str | None = 0, method: str = "pearson", numeric_only: bool = False
    ) -> Any:
        """Correlations of the columns in each group with those of another frame, or with a Series.

        Parameters
        ----------
        other : Series, DataFrame or scalar
            The other operand. Rows (and columns) with the same labels belong together.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        method : {'pearson', 'kendall', 'spearman'}, default 'pearson'
            Which correlation.
        numeric_only : bool, default False
            Whether columns that are not numbers are left out; else they are a TypeError where the operation has no
            meaning for them.

        Examples
        --------
        >>> import atoll as ak
        >>> frame = ak.DataFrame({"k": [0, 0, 0], "a": [1, 2, 3], "b": [3, 2, 1]})
        >>> frame.groupby("k")[["a", "b"]].corrwith(frame[["a", "b"]])  # doctest: +SKIP
             a    b
        k
        0  1.0  1.0
        """
        return self.apply(lambda part: part.corrwith(other, axis, method, numeric_only))

    def ohlc(self: Any) -> Any:
        """First, largest, smallest and last value of each group, of each column.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.ohlc()
             v
          open high low close
        k
        x    1    3   1     3
        y    2    2   2     2
        """
        names = ("open", "high", "low", "close")
        made = self.agg(["first", "max", "min", "last"])
        labels = [(label[0], names[place % 4]) for place, label in enumerate(made._labels.values)]
        return made._new(list(made._columns), Labels(labels, [None, None]))

    def value_counts(
        self: Any, subset: Any = None, normalize: bool = False, sort: bool = True, ascending: bool = False,
        dropna: bool = True,
    ) -> Any:  # fmt: skip
        """How often each combination of the other columns occurs in each group.

        Parameters
        ----------
        subset : label or list of labels, optional
            The columns that count; all unless given.
        normalize : bool, default False
            Whether shares of all rows are given instead of counts.
        sort : bool, default True
            Whether the most frequent come first; else they are in order of their first rows.
        ascending : bool or list of bool, default False
            Whether the smallest comes first; a list has one for each key.
        dropna : bool, default True
            Whether missing values are left out.

        Examples
        --------
        >>> import atoll as ak
        >>> groups = ak.DataFrame({"k": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("k")
        >>> groups.value_counts()
        k  v
        x  1    1
           3    1
        y  2    1
        Name: count, dtype: int64
        """
        of = self._without_keys()
        rest = [label for label in of._labels.values if subset is None or label in subset]
        numbers = self._groups.numbers()
        by = [f"key {place}" for place in range(len(rest) + 1)]
        table = frame([numbers, *(of._column(one) for one in rest)], Labels(by), of._index)
        table = table[table[by[0]] >= 0]
        table = table.dropna() if dropna else table
        counts = table.groupby(by, sort=False, dropna=False).size().reset_index()
        counts.columns = [*by, "count"]
        if sort:
            counts = counts.sort_values([by[0], "count"], ascending=[True, ascending], kind="stable")
        else:
            counts = counts.sort_values(by[0], kind="stable")
        index = self._groups.index()._take(counts[by[0]]._values)
        columns = [*index._labels_of_index, *(counts[one]._values for one in by[1:])]
        named = CLASSES["MultiIndex"]._of(columns, [*index.names, *rest])
        values = counts["count"]._values
        if normalize:
            values = values / counts.groupby(by[0])["count"].transform("sum")._values
        made = series(values, named, "proportion" if normalize else "count")
        return made if self._options["as_index"] else made.reset_index()


class ResampledGroups:
    """Rows of each group by steps of time; `groupby(…).resample(…)` makes it."""

    def __init__(self, groups: Any, rule: Any, args: Any, options: dict[str, Any], chosen: Any = None) -> None:
        self._groups, self._rule, self._args, self._options, self._chosen = groups, rule, args, options, chosen

    def __getitem__(self, key: object) -> ResampledGroups:
        return ResampledGroups(self._groups, self._rule, self._args, self._options, key)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        groups = self._groups
        if is_frame(groups._of) and name in groups._of._labels.places:
            return self[name]

        def method(*args: object, **options: object) -> Any:
            def each(part: Any) -> Any:
                made = part.resample(self._rule, *self._args, **self._options)
                made = made if self._chosen is None else made[self._chosen]
                return getattr(made, name)(*args, **options)

            names: list[Any] = []

            def column(part: Any) -> Any:
                made = each(part)
                if is_series(made):
                    names.append(made._name)
                    made = made.to_frame("figure")
                return made

            if not is_frame(groups._of):
                return groups.apply(each)
            made = groups.apply(column)  # one group below the other, also where all have the same steps
            return series(made._columns[0], made._index, names[0]) if names else made

        return method


def random_generator(random_state: Any) -> Any:
    """NumPy's generator of a seed, as pandas has it: the same rows are drawn."""
    if random_state is None:
        return np.random.default_rng()
    if hasattr(random_state, "choice"):
        return random_state
    return np.random.RandomState(random_state)
