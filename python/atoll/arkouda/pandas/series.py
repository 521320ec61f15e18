# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `Series`: an array with labels."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..numpy.alignment import lookup
from ..numpy.arrays import pdarray
from ..numpy.casting import cast
from ..numpy.choosing import where
from ..numpy.dtypes import Int, bigint
from ..numpy.dtypes import dtype as ak_dtype
from ..numpy.pdarraycreation import arange, array, full, zeros
from ..numpy.pdarraysetops import concatenate, in1d, indexof1d
from ..numpy.segarray import SegArray
from ..numpy.strings import Strings
from ..numpy.util import convert_bytes, generic_concat, is_float
from ..numpy.util import map as _map
from ..objects import Labelled, entitled, lift
from .accessor import CachedAccessor, DatetimeAccessor, StringAccessor
from .categorical import Categorical
from .groupbyclass import GroupBy
from .index import Index, MultiIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Series"]

Text = str  # the class has an attribute of that name
SCALARS = (int, float, bool, str, np.generic)
KEYS = (pdarray, Strings, Categorical, list, tuple)


def _rows_of_slice(key: slice, size: int) -> pdarray:
    start, stop = 0 if key.start is None else key.start, size if key.stop is None else key.stop
    if start < 0:
        raise IndexError("Slice start must be non-negative")
    if stop > size:
        raise IndexError("Slice stop must be less than or equal to the size of the Series")
    if start > stop:
        raise IndexError("Slice start must be less than or equal to the stop")
    return arange(start, stop, 1 if key.step is None else key.step)


