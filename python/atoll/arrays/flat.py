# SPDX-License-Identifier: Apache-2.0
"""ndarray.flat: an array's elements in C order, for iteration, indexing and assignment."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import expr_from, wrap
from .creation import arange
from .dtypes import SCALAR_KIND
from .indexing import get, iterate, put
from .interchange import as_numpy
from .views import Reshape, step_into

if TYPE_CHECKING:
    from .ndarray import ndarray


class Flat:
    """NumPy's flatiter of an array: an iterator, and the elements as if they had one axis."""

    __slots__ = ("_array", "_elements", "_next")

    def __init__(self, array: ndarray) -> None:
        self._array = array
        self._elements: Iterator[Any] | None = None
        self._next = 0

    def _view(self) -> ndarray:
        """The elements in one axis; assignments to it change the array, whatever its layout."""
        shape = (self._array.size,)
        return step_into(self._array, Reshape(shape), engine.reshape(self._array._read(), shape), False)

    @property
    def base(self) -> ndarray:
        """The array."""
        return self._array

    @property
    def index(self) -> int:
        """Which element comes next."""
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        """Its index along each axis."""
        shape = self._array.shape
        found: list[int] = []
        rest = self._next
        for length in reversed(shape[1:]):
            rest, place = divmod(rest, max(length, 1))
            found.append(place)
        return (rest, *reversed(found)) if shape else ()

    def __iter__(self) -> Flat:
        return self

    def __next__(self) -> Any:
        if self._elements is None:
            self._elements = iterate(self._view())
        value = next(self._elements)
        self._next += 1
        return value

    def __len__(self) -> int:
        return self._array.size

    def copy(self) -> ndarray:
        """The elements in one axis, a copy."""
        return self._view().copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return as_numpy(self._view(), dtype, copy)

    def __getitem__(self, key: object) -> Any:
        found = get(self._view(), _single(key), True)
        return found.copy() if hasattr(found, "_view") else found

    def __setitem__(self, key: Any, value: Any) -> None:
        view, key = self._view(), _single(key)
        kind = SCALAR_KIND.get(type(value))
        if kind is None:
            values = wrap(expr_from(value, None, True)).reshape(-1) if not hasattr(value, "_view") else value.ravel()
            shape = np.shape(get(view, key, True))
            if not values.size:
                return
            count = math.prod(shape)
            if values.size != count:  # too few begin again, too many end early
                values = values[arange(count) % values.size]
            value = values.reshape(shape) if shape else values[0]
        put(view, key, value)

    def _compared(self, name: str, other: object) -> Any:
        return getattr(self._view(), name)(other._view() if isinstance(other, Flat) else other)

    def __eq__(self, other: object) -> Any:
        return self._compared("__eq__", other)

    def __ne__(self, other: object) -> Any:
        return self._compared("__ne__", other)

    def __lt__(self, other: object) -> Any:
        return self._compared("__lt__", other)

    def __le__(self, other: object) -> Any:
        return self._compared("__le__", other)

    def __gt__(self, other: object) -> Any:
        return self._compared("__gt__", other)

    def __ge__(self, other: object) -> Any:
        return self._compared("__ge__", other)

    __hash__ = None  # type: ignore[assignment]  # == is elementwise


def _single(key: object) -> Any:
    """The index itself, which NumPy lets be a tuple of one."""
    if type(key) is tuple:
        if len(key) != 1:
            raise IndexError("unsupported iterator index")
        key = key[0]
    if key is None:
        raise IndexError("unsupported iterator index")
    return int(key) if isinstance(key, np.integer) else key
