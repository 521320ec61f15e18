# SPDX-License-Identifier: Apache-2.0
"""The PEs of the ranks of an MPI communicator."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from .. import _core

_LIBRARY = "libmpi_abi.so.1"
_SUCCESS, _MPI_UINT32_T = 0, 0x251  # of the standard ABI
_LONGEST_VERSION = 8192


def members(comm: Any) -> list[int]:
    """The PE of each rank of an intra-communicator: mpi4py's, or a handle of the C interface. Collective over them."""
    handle = ctypes.c_void_p(_handle(comm))
    mpi, mine = _mpi(), _core.job_pe()
    if mine is None:
        raise RuntimeError("MPI is not initialized, or has been finalized: there is no communicator")
    size, inter = ctypes.c_int(), ctypes.c_int()
    _check(mpi.MPI_Comm_test_inter(handle, ctypes.byref(inter)))
    if inter.value:
        raise ValueError("comm is an inter-communicator: merge its groups first (comm.Merge())")
    _check(mpi.MPI_Comm_size(handle, ctypes.byref(size)))
    own, all_of_them = ctypes.c_uint32(mine), (ctypes.c_uint32 * size.value)()
    kind = ctypes.c_void_p(_MPI_UINT32_T)
    _check(mpi.MPI_Allgather(ctypes.byref(own), 1, kind, all_of_them, 1, kind, handle))
    return list(all_of_them)


def _handle(comm: Any) -> int:
    handle = comm if isinstance(comm, int) else getattr(comm, "handle", None)
    if isinstance(handle, bool) or not isinstance(handle, int):
        raise TypeError(f"comm is a communicator of mpi4py (4.1 or later) or a handle, not {comm!r}")
    return handle


def _mpi() -> ctypes.CDLL:
    """The MPI library of this process."""
    try:
        mpi = ctypes.CDLL(_LIBRARY, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    except OSError:
        raise RuntimeError(
            f"comm is not of Atoll's MPI: this process has loaded no {_LIBRARY}. Use an mpi4py for the MPI ABI, with "
            "Atoll's library first on its path"
        ) from None
    version, length = ctypes.create_string_buffer(_LONGEST_VERSION), ctypes.c_int()
    _check(mpi.MPI_Get_library_version(version, ctypes.byref(length)))
    if not version.value.startswith(b"Atoll"):
        name = version.value.split(b"\n")[0].decode(errors="replace")
        raise RuntimeError(f"comm is not of Atoll's MPI, but of {name}. Put Atoll's library first on the path")
    return mpi


def _check(code: int) -> None:
    if code != _SUCCESS:
        raise RuntimeError(f"MPI answers the error {code}")
