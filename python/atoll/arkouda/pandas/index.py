# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `Index` and `MultiIndex`: the labels of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..numpy.arrays import pdarray
from ..numpy.casting import cast
from ..numpy.dtypes import INFERRED_TYPES, Int
from ..numpy.pdarraycreation import array
from ..numpy.pdarraysetops import in1d
from ..numpy.sorting import coargsort
from ..numpy.strings import Strings
from ..numpy.timeclass import Datetime, Timedelta
from ..numpy.util import convert_bytes, generic_concat
from ..numpy.util import map as _map
from ..objects import Labelled
from .categorical import Categorical
from .groupbyclass import GroupBy, unique

if TYPE_CHECKING:
    from ...annotations import ColumnType, DTypeLike, Level

__all__ = ["Index", "MultiIndex"]

ARRAYS = (pdarray, Strings, Categorical)


def _values_of(values: object) -> Any:
    """Arkouda's array of labels, from pandas', too."""
    if isinstance(values, ARRAYS):
        return values
    module = type(values).__module__
    if module.startswith("pandas"):
        inner = getattr(values, "values", values)
        if hasattr(inner, "_data") and isinstance(inner._data, ARRAYS):
            return inner._data
        if hasattr(inner, "codes") and hasattr(inner, "categories"):
            return Categorical(inner)
        values = np.asarray(values)
        if values.dtype.kind == "M":
            return Datetime(values)
        if values.dtype.kind == "m":
            return Timedelta(values)
    return array(values)


