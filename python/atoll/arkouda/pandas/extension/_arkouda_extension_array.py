# SPDX-License-Identifier: Apache-2.0
"""What all of Arkouda's arrays do inside of pandas' own objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray, ExtensionDtype

import atoll

from ...numpy.arrays import pdarray
from ...numpy.pdarraycreation import array
from ...numpy.pdarraysetops import concatenate
from ...numpy.sorting import argsort
from ...numpy.strings import Strings
from ...objects import lift
from ..categorical import Categorical
from ..groupbyclass import GroupBy
from ._dtypes import HOLDERS, _ArkoudaBaseDtype, of_data

if TYPE_CHECKING:
    from ....annotations import ArrayLike, ColumnType, DTypeLike

__all__ = ["ArkoudaExtensionArray"]


class ArkoudaExtensionArray(ExtensionArray):  # type: ignore[misc]  # pandas has no types of its own
    """An array of Arkouda's that a `pd.Series`, `pd.DataFrame` or `pd.Index` holds; the data stay on all PEs.

    Examples
    --------
    >>> import pandas as pd
    >>> import atoll.arkouda as ak
    >>> from atoll.arkouda.pandas.extension import ArkoudaExtensionArray
    >>> int(pd.Series(ArkoudaExtensionArray._from_sequence(ak.arange(3))).sum())
    3
    """

    #: What stands for a value that is not there; None: the `na_value` of the type.
    default_fill_value: Any = None
    _data: Any

    def __init__(self, data: Any) -> None:
        self._data = data

    @classmethod
    def _from_data(cls, data: object) -> Any:
        return cls(data)

    @classmethod
    def _from_sequence(cls, scalars: Any, dtype: ColumnType = None, copy: bool = False) -> Any:
        """An array of the class that fits the values."""
        data = data_of(scalars)
        made = class_of(data)(data)
        return made.copy() if copy else made

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return of_data(self._data)

    @property
    def nbytes(self) -> int:
        """Bytes of the values."""
        return int(getattr(self._data, "nbytes", 0))

    def __len__(self) -> int:
        return int(self._data.size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._data})"

    def __array__(self, dtype: ColumnType = None, copy: bool | None = None) -> Any:
        return self.to_numpy(dtype)

    def __iter__(self) -> Any:
        values = self.to_numpy()
        return iter(values.tolist() if values.dtype.kind in "UO" else values)

    def to_ndarray(self) -> Any:
        """The values as a NumPy array here."""
        return self._data.to_ndarray()

    def to_numpy(self, dtype: ColumnType = None, copy: bool = False, na_value: Any = None) -> Any:
        """The values as a NumPy array here, of another type if one is given."""
        values = self.to_ndarray()
        return values if dtype is None else values.astype(dtype)

    def copy(self, deep: bool = True) -> Any:
        """An array of the same values; `deep=False` shares them."""
        return self._from_data(copied(self._data) if deep else self._data)

    def view(self, dtype: DTypeLike = None) -> Any:
        """The same data in another object; with a type: cast to it."""
        if dtype is not None:
            return self.astype(dtype, copy=False)
        other = self._from_data(self._data)
        for name in ("_cache", "_na_value", "_mask"):
            if hasattr(self, name):
                setattr(other, name, getattr(self, name))
        return other

    # -- rows --

    def __getitem__(self, key: object) -> Any:
        key = rows_of(key, len(self))
        if isinstance(key, int):
            return self._scalar(self._data[key])
        return self._from_data(self._data[key])

    @staticmethod
    def _scalar(value: object) -> Any:
        return str(value) if isinstance(value, str) else value  # Python's, not NumPy's

    def take(self, indexer: Any, fill_value: object = None, allow_fill: bool = False) -> Any:
        """Rows by their numbers; with `allow_fill`, -1 stands for `fill_value`."""
        rows: Any = indexer if isinstance(indexer, pdarray) else array(np.asarray(indexer, dtype=np.int64))
        size = len(self)
        missing = None
        if rows.size:
            least, greatest = int(rows.min()), int(rows.max())
            if allow_fill and least < -1:
                raise ValueError(f"with allow_fill, -1 alone stands for a missing row, not {least}")
            if greatest >= size and not (size == 0 and allow_fill and greatest < 0):
                raise IndexError(f"row {greatest} is out of bounds of {size} rows")
            if least < 0:
                missing = rows < 0
                rows = lift(atoll.where(missing._a, 0 if allow_fill else rows._a + size, rows._a))
        if not allow_fill or missing is None:
            return self._from_data(self._data[rows])
        fill = self._fill(fill_value)
        if not size:
            return self._from_sequence([fill] * rows.size, dtype=self.dtype)
        return self._from_data(self._chosen(missing, fill, self._data[rows]))

    def _fill(self, value: object) -> Any:
        if value is not None and not (value is pd.NA or value is pd.NaT):
            return value
        return self.dtype.na_value if self.default_fill_value is None else self.default_fill_value

    def _chosen(self, mask: Any, value: Any, data: Any) -> Any:
        """The value where the mask is True, the data elsewhere."""
        return lift(atoll.where(mask._a, atoll.asarray(value).astype(data._a.dtype), data._a))

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence[Any]) -> Any:
        parts = list(to_concat)
        if not parts:
            raise ValueError("Must provide at least one array to concatenate")
        if not all(type(one) is type(parts[0]) for one in parts):
            raise ValueError("All arrays must be instances of the same class")
        if len(parts) == 1:
            return parts[0]._from_data(parts[0]._data)
        if len({str(one._data.dtype) for one in parts}) > 1:
            raise ValueError("All pdarrays must have same dtype")
        return parts[0]._from_data(concatenate([one._data for one in parts], ordered=True))

    # -- order and groups --

    def argsort(
        self, *, ascending: bool = True, kind: str = "quicksort", na_position: str = "last", **options: object
    ) -> Any:
        """Row numbers in order of the values, as a NumPy array; NaN first or last."""
        return order_of(self._data, ascending, na_position).to_ndarray()

    def factorize(self, use_na_sentinel: bool = True) -> Any:
        """Numbers of the values in order of first appearance (a NumPy array), and the values.

        Missing values are -1, or with `use_na_sentinel=False` the number of values.
        """
        data = self._data
        if not len(self):
            return np.empty(0, dtype=np.intp), self._from_data(data)
        groups = GroupBy(data, dropna=False)
        numbers, first = groups._number, atoll.asarray(groups.permutation._a[groups.segments._a])
        appearance = atoll.argsort(first)
        place = atoll.zeros(first.size, dtype="int64")
        place[appearance] = atoll.arange(first.size)
        codes = place[numbers]
        missing = missing_of(data)
        if missing is not None:
            seen = ~missing._a[first]
            after = atoll.cumsum(seen[appearance].astype("int64")) - 1
            kept = int(seen.sum())
            codes = atoll.where(missing._a, -1 if use_na_sentinel else kept, after[codes])
            first = first[seen]
        return codes.to_numpy().astype(np.intp), self._from_data(data[lift(atoll.sort(first))])

    @classmethod
    def _from_factorized(cls, values: ArrayLike, original: Any) -> Any:
        return cls._from_sequence(values, dtype=original.dtype)

    def _values_for_factorize(self) -> Any:
        return self.to_numpy(), self.dtype.na_value

    def value_counts(self, dropna: bool = True) -> Any:
        """How often each value is there: a Series, the most frequent first, both sides on all PEs."""
        numbers = HOLDERS["pdarray"]
        data = self._data
        missing = missing_of(data) if dropna else None
        if missing is not None:
            data = data[~missing]
        if not data.size:
            nothing = numbers(array(np.empty(0, dtype=np.int64)))
            return pd.Series(nothing, index=pd.Index(self._from_data(data)), name="count")
        values, counts = self._counted(data)
        order = lift(atoll.argsort(-counts._a, kind="stable"))
        return pd.Series(numbers(counts[order]), index=pd.Index(self._from_data(values[order])), name="count")

    @staticmethod
    def _counted(data: object) -> Any:
        groups = GroupBy(data)
        return groups.unique_keys, groups.size()[1]

    def isna(self) -> Any:
        """Where a value is missing: a NumPy array."""
        missing = missing_of(self._data)
        return np.zeros(len(self), dtype=bool) if missing is None else missing.to_ndarray()

    def isnull(self) -> Any:
        """As `isna`."""
        return self.isna()

    def equals(self, other: object) -> bool:
        """Whether the other is of the same type and length, with the same values; missing ones are equal."""
        if type(self) is not type(other) or self.dtype != other.dtype or len(self) != len(other):
            return False
        same = self._data == other._data
        missing = missing_of(self._data)
        if missing is not None:
            same = same | (missing & missing_of(other._data))
        return bool(same.all()) if len(self) else True

    # -- operators --

    def _arith_method(self, other: Any, op: Any) -> Any:
        if isinstance(other, ArkoudaExtensionArray):
            other = other._data
        elif not np.isscalar(other):
            return NotImplemented
        return self._from_data(op(self._data, other))

    def _check_compatible_lengths(self, other: Any) -> None:
        if other.size != len(self):
            raise ValueError(f"Lengths must match: {len(self)} and {other.size}")

    def _coerce_other_for_binop(self, other: object) -> Any:
        """Another operand as Arkouda has it, of one row or as many; NotImplemented for what is none."""
        if isinstance(other, ArkoudaExtensionArray):
            other = other._data
        elif np.isscalar(other):
            return other
        elif isinstance(other, (list, tuple, np.ndarray)):
            if np.ndim(other) == 1 and len(other) == 1:
                return other[0]
            other = data_of(other)
        elif not isinstance(other, (pdarray, Strings, Categorical)):
            return NotImplemented
        self._check_compatible_lengths(other)
        return other

    def _compared(self, other: Any, op: Any) -> Any:
        other = self._coerce_other_for_binop(other)
        if other is NotImplemented:
            return NotImplemented
        mine = self._data
        if isinstance(mine, Categorical) and isinstance(other, (Strings, Categorical)):
            mine, other = (one.to_strings() if isinstance(one, Categorical) else one for one in (mine, other))
        return HOLDERS["pdarray"](op(mine, str(other) if isinstance(other, str) else other))

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, (pd.Series, pd.DataFrame, pd.Index)):
            return NotImplemented
        return self._compared(other, lambda a, b: a == b)

    def __ne__(self, other: Any) -> Any:
        if isinstance(other, (pd.Series, pd.DataFrame, pd.Index)):
            return NotImplemented
        return self._compared(other, lambda a, b: a != b)

    # -- types --

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Any:
        """The values as another type: an array of Arkouda's again, for `object` one of NumPy's."""
        wanted = target_of(dtype)
        if wanted == "object":
            return self.to_numpy().astype(object)
        if wanted == self.dtype.name:
            return self.copy() if copy else self
        data = self._data.to_strings() if isinstance(self._data, Categorical) else self._data
        if wanted == "category":
            texts = data if isinstance(data, Strings) else data.astype("str_")
            data = Categorical(texts)
        elif wanted == "string":
            data = data if isinstance(data, Strings) else data.astype("str_")
        else:
            data = data.astype({"bool_": "bool"}.get(wanted, wanted))
        return class_of(data)(data)


HOLDERS["any"] = ArkoudaExtensionArray


def class_of(data: object) -> Any:
    """The class that holds a pdarray, Strings or Categorical."""
    return HOLDERS[next(kind.__name__ for kind in (Strings, Categorical, pdarray) if isinstance(data, kind))]


def data_of(values: ArrayLike) -> Any:
    """A sequence of Python's, NumPy's or pandas' as a pdarray, Strings or Categorical; TypeError for what is none."""
    if isinstance(values, ArkoudaExtensionArray):
        return values._data
    if isinstance(values, (pdarray, Strings, Categorical)):
        return values
    if isinstance(values, (pd.Series, pd.Index)):
        return data_of(values.array)
    if isinstance(values, pd.Categorical):
        return Categorical(values)
    if isinstance(values, (dict, set, str, bytes)) or not hasattr(values, "__len__"):
        raise TypeError(
            f"an array is made of a pdarray, Strings, Categorical or a sequence, not {type(values).__name__}"
        )
    local = np.asarray(values)
    if local.dtype == object and local.ndim == 1 and not any(isinstance(one, str) for one in local):
        local = np.asarray(local.tolist())
    if local.ndim != 1:
        raise ValueError(f"arrays in pandas' objects have one dimension, not {local.ndim}")
    if local.dtype.kind in "OT" and all(isinstance(one, str) for one in local):
        local = np.asarray([str(one) for one in local], dtype=str) if local.size else local.astype(str)
    return array(local)


