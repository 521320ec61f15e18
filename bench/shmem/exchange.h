// SPDX-License-Identifier: Apache-2.0
// Aggregation by hand, as a program would do it over any library: a buffer per destination; when one is full, everybody
// exchanges what there is, in rounds. (Bale calls the pattern exstack.)
#ifndef ATOLL_BENCH_EXCHANGE_H
#define ATOLL_BENCH_EXCHANGE_H

#include "bench.h"

enum { EXCHANGE_WORDS = 8192 };  // of a buffer: 64 KiB, so that a round's barriers are few beside its words

typedef struct {
  uint64_t* out;  // [destination][word], private
  uint64_t* out_count;  // [destination]
  uint64_t* in;  // [sender][word], symmetric
  uint64_t* in_count;  // [sender][line]: words sent in this round, and whether the sender has more
} Exchange;

static inline size_t exchange_bytes(int pes) { return (size_t)pes * (EXCHANGE_WORDS * 8 + COMM_LINE); }

static inline Exchange exchange_make(void) {
  size_t pes = (size_t)comm_pes();
  return (Exchange){.out = bench_memory(pes * EXCHANGE_WORDS * 8),
                    .out_count = bench_memory(pes * 8),
                    .in = comm_alloc(pes * EXCHANGE_WORDS * 8),
                    .in_count = comm_alloc(pes * COMM_LINE)};
}

static inline uint64_t* exchange_out(const Exchange* all, int pe) { return all->out + (size_t)pe * EXCHANGE_WORDS; }
static inline uint64_t* exchange_in(const Exchange* all, int pe) { return all->in + (size_t)pe * EXCHANGE_WORDS; }
static inline uint64_t exchange_count(const Exchange* all, int pe) { return all->in_count[(size_t)pe * 8] >> 1; }

// Returns 0 when the buffer for this destination is full.
static inline int exchange_push(Exchange* all, int pe, uint64_t word) {
  uint64_t count = all->out_count[pe];
  if (count == EXCHANGE_WORDS) return 0;
  exchange_out(all, pe)[count] = word;
  all->out_count[pe] = count + 1;
  return 1;
}

// Sends everything; afterwards everybody's words are in exchange_in(). Returns whether anybody has more to send.
// A barrier must come between reading them and the next round.
static inline int exchange_round(Exchange* all, int more) {
  size_t me = (size_t)comm_me();
  for (int step = 0; step < comm_pes(); ++step) {
    int pe = (comm_me() + step) % comm_pes();
    if (all->out_count[pe] > 0)
      comm_put_nbi(all->in + me * EXCHANGE_WORDS, exchange_out(all, pe), all->out_count[pe] * 8, pe);
    comm_put_word(&all->in_count[me * 8], all->out_count[pe] << 1 | (uint64_t)(more != 0), pe);
  }
  comm_barrier();
  int any = 0;
  for (int pe = 0; pe < comm_pes(); ++pe) {
    any |= (int)(all->in_count[(size_t)pe * 8] & 1);
    all->out_count[pe] = 0;
  }
  return any;
}

#endif
