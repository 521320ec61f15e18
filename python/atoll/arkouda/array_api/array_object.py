# SPDX-License-Identifier: Apache-2.0
"""The array of the array API standard: an array of Arkouda's of any number of dimensions, none included."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..numpy.arrays import combine, pdarray
from ..numpy.dtypes import bigint

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Axes, ColumnType

__all__ = ["Array"]


def _operators(op: str) -> tuple[Any, Any, Any]:
    def forward(self: Array, other: object) -> Any:
        value = _plain(other)
        return NotImplemented if value is NotImplemented else Array._new(combine(op, self._array, value))

    def backward(self: Array, other: object) -> Any:
        value = _plain(other)
        return NotImplemented if value is NotImplemented else Array._new(combine(op, value, self._array))

    def inplace(self: Array, other: object) -> Any:
        value = _plain(other)
        self._array = combine(op, self._array, value)
        return self

    return forward, backward, inplace


def _plain(value: object) -> Any:
    if isinstance(value, Array):
        return value._array
    return value if isinstance(value, (bool, int, float, complex, np.generic)) else NotImplemented


class Array:
    """Made by `asarray`, `zeros` and their kin, not by itself."""

    _array: pdarray
    _empty: bool
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]  # == is elementwise

    @classmethod
    def _new(cls, x: ArrayLike, /, empty: bool = False) -> Array:
        made = object.__new__(cls)
        if isinstance(x, Array):
            x = x._array
        if isinstance(x, atoll.ndarray):
            x = pdarray._of(x)
        elif not isinstance(x, pdarray):
            x = pdarray._of(atoll.asarray(x))
        made._array, made._empty = x, empty
        return made

    def __new__(cls, *args: object, **kwargs: object) -> Array:
        raise TypeError(
            "The array_api Array object should not be directly instantiated. Use an array creation function"
        )

    dtype = property(lambda self: self._array.dtype, doc="The type of the elements.")
    device = property(lambda self: "cpu", doc='"cpu"')
    ndim = property(lambda self: self._array.ndim, doc="Number of axes.")
    shape = property(lambda self: self._array.shape, doc="Elements along each axis.")
    size = property(lambda self: self._array.size, doc="Number of elements.")
    T = property(lambda self: self.transpose(), doc="The axes in reverse order.")
    mT = property(lambda self: Array._new(atoll.matrix_transpose(self._array._a)), doc="The last two exchanged.")

    def transpose(self, axes: Axes = None) -> Array:
        """The axes in another order."""
        return Array._new(atoll.transpose(self._array._a, axes).copy())

    def tolist(self) -> Any:
        """The elements as a list of lists; of no axes, the element."""
        return self._array.tolist()

    def to_ndarray(self) -> Any:
        """A NumPy array."""
        return self._array.to_ndarray()

    def item(self) -> Any:
        """The only element."""
        if self.size != 1:
            raise ValueError("Can only convert an array with one element to a Python scalar")
        return self._array._first()

    def chunk_info(self) -> list[list[int]]:
        """Where the part of each PE begins, along each axis."""
        rows = self.shape[0] if self.ndim else 1
        block = -(-rows // atoll.pes())
        begins = [min(pe * block, rows) for pe in range(atoll.pes())]
        return [begins] + [[0] * len(begins) for _ in self.shape[1:]]

    def __str__(self) -> str:
        return str(self.tolist()) if self.ndim == 0 else str(self._array)

    def __repr__(self) -> str:
        return f"Arkouda Array ({self.shape}, {self.dtype}){self}"

    def __array__(self, dtype: ColumnType = None, copy: bool | None = None) -> Any:
        found = self.to_ndarray()
        return found if dtype is None else found.astype(dtype)

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        import sys

        return sys.modules[__name__.rpartition(".")[0]]

    def __getitem__(self, key: object) -> Array:
        wanted = key._array if isinstance(key, Array) else key
        if isinstance(wanted, tuple):
            wanted = tuple(one._array if isinstance(one, Array) else one for one in wanted)
        if self._array.dtype == bigint():
            return Array._new(self._array[wanted])
        return Array._new(self._array._a[self._array._key(wanted)])

    def __setitem__(self, key: object, value: object) -> None:
        wanted = key._array if isinstance(key, Array) else key
        if isinstance(wanted, tuple):
            wanted = tuple(one._array if isinstance(one, Array) else one for one in wanted)
        self._array[wanted] = value._array if isinstance(value, Array) else value

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        return operator.index(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __neg__(self) -> Array:
        return Array._new(-self._array)

    def __pos__(self) -> Array:
        return self

    def __abs__(self) -> Array:
        return Array._new(abs(self._array))

    def __invert__(self) -> Array:
        return Array._new(~self._array)

    def __matmul__(self, other: Any) -> Array:
        return Array._new(atoll.matmul(self._array._a, other._array._a))

    __add__, __radd__, __iadd__ = _operators("+")
    __sub__, __rsub__, __isub__ = _operators("-")
    __mul__, __rmul__, __imul__ = _operators("*")
    __truediv__, __rtruediv__, __itruediv__ = _operators("/")
    __floordiv__, __rfloordiv__, __ifloordiv__ = _operators("//")
    __mod__, __rmod__, __imod__ = _operators("%")
    __pow__, __rpow__, __ipow__ = _operators("**")
    __and__, __rand__, __iand__ = _operators("&")
    __or__, __ror__, __ior__ = _operators("|")
    __xor__, __rxor__, __ixor__ = _operators("^")
    __lshift__, __rlshift__, __ilshift__ = _operators("<<")
    __rshift__, __rrshift__, __irshift__ = _operators(">>")
    __lt__, __le__, __gt__, __ge__ = (_operators(op)[0] for op in ("<", "<=", ">", ">="))
    __eq__, __ne__ = (_operators(op)[0] for op in ("==", "!="))

    def all(self) -> bool:
        """Whether all elements are true."""
        return bool(self._array.all())

    def any(self) -> bool:
        """Whether any element is true."""
        return bool(self._array.any())

    def to_device(self, device: str, /, stream: None = None) -> Array:
        """The array itself: "cpu" is the only device."""
        if device != "cpu":
            raise ValueError(f"Unsupported device {device!r}")
        return self

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)
