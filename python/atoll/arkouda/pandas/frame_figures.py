# SPDX-License-Identifier: Apache-2.0
"""Aggregates of data frames, what is missing in them, and their way to pandas and to files."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..core import client
from ..numpy.alignment import find
from ..numpy.arrays import pdarray
from ..numpy.dtypes import bigint
from ..numpy.pdarraycreation import array, full
from ..numpy.pdarraysetops import in1d
from ..numpy.segarray import SegArray
from ..numpy.strings import Strings
from ..objects import lift
from .categorical import Categorical
from .index import Index
from .series import Series

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["Figures"]

_ROWS, _COLUMNS = (0, "index"), (1, "columns")


def _is_numeric(column: object) -> bool:
    return isinstance(column, pdarray) and (column.dtype == bigint() or column.dtype.kind in "iufb")


def _is_nan(column: Any) -> Any:
    if isinstance(column, pdarray) and column.dtype != bigint() and column.dtype.kind == "f":
        return lift(atoll.isnan(column._a))
    return full(column.size, False, dtype=bool)


class Figures:
    """What data frames have from here."""

    data: dict[str, Any]
    _columns: list[str]
    index: Any
    empty: bool

    def isin(self: Any, values: ArrayLike) -> Any:
        """Which elements are among others: of an array, of a mapping by columns, or of a frame or Series by labels."""
        if isinstance(values, pdarray):
            found = {name: in1d(self.data[name], values) for name in self._columns}
        elif isinstance(values, dict):
            found = {
                name: in1d(self.data[name], values[name]) if name in values else full(len(self), False, dtype=bool)
                for name in self._columns
            }
        elif isinstance(values, (Series, type(self))):
            found = self._isin_aligned(values)
        else:
            raise ValueError("Cannot compute isin with duplicate axis.")
        return type(self)(found, index=self.index)

    def _isin_aligned(self: Any, values: Any) -> dict[str, Any]:
        places = find(self.index._array(), values.index._array())._a
        there, rows = places >= 0, atoll.where(places >= 0, places, 0)
        found = {}
        for name in self._columns:
            other = values.values if isinstance(values, Series) else values.data.get(name)
            if other is None:
                found[name] = full(len(self), False, dtype=bool)
            else:
                found[name] = (self.data[name] == other[lift(rows)]) & lift(there)
        return found

    def count(self: Any, axis: int | str | None = 0, numeric_only: bool = False) -> Series:
        """How many values are not NaN: of each column, or of each row."""
        chosen = [name for name in self._columns if not numeric_only or _is_numeric(self.data[name])]
        if axis in _ROWS:
            counts = [int((~_is_nan(self.data[name])).sum()) for name in chosen]
            return Series(array(counts, dtype=np.int64), index=Index(array(chosen, dtype="str_")))
        if axis in _COLUMNS:
            total = full(len(self), 0, dtype=np.int64)
            for name in chosen:
                total = total + ~_is_nan(self.data[name])
            return Series(total, index=self.index) if self.index is not None else Series(total)
        raise ValueError(f"No axis named {axis} for object type DataFrame")

    def corr(self: Any) -> Any:
        """Pearson's correlations of the columns."""

        def numbers(column: Any) -> Any:
            column = Categorical(column) if isinstance(column, Strings) else column
            return column if isinstance(column, pdarray) else column.codes

        found = {
            name: array(
                [
                    1.0 if name == other else float(numbers(self[name]).corr(numbers(self[other])))
                    for other in self._columns
                ]
            )
            for name in self._columns
        }
        return type(self)(found, index=array(list(self._columns)))

    # -- missing values --

    def isna(self: Any) -> Any:
        """Which elements are NaN."""
        return type(self)({name: _is_nan(self.data[name]) for name in self._columns})

    def notna(self: Any) -> Any:
        """Which elements are not NaN."""
        return type(self)({name: ~_is_nan(self.data[name]) for name in self._columns})

    def _truth(self: Any, every: bool, axis: int | str | None) -> Any:
        if self.empty:
            return every if axis is None else Series(array([], dtype=bool))
        masks = {name: self.data[name] for name in self._columns if self.dtypes[name] == "bool"}
        name_of = "all" if every else "any"
        figures = {name: bool(getattr(mask, name_of)()) for name, mask in masks.items()}
        if axis is None:
            return all(figures.values()) if every else any(figures.values())
        if axis in _ROWS:
            return Series(array(list(figures.values()), dtype=bool), index=Index(array(list(figures), dtype="str_")))
        if axis not in _COLUMNS:
            raise ValueError("axis must have value 0, 1, 'index', 'columns', or None.")
        total = full(len(self), every, dtype=bool)
        for mask in masks.values():
            total = total & mask if every else total | mask
        return Series(total, index=self.index[:])

    def any(self: Any, axis: int | str = 0) -> Any:
        """Whether any bool is true: of each column, of each row, or of all."""
        return self._truth(False, axis)

    def all(self: Any, axis: int | str | None = 0) -> Any:
        """Whether all bools are true: of each column, of each row, or of all."""
        return self._truth(True, axis)

    def dropna(self: Any, axis: int | str = 0, how: Any = None, thresh: Any = None, ignore_index: bool = False) -> Any:
        """Without the rows, or columns, in which elements are NaN."""
        if how is not None and thresh is not None:
            raise TypeError("You cannot set both the how and thresh arguments at the same time.")
        how = how or "any"
        if how not in ("any", "all"):
            raise ValueError(f"invalid how option: {how}")
        across = 1 if axis in _ROWS else 0
        if self.empty:
            return type(self)()
        if thresh is not None:
            mask = self.count(axis=across) >= thresh
        else:
            there = self.notna()
            mask = there.all(axis=across) if how == "any" else there.any(axis=across)
        if across == 1:
            found = self[mask.values]
        else:
            found = self[[name for name, kept in zip(self._columns, mask.tolist(), strict=True) if kept]]
        return found.reset_index() if ignore_index and not found.empty else found

    # -- to others --

    @classmethod
    def from_pandas(cls: Any, pd_df: Any) -> Any:
        """The frame of pandas' frame."""
        return cls(pd_df)

    def to_pandas(self: Any, datalimit: Any = None, retain_index: bool = False) -> Any:
        """pandas' frame; None, with a warning, if that would take too many bytes."""
        import pandas as pd

        limit = client.maxTransferBytes if datalimit is None else datalimit
        if sum(one.nbytes for one in self.data.values()) > limit * max(len(self._columns), 1) * 1024**2:
            warnings.warn(f"This operation would transfer more than {limit} bytes.", UserWarning, stacklevel=2)
            return None
        columns = {}
        for name in self._columns:
            one = self.data[name]
            found = (
                one.tolist()
                if isinstance(one, SegArray)
                else one.to_pandas()
                if isinstance(one, Categorical)
                else one.to_ndarray()
            )
            columns[name] = found
        index = self.index.to_pandas() if retain_index and self.index is not None else None
        return pd.DataFrame(columns, index=index)

    def to_markdown(
        self: Any,
        mode: Any = "wt",
        index: bool = True,
        tablefmt: Any = "grid",
        storage_options: dict[str, Any] | None = None,
        **kwargs: object,
    ) -> Any:
        """A table in Markdown, as pandas writes it."""
        return self.to_pandas().to_markdown(
            mode=mode, index=index, tablefmt=tablefmt, storage_options=storage_options, **kwargs
        )

    def _prep_data(self: Any, index: bool = False, columns: Any = None) -> dict[str, Any]:
        data = {name: self.data[name] for name in (columns if columns is not None else self._columns)}
        return data | {"Index": self.index.values} if index else data
