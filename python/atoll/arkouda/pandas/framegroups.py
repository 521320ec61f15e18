# SPDX-License-Identifier: Apache-2.0
"""Groups of a data frame's rows, and aggregates of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..numpy.arrays import pdarray
from ..numpy.dtypes import bigint
from ..numpy.pdarraycreation import zeros
from ..numpy.sorting import sort
from ..objects import lift
from .groupbyclass import GROUPBY_REDUCTION_TYPES
from .index import Index, MultiIndex
from .series import Series

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["DataFrameGroupBy", "DiffAggregate"]


class DataFrameGroupBy:
    """Groups of a data frame's rows.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> df = ak.DataFrame({"k": ak.array([1, 0, 1]), "v": ak.array([10, 20, 30])})
    >>> df.groupby("k").sum("v")["v"]
    array([20 40])
    """

    def __init__(self, gb: Any, df: Any, gb_key_names: Any = None, as_index: bool = True) -> None:
        self.gb, self.df, self.gb_key_names, self.as_index = gb, df, gb_key_names, as_index
        self.nkeys, self.permutation = gb.nkeys, gb.permutation
        self.unique_keys, self.segments, self.dropna = gb.unique_keys, gb.segments, gb.dropna
        kept = None
        for name in self._names if gb.dropna else ():
            column = df[name]
            if isinstance(column, pdarray) and column.dtype != bigint() and column.dtype.kind == "f":
                there = ~atoll.isnan(column._a)
                kept = there if kept is None else kept & there
        self.where_not_nan = None if kept is None else lift(kept)
        self.all_non_nan = kept is None or bool(kept.all())

    @property
    def _names(self) -> list[str]:
        return [self.gb_key_names] if isinstance(self.gb_key_names, str) else list(self.gb_key_names)

    def _column(self, name: str) -> Any:
        column = self.df.data[name]
        return column if self.all_non_nan else column[self.where_not_nan]

    def _numeric(self, name: str) -> bool:
        kind = self.df.data[name].dtype
        return kind == bigint() or kind in (np.float64, np.int64, np.uint64)

    def _aggregate(self, opname: str, colnames: Any = None) -> Any:
        from .dataframe import DataFrame

        given = list(self.df.data) if colnames is None else [colnames] if isinstance(colnames, str) else list(colnames)
        names = [name for name in given if self._numeric(name) and name not in self._names]
        figures = {name: self.gb.aggregate(self._column(name), opname)[1] for name in names}
        frame = DataFrame
        if len(self._names) == 1:
            return frame(figures, index=Index(self.gb.unique_keys, name=self._names[0]))
        return frame(dict(zip(self._names, self.gb.unique_keys, strict=True)) | figures)

    def size(self, as_series: Any = None, sort_index: bool = True) -> Any:
        """How many rows each group has: a Series, or a column of a frame."""
        from .dataframe import DataFrame

        _, counts = self.gb.size()
        if as_series is True or (as_series is None and self.as_index is True):
            return self._series(counts, sort_index)
        frame = DataFrame
        if len(self._names) > 1:
            return frame(dict(zip(self._names, self.gb.unique_keys, strict=True)) | {"size": counts})
        name = self._names[0]
        if self.as_index:
            made = frame({"size": counts}, index=Index(self.gb.unique_keys, name=name))
        else:
            made = frame({name: self.gb.unique_keys, "size": counts})
        return made.sort_index() if sort_index else made

    def _series(self, values: ArrayLike, sort_index: bool) -> Series:
        if len(self._names) == 1:
            labels: Any = Index(self.gb.unique_keys, name=self._names[0])
        else:
            labels = MultiIndex(list(self.gb.unique_keys), names=self._names)
        made = Series(values, index=labels)
        return made.sort_index() if sort_index else made

    def _rows(self, rows: Any, sort_index: bool) -> Any:
        return self.df[sort(rows) if sort_index else rows]

    def head(self, n: int = 5, sort_index: bool = True) -> Any:
        """The first rows of each group."""
        return self._rows(self.gb.head(self.df.index.values, n=n)[1], sort_index)

    def tail(self, n: int = 5, sort_index: bool = True) -> Any:
        """The last rows of each group."""
        return self._rows(self.gb.tail(self.df.index.values, n=n)[1], sort_index)

    def sample(
        self, n: Any = None, frac: Any = None, replace: bool = False, weights: Any = None, random_state: Any = None
    ) -> Any:
        """Random rows of each group."""
        rows = self.gb.sample(
            self.df.index.values, n=n, frac=frac, replace=replace, weights=weights, random_state=random_state,
            return_indices=True, permute_samples=True,
        )  # fmt: skip
        return self.df[rows]

    def diff(self, colname: str) -> DiffAggregate:
        """What each value of a column is more than the one before in its group."""
        return DiffAggregate(self.gb, self.df.data[colname])

    def broadcast(self, x: ArrayLike, permute: bool = True) -> Series:
        """A value for each group, as one for each row of it."""
        return Series(self.gb.broadcast(x.values if isinstance(x, Series) else x, permute=permute), index=self.df.index)


class DiffAggregate:
    """Differences of neighbours in groups, and aggregates of these."""

    def __init__(self, gb: Any, series: Any) -> None:
        self.gb = gb
        ordered = series[gb.permutation]
        self.values = zeros(len(series), "float64")
        if len(series) > 1:
            self.values[1:] = (ordered[1:] - ordered[:-1]).astype("float64")
        self.values[gb.segments] = np.nan

    def _aggregate(self, opname: str) -> Series:
        keys, values = self.gb.aggregate(self.values, opname)
        return Series(values, index=keys)


def _figure(name: str) -> tuple[Any, Any]:
    def of_columns(self: DataFrameGroupBy, colnames: Any = None) -> Any:
        return self._aggregate(name, colnames)

    def of_differences(self: DiffAggregate) -> Series:
        return self._aggregate(name)

    for one in (of_columns, of_differences):
        one.__name__ = name
        one.__doc__ = f"The {name} of each group."
    return of_columns, of_differences


for _name in GROUPBY_REDUCTION_TYPES:
    for _kind, _method in zip((DataFrameGroupBy, DiffAggregate), _figure(_name), strict=True):
        setattr(_kind, _name, _method)
        if _name in ("or", "and"):
            setattr(_kind, f"{_name}_", _method)
