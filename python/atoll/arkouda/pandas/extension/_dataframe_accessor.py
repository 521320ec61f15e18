# SPDX-License-Identifier: Apache-2.0
"""`frame.ak`: a DataFrame of pandas' as Arkouda's, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas.api.extensions import register_dataframe_accessor

from ...numpy.arrays import pdarray
from ...numpy.strings import Strings
from ..categorical import Categorical
from ..dataframe import DataFrame as ak_DataFrame
from ..merging import merge
from ._arkouda_extension_array import ArkoudaExtensionArray
from ._index_accessor import ArkoudaIndexAccessor, _ak_index_to_pandas_no_copy
from ._series_accessor import ArkoudaSeriesAccessor, _ak_array_to_pandas_series, _pandas_series_to_ak_array

if TYPE_CHECKING:
    from ....annotations import Label

__all__ = ["ArkoudaDataFrameAccessor"]


def _looks_like_ak_col(obj: object) -> bool:
    """Whether it is a column of Arkouda's."""
    return isinstance(obj, (pdarray, Strings, Categorical))


def _extract_ak_from_ea(ea: object) -> Any:
    """The column in an array of pandas'; TypeError if there is none of Arkouda's."""
    data = getattr(ea, "_data", None)
    if not isinstance(ea, ArkoudaExtensionArray) or not _looks_like_ak_col(data):
        raise TypeError(f"{type(ea).__name__} holds no column of Arkouda's")
    return data


def _is_arkouda_series(s: Any) -> bool:
    """Whether the values of a Series lie on the PEs."""
    return isinstance(s.array, ArkoudaExtensionArray)


def _series_to_akcol_no_copy(s: Any) -> Any:
    """The column in a Series of pandas'; TypeError if there is none of Arkouda's."""
    return _extract_ak_from_ea(s.array)


def _akcol_to_series(name: Label, akcol: Any, index: object = None) -> Any:
    """A Series of pandas' that holds a column of Arkouda's."""
    return _ak_array_to_pandas_series(akcol, name=name, index=index)


def _df_to_akdf_no_copy(df: Any) -> Any:
    """A DataFrame of Arkouda's of the columns that one of pandas' holds."""
    columns = {name: _series_to_akcol_no_copy(df[name]) for name in df.columns}
    return ak_DataFrame(columns, index=ArkoudaIndexAccessor(df.index).to_ak_legacy())


def _akdf_to_pandas_no_copy(akdf: Any) -> Any:
    """A DataFrame of pandas' that holds the columns of one of Arkouda's."""
    index = _ak_index_to_pandas_no_copy(akdf.index)
    return pd.DataFrame({name: _akcol_to_series(name, akdf[name], index) for name in akdf.columns}, index=index)


@register_dataframe_accessor("ak")
class ArkoudaDataFrameAccessor:
    """What Arkouda adds to a DataFrame of pandas'.

    Examples
    --------
    >>> import pandas as pd
    >>> import atoll.arkouda as ak
    >>> import atoll.arkouda.pandas.extension
    >>> left = pd.DataFrame({"id": [1, 2], "name": ["a", "b"]}).ak.to_ak()
    >>> right = pd.DataFrame({"id": [2, 3], "score": [5, 6]}).ak.to_ak()
    >>> left.ak.merge(right, on="id")["score"].to_numpy()
    array([5])
    """

    def __init__(self, pandas_obj: Any) -> None:
        self._obj = pandas_obj

    @staticmethod
    def from_ak_legacy(akdf: Any) -> Any:
        """A DataFrame of pandas' that holds the columns of one of Arkouda's."""
        return _akdf_to_pandas_no_copy(akdf)

    def to_ak(self) -> Any:
        """The DataFrame with its columns and its index on all PEs."""
        df = self._obj
        index = ArkoudaIndexAccessor(df.index).to_ak()
        columns = {name: _akcol_to_series(name, _pandas_series_to_ak_array(df[name]), index) for name in df.columns}
        return pd.DataFrame(columns, index=index)

    def to_ak_legacy(self) -> Any:
        """Arkouda's own DataFrame of the same columns."""
        return _df_to_akdf_no_copy(self.to_ak())

    def collect(self) -> Any:
        """The DataFrame with its columns here, as NumPy has them."""
        df = self._obj
        index = ArkoudaIndexAccessor(df.index).collect()
        columns = {name: ArkoudaSeriesAccessor(df[name]).collect().set_axis(index) for name in df.columns}
        return pd.DataFrame(columns, index=index)

    def _assert_all_arkouda(self, df: Any, side: str) -> None:
        for name in df.columns:
            if not _is_arkouda_series(df[name]):
                raise TypeError(f"All columns of the {side} side must be Arkouda ExtensionArrays; {name!r} is not")

    def merge(self, right: object, on: object = None, how: str = "inner") -> Any:
        """The rows of both sides whose keys are equal, as Arkouda's `merge` joins them."""
        self._assert_all_arkouda(self._obj, "left")
        self._assert_all_arkouda(right, "right")
        joined = merge(_df_to_akdf_no_copy(self._obj), _df_to_akdf_no_copy(right), on=on, how=how)
        return _akdf_to_pandas_no_copy(joined)
