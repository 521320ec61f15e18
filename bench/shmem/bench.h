// SPDX-License-Identifier: Apache-2.0
// What every benchmark shares: options, the clock, how long to measure, checks, and the JSON lines it prints.
//
//     int main(int argc, char** argv) {
//       bench_arguments(argc, argv);
//       size_t most = bench_option("most", 4 << 20);
//       bench_begin(heap_bytes, threads);
//       ... bench_point((BenchPoint){.name = "put", .size = 8, .seconds = …, .checksum = …}); ...
//       return bench_end();
//     }
//
// Options are "--name number". Those accepted are those that were asked for between bench_arguments() and
// bench_begin().
#ifndef ATOLL_BENCH_BENCH_H
#define ATOLL_BENCH_BENCH_H

#include "comm.h"

#include <inttypes.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { BENCH_MOST_OPTIONS = 16, BENCH_MOST_REPEATS = 64 };

static int bench_argc;
static char** bench_argv;
static const char* bench_asked[BENCH_MOST_OPTIONS];
static int bench_asked_count;
static int bench_wrong;
static double bench_share;     // seconds that one measurement shall take
static unsigned bench_repeats; // measurements of each point, of which the median counts

static inline double bench_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Random words that depend on the index alone (the finaliser of splitmix64).
static inline uint64_t bench_mix(uint64_t index) {
  uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// A sum over bytes in which places count; the same on every machine.
static inline uint64_t bench_hash(const void* data, size_t bytes) {
  const unsigned char* at = data;
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ at[i]) * 0x100000001b3u;
  return hash;
}

static inline uint64_t bench_option(const char* name, uint64_t standard) {
  if (bench_asked_count < BENCH_MOST_OPTIONS) bench_asked[bench_asked_count++] = name;
  for (int i = 1; i + 1 < bench_argc; i += 2)
    if (strncmp(bench_argv[i], "--", 2) == 0 && strcmp(bench_argv[i] + 2, name) == 0) {
      char* end;
      uint64_t value = strtoull(bench_argv[i + 1], &end, 10);
      if (*end != '\0' || end == bench_argv[i + 1]) {
        fprintf(stderr, "--%s %s: give a whole number\n", name, bench_argv[i + 1]);
        exit(2);
      }
      return value;
    }
  return standard;
}

static inline void bench_arguments(int argc, char** argv) {
  bench_argc = argc;
  bench_argv = argv;
  bench_share = 1e-6 * (double)bench_option("share-us", 5000);
  bench_repeats = (unsigned)bench_option("repeats", 5);
  if (bench_repeats < 1 || bench_repeats > BENCH_MOST_REPEATS) comm_fail("--repeats: give a number from 1 to 64");
}

// Whatever was given but not asked for is a mistake.
static inline void bench_options_end(void) {
  for (int i = 1; i < bench_argc; i += 2) {
    int known = 0;
    for (int k = 0; k < bench_asked_count; ++k)
      known |= strncmp(bench_argv[i], "--", 2) == 0 && strcmp(bench_argv[i] + 2, bench_asked[k]) == 0;
    if (known && i + 1 < bench_argc) continue;
    if (comm_me() != 0) {
      sleep(5);  // the first PE to exit may end the job: let it be the one that says why
    } else {
      fprintf(stderr, "'%s' is not understood. Accepted, each with a number:", bench_argv[i]);
      for (int k = 0; k < bench_asked_count; ++k) fprintf(stderr, " --%s", bench_asked[k]);
      fprintf(stderr, "\n");
    }
    exit(2);
  }
}

// A core for each PE, when there are enough and the launcher has not chosen.
static inline void bench_bind(void) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < comm_pes()) return;
  int wanted = comm_me();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
}

// `threads` per PE: with more than one, PEs are not bound.
static inline void bench_begin(size_t heap_bytes, int threads) {
  comm_begin(&bench_argc, &bench_argv, heap_bytes, threads);
  bench_options_end();
  if (threads == 1) bench_bind();
  if (comm_me() == 0) printf("{\"library\": \"%s\", \"pes\": %d}\n", comm_library(), comm_pes());
}

