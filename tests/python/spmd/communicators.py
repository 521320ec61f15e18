# SPDX-License-Identifier: Apache-2.0
"""Arrays over the ranks of MPI's communicators; the argument is MPI's library."""

import ctypes
import sys

import atoll as ak

mpi = ctypes.CDLL(sys.argv[1])
WORLD, INT64, SUM, IN_PLACE = 0x101, ctypes.c_void_p(0x258), ctypes.c_void_p(0x21), ctypes.c_void_p(1)


def refuses(kind, words, call):
    """Runs what must be refused so."""
    try:
        call()
    except kind as error:
        said = str(error)
    else:
        said = "nothing"
    assert words in said, said


refuses(RuntimeError, "not initialized", lambda: ak.init(comm=WORLD))
assert mpi.MPI_Init(None, None) == 0
rank, ranks = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(ctypes.c_void_p(WORLD), ctypes.byref(rank))
mpi.MPI_Comm_size(ctypes.c_void_p(WORLD), ctypes.byref(ranks))
rank, ranks = rank.value, ranks.value

# All of them, the last first.
backwards = ctypes.c_void_p()
mpi.MPI_Comm_split(ctypes.c_void_p(WORLD), 0, -rank, ctypes.byref(backwards))
with ak.init(comm=backwards.value) as session:
    assert (session.kind, session.pe, session.pes) == ("spmd", ranks - 1 - rank, ranks)
    assert ak.init(comm=backwards.value) is session
    order = ak.argsort(-ak.arange(100))
    assert order.tolist() == list(range(100))[::-1]
    low = ak.arange(100).local_block()
    assert low[0] == 0 or session.pe > 0

# Two halves, each with arrays of its own, at the same time.
half = ctypes.c_void_p()
mpi.MPI_Comm_split(ctypes.c_void_p(WORLD), rank % 2, rank, ctypes.byref(half))
session = ak.init(comm=half.value)
assert (session.pe, session.pes) == (rank // 2, (ranks + 1 - rank % 2) // 2)
numbers = ak.arange(1000) + rank % 2
assert int(numbers.sum()) == 499_500 + 1000 * (rank % 2)
block = numbers.local_block()
address = ctypes.c_void_p(block.ctypes.data)
mpi.MPI_Allreduce(IN_PLACE, address, 1, INT64, SUM, half)  # where the rows lie
assert int(numbers[0]) >= 0 and numbers.local()[0] == block[0]
if ranks > 2:
    refuses(RuntimeError, "shutdown", lambda: ak.init(comm=WORLD))
session.shutdown()

for wrong in (3.5, "world", True):
    refuses(TypeError, "a handle", lambda wrong=wrong: ak.init(comm=wrong))
# Without one: all PEs of the job again. One PE is enough to be alone.
assert int(ak.arange(10).sum()) == 45
assert ak.pes() == ranks
assert ak.ones(3).local_block().sum() <= 3
refuses(ValueError, "a view", lambda: ak.arange(4)[1:].local_block())
refuses(ValueError, "complex", lambda: (ak.arange(4) * 1j).local_block())
mpi.MPI_Comm_free(ctypes.byref(half))
mpi.MPI_Comm_free(ctypes.byref(backwards))
ak.shutdown()
assert mpi.MPI_Finalize() == 0
print("done", rank)
