// SPDX-License-Identifier: Apache-2.0
// The handful of operations that the benchmarks are written in, once, over three ways of doing them:
//
//   default              OpenSHMEM (comm_shmem.h): the library whose oshcc compiles this
//   ATOLL_BENCH_MPI      MPI one-sided operations on one window, and MPI's collectives (comm_mpi.h)
//   ATOLL_BENCH_BARE     no library: processes that share one mapping, loads and stores by hand (comm_bare.h).
//                        This is the contender `limit`.
//
// Each way defines, as `static inline` functions:
//
//   comm_begin(&argc, &argv, heap_bytes, threads)   joins the job; heap_bytes for all comm_alloc() together
//   comm_end()
//   comm_me(), comm_pes(), comm_library()
//   comm_alloc(bytes)                               symmetric, cleared, aligned (comm_alignment()); collective; never
//   freed COMM_GLOBALS                                    1: static variables are symmetric too comm_put, comm_put_nbi,
//   comm_get, comm_get_nbi  bytes; without _nbi the local side is done on return comm_put_word, comm_get_word 8 bytes
//   comm_fetch_add, comm_compare_swap, comm_add, comm_xor
//   comm_quiet()                                    all operations of the caller are done at their targets
//   comm_put_flag(to, from, bytes, flag, value, pe) data, then the flag, in this order
//   comm_wait(flag, value)                          until the own word is at least value
//   comm_ping(word, value, pe), comm_pong(word, value, pe)  the library's quickest way to tell one PE 8 bytes,
//   comm_ping_block(to, from, bytes, flag, value, pe), comm_pong_block(to, bytes, flag, value, pe)  and a block
//   comm_barrier() completes puts too, comm_sync() does not; comm_broadcast(to, from, bytes, root), comm_allgather(to,
//   from, bytes), comm_alltoall(to, from, bytes), comm_sum(to, from, count) of doubles, comm_max(value),
//   comm_total(word)
//
// Symmetric addresses are this PE's own addresses, as in OpenSHMEM. Sizes of collectives are multiples of 8 bytes.
#ifndef ATOLL_BENCH_COMM_H
#define ATOLL_BENCH_COMM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMM_LINE = 64, COMM_PAGE = 4096 };

static inline void comm_fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static inline size_t comm_round_up(size_t bytes) { return (bytes + COMM_LINE - 1) / COMM_LINE * COMM_LINE; }

// Large blocks begin at a page, with every library: how source and target of a copy lie to one another is worth 20 %.
static inline size_t comm_alignment(size_t bytes) { return bytes < COMM_PAGE ? COMM_LINE : COMM_PAGE; }

#if defined(ATOLL_BENCH_MPI)
#include "comm_mpi.h"
#elif defined(ATOLL_BENCH_BARE)
#include "comm_bare.h"
#else
#include "comm_shmem.h"
#endif

#endif
