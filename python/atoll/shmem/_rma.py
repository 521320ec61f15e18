# SPDX-License-Identifier: Apache-2.0
"""One-sided operations: put, get, atomics and signals."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._library import symmetric

_ADD, _AND, _OR, _XOR = range(4)


def put(dest: NDArray[Any], source: ArrayLike, pe: int) -> None:
    """Write `source` to `dest` on another PE.

    Returns when `source` may be changed; `quiet` or `barrier` completes it at the other PE.

    Parameters
    ----------
    dest : numpy.ndarray
        A symmetric array or any view of one, strided too.
    source : array_like
        What to write; broadcast to the shape of `dest` and converted to its dtype.
    pe : int
        Whose `dest`.

    Examples
    --------
    >>> from atoll import shmem
    >>> x = shmem.zeros(6)
    >>> shmem.put(x[::2], [1, 2, 3], pe=0)
    >>> shmem.barrier()
    >>> x
    array([1., 0., 2., 0., 3., 0.])
    """
    given = np.asarray(source, dest.dtype)
    if given.shape != dest.shape or not given.flags.c_contiguous:
        given = np.ascontiguousarray(np.broadcast_to(given, dest.shape))
    symmetric().put(dest, given, pe)


def get(source: NDArray[Any], pe: int, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Read `source` of another PE.

    Parameters
    ----------
    source : numpy.ndarray
        A symmetric array or any view of one, strided too.
    pe : int
        Whose `source`.
    out : numpy.ndarray, optional
        Where to put it: contiguous, of the same shape and dtype.

    Returns
    -------
    numpy.ndarray
        `out`, or a new array.

    Examples
    --------
    >>> from atoll import shmem
    >>> x = shmem.array([[1, 2], [3, 4]])
    >>> shmem.get(x[:, 1], pe=0)
    array([2, 4])
    """
    if out is None:
        out = np.empty(source.shape, source.dtype)
    elif (
        out.shape != source.shape or out.dtype != source.dtype or not out.flags.c_contiguous or not out.flags.writeable
    ):
        raise ValueError(f"out must be a contiguous, writable array of shape {source.shape} and dtype {source.dtype}")
    symmetric().get(out, source, pe)
    return out


def p(dest: NDArray[Any], value: Any, pe: int, index: int = 0) -> None:
    """Write one value to element `index` of a one-dimensional `dest` on another PE.

    Examples
    --------
    >>> from atoll import shmem
    >>> x = shmem.zeros(3)
    >>> shmem.p(x, 5, pe=0, index=1)
    >>> shmem.g(x, pe=0, index=1)
    5.0
    """
    put(_element(dest, index), value, pe)


def g(source: NDArray[Any], pe: int, index: int = 0) -> Any:
    """Read element `index` of a one-dimensional `source` of another PE; see `p`."""
    return get(_element(source, index), pe)[0].item()


def _element(array: NDArray[Any], index: int) -> NDArray[Any]:
    count = array.size
    if not -count <= index < count:
        raise IndexError(f"index {index} is out of bounds for an array of {count}")
    flat = array.reshape(-1) if array.flags.c_contiguous else array
    if flat.ndim != 1:
        raise ValueError("the array must be contiguous or one-dimensional")
    at = index % count
    return flat[at : at + 1]


# ---- atomics --------------------------------------------------------------------------------------------------------


def atomic_fetch(source: NDArray[Any], pe: int, index: int = 0) -> Any:
    """Read one element of another PE, atomically with other atomics.

    Atomics act on element `index` of a contiguous symmetric array of int32, int64, uint32 or uint64; fetch, set and
    swap on float32 and float64 too.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.atomic_fetch(shmem.array([3, 4]), pe=0, index=1)
    4
    """
    return symmetric().fetch(source, index, pe)


def atomic_set(dest: NDArray[Any], value: Any, pe: int, index: int = 0) -> None:
    """Set one element of another PE atomically; see `atomic_fetch`."""
    symmetric().swap(dest, value, index, pe)


def atomic_swap(dest: NDArray[Any], value: Any, pe: int, index: int = 0) -> Any:
    """Set one element of another PE atomically; returns the old value.

    Examples
    --------
    >>> from atoll import shmem
    >>> x = shmem.array([1.5])
    >>> shmem.atomic_swap(x, 2.5, pe=0), x[0].item()
    (1.5, 2.5)
    """
    return symmetric().swap(dest, value, index, pe)


def atomic_compare_swap(dest: NDArray[Any], cond: int, value: int, pe: int, index: int = 0) -> int:
    """Set one element of another PE to `value` if it equals `cond`; returns the old value.

    Examples
    --------
    >>> from atoll import shmem
    >>> x = shmem.array([7])
    >>> shmem.atomic_compare_swap(x, 7, 8, pe=0), shmem.atomic_compare_swap(x, 7, 9, pe=0)
    (7, 8)
    """
    return int(symmetric().compare_swap(dest, cond, value, index, pe))


