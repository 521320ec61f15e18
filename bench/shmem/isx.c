// SPDX-License-Identifier: Apache-2.0
// isx: sorting of whole numbers by buckets, one per PE: each PE parts its keys by bucket, sends every bucket to its PE
// (a fetch-add reserves the place, a put fills it), and counts what it got. Weak: a fixed number of keys per PE;
// strong: a fixed number in all. The exchange is timed apart, too.
#include "bench.h"

static uint64_t key_count, key_bits, capacity;
static uint32_t *keys, *parted;
static uint64_t *starts, *counts;  // of the buckets
static uint32_t* received;         // symmetric
static uint64_t* received_count;   // symmetric
static uint32_t* tallies;
static uint64_t width;             // of a bucket
static double exchange_seconds[BENCH_MOST_REPEATS + 1];
static unsigned exchanges;

static void prepare(void) {
  *received_count = 0;
  for (uint64_t i = 0; i < key_count; ++i)
    keys[i] = (uint32_t)(bench_mix((uint64_t)comm_me() * key_count + i) >> (64 - key_bits));
}

static void sort(void) {
  int pes = comm_pes();
  unsigned shift = 0;  // buckets of a power of two of keys: a shift finds the bucket
  while (((uint64_t)1 << shift) < width) ++shift;
  memset(counts, 0, (size_t)pes * 8);
  for (uint64_t i = 0; i < key_count; ++i) ++counts[keys[i] >> shift];
  uint64_t at = 0;
  for (int pe = 0; pe < pes; ++pe) {
    starts[pe] = at;
    at += counts[pe];
    counts[pe] = starts[pe];
  }
  for (uint64_t i = 0; i < key_count; ++i) parted[counts[keys[i] >> shift]++] = keys[i];

  double begin = bench_now();
  for (int step = 0; step < pes; ++step) {
    int pe = (comm_me() + step) % pes;
    uint64_t count = counts[pe] - starts[pe];
    if (count == 0) continue;
    uint64_t place = comm_fetch_add(received_count, count, pe);
    if (place + count > capacity) comm_fail("isx: a bucket overflows");
    comm_put_nbi(received + place, parted + starts[pe], count * sizeof(uint32_t), pe);
  }
  comm_barrier();
  exchange_seconds[exchanges++] = bench_now() - begin;

  memset(tallies, 0, width * sizeof(uint32_t));
  uint64_t total = *received_count, first = (uint64_t)comm_me() * width;
  for (uint64_t i = 0; i < total; ++i) ++tallies[received[i] - first];
  comm_barrier();
}

static void point(const char* name, const char* exchange_name, uint64_t keys_per_pe) {
  key_count = keys_per_pe;
  exchanges = 0;
  double seconds = bench_problem(prepare, sort);
  uint64_t total = 0, mine = 0, hash = 0, first = (uint64_t)comm_me() * width;
  int right = 1;
  for (uint64_t i = 0; i < width; ++i)
    total += tallies[i], mine += tallies[i] * (first + i), hash += bench_mix(first + i) * tallies[i];
  for (uint64_t i = 0; i < *received_count; ++i) right &= received[i] - first < width;
  uint64_t wanted = 0;
  for (uint64_t i = 0; i < key_count; ++i) wanted += keys[i];
  bench_check(right && total == *received_count, name);
  bench_check(comm_total(total) == key_count * (uint64_t)comm_pes() && comm_total(mine) == comm_total(wanted), name);
  hash = comm_total(hash);
  double work = (double)key_count * comm_pes();
  bench_point(
      (BenchPoint){.name = name, .size = key_count, .seconds = seconds, .work = work, .unit = "key", .checksum = hash});
  double slowest = comm_max(bench_median(exchange_seconds + 1, exchanges - 1));
  bench_point((BenchPoint){
      .name = exchange_name, .size = key_count, .seconds = slowest, .work = work, .unit = "key", .checksum = hash});
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  uint64_t weak = bench_option("keys", 1 << 20), strong = bench_option("total", 1 << 22);
  key_bits = bench_option("key-bits", 22);
  if (key_bits < 8 || key_bits > 28) comm_fail("--key-bits: give a number from 8 to 28");
  uint64_t most = weak > strong ? weak : strong;
  capacity = most * 2 + 4096;  // buckets of random keys are even, but for two PEs in three buckets one may be double
  bench_begin(comm_round_up(capacity * sizeof(uint32_t)) + COMM_LINE, 1);
  width = 1;
  while (width * (uint64_t)comm_pes() < (uint64_t)1 << key_bits) width *= 2;
  keys = bench_memory(most * sizeof(uint32_t));
  parted = bench_memory(most * sizeof(uint32_t));
  starts = bench_memory((size_t)comm_pes() * 8);
  counts = bench_memory((size_t)comm_pes() * 8);
  tallies = bench_memory(width * sizeof(uint32_t));
  received = comm_alloc(capacity * sizeof(uint32_t));
  received_count = comm_alloc(COMM_LINE);
  point("weak", "weak_exchange", weak);
  point("strong", "strong_exchange", strong / (uint64_t)comm_pes());
  return bench_end();
}
