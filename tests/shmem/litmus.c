/* SPDX-License-Identifier: Apache-2.0
 * Litmus tests of memory ordering: what one PE may see of what another did, tried many times over.
 *
 * usage: litmus ROUNDS [NAME]. PEs work in pairs (0 with 1, 2 with 3), all pairs at the same time.
 *
 * Two kinds. A stream: the writer counts up without waiting, the reader looks at any moment and may never find the
 * later object older than the earlier one. A race: both sides do a few operations at the same moment, on fresh
 * locations, and afterwards the outcome of each round is compared with what is forbidden. */
#include <limits.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { block = 24, batch = 4096, seconds = 300 };

static int me, npes, partner;
static long rounds;
static int failures, failures_of_test, failures_of_all;
static const char* testing = "";

static void failed(long round, const char* what, long first, long second) {
  ++failures;
  if (++failures_of_test <= 3)
    fprintf(stderr, "FAILED %s, PE %d of %d, round %ld: %s: %ld, %ld\n", testing, me, npes, round, what, first, second);
}

/* ---- streams
 * ------------------------------------------------------------------------------------------------------------ */

static long data[block], flag, done;
static uint64_t signal_word;
static shmem_ctx_t ctx;
typedef void (*step)(long k);

/* Even PEs write k = 1, 2, … to their partner by `write`; odd PEs look by `look` until they have seen the last. */
static void stream(step write, long (*look)(long last)) {
  memset(data, 0, sizeof data);
  flag = done = 0;
  signal_word = 0;
  shmem_barrier_all();
  if (partner < npes && me % 2 == 0)
    for (long k = 1; k <= rounds; ++k) write(k);
  if (me % 2 == 1)
    for (long last = 0; last < rounds;) last = look(last);
  shmem_barrier_all();
}

static void put_fence_put(long k) {
  long values[block];
  for (int i = 0; i < block; ++i) values[i] = k;
  shmem_long_put(data, values, 1 + (size_t)k % block, partner);
  shmem_long_p(data + block - 1, k, partner);
  shmem_fence();
  shmem_long_p(&flag, k, partner);
}
static void put_nbi_fence_put(long k) {
  static long values[2][block]; /* the source may not change before completion, so two take turns */
  long* from = values[k % 2];
  if (k % 2 == 0) shmem_quiet();
  for (int i = 0; i < block; ++i) from[i] = k;
  shmem_long_put_nbi(data, from, block, partner);
  shmem_fence();
  shmem_long_p(&flag, k, partner);
}
static void put_fence_atomic(long k) {
  shmem_long_p(data, k, partner);
  shmem_long_p(data + block - 1, k, partner);
  shmem_fence();
  shmem_long_atomic_inc(&flag, partner);
}
static void atomic_fence_put(long k) {
  shmem_long_atomic_inc(data, partner);
  shmem_long_atomic_set(data + block - 1, k, partner);
  shmem_fence();
  shmem_long_p(&flag, k, partner);
}
static void context_fence(long k) {
  shmem_ctx_long_p(ctx, data, k, partner);
  shmem_ctx_long_atomic_inc(ctx, data + block - 1, partner);
  shmem_ctx_fence(ctx);
  shmem_ctx_long_p(ctx, &flag, k, partner);
}
static void strided_fence_put(long k) {
  long values[2] = {k, k};
  shmem_long_iput(data, values, block - 1, 1, 2, partner);
  shmem_fence();
  shmem_long_p(&flag, k, partner);
}
static void store_quiet_put(long k) { /* through shmem_ptr, as well as through the library */
  long* there = (long*)shmem_ptr(data, partner);
  there[0] = k;
  there[block - 1] = k;
  shmem_quiet();
  shmem_long_p(&flag, k, partner);
}
static void put_pe_quiet_put(long k) {
  shmem_long_p(data, k, partner);
  shmem_long_p(data + block - 1, k, partner);
  shmem_pe_quiet(&partner, 1);
  shmem_long_p(&flag, k, partner);
}
static void put_signal_set(long k) {
  long values[block];
  for (int i = 0; i < block; ++i) values[i] = k;
  shmem_long_put_signal(data, values, block, &signal_word, (uint64_t)k, SHMEM_SIGNAL_SET, partner);
}
static void put_signal_add(long k) {
  long values[block];
  for (int i = 0; i < block; ++i) values[i] = k;
  shmem_long_put_signal_nbi(data, values, block, &signal_word, 1, SHMEM_SIGNAL_ADD, partner);
  if (k % 16 == 0) shmem_quiet();
}

