# SPDX-License-Identifier: Apache-2.0
"""OpenSHMEM's way of programming, for Python: NumPy arrays in symmetric memory, and one-sided operations on them.

Every PE runs the script: ``atoll run -n 4 script.py``. Without the launcher there is one PE. The runtime is that of
the arrays of `atoll`; both may be used in one script.

Examples
--------
>>> from atoll import shmem
>>> x = shmem.zeros(4)
>>> right = (shmem.my_pe() + 1) % shmem.n_pes()
>>> shmem.put(x, shmem.my_pe() + 1, right)  # to my right neighbour
>>> shmem.barrier()
>>> x
array([1., 1., 1., 1.])
"""

from __future__ import annotations

from ._library import global_exit, my_pe, n_pes
from ._memory import array, empty, free, full, is_symmetric, zeros
from ._order import Lock, barrier, fence, quiet, test, wait_until
from ._rma import (
    atomic_add,
    atomic_and,
    atomic_compare_swap,
    atomic_fetch,
    atomic_fetch_add,
    atomic_fetch_and,
    atomic_fetch_inc,
    atomic_fetch_or,
    atomic_fetch_xor,
    atomic_inc,
    atomic_or,
    atomic_set,
    atomic_swap,
    atomic_xor,
    g,
    get,
    p,
    put,
    put_signal,
    signal_add,
    signal_fetch,
    signal_set,
)
from ._team import Team, alltoall, broadcast, collect, exscan, fcollect, inscan, reduce, team_world

__all__ = [
    "Lock",
    "Team",
    "alltoall",
    "array",
    "atomic_add",
    "atomic_and",
    "atomic_compare_swap",
    "atomic_fetch",
    "atomic_fetch_add",
    "atomic_fetch_and",
    "atomic_fetch_inc",
    "atomic_fetch_or",
    "atomic_fetch_xor",
    "atomic_inc",
    "atomic_or",
    "atomic_set",
    "atomic_swap",
    "atomic_xor",
    "barrier",
    "broadcast",
    "collect",
    "empty",
    "exscan",
    "fcollect",
    "fence",
    "free",
    "full",
    "g",
    "get",
    "global_exit",
    "inscan",
    "is_symmetric",
    "my_pe",
    "n_pes",
    "p",
    "put",
    "put_signal",
    "quiet",
    "reduce",
    "signal_add",
    "signal_fetch",
    "signal_set",
    "team_world",
    "test",
    "wait_until",
    "zeros",
]
