// SPDX-License-Identifier: Apache-2.0
// A table of words spread over the PEs in blocks, and a list of random places in it for each PE to visit: the ground
// of randomaccess, indexgather and histo.
#ifndef ATOLL_BENCH_TABLE_H
#define ATOLL_BENCH_TABLE_H

#include "bench.h"

static uint64_t* table;            // the own block
static uint64_t table_words;       // of a block: a power of two
static uint64_t table_mask;
static unsigned table_shift;
static uint64_t* requests;         // places: PE << shift | offset
static uint64_t request_count;

static inline int table_pe(uint64_t place) { return (int)(place >> table_shift); }
static inline uint64_t* table_at(uint64_t place) { return &table[place & table_mask]; }

// Reads the options, before bench_begin(); returns the bytes of a block.
static inline size_t table_options(uint64_t standard_requests) {
  uint64_t words = bench_option("table-words", 1 << 19);
  request_count = bench_option("requests", standard_requests);
  while (((uint64_t)2 << table_shift) <= words) ++table_shift;
  table_words = (uint64_t)1 << table_shift;
  table_mask = table_words - 1;
  return table_words * 8;
}

static inline void table_make(void) {
  table = comm_alloc(table_words * 8);
  requests = bench_memory(request_count * 8);
  uint64_t places = table_words * (uint64_t)comm_pes();
  for (uint64_t i = 0; i < request_count; ++i)
    requests[i] = (uint64_t)(((unsigned __int128)bench_mix((uint64_t)comm_me() * request_count + i) * places) >> 64);
}

static inline uint64_t table_value(uint64_t place) { return bench_mix(place ^ 0x5bd1e995u); }

static inline void table_fill(void) {
  for (uint64_t i = 0; i < table_words; ++i) table[i] = table_value((uint64_t)comm_me() << table_shift | i);
}
static inline void table_clear(void) { memset(table, 0, table_words * 8); }

// A hash of the whole table, on every PE; cells are added so that it does not depend on the number of PEs.
static inline uint64_t table_hash(void) {
  uint64_t hash = 0;
  for (uint64_t i = 0; i < table_words; ++i)
    hash += bench_mix(table[i] ^ bench_mix((uint64_t)comm_me() << table_shift | i));
  return comm_total(hash);
}

static inline void table_point(const char* name, double seconds, uint64_t checksum) {
  bench_point((BenchPoint){.name = name,
                           .size = table_words * 8 * (uint64_t)comm_pes(),
                           .seconds = seconds,
                           .work = (double)request_count * comm_pes(),
                           .unit = "op",
                           .checksum = checksum});
}

#endif