class Series(Labelled):
    """An array with labels.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> s = ak.Series(ak.array([10, 20]), index=ak.array([5, 6]))
    >>> s[6]
    np.int64(20)
    >>> (s + 1).tolist()
    [11, 21]
    """

    objType = "Series"
    values: Any
    index: Any
    sum: Any
    __hash__ = None  # type: ignore[assignment]  # == is elementwise
    __array_ufunc__ = None
    dt = CachedAccessor("dt", DatetimeAccessor)
    str = CachedAccessor("str", StringAccessor)

    def __init__(self, data: Any, name: Any = None, index: Any = None) -> None:
        self.registered_name = None
        if index is None and isinstance(data, (tuple, list)) and len(data) == 2 and not np.isscalar(data[0]):
            if not isinstance(data[0], (*KEYS, Index)):
                raise TypeError("indices must be a pdarray, Strings, Categorical, List, or Tuple")
            if not isinstance(data[1], (pdarray, Strings, Categorical, Series, SegArray)):
                raise TypeError("values must be a pdarray, Strings, SegArray, or Categorical")
            self.values = data[1].values if isinstance(data[1], Series) else data[1]
            self.index = Index.factory(data[0])
        elif isinstance(data, tuple):
            raise TypeError("Series initialization requires a tuple of (index, values)")
        else:
            self.values, own = _values_of(data)
            self.index = Index.factory(index) if index is not None else own
            if self.index is None:
                self.index = Index(arange(len(self.values)))
        if self.index.size != self.values.size:
            raise ValueError(f"Index size does not match data size: {self.index.size} != {self.values.size}")
        named = isinstance(data, Series) or type(data).__module__.startswith("pandas")
        self.label = getattr(data, "name", None) if name is None and named else name
        self.size = self.index.size
        _ = self._id

    def _list_component_names(self) -> list[Any]:
        return [*self.index._list_component_names(), *self.values._list_component_names()]

    shape = property(lambda self: (len(self.values),), doc="Its length as a tuple.")
    dtype = property(lambda self: self.values.dtype, doc="The type of the values.")
    ndim = property(lambda self: 1, doc="One axis.")
    loc = property(lambda self: _Labelled(self), doc="Values by their labels.")
    at = loc
    iloc = property(lambda self: _Numbered("iloc", self), doc="Values by their numbers.")
    iat = property(lambda self: _Numbered("iat", self), doc="Values by their numbers.")

    @classmethod
    def from_return_msg(cls, rep_msg: Any) -> Any:
        """Of a server's answer: RuntimeError, as there is no server."""
        raise RuntimeError("there is no server whose answers could be read")

    def __len__(self) -> int:
        return int(self.values.size)

    def __repr__(self) -> Any:
        import pandas as pd

        if len(self) == 0:
            return "Series([ -- ][ 0 values : 0 B])"
        most = pd.get_option("display.max_rows")
        if len(self) <= most:
            shown, end = self.to_pandas(), ""
        else:
            ends = [self.head(most // 2 + 2).to_pandas(), self.tail(most // 2).to_pandas()]
            shown, end = pd.concat(ends), f"\nLength {len(self)}"
        return (
            shown.to_string(dtype=shown.dtype, min_rows=pd.get_option("display.min_rows"), max_rows=most, length=False)
            + end
        )

    # -- selection --

    def validate_key(self, key: Any) -> Any:
        """The labels, mask or rows that a key means; TypeError, KeyError or IndexError if it cannot be one."""
        if isinstance(key, list):
            key = array(key)
        if isinstance(key, Series):
            key = key.values
        if isinstance(key, tuple):
            raise TypeError("Series does not support tuple keys")
        if isinstance(key, SCALARS):
            if ak_dtype(type(key)) != self.index.dtype:
                raise TypeError(
                    f"Unexpected key type. Received {ak_dtype(type(key))} but expected {self.index.dtype}. key: {key}"
                )
            return key
        if isinstance(key, slice):
            return _rows_of_slice(key, self.size)
        if isinstance(key, pdarray) and key.dtype == np.bool_ and self.index.dtype != np.bool_:
            if key.size != self.index.size:
                raise IndexError(f"Boolean index has wrong length: {key.size} instead of {self.size}")
            return key
        if isinstance(key, (pdarray, Strings)):
            if key.dtype != self.index.dtype:
                raise TypeError(f"Unexpected key type. Received {key.dtype} but expected {self.index.dtype}")
            gone = ~in1d(key, self.index._array())
            if bool(gone.any()):
                raise KeyError(f"{key[gone]} not in index")
            return key
        raise TypeError(
            "Series [] only supports indexing by scalars, lists of scalars, and arrays of scalars. "
            f"Received {type(key)}"
        )

    def __getitem__(self, key: object) -> Any:
        key = self.validate_key(key)
        if isinstance(key, SCALARS):
            key = array([key])
        if isinstance(key, pdarray) and key.dtype == np.bool_:
            return Series(index=self.index[key], data=self.values[key])
        rows = indexof1d(key, self.index._array())
        if rows.size == 1:
            return self.values[int(rows[0])]
        return Series(index=self.index[rows], data=self.values[rows])

    def validate_val(self, val: Any) -> Any:
        """The values to set; TypeError if they are of another type."""
        if isinstance(val, list):
            return array(val)
        if isinstance(val, (str, Strings)):
            raise TypeError("Cannot modify string type dataframes")
        if not isinstance(val, (pdarray, *SCALARS)):
            raise TypeError(f"cannot set with unsupported value type: {type(val)}")
        kind = val.dtype if isinstance(val, pdarray) else ak_dtype(type(val))
        if kind != self.values.dtype:
            raise TypeError(f"Unexpected value type. Received {kind} but expected {self.values.dtype}")
        return val

    def __setitem__(self, key: Any, val: Any) -> None:
        val = self.validate_val(val)
        key = self.validate_key(key)
        if isinstance(key, (pdarray, Strings)) and len(key) > 1 and self.has_repeat_labels():
            raise ValueError("Cannot set with multiple keys for Series with repeated labels.")
        mask = self.index == key if isinstance(key, SCALARS) else in1d(self.index._array(), key)
        count = int(mask.sum())
        if count == 0:
            if isinstance(val, pdarray):
                raise ValueError("Cannot set. Too many values provided")
            self.index = Index.factory(concatenate([self.index._array(), array([key])]))
            self.values = concatenate([self.values, array([val])])
            self.size = self.index.size
        elif isinstance(val, SCALARS):
            self.values[mask] = val
        elif val.size == 1 and isinstance(key, SCALARS):
            self.values[mask] = val[0]
        elif count != val.size:
            raise ValueError("Cannot set using a list-like indexer with a different length from the value")
        else:
            self.values[mask] = val

    def has_repeat_labels(self) -> bool:
        """Whether a label occurs twice."""
        return GroupBy(self.index.values).ngroups != self.index.size

    def isin(self, lst: Any) -> Series:
        """Which values are among others."""
        if isinstance(lst, (list, tuple)):
            lst = array(lst)
        if not isinstance(lst, (pdarray, Strings, Categorical)):
            raise TypeError(f"in1d not supported for list type: {type(lst)}")
        return Series(in1d(self.values, lst), index=self.index)

    def locate(self, key: object) -> Series:
        """The values of labels: one, several, or arrays of them for each level."""
        if isinstance(key, Series):
            return Series(lookup(self.index.values, self.values, key.values), index=key.index)
        if isinstance(key, MultiIndex):
            return self._where(self.index.lookup(key.levels))
        if isinstance(key, Index):
            return self._where(self.index.lookup(key.values))
        if isinstance(key, pdarray):
            return self._where(self.index.lookup(key))
        if not isinstance(key, (list, tuple)):
            return self._where(self.index == key)
        if isinstance(self.index, MultiIndex):
            return self._where(self.index.lookup(self._level_keys(key)))
        if isinstance(key[0], (list, tuple)):
            return self._where(self.index.lookup([array(list(one)) for one in zip(*key, strict=True)]))
        return self._where(self.index.lookup(array(list(key))))

    def _level_keys(self, key: Any) -> list[Any]:
        if len(key) != self.index.nlevels:
            raise TypeError("the key of a MultiIndex is a tuple label, or keys for each level")
        plain = [not isinstance(one, (pdarray, Index, Series, list, tuple)) for one in key]
        if all(plain):
            if isinstance(key, list):
                raise TypeError("For MultiIndex Series, a single label must be a tuple, e.g. (0, 2), not a flat list.")
            return [array([one]) for one in key]
        levels = [
            one if isinstance(one, pdarray) else one.values if isinstance(one, (Index, Series)) else array(one)
            for one in key
        ]
        if len({one.size for one in levels}) != 1:
            raise ValueError("Per-level MultiIndex keys must have the same length")
        return levels

    def _where(self, mask: object) -> Series:
        return Series(index=self.index[mask], data=self.values[mask])

    # -- arithmetic --

    def _combined(self, other: Any, operation: Any, swap: bool = False) -> Series:
        if not isinstance(other, Series):
            sides = (other, self.values) if swap else (self.values, other)
            return Series((self.index, operation(*sides)))
        if self.index._check_aligned(other.index):
            return Series((self.index, operation(self.values, other.values)))
        labels = self.index._merge(other.index).index
        sides = tuple(lookup(one.index.values, one.values, labels, fillvalue=0) for one in (self, other))
        return Series((labels, operation(*sides)))

    def add(self, b: Series) -> Series:
        """Sums by labels."""
        labels, values = GroupBy(self.index.concat(b.index).values).sum(concatenate([self.values, b.values]))
        return Series(index=labels, data=values)

    def __neg__(self) -> Series:
        return Series((self.index, -self.values))

    def __invert__(self) -> Series:
        return Series((self.index, ~self.values))

    def __abs__(self) -> Series:
        return Series((self.index, abs(self.values)))

    # -- order --

    def _reindex(self, idx: Any) -> Series:
        return Series(index=self.index[idx], data=self.values[idx])

    def sort_index(self, ascending: bool = True) -> Series:
        """The values in the order of their labels."""
        return self._reindex(self.index.argsort(ascending=ascending))

    def sort_values(self, ascending: bool = True) -> Series:
        """The values in their order."""
        if ascending:
            return self._reindex(self.values.argsort())
        if isinstance(self.values, pdarray) and self.values.dtype in (np.int64, np.float64):
            return self._reindex((-self.values).argsort())
        return self._reindex(self.values.argsort()[::-1])

    def topn(self, n: int = 10) -> Series:
        """The largest values, the largest first."""
        rows = self.values.argmaxk(n)[::-1]
        return Series(index=self.index._array()[rows], data=self.values[rows])

    def head(self, n: int = 10) -> Series:
        """The first values."""
        return Series(index=self.index[:n], data=self.values[:n])

    def tail(self, n: int = 10) -> Series:
        """The last values."""
        return Series(index=self.index[-n:], data=self.values[-n:])

    def value_counts(self, sort: bool = True) -> Series:
        """How often each value is there."""
        labels, counts = GroupBy(self.values).size()
        found = Series(index=labels, data=counts)
        return found.sort_values(ascending=False) if sort else found

    def diff(self) -> Series:
        """What each value is more than the one before."""
        if isinstance(self.values, Categorical):
            raise TypeError("Diff not supported on Series built from Categorical.")
        values = zeros(len(self), "float64")
        values[1:] = cast(self.values[1:] - self.values[:-1], "float64")
        values[0] = np.nan
        return Series(values, index=self.index)

    def map(self, arg: object) -> Series:
        """The values replaced by what a mapping has for them."""
        return Series(_map(self.values, arg), index=self.index)

    # -- missing values --

    def isna(self) -> Series:
        """Which values are NaN."""
        if isinstance(self.values, SegArray):
            raise TypeError("isna is not supported for SegArray-backed Series")
        missing = (
            lift(atoll.isnan(self.values._a)) if is_float(self.values) else full(self.values.size, False, dtype=bool)
        )
        return Series(missing, index=self.index)

    def notna(self) -> Series:
        """Which values are not NaN."""
        return ~self.isna()

    isnull, notnull = isna, notna

    def hasnans(self) -> Any:
        """Whether any value is NaN."""
        return self.isna().values.any()

    def fillna(self, value: Any) -> Series:
        """The values with others in the place of NaN."""
        other = value.values if isinstance(value, Series) else value
        if not is_float(self.values):
            return Series(self.values, index=self.index)
        if isinstance(other, (Strings, Categorical, SegArray)):
            raise TypeError("fillna for float Series requires a numeric scalar or pdarray")
        return Series(where(self.isna().values, other, self.values), index=self.index)

    # -- to others --

    def memory_usage(self, index: bool = True, unit: Any = "B") -> Any:
        """Bytes of values and labels."""
        own = convert_bytes(self.values.nbytes, unit=unit)
        return own + self.index.memory_usage(unit=unit) if index else own

    def to_ndarray(self) -> Any:
        """The values as a NumPy array."""
        return self.values.to_ndarray()

    def to_pandas(self) -> Any:
        """pandas' Series."""
        import pandas as pd

        values = self.values
        found = (
            values.to_pandas()
            if isinstance(values, Categorical)
            else values.tolist()
            if isinstance(values, SegArray)
            else values.to_ndarray()
        )
        return pd.Series(found, index=self.index.to_pandas(), name=self.name if isinstance(self.name, Text) else None)

    def to_markdown(
        self, mode: Any = "wt", index: bool = True, tablefmt: Any = "grid", storage_options: Any = None, **kwargs: Any
    ) -> Any:
        """A table in Markdown, as pandas writes it."""
        return self.to_pandas().to_markdown(
            mode=mode, index=index, tablefmt=tablefmt, storage_options=storage_options, **kwargs
        )

    def tolist(self) -> list[Any]:
        """The values as a list."""
        return list(self.values.tolist())

    to_list = tolist

    def to_dataframe(self, index_labels: Any = None, value_label: Any = None) -> Any:
        """Labels and values as columns."""
        return Series.concat([self], 1, index_labels, None if value_label is None else [value_label])

    @staticmethod
    def _all_aligned(arrays: Sequence[Any]) -> bool:
        return all(len(arrays[0].index) == len(one.index) for one in arrays[1:])  # Arkouda compares no labels here

    @staticmethod
    def concat(
        arrays: Sequence[Any], axis: int = 0, index_labels: Any = None, value_labels: Any = None, ordered: bool = False
    ) -> Any:
        """Several Series, concatenated; or beside one another, as a data frame."""
        from .dataframe import DataFrame

        series = _same_kind(arrays)
        if axis != 1:
            labels = series[0].index
            for one in series[1:]:
                labels = labels.concat(one.index)
            return Series(index=labels, data=generic_concat([one.values for one in series]))
        names = value_labels or [f"val_{place}" for place in range(len(series))]
        if Series._all_aligned(series):
            columns = series[0].index.to_dict(index_labels)
            values = [one.values for one in series]
        else:
            merged = series[0].index._merge_all([one.index for one in series[1:]])
            columns = merged.to_dict(index_labels)
            values = [lookup(one.index.values, one.values, merged.values, fillvalue=0) for one in series]
        return DataFrame(columns | dict(zip(names, values, strict=True)))

    @staticmethod
    def pdconcat(arrays: Sequence[Any], axis: int = 0, labels: object = None) -> Any:
        """The same, as pandas' objects."""
        import pandas as pd

        series = _same_kind(arrays)
        found = pd.concat([one.to_pandas() for one in series], axis=axis)
        if axis == 1 and labels is not None:
            found.columns = pd.Index(labels.tolist() if hasattr(labels, "tolist") else labels)
        return found


def _same_kind(arrays: Sequence[Any]) -> list[Any]:
    if len(arrays) == 0:
        raise IndexError("Array length must be non-zero")
    kinds = {type(one) for one in arrays}
    if len(kinds) != 1:
        raise TypeError(f"Items must all have same type: {kinds}")
    return [Series(one) if isinstance(one, tuple) else one for one in arrays]


def _values_of(data: Any) -> tuple[Any, Any]:
    """Values, and labels where the data has some."""
    if isinstance(data, Series):
        return data.values, None
    if isinstance(data, (pdarray, Strings, Categorical, SegArray)):
        return data, None
    if isinstance(data, (list, np.ndarray)):
        return array(data), None
    module = type(data).__module__
    if module.startswith("pandas"):
        if hasattr(data, "codes") and hasattr(data, "categories"):
            return Categorical(data), None
        if hasattr(data, "index"):
            return Index(data).values, Index(data.index)
    if isinstance(data, Index):
        return data._array(), None
    raise TypeError(f"a Series is not made of {type(data).__name__}")


def _binary(name: str, operation: str) -> None:
    def forward(self: Series, other: object) -> Series:
        return self._combined(other, operation)

    def backward(self: Series, other: object) -> Series:
        return self._combined(other, operation, swap=True)

    setattr(Series, f"__{name}__", forward)
    if name not in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Series, f"__r{name}__", backward)


for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
):
    _binary(_name.rstrip("_"), getattr(operator, _name))


