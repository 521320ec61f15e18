// SPDX-License-Identifier: Apache-2.0
// histo: every PE adds one to random words of a table that lies over all PEs, by one atomic operation each
// (fine_grained), with the additions for a PE collected and shipped together by the program (aggregated), and by the
// library where it does that (aggregator).
#include "aggregate.h"
#include "exchange.h"
#include "table.h"

static Exchange exchange;

static void fine_grained(void) {
  for (uint64_t i = 0; i < request_count; ++i) comm_add(table_at(requests[i]), 1, table_pe(requests[i]));
  comm_barrier();
}

static void aggregated(void) {
  uint64_t next = 0;
  int more = 1;
  while (more) {
    while (next < request_count && exchange_push(&exchange, table_pe(requests[next]), requests[next] & table_mask))
      ++next;
    more = exchange_round(&exchange, next < request_count);
    for (int pe = 0; pe < comm_pes(); ++pe) {
      const uint64_t* words = exchange_in(&exchange, pe);
      uint64_t count = exchange_count(&exchange, pe);
      for (uint64_t i = 0; i < count; ++i) ++table[words[i]];
    }
    comm_barrier();
  }
}

#if AGGREGATE
static Aggregate increments;

static void aggregator(void) {
  for (uint64_t i = 0; i < request_count; ++i)
    aggregate_increment(increments, requests[i] & table_mask, table_pe(requests[i]));
  aggregate_finish(increments);
}
#endif

static void point(const char* name, void (*run)(void), uint64_t* hash) {
  double seconds = bench_problem(table_clear, run);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < table_words; ++i) sum += table[i];
  bench_check(comm_total(sum) == request_count * (uint64_t)comm_pes(), name);
  uint64_t own = table_hash();
  bench_check(*hash == 0 || own == *hash, name);
  *hash = own;
  table_point(name, seconds, own);
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  size_t bytes = table_options(1 << 20);
  bench_begin(bytes + exchange_bytes(64), 1);
  table_make();
  exchange = exchange_make();
  uint64_t hash = 0;
  point("fine_grained", fine_grained, &hash);
  point("aggregated", aggregated, &hash);
#if AGGREGATE
  increments = aggregate_make(table, table_words);
  point("aggregator", aggregator, &hash);
  aggregate_end(increments);
#endif
  return bench_end();
}
