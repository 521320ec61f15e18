# SPDX-License-Identifier: Apache-2.0
"""Object columns: any Python values, for a few rows of different types, such as one row of a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import Array
from ..arrays.creation import asarray
from .column import Column, as_column

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from ..arrays.ndarray import ndarray


def object_array(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """A NumPy array of exactly these objects: lists among them stay lists."""
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


class Objects(Column):
    """Values of any types, held whole by each process that runs the script. None and NaN are missing.

    Examples
    --------
    >>> import atoll as ak
    >>> from atoll.columns.objects import Objects
    >>> Objects([1, "a", None])
    objects([1, 'a', None])
    """

    __slots__ = ()

    def __init__(self, values: Iterable[Any]) -> None:
        self._keep(object_array(list(values)))

    def _keep(self, objects: np.ndarray[Any, Any]) -> None:
        missing = np.fromiter(map(is_missing, objects), bool, objects.size)
        self._values = objects
        self._valid = asarray(~missing) if missing.any() else None

    @property
    def kind(self) -> str:
        """The dtype: "object"."""
        return "object"

    def _take(self, rows: ndarray) -> Any:
        return self._values[rows.to_numpy()]

    def _item(self, row: int) -> Any:
        return self._values[row]

    def to_list(self) -> list[Any]:
        """The values themselves."""
        values: list[Any] = self._values.tolist()
        return values

    tolist = to_list

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """An array of objects."""
        values: np.ndarray[Any, Any] = self._values.copy()
        return values

    def to_arrow(self) -> Any:
        """A pyarrow array, when pyarrow knows a type that holds them all."""
        import pyarrow as pa

        return pa.array(self.to_list())

    def to_pandas(self) -> Any:
        """A pandas Series of objects."""
        import pandas as pd

        return pd.Series(self._values, dtype=object)

    def __repr__(self) -> str:
        return self._repr("objects", [])

    def fillna(self, value: ArrayLike) -> Any:
        """The column with a value where one is missing."""
        return Objects([value if is_missing(one) else one for one in self._values])

    def astype(self, dtype: Any) -> Any:
        """The values in a type of arrays, or as strings."""
        if dtype is object:
            return self
        if dtype is str or (isinstance(dtype, str) and dtype in ("str", "string")):
            return asarray([None if is_missing(one) else str(one) for one in self._values], dtype="str")
        if self._valid is None:
            return asarray(self._values.astype(dtype))
        return Column(asarray(np.where(self._valid.to_numpy(), self._values, 0).astype(dtype)), self._valid)

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, (Column, Array)):
            other = as_column(other).to_numpy()
        result = operation(self._values, other)
        return asarray(result) if result.dtype != object else Objects(result)

    def _argsort(self) -> ndarray:
        return asarray(np.array(sorted(range(self.size), key=self._values.__getitem__), dtype=np.int64))

    def numbers(self) -> tuple[ndarray, Any, ndarray]:
        """As of every column; strings stand behind other values, and values without an order as they appear first."""
        there = self.dropna()
        first: dict[Any, int] = {}
        for row, value in enumerate(there._values):
            first.setdefault(value, row)
        distinct = _in_order(list(first))
        places = {value: place for place, value in enumerate(distinct)}
        numbers = np.array([places[value] for value in there._values], dtype=np.int64)
        firsts = np.array([first[value] for value in distinct], dtype=np.int64)
        rows, firsts_of_all = self._spread(asarray(numbers), asarray(firsts))
        return rows, Objects(distinct), firsts_of_all

    def _there(self) -> Any:
        return self._values if self._valid is None else self._values[self._valid.to_numpy()]

    def _all_missing(self, size: int) -> Objects:
        return Objects([np.nan] * size)

    def _like(self, values: Any, valid: Any) -> Objects:
        column: Objects = object.__new__(Objects)
        column._keep(values if valid is None else _with_gaps(values, valid.to_numpy()))
        return column

    def __reduce__(self) -> Any:
        return Objects, (self.to_list(),)

    def apply(self, function: Callable[[Any], Any]) -> Any:
        """`function` of each value that is not missing."""
        return Objects([one if is_missing(one) else function(one) for one in self._values])

    __hash__ = None


def _in_order(values: list[Any]) -> list[Any]:
    """Values in order, as pandas puts them: strings behind others; as they are where these have no order either."""
    try:
        return sorted(values)
    except TypeError:
        texts = [one for one in values if isinstance(one, str)]
    try:
        return sorted(one for one in values if not isinstance(one, str)) + sorted(texts)
    except TypeError:
        return values


def _with_gaps(values: np.ndarray[Any, Any], valid: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The values with NaN for new missing ones; existing missing objects stay."""
    made = values.copy()
    for row in np.flatnonzero(~valid):
        if not is_missing(made[row]):
            made[row] = np.nan
    return made


def is_missing(value: object) -> bool:
    """Whether a Python value is a missing value: None, NaN, NaT, pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA has no truth value; arrays have several
        return type(value).__name__ == "NAType"
