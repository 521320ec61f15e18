// SPDX-License-Identifier: Apache-2.0
// threads: 500,000 puts and 500,000 gets of 8 bytes per thread, by 1, 2, 4, ... threads of every PE at once, each to
// lines of its own at the next PE. The size of a point is its threads per PE.
#include "bench.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST_THREADS = 64, WORDS = 64, STRIDE = COMM_LINE / 8 };

static uint64_t* words;  // [thread][word], a line each
static uint64_t operations;
static int threads, peer;
static pthread_barrier_t start;

typedef struct {
  int number;
  int gets;
  uint64_t sum;
  double begin, end;
} Worker;

static uint64_t* word(int thread, uint64_t i) { return &words[((uint64_t)thread * WORDS + i % WORDS) * STRIDE]; }

static void* work(void* argument) {
  Worker* worker = argument;
  pthread_barrier_wait(&start);
  worker->begin = bench_now();
  if (worker->gets) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < operations; ++i) sum += comm_get_word(word(worker->number, i), peer);
    worker->sum = sum;
  } else {
    for (uint64_t i = 0; i < operations; ++i) comm_put_word(word(worker->number, i), i + 1, peer);
    comm_quiet();
  }
  worker->end = bench_now();
  return NULL;
}

static double once(int gets, uint64_t* sum) {
  pthread_t handles[MOST_THREADS];
  Worker workers[MOST_THREADS];
  pthread_barrier_init(&start, NULL, (unsigned)threads + 1);
  for (int i = 0; i < threads; ++i) {
    workers[i] = (Worker){.number = i, .gets = gets};
    if (pthread_create(&handles[i], NULL, work, &workers[i]) != 0) comm_fail("cannot start a thread");
  }
  comm_barrier();
  pthread_barrier_wait(&start);
  double first = 0, last = 0;
  *sum = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(handles[i], NULL);
    *sum += workers[i].sum;
    if (i == 0 || workers[i].begin < first) first = workers[i].begin;
    if (workers[i].end > last) last = workers[i].end;
  }
  pthread_barrier_destroy(&start);
  return comm_max(last - first);
}

static void point(const char* name, int gets) {
  double seconds[BENCH_MOST_REPEATS];
  uint64_t sum = 0;
  for (unsigned i = 0; i < bench_repeats; ++i) seconds[i] = once(gets, &sum);
  comm_barrier();
  if (!gets)
    for (int i = 0; i < threads; ++i)
      for (uint64_t k = 0; k < WORDS && k < operations; ++k) sum += *word(i, k);
  // The last WORDS puts of a thread are what its words hold; the gets see the same words, round after round.
  uint64_t wanted = 0;
  for (uint64_t k = 0; k < WORDS && k < operations; ++k) {
    uint64_t last = operations - 1 - (operations - 1 - k) % WORDS + 1;
    uint64_t looks = (operations - 1 - k) / WORDS + 1;
    wanted += last * (gets ? looks : 1);
  }
  bench_check(sum == wanted * (uint64_t)threads, name);
  bench_point((BenchPoint){.name = name,
                           .size = (uint64_t)threads,
                           .seconds = bench_median(seconds, bench_repeats),
                           .work = (double)operations * threads * comm_pes(),
                           .unit = "op",
                           .checksum = sum});
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  operations = bench_option("operations", 500000);
  int most = (int)bench_option("threads", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
  if (most < 1 || most > MOST_THREADS) comm_fail("--threads: give a number from 1 to 64");
  size_t bytes = (size_t)most * WORDS * COMM_LINE;
  bench_begin(bytes, most + 1);
  peer = (comm_me() + 1) % comm_pes();
  words = comm_alloc(bytes);
  for (threads = 1; threads <= most; threads = threads < most && threads * 2 > most ? most : threads * 2) {
    point("put", 0);
    point("get", 1);
  }
  return bench_end();
}
