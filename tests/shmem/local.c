/* SPDX-License-Identifier: Apache-2.0
 * Non-blocking puts, signals, gets and atomics return, whatever their target does: the last PE starts far more of them
 * than rings and networks hold, while PE 0 is stopped. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 10000, GETS = 1000, SOME = 600, LONG = 8192 };

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: PE %d: %s\n", __FILE__, __LINE__, me, #condition); \
      shmem_global_exit(1); \
    } \
  } while (0)

static int me, sends; /* this PE; whether it is the last one */
static int cases;
static volatile long go; /* at PE 0: the case whose operations have all been started */
static long pid; /* of the PE whose memory it is */
static long global_words[MANY];
static long *words, *fetched;
static char *blocks, *texts, *blocks_there, *got;
static uint64_t* signals;

static char state_of(long process) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/%ld/stat", process);
  FILE* file = fopen(path, "r");
  CHECK(file != NULL && fgets(text, sizeof text, file) != NULL);
  fclose(file);
  return strrchr(text, ')')[2];
}

static long pid_there;
static void stop_it(void) {
  CHECK(kill((pid_t)pid_there, SIGSTOP) == 0);
  while (state_of(pid_there) != 'T') usleep(100);
}
static void continue_it(void) { CHECK(kill((pid_t)pid_there, SIGCONT) == 0); }

/* Calls `start`, and `check` when all is done. */
static void run(void (*start)(void), void (*check)(void)) {
  memset(words, 0, MANY * sizeof *words);
  memset(fetched, 0, MANY * sizeof *fetched);
  memset(global_words, 0, sizeof global_words);
  memset(blocks, 0, (size_t)SOME * LONG);
  memset(signals, 0, MANY * sizeof *signals);
  shmem_barrier_all();
  ++cases;
  if (sends) {
    stop_it();
    start();
    continue_it();
    shmem_long_p((long*)&go, cases, 0);
    shmem_quiet();
  } else if (me == 0) {
    while (go != cases) usleep(100);
  }
  shmem_barrier_all();
  check();
  shmem_barrier_all();
}

static long sources[MANY];

