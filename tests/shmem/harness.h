/* SPDX-License-Identifier: Apache-2.0
 * What the generated programs of this folder stand on: typed values and checks, symmetric memory of four kinds, a limit
 * of time for each case, and the loop over the cases. C99 and later, and C++11 and later. */
#ifndef ATOLL_TESTS_SHMEM_HARNESS_H
#define ATOLL_TESTS_SHMEM_HARNESS_H

#include <limits.h>
#include <shmem.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifndef __cplusplus
#include <complex.h>
#endif

static int me, npes, right, left; /* this PE, all PEs, the neighbours on a ring */

/* Whether two PEs are on one node. OSH_PES_PER_NODE: so many on each, in order; not set: there is one node. */
static inline int share_node(int one, int other) {
  const char* text = getenv("OSH_PES_PER_NODE");
  int each = text == NULL ? npes : atoi(text);
  return one / each == other / each;
}

/* ---- what is running, and what failed --------------------------------------------------------------------------- */

typedef struct {
  const char* name;
  const char* section; /* of the standard */
  void (*run)(void);
  int least, most;   /* PEs on which it makes sense */
  int uses_symmetric; /* whether it takes symmetric memory, and is repeated on each kind */
} test_case;

static const test_case* running;
static const char* running_on = "";
static int failures, failures_of_case, failures_of_all;

static inline void harness_failed(const char* text, long at, const char* got, const char* wanted) {
  char place[32] = "";
  ++failures;
  if (++failures_of_case > 4) return;
  if (at >= 0) snprintf(place, sizeof place, " at %ld", at);
  fprintf(stderr, "FAILED %s (%s), %s, PE %d of %d: %s%s: got %s, wanted %s\n", running->name, running->section,
          running_on, me, npes, text, place, got, wanted);
  fflush(stderr);
}

/* ---- values: v_int(7), FILL(int, array, n, first), CHECK(int, array[3], 10), CHECK_AT(int, i, array[i], 10 + i)
 * ------ */

typedef uint8_t bits8;
typedef uint16_t bits16;
typedef uint32_t bits32;
typedef uint64_t bits64;
typedef struct {
  uint64_t low, high;
} bits128;

#define HARNESS_TYPE(T, C, format, wide) \
  static inline C v_##T(long x) { return (C)x; } \
  static inline void check_##T(const char* text, long at, C got, C wanted) { \
    char g[64], w[64]; \
    if (got == wanted) return; \
    snprintf(g, sizeof g, format, (wide)got); \
    snprintf(w, sizeof w, format, (wide)wanted); \
    harness_failed(text, at, g, w); \
  }
#define SIGNED(T, C) HARNESS_TYPE(T, C, "%lld", long long)
#define UNSIGNED(T, C) HARNESS_TYPE(T, C, "%llu", unsigned long long)
HARNESS_TYPE(float, float, "%.9g", double)
HARNESS_TYPE(double, double, "%.17g", double)
HARNESS_TYPE(longdouble, long double, "%.21Lg", long double)
SIGNED(char, char)
SIGNED(schar, signed char)
SIGNED(short, short)
SIGNED(int, int)
SIGNED(long, long)
SIGNED(longlong, long long)
UNSIGNED(uchar, unsigned char)
UNSIGNED(ushort, unsigned short)
UNSIGNED(uint, unsigned int)
UNSIGNED(ulong, unsigned long)
UNSIGNED(ulonglong, unsigned long long)
SIGNED(int8, int8_t)
SIGNED(int16, int16_t)
SIGNED(int32, int32_t)
SIGNED(int64, int64_t)
UNSIGNED(uint8, uint8_t)
UNSIGNED(uint16, uint16_t)
UNSIGNED(uint32, uint32_t)
UNSIGNED(uint64, uint64_t)
UNSIGNED(size, size_t)
SIGNED(ptrdiff, ptrdiff_t)
UNSIGNED(bits8, bits8)
UNSIGNED(bits16, bits16)
UNSIGNED(bits32, bits32)
UNSIGNED(bits64, bits64)
#undef SIGNED
#undef UNSIGNED
#undef HARNESS_TYPE

static inline bits128 v_bits128(long x) {
  bits128 made;
  made.low = (uint64_t)x;
  made.high = ~(uint64_t)x;
  return made;
}
static inline void check_bits128(const char* text, long at, bits128 got, bits128 wanted) {
  char g[64], w[64];
  if (got.low == wanted.low && got.high == wanted.high) return;
  snprintf(g, sizeof g, "%llx:%llx", (unsigned long long)got.high, (unsigned long long)got.low);
  snprintf(w, sizeof w, "%llx:%llx", (unsigned long long)wanted.high, (unsigned long long)wanted.low);
  harness_failed(text, at, g, w);
}
static inline void check_pointer(const char* text, long at, const void* got, const void* wanted) {
  char g[64], w[64];
  if (got == wanted) return;
  snprintf(g, sizeof g, "%p", got);
  snprintf(w, sizeof w, "%p", wanted);
  harness_failed(text, at, g, w);
}

