# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `DataFrame`: columns of one length, by their names, with labels of rows."""

from __future__ import annotations

import random
from collections import UserDict
from typing import Any

import numpy as np

from ..numpy.arrays import pdarray
from ..numpy.choosing import where
from ..numpy.dtypes import Int
from ..numpy.pdarraycreation import arange, array
from ..numpy.pdarraymanipulation import delete
from ..numpy.pdarraysetops import concatenate
from ..numpy.segarray import SegArray
from ..numpy.sorting import argsort, coargsort
from ..numpy.strings import Strings
from ..numpy.util import convert_bytes, generic_concat
from ..objects import Named
from .categorical import Categorical
from .frame_figures import Figures
from .framegroups import DataFrameGroupBy, DiffAggregate
from .groupbyclass import GroupBy, unique
from .index import Index, MultiIndex
from .merging import intersect, intx, invert_permutation, merge
from .row import Row
from .series import Series

__all__ = ["DataFrame", "DataFrameGroupBy", "DiffAggregate", "intersect", "intx", "invert_permutation", "merge"]

COLUMNS = (pdarray, Strings, Categorical, SegArray)


class DataFrame(Figures, Named, UserDict[str, Any]):
    """Columns of one length, by their names.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> df = ak.DataFrame({"a": ak.array([3, 1]), "b": ak.array(["x", "y"])})
    >>> df.sort_values("a")["b"]
    array(['y', 'x'])
    >>> df[0]
    {'a': np.int64(3), 'b': np.str_('x')}
    """

    objType = "DataFrame"
    # What the module of files puts here.
    load: Any
    read_csv: Any

    def __init__(self, initialdata: Any = None, index: Any = None, columns: Any = None) -> None:
        self.data = {}
        self.registered_name = None
        self._columns: list[str] = []
        self._nrows: int | None = 0
        self._bytes, self._empty = 0, True
        self._index: Any = None
        if isinstance(initialdata, DataFrame):
            self._columns, self.data, self._empty = initialdata._columns, initialdata.data, initialdata._empty
            self._set_index(initialdata.index if index is None else index)
        elif initialdata is not None and type(initialdata).__module__.startswith("pandas"):
            self._from_pandas(initialdata, index)
        else:
            self._from_columns(initialdata, index, columns)
        self.update_nrows()
        _ = self._id

    def _from_pandas(self, frame: Any, index: object) -> None:
        self._columns = [str(one) if not isinstance(one, str) else one for one in frame.columns.tolist()]
        self._empty = bool(frame.empty)
        for name, label in zip(self._columns, frame.columns, strict=True):
            column = frame[label]
            if len(column) and isinstance(column.iloc[0], (list, np.ndarray)):
                self.data[name] = SegArray.from_multi_array([array(one) for one in column])
            else:
                self.data[name] = Index(column).values
        self._set_index(frame.index if index is None else index)

    def _from_columns(self, given: Any, index: object, columns: Any) -> None:
        self._set_index(index)
        if given is None:
            return
        if isinstance(given, (dict, UserDict)):
            pairs = list(given.items())
        elif isinstance(given, list):
            if columns is not None and any(not isinstance(one, str) for one in columns):
                raise TypeError("Column labels must be strings.")
            if columns is not None and len(columns) != len(given):
                raise ValueError("Must have as many labels as columns")
            pairs = list(zip(columns if columns is not None else map(str, range(len(given))), given, strict=True))
        else:
            raise ValueError("Initialize with dict or list of arkouda arrays.")
        sizes = set()
        for name, column in pairs:
            column = array(column) if isinstance(column, (list, tuple)) else column
            if isinstance(column, Series):
                column = column.values
            if not isinstance(column, COLUMNS):
                raise ValueError("Values must be one of pdarray, Strings, Categorical, SegArray.")
            if isinstance(given, dict) and name.lower() == "index":
                self._set_index(column)
                continue
            sizes.add(column.size)
            if len(sizes) > 1:
                raise ValueError("Input arrays must have equal size.")
            self.data[name] = column
            self._columns.append(name)
            self._empty = False
        if self._index is None:
            self._set_index(arange(sizes.pop() if sizes else 0))

    def _list_component_names(self) -> list[str]:
        labels = [] if self.index is None else self.index._list_component_names()
        return [*labels, *(name for one in self.data.values() for name in one._list_component_names())]

    # -- what it is --

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in self.__dict__.get("_columns", ()):
            raise AttributeError(f"Attribute {key} not found")
        return Series(self[key], index=self.index)

    def __dir__(self) -> list[str]:
        return [*dir(type(self)), *self._columns, "columns"]

    def __len__(self) -> int:
        return self._nrows or 0

    def __bool__(self) -> bool:
        return True

    def _ncols(self) -> int:
        return len(self._columns)

    columns = property(lambda self: Index(list(self._columns), allow_list=True), doc="The names of the columns.")
    index = property(lambda self: self._index, lambda self, value: self._set_index(value), doc="The labels of rows.")
    empty = property(lambda self: self._empty, doc="Whether there are no columns.")

    @property
    def shape(self) -> Any:
        """Rows and columns."""
        self.update_nrows()
        return self._nrows, len(self._columns)

    @property
    def size(self) -> int:
        """Number of elements."""
        self.update_nrows()
        return (self._nrows or 0) * len(self._columns)

    @property
    def dtypes(self) -> Row:
        """The names of the columns' types."""
        names = {Strings: "str", Categorical: "Categorical", SegArray: "SegArray"}
        return Row({key: names.get(type(one), str(one.dtype)) for key, one in self.data.items()})

    def update_nrows(self) -> None:
        """Counts the rows again; ValueError if columns differ."""
        sizes = {one.size for one in self.data.values()}
        if len(sizes) > 1:
            raise ValueError("Size mismatch in DataFrame columns.")
        self._nrows = sizes.pop() if sizes else None

    def _set_index(self, value: Any) -> None:
        if isinstance(value, Index) or value is None:
            self._index = value
        elif isinstance(value, (pdarray, Strings, Categorical)) or type(value).__module__.startswith("pandas"):
            self._index = MultiIndex(value) if type(value).__name__ == "MultiIndex" else Index(value)
        elif isinstance(value, list):
            self._index = Index(array(value)) if not value or not isinstance(value[0], COLUMNS) else MultiIndex(value)
        else:
            raise TypeError(f"DataFrame Index is an Index, pdarray or list, not {type(value)}.")

    # -- selection --

    def __getitem__(self, key: object) -> Any:
        if isinstance(key, Series):
            key = key.values
        if isinstance(key, (pdarray, slice)):
            if isinstance(key, pdarray) and key.dtype == np.bool_ and self._nrows not in (None, key.size):
                raise ValueError(f"size mismatch {self._nrows} {key.size}")
            found = DataFrame({name: self.data[name][key] for name in self._columns}, index=self._labels_at(key))
            found._empty = self._empty
            return found
        if isinstance(key, (list, tuple)):
            return self._chosen(list(key))
        if isinstance(key, Int):
            row = int(key)
            return Row({name: self.data[name][row] for name in self._columns})
        if isinstance(key, str):
            if key not in self.data:
                raise KeyError(f"Invalid column name '{key}'.")
            return self.data[key]
        raise IndexError("Invalid selector: unknown error.")

    def _labels_at(self, key: object) -> Any:
        return self.index[key] if self.index is not None else None

    def _chosen(self, names: list[Any]) -> DataFrame:
        found = DataFrame()
        if not names:
            return found
        if len({type(one) for one in names}) > 1:
            raise TypeError("Invalid selector: too many types in list.")
        if not isinstance(names[0], str):
            raise TypeError("DataFrames only support lists for column indexing. All list entries must be of type str.")
        for name in names:
            found[name] = self[name]
        found._empty = False
        found._set_index(self.index)
        return found

    def __setitem__(self, key: object, value: object) -> None:
        self.update_nrows()
        if isinstance(key, Int):
            self._set_row(int(key), value)
            return
        if not isinstance(key, str):
            raise ValueError("No valid data received.")
        value = value.values if isinstance(value, Series) else value
        if not isinstance(value, COLUMNS):
            raise ValueError("Column must be one of pdarray, Strings, Categorical, SegArray.")
        if self._nrows is not None and self._nrows != value.size:
            raise ValueError(f"Expected size {self._nrows} but received size {value.size}.")
        first, self._empty = self._empty, False
        self.data[key] = value
        if key not in self._columns:
            self._columns.append(key)
        if first:
            self.update_nrows()
            self._set_index(arange(self._nrows or 0))

    def _set_row(self, row: int, value: object) -> None:
        if any(isinstance(one, Strings) for one in self.data.values()):
            raise ValueError("This DataFrame has a column of type ak.Strings; so this DataFrame is immutable.")
        if self._empty:
            raise ValueError("Initial data must be dict of arkouda arrays.")
        if not isinstance(value, (dict, UserDict)):
            raise ValueError("Expected dict or Row type.")
        if row >= len(self):
            raise KeyError("The row index is out of range.")
        for name, one in value.items():
            if name != "index":
                self[name][row] = one

    def __delitem__(self, key: str) -> None:
        del self.data[key]
        self._columns.remove(key)
        if not self._columns:
            self._set_index(None)
            self._empty = True
        self.update_nrows()

    def head(self, n: int = 5) -> DataFrame:
        """The first rows."""
        return self[:n]

    def tail(self, n: int = 5) -> DataFrame:
        """The last rows."""
        return self if len(self) <= n else self[len(self) - n :]

    def sample(self, n: int = 5) -> DataFrame:
        """Rows at random."""
        return self if len(self) <= n else self[array(random.sample(range(len(self)), n))]

    def drop(self, keys: Any, axis: int | str = 0, inplace: bool = False) -> Any:
        """Without some rows, or some columns."""
        several: list[Any] = [keys] if isinstance(keys, (str, int)) else list(keys)
        made = self if inplace else self.copy()
        if axis in (0, "index"):
            if any(not isinstance(one, int) for one in several):
                raise TypeError("Index keys must be integers.")
            kept = delete(arange(len(self)), array(several))
            labels = self.index[kept]
            made.data = {name: self.data[name][kept] for name in self._columns}
            made._set_index(labels)
        elif axis in (1, "columns"):
            for name in several:
                del made[name]
        else:
            raise ValueError(f"No axis named {axis} for object type DataFrame")
        made.update_nrows()
        return None if inplace else made

    def drop_duplicates(self, subset: Any = None, keep: str = "first") -> DataFrame:
        """The first, or the last, of rows that are equal in some columns."""
        if self._empty:
            return self
        names = [subset] if isinstance(subset, str) else list(subset or self._columns)
        for name in names:
            if name not in self.data:
                raise KeyError(f"{name} is not a column in the DataFrame.")
        groups = GroupBy(self.data[names[0]] if len(names) == 1 else [self.data[name] for name in names])
        if keep == "last":
            ends = concatenate([groups.segments[1:] - 1, array([groups.permutation.size - 1])])
            return self[groups.permutation[ends]]
        return self[groups._uki]

    def filter_by_range(self, keys: object, low: int = 1, high: int | None = None) -> pdarray:
        """Which rows are in groups of a size from `low` to `high`."""
        groups = self.groupby([keys] if isinstance(keys, str) else keys, use_series=False)
        _, sizes = groups.size()
        wanted = (sizes >= low) if not high else (sizes >= low) & (sizes <= high)
        return groups.broadcast(wanted)

    # -- names, labels --

    def reset_index(self, size: int | None = None, inplace: bool = False) -> Any:
        """With the numbers of the rows as their labels."""
        made = self if inplace else self.copy()
        made.update_nrows()
        made._set_index(arange(size if size else made._nrows or 0))
        return None if inplace else made

    def rename(
        self,
        mapper: object = None,
        index: object = None,
        column: object = None,
        axis: int | str | None = 0,
        inplace: bool = False,
    ) -> Any:
        """With other names of columns, or other labels: of a mapping or a function."""
        if column is not None and index is not None:
            raise RuntimeError("Only column or index can be renamed, cannot rename both at once")
        axes = {"column": 1, "1": 1, "index": 0, "0": 0, 0: 0, 1: 1}
        if axis not in axes:
            raise ValueError(f"Unknown axis value {axis}. Expecting 0, 1, 'column' or 'index'.")
        if column is None and index is None and mapper is None:
            raise RuntimeError("Rename expects index or columns to be specified.")
        columns = column is not None or (index is None and axes[axis] == 1)
        mapping = column if column is not None else index if index is not None else mapper
        if not callable(mapping) and not isinstance(mapping, dict):
            raise TypeError("Argument must be callable or dict-like")
        made = self if inplace else self.copy()
        if columns:
            made._rename_columns(mapping)
        else:
            made._rename_labels(mapping)
        return None if inplace else made

    def _rename_columns(self, mapping: Any) -> None:
        def renamed(name: str) -> str:
            return mapping(name) if callable(mapping) else mapping.get(name, name)

        self.data = {renamed(name): self.data[name] for name in self._columns}
        self._columns = [renamed(name) for name in self._columns]

    def _rename_labels(self, mapping: Any) -> None:
        pairs = [(one, mapping(one)) for one in self.index.tolist()] if callable(mapping) else list(mapping.items())
        labels = self.index._array()
        masks = []
        for old, new in pairs:
            if type(old) is not type(new):
                raise TypeError("Replacement value must have the same type as the original value")
            masks.append((labels == old, new))
        if isinstance(labels, Strings):
            for mask, new in masks:
                labels = where(mask, new, labels)
        else:
            for mask, new in masks:
                labels[mask] = new
        self._set_index(Index(labels, name=self.index.name))

    def assign(self, **kwargs: object) -> DataFrame:
        """With more columns: arrays, or functions of the frame."""
        made = self.copy()
        for name, value in kwargs.items():
            made[name] = value(made) if callable(value) else value
        return made

    def copy(self, deep: Any = True) -> DataFrame:
        """Another one with the same columns; copies of them, if `deep`."""
        if deep is False:
            return DataFrame(self)  # both share their columns
        if deep is not True:
            shallow = DataFrame()
            shallow.data, shallow._columns, shallow._empty = dict(self.data), list(self._columns), self._empty
            shallow._set_index(self.index)
            shallow.update_nrows()
            return shallow
        made = DataFrame()
        made._columns, made._empty = list(self._columns), self._empty
        made.data = {name: self.data[name][:] for name in self._columns}
        made._set_index(None if self.index is None else self.index[:])
        made.update_nrows()
        return made

    # -- joining --

    def append(self, other: Any, ordered: bool = True) -> DataFrame:
        """Rows of another frame behind these, in place."""
        if other.empty:
            return self
        if self.empty:
            copied = other.copy()
            self.data, self._columns = copied.data, copied._columns
        elif set(self._columns) != set(other._columns):
            raise KeyError("Key mismatch; keys must be identical in both DataFrames.")
        else:
            self.data = _joined(self._columns, [self, other])
        self._empty = False
        self.update_nrows()
        self.reset_index(inplace=True)
        return self

    @classmethod
    def concat(cls, items: Any, ordered: bool = True) -> DataFrame:
        """Rows of several frames, concatenated."""
        frames = [one for one in items if not one.empty]
        if not frames:
            return cls()
        if any(set(one._columns) != set(frames[0]._columns) for one in frames):
            raise KeyError("Cannot concatenate DataFrames with mismatched columns")
        return cls(_joined(frames[0]._columns, frames))

    def merge(
        self, right: object, on: object = None, how: str = "inner", left_suffix: str = "_x", right_suffix: str = "_y",
        convert_ints: bool = True, sort: bool = True,
    ) -> DataFrame:  # fmt: skip
        """Rows of two frames with equal values of some columns; see `ak.merge`."""
        return merge(
            self,
            right,
            on,
            how=how,
            left_suffix=left_suffix,
            right_suffix=right_suffix,
            convert_ints=convert_ints,
            sort=sort,
        )

    def groupby(self, keys: object, use_series: bool = True, as_index: bool = True, dropna: bool = True) -> Any:
        """Groups of rows with equal values of some columns."""
        if isinstance(keys, str):
            columns = self.data[keys]
        elif isinstance(keys, (list, tuple)):
            columns = self.data[keys[0]] if len(keys) == 1 else [self.data[one] for one in keys]
        else:
            raise TypeError("keys must be a column name or a list/tuple of column names")
        groups = GroupBy(columns, dropna=dropna)
        return DataFrameGroupBy(groups, self, gb_key_names=keys, as_index=as_index) if use_series else groups

    GroupBy = groupby

    def _build_groupby(self, keys: object, use_series: bool = False, as_index: bool = True, dropna: bool = True) -> Any:
        return self.groupby(keys, use_series, as_index, dropna)

    # -- order --

    def argsort(self, key: str, ascending: bool = True) -> Any:
        """The numbers of the rows in the order of a column."""
        if self._empty:
            return array([], dtype=np.int64)
        column = self[key]
        if ascending:
            return argsort(column)
        if isinstance(column, pdarray) and column.dtype in (np.int64, np.float64):
            return argsort(-column)
        return argsort(column)[::-1]

    def coargsort(self, keys: Any, ascending: bool = True) -> Any:
        """The numbers of the rows in the order of several columns."""
        if self._empty:
            return array([], dtype=np.int64)
        order = coargsort([self[key] for key in keys])
        return order if ascending else order[::-1]

    def sort_values(self, by: object = None, ascending: bool = True) -> Any:
        """The rows in the order of columns."""
        if self._empty:
            return array([], dtype=np.int64)
        keys = list(self._columns) if by is None else by
        if not isinstance(keys, (str, list, tuple)):
            raise TypeError("Column name(s) must be str or list/tuple of str")
        if isinstance(keys, str) or (by is None and len(keys) == 1):
            return self[self.argsort(keys if isinstance(keys, str) else keys[0], ascending)]
        return self[self.coargsort(keys, ascending)]

    def sort_index(self, ascending: bool = True) -> DataFrame:
        """The rows in the order of their labels."""
        return self[self.index.argsort(ascending=ascending)]

    def _reindex(self, idx: Any) -> DataFrame:
        return self[idx]

    def apply_permutation(self, perm: Any) -> None:
        """Puts the rows in another order, in place."""
        if perm.min() != 0 or perm.max() != perm.size - 1 or unique(perm).size != perm.size:
            raise ValueError("The indicated permutation is invalid.")
        self.data = {name: self.data[name][perm] for name in self._columns}
        self._set_index(self.index[perm])

    # -- text --

    def _shape_str(self) -> str:
        return f"{self._nrows} rows x {self._ncols()} columns"

    def _get_head_tail(self) -> Any:
        import pandas as pd

        if self._empty:
            return pd.DataFrame()
        most = pd.get_option("display.max_rows")
        shown = self
        if len(self) > most:
            shown = self[array([*range(most // 2 + 1), *range(len(self) - most // 2, len(self))])]
        return shown.to_pandas(retain_index=True)

    _get_head_tail_server = _get_head_tail

    def _text(self, method: str) -> Any:
        import pandas as pd

        shown = self._get_head_tail()
        with pd.option_context("display.show_dimensions", False):
            return getattr(shown, method)()

    def __repr__(self) -> str:
        self.update_nrows()
        return f"{self._text('__repr__')} ({self._shape_str()})"

    def _repr_html_(self) -> str:
        self.update_nrows()
        return f"{self._text('_repr_html_')}<p>{self._shape_str()}</p>"

    def __str__(self) -> str:
        self.update_nrows()
        if self._empty:
            return "DataFrame([ -- ][ 0 rows : 0 B])"
        names = ", ".join(f"'{one}'" for one in self._columns)
        rows = "row" if self._nrows == 1 else "rows"
        return f"DataFrame([{names}], {self._nrows:,} {rows}, {self.memory_usage_info('B')})"

    info = property(lambda self: str(self), doc="Names, rows and bytes, as text.")

    def _ipython_key_completions_(self) -> list[str]:
        return self._columns

    def memory_usage(self, index: bool = True, unit: str = "B") -> Series:
        """Bytes of each column."""
        names, sizes = (["Index"], [self.index.memory_usage(unit=unit)]) if index else ([], [])
        sizes += [convert_bytes(one.nbytes, unit=unit) for one in self.data.values()]
        return Series(array(sizes), index=array([*names, *self._columns]))

    def memory_usage_info(self, unit: str = "GB") -> str:
        """Bytes of all columns, as text."""
        return f"{convert_bytes(self.memory_usage(index=True).sum(), unit=unit):.2f} {unit}"


def _joined(names: list[str], frames: list[Any]) -> dict[str, Any]:
    found = {}
    for name in names:
        try:
            found[name] = generic_concat([one[name] for one in frames])
        except TypeError as error:
            raise TypeError(f"Incompatible types for column {name}") from error
    return found
