// SPDX-License-Identifier: Apache-2.0
// latency: how long one operation takes, each completed before the next begins: put and quiet, get, fetch-add,
// compare-and-swap from PE 0 to PE 1, and a ping-pong in which both wait for the other's put (of
// MPI: message). On the symmetric heap and, where the library has them symmetric, on static variables. All of one size
// before the next: a network connection that has carried longer transfers may take short ones otherwise.
#include "bench.h"

enum { MOST = 4 << 20, CHECKED = 100 };

static char static_target[MOST];
static uint64_t static_word;

static char *heap_target, *own;  // own: private memory, source of puts and target of gets
static uint64_t* heap_word;
static uint64_t *ping, *pong;  // counts up over the whole run
static uint64_t turns;

// What the bodies work on.
static char* target;
static uint64_t* word;
static size_t size;
static int peer;
static uint64_t seen;

static void put_word(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    comm_put_word(word, i, peer);
    comm_quiet();
  }
}

static void put_block(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    comm_put(target, own, size, peer);
    comm_quiet();
  }
}

static void get_word(uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += comm_get_word(word, peer);
  seen = sum;
}

static void get_block(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) comm_get(own, target, size, peer);
}

static void fetch_add(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) seen = comm_fetch_add(word, 1, peer);
}

static void compare_swap(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) seen = comm_compare_swap(word, i, i + 1, peer);
}

static void ping_pong_word(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    ++turns;
    if (comm_me() == 0) {
      comm_ping(ping, turns, 1);
      comm_pong(pong, turns, 1);
    } else if (comm_me() == 1) {
      comm_pong(ping, turns, 0);
      comm_ping(pong, turns, 0);
    }
  }
}

static void ping_pong_block(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    ++turns;
    if (comm_me() == 0) {
      comm_ping_block(target, own, size, ping, turns, 1);
      comm_pong_block(target, size, pong, turns, 1);
    } else if (comm_me() == 1) {
      comm_pong_block(target, size, ping, turns, 0);
      comm_ping_block(target, own, size, pong, turns, 0);
    }
  }
}

static void fill(char* block, uint64_t seed) {
  for (size_t i = 0; i < size / 8; ++i) {
    uint64_t value = bench_mix(seed + i);
    memcpy(block + 8 * i, &value, 8);
  }
}

static void clear(void) {
  comm_barrier();
  memset(target, 0, size);
  *word = 0;
  comm_barrier();
}

// The word or block of PE 1, as PE 0 sees it, after CHECKED operations.
static uint64_t word_after(BenchBody body) {
  clear();
  if (comm_me() == 0) body(CHECKED);
  comm_barrier();
  uint64_t value = comm_get_word(word, 1 % comm_pes());
  comm_barrier();
  return value;
}

static void point(const char* name, BenchBody body, enum BenchCallers callers, double parts, uint64_t checksum) {
  double seconds = bench_measure(body, callers) / parts;
  bench_point((BenchPoint){.name = name, .size = size, .seconds = seconds, .checksum = checksum});
}

static void words(const char* put, const char* get, const char* add, const char* swap) {
  size = 8;
  uint64_t after = word_after(put_word);
  bench_check(after == CHECKED - 1, put);
  point(put, put_word, BENCH_FIRST, 1, after);

  clear();
  *word = 5;
  comm_barrier();
  if (comm_me() == 0) {
    get_word(CHECKED);
    bench_check(seen == 5 * CHECKED, get);
  }
  comm_barrier();
  point(get, get_word, BENCH_FIRST, 1, 5 * CHECKED);

  after = word_after(fetch_add);
  bench_check(after == CHECKED && (comm_me() != 0 || seen == CHECKED - 1), add);
  point(add, fetch_add, BENCH_FIRST, 1, after);

  after = word_after(compare_swap);
  bench_check(after == CHECKED && (comm_me() != 0 || seen == CHECKED - 1), swap);
  point(swap, compare_swap, BENCH_FIRST, 1, after);
}

static void ping_pong(void) {
  clear();
  fill(own, 7 + (uint64_t)comm_me());
  ping_pong_block(1);
  comm_barrier();
  uint64_t hash = bench_hash(target, size);
  if (comm_me() < 2) {
    fill(own, 7 + (uint64_t)(1 - comm_me()));
    bench_check(bench_hash(own, size) == hash, "ping_pong");
  }
  point("ping_pong", ping_pong_block, BENCH_EVERYBODY, 2, hash);
}

static void blocks(const char* put, const char* get, int ping_pongs, size_t most) {
  for (size = 64; size <= most; size *= 4) {
    clear();
    fill(own, 1);
    uint64_t hash = bench_hash(own, size);
    if (comm_me() == 0) put_block(1);
    comm_barrier();
    if (comm_me() == 1) bench_check(bench_hash(target, size) == hash, put);
    point(put, put_block, BENCH_FIRST, 1, hash);

    comm_barrier();
    fill(target, (uint64_t)comm_me());
    memset(own, 0, size);
    comm_barrier();
    if (comm_me() == 0) {
      get_block(1);
      hash = bench_hash(own, size);
      fill(own, (uint64_t)peer);
      bench_check(bench_hash(own, size) == hash, get);
    }
    comm_barrier();
    point(get, get_block, BENCH_FIRST, 1, hash);
    if (ping_pongs) ping_pong();
  }
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  size_t most = bench_option("most", MOST);
  if (most > MOST) comm_fail("--most: at most 4 MiB");
  bench_begin(MOST + 4096, 1);
  if (comm_pes() < 2) comm_fail("latency: run this on 2 PEs");
  peer = (comm_me() + 1) % comm_pes();
  own = bench_memory(MOST);
  heap_target = comm_alloc(MOST);
  heap_word = comm_alloc(COMM_LINE);
  ping = comm_alloc(COMM_LINE);
  pong = comm_alloc(COMM_LINE);

  target = heap_target;
  word = heap_word;
  words("put", "get", "fetch_add", "compare_swap");
  point("ping_pong", ping_pong_word, BENCH_EVERYBODY, 2, 0);
  blocks("put", "get", 1, most);
  if (COMM_GLOBALS) {
    target = static_target;
    word = &static_word;
    words("put_static", "get_static", "fetch_add_static", "compare_swap_static");
    blocks("put_static", "get_static", 0, most);
  }
  free(own);
  return bench_end();
}
