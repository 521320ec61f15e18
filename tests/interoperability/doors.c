/* SPDX-License-Identifier: Apache-2.0
 * MPI and OpenSHMEM in one process: one job, one heap, one progress. `doors ORDER`: which opens, and closes, first. */
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(3); \
    } \
  } while (0)

static long global_sum; /* symmetric: global data */

static void use_both(void) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(rank == shmem_my_pe() && ranks == shmem_n_pes());
  /* A word that both add to: OpenSHMEM's atomics, and MPI's in a window over the same memory. */
  long* word = shmem_malloc(sizeof(long));
  *word = 0;
  MPI_Win win;
  MPI_Win_create(word, sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  shmem_barrier_all();
  enum { times = 1000 };
  const long one = 1;
  int next = (rank + 1) % ranks;
  for (int i = 0; i < times; ++i) {
    shmem_long_atomic_add(word, 1, next);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
  }
  MPI_Win_flush_all(win);
  shmem_quiet();
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(*word == times + (rank == 0 ? times * ranks : 0));
  MPI_Win_free(&win);
  /* What one brings the other sends. */
  long* block = shmem_malloc((size_t)ranks * sizeof(long));
  for (int pe = 0; pe < ranks; ++pe) shmem_long_p(block + rank, rank * 100, pe);
  shmem_barrier_all();
  long sum = 0, all = 0;
  for (int pe = 0; pe < ranks; ++pe) sum += block[pe];
  MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all == 50L * ranks * (ranks - 1) * ranks);
  shmem_long_atomic_add(&global_sum, rank + 1, 0);
  shmem_barrier_all();
  CHECK(rank != 0 || global_sum == (long)ranks * (ranks + 1) / 2);
  MPI_Request request;
  MPI_Iallreduce(block, block + 0, 0, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request);
  shmem_barrier_all();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  shmem_free(block);
  shmem_free(word);
}

int main(int argc, char** argv) {
  int order = argc > 1 ? atoi(argv[1]) : 0;
  if (order % 2 == 0) MPI_Init(&argc, &argv), shmem_init();
  else shmem_init(), MPI_Init(&argc, &argv);
  use_both();
  if (order / 2 == 0) MPI_Finalize(), shmem_finalize();
  else shmem_finalize(), MPI_Finalize();
  return 0;
}
