# SPDX-License-Identifier: Apache-2.0
"""Columns of Arrow types that no other column has: structs, maps, unions, intervals, wide decimals, extension types."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.keys import range_of
from ..objects import Objects, object_array

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray


class ArrowValues(Objects):
    """An Arrow array, held whole by each process that runs the script; its Python values are made when asked for.

    Rows are taken, hidden and concatenated by pyarrow, which keeps the type. Other operations see Python values.

    Parameters
    ----------
    array : pyarrow.Array
        The values.

    Examples
    --------
    >>> import atoll as ak
    >>> import pyarrow as pa
    >>> rows = ak.array(pa.array([{"x": 1}, None, {"x": 3}]))
    >>> rows[1:]
    objects([None, {'x': 3}])
    >>> rows[1:].to_arrow().type
    StructType(struct<x: int64>)
    """

    __slots__ = ("_array", "_objects")
    __hash__ = None
    _array: Any
    _objects: Any  # the Python values; None until they are asked for

    def __init__(self, array: Any) -> None:
        self._array, self._objects = array, None

    @property
    def _values(self) -> np.ndarray[Any, Any]:
        if self._objects is None:
            self._objects = object_array(self._array.to_pylist())
        found: np.ndarray[Any, Any] = self._objects
        return found

    @property
    def _valid(self) -> ndarray | None:  # type: ignore[override]  # a slot of other columns
        there = self._array.is_valid().to_numpy(zero_copy_only=False)
        if _is_union(self._array.type):  # a union has no bitmap; its members do
            there = np.array([value is not None for value in self._values], bool)
        return None if there.all() else asarray(there)

    @property
    def dtype(self) -> Any:
        """NumPy's dtype of objects."""
        return np.dtype(object)

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self._array)

    @property
    def nbytes(self) -> int:
        """Bytes of Arrow's buffers."""
        return int(self._array.nbytes)

    def copy(self) -> ArrowValues:
        """The same values: columns do not change."""
        return self

    def _rows(self, rows: Any) -> Any:
        import pyarrow as pa

        places = asarray(rows).to_numpy()
        if places.dtype.kind not in "iu":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        if places.size and not -self.size <= int(places.min()) <= int(places.max()) < self.size:
            raise IndexError(f"row numbers from {places.min()} to {places.max()} of {self.size} rows")
        return ArrowValues(self._array.take(pa.array(np.where(places < 0, places + self.size, places))))

    def __getitem__(self, key: object) -> Any:
        if isinstance(key, slice):
            start, step, count = range_of(key, self.size)
            if step == 1:
                return ArrowValues(self._array.slice(start, count))
            return self._rows(np.arange(start, start + count * step, step))
        if hasattr(key, "__index__") and not getattr(key, "ndim", 0):
            row = operator.index(key)
            if not -self.size <= row < self.size:
                raise IndexError(f"index {row} is out of bounds for axis 0 with size {self.size}")
            return self._array[row % self.size].as_py()
        return self._rows(self._row_numbers(key))

    def _hiding(self, missing: ndarray) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = self._array.type
        if isinstance(kind, pa.BaseExtensionType):
            inner: ArrowValues = ArrowValues(self._array.storage)._hiding(missing)
            return ArrowValues(kind.wrap_array(inner._array))
        if _is_union(kind):
            return super()._hiding(missing)
        return ArrowValues(pc.if_else(pa.array(missing.to_numpy()), pa.scalar(None, kind), self._array))

    def _all_missing(self, size: int) -> Any:
        import pyarrow as pa

        return ArrowValues(pa.nulls(size, self._array.type))

    def to_arrow(self) -> Any:
        """The pyarrow array itself."""
        return self._array

    def __reduce__(self) -> Any:
        return ArrowValues, (self._array,)


def joined(parts: list[Any]) -> ArrowValues | None:
    """Columns one behind another; None unless all are of one Arrow type."""
    if not all(isinstance(part, ArrowValues) for part in parts):
        return None
    if not all(part._array.type == parts[0]._array.type for part in parts):  # types of extensions have no hash
        return None
    import pyarrow as pa

    return ArrowValues(pa.concat_arrays([part._array for part in parts]))


def _is_union(kind: str) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_union(kind))
