// SPDX-License-Identifier: Apache-2.0
// message_rate: how many puts, gets and atomic adds of 8 bytes per second one PE issues, completed 64 at a time. The
// words lie in lines of their own, so that no operation waits for the one before.
#include "bench.h"

enum { WINDOW = 64, STRIDE = COMM_LINE / 8 };

static uint64_t* words;
static uint64_t got[WINDOW];
static int peer;

static void put(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    for (int k = 0; k < WINDOW; ++k) comm_put_word(&words[k * STRIDE], i, peer);
    comm_quiet();
  }
}

static void get(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    for (int k = 0; k < WINDOW; ++k) comm_get_nbi(&got[k], &words[k * STRIDE], 8, peer);
    comm_quiet();
  }
}

static void add(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    for (int k = 0; k < WINDOW; ++k) comm_add(&words[k * STRIDE], 1, peer);
    comm_quiet();
  }
}

static void set(uint64_t value) {
  comm_barrier();
  for (int k = 0; k < WINDOW; ++k) words[k * STRIDE] = value == 0 ? 0 : value + (uint64_t)k;
  comm_barrier();
}

static void point(const char* name, BenchBody body, enum BenchCallers callers, uint64_t checksum) {
  double seconds = bench_measure(body, callers) / WINDOW;
  double work = callers == BENCH_EVERYBODY ? comm_pes() : 1;
  bench_point(
      (BenchPoint){.name = name, .size = 8, .seconds = seconds, .work = work, .unit = "op", .checksum = checksum});
}

// What PE 1's words add up to after `turns` rounds by PE 0.
static uint64_t after(BenchBody body, uint64_t turns) {
  set(0);
  if (comm_me() == 0) body(turns);
  comm_barrier();
  uint64_t sum = 0;
  for (int k = 0; k < WINDOW; ++k) sum += words[k * STRIDE];
  return comm_total(comm_me() == 1 % comm_pes() ? sum : 0);
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  bench_begin(WINDOW * COMM_LINE, 1);
  peer = (comm_me() + 1) % comm_pes();
  words = comm_alloc(WINDOW * COMM_LINE);

  uint64_t sum = after(put, 3);
  bench_check(sum == 2 * WINDOW, "put");
  point("put", put, BENCH_FIRST, sum);

  set(1000);
  get(1);
  sum = bench_hash(got, sizeof got);
  for (int k = 0; k < WINDOW; ++k) bench_check(got[k] == 1000 + (uint64_t)k, "get");
  point("get", get, BENCH_FIRST, sum);

  sum = after(add, 3);
  bench_check(sum == 3 * WINDOW, "add");
  point("add", add, BENCH_FIRST, sum);

  point("put_both_ways", put, BENCH_EVERYBODY, 0);
  point("add_both_ways", add, BENCH_EVERYBODY, 0);
  return bench_end();
}
