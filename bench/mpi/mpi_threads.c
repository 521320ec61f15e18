// SPDX-License-Identifier: Apache-2.0
// mpi_threads: messages of 8 bytes in windows of 64 between pairs of threads of ranks 0 and 1, each pair with a
// communicator of its own. The size of a point is the number of pairs; its rate is that of all pairs together.
#include "../shmem/bench.h"

#include <pthread.h>

enum { MOST_PAIRS = 16, WINDOW = 64 };

static MPI_Comm comms[MOST_PAIRS];
static uint64_t windows;
static pthread_barrier_t start;

typedef struct {
  int number, wrong;
  double begin, end;
} Worker;

static void* work(void* argument) {
  Worker* worker = argument;
  MPI_Comm comm = comms[worker->number];
  MPI_Request requests[WINDOW];
  uint64_t words[WINDOW];
  int me = comm_me();
  pthread_barrier_wait(&start);
  worker->begin = bench_now();
  for (uint64_t i = 0; i < windows; ++i) {
    for (int k = 0; k < WINDOW; ++k) {
      if (me == 0) {
        words[k] = i * WINDOW + (uint64_t)k + (uint64_t)worker->number;
        MPI_Isend(&words[k], 1, MPI_UINT64_T, 1, 0, comm, &requests[k]);
      } else {
        MPI_Irecv(&words[k], 1, MPI_UINT64_T, 0, 0, comm, &requests[k]);
      }
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    if (me == 0) {
      MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, comm, MPI_STATUS_IGNORE);
    } else {
      for (int k = 0; k < WINDOW; ++k) worker->wrong |= words[k] != i * WINDOW + (uint64_t)k + (uint64_t)worker->number;
      MPI_Send(NULL, 0, MPI_BYTE, 0, 1, comm);
    }
  }
  worker->end = bench_now();
  return NULL;
}

static double once(int pairs) {
  pthread_t handles[MOST_PAIRS];
  Worker workers[MOST_PAIRS];
  double first = 0, last = 0;
  int wrong = 0;
  if (comm_me() < 2) {
    pthread_barrier_init(&start, NULL, (unsigned)pairs);
    for (int i = 0; i < pairs; ++i) {
      workers[i] = (Worker){.number = i};
      if (pthread_create(&handles[i], NULL, work, &workers[i]) != 0) comm_fail("cannot start a thread");
    }
    for (int i = 0; i < pairs; ++i) {
      pthread_join(handles[i], NULL);
      wrong |= workers[i].wrong;
      if (i == 0 || workers[i].begin < first) first = workers[i].begin;
      if (workers[i].end > last) last = workers[i].end;
    }
    pthread_barrier_destroy(&start);
  }
  bench_check(!wrong, "the messages");
  return comm_max(last - first);
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  int pairs = (int)bench_option("pairs", 2);
  windows = bench_option("windows", 2000);
  if (pairs < 1 || pairs > MOST_PAIRS) comm_fail("--pairs: give a number from 1 to 16");
  bench_begin(64, 2);
  if (comm_pes() < 2) comm_fail("mpi_threads: run this on 2 ranks");
  for (int i = 0; i < pairs; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int many = 1; many <= pairs; many *= 2) {
    double seconds[BENCH_MOST_REPEATS];
    once(many);
    for (unsigned i = 0; i < bench_repeats; ++i) seconds[i] = once(many);
    bench_point((BenchPoint){.name = "stream",
                             .size = (uint64_t)many,
                             .seconds = bench_median(seconds, bench_repeats),
                             .work = (double)windows * WINDOW * many,
                             .unit = "op",
                             .checksum = (uint64_t)many});
  }
  for (int i = 0; i < pairs; ++i) MPI_Comm_free(&comms[i]);
  return bench_end();
}
