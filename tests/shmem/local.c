/* SPDX-License-Identifier: Apache-2.0
 * Non-blocking puts, signals and gets return, whatever their target does: the last PE starts far more of them
 * than rings and networks hold. On its node PE 0 is stopped meanwhile. On another node it makes no call, and is stopped
 * for some that the network holds. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 1500, SOME = 600, FEW = 32, LONG = 8192 };

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: PE %d: %s\n", __FILE__, __LINE__, me, #condition); \
      shmem_global_exit(1); \
    } \
  } while (0)

static int me, sends, stops; /* this PE; whether it is the last one; whether PE 0 is to be stopped */
static int words_used, blocks_used;
static int cases;
static volatile long go; /* at PE 0: the case whose operations have all been started */
static long pid; /* of the PE whose memory it is */
static long global_words[MANY];
static long *words, *fetched;
static char *blocks, *texts;
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
    if (stops) stop_it();
    start();
    if (stops) continue_it();
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
  for (int i = 0; i < words_used; ++i) shmem_long_put_nbi(words + i, sources + i, 1, 0);
}
static void check_heap(void) {
  for (int i = 0; i < words_used && me == 0; ++i) CHECK(words[i] == i + 1);
}
static void puts_to_globals(void) {
  for (int i = 0; i < words_used; ++i) shmem_long_put_nbi(global_words + i, sources + i, 1, 0);
}
static void check_globals(void) {
  for (int i = 0; i < words_used && me == 0; ++i) CHECK(global_words[i] == i + 1);
}
static void long_puts(void) {
  for (int i = 0; i < blocks_used; ++i) shmem_putmem_nbi(blocks + (size_t)i * LONG, texts + i, LONG, 0);
}
static void check_blocks(void) {
  for (int i = 0; i < blocks_used && me == 0; ++i) CHECK(memcmp(blocks + (size_t)i * LONG, texts + i, LONG) == 0);
}
static void puts_of_contexts(void) {
  shmem_ctx_t contexts[2];
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, contexts) == 0 && shmem_ctx_create(0, contexts + 1) == 0);
  for (int i = 0; i < words_used; ++i) shmem_ctx_long_put_nbi(contexts[i % 2], words + i, sources + i, 1, 0);
  if (stops) continue_it();
  for (int i = 0; i < 2; ++i) shmem_ctx_quiet(contexts[i]), shmem_ctx_destroy(contexts[i]);
}
static void puts_with_signals(void) {
  for (int i = 0; i < words_used; ++i)
    shmem_long_put_signal_nbi(words + i, sources + i, 1, signals + i, (uint64_t)i + 1, SHMEM_SIGNAL_SET, 0);
}
static void check_signals(void) {
  check_heap();
  for (int i = 0; i < words_used && me == 0; ++i) CHECK(signals[i] == (uint64_t)i + 1);
}
static void gets(void) {
  for (int i = 0; i < words_used; ++i) shmem_long_get_nbi(fetched + i, sources + i, 1, 0);
}
static void check_gets(void) {
  for (int i = 0; i < words_used && sends; ++i) CHECK(fetched[i] == i + 1);
}
static void fetching_atomics(void) {
  for (int i = 0; i < words_used; ++i) shmem_long_atomic_fetch_add_nbi(fetched + i, words + i, i + 1, 0);
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
  texts = malloc(SOME + LONG);
  for (int i = 0; i < MANY; ++i) sources[i] = i + 1;
  for (int i = 0; i < SOME + LONG; ++i) texts[i] = (char)(i * 31 + i / 256 + 1);
  const int same_node = getenv("OSH_PES_PER_NODE") == NULL;
  for (int round = same_node; round < 2; ++round) {
    words_used = round == 0 ? FEW : MANY;
    blocks_used = round == 0 ? FEW : SOME;
    stops = round == 0 || same_node;
    run(puts_to_heap, check_heap);
    run(puts_to_globals, check_globals);
    run(long_puts, check_blocks);
    run(puts_of_contexts, check_heap);
    run(puts_with_signals, check_signals);
    run(gets, check_gets);
    /* Over the network the call waits for the value, which a thread of the target's process sends. */
    if (round == 1) run(fetching_atomics, check_heap);
  }
  shmem_finalize();
  return 0;
}