def _figure(name: str) -> Any:
    def figure(self: Series) -> Any:
        return getattr(self.values, name)()

    return entitled(figure, name, f"The {name} of the values.")


for _name in ("max", "min", "mean", "sum", "std", "var", "argmax", "argmin", "prod"):
    setattr(Series, _name, _figure(_name))


class _Labelled:
    """`series.loc`."""

    def __init__(self, series: Series) -> None:
        self.series = series

    def __getitem__(self, key: object) -> Any:
        return self.series[key]

    def __setitem__(self, key: object, val: object) -> None:
        self.series[key] = val


class _Numbered:
    """`series.iloc`."""

    def __init__(self, method_name: str, series: Series) -> None:
        self.name, self.series = method_name, series

    def validate_key(self, key: object) -> Any:
        """The rows or the mask that a key means."""
        key = array(key) if isinstance(key, list) else key
        if isinstance(key, slice):
            return _rows_of_slice(key, self.series.size)
        if isinstance(key, Int) and not isinstance(key, bool):
            if key >= self.series.size:
                raise IndexError(f".{self.name} cannot enlarge its target object.")
            return key
        if not isinstance(key, pdarray):
            raise TypeError(f".{self.name} requires integer keys")
        if len(key) == 0:
            raise ValueError("Cannot index using 0-length iterables.")
        if key.dtype == bigint() or key.dtype not in (np.int64, np.bool_):
            raise TypeError(f".{self.name} requires integer keys")
        if key.dtype == np.bool_ and key.size != self.series.size:
            raise IndexError(f"Boolean index has wrong length: {key.size} instead of {self.series.size}")
        if key.dtype == np.int64 and bool((key >= self.series.size).any()):
            raise IndexError(f".{self.name} cannot enlarge its target object.")
        return key

    def __getitem__(self, key: object) -> Series:
        key = self.validate_key(key)
        key = array([key]) if isinstance(key, Int) else key
        return Series(index=self.series.index[key], data=self.series.values[key])

    def __setitem__(self, key: object, val: object) -> None:
        key, val = self.validate_key(key), self.series.validate_val(val)
        if isinstance(val, pdarray) and isinstance(key, pdarray) and key.dtype == np.int64 and len(val) != len(key):
            raise ValueError("cannot set using a list-like indexer with a different length than the value")
        self.series.values[key] = val
