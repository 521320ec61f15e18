# SPDX-License-Identifier: Apache-2.0
"""Strings of Arkouda's in pandas' own objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import atoll

from ...numpy.pdarraycreation import array
from ...numpy.strings import Strings
from ...objects import lift
from ..categorical import Categorical
from ._arkouda_extension_array import ArkoudaExtensionArray, data_of, rows_of
from ._dtypes import HOLDERS

if TYPE_CHECKING:
    from ....annotations import ColumnType, DTypeLike

__all__ = ["ArkoudaStringArray"]


class ArkoudaStringArray(ArkoudaExtensionArray):
    """A column of strings that pandas' objects hold.

    Examples
    --------
    >>> import pandas as pd
    >>> import atoll.arkouda as ak
    >>> from atoll.arkouda.pandas.extension import ArkoudaStringArray
    >>> s = pd.Series(ArkoudaStringArray(ak.array(["b", "a", "b"])))
    >>> s[s == "b"].index.tolist(), s.value_counts().to_numpy()
    ([0, 2], array([2, 1]))
    """

    default_fill_value = ""

    def __init__(self, data: Any, dtype: DTypeLike = None, copy: bool = False) -> None:
        data = data_of(data) if len(data) or isinstance(data, Strings) else array([], dtype="str_")
        if isinstance(data, Categorical):
            data = data.to_strings()
        if not isinstance(data, Strings):
            data = data.astype("str_")
        super().__init__(data[:] if copy else data)

    @classmethod
    def _from_sequence(cls, scalars: Any, dtype: ColumnType = None, copy: bool = False) -> Any:
        return cls(scalars, copy=copy)

    def _chosen(self, mask: Any, value: Any, data: Any) -> Any:
        return lift(data._a._choose(mask._a, str(value), data._a))

    def __setitem__(self, key: object, value: Any) -> None:
        size = len(self)
        rows = rows_of(key, size)
        numbers = atoll.arange(size)[rows._a if hasattr(rows, "_a") else rows]
        if isinstance(rows, int):
            numbers = atoll.asarray([rows])
        texts = data_of(value) if not isinstance(value, str) else array([value])
        sources = atoll.arange(size)
        count = int(numbers.size)
        sources[numbers] = size + (atoll.arange(count) if texts.size == count else atoll.zeros(count, dtype="int64"))
        together = self._data._a._together([self._data._a, texts._a])
        self._data = lift(together.take(sources))


HOLDERS["Strings"] = ArkoudaStringArray