// Every PE checks what it can see; one wrong PE makes the program fail.
static inline void bench_check(int right, const char* what) {
  if (right) return;
  bench_wrong = 1;
  fprintf(stderr, "PE %d: the answer of %s is wrong\n", comm_me(), what);
}

// The last line says that all went well up to here: some libraries fail when they are finalized.
static inline int bench_end(void) {
  uint64_t wrong = comm_total((uint64_t)bench_wrong);
  if (comm_me() == 0) printf("{\"end\": true, \"wrong_pes\": %" PRIu64 "}\n", wrong);
  fflush(stdout);
  comm_barrier();
  comm_end();
  return wrong != 0;
}

// One line of the result. `seconds` is for one operation, or for the whole of a problem of fixed size; in them `work`
// units were done, in all PEs together.
typedef struct {
  const char* name;
  uint64_t size;  // bytes of one operation, or elements of the problem
  double seconds;
  double work;
  const char* unit;  // of work: "B", "op", "key", "flop"; NULL when only the time counts
  uint64_t checksum;
} BenchPoint;

static inline void bench_point(BenchPoint point) {
  if (comm_me() != 0) return;
  printf("{\"point\": \"%s\", \"size\": %" PRIu64
         ", \"seconds\": %.6g, \"work\": %.17g, \"unit\": \"%s\", "
         "\"checksum\": \"%016" PRIx64 "\"}\n",
         point.name, point.size, point.seconds, point.work, point.unit == NULL ? "" : point.unit, point.checksum);
  fflush(stdout);
}

static inline double bench_median(double* values, unsigned count) {
  for (unsigned i = 1; i < count; ++i)
    for (unsigned k = i; k > 0 && values[k] < values[k - 1]; --k) {
      double other = values[k];
      values[k] = values[k - 1];
      values[k - 1] = other;
    }
  return values[count / 2];
}

// A body does its operation `count` times.
typedef void (*BenchBody)(uint64_t count);

enum BenchCallers { BENCH_FIRST, BENCH_EVERYBODY };

// Seconds of the slowest PE.
static inline double bench_time(BenchBody body, uint64_t count, enum BenchCallers callers) {
  comm_barrier();
  double begin = bench_now();
  if (callers == BENCH_EVERYBODY || comm_me() == 0) body(count);
  return comm_max(bench_now() - begin);
}

// Median seconds of one operation: as many in a row as fill the share. All PEs come to the same count, because they
// see the same time.
static inline double bench_measure(BenchBody body, enum BenchCallers callers) {
  uint64_t count = 1;
  double taken = bench_time(body, count, callers);
  while (taken < bench_share / 4 && count < ((uint64_t)1 << 40)) {
    uint64_t wanted = (uint64_t)((double)count * bench_share / 2 / (taken > 1e-7 ? taken : 1e-7));
    count = wanted > count * 16 ? count * 16 : wanted < count * 2 ? count * 2 : wanted;
    taken = bench_time(body, count, callers);
  }
  uint64_t fitting = (uint64_t)((double)count * bench_share / taken);
  count = fitting > 1 ? fitting : 1;
  double seconds[BENCH_MOST_REPEATS];
  for (unsigned i = 0; i < bench_repeats; ++i) seconds[i] = bench_time(body, count, callers) / (double)count;
  return bench_median(seconds, bench_repeats);
}

// Median seconds of a problem of fixed size: `prepare` is not timed and ends before anybody begins; `run` ends when its
// effects are seen by all that check them. The first run warms up.
static inline double bench_problem(void (*prepare)(void), void (*run)(void)) {
  double seconds[BENCH_MOST_REPEATS];
  for (unsigned i = 0; i <= bench_repeats; ++i) {
    prepare();
    comm_barrier();
    double begin = bench_now();
    run();
    double taken = comm_max(bench_now() - begin);
    if (i > 0) seconds[i - 1] = taken;
  }
  return bench_median(seconds, bench_repeats);
}

// Private memory, touched.
static inline void* bench_memory(size_t bytes) {
  void* block = aligned_alloc(comm_alignment(bytes), comm_round_up(bytes));
  if (block == NULL) comm_fail("out of memory");
  memset(block, 0, comm_round_up(bytes));
  return block;
}

#endif
