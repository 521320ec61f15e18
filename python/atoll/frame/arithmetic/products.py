# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors: `dot` and `@`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.joining import stack
from ...arrays.products import matmul
from ..classes import frame, is_frame, is_series, series
from ..data.column_labels import Labels
from ..data.lazy import matrix_of


class SeriesProducts:
    """Products of a Series."""

    __slots__ = ()

    def dot(self: Any, other: Any) -> Any:
        """The sum of products.

        Parameters
        ----------
        other : Series, DataFrame or array_like
            The other factor.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.dot([1, 0, 1])
        np.int64(5)
        """
        if is_series(other):
            if not self._index._same(other._index):
                other = other._to_index(self._index)
            return (self * other).sum(skipna=False)
        if is_frame(other):
            own = self if self._index._same(other._index) else self._to_index(other._index)
            return series(matmul(own._values, stack(list(other._columns), axis=1)), other.columns)
        table = np.asarray(other)
        if table.shape[:1] != (len(self),):
            raise ValueError(f"Dot product shape mismatch, {self.shape} vs {table.shape}")
        return matmul(self._values, asarray(table)).to_numpy() if table.ndim > 1 else (self * table).sum(skipna=False)

    def __matmul__(self: Any, other: object) -> Any:
        return self.dot(other)


class FrameProducts:
    """Products of a frame."""

    __slots__ = ()

    def dot(self: Any, other: Any) -> Any:
        """The matrix product with a frame, a Series or an array, whose labels are this one's columns.

        Parameters
        ----------
        other : Series, DataFrame or array_like
            The other factor.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2], "b": [3, 4]}).dot(ak.Series([1, 10], index=["a", "b"])).to_list()
        [31, 42]
        """
        labels = self.columns
        if is_series(other) or is_frame(other):
            if not labels._same(other._index):
                if not labels.union(other._index, sort=False).size == labels.size == other._index.size:
                    raise ValueError("matrices are not aligned")
                other = other._to_index(labels)
            table = other._values if is_series(other) else other.to_numpy()
        else:
            table = np.asarray(other)
            if table.shape[:1] != (len(self._columns),):
                raise ValueError(f"Dot product shape mismatch, {self.shape} vs {table.shape}")
        matrix = matrix_of(self._columns)
        own = stack(list(self._columns), axis=1) if matrix is None else asarray(matrix).T
        made = matmul(own, asarray(table))
        if made.ndim == 1:
            return series(made, self._index)
        names = other._labels if is_frame(other) else Labels(range(made.shape[1]))
        return frame([made[:, place].copy() for place in range(made.shape[1])], names, self._index)

    def __matmul__(self: Any, other: object) -> Any:
        return self.dot(other)
