/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads of each rank send, put and wait at once. */
#include <pthread.h>

#include "harness.h"

enum { THREADS = 3, ROUNDS = 200 };
static gasnett_atomic_t arrived = gasnett_atomic_init(0);
static gex_HSL_t lock = GEX_HSL_INITIALIZER;
static long under_lock = 0;

static void ping(gex_Token_t token, void* buffer, size_t bytes, gex_AM_Arg_t thread) {
  gex_HSL_Lock(&lock);
  ++under_lock;
  gex_HSL_Unlock(&lock);
  gex_AM_ReplyMedium1(token, 201, buffer, bytes, GEX_EVENT_NOW, 0, thread);
}
static int answers[THREADS];
static void pong(gex_Token_t token, void* buffer, size_t bytes, gex_AM_Arg_t thread) {
  (void)token;
  CHECK(bytes == 4 && memcmp(buffer, &thread, 4) == 0);
  (void)__atomic_fetch_add(&answers[thread], 1, __ATOMIC_RELEASE);
  gasnett_atomic_increment(&arrived, 0);
}

static void* work(void* argument) {
  const int thread = (int)(intptr_t)argument;
  for (int round = 1; round <= ROUNDS; ++round) {
    const gex_Rank_t to = (me + (gex_Rank_t)round) % ranks;
    gex_AM_RequestMedium1(world, to, 200, &thread, 4, GEX_EVENT_NOW, 0, thread);
    long value = thread * 1000 + round, back = 0;
    char* there = segment_of(to) + (size_t)me * 4096 + thread * 64;
    gex_RMA_PutBlocking(world, to, there, &value, sizeof(value), 0);
    gex_RMA_GetBlocking(world, &back, to, there, sizeof(back), 0);
    CHECK(back == value);
    gex_HSL_Lock(&lock);
    ++under_lock;
    gex_HSL_Unlock(&lock);
    GASNET_BLOCKUNTIL(__atomic_load_n(&answers[thread], __ATOMIC_ACQUIRE) == round);
  }
  return NULL;
}

int main(int argc, char** argv) {
  gex_AM_Entry_t handlers[] = {{200, (gex_AM_Fn_t)ping, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, NULL},
                               {201, (gex_AM_Fn_t)pong, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 1, NULL, NULL}};
  start(&argc, &argv, handlers, 2);
  barrier();
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, work, (void*)(intptr_t)i) == 0);
  for (int i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  barrier();
  gex_HSL_Lock(&lock);
  CHECK(under_lock == 2 * THREADS * ROUNDS);
  gex_HSL_Unlock(&lock);
  gasnet_exit(0);
}
