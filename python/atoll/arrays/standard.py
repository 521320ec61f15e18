# SPDX-License-Identifier: Apache-2.0
"""Functions that the array API standard adds to NumPy's: dtypes, and the capabilities of this namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array, as_array, require_cpu
from .dtypes import COMPLEX128, DTYPE_OF, FLOAT64, INT64, Casting, DTypeLike

if TYPE_CHECKING:
    from ..annotations import Device
    from .ndarray import ndarray

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]

#: Of the standard.
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def astype(x: Any, dtype: DTypeLike, /, *, copy: bool = True, device: Any = None) -> ndarray:
    """The elements in another type, lazily.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.astype(ak.array([1.5, -2.5]), ak.int64)
    array([ 1, -2])
    """
    require_cpu(device)
    return as_array(x).astype(dtype, copy)


def _typed(x: Any) -> Any:
    return x.dtype if isinstance(x, Array) else x


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The type that an operation on these arrays, types and Python scalars has.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.result_type(ak.zeros(3, "int8"), ak.int16)
    dtype('int16')
    """
    return np.result_type(*map(_typed, arrays_and_dtypes))


def can_cast(from_: Any, to: DTypeLike, /, casting: Casting = "safe") -> bool:
    """Whether a type, or an array's, may be cast to another.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.can_cast(ak.int8, ak.int16)
    True
    """
    return np.can_cast(_typed(from_), _typed(to), casting)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a type is of a kind, or one of several: "bool", "integral", "real floating", "numeric", …, or a type.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isdtype(ak.zeros(3).dtype, "real floating")
    True
    """
    return bool(np.isdtype(dtype, kind))


class FloatLimits:
    """NumPy's limits of a floating-point type, those of the array API standard as Python's numbers."""

    def __init__(self, found: np.finfo[Any]) -> None:
        self._found = found
        self.bits, self.dtype = int(found.bits), found.dtype
        self.eps, self.max, self.min = float(found.eps), float(found.max), float(found.min)
        self.smallest_normal = float(found.smallest_normal)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)

    def __repr__(self) -> str:
        return repr(self._found)


def finfo(type: Any, /) -> FloatLimits:
    """Limits of a floating-point type, or of an array's.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.finfo(ak.float32).bits
    32
    """
    return FloatLimits(np.finfo(_typed(type)))


def iinfo(type: Any, /) -> np.iinfo[Any]:
    """Limits of an integer type, or of an array's.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.iinfo(ak.int8).max
    127
    """
    return np.iinfo(_typed(type))


class __array_namespace_info__:
    """The capabilities of this namespace, by the array API standard.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.__array_namespace_info__().default_device()
    'cpu'
    """

    def capabilities(self) -> dict[str, Any]:
        """Masks as indices and shapes that depend on data: both; at most 8 axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> str:
        """Where new arrays are."""
        return "cpu"

    def devices(self) -> tuple[str, ...]:
        """All devices."""
        return ("cpu",)

    def default_dtypes(self, *, device: Device = None) -> dict[str, np.dtype[Any]]:
        """Types of new arrays when none is asked for."""
        require_cpu(device)
        real, whole = DTYPE_OF[FLOAT64], DTYPE_OF[INT64]
        return {"real floating": real, "complex floating": DTYPE_OF[COMPLEX128], "integral": whole, "indexing": whole}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """The types that arrays can have, all or those of a kind, by name."""
        require_cpu(device)
        return {dtype.name: dtype for dtype in DTYPE_OF if kind is None or np.isdtype(dtype, kind)}
