# SPDX-License-Identifier: Apache-2.0
"""Rows with equal keys, and the aggregates of groups that come in one pass or by distinct values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ... import _core
from ...arrays.array import Array, expr_of, wrap
from ...arrays.creation import arange, asarray, empty_like, full, zeros
from ...arrays.scans import cumsum
from ...arrays.selection import flatnonzero, take, where
from ...arrays.sorting import argsort, coargsort
from ...arrays.ufuncs import floor, isnan, maximum, minimum, rint
from ..column import Column
from ..group_order import InGroups
from ..keys import Numbered, PlainKeys, are_several, key_columns, number_keys, plain_keys, row_numbers

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

#: Aggregates that come in one pass.
STATISTICS = (
    "size",
    "count",
    "sum",
    "mean",
    "var",
    "std",
    "min",
    "max",
    "bit_and",
    "bit_or",
    "bit_xor",
    "first",
    "last",
)
#: Aggregates that `GroupBy.agg` knows by name.
FIGURES = (
    *STATISTICS, "any", "all", "prod", "sem", "skew", "kurt", "median", "nunique", "mode", "argmin", "argmax", "idxmin",
    "idxmax",
)  # fmt: skip

#: Rows that tell whether a column has few distinct values.
SAMPLE = 4096
#: Aggregates that are 0 of groups without a value.
EMPTY_IS_ZERO = ("count", "nunique", "sum")
#: Aggregates that count values or number rows, whatever the values are.
COUNTS = ("count", "nunique", "argmin", "argmax")


#: What part of the way from the value below to the next one a quantile lies.
INTERPOLATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "linear": lambda place, below, dtype: (place - below).astype(dtype),
    "lower": lambda place, below, dtype: 0,
    "higher": lambda place, below, dtype: (place > below).astype(dtype),
    "midpoint": lambda place, below, dtype: (place > below).astype(dtype) / 2,
    "nearest": lambda place, below, dtype: (rint(place) > below).astype(dtype),
}


@dataclass(frozen=True)
class NanIsMissing:
    """Floats of which NaN is left out, as a missing value is: while rows are looked at, without a column of the others.

    Aggregates of groups without a value are NaN, their sums 0.
    """

    values: ndarray

    #: Aggregates that can leave it out.
    FIGURES: ClassVar = ("count", "sum", "mean", "var", "std", "min", "max", "median", "quantile", "nunique")


class Grouped:
    """Groups of rows by their keys; `groupby` makes it.

    Aggregates are arrays with one element per group, in the order of `keys`. `agg` computes several for columns in
    one pass. NaN is a value like any other: the sum of a group that has one is NaN. Missing values of columns are left
    out; of a group that has no others, aggregates are missing, and sums and counts are 0.
    """

    __slots__ = (
        "_columns", "_first", "_groups", "_in_order", "_keys", "_narrow", "_number", "_numbered", "_numbers", "_plain",
        "_rows", "_single", "_sizes",
    )  # fmt: skip
    _plain: PlainKeys
    _rows: int  # also those in no group
    _groups: list[ndarray] | None
    _numbers: list[ndarray] | None  # groups by the keys that `_numbered` has
    _sizes: ndarray | None
    _numbered: Numbered | None
    _first: ndarray | None  # rows in which groups appear first, when they are in that order
    _number: ndarray | None
    _narrow: ndarray | None
    _in_order: InGroups | None

    def __init__(self, keys: Any, dropna: bool = True, sort: bool = True) -> None:
        self._single = not are_several(keys)
        self._keys = key_columns(keys)
        self._rows = self._keys[0].size
        self._plain = plain_keys(self._keys, dropna)
        self._columns = self._plain.keys
        self._forget()
        self._first = None
        if not sort:
            self._number_by_appearance()

    def _forget(self) -> None:
        self._groups = self._numbers = self._sizes = None
        self._numbered = self._number = self._narrow = self._in_order = None

    def _number_by_appearance(self) -> None:
        """Makes one key of all: the number of the group, in order of first rows."""
        rows = arange(self._columns[0].size)
        first = self._aggregate([(rows, "first", 1)])[0]
        order = argsort(first)
        number = empty_like(order)
        number[order] = arange(order.size)
        first = take(first, order)
        self._first = first if self._plain.rows is None else take(self._plain.rows, first)
        self._columns = [take(number, self._ngroup())]
        self._forget()

    # -- the groups --

    @property
    def keys(self) -> Any:
        """The groups' keys, ascending or as they appear first: an array, or a tuple of one array per key."""
        groups: list[Any]
        if self._first is not None:
            groups = [
                key.take(self._first) if isinstance(key, Column) else take(key, self._first) for key in self._keys
            ]
        else:
            groups = self._plain.values_of(self._find())
        return groups[0] if self._single else tuple(groups)

    @property
    def ngroups(self) -> int:
        """How many groups there are."""
        return self._find()[0].size

    def __len__(self) -> int:
        return self.ngroups

    def __repr__(self) -> str:
        return f"<atoll.GroupBy: {self._rows} rows by {', '.join(self._plain.kinds)}>"

    def size(self) -> ndarray:
        """Rows in each group: int64."""
        self._find()
        assert self._sizes is not None
        return self._sizes

    def count(self, values: ArrayLike = None) -> ndarray:
        """How many values of a column each group has: int64; all rows, when no column is named."""
        return self.size() if values is None else self._one("count", values)

    def ngroup(self) -> ndarray:
        """For each row the number of its group: int64; -1 of rows in no group.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([30, 10, 30])).ngroup()
        array([1, 0, 1])
        """
        return self._to_rows(self._ngroup(), -1)

    def _ngroup(self) -> ndarray:
        """The same for the rows that are in a group."""
        if self._number is None:
            self._number = self._numbers_of_rows()
        return self._number

    def _numbers_of_rows(self) -> ndarray:
        """The same, without caching."""
        if self._number is not None:
            return self._number
        self._find()
        assert self._numbered is not None
        assert self._numbers is not None
        return row_numbers(self._numbered.keys, self._numbers)

    def _as_key(self) -> ndarray:
        """The same in as few bytes as do: to sort by, which takes neither longer nor other rows."""
        if self._narrow is None:
            kind = np.min_scalar_type(max(self.ngroups - 1, 0))
            self._narrow = self._numbers_of_rows().astype(kind)
        return self._narrow

    def _in_groups(self) -> InGroups:
        """The rows that are in a group, in order of groups."""
        if self._in_order is None:
            self._in_order = InGroups.of(self._numbers_of_rows(), self.size())
        return self._in_order

    def _to_rows(self, of_grouped: ndarray, otherwise: int) -> ndarray:
        """Values of the rows that are in a group, to all rows."""
        if self._plain.rows is None:
            return of_grouped
        spread = full(self._rows, otherwise, dtype=of_grouped.dtype)
        spread[self._plain.rows] = of_grouped
        return spread

    # -- aggregates --

    def sum(self, values: Any) -> ndarray:
        """Sum of each group's values: int64 or uint64 of integers, wrapping; floats keep their type."""
        return self._one("sum", values)

    def mean(self, values: ArrayLike) -> ndarray:
        """Mean of each group's values: float64, float32 of float32."""
        return self._one("mean", values)

    def var(self, values: ArrayLike, ddof: int = 1) -> ndarray:
        """Variance with `ddof` fewer degrees of freedom than rows; NaN where no row is left, as pandas has it."""
        return self._one("var", values, ddof)

    def std(self, values: ArrayLike, ddof: int = 1) -> ndarray:
        """Square root of `var`."""
        return self._one("std", values, ddof)

    def min(self, values: Any) -> ndarray:
        """Smallest value of each group; NaN where there is one."""
        return self._one("min", values)

    def max(self, values: Any) -> ndarray:
        """Largest value of each group; NaN where there is one."""
        return self._one("max", values)

    def any(self, values: ArrayLike) -> ndarray:
        """Whether any value of a group is not 0: bool."""
        return _filled(self.max(asarray(values) != 0), False)

    def all(self, values: ArrayLike) -> ndarray:
        """Whether no value of a group is 0: bool."""
        return _filled(self.min(asarray(values) != 0), True)

    def bit_and(self, values: ArrayLike) -> ndarray:
        """Bits that all of a group's integers have. TypeError for floats; so with `bit_or` and `bit_xor`."""
        return self._one("bit_and", values)

    def bit_or(self, values: ArrayLike) -> ndarray:
        """Bits that some integer of a group has."""
        return self._one("bit_or", values)

    def bit_xor(self, values: ArrayLike) -> ndarray:
        """Bits that an odd number of a group's integers have."""
        return self._one("bit_xor", values)

    def first(self, values: ArrayLike) -> ndarray:
        """The value in each group's first row."""
        return self._one("first", values)

    def last(self, values: ArrayLike) -> ndarray:
        """The value in each group's last row."""
        return self._one("last", values)

    def agg(self, wanted: Mapping[str, tuple[Any, str]]) -> dict[str, ndarray]:
        """Several aggregates of several columns in one pass over the rows.

        Parameters
        ----------
        wanted : mapping
            Result name -> (values, name of a method without other parameters). Those of one
            pass are size, count, sum, mean, var, std, min, max, bit_and, bit_or, bit_xor, first and last.

        Examples
        --------
        >>> import atoll as ak
        >>> g = ak.groupby(ak.array([1, 1, 2]))
        >>> x = ak.array([1.0, 3.0, 5.0])
        >>> g.agg({"total": (x, "sum"), "most": (x, "max")})
        {'total': array([4., 5.]), 'most': array([3., 5.])}
        """
        known: dict[int, Any] = {}  # a column that is named twice is one

        def column(values: ArrayLike) -> Any:
            return known.setdefault(id(values), self._column(values))

        together = {name: one for name, one in wanted.items() if one[1] in STATISTICS}
        figures = self._aggregate([(column(values), figure, 1) for values, figure in together.values()])
        found = dict(zip(together, figures, strict=True))
        return {name: found[name] if name in found else self.figure(*one) for name, one in wanted.items()}

    # -- aggregates that need an order --

    def nunique(self, values: ArrayLike) -> ndarray:
        """How many distinct values each group has: int64. All NaN are one."""
        column = self._column(values)
        if isinstance(column, Column):
            return self._of_column(column, "nunique", lambda groups, there: groups.nunique(there))
        plain: ndarray = column.values if isinstance(column, NanIsMissing) else column
        if self._has_few_pairs(plain):
            groups, distinct, _ = self._pairs(plain)
            return groups.size() if plain is column else groups.count(NanIsMissing(distinct))
        ordered = plain[coargsort([self._as_key(), plain])]
        first = self._starts()
        last = first + self.size() - 1
        new = wrap(_core.run_starts(expr_of(ordered)))
        new[first] = True
        missing = None if plain is column else isnan(take(ordered, last))  # NaN come last
        del ordered
        before = cumsum(new, dtype=np.uint32 if new.size < 2**32 else np.uint64)
        found = (take(before, last) - take(before, first)).astype(np.int64) + 1
        return found if missing is None else found - missing

    def _has_few_pairs(self, values: ndarray) -> bool:
        """Whether there are few pairs of a group and a value, which are found without putting rows in order."""
        bits = max(self.ngroups - 1, 0).bit_length() + _core.key_bits([expr_of(values)])[0]
        if 1 << bits <= 4 * values.size:
            return True
        sample = values[:: values.size // SAMPLE + 1].to_numpy()
        found = np.unique(sample).size  # of a sample without repeats there may be any number
        return bool(2 * found <= sample.size and 4 * self.ngroups * found <= values.size)

    def mode(self, values: ArrayLike) -> ndarray:
        """The most frequent value of each group, the smallest of several.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([1, 1, 1, 2])).mode(ak.array([5, 3, 5, 7]))
        array([5, 7])
        """
        column = self._column(values)
        if isinstance(column, Column):
            return self._of_column(column, "mode", lambda groups, there: groups.mode(there))
        groups, distinct, times = self._pairs(column)
        most = times == groups.broadcast(groups.max(times))
        # Distinct values are in ascending order within a group.
        return type(self)([key[most] for key in groups._columns]).first(distinct[most])

    def median(self, values: ArrayLike) -> ndarray:
        """Median of each group: float64, float32 of float32; NaN where there is one."""
        return self.quantile(values, 0.5)

    def quantile(self, values: ArrayLike, q: float, interpolation: str = "linear") -> ndarray:
        """The value below which a share `q` of each group lies.

        One sort of the rows by group and value.

        Parameters
        ----------
        values : array_like or Column
            A column.
        q : float
            Between 0 and 1.
        interpolation : str
            What lies between two values: "linear", "lower", "higher", "midpoint" or "nearest".

        Examples
        --------
        >>> import atoll as ak
        >>> ak.groupby(ak.array([1, 1, 1, 2])).quantile(ak.array([5, 3, 9, 7]), 0.25)
        array([4., 7.])
        """
        if not 0 <= q <= 1:
            raise ValueError(f"a quantile lies between 0 and 1, got {q}")
        if interpolation not in INTERPOLATIONS:
            raise ValueError(f"interpolation must be one of {', '.join(INTERPOLATIONS)}, got {interpolation!r}")
        column = self._column(values)
        if isinstance(column, Column):
            return self._quantile_of_column(column, q, interpolation)
        return self._quantile(column, q, interpolation)

    def _quantile_of_column(self, column: Column, q: float, interpolation: str) -> Any:
        numbers, back = column._grouped("quantile")
        valid = column.valid
        if valid is None:
            return back(self._quantile(numbers, q, interpolation), None)
        if numbers.dtype.kind == "f" and bool((isnan(numbers) & valid).any()):  # NaN is a value there
            return self._of_column(column, "quantile", lambda groups, there: groups._quantile(there, q, interpolation))
        numbers = numbers if numbers.dtype.kind == "f" else numbers.astype(np.float64)
        there = NanIsMissing(where(valid, numbers, np.nan))
        counts = self._aggregate([(there, "count", 1)])[0]
        figures, has = self._quantile(there, q, interpolation, counts), counts > 0
        return back(figures, None) if bool(has.all()) else back(where(has, figures, 0), has)

    def _quantile(self, column: Any, q: float, interpolation: str, counts: ndarray | None = None) -> ndarray:
        """`counts`: of each group's values that are not missing, where they are known."""
        skips = isinstance(column, NanIsMissing)
        if counts is None:
            counts = self._aggregate([(column, "count", 1)])[0] if skips else self.size()
        most = counts - 1
        values: ndarray = column.values if skips else column
        between = interpolation in ("linear", "midpoint")
        if values.dtype.kind == "b" or (between and values.dtype.kind != "f"):  # else one of the integers
            values = values.astype(np.float64)
        order = coargsort([self._as_key(), values])
        ordered = None if 3 * counts.size < values.size else values[order]  # few places are looked at: three of a group

        def at(places: ndarray) -> ndarray:
            return take(values, take(order, places)) if ordered is None else take(ordered, places)

        first = self._starts()
        place = q * maximum(most, 0)
        below = floor(place).astype("int64")
        low, high = at(first + below), at(first + minimum(below + 1, maximum(most, 0)))
        share = INTERPOLATIONS[interpolation](place, below, values.dtype)
        figures = where((low == high) | (share == 0), low, low + (high - low) * share)  # infinities stay what they are
        if skips:  # they come last; where no other is, the first is one
            return figures
        last = at(first + most)  # NaN, if there is one
        return where(isnan(last), last, figures)

    def argmin(self, values: ArrayLike) -> ndarray:
        """The row of each group's first smallest value: int64; of its first NaN, if it has one."""
        return self._row_of("min", values)

    def argmax(self, values: ArrayLike) -> ndarray:
        """The row of each group's first largest value: int64; of its first NaN, if it has one."""
        return self._row_of("max", values)

    # -- back to the rows --

    def broadcast(self, figures: Any) -> Any:
        """One element per group to each of its rows; missing in rows that are in no group.

        Examples
        --------
        >>> import atoll as ak
        >>> g = ak.groupby(ak.array([7, 5, 7]))
        >>> g.broadcast(g.size())
        array([2, 1, 2])
        """
        figures = asarray(figures)
        if figures.shape != (self.ngroups,):
            raise ValueError(f"broadcast needs one element per group, ({self.ngroups},), got shape {figures.shape}")
        if self._plain.rows is None:
            return figures[self._ngroup()]
        rows = self.ngroup()
        spread = figures[where(rows < 0, 0, rows)] if figures.size else zeros(self._rows)
        return Column(spread, rows >= 0) if isinstance(spread, Array) else spread._hiding(rows < 0)

    def figure(self, values: ArrayLike, name: str, **options: object) -> Any:
        """An aggregate of each group by its name, one of those that `agg` knows."""
        if name not in FIGURES:
            raise ValueError(f"a group has no figure {name!r}; there are {', '.join(FIGURES)}")
        return self.size() if name == "size" else getattr(self, name)(values, **options)

    # -- the engine --

    def _starts(self) -> ndarray:
        """Where each group begins when rows are ordered by group."""
        return cumsum(self.size()) - self.size()

    def _pairs(self, values: ndarray) -> tuple[Any, ndarray, ndarray]:
        """The distinct values of each group, by these groups; with the values, and how often each occurs."""
        pairs = type(self)([*self._columns, values])
        *keys, distinct = pairs.keys
        return type(self)(keys), distinct, pairs.size()

    def _row_of(self, figure: str, values: ArrayLike) -> ndarray:
        column = self._column(values)
        if isinstance(column, Column):
            places = self._of_column(column, "arg" + figure, lambda groups, there: groups._row_of(figure, there))
            return _filled(places, -1)
        return self._row_in_groups(figure, column)

    def _row_in_groups(self, figure: str, column: ndarray) -> ndarray:
        extreme = take(self._aggregate([(column, figure, 1)])[0], self._ngroup())
        rows = flatnonzero((column == extreme) | isnan(column) if column.dtype.kind == "f" else column == extreme)
        first = type(self)([key[rows] for key in self._columns]).first(rows)
        return first if self._plain.rows is None else take(self._plain.rows, first)

    def _one(self, figure: str, values: ArrayLike, ddof: int = 1) -> Any:
        return self._aggregate([(self._column(values), figure, ddof)])[0]

    def _of_column(self, column: Column, name: str, figure: Callable[[Any, ndarray], ndarray]) -> Any:
        """An aggregate of the values that are not missing, by group; missing, or 0, of groups without one.

        `column` has the rows that are in a group. Where aggregates are rows, they are those of all.
        """
        numbers, back = column._grouped(name)
        valid = column.valid
        if valid is None:
            groups = type(self)(self._ngroup())
            figures = figure(groups, numbers)
        else:  # nothing of all rows is kept beside what is there
            groups = type(self)(self._numbers_of_rows()[valid])
            figures = figure(groups, numbers[valid])
        if name in ("argmin", "argmax"):
            figures = figures if valid is None else take(flatnonzero(valid), figures)
            figures = figures if self._plain.rows is None else take(self._plain.rows, figures)
        found = groups.keys
        spread: Any = zeros(self.ngroups, dtype=figures.dtype)
        spread[found] = figures
        has = None
        if name not in EMPTY_IS_ZERO and found.size < self.ngroups:
            has = full(self.ngroups, False)
            has[found] = True
        if name in COUNTS:
            return spread if has is None else Column(spread, has)
        return back(spread, has)

    def _find(self) -> list[ndarray]:
        if self._groups is None:
            self._aggregate([])
        assert self._groups is not None
        return self._groups

    def _aggregate(self, wanted: Sequence[tuple[Any, str, int]]) -> list[Any]:
        """Aggregates of columns that have the rows that are in a group; those of arrays in one pass."""
        columns: list[ndarray] = []
        requests: list[tuple[str, int, int, bool]] = []
        alone: dict[int, Any] = {}
        for i, (column, figure, ddof) in enumerate(wanted):
            if figure not in STATISTICS:
                raise ValueError(f"a group has no figure {figure!r}; there are {', '.join(STATISTICS)}")
            if isinstance(column, Column) and figure != "size":
                alone[i] = self._figure_of_column(column, figure, ddof)
                continue
            skips = isinstance(column, NanIsMissing)
            column = column.values if skips else column
            if figure == "size" or (figure == "count" and not skips):
                requests.append(("size", 0, ddof, False))
                continue
            place = next((i for i, known in enumerate(columns) if known is column), len(columns))
            if place == len(columns):
                columns.append(column)
            requests.append((figure, place, ddof, skips))
        if self._groups is None:
            requests.append(("size", 0, 1, False))
        if self._numbered is None:
            self._numbered = number_keys(self._columns)
        numbered = self._numbered
        results = [wrap(result) for result in _core.group_by(_exprs(numbered.keys), _exprs(columns), requests)]
        groups, figures = results[: len(numbered.keys)], results[len(numbered.keys) :]
        if self._groups is None:
            self._sizes = figures.pop()
            self._groups, self._numbers = numbered.values_of(groups), groups
        together = iter(figures)
        return [alone[i] if i in alone else next(together) for i in range(len(wanted))]

    def _figure_of_column(self, column: Column, figure: str, ddof: int) -> Any:
        own = column._own_figure(figure, self._ngroup, self.ngroups)
        if own is not None:
            return own
        return self._of_column(column, figure, lambda groups, there: groups._aggregate([(there, figure, ddof)])[0])

    def _column(self, values: ArrayLike) -> Any:
        """The rows of a column that are in a group."""
        if isinstance(values, NanIsMissing):
            return NanIsMissing(self._column(values.values))
        column: Any = asarray(values)
        if column.shape != (self._rows,):
            raise ValueError(f"values must have the shape of the keys, {(self._rows,)}, got {column.shape}")
        if self._plain.rows is not None:
            column = column[self._plain.rows]
        return column.values if type(column) is Column and column.valid is None else column


def _filled(figures: Any, value: ArrayLike) -> ndarray:
    """Aggregates with a value where one is missing."""
    filled: ndarray = figures.fillna(value) if isinstance(figures, Column) else figures
    return filled


def _exprs(columns: Iterable[ndarray]) -> list[_core.Expr]:
    return [expr_of(column) for column in columns]