def atomic_fetch_add(dest: NDArray[Any], value: int, pe: int, index: int = 0) -> int:
    """Add to one element of another PE, wrapping; returns the old value.

    Examples
    --------
    >>> from atoll import shmem
    >>> x = shmem.zeros(1, "int64")
    >>> shmem.atomic_fetch_add(x, 5, pe=0), shmem.atomic_fetch_add(x, 1, pe=0)
    (0, 5)
    """
    return int(symmetric().fetch_and_change(_ADD, dest, value, index, pe))


def atomic_add(dest: NDArray[Any], value: int, pe: int, index: int = 0) -> None:
    """Add to one element of another PE, wrapping; see `atomic_fetch_add`."""
    symmetric().fetch_and_change(_ADD, dest, value, index, pe)


def atomic_fetch_inc(dest: NDArray[Any], pe: int, index: int = 0) -> int:
    """Add 1 to one element of another PE; returns the old value; see `atomic_fetch_add`."""
    return atomic_fetch_add(dest, 1, pe, index)


def atomic_inc(dest: NDArray[Any], pe: int, index: int = 0) -> None:
    """Add 1 to one element of another PE; see `atomic_fetch_add`."""
    atomic_add(dest, 1, pe, index)


def atomic_fetch_and(dest: NDArray[Any], value: int, pe: int, index: int = 0) -> int:
    """Bitwise and with one element of another PE; returns the old value.

    Examples
    --------
    >>> from atoll import shmem
    >>> x = shmem.full(1, 0b1100)
    >>> shmem.atomic_fetch_and(x, 0b1010, pe=0), x[0].item()
    (12, 8)
    """
    return int(symmetric().fetch_and_change(_AND, dest, value, index, pe))


def atomic_fetch_or(dest: NDArray[Any], value: int, pe: int, index: int = 0) -> int:
    """Bitwise or with one element of another PE; returns the old value; see `atomic_fetch_and`."""
    return int(symmetric().fetch_and_change(_OR, dest, value, index, pe))


def atomic_fetch_xor(dest: NDArray[Any], value: int, pe: int, index: int = 0) -> int:
    """Bitwise exclusive or with one element of another PE; returns the old value; see `atomic_fetch_and`."""
    return int(symmetric().fetch_and_change(_XOR, dest, value, index, pe))


def atomic_and(dest: NDArray[Any], value: int, pe: int, index: int = 0) -> None:
    """Bitwise and with one element of another PE; see `atomic_fetch_and`."""
    atomic_fetch_and(dest, value, pe, index)


def atomic_or(dest: NDArray[Any], value: int, pe: int, index: int = 0) -> None:
    """Bitwise or with one element of another PE; see `atomic_fetch_and`."""
    atomic_fetch_or(dest, value, pe, index)


def atomic_xor(dest: NDArray[Any], value: int, pe: int, index: int = 0) -> None:
    """Bitwise exclusive or with one element of another PE; see `atomic_fetch_and`."""
    atomic_fetch_xor(dest, value, pe, index)


# ---- signals --------------------------------------------------------------------------------------------------------


def put_signal(
    dest: NDArray[Any],
    source: ArrayLike,
    signal: NDArray[np.uint64],
    value: int,
    pe: int,
    op: Literal["set", "add"] = "set",
    index: int = 0,
) -> None:
    """Write `source` to `dest` on another PE, and then a signal: a PE that sees the signal sees the data.

    Parameters
    ----------
    dest, source, pe
        As for `put`.
    signal : numpy.ndarray of uint64
        Symmetric; its element `index` is the signal.
    value : int
        The value to set or to add.
    op : {'set', 'add'}
        Whether to set or add.

    Examples
    --------
    >>> from atoll import shmem
    >>> x, flag = shmem.zeros(2), shmem.zeros(1, "uint64")
    >>> shmem.put_signal(x, [1, 2], flag, 1, pe=0)
    >>> shmem.wait_until(flag, "==", 1)
    True
    """
    given = np.ascontiguousarray(np.broadcast_to(np.asarray(source, dest.dtype), dest.shape))
    symmetric().put_signal(dest, given, signal, index, value, _adds(op), pe)


def _adds(op: str) -> bool:
    if op not in ("set", "add"):
        raise ValueError(f"a signal is 'set' or 'add', not {op!r}")
    return op == "add"


def signal_set(signal: NDArray[np.uint64], value: int, pe: int, index: int = 0) -> None:
    """Set a signal of another PE; see `put_signal`."""
    atomic_set(signal, value, pe, index)


def signal_add(signal: NDArray[np.uint64], value: int, pe: int, index: int = 0) -> None:
    """Add to a signal of another PE; see `put_signal`."""
    atomic_add(signal, value, pe, index)


def signal_fetch(signal: NDArray[np.uint64], index: int = 0) -> int:
    """This PE's own signal; see `put_signal`."""
    return int(atomic_fetch(signal, symmetric().pe, index))
