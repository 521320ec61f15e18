# SPDX-License-Identifier: Apache-2.0
"""Square matrices of which few elements are not zero: rows, columns and values."""

from __future__ import annotations

from typing import Any

from ..objects import Named, checked

__all__ = ["sparray"]


class sparray(Named):
    """A sparse matrix; `create_sparse_matrix` makes one."""

    objType = "sparray"

    def __init__(self, shape: tuple[int, int], rows: Any, cols: Any, vals: Any, layout: str) -> None:
        self.shape, self.layout, self.dtype = shape, layout, vals.dtype
        self._rows, self._cols, self._vals = rows, cols, vals
        self.nnz, self.ndim, self.size = vals.size, 2, shape[0] * shape[1]
        self.itemsize = vals.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __str__(self) -> str:
        return f"sparray of shape {self.shape} with {self.nnz} elements, {self.layout}"

    __repr__ = __str__

    def _list_component_names(self) -> list[str]:
        return [self._rows.name, self._cols.name, self._vals.name]

    def to_pdarray(self) -> list[Any]:
        """Rows, columns and values, in the order of the layout."""
        return [self._rows, self._cols, self._vals]

    @checked(None, "pdarray")
    def fill_vals(self, a: Any) -> None:
        """Sets the values."""
        if a.size != self.nnz:
            raise ValueError("Array size must match the number of non-zero values")
        if a.dtype != self.dtype:
            raise ValueError("Array dtype must match the sparse matrix's")
        self._vals = a
