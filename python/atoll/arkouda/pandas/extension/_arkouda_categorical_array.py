# SPDX-License-Identifier: Apache-2.0
"""Categories of Arkouda's in pandas' own objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import atoll

from ...numpy.pdarraycreation import array
from ...numpy.strings import Strings
from ...objects import lift
from ..categorical import Categorical
from ..groupbyclass import GroupBy
from ._arkouda_extension_array import ArkoudaExtensionArray, data_of, rows_of
from ._arkouda_string_array import ArkoudaStringArray
from ._dtypes import HOLDERS

if TYPE_CHECKING:
    from ....annotations import ColumnType, DTypeLike

__all__ = ["ArkoudaCategorical"]


class ArkoudaCategorical(ArkoudaExtensionArray):
    """A column of categories that pandas' objects hold.

    Examples
    --------
    >>> import pandas as pd
    >>> import atoll.arkouda as ak
    >>> from atoll.arkouda.pandas.extension import ArkoudaCategorical
    >>> s = pd.Series(ArkoudaCategorical(ak.Categorical(ak.array(["low", "high", "low"]))))
    >>> s.tolist(), s.value_counts().to_numpy()
    (['low', 'high', 'low'], array([2, 1]))
    """

    def __init__(self, data: Any, dtype: DTypeLike = None, copy: bool = False) -> None:
        data = data_of(data) if len(data) or not isinstance(data, (list, tuple)) else array([], dtype="str_")
        if not isinstance(data, Categorical):
            texts = data if isinstance(data, Strings) else data.astype("str_")
            data = Categorical(texts)
        super().__init__(Categorical(data) if copy else data)

    @classmethod
    def _from_sequence(cls, scalars: Any, dtype: ColumnType = None, copy: bool = False) -> Any:
        return cls(scalars, copy=copy)

    @property
    def categories(self) -> Any:
        """The strings that the codes stand for."""
        return self._data.categories

    @property
    def nbytes(self) -> int:
        """Bytes of the codes and the categories."""
        return int(self._data.codes.nbytes + self._data.categories.nbytes)

    def to_ndarray(self) -> Any:
        """The strings of all rows as a NumPy array here."""
        return self._data.to_strings().to_ndarray() if len(self) else self._data.to_ndarray()

    def _codes_by_text(self) -> dict[str, int]:
        return {text: code for code, text in enumerate(self._data.categories.to_ndarray().tolist())}

    def _with(self, codes: Any) -> Any:
        return Categorical.from_codes(lift(codes), self._data.categories)

    def _chosen(self, mask: Any, value: Any, data: Any) -> Any:
        known = self._codes_by_text()
        if value == self.dtype.na_value:
            value = self._data.na_value
        if value not in known:
            raise ValueError(f"{value!r} is none of the categories; they are {', '.join(map(repr, [*known][:5]))}, …")
        return self._with(atoll.where(mask._a, known[value], data.codes._a))

    def __setitem__(self, key: object, value: object) -> None:
        rows = rows_of(key, len(self))
        values = [value] if isinstance(value, str) else ArkoudaCategorical(value).to_ndarray().tolist()
        known = self._codes_by_text()
        if not known.keys() >= set(values):
            texts = ArkoudaStringArray(self._data.to_strings())
            texts[key] = value
            self._data = Categorical(texts._data)
            return
        codes = self._data.codes._a.copy()
        numbers = [known[one] for one in values]
        codes[rows._a if hasattr(rows, "_a") else rows] = numbers[0] if len(numbers) == 1 else atoll.asarray(numbers)
        self._data = self._with(codes)

    @staticmethod
    def _counted(data: Any) -> Any:
        groups = GroupBy(data.codes)
        return Categorical.from_codes(groups.unique_keys, data.categories), groups.size()[1]


HOLDERS["Categorical"] = ArkoudaCategorical
