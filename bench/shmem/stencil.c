// SPDX-License-Identifier: Apache-2.0
// stencil: a star of radius 2 over a square grid, repeated; PEs hold bands of rows and put the rows at their borders,
// with a flag, to their neighbours. As in the parallel research kernels, the weights are those of a divergence and the
// grid grows by one each time, so that the result is known.
#include "bench.h"

enum { RADIUS = 2 };

static size_t order, first, rows;
static uint64_t iterations;
static double *grid, *result;  // grid: the band with RADIUS rows above and below
static double* halo;           // symmetric: [parity][above, below][RADIUS][order]
static uint64_t* arrived;      // symmetric: [above, below][line]: iterations sent
static uint64_t turn;

static double* halo_at(uint64_t parity, int side) { return halo + ((parity * 2 + (size_t)side) * RADIUS) * order; }

static void prepare(void) {
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < order; ++k) {
      grid[(i + RADIUS) * order + k] = (double)(first + i) + (double)k;
      result[i * order + k] = 0;
    }
}

// Rows at the borders go over; those of the neighbours come in. Two halves take turns: a neighbour writes into one
// again only after it got my rows of the turn between.
static void exchange(void) {
  ++turn;
  int me = comm_me(), last = comm_pes() - 1;
  size_t bytes = RADIUS * order * sizeof(double);
  if (me > 0) comm_put_flag(halo_at(turn % 2, 1), grid + RADIUS * order, bytes, &arrived[8], turn, me - 1);
  if (me < last) comm_put_flag(halo_at(turn % 2, 0), grid + rows * order, bytes, &arrived[0], turn, me + 1);
  if (me > 0) {
    comm_wait(&arrived[0], turn);
    memcpy(grid, halo_at(turn % 2, 0), bytes);
  }
  if (me < last) {
    comm_wait(&arrived[8], turn);
    memcpy(grid + (rows + RADIUS) * order, halo_at(turn % 2, 1), bytes);
  }
}

static void apply(void) {
  const double near = 1.0 / (2 * RADIUS), far = 1.0 / (4 * RADIUS);
  size_t begin = first < RADIUS ? RADIUS - first : 0;
  size_t end = first + rows > order - RADIUS ? order - RADIUS - first : rows;
  for (size_t i = begin; i < end; ++i) {
    const double* restrict at = grid + (i + RADIUS) * order;
    double* restrict to = result + i * order;
    for (size_t k = RADIUS; k < order - RADIUS; ++k)
      to[k] += near * (at[k + 1] - at[k - 1]) + far * (at[k + 2] - at[k - 2]) + near * (at[k + order] - at[k - order]) +
               far * (at[k + 2 * order] - at[k - 2 * order]);
  }
  double* restrict all = grid + RADIUS * order;
  for (size_t i = 0; i < rows * order; ++i) all[i] += 1.0;
}

static void run(void) {
  for (uint64_t i = 0; i < iterations; ++i) {
    exchange();
    apply();
  }
  comm_barrier();
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  order = bench_option("order", 2000);
  iterations = bench_option("iterations", 20);
  bench_begin(8 * RADIUS * order * sizeof(double) + 4 * COMM_LINE, 1);
  size_t pes = (size_t)comm_pes(), me = (size_t)comm_me();
  first = order * me / pes;
  rows = order * (me + 1) / pes - first;
  if (order / pes < 2 * RADIUS) comm_fail("--order: give at least 4 rows to each PE");
  grid = bench_memory((rows + 2 * RADIUS) * order * sizeof(double));
  result = bench_memory(rows * order * sizeof(double));
  halo = comm_alloc(4 * RADIUS * order * sizeof(double));
  arrived = comm_alloc(2 * COMM_LINE);

  double seconds = bench_problem(prepare, run);
  // Along both axes the slope is one, and near + 2 far of both sides make one: 2 per turn.
  double wanted = 2.0 * (double)iterations;
  int right = 1;
  uint64_t cells = 0;
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < order; ++k) {
      int inner = first + i >= RADIUS && first + i < order - RADIUS && k >= RADIUS && k < order - RADIUS;
      double off = result[i * order + k] - (inner ? wanted : 0);
      right &= off < 1e-8 && off > -1e-8;
      cells += (uint64_t)inner;
    }
  bench_check(right, "stencil");
  cells = comm_total(cells);
  double flops = (double)(2 * (4 * RADIUS + 1) + 1) * (double)cells * (double)iterations;
  bench_point((BenchPoint){.name = "star",
                           .size = order,
                           .seconds = seconds,
                           .work = flops,
                           .unit = "flop",
                           .checksum = cells * iterations});
  return bench_end();
}