/* The flag is never ahead of the data that was sent before it: data[0] and the last element. */
static long by_wait(long last) {
  shmem_long_wait_until(&flag, SHMEM_CMP_GT, last);
  long seen = *(volatile long*)&flag;
  (void)shmem_long_test(&flag, SHMEM_CMP_GE, seen); /* what follows is after that value */
  long first = *(volatile long*)&data[0], second = *(volatile long*)&data[block - 1];
  if (first < seen || second < seen) failed(seen, "the flag came before the data", first, second);
  return seen;
}
static long by_test(long last) {
  if (!shmem_long_test(&flag, SHMEM_CMP_GT, last)) {
    if (last % 64 == 0) usleep(0);
    return last;
  }
  return by_wait(last);
}
static long by_signal(long last) {
  long seen = (long)shmem_signal_wait_until(&signal_word, SHMEM_CMP_GT, (uint64_t)last);
  for (int i = 0; i < block; ++i) {
    long found = *(volatile long*)&data[i];
    if (found < seen) failed(seen, "the signal came before the data", i, found);
  }
  return seen;
}
static long by_signal_fetch(long last) {
  long seen = (long)shmem_signal_fetch(&signal_word);
  if (seen < last) failed(seen, "the signal went back", last, seen);
  for (int i = 0; i < block; ++i) {
    long found = *(volatile long*)&data[i];
    if (found < seen) failed(seen, "the signal came before the data", i, found);
  }
  if (seen == last) usleep(0);
  return seen;
}

/* Data at the reader, the flag at the writer: quiet, not fence, is what orders them. */
static void put_quiet_flag(long k) {
  shmem_long_p(data, k, partner);
  shmem_long_atomic_inc(data + 1, partner);
  shmem_quiet();
  shmem_long_p(&flag, k, me);
}
static long by_get_of_flag(long last) {
  long seen = shmem_long_g(&flag, partner);
  long first = shmem_long_g(data, me), second = shmem_long_atomic_fetch(data + 1, me);
  if (seen < last) failed(seen, "the flag went back", last, seen);
  if (first < seen || second < seen) failed(seen, "the flag came before the data", first, second);
  if (seen == last) usleep(0);
  return seen;
}

/* One location: what a reader sees never goes back, by get, by atomic fetch, by load. */
static void counting(long k) {
  shmem_long_p(data, k, partner);
  shmem_long_atomic_inc(data + 8, partner);
}
static long one_location(long last) {
  static long seen[3];
  if (last == 0) memset(seen, 0, sizeof seen);
  long now[3] = {shmem_long_g(data, me), shmem_long_atomic_fetch(data + 8, me), *(volatile long*)&data[8]};
  for (int i = 0; i < 3; ++i) {
    if (now[i] < seen[i]) failed(now[i], "a value went back", seen[i], i);
    seen[i] = now[i];
  }
  if (now[0] == last) usleep(0);
  return seen[0] < seen[1] ? seen[0] : seen[1];
}

/* A block of one word is never seen half written. */
static void whole_words(long k) {
  uint64_t both = (uint64_t)k << 32 | (uint32_t)~k;
  shmem_uint64_p((uint64_t*)data, both, partner);
  shmem_uint64_atomic_set((uint64_t*)data + 8, both, partner);
}
static long halves_agree(long last) {
  uint64_t found[2] = {shmem_uint64_g((uint64_t*)data, me), shmem_uint64_atomic_fetch((uint64_t*)data + 8, me)};
  for (int i = 0; i < 2; ++i)
    if (found[i] != 0 && (uint32_t)(found[i] >> 32) != (uint32_t)~(uint32_t)found[i])
      failed(last, "half a word", (long)(found[i] >> 32), (long)(uint32_t)found[i]);
  long seen = (long)(found[1] >> 32);
  if (seen == last) usleep(0);
  return seen;
}

/* ---- races
 * -------------------------------------------------------------------------------------------------------------- */

static long x[batch], y[batch], saw[2][batch], turn;
static long there[4][2][batch];

/* About the same moment on both sides; never for long, as they may share one core. */
static void meet(long round, int other) {
  volatile long* theirs = (volatile long*)shmem_ptr(&turn, other);
  *(volatile long*)&turn = round;
  for (int i = 0; i < 300 && *theirs < round; ++i) {}
}

