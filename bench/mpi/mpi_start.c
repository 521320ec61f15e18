// SPDX-License-Identifier: Apache-2.0
// mpi_start: how long MPI_Init takes. What runs it adds how long the whole job takes, which does nothing else.
#include "../shmem/bench.h"

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  double begin = bench_now();
  MPI_Init(&argc, &argv);
  double taken = bench_now() - begin;
  MPI_Comm_rank(MPI_COMM_WORLD, &comm_own_pe);
  MPI_Comm_size(MPI_COMM_WORLD, &comm_all_pes);
  bench_options_end();
  uint64_t ranks = 1;
  MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  int wrong = ranks != (uint64_t)comm_pes();
  if (comm_me() == 0) {
    printf("{\"library\": \"%s\", \"pes\": %d}\n", comm_library(), comm_pes());
    bench_point((BenchPoint){.name = "init", .seconds = taken, .checksum = ranks});
    printf("{\"end\": true, \"wrong_pes\": %d}\n", wrong);
    fflush(stdout);
  }
  MPI_Finalize();
  return wrong;
}
