# SPDX-License-Identifier: Apache-2.0
"""Aggregates of groups that are made of several passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.array import Array
from ...arrays.composed import clip
from ...arrays.creation import arange, full_like, zeros
from ...arrays.repeating import repeat
from ...arrays.selection import flatnonzero, take, where
from ...arrays.sorting import coargsort, sort
from ...arrays.ufuncs import isnan, minimum, rint, sqrt
from ...random import default_rng
from ..column import Column
from ..window.cumulative import cumulate
from .grouped import Grouped

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray


class FiguresByGroup(Grouped):
    """Products, shapes of distributions, aggregates of pairs of columns."""

    __slots__ = ()

    def prod(self, values: ArrayLike) -> Any:
        """Product of each group's values: int64 or uint64 of integers, wrapping; 1 where none is there.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([1, 1, 2])).prod(ak.array([2, 3, 5]))
        array([6, 5])
        """
        column = self._column(values)
        if isinstance(column, Column):
            numbers, back = column._grouped("prod")
            return back(self._product(where(column.notna(), numbers, numbers.dtype.type(1))), None)
        return self._product(column)

    def _product(self, column: ndarray) -> ndarray:
        groups = self._in_groups()
        running = cumulate(groups.forth(column), "prod", groups.firsts, skipna=False)
        return take(running, self._starts() + self.size() - 1)

    def sem(self, values: ArrayLike, ddof: int = 1) -> Any:
        """Standard error of each group's mean."""
        return self.std(values, ddof) / sqrt(self.count(values))

    def skew(self, values: ArrayLike) -> Any:
        """Skewness of each group without bias; NaN of fewer than three values, or equal ones.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([1, 1, 1, 1])).skew(ak.array([0.0, 0.0, 0.0, 4.0]))
        array([2.])
        """
        column = self._column(values)
        if isinstance(column, Column):
            return self._of_column(column, "skew", lambda groups, there: groups.skew(there))
        second, third = self._powers(column, (2, 3))
        n = self.size()
        there = (n > 2) & (second > 0)
        figure = n * sqrt(where(there, n - 1, 0)) / where(there, n - 2, 1) * third / where(there, second, 1) ** 1.5
        return where(there, figure, np.nan)

    def kurt(self, values: ArrayLike) -> Any:
        """Excess kurtosis of each group without bias; NaN of fewer than four values, or equal ones."""
        column = self._column(values)
        if isinstance(column, Column):
            return self._of_column(column, "kurt", lambda groups, there: groups.kurt(there))
        second, fourth = self._powers(column, (2, 4))
        n = self.size().astype(np.float64)
        there = (n > 3) & (second > 0)
        share = (n - 1) / where(there, (n - 2) * (n - 3), 1)
        figure = share * (n * (n + 1) * fourth / where(there, second, 1) ** 2 - 3 * (n - 1))
        return where(there, figure, np.nan)

    def _powers(self, column: ndarray, powers: tuple[int, ...]) -> list[ndarray]:
        """Sums of powers of deviations from each group's mean."""
        apart = self._deviations(column)
        return self._aggregate([(apart**power, "sum", 1) for power in powers])

    def _deviations(self, column: ndarray) -> ndarray:
        column = column.astype(np.float64)
        return column - take(self._aggregate([(column, "mean", 1)])[0], self._ngroup())

    def cov(self, x: ArrayLike, y: ArrayLike, ddof: int = 1) -> ndarray:
        """Covariance of two columns in each group, of rows that have both: float64."""
        product, n = self._products(x, y)[::3]
        return where(n > ddof, product / where(n > ddof, n - ddof, 1), np.nan)

    def corr(self, x: ArrayLike, y: ArrayLike) -> ndarray:
        """Correlation of two columns in each group, of rows that have both: float64.

        Examples
        --------
        >>> import atoll as ak
        >>> g = ak.groupby(ak.array([1, 1, 1]))
        >>> g.corr(ak.array([1.0, 2.0, 3.0]), ak.array([2.0, 4.0, 6.0]))
        array([1.])
        """
        product, x_second, y_second, _ = self._products(x, y)
        scale = sqrt(x_second) * sqrt(y_second)
        return where(scale > 0, clip(product / where(scale > 0, scale, 1), -1, 1), np.nan)

    def _products(self, x: ArrayLike, y: ArrayLike) -> list[ndarray]:
        """Sums of products of deviations, of their squares, and how many rows have both values."""
        columns = [self._column(x), self._column(y)]
        for column in columns:
            if isinstance(column, Column) and type(column) is not Column:
                raise TypeError(f"{column.kind} have no covariance")
        valids = [column.valid for column in columns if isinstance(column, Column) and column.valid is not None]
        arrays = [column.values if isinstance(column, Column) else column for column in columns]
        if valids:
            there = valids[0] if len(valids) == 1 else valids[0] & valids[1]
            rows = flatnonzero(there)
            groups = type(self)(take(self._ngroup(), rows))
            found = groups._products(*(take(array, rows) for array in arrays))
            spread = [zeros(self.ngroups) for _ in found]
            for figures, some in zip(spread, found, strict=True):
                figures[groups.keys] = some
            return spread
        a, b = (self._deviations(array) for array in arrays)
        return [*self._aggregate([(a * b, "sum", 1), (a * a, "sum", 1), (b * b, "sum", 1)]), self.size()]

    def idxmin(self, values: ArrayLike) -> Any:
        """The row of each group's first smallest value, NaN left out: int64, missing where there is none."""
        return self._idx("min", values)

    def idxmax(self, values: ArrayLike) -> Any:
        """The row of each group's first largest value, NaN left out: int64, missing where there is none."""
        return self._idx("max", values)

    def _idx(self, figure: str, values: ArrayLike) -> Any:
        column = self._column(values)
        if isinstance(column, Array) and column.dtype.kind == "f" and bool(isnan(column).any()):
            column = Column(column, ~isnan(column))
        if not isinstance(column, Column):
            return self._row_in_groups(figure, column)
        if type(column) is Column and column.dtype.kind == "f":
            column = Column(column.values, column.notna() & ~isnan(column.values))
        return self._of_column(column, "arg" + figure, lambda groups, there: groups._row_in_groups(figure, there))

    def value_counts(self, values: ArrayLike, ascending: bool = False) -> tuple[Any, Any, ndarray]:
        """How often each value occurs in each group.

        Returns
        -------
        groups : ndarray of int64
            Numbers of groups, ascending: of `keys`.
        values : ndarray or Column
            In each group the most frequent first (the least, if `ascending`), of equally frequent ones the smallest.
        counts : ndarray of int64

        Examples
        --------
        >>> import atoll as ak
        >>> g = ak.groupby(ak.array([1, 1, 1, 2]))
        >>> g.value_counts(ak.array(["a", "b", "b", "a"]))
        (array([0, 0, 1]), strings(['b', 'a', 'a']), array([2, 1, 1]))
        """
        column: Any = self._column(values)
        table = None
        groups = self._ngroup()
        if isinstance(column, Column):
            numbers, table = column._key()
            rows = flatnonzero(numbers >= 0)
            column, groups = take(numbers, rows), take(groups, rows)
        pairs = type(self)([groups, column])
        group, value = pairs.keys
        counts = pairs.size()
        order = coargsort([group, counts if ascending else -counts, value])
        value = take(value, order)
        return take(group, order), value if table is None else table[value], take(counts, order)

    def nth(self, n: int | list[int]) -> ndarray:
        """Rows that are number `n` of their group, from 0 on, or from the end when negative, ascending: int64."""
        numbers = [n] if isinstance(n, int) else list(n)
        groups = self._ngroup()
        place = self._places()
        sizes = take(self.size(), groups)
        found = place < 0
        for number in numbers:
            found = found | (place == number if number >= 0 else place == sizes + number)
        return self._in_all(flatnonzero(found))

    def sample(
        self, n: int | None = None, frac: float | None = None, replace: bool = False, seed: int | None = None
    ) -> ndarray:
        """Rows of each group at random, ascending: int64.

        Parameters
        ----------
        n : int, optional
            How many of each group; 1 by default.
        frac : float, optional
            Which part of each group instead, rounded to whole rows.
        replace : bool
            Whether a row may come several times.
        seed : optional
            As `ak.random.default_rng` has it: the same gives the same rows on any number of PEs.

        Examples
        --------
        >>> import atoll as ak
        >>> g = ak.groupby(ak.array([1, 2, 2, 1]))
        >>> g.sample(2, seed=1)
        array([0, 1, 2, 3])
        """
        if n is not None and frac is not None:
            raise ValueError("Please enter a value for `frac` OR `n`, not both")
        if (n is not None and n < 0) or (frac is not None and frac < 0):
            raise ValueError("A negative number of rows requested. Please provide non-negative value.")
        sizes = self.size()
        wanted: Any = (
            rint(frac * sizes).astype(np.int64) if frac is not None else full_like(sizes, 1 if n is None else n)
        )
        if not replace and bool((wanted > sizes).any()):
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        generator = default_rng(seed)
        if replace:
            wanted = where(sizes > 0, wanted, 0)
            group = repeat(arange(sizes.size), wanted)
            place = minimum(
                (generator.random(group.size) * take(sizes, group)).astype(np.int64), take(sizes, group) - 1
            )
            return self._in_all(sort(take(self._in_groups().order, take(self._starts(), group) + place)))
        groups = self._ngroup()
        order = coargsort([groups, generator.random(groups.size)])
        ordered = take(groups, order)
        chosen = arange(groups.size) - take(self._starts(), ordered) < take(wanted, ordered)
        return self._in_all(sort(order[chosen]))

    def _places(self) -> ndarray:
        """For each row that is in a group how many rows of it come before."""
        return self._in_groups().places - take(self._starts(), self._ngroup())

    def _in_all(self, rows: ndarray) -> ndarray:
        """Rows among all, given those among the ones that are in a group."""
        return rows if self._plain.rows is None else take(self._plain.rows, rows)