/* Store buffering: each PE writes to the other and then reads its own; both may not miss the other's write. */
static void sb_quiet(int i) {
  shmem_long_p((me % 2 ? y : x) + i, 1, partner);
  shmem_quiet();
  saw[0][i] = *(volatile long*)((me % 2 ? x : y) + i);
}
static void sb_quiet_get(int i) { /* both locations lie at the first of the pair */
  int home = me & ~1;
  shmem_long_p((me % 2 ? y : x) + i, 1, home);
  shmem_quiet();
  saw[0][i] = shmem_long_g((me % 2 ? x : y) + i, home);
}
static void sb_atomic(int i) {
  int home = me & ~1;
  (void)shmem_long_atomic_fetch_add((me % 2 ? y : x) + i, 1, home);
  saw[0][i] = shmem_long_atomic_fetch((me % 2 ? x : y) + i, home);
}
static void sb_swap(int i) {
  int home = me | 1;
  (void)shmem_long_atomic_swap((me % 2 ? y : x) + i, 1, home);
  saw[0][i] = shmem_long_atomic_fetch_add((me % 2 ? x : y) + i, 0, home);
}
static void sb_pe_quiet(int i) {
  shmem_long_p((me % 2 ? y : x) + i, 1, partner);
  shmem_pe_quiet(&partner, 1);
  saw[0][i] = *(volatile long*)((me % 2 ? x : y) + i);
}
static void sb_barrier(int i) { /* arrival at a barrier completes puts */
  shmem_long_p((me % 2 ? y : x) + i, 1, partner);
  shmem_barrier_all();
  saw[0][i] = *(volatile long*)((me % 2 ? x : y) + i);
}
/* Message passing on fresh locations: the reader polls once. */
static void mp_fence(int i) {
  if (me % 2 == 0) {
    shmem_long_p(x + i, 1, partner);
    shmem_fence();
    shmem_long_p(y + i, 1, partner);
  } else {
    saw[0][i] = shmem_long_g(y + i, me);
    saw[1][i] = shmem_long_g(x + i, me);
  }
}
/* Load buffering: reads before writes may not both see the writes. */
static void lb_get_put(int i) {
  int home = me & ~1;
  saw[0][i] = shmem_long_g((me % 2 ? y : x) + i, home);
  shmem_long_p((me % 2 ? x : y) + i, 1, home);
}

static int both_missed(const long* first, const long* second) { return first[0] == 0 && second[0] == 0; }
static int both_saw(const long* first, const long* second) { return first[0] == 1 && second[0] == 1; }
static int flag_without_data(const long* first, const long* second) {
  (void)first;
  return second[0] == 1 && second[1] == 0;
}

static void begin_batch(void) {
  memset(x, 0, sizeof x);
  memset(y, 0, sizeof y);
  memset(saw, 0, sizeof saw);
  turn = 0;
  shmem_barrier_all();
}

/* Runs `side` on both PEs of a pair; `forbidden` judges what the even and the odd PE saw. */
static void race(void (*side)(int i), int (*forbidden)(const long* even, const long* odd), long count) {
  if (side == sb_barrier && npes % 2) return;
  for (long at = 0; at < count; at += batch) {
    begin_batch();
    if (partner < npes)
      for (int i = 0; i < batch; ++i) {
        meet(i + 1, partner);
        side(i);
      }
    shmem_barrier_all();
    if (me % 2 == 1) {
      shmem_getmem(there[0], saw, sizeof saw, partner);
      for (int i = 0; i < batch; ++i) {
        long even[2] = {there[0][0][i], there[0][1][i]}, odd[2] = {saw[0][i], saw[1][i]};
        if (forbidden(even, odd)) failed(at + i, "a forbidden outcome", even[0], odd[0]);
      }
    }
    shmem_barrier_all();
  }
}

