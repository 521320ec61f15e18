// SPDX-License-Identifier: Apache-2.0
// pe_stream: a = b + alpha * c in every PE's own symmetric memory, all at once: what its pages and its place are worth.
#include "bench.h"

static double *a, *b, *c;
static uint64_t elements;

static void triad(uint64_t count) {
  for (uint64_t turn = 0; turn < count; ++turn) {
    double alpha = 3.0 + (double)(turn & 1);
    double* restrict to = a, * restrict left = b, * restrict right = c;
    for (uint64_t i = 0; i < elements; ++i) to[i] = left[i] + alpha * right[i];
    __asm__ volatile("" ::: "memory");
  }
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  elements = bench_option("elements", 4 << 20);
  size_t bytes = elements * sizeof(double);
  bench_begin(3 * comm_round_up(bytes), 1);
  a = comm_alloc(bytes);
  b = comm_alloc(bytes);
  c = comm_alloc(bytes);
  for (uint64_t i = 0; i < elements; ++i) {
    b[i] = (double)(i % 1000);
    c[i] = (double)(i % 77 + (uint64_t)comm_me());
  }
  triad(1);
  int right = 1;
  for (uint64_t i = 0; i < elements; ++i)
    right &= a[i] == (double)(i % 1000) + 3.0 * (double)(i % 77 + (uint64_t)comm_me());
  bench_check(right, "triad");
  uint64_t hash = comm_total(bench_hash(a, bytes));
  double seconds = bench_measure(triad, BENCH_EVERYBODY);
  bench_point((BenchPoint){.name = "triad",
                           .size = bytes,
                           .seconds = seconds,
                           .work = 3.0 * (double)bytes * comm_pes(),
                           .unit = "B",
                           .checksum = hash});
  return bench_end();
}
