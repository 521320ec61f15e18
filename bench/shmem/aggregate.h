// SPDX-License-Identifier: Apache-2.0
// Aggregation by the library itself, where it offers it (Atoll's shmemx.h): AGGREGATE is 1 then.
#ifndef ATOLL_BENCH_AGGREGATE_H
#define ATOLL_BENCH_AGGREGATE_H

#include "bench.h"

#if !defined(ATOLL_BENCH_MPI) && !defined(ATOLL_BENCH_BARE) && __has_include(<shmemx.h>)
#include <shmemx.h>
#endif

#ifdef SHMEMX_AGGREGATOR_INVALID
#define AGGREGATE 1
typedef shmemx_aggregator_t Aggregate;

static inline Aggregate aggregate_make(uint64_t* array, size_t words) {
  Aggregate made;
  if (shmemx_ulong_aggregator_create(array, words, &made) != 0) comm_fail("no memory for an aggregator");
  return made;
}
static inline void aggregate_increment(Aggregate all, uint64_t index, int pe) {
  shmemx_ulong_aggregate_inc(all, index, pe);
}
static inline void aggregate_get(Aggregate all, uint64_t* to, uint64_t index, int pe) {
  shmemx_ulong_aggregate_get(all, to, index, pe);
}
static inline void aggregate_finish(Aggregate all) { shmemx_aggregator_finish(all); }
static inline void aggregate_end(Aggregate all) { shmemx_aggregator_destroy(all); }
#else
#define AGGREGATE 0
#endif

#endif
