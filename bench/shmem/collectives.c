// SPDX-License-Identifier: Apache-2.0
// collectives: time of a barrier, broadcast, allreduce (sum of doubles), allgather (fcollect) and alltoall over all
// PEs, by bytes per PE (of alltoall: per pair of PEs). Calls follow one another without a barrier between.
#include "bench.h"

static double *in, *out;
static size_t size;

static void barrier(uint64_t count) {
  while (count-- != 0) comm_barrier();
}
static void sync_all(uint64_t count) {
  while (count-- != 0) comm_sync();
}
static void broadcast(uint64_t count) {
  while (count-- != 0) comm_broadcast(out, in, size, 0);
}
static void allreduce(uint64_t count) {
  while (count-- != 0) comm_sum(out, in, size / 8);
}
static void allgather(uint64_t count) {
  while (count-- != 0) comm_allgather(out, in, size);
}
static void alltoall(uint64_t count) {
  while (count-- != 0) comm_alltoall(out, in, size);
}

// Element i of what `from` has for `to`. Small whole numbers: sums of doubles are exact.
static double element(int from, int to, size_t i) { return (double)(from * 64 + to + (int)(i % 1000)); }

static double broadcast_wanted(int block, size_t i) { return (void)block, element(0, 0, i); }
static double allreduce_wanted(int block, size_t i) {
  (void)block;
  double sum = 0;
  for (int pe = 0; pe < comm_pes(); ++pe) sum += element(pe, 0, i);
  return sum;
}
static double allgather_wanted(int block, size_t i) { return element(block, 0, i); }
static double alltoall_wanted(int block, size_t i) { return element(block, comm_me(), i); }

static void point(const char* name, BenchBody body, double (*wanted)(int, size_t), int blocks, int in_blocks) {
  size_t count = size / 8;
  for (int to = 0; to < in_blocks; ++to)
    for (size_t i = 0; i < count; ++i) in[(size_t)to * count + i] = element(comm_me(), to, i);
  memset(out, 0, size * (size_t)blocks);
  comm_barrier();
  body(1);
  comm_barrier();
  // The root of a broadcast may or may not get its own data, by library and version.
  int right = 1, skipped = body == broadcast && comm_me() == 0;
  for (int block = 0; block < blocks && !skipped; ++block)
    for (size_t i = 0; i < count; ++i) right &= out[(size_t)block * count + i] == wanted(block, i);
  bench_check(right, name);
  uint64_t hash = comm_total(skipped ? 0 : bench_hash(out, size * (size_t)blocks));
  double seconds = bench_measure(body, BENCH_EVERYBODY);
  bench_point((BenchPoint){.name = name, .size = size, .seconds = seconds, .checksum = hash});
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  size_t most = bench_option("most", 1 << 20);
  size_t heap = most * 64 * 2;
  bench_begin(heap, 1);
  size_t pes = (size_t)comm_pes();
  if (most * pes * 2 > heap) comm_fail("collectives: at most 64 PEs");
  in = comm_alloc(most * pes);
  out = comm_alloc(most * pes);
  bench_point((BenchPoint){.name = "barrier", .seconds = bench_measure(barrier, BENCH_EVERYBODY)});
  bench_point((BenchPoint){.name = "sync", .seconds = bench_measure(sync_all, BENCH_EVERYBODY)});
  for (size = 8; size <= most; size = size == 8 ? 64 : size * 8) {
    point("broadcast", broadcast, broadcast_wanted, 1, 1);
    point("allreduce", allreduce, allreduce_wanted, 1, 1);
    point("allgather", allgather, allgather_wanted, (int)pes, 1);
    point("alltoall", alltoall, alltoall_wanted, (int)pes, (int)pes);
    if (size < most && size * 8 > most) size = most / 8;  // the largest, too
  }
  return bench_end();
}
