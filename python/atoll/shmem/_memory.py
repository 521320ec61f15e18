# SPDX-License-Identifier: Apache-2.0
"""Symmetric arrays: NumPy arrays at the same place of every PE's symmetric heap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._library import symmetric

Shape = int | Sequence[int]


def empty(shape: Shape, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """A symmetric array. Collective: every PE calls it, with the same arguments.

    The result is a NumPy array of this PE's own part; `put`, `get`, atomics and signals reach the parts of other PEs by
    it or by any view of it (``x[10:20]``, ``x[1, 2:5]``, ``x.T``). Its memory is given back when every PE has released
    the array and its views, at the next allocation, or at once by `free`.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of each PE's part.
    dtype : data-type, optional
        Any but objects.

    Returns
    -------
    numpy.ndarray
        Zeroed, because PEs should not read memory of other PEs that no PE has written.

    Raises
    ------
    MemoryError
        On every PE, when one has no memory. ``SHMEM_SYMMETRIC_SIZE`` or ``ATOLL_HEAP_SIZE`` give more.
    ValueError
        When PEs request different sizes.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.empty((2, 3), "int32").shape
    (2, 3)
    """
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError("objects cannot be in symmetric memory: other processes could not use them")
    extents = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    if any(extent < 0 for extent in extents):
        raise ValueError(f"negative dimensions are not allowed: {shape}")
    raw = symmetric().allocate(math.prod(extents) * kind.itemsize)
    return np.ndarray(tuple(int(extent) for extent in extents), kind, raw)


def zeros(shape: Shape, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """A symmetric array of zeros. Collective; see `empty`.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.zeros(3)
    array([0., 0., 0.])
    """
    return empty(shape, dtype)


def full(shape: Shape, fill_value: Any, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """A symmetric array of one value on every PE. Collective; see `empty`.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.full(3, 7)
    array([7, 7, 7])
    """
    return array(np.full(shape, fill_value, dtype))


def array(values: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """A symmetric array of these values. Collective; values may differ between PEs, shape and dtype may not.

    Other PEs see the values when this returns.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.array([1.5, 2.5]) * 2
    array([3., 5.])
    """
    source = np.asarray(values, dtype)
    made = empty(source.shape, source.dtype)
    made[...] = source
    symmetric().barrier()
    return made


def free(array: NDArray[Any]) -> None:
    """Free the memory of a symmetric array now. Collective.

    Neither the array nor a view of it may be used afterwards.

    Raises
    ------
    ValueError
        If the array is not symmetric, or PEs name different ones.

    Examples
    --------
    >>> from atoll import shmem
    >>> x = shmem.zeros(1000)
    >>> shmem.free(x)
    """
    symmetric().free(array)


def is_symmetric(array: NDArray[Any]) -> bool:
    """Whether other PEs can reach the array (or the part of one that it is a view of).

    Examples
    --------
    >>> import numpy as np
    >>> from atoll import shmem
    >>> shmem.is_symmetric(shmem.zeros(3)[1:]), shmem.is_symmetric(np.zeros(3))
    (True, False)
    """
    return symmetric().is_symmetric(array)
