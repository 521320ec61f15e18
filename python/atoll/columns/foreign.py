# SPDX-License-Identifier: Apache-2.0
"""Columns of pandas' own dtypes that Atoll has no kind for: sparse, Arrow-backed, float16, third-party extensions."""

from __future__ import annotations

from typing import Any


class Foreign:
    """An array of pandas, held whole by each process that runs the script.

    Rows can be taken, hidden and listed. Everything else raises, so that the caller hands the operation to pandas.

    Parameters
    ----------
    array : pandas ExtensionArray or numpy.ndarray
        The values, of one axis.
    """

    __slots__ = ("array",)
    __hash__ = None  # type: ignore[assignment]  # == is refused
    ndim = 1

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def dtype(self) -> Any:
        """The pandas dtype."""
        return self.array.dtype

    @property
    def kind(self) -> str:
        """The dtype's name."""
        return str(self.array.dtype)

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.array)

    @property
    def shape(self) -> tuple[int]:
        """The same as a tuple."""
        return (self.size,)

    @property
    def nbytes(self) -> int:
        """Bytes of the values."""
        return int(self.array.nbytes)

    def __len__(self) -> int:
        return len(self.array)

    @property
    def valid(self) -> Any:
        """The validity mask; None when no value is missing."""
        gone = self.isna()
        return ~gone if bool(gone.any()) else None

    def isna(self) -> Any:
        """A mask of missing values: an array of bools."""
        import pandas as pd

        from ..arrays.creation import asarray

        return asarray(pd.isna(self.array))

    def take(self, rows: Any) -> Any:
        """The rows with these numbers."""
        return Foreign(self.array.take(rows.to_numpy() if hasattr(rows, "to_numpy") else rows))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Foreign(self.array[key])
        if isinstance(key, int):
            return self.array[key]
        return Foreign(self.array[key.to_numpy() if hasattr(key, "to_numpy") else key])

    def copy(self) -> Foreign:
        """The same values: no column changes in place."""
        return self

    def to_list(self) -> list[Any]:
        """The values as a list, by pandas."""
        found: list[Any] = self.to_pandas().to_list()
        return found

    tolist = to_list

    def to_numpy(self) -> Any:
        """The values as a NumPy array."""
        import numpy as np

        return np.asarray(self.array)

    def to_pandas(self) -> Any:
        """A pandas Series."""
        import pandas as pd

        return pd.Series(self.array)

    def to_arrow(self) -> Any:
        """A pyarrow array."""
        import pyarrow as pa

        return pa.array(self.to_pandas())

    def _hiding(self, gone: Any) -> Foreign:
        return Foreign(self.to_pandas().mask(gone.to_numpy()).array)

    def _all_missing(self, size: int) -> Foreign:
        import pandas as pd

        return Foreign(pd.Series([None] * size, dtype=self.array.dtype).array)

    def __eq__(self, other: object) -> Any:
        raise TypeError(f"columns of {self.kind} are not compared by Atoll")

    def __ne__(self, other: object) -> Any:
        raise TypeError(f"columns of {self.kind} are not compared by Atoll")

    def __bool__(self) -> bool:
        raise ValueError("a column has no truth value")

    def __reduce__(self) -> Any:
        return Foreign, (self.array,)

    def __repr__(self) -> str:
        return f"foreign({self.array!r})"