def copied(data: Any) -> Any:
    """A copy of the array object over the same values."""
    return Categorical(data) if isinstance(data, Categorical) else data[:]


def missing_of(data: Any) -> Any:
    """Where values are missing; None if none can be."""
    if isinstance(data, Categorical):
        return (data.codes < 0) | (data.codes == data._NAcode)
    if isinstance(data, pdarray) and str(data.dtype).startswith("float"):
        return lift(atoll.isnan(data._a))
    return None


def order_of(data: object, ascending: bool, na_position: str) -> Any:
    """Row numbers in order of the values: a pdarray."""
    if na_position not in ("first", "last"):
        raise ValueError(f"na_position must be 'first' or 'last', not {na_position!r}")
    if not isinstance(data, (pdarray, Strings, Categorical)):
        raise TypeError(f"argsort takes a pdarray, Strings or Categorical, not {type(data).__name__}")
    missing = missing_of(data)
    order = argsort(data)._a
    if not ascending:
        order = order[::-1]
    if missing is None or isinstance(data, Categorical) or not bool(missing.any()):
        return lift(order)
    last = missing._a[order]
    parts = [order[~last], order[last]]
    return lift(atoll.concatenate(parts if na_position == "last" else parts[::-1]))


def rows_of(key: object, size: int) -> Any:
    """A key of pandas' as Arkouda's arrays take it: a number, a slice, or a pdarray of numbers or truth."""
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    if key is Ellipsis:
        return slice(None)
    if isinstance(key, ArkoudaExtensionArray):
        key = key._data
    if isinstance(key, (slice, pdarray)):
        return key
    if isinstance(key, (int, np.integer)) and not isinstance(key, (bool, np.bool_)):
        if not -size <= key < size:
            raise IndexError(f"row {key} is out of bounds of {size} rows")
        return int(key) + (size if key < 0 else 0)
    if isinstance(key, (list, tuple)):
        truth = [isinstance(one, (bool, np.bool_)) for one in key]
        if any(truth) and not all(truth):
            raise NotImplementedError("rows are chosen by numbers or by truth, not by both")
    local = np.asarray(key)
    if not local.size:
        local = local.astype(np.int64)
    if local.dtype.kind not in "iub":
        raise TypeError(f"rows are chosen by numbers or by truth, not by {local.dtype}")
    return array(local if local.dtype.kind == "b" else local.astype(np.int64))


def target_of(dtype: DTypeLike) -> str:
    """The name of the type to cast to, among Arkouda's; `object` for NumPy's objects."""
    if isinstance(dtype, _ArkoudaBaseDtype):
        return dtype.name
    if isinstance(dtype, str):
        try:
            return str(_ArkoudaBaseDtype.construct_from_string(dtype).name)
        except TypeError:
            dtype = {"category": pd.CategoricalDtype(), "string": str, "str_": str, "bool_": bool}.get(dtype, dtype)
    if dtype == "bigint" or getattr(dtype, "name", "") == "bigint":
        return "bigint"
    if isinstance(dtype, pd.CategoricalDtype):
        return "category"
    if isinstance(dtype, pd.StringDtype):
        return "string"
    if isinstance(dtype, ExtensionDtype):
        dtype = getattr(dtype, "numpy_dtype", object)
    kind = np.dtype(dtype)
    if kind.kind in "OUT":
        return "object" if kind.kind == "O" else "string"
    return "bool_" if kind.kind == "b" else kind.name