/* Independent reads of independent writes: two writers, two readers that may not disagree about the order. */
static void iriw(int by_atomics, long count) {
  if (npes < 4) return;
  for (long at = 0; at < count; at += batch) {
    begin_batch();
    if (me < 4)
      for (int i = 0; i < batch; ++i) {
        meet(i + 1, (me + 1) % 4);
        long* first = me % 2 ? y + i : x + i;
        long* second = me % 2 ? x + i : y + i;
        if (me < 2 && by_atomics) shmem_long_atomic_set(first, 1, me);
        if (me < 2 && !by_atomics) {
          shmem_long_p(first, 1, me);
          shmem_quiet();
        }
        if (me >= 2) { /* x is at PE 0, y at PE 1 */
          saw[0][i] = by_atomics ? shmem_long_atomic_fetch(first, me % 2) : shmem_long_g(first, me % 2);
          saw[1][i] = by_atomics ? shmem_long_atomic_fetch(second, 1 - me % 2) : shmem_long_g(second, 1 - me % 2);
        }
      }
    shmem_barrier_all();
    if (me == 3) {
      shmem_getmem(there[2], saw, sizeof saw, 2);
      for (int i = 0; i < batch; ++i)
        if (saw[0][i] == 1 && saw[1][i] == 0 && there[2][0][i] == 1 && there[2][1][i] == 0)
          failed(at + i, "two readers disagree about the order", 0, 0);
    }
    shmem_barrier_all();
  }
}
static void iriw_puts(void) { iriw(0, rounds / 8); }
static void iriw_atomics(void) { iriw(1, rounds / 8); }

/* ---- all of them
 * -------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char* name;
  step write;
  long (*look)(long last);
  void (*side)(int i);
  int (*forbidden)(const long* even, const long* odd);
  void (*whole)(void);
} litmus;

static const litmus tests[] = {
    {"put, fence, put", put_fence_put, by_wait, 0, 0, 0},
    {"put, fence, put, seen by test", put_fence_put, by_test, 0, 0, 0},
    {"non-blocking put, fence, put", put_nbi_fence_put, by_wait, 0, 0, 0},
    {"put, fence, atomic", put_fence_atomic, by_wait, 0, 0, 0},
    {"atomic, fence, put", atomic_fence_put, by_wait, 0, 0, 0},
    {"put, fence, put on a context", context_fence, by_wait, 0, 0, 0},
    {"strided put, fence, put", strided_fence_put, by_wait, 0, 0, 0},
    {"store, quiet, put", store_quiet_put, by_wait, 0, 0, 0},
    {"put, pe_quiet, put", put_pe_quiet_put, by_wait, 0, 0, 0},
    {"put with signal, set", put_signal_set, by_signal, 0, 0, 0},
    {"put with signal, add", put_signal_add, by_signal, 0, 0, 0},
    {"put with signal, fetched", put_signal_set, by_signal_fetch, 0, 0, 0},
    {"put, quiet, flag elsewhere", put_quiet_flag, by_get_of_flag, 0, 0, 0},
    {"one location", counting, one_location, 0, 0, 0},
    {"whole words", whole_words, halves_agree, 0, 0, 0},
    {"store buffering with quiet", 0, 0, sb_quiet, both_missed, 0},
    {"store buffering with quiet and get", 0, 0, sb_quiet_get, both_missed, 0},
    {"store buffering with pe_quiet", 0, 0, sb_pe_quiet, both_missed, 0},
    {"store buffering with atomics", 0, 0, sb_atomic, both_missed, 0},
    {"store buffering with swap", 0, 0, sb_swap, both_missed, 0},
    {"store buffering with barriers", 0, 0, sb_barrier, both_missed, 0},
    {"message passing with fence", 0, 0, mp_fence, flag_without_data, 0},
    {"load buffering", 0, 0, lb_get_put, both_saw, 0},
    {"independent reads of puts", 0, 0, 0, 0, iriw_puts},
    {"independent reads of atomics", 0, 0, 0, 0, iriw_atomics},
};

int main(int argc, char** argv) {
  alarm(seconds);
  shmem_init();
  me = shmem_my_pe();
  npes = shmem_n_pes();
  partner = me ^ 1;
  rounds = argc > 1 ? atol(argv[1]) : 100000;
  if (shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx) != 0) return 2;
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i) {
    const litmus* test = &tests[i];
    if (argc > 2 && !strstr(test->name, argv[2])) continue;
    testing = test->name;
    failures_of_test = 0;
    if (test->write) stream(test->write, test->look);
    if (test->side) race(test->side, test->forbidden, test->side == sb_barrier ? rounds / 16 : rounds / 2);
    if (test->whole) test->whole();
  }
  shmem_ctx_destroy(ctx);
  shmem_int_atomic_add(&failures_of_all, failures, 0);
  shmem_barrier_all();
  shmem_finalize();
  if (me == 0 && failures_of_all == 0) printf("%ld rounds of each, nothing forbidden seen on %d PEs\n", rounds, npes);
  return failures ? 1 : 0;
}
