# SPDX-License-Identifier: Apache-2.0
"""Types of what users pass: arrays, scalars, dtypes, axes, shapes and labels.

Annotations alone use these names. Functions check the values that they get, and raise
TypeError or ValueError with NumPy's or pandas' words.
"""

from __future__ import annotations

import datetime
import decimal
import os
from collections.abc import Hashable, Sequence
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .arrays.array import Array, Columnar

__all__ = [
    "ArrayLike", "Axes", "Axis", "ColumnType", "DTypeLike", "Device", "Files", "Label", "Level", "Out", "PathLike",
    "Scalar", "Shape", "SupportsArray", "SupportsColumn", "SupportsDType",
]  # fmt: skip


class SupportsArray(Protocol):
    """An object of another library that NumPy can convert: its `__array__` gives the elements."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


class SupportsColumn(Protocol):
    """An object of another library with an Arrow stream of one column."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class SupportsDType(Protocol):
    """A dtype of another library, pandas' or Arrow's, which has a NumPy type for its elements."""

    @property
    def type(self) -> Any: ...


#: One value: a number, a string, a date, or what NumPy has for one.
Scalar: TypeAlias = (
    "bool | int | float | complex | str | bytes | np.generic | datetime.date | datetime.timedelta | datetime.time"
    " | decimal.Decimal"
)

#: What can be converted to an array or a column: one of ours, NumPy's, another library's, a scalar or nested sequences.
ArrayLike: TypeAlias = (
    "Array | Columnar | np.ndarray[Any, Any] | SupportsArray | SupportsColumn | Scalar | Sequence[Any] | None"
)

#: What names a dtype of an array, as in NumPy: its name, a Python or NumPy type, a NumPy dtype; None for the default.
DTypeLike: TypeAlias = "npt.DTypeLike | None"

#: What names a dtype of a column: also a dtype of pandas or Arrow.
ColumnType: TypeAlias = "npt.DTypeLike | SupportsDType | None"

#: An axis of an array, or None for all elements.
Axis: TypeAlias = "int | None"

#: One axis, several, or None for all.
Axes: TypeAlias = "int | Sequence[int] | None"

#: The length of one axis, or the lengths of all.
Shape: TypeAlias = "int | Sequence[int]"

#: The array that takes a function's result.
Out: TypeAlias = "Array | None"

#: The device of the array API standard: "cpu" or None.
Device: TypeAlias = "str | None"

#: A label of a row or a column.
Label: TypeAlias = Hashable

#: A level of an index: its number or its name.
Level: TypeAlias = Hashable

#: What files are read: names or patterns, several of them, or an open file.
Files: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | IO[bytes]"

#: The name of a file.
PathLike: TypeAlias = "str | os.PathLike[str]"
