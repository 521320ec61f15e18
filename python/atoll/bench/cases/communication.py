# SPDX-License-Identifier: Apache-2.0
"""Communication: the C programs of bench/shmem and bench/mpi, over Atoll, its peers and a bare shared mapping."""

from atoll.bench.registry import program

program(
    "latency",
    "put and quiet, get, fetch-add, compare-and-swap, ping-pong; heap and static variables",
    size_means="bytes",
    size_option="most",
    tiny=["--most", "256"],
    least_pes=2,
)
program(
    "bandwidth",
    "64 puts or gets at a time, one way and both ways",
    size_means="bytes",
    size_option="most",
    tiny=["--most", "256"],
)
program("message_rate", "puts, gets and atomic adds of 8 bytes, 64 at a time", size_means="bytes")
program(
    "threads",
    "500,000 puts and gets per thread, from 1 thread to all",
    size_means="threads per PE",
    size_option="operations",
    tiny=["--operations", "1000", "--threads", "2"],
)
program(
    "collectives",
    "barrier, broadcast, allreduce, allgather, alltoall",
    size_means="bytes per PE",
    size_option="most",
    tiny=["--most", "512"],
)
program(
    "randomaccess",
    "random words of a table over all PEs: get, atomic add, updates by put and by atomics",
    size_means="bytes of table",
    size_option="requests",
    tiny=["--table-words", "4096", "--requests", "1000"],
)
program(
    "indexgather",
    "random words fetched one by one, and aggregated by the program or the library",
    size_means="bytes of table",
    size_option="requests",
    tiny=["--table-words", "1024", "--requests", "20000"],
)
program(
    "histo",
    "random words incremented one by one, and aggregated by the program or the library",
    size_means="bytes of table",
    size_option="requests",
    tiny=["--table-words", "1024", "--requests", "20000"],
)
program(
    "isx",
    "bucket sort of whole numbers, weak and strong; its exchange apart",
    size_means="keys per PE",
    size_option="keys",
    tiny=["--keys", "3000", "--total", "5000", "--key-bits", "12"],
)
program(
    "pe_stream",
    "a = b + alpha * c in each PE's symmetric memory",
    size_means="bytes of an array",
    size_option="elements",
    tiny=["--elements", "1000"],
)
program(
    "stencil",
    "star of radius 2 over a square grid",
    size_means="order",
    size_option="order",
    tiny=["--order", "50", "--iterations", "3"],
)
program(
    "transpose",
    "B += transpose of A, by blocks",
    size_means="order",
    size_option="order",
    tiny=["--order", "60", "--iterations", "3"],
)
program(
    "fft3d",
    "Fourier transform of a cube: slabs and packed slabs, blocking and overlapped",
    size_means="side",
    size_option="side",
    tiny=["--side", "16"],
)
for _name, _summary, _words in (
    ("mpi", "messages, collectives, windows, overlap and datatypes of MPI", []),
    ("mpi_collectives", "collectives of MPI alone", ["--parts", "2"]),
    ("mpi_allocated", "collectives of MPI, with memory of MPI_Alloc_mem", ["--parts", "2", "--allocated", "1"]),
    (
        "mpi_overlap",
        "non-blocking collectives of MPI while the program sleeps and a core is free",
        ["--parts", "4", "--asleep", "1"],
    ),
):
    program(
        _name,
        _summary,
        size_means="bytes",
        source="mpi",
        size_option="most",
        words=_words,
        tiny=["--most", "4096"],
        least_pes=2,
        interface="mpi",
    )
program(
    "mpi_threads",
    "messages between pairs of threads, each with a communicator of its own",
    size_means="pairs",
    size_option="windows",
    tiny=["--windows", "10"],
    least_pes=2,
    interface="mpi",
)
program(
    "mpi_io",
    "one file written by all ranks at once, in interleaved blocks",
    size_means="bytes of a block",
    size_option="total",
    tiny=["--total", "3145728"],
    interface="mpi",
)
program(
    "mpi_python",
    "a whole job whose ranks import mpi4py, and nothing else",
    size_means="-",
    source="mpi_start",
    words=["--python", "1"],
    interface="mpi",
    times_job=True,
)
program(
    "mpi_start",
    "MPI_Init, and a whole job that does nothing else",
    size_means="-",
    interface="mpi",
    times_job=True,
)
