# SPDX-License-Identifier: Apache-2.0
"""Waiting, ordering, barriers and locks."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._library import symmetric
from ._memory import zeros

_COMPARISONS = {"==": 0, "!=": 1, ">": 2, ">=": 3, "<": 4, "<=": 5}


def _comparison(cmp: str) -> int:
    if cmp not in _COMPARISONS:
        raise ValueError(f"a comparison is one of {', '.join(_COMPARISONS)}, not {cmp!r}")
    return _COMPARISONS[cmp]


def wait_until(ivar: NDArray[Any], cmp: str, value: Any, index: int = 0, timeout: float | None = None) -> bool:
    """Wait until the comparison of an element of this PE's symmetric array, which other PEs change, with `value` holds.

    What was put before the change is visible then. The wait ends with an exception when a PE dies.

    Parameters
    ----------
    ivar : numpy.ndarray
        Symmetric and contiguous, of int32, int64, uint32, uint64, float32 or float64.
    cmp : {'==', '!=', '>', '>=', '<', '<='}
        The comparison.
    value : int or float
        What to compare with.
    index : int, optional
        The element.
    timeout : float, optional
        Seconds to wait at most; by default for ever.

    Returns
    -------
    bool
        False after a timeout.

    Examples
    --------
    >>> from atoll import shmem
    >>> flag = shmem.zeros(1, "int64")
    >>> shmem.wait_until(flag, ">", 0, timeout=0.01)
    False
    >>> shmem.p(flag, 1, pe=0)
    >>> shmem.wait_until(flag, ">", 0)
    True
    """
    return symmetric().wait_until(ivar, _comparison(cmp), value, index, -1.0 if timeout is None else timeout)


# The name of shmem_test; pytest must not collect it as a test.
def test(ivar: NDArray[Any], cmp: str, value: Any, index: int = 0) -> bool:  # noqa: PT028
    """Whether the comparison holds now; see `wait_until`.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.test(shmem.zeros(1, "int64"), "==", 0)
    True
    """
    return wait_until(ivar, cmp, value, index, timeout=0.0)


def fence() -> None:
    """Order puts and atomics: those before the fence reach a PE before those after it.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.fence()
    """
    symmetric().fence()


def quiet() -> None:
    """Return when all puts and atomics of this PE are complete, visible to every PE.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.quiet()
    """
    symmetric().quiet()


def barrier() -> None:
    """Wait until every PE has called this and all their puts are complete. Collective.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.barrier()
    """
    symmetric().barrier()


class Lock:
    """A lock among all PEs: first come, first served. Making one is collective; holding it is not.

    Not reentrant: a PE holds it once at a time.

    Examples
    --------
    >>> from atoll import shmem
    >>> lock = shmem.Lock()
    >>> with lock:
    ...     lock.test()
    False
    """

    __slots__ = ("_word",)

    def __init__(self) -> None:
        self._word: NDArray[np.int64] = zeros(1, np.int64)

    def set(self) -> None:
        """Wait until this PE holds the lock; puts of its last holder are visible then."""
        symmetric().set_lock(self._word)

    def test(self) -> bool:
        """Take the lock if it is free; whether this PE holds it now."""
        return symmetric().test_lock(self._word)

    def clear(self) -> None:
        """Complete the puts of this PE, and release the lock."""
        symmetric().clear_lock(self._word)

    def __enter__(self) -> Lock:
        self.set()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.clear()
