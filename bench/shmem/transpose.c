// SPDX-License-Identifier: Apache-2.0
// transpose: B += transpose of A, A += 1, repeated; PEs hold bands of rows. A block for another PE is transposed
// while it is packed, put with a flag, and added at the target.
#include "bench.h"

enum { TILE = 32 };

static size_t order, rows;
static uint64_t iterations, turn;
static double *a, *b, *packed;  // packed: [PE][rows][rows]
static double* inbox;           // symmetric: [parity][sender][rows][rows]
static uint64_t* arrived;       // symmetric: [sender][line]

static void prepare(void) {
  size_t first = (size_t)comm_me() * rows;
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < order; ++k) {
      a[i * order + k] = (double)((first + i) * order + k);
      b[i * order + k] = 0;
    }
}

// to[k][i] (+)= from[i][k], from with `order` columns, to with `columns`, in tiles that stay in the cache.
static void transpose_block(double* restrict to, size_t columns, const double* restrict from, int adds) {
  for (size_t ii = 0; ii < rows; ii += TILE)
    for (size_t kk = 0; kk < rows; kk += TILE)
      for (size_t k = kk; k < kk + TILE && k < rows; ++k)
        for (size_t i = ii; i < ii + TILE && i < rows; ++i)
          to[k * columns + i] = from[i * order + k] + (adds ? to[k * columns + i] : 0);
}

static void run(void) {
  int pes = comm_pes(), me = comm_me();
  size_t block = rows * rows;
  for (uint64_t i = 0; i < iterations; ++i) {
    ++turn;
    for (int step = 1; step < pes; ++step) {
      int pe = (me + step) % pes;
      double* out = packed + (size_t)pe * block;
      transpose_block(out, rows, a + (size_t)pe * rows, 0);
      // Halves take turns, as in stencil: a sender is at most one turn ahead of those it sends to.
      comm_put_flag(inbox + (turn % 2 * (size_t)pes + (size_t)me) * block, out, block * sizeof(double),
                    &arrived[(size_t)me * 8], turn, pe);
    }
    transpose_block(b + (size_t)me * rows, order, a + (size_t)me * rows, 1);
    for (int step = 1; step < pes; ++step) {
      int pe = (me + pes - step) % pes;
      comm_wait(&arrived[(size_t)pe * 8], turn);
      const double* in = inbox + (turn % 2 * (size_t)pes + (size_t)pe) * block;
      for (size_t row = 0; row < rows; ++row) {
        double* restrict to = b + row * order + (size_t)pe * rows;
        for (size_t k = 0; k < rows; ++k) to[k] += in[row * rows + k];
      }
    }
    for (size_t k = 0; k < rows * order; ++k) a[k] += 1.0;
  }
  comm_barrier();
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  size_t wanted_order = bench_option("order", 1536);
  iterations = bench_option("iterations", 10);
  bench_begin(2 * comm_round_up(wanted_order * wanted_order * sizeof(double)) + 64 * COMM_LINE, 1);
  size_t pes = (size_t)comm_pes();
  rows = wanted_order / pes;
  order = rows * pes;
  if (rows == 0) comm_fail("--order: give a row to each PE");
  a = bench_memory(rows * order * sizeof(double));
  b = bench_memory(rows * order * sizeof(double));
  packed = bench_memory(rows * order * sizeof(double));
  inbox = comm_alloc(2 * rows * order * sizeof(double));
  arrived = comm_alloc(pes * COMM_LINE);

  double seconds = bench_problem(prepare, run);
  int right = 1;
  double added = (double)iterations * (double)(iterations - 1) / 2;
  size_t first = (size_t)comm_me() * rows;
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < order; ++k)
      right &= b[i * order + k] == (double)(k * order + first + i) * (double)iterations + added;
  bench_check(right, "transpose");
  uint64_t hash = comm_total(bench_hash(b, rows * order * sizeof(double)));
  double bytes = 2.0 * (double)order * (double)order * sizeof(double) * (double)iterations;
  bench_point(
      (BenchPoint){.name = "blocks", .size = order, .seconds = seconds, .work = bytes, .unit = "B", .checksum = hash});
  return bench_end();
}
