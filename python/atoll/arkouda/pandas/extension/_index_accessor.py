# SPDX-License-Identifier: Apache-2.0
"""`index.ak`: an index of pandas' as Arkouda's, and back."""

from __future__ import annotations

from typing import Any

import pandas as pd
from pandas.api.extensions import register_index_accessor

from ...numpy.arrays import pdarray
from ...numpy.pdarraycreation import arange, array
from ...objects import entitled
from ..categorical import Categorical
from ..index import Index as ak_Index
from ..index import MultiIndex as ak_MultiIndex
from ._arkouda_extension_array import ArkoudaExtensionArray, class_of, data_of

__all__ = ["ArkoudaIndexAccessor"]


def _column_of(index: Any) -> Any:
    """An index of one level as an array of Arkouda's."""
    if isinstance(index, pd.RangeIndex):
        return arange(index.start, index.stop, index.step)
    return data_of(index.array)


def _pandas_index_to_ak(index: Any) -> Any:
    """An index of pandas' as one of Arkouda's."""
    if isinstance(index, pd.MultiIndex):
        levels = [_column_of(index.get_level_values(level)) for level in range(index.nlevels)]
        return ak_MultiIndex(levels, names=list(index.names))
    return ak_Index(_column_of(index), name=index.name)


def _ak_index_to_pandas_no_copy(akidx: Any) -> Any:
    """An index of Arkouda's as one of pandas' that holds the same arrays."""
    if isinstance(akidx, ak_MultiIndex):
        return pd.MultiIndex.from_arrays([_held(one) for one in akidx.levels], names=akidx.names)
    return pd.Index(_held(akidx.values), name=akidx.name)


def _held(column: object) -> Any:
    data = getattr(column, "values", column)
    if isinstance(data, list):
        data = array(data)
    return class_of(data)(data)


@register_index_accessor("ak")
class ArkoudaIndexAccessor:
    """What Arkouda adds to an index of pandas'.

    Examples
    --------
    >>> import pandas as pd
    >>> import atoll.arkouda as ak
    >>> import atoll.arkouda.pandas.extension
    >>> index = pd.Index([10, 20, 30], name="n").ak.to_ak()
    >>> index.ak.is_arkouda, index.ak.lookup(20)
    (True, array([False True False]))
    """

    def __init__(self, pandas_obj: Any) -> None:
        self._obj = pandas_obj

    @staticmethod
    def from_ak_legacy(akidx: Any) -> Any:
        """An index of pandas' that holds the arrays of one of Arkouda's."""
        return _ak_index_to_pandas_no_copy(akidx)

    def to_ak(self) -> Any:
        """The index with its values on all PEs."""
        return self._obj if self.is_arkouda else _ak_index_to_pandas_no_copy(self.to_ak_legacy())

    def to_ak_legacy(self) -> Any:
        """Arkouda's own Index or MultiIndex of the same values."""
        return _pandas_index_to_ak(self._obj)

    def collect(self) -> Any:
        """The index with its values here, as NumPy has them."""
        index = self._obj
        if isinstance(index, pd.MultiIndex):
            levels = [_local(index.get_level_values(level)) for level in range(index.nlevels)]
            return pd.MultiIndex.from_arrays(levels, names=index.names)
        return _local(index)

    @property
    def is_arkouda(self) -> bool:
        """Whether the values of all levels lie on the PEs."""
        index = self._obj
        parts = index.levels if isinstance(index, pd.MultiIndex) else [index]
        return all(isinstance(one.array, ArkoudaExtensionArray) for one in parts)

    @staticmethod
    def _from_return_msg(rep_msg: str) -> Any:
        return ArkoudaIndexAccessor.from_ak_legacy(ak_Index.from_return_msg(rep_msg))

    def concat(self, other: object) -> Any:
        """The rows of this index, then those of another."""
        joined = self.to_ak_legacy().concat(_pandas_index_to_ak(other))
        joined.name = self._obj.name
        return _ak_index_to_pandas_no_copy(joined)

    def lookup(self, key: object) -> Any:
        """Which labels are the key, or among several: a pdarray of truth."""
        index = self.to_ak_legacy()
        if not isinstance(key, (list, tuple, pdarray)) and not hasattr(key, "size"):
            key = array([key])
        return index.lookup(key)

    def to_dict(self, labels: object = None) -> Any:
        """The arrays of the levels by labels."""
        return self.to_ak_legacy().to_dict(labels)


def _local(index: Any) -> Any:
    if not isinstance(index.array, ArkoudaExtensionArray):
        return index.copy()
    if isinstance(index.array._data, Categorical):
        return pd.Index(index.array._data.to_pandas(), name=index.name)
    return pd.Index(index.array.to_ndarray(), name=index.name)


def _written(name: str) -> Any:
    def write(self: Any, prefix_path: str, **options: object) -> Any:
        return getattr(self.to_ak_legacy(), name)(prefix_path, **options)

    return entitled(write, name, f"Writes the index as Arkouda's `Index.{name}` does.")


for _name in ("to_hdf", "update_hdf", "to_parquet", "to_csv"):
    setattr(ArkoudaIndexAccessor, _name, _written(_name))
