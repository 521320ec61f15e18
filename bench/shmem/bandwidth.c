// SPDX-License-Identifier: Apache-2.0
// bandwidth: bytes per second of a window of 64 non-blocking puts or gets, completed together, from PE 0 to PE 1
// (uni) and in both directions at once (bi).
#include "bench.h"

enum { MOST = 4 << 20, WINDOW = 64 };

static char *target, *own;
static size_t size;
static int peer;

static void put(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    for (int k = 0; k < WINDOW; ++k) comm_put_nbi(target, own, size, peer);
    comm_quiet();
  }
}

static void get(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    for (int k = 0; k < WINDOW; ++k) comm_get_nbi(own, target, size, peer);
    comm_quiet();
  }
}

static void fill(char* block, uint64_t seed) {
  for (size_t i = 0; i < size / 8; ++i) {
    uint64_t value = bench_mix(seed + i);
    memcpy(block + 8 * i, &value, 8);
  }
}

static void put_point(const char* name, enum BenchCallers callers, int directions) {
  comm_barrier();
  fill(own, (uint64_t)comm_me());
  memset(target, 0, size);
  comm_barrier();
  if (callers == BENCH_EVERYBODY || comm_me() == 0) put(1);
  comm_barrier();
  uint64_t hash = bench_hash(target, size);
  int sender = (comm_me() + comm_pes() - 1) % comm_pes();
  if (callers == BENCH_EVERYBODY || sender == 0) {
    fill(own, (uint64_t)sender);
    bench_check(hash == bench_hash(own, size), name);
  }
  double seconds = bench_measure(put, callers) / WINDOW;
  bench_point((BenchPoint){.name = name,
                           .size = size,
                           .seconds = seconds,
                           .work = (double)size * directions,
                           .unit = "B",
                           .checksum = hash});
}

static void get_point(const char* name) {
  comm_barrier();
  fill(target, (uint64_t)comm_me());
  memset(own, 0, size);
  comm_barrier();
  if (comm_me() == 0) get(1);
  uint64_t hash = bench_hash(own, size);
  if (comm_me() == 0) {
    fill(own, (uint64_t)peer);
    bench_check(hash == bench_hash(own, size), name);
  }
  double seconds = bench_measure(get, BENCH_FIRST) / WINDOW;
  bench_point((BenchPoint){
      .name = name, .size = size, .seconds = seconds, .work = (double)size, .unit = "B", .checksum = hash});
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  size_t most = bench_option("most", MOST);
  if (most > MOST) comm_fail("--most: at most 4 MiB");
  bench_begin(MOST, 1);
  peer = (comm_me() + 1) % comm_pes();
  own = bench_memory(MOST);
  target = comm_alloc(MOST);
  for (size = 64; size <= most; size *= 4) {
    put_point("put", BENCH_FIRST, 1);
    get_point("get");
    put_point("put_both_ways", BENCH_EVERYBODY, comm_pes());
  }
  free(own);
  return bench_end();
}