class Index(Labelled):
    """Labels of rows.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.Index([3, 1, 2]).argsort()
    array([1 2 0])
    """

    objType = "Index"
    values: Any
    max_list_size = 1000
    __hash__ = None  # type: ignore[assignment]  # == is elementwise

    def __init__(
        self, values: object, name: str | None = None, allow_list: bool = False, max_list_size: int = 1000
    ) -> None:
        self.max_list_size = max_list_size
        if isinstance(values, Index):
            self.values, name = values.values, name if name is not None else values.name
        elif isinstance(values, list) and allow_list:
            if len(values) > max_list_size:
                raise ValueError(
                    f"Cannot create Index because list size {len(values)} exceeds max_list_size {max_list_size}."
                )
            if len({type(one) for one in values}) > 1:
                raise TypeError("Values of Index must all be the same type")
            self.values = values
        elif isinstance(values, (*ARRAYS, list, np.ndarray)) or type(values).__module__.startswith("pandas"):
            if name is None and not isinstance(values, ARRAYS):
                name = getattr(values, "name", None)
            self.values = _values_of(values)
        else:
            raise TypeError(f"Unable to create Index from type {type(values).__name__}")
        self.label = name
        self.registered_name = None
        self.__dict__["_label_dtype"] = None
        self._set_dtype()
        _ = self._id

    def _set_dtype(self) -> None:
        if isinstance(self.values, list):
            kinds = {type(one) for one in self.values}
            self.dtype = np.array(self.values).dtype if len(kinds) <= 1 else np.dtype("O")
            if self.dtype.kind == "U":
                self.dtype = np.dtype(np.str_)
        else:
            self.dtype = self.values.dtype

    def register(self, user_defined_name: str) -> Any:
        """Keeps the labels under a name."""
        if isinstance(self.values, list):
            raise TypeError("Index of a list cannot be registered")
        return super().register(user_defined_name)

    def _list_component_names(self) -> list[str]:
        return [] if isinstance(self.values, list) else self.values._list_component_names()

    # -- what it is --

    size = property(lambda self: len(self.values), doc="Number of labels.")
    shape = property(lambda self: (len(self.values),), doc="The same as a tuple.")
    nlevels = property(lambda self: 1, doc="Numbers of labels of a row.")
    ndim = property(lambda self: 1, doc="One axis.")
    names = property(lambda self: [self.name], doc="The name, as a list.")
    index = property(lambda self: self.values, doc="The labels.")

    @property
    def inferred_type(self) -> Any:
        """What kind of labels there are, as pandas' indexes say."""
        if not isinstance(self.values, list):
            return self.values.inferred_type
        return (INFERRED_TYPES | {"U": "string"}).get(self.dtype.kind, "mixed")

    @property
    def is_unique(self) -> bool:
        """Whether all labels are different."""
        if isinstance(self.values, list):
            return len(set(self.values)) == len(self.values)
        return GroupBy(self.values).ngroups == self.size

    @classmethod
    def from_return_msg(cls, rep_msg: Any) -> Any:
        """Of a server's answer: RuntimeError, as there is no server."""
        raise RuntimeError("there is no server whose answers could be read")

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        shown = repr(self.values)
        name = f", name={self.name!r}" if self.name is not None else ""
        return f"Index({shown}, dtype='{self.dtype}'{name})"

    @staticmethod
    def factory(index: Any) -> Any:
        """An index of one array, or of several."""
        if isinstance(index, Index):
            return index
        if type(index).__name__ == "MultiIndex" or (
            isinstance(index, (list, tuple)) and index and isinstance(index[0], ARRAYS)
        ):
            return Index(index[0]) if isinstance(index, (list, tuple)) and len(index) == 1 else MultiIndex(index)
        return Index(index)

    def memory_usage(self, unit: str = "B") -> Any:
        """Bytes of the labels."""
        if isinstance(self.values, list):
            return convert_bytes(sum(np.asarray(one).nbytes for one in self.values), unit)
        return convert_bytes(self.values.nbytes, unit)

    # -- labels --

    def __getitem__(self, key: Any) -> Any:
        from .series import Series

        if isinstance(key, Series):
            key = key.values
        if isinstance(self.values, list):
            if isinstance(key, Int):
                return self.values[key]
            if isinstance(key, slice):
                return Index(self.values[key], name=self.name, allow_list=True)
            places = key.tolist() if hasattr(key, "tolist") else list(key)
            if places and isinstance(places[0], bool):
                places = [place for place, there in enumerate(places) if there]
            return Index([self.values[place] for place in places], name=self.name, allow_list=True)
        if isinstance(key, list):
            key = array(key)
        found = self.values[key]
        return found if isinstance(key, Int) and not isinstance(key, bool) else Index(found, name=self.name)

    def _array(self) -> Any:
        return array(self.values) if isinstance(self.values, list) else self.values

    def _compared(self, other: object, op: str) -> Any:
        values = other._array() if isinstance(other, Index) else other
        own = self._array()
        if isinstance(values, (*ARRAYS, list)) and len(values) != len(own):
            raise ValueError("Cannot compare arrays of different sizes")
        return own == values if op == "==" else own != values

    def __eq__(self, other: object) -> Any:
        return self._compared(other, "==")

    def __ne__(self, other: object) -> Any:
        return self._compared(other, "!=")

    def equals(self, other: object) -> bool:
        """Whether the other has the same labels."""
        if self is other:
            return True
        if not isinstance(other, Index):
            raise TypeError("other must be of type Index.")
        if type(self) is not type(other) or len(self) != len(other):
            return False
        first, second = self._array(), other._array()
        if isinstance(first, Categorical) != isinstance(second, Categorical):
            first, second = (one.to_strings() if isinstance(one, Categorical) else one for one in (first, second))
        if type(first) is not type(second):
            return False
        return bool((first == second).all()) if len(first) else True

    def argsort(self, ascending: bool = True) -> Any:
        """The numbers of the labels in their order."""
        if isinstance(self.values, list):
            order = sorted(range(len(self.values)), key=lambda place: self.values[place])
            return order if ascending else order[::-1]
        order = self.values.argsort()
        return order if ascending else order[::-1]

    def sort_values(self, return_indexer: bool = False, ascending: bool = True, na_position: str = "last") -> Any:
        """The labels in order; NaN first or last."""
        if na_position not in ("first", "last"):
            raise ValueError(f"invalid na_position: {na_position}")
        order = (
            np.array(self.argsort(), dtype=np.int64) if isinstance(self.values, list) else self.argsort().to_ndarray()
        )
        values = np.array(self.values) if isinstance(self.values, list) else None
        if values is not None and values.dtype.kind == "f":
            order = np.argsort(values, kind="stable")
        missing = values[order] != values[order] if values is not None and values.dtype.kind == "f" else None
        if values is None and isinstance(self.values, pdarray) and self.values.dtype.kind == "f":
            picked = self.values[array(order)].to_ndarray()
            missing = picked != picked
        if missing is None:
            missing = np.zeros(len(order), bool)
        there, gone = order[~missing], order[missing]
        there = there if ascending else there[::-1]
        order = np.concatenate([gone, there] if na_position == "first" else [there, gone])
        places = order.tolist() if isinstance(self.values, list) else array(order)
        made = self[places]
        return (made, places) if return_indexer else made

    def map(self, arg: object) -> Index:
        """The labels replaced by what a mapping has for them."""
        return Index(_map(self._array(), arg), name=self.name)

    def lookup(self, key: object) -> Any:
        """Which rows have one of some labels."""
        if not isinstance(key, ARRAYS):
            key = _keys(key, self._array())
        own = self._array()
        if isinstance(own, pdarray) and isinstance(key, pdarray) and own.dtype != key.dtype:
            key = key.astype(own.dtype)
        if isinstance(own, Strings) and isinstance(key, Categorical):
            key = key.to_strings()
        return in1d(own, key)

    def set_dtype(self, dtype: DTypeLike) -> Index:
        """The labels in another type, in place."""
        self.values = (
            array(self._array(), dtype=dtype) if not isinstance(self.values, ARRAYS) else cast(self.values, dtype)
        )
        self._set_dtype()
        return self

    def _check_types(self, other: object) -> None:
        if type(self) is not type(other):
            raise TypeError("Index Types must match")

    def _merge(self, other: Any) -> Any:
        self._check_types(other)
        return Index(unique(generic_concat([self._array(), other._array()])))

    def _merge_all(self, idx_list: Any) -> Any:
        return Index(unique(generic_concat([self._array(), *(one._array() for one in idx_list)])))

    def _check_aligned(self, other: Any) -> bool:
        self._check_types(other)
        return len(self) == len(other) and bool((self == other).all())

    def concat(self, other: Any) -> Any:
        """The labels with others behind them."""
        self._check_types(other)
        return Index(generic_concat([self._array(), other._array()]))

    def _reindex(self, perm: Any) -> Any:
        return self[perm]

    # -- to others --

    def tolist(self) -> list[Any]:
        """The labels as a list."""
        return list(self.values) if isinstance(self.values, list) else self.values.tolist()

    to_list = tolist

    def to_ndarray(self) -> Any:
        """The labels as a NumPy array."""
        return np.asarray(self.values) if isinstance(self.values, list) else self.values.to_ndarray()

    def to_numpy(self, dtype: ColumnType = None) -> Any:
        """The same, of a type."""
        found = self.to_ndarray()
        return found if dtype is None else found.astype(dtype)

    def to_pandas(self) -> Any:
        """pandas' index."""
        import pandas as pd

        if isinstance(self.values, Categorical):
            return pd.CategoricalIndex(self.values.to_pandas(), name=self.name)
        return pd.Index(self.to_ndarray(), name=self.name)

    def to_dict(self, label: Any = None) -> dict[str, Any]:
        """The labels under a name."""
        return {"idx" if label is None else label[0] if isinstance(label, list) else label: self._array()}


