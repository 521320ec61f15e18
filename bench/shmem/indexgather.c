// SPDX-License-Identifier: Apache-2.0
// indexgather: every PE fetches a list of random words from a table that lies over all PEs, word by word
// (fine_grained), with the requests for a PE collected and shipped together by the program (aggregated), and by the
// library where it does that (aggregator).
#include "aggregate.h"
#include "exchange.h"
#include "table.h"

static uint64_t* got;
static Exchange asked;
static uint64_t* answers;    // [answering PE][word], symmetric
static uint64_t* positions;  // [PE][word]: where an answer goes
static uint64_t* sent;       // [PE]: questions of this round

static void prepare(void) {
  table_fill();
  memset(got, 0, request_count * 8);
}

static void fine_grained(void) {
  for (uint64_t i = 0; i < request_count; ++i) comm_get_nbi(&got[i], table_at(requests[i]), 8, table_pe(requests[i]));
  comm_quiet();
}

static void aggregated(void) {
  uint64_t next = 0;
  size_t me = (size_t)comm_me();
  int more = 1;
  while (more) {
    for (; next < request_count; ++next) {
      int pe = table_pe(requests[next]);
      uint64_t place = asked.out_count[pe];
      if (!exchange_push(&asked, pe, requests[next] & table_mask)) break;
      positions[(size_t)pe * EXCHANGE_WORDS + place] = next;
    }
    memcpy(sent, asked.out_count, (size_t)comm_pes() * 8);
    more = exchange_round(&asked, next < request_count);
    // Each answer takes the place of its question, and all of a PE's go back together.
    for (int step = 0; step < comm_pes(); ++step) {
      int pe = (comm_me() + step) % comm_pes();
      uint64_t* words = exchange_in(&asked, pe);
      uint64_t count = exchange_count(&asked, pe);
      for (uint64_t i = 0; i < count; ++i) words[i] = table[words[i]];
      if (count > 0) comm_put_nbi(answers + me * EXCHANGE_WORDS, words, count * 8, pe);
    }
    comm_barrier();
    for (int pe = 0; pe < comm_pes(); ++pe) {
      for (uint64_t i = 0; i < sent[pe]; ++i)
        got[positions[(size_t)pe * EXCHANGE_WORDS + i]] = answers[(size_t)pe * EXCHANGE_WORDS + i];
    }
    comm_barrier();
  }
}

#if AGGREGATE
static Aggregate fetches;

static void aggregator(void) {
  for (uint64_t i = 0; i < request_count; ++i)
    aggregate_get(fetches, &got[i], requests[i] & table_mask, table_pe(requests[i]));
  aggregate_finish(fetches);
}
#endif

static void point(const char* name, void (*run)(void)) {
  double seconds = bench_problem(prepare, run);
  int right = 1;
  for (uint64_t i = 0; i < request_count; ++i) right &= got[i] == table_value(requests[i]);
  bench_check(right, name);
  table_point(name, seconds, comm_total(bench_hash(got, request_count * 8)));
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  size_t bytes = table_options(1 << 20);
  bench_begin(bytes + exchange_bytes(64) * 2, 1);
  table_make();
  got = bench_memory(request_count * 8);
  asked = exchange_make();
  answers = comm_alloc((size_t)comm_pes() * EXCHANGE_WORDS * 8);
  sent = bench_memory((size_t)comm_pes() * 8);
  positions = bench_memory((size_t)comm_pes() * EXCHANGE_WORDS * 8);
  point("fine_grained", fine_grained);
  point("aggregated", aggregated);
#if AGGREGATE
  fetches = aggregate_make(table, table_words);
  point("aggregator", aggregator);
  aggregate_end(fetches);
#endif
  return bench_end();
}