#ifndef __cplusplus
#define HARNESS_COMPLEX(T, C) \
  static inline C v_##T(long x) { return (C)(x + 2 * x * I); } \
  static inline void check_##T(const char* text, long at, C got, C wanted) { \
    char g[64], w[64]; \
    if (got == wanted) return; \
    snprintf(g, sizeof g, "%.17g+%.17gi", creal((double _Complex)got), cimag((double _Complex)got)); \
    snprintf(w, sizeof w, "%.17g+%.17gi", creal((double _Complex)wanted), cimag((double _Complex)wanted)); \
    harness_failed(text, at, g, w); \
  }
HARNESS_COMPLEX(complexf, float _Complex)
HARNESS_COMPLEX(complexd, double _Complex)
#undef HARNESS_COMPLEX
#endif

#define FILL(T, array, count, first) \
  for (long fill_i = 0; fill_i < (long)(count); ++fill_i) (array)[fill_i] = v_##T((first) + fill_i)
#define CHECK(T, expression, wanted) check_##T(#expression, -1, expression, wanted)
#define CHECK_AT(T, i, expression, wanted) check_##T(#expression, (long)(i), expression, wanted)
#define CHECK_TRUE(expression) ((expression) ? (void)0 : harness_failed(#expression, -1, "false", "true"))

/* ---- symmetric memory: NEW(double, 100) is zeroed, at an odd place, and gone after the case -------------------------
 */

enum { harness_bytes = 1 << 18 };
#define HARNESS_ALIGNED __attribute__((aligned(64)))
HARNESS_ALIGNED char harness_global[harness_bytes]; /* external, zero: .bss */
static HARNESS_ALIGNED char harness_static[harness_bytes] = {1}; /* static, not zero: .data */
static char* harness_heap;
static shmem_ctx_t test_ctx; /* a context that any thread may use */

enum { heap_memory, global_memory, static_memory, every_memory, memory_kinds };
static int harness_kind;
static int harness_turn;
static size_t harness_used[3];

static inline void* harness_new(size_t bytes, size_t alignment) {
  int kind = harness_kind == every_memory ? harness_turn++ % 3 : harness_kind;
  char* base = kind == heap_memory ? harness_heap : kind == global_memory ? harness_global : harness_static;
  size_t at = (harness_used[kind] + alignment - 1) / alignment * alignment;
  if (at % 64 == 0) at += alignment; /* as little aligned as the type allows */
  harness_used[kind] = at + bytes;
  if (harness_used[kind] > harness_bytes) {
    fprintf(stderr, "%s takes more than %d bytes of symmetric memory\n", running->name, (int)harness_bytes);
    exit(2);
  }
  return memset(base + at, 0, bytes);
}
#define NEW(C, count) ((C*)harness_new((size_t)(count) * sizeof(C), __alignof__(C)))

/* All PEs have set up; or all have finished and everything has arrived. */
static inline void everybody(void) {
  shmem_ctx_quiet(test_ctx);
  shmem_barrier_all();
}
static inline void quiet(void) {
  shmem_ctx_quiet(test_ctx);
  shmem_quiet();
}

/* The same numbers on each run, different ones on each PE if the seed is. */
static inline uint64_t next_random(uint64_t* state) {
  uint64_t x = (*state += 0x9e3779b97f4a7c15u);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* ---- a limit of time, and the loop
 * ----------------------------------------------------------------------------------- */

static inline void harness_out_of_time(int number) {
  char line[400];
  (void)number;
  int length = snprintf(line, sizeof line, "FAILED %s (%s), %s, PE %d of %d: did not end in time\n",
                        running ? running->name : "start", running ? running->section : "-", running_on, me, npes);
  if (write(2, line, (size_t)length) < 0) _exit(4);
  _exit(3);
}

enum { harness_seconds = 100 }; /* for one case: far more than it takes */

static inline void harness_join(void) {
  me = shmem_my_pe();
  npes = shmem_n_pes();
  right = (me + 1) % npes;
  left = (me + npes - 1) % npes;
}

/* Runs the cases whose name holds the first argument (all without it). */
static inline int harness_main(const test_case* cases, size_t count, int argc, char** argv) {
  static const char* const kinds[] = {"heap", "globals", "statics", "heap, globals and statics"};
  size_t ran = 0;
  signal(SIGALRM, harness_out_of_time);
  alarm(harness_seconds);
  shmem_init();
  harness_join();
  harness_heap = (char*)shmem_malloc(harness_bytes);
  if (!harness_heap || shmem_ctx_create(0, &test_ctx) != 0) {
    fprintf(stderr, "no memory or no context for the tests\n");
    return 2;
  }
  for (size_t c = 0; c < count; ++c) {
    running = &cases[c];
    if (npes < running->least || npes > running->most) continue;
    if (argc > 1 && !strstr(running->name, argv[1])) continue;
    for (int kind = 0; kind < (running->uses_symmetric ? memory_kinds : 1); ++kind) {
      running_on = kinds[kind];
      harness_kind = kind;
      harness_turn = 0;
      failures_of_case = 0;
      memset(harness_used, 0, sizeof harness_used);
      alarm(harness_seconds);
      running->run();
      everybody();
    }
    ++ran;
  }
  shmem_ctx_destroy(test_ctx);
  shmem_free(harness_heap);
  shmem_int_atomic_add(&failures_of_all, failures, 0);
  shmem_barrier_all();
  shmem_finalize();
  alarm(0);
  if (me == 0 && failures_of_all == 0) printf("%d cases hold on %d PEs\n", (int)ran, npes);
  return failures ? 1 : 0;
}

#endif