static void puts_to_heap(void) {
  for (int i = 0; i < MANY; ++i) shmem_long_put_nbi(words + i, sources + i, 1, 0);
}
static void check_heap(void) {
  for (int i = 0; i < MANY && me == 0; ++i) CHECK(words[i] == i + 1);
}
static void puts_to_globals(void) {
  for (int i = 0; i < MANY; ++i) shmem_long_put_nbi(global_words + i, sources + i, 1, 0);
}
static void check_globals(void) {
  for (int i = 0; i < MANY && me == 0; ++i) CHECK(global_words[i] == i + 1);
}
static void long_puts(void) {
  for (int i = 0; i < SOME; ++i) shmem_putmem_nbi(blocks + (size_t)i * LONG, texts + i, LONG, 0);
}
static void check_blocks(void) {
  for (int i = 0; i < SOME && me == 0; ++i) CHECK(memcmp(blocks + (size_t)i * LONG, texts + i, LONG) == 0);
}
static void puts_of_contexts(void) {
  shmem_ctx_t contexts[2];
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, contexts) == 0 && shmem_ctx_create(0, contexts + 1) == 0);
  for (int i = 0; i < MANY; ++i) shmem_ctx_long_put_nbi(contexts[i % 2], words + i, sources + i, 1, 0);
  continue_it();
  for (int i = 0; i < 2; ++i) shmem_ctx_quiet(contexts[i]), shmem_ctx_destroy(contexts[i]);
}
static void puts_with_signals(void) {
  for (int i = 0; i < MANY; ++i)
    shmem_long_put_signal_nbi(words + i, sources + i, 1, signals + i, (uint64_t)i + 1, SHMEM_SIGNAL_SET, 0);
}
static void check_signals(void) {
  check_heap();
  for (int i = 0; i < MANY && me == 0; ++i) CHECK(signals[i] == (uint64_t)i + 1);
}
static void gets(void) {
  for (int i = 0; i < GETS; ++i) shmem_long_get_nbi(fetched + i, sources + i, 1, 0);
}
static void check_gets(void) {
  for (int i = 0; i < GETS && sends; ++i) CHECK(fetched[i] == i + 1);
}
static void fetching_atomics(void) {
  for (int i = 0; i < MANY; ++i) fetched[i] = -1;
  for (int i = 0; i < MANY; ++i) shmem_long_atomic_fetch_add_nbi(fetched + i, words + i, i + 1, 0);
}
static void compare_swaps_of_contexts(void) {
  shmem_ctx_t context;
  CHECK(shmem_ctx_create(0, &context) == 0);
  for (int i = 0; i < MANY; ++i) fetched[i] = -1;
  for (int i = 0; i < MANY; ++i) shmem_ctx_long_atomic_compare_swap_nbi(context, fetched + i, words + i, 0, i + 1, 0);
  continue_it();
  shmem_ctx_quiet(context);
  shmem_ctx_destroy(context);
}
static void check_fetched(void) {
  check_heap();
  for (int i = 0; i < MANY && sends; ++i) CHECK(fetched[i] == 0);
}
static void updates(void) {
  for (int i = 0; i < MANY; ++i) shmem_long_atomic_add(words + i, i + 1, 0);
}
static void sets(void) {
  for (int i = 0; i < MANY; ++i) shmem_long_atomic_set(words + i, i + 1, 0);
}
static void long_gets(void) {
  for (int i = 0; i < SOME; ++i) shmem_putmem_nbi(blocks + (size_t)i * LONG, texts + i, LONG, 0);
  shmem_getmem_nbi(got, blocks_there, (size_t)SOME * LONG, 0);
}
static void check_long_gets(void) {
  check_blocks();
  for (int i = 0; i < SOME * LONG && sends; ++i) CHECK(got[i] == (char)(i % 251));
}
static void long_puts_with_signals(void) {
  for (int i = 0; i < SOME; ++i)
    shmem_putmem_signal_nbi(blocks + (size_t)i * LONG, texts + i, LONG, signals + i, (uint64_t)i + 1, SHMEM_SIGNAL_SET,
                            0);
}
static void check_long_signals(void) {
  check_blocks();
  for (int i = 0; i < SOME && me == 0; ++i) CHECK(signals[i] == (uint64_t)i + 1);
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  sends = me == shmem_n_pes() - 1;
  pid = (long)getpid();
  shmem_barrier_all();
  pid_there = shmem_long_g(&pid, 0);
  words = shmem_malloc(MANY * sizeof *words);
  fetched = malloc(MANY * sizeof *fetched);
  signals = shmem_malloc(MANY * sizeof *signals);
  blocks = shmem_malloc((size_t)SOME * LONG);
  blocks_there = shmem_malloc((size_t)SOME * LONG);
  for (int i = 0; i < SOME * LONG; ++i) blocks_there[i] = (char)(i % 251);
  got = malloc((size_t)SOME * LONG);
  texts = malloc(SOME + LONG);
  for (int i = 0; i < MANY; ++i) sources[i] = i + 1;
  for (int i = 0; i < SOME + LONG; ++i) texts[i] = (char)(i * 31 + i / 256 + 1);
  run(puts_to_heap, check_heap);
  run(puts_to_globals, check_globals);
  run(long_puts, check_blocks);
  run(puts_of_contexts, check_heap);
  run(puts_with_signals, check_signals);
  run(gets, check_gets);
  run(fetching_atomics, check_fetched);
  run(compare_swaps_of_contexts, check_fetched);
  run(updates, check_heap);
  run(sets, check_heap);
  run(long_gets, check_long_gets);
  run(long_puts_with_signals, check_long_signals);
  shmem_finalize();
  return 0;
}