def _keys(key: object, like: Any) -> Any:
    """Labels to look for, as an array."""
    if isinstance(key, Index):
        return key._array()
    several = list(key) if isinstance(key, (list, tuple, np.ndarray)) else [key]
    return array(several, dtype=None if isinstance(like, (Strings, Categorical)) else like.dtype)


class MultiIndex(Index):
    """Several labels for each row.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.MultiIndex([ak.arange(2), ak.array(["a", "b"])], names=["n", "t"]).names
    ['n', 't']
    """

    objType = "MultiIndex"
    levels: list[Any]
    _names: list[Any] | None

    def __init__(self, data: Any, name: str | None = None, names: Any = None) -> None:
        if isinstance(data, MultiIndex):
            levels, names = list(data.levels), names if names is not None else data._names
            name = data.label if name is None else name
        elif isinstance(data, (list, tuple)):
            levels = [_values_of(one) if not isinstance(one, list) else array(one) for one in data]
        elif type(data).__name__ == "MultiIndex":
            levels = [_values_of(_level(data, level)) for level in range(data.nlevels)]
            names = (
                names
                if names is not None
                else (list(data.names) if any(one is not None for one in data.names) else None)
            )
        else:
            raise TypeError("MultiIndex should be an iterable or ak.MultiIndex")
        if len({len(one) for one in levels}) != 1:
            raise ValueError("All columns in MultiIndex must have same length")
        self.levels, self.label = levels, name
        self._names = None if names is None else list(names)
        self.registered_name = None
        self.dtype = np.dtype("O")
        _ = self._id

    def _list_component_names(self) -> list[str]:
        return [name for one in self.levels for name in one._list_component_names()]

    values = property(lambda self: self.levels, doc="The arrays of labels.")
    index = property(lambda self: self.levels, doc="The arrays of labels.")
    size = property(lambda self: len(self.levels[0]), doc="Number of rows.")
    shape = property(lambda self: (len(self.levels[0]),), doc="The same as a tuple.")
    nlevels = property(lambda self: len(self.levels), doc="Number of labels of a row.")
    inferred_type = property(lambda self: "mixed", doc='"mixed"')

    @property
    def names(self) -> list[Any]:
        """The names of the labels."""
        return self._names if self._names is not None else [None] * self.nlevels

    @property
    def is_unique(self) -> bool:
        """Whether all rows have different labels."""
        return GroupBy(self.levels).ngroups == self.size

    def __len__(self) -> int:
        return len(self.levels[0])

    def __repr__(self) -> str:
        return f"MultiIndex({self.levels!r}, names={self.names})"

    def __getitem__(self, key: object) -> Any:
        from .series import Series

        if isinstance(key, Series):
            key = key.values
        if isinstance(key, list):
            key = array(key)
        if isinstance(key, Int) and not isinstance(key, bool):
            key = array([int(key)])
        return MultiIndex([one[key] for one in self.levels], self.label, self._names)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (list, tuple, MultiIndex)):
            raise TypeError("Cannot compare MultiIndex to a scalar")
        others = other.levels if isinstance(other, MultiIndex) else other
        found = None
        for one, value in zip(self.levels, others, strict=True):
            same = one == value
            found = same if found is None else found & same
        return found

    def __ne__(self, other: object) -> Any:
        return ~(self == other)

    def get_level_values(self, level: Level) -> Index:
        """The labels of one number or name."""
        if isinstance(level, str) or not isinstance(level, Int):
            if level not in self.names:
                raise ValueError(f"Cannot get level values because level {level} is not in names {self.names}")
            level = self.names.index(level)
        elif level in self.names:
            level = self.names.index(level)
        elif not -self.nlevels < level < self.nlevels:
            raise ValueError(f"Cannot get level values because level {level} must be within range")
        return Index(self.levels[level], name=self.names[level])

    def equal_levels(self, other: Any) -> bool:
        """Whether the other has the same labels."""
        if self.nlevels != other.nlevels:
            return False
        return all(Index(a).equals(Index(b)) for a, b in zip(self.levels, other.levels, strict=True))

    def equals(self, other: object) -> bool:
        """Whether the other has the same labels."""
        if self is other:
            return True
        if not isinstance(other, Index):
            raise TypeError("other must be of type Index.")
        return isinstance(other, MultiIndex) and len(self) == len(other) and self.equal_levels(other)

    def memory_usage(self, unit: str = "B") -> Any:
        """Bytes of the labels."""
        return convert_bytes(sum(one.nbytes for one in self.levels), unit)

    def argsort(self, ascending: bool = True) -> Any:
        """The numbers of the rows in the order of the labels, the first ones first."""
        order = coargsort(self.levels)
        return order if ascending else order[::-1]

    def lookup(self, key: object) -> Any:
        """Which rows have some labels: a label of each level, or arrays of them."""
        if not isinstance(key, (list, tuple)):
            raise TypeError("MultiIndex lookup failure: key must be a list or tuple")
        keys = [one if isinstance(one, ARRAYS) else _keys(one, own) for one, own in zip(key, self.levels, strict=True)]
        own = [one.to_strings() if isinstance(one, Categorical) else one for one in self.levels]
        keys = [one.to_strings() if isinstance(one, Categorical) else one for one in keys]
        return in1d(own, keys)

    def set_dtype(self, dtype: ColumnType) -> MultiIndex:
        """The labels in another type, in place."""
        self.levels = [cast(one, dtype) for one in self.levels]
        return self

    def _merge(self, other: Any) -> Any:
        self._check_types(other)
        return MultiIndex(
            list(unique([generic_concat([a, b]) for a, b in zip(self.levels, other.levels, strict=True)]))
        )

    def _merge_all(self, idx_list: Any) -> Any:
        merged = self
        for one in idx_list:
            merged = merged._merge(one)
        return merged

    def concat(self, other: Any) -> Any:
        """The rows with others behind them."""
        self._check_types(other)
        levels = [generic_concat([a, b]) for a, b in zip(self.levels, other.levels, strict=True)]
        return MultiIndex(levels, self.label, self._names)

    def to_ndarray(self) -> Any:
        """The labels as a NumPy array of arrays."""
        return np.array([one.to_ndarray() for one in self.levels])

    def tolist(self) -> list[Any]:
        """The labels of each row, as a list."""
        return [list(one) for one in zip(*(level.tolist() for level in self.levels), strict=True)]

    def to_pandas(self) -> Any:
        """pandas' index."""
        import pandas as pd

        arrays = [one.to_pandas() if isinstance(one, Categorical) else one.to_ndarray() for one in self.levels]
        return pd.MultiIndex.from_arrays(arrays, names=self._names)

    def to_dict(self, labels: Any = None) -> dict[str, Any]:
        """The levels under names."""
        names = labels if labels is not None else [f"idx_{place}" for place in range(self.nlevels)]
        return dict(zip(names, self.levels, strict=False))


def _level(data: Any, level: int) -> Any:
    values = data.get_level_values(level)
    return values.values if hasattr(values, "codes") else values
