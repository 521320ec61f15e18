# SPDX-License-Identifier: Apache-2.0
"""`series.ak`: a Series of pandas' as Arkouda's, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas.api.extensions import register_series_accessor

from ...apply import apply
from ...numpy.arrays import pdarray
from ...numpy.pdarraycreation import arange
from ..categorical import Categorical
from ..groupbyclass import GroupBy
from ..series import Series as ak_Series
from ._arkouda_array import ArkoudaArray
from ._arkouda_extension_array import ArkoudaExtensionArray, class_of, data_of, order_of
from ._index_accessor import ArkoudaIndexAccessor, _ak_index_to_pandas_no_copy

if TYPE_CHECKING:
    from collections.abc import Callable

    from ....annotations import Label

__all__ = ["ArkoudaSeriesAccessor"]


def _ak_arr_to_pandas_ea(akarr: Any) -> Any:
    """An array of Arkouda's as one that pandas holds."""
    return class_of(akarr)(akarr)


def _pandas_series_to_ak_array(s: Any) -> Any:
    """The values of a Series of pandas' as an array of Arkouda's."""
    return data_of(s.array)


def _ak_array_to_pandas_series(akarr: Any, name: Label = None, index: object = None) -> Any:
    """A Series of pandas' that holds an array of Arkouda's; its index lies on the PEs, too."""
    values = _ak_arr_to_pandas_ea(akarr)
    labels = pd.Index(ArkoudaArray(arange(len(values)))) if index is None else ArkoudaIndexAccessor(index).to_ak()
    return pd.Series(values, index=labels, name=name)


@register_series_accessor("ak")
class ArkoudaSeriesAccessor:
    """What Arkouda adds to a Series of pandas'.

    Examples
    --------
    >>> import pandas as pd
    >>> import atoll.arkouda as ak
    >>> import atoll.arkouda.pandas.extension
    >>> s = pd.Series([3, 1, 3], name="n").ak.to_ak()
    >>> s.ak.is_arkouda, s.ak.groupby().size()
    (True, (array([1 3]), array([1 2])))
    >>> s.ak.apply(lambda n: n * n).to_numpy()
    array([9, 1, 9])
    """

    def __init__(self, pandas_obj: Any) -> None:
        self._obj = pandas_obj

    @staticmethod
    def from_ak_legacy(akarr: Any, name: Label = None) -> Any:
        """A Series of pandas' that holds an array, or a Series, of Arkouda's."""
        if isinstance(akarr, ak_Series):
            index = _ak_index_to_pandas_no_copy(akarr.index)
            return _ak_array_to_pandas_series(akarr.values, name=akarr.name if name is None else name, index=index)
        return _ak_array_to_pandas_series(akarr, name=name)

    def to_ak(self) -> Any:
        """The Series with its values and its index on all PEs."""
        if self.is_arkouda:
            return self._obj
        return _ak_array_to_pandas_series(
            _pandas_series_to_ak_array(self._obj), name=self._obj.name, index=self._obj.index
        )

    def to_ak_legacy(self) -> Any:
        """Arkouda's own Series of the same values and labels."""
        s = self._obj
        return ak_Series(_pandas_series_to_ak_array(s), name=s.name, index=ArkoudaIndexAccessor(s.index).to_ak_legacy())

    def collect(self) -> Any:
        """The Series with its values and labels here, as NumPy has them."""
        s = self._obj
        index = ArkoudaIndexAccessor(s.index).collect()
        if not isinstance(s.array, ArkoudaExtensionArray):
            return pd.Series(s.array, index=index, name=s.name)
        data = s.array._data
        return pd.Series(
            data.to_pandas() if isinstance(data, Categorical) else s.array.to_ndarray(), index=index, name=s.name
        )

    @property
    def is_arkouda(self) -> bool:
        """Whether values and labels lie on the PEs."""
        return isinstance(self._obj.array, ArkoudaExtensionArray) and ArkoudaIndexAccessor(self._obj.index).is_arkouda

    @staticmethod
    def _from_return_msg(rep_msg: str) -> Any:
        return ArkoudaSeriesAccessor.from_ak_legacy(ak_Series.from_return_msg(rep_msg))

    def _column(self) -> Any:
        if not isinstance(self._obj.array, ArkoudaExtensionArray):
            raise TypeError("Series must be Arkouda-backed. Call .ak.to_ak() first.")
        data = self._obj.array._data
        if data is None:
            raise TypeError("Arkouda-backed Series array does not expose '_data'")
        return data

    def locate(self, key: object) -> Any:
        """The values of labels, as Arkouda's `Series.locate` finds them."""
        if isinstance(key, pd.Index):
            key = ArkoudaIndexAccessor(key).to_ak_legacy()
        elif isinstance(key, pd.Series):
            key = ArkoudaSeriesAccessor(key).to_ak_legacy()
        elif isinstance(self._obj.index, pd.MultiIndex) and not isinstance(key, tuple):
            raise TypeError("the key of a MultiIndex is a tuple")
        return self.from_ak_legacy(self.to_ak_legacy().locate(key))

    def groupby(self) -> Any:
        """The groups of equal values: Arkouda's `GroupBy`."""
        return GroupBy(self._column())

    def argsort(self, *, ascending: bool = True, na_position: str = "last", **options: object) -> Any:
        """Row numbers in order of the values, on the PEs; NaN first or last."""
        order = order_of(self._column(), ascending, na_position)
        return _ak_array_to_pandas_series(order, name=self._obj.name, index=self._obj.index)

    def apply(self, func: Callable[..., Any], result_dtype: Any = None) -> Any:
        """What a function gives for each value, as Arkouda's `apply` has it; numbers alone."""
        data = self._column()
        if not isinstance(data, pdarray):
            raise TypeError("apply only supports numeric pdarray values")
        return _ak_array_to_pandas_series(apply(data, func, result_dtype), name=self._obj.name, index=self._obj.index)
