# SPDX-License-Identifier: Apache-2.0
"""MPI, OpenSHMEM, Portals and arrays in one process: one job, one PE.

`all_doors.py OPENING CLOSING FOLDER MPI OPENSHMEM PORTALS`: orders are words of the letters m, s, p and a; a door that
closing does not name ends with the process. Each library is loaded when its door opens, apart from the others.
"""

import ctypes
import sys
from pathlib import Path

OPENING, CLOSING, FOLDER, *LIBRARIES = sys.argv[1:]
WORLD, NO_INFO, INT64, SUM = (ctypes.c_void_p(handle) for handle in (0x101, 0x130, 0x258, 0x21))
NO_STATUS, CREATE_TO_WRITE = None, 2 | 256
TIMES = 200


class Door:
    """A C library, whose calls answer 0."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*arguments):
            answer = function(*arguments)
            assert answer == 0, f"{name} answers {answer}"

        return call


doors = {}


def open_door(letter):
    """Loads it, and begins."""
    if letter == "a":
        import atoll

        doors["a"] = atoll
        atoll.init()
        return
    door = doors[letter] = Door(LIBRARIES["msp".index(letter)])
    if letter == "m":
        door.MPI_Init(None, None)
    elif letter == "s":
        door.library.shmem_init.restype = None
        door.library.shmem_malloc.restype = ctypes.c_void_p
        door.library.shmem_init()
    else:
        door.begin()


def close_door(letter):
    """Ends it; where ending again is allowed, twice."""
    door = doors[letter]
    if letter == "a":
        door.shutdown()
        door.shutdown()
    elif letter == "m":
        door.MPI_Finalize()
    elif letter == "s":
        door.library.shmem_finalize.restype = None
        door.library.shmem_finalize()
    else:
        door.end()
        door.end()


def gathered(value):
    """What every rank gives, by MPI."""
    mine, ranks = ctypes.c_int64(value), doors["a"].pes()
    values = (ctypes.c_int64 * ranks)()
    doors["m"].MPI_Allgather(ctypes.byref(mine), 1, INT64, values, 1, INT64, WORLD)
    return list(values)


def at(array):
    """Where it lies."""
    return ctypes.c_void_p(array.ctypes.data)


def one_word(rank, ranks):
    """OpenSHMEM and MPI add to one word of the symmetric heap."""
    mpi, shmem = doors["m"], doors["s"].library
    word = ctypes.cast(ctypes.c_void_p(shmem.shmem_malloc(ctypes.c_size_t(8))), ctypes.POINTER(ctypes.c_int64))
    word[0] = 0
    window, one = ctypes.c_void_p(), ctypes.c_int64(1)
    mpi.MPI_Win_create(word, ctypes.c_ssize_t(8), 8, NO_INFO, WORLD, ctypes.byref(window))
    mpi.MPI_Win_lock_all(0, window)
    shmem.shmem_barrier_all()
    for _ in range(TIMES):
        shmem.shmem_long_atomic_add(word, ctypes.c_long(1), (rank + 1) % ranks)
        mpi.MPI_Accumulate(ctypes.byref(one), 1, INT64, 0, ctypes.c_ssize_t(0), 1, INT64, SUM, window)
    mpi.MPI_Win_unlock_all(window)
    shmem.shmem_barrier_all()
    assert word[0] == TIMES + (TIMES * ranks if rank == 0 else 0), word[0]
    mpi.MPI_Win_free(ctypes.byref(window))
    shmem.shmem_free(word)


def one_block(rank, ranks):
    """MPI sends and receives where an array's rows lie, and OpenSHMEM's memory brings what arrays are made of."""
    import numpy as np

    ak, mpi = doors["a"], doors["m"]
    numbers = ak.arange(1000)
    block = numbers.local_block()
    assert sum(gathered(len(block))) == 1000
    partial = np.array([block.sum()])
    total, request = np.zeros(1, np.int64), ctypes.c_void_p()
    mpi.MPI_Iallreduce(at(partial), at(total), 1, INT64, SUM, WORLD, ctypes.byref(request))
    assert int((numbers[::-1] * 2).sum()) == 999_000  # while MPI's goes on
    mpi.MPI_Wait(ctypes.byref(request), NO_STATUS)
    assert total[0] == 499_500
    block[:] = rank
    mpi.MPI_Bcast(at(block), 1, INT64, ranks - 1, WORLD)
    assert int(numbers.sum()) == sum(pe * count for pe, count in enumerate(gathered(len(block)))) + sum(range(ranks))


def two_files(rank, ranks):
    """MPI writes an array's rows while arrays write others."""
    ak, mpi = doors["a"], doors["m"]
    import numpy as np

    numbers = ak.arange(1000) * 3
    block = numbers.local_block()
    first = sum(gathered(len(block))[:rank])
    path = Path(FOLDER) / "by_mpi"
    file, request = ctypes.c_void_p(), ctypes.c_void_p()
    mpi.MPI_File_open(WORLD, str(path).encode(), CREATE_TO_WRITE, NO_INFO, ctypes.byref(file))
    mpi.MPI_File_iwrite_at_all(file, ctypes.c_longlong(first * 8), at(block), len(block), INT64, ctypes.byref(request))
    ak.save(str(Path(FOLDER) / "by_arrays.npy"), numbers)
    mpi.MPI_Wait(ctypes.byref(request), NO_STATUS)
    mpi.MPI_File_close(ctypes.byref(file))
    assert np.array_equal(np.fromfile(path, np.int64), np.arange(1000) * 3)
    assert np.array_equal(np.load(Path(FOLDER) / "by_arrays.npy"), np.arange(1000) * 3)


def one_ring(rank, ranks):
    """Portals puts to the right; MPI tells where that is."""
    portals = doors["p"]
    here = ctypes.c_int64()
    portals.show(ctypes.byref(here))
    right = gathered(here.value)[(rank + 1) % ranks]
    portals.put_right(ctypes.c_int64(right), ctypes.c_int64(100 + rank))
    got = ctypes.c_int64()
    portals.wait_for_left(ctypes.byref(got))
    assert got.value == 100 + (rank - 1) % ranks, got.value


for door in OPENING:
    open_door(door)
rank, ranks = ctypes.c_int(), ctypes.c_int()
doors["m"].MPI_Comm_rank(WORLD, ctypes.byref(rank))
doors["m"].MPI_Comm_size(WORLD, ctypes.byref(ranks))
rank, ranks = rank.value, ranks.value
assert (rank, ranks) == (doors["a"].pe(), doors["a"].pes())
assert (rank, ranks) == (doors["s"].library.shmem_my_pe(), doors["s"].library.shmem_n_pes())
for use in (one_word, one_block, two_files, one_ring):
    use(rank, ranks)
for door in CLOSING:
    close_door(door)
print("done", rank)
