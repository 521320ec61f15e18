// SPDX-License-Identifier: Apache-2.0
// The operations of comm.h in OpenSHMEM. Teams and put-with-signal where the library has them (1.5); else the older
// active-set forms. uint64_t is unsigned long here, for which every library has every function.
#ifndef ATOLL_BENCH_COMM_SHMEM_H
#define ATOLL_BENCH_COMM_SHMEM_H

#include <shmem.h>

#define COMM_GLOBALS 1

_Static_assert(sizeof(unsigned long) == 8, "words are unsigned long");

#if defined(SHMEM_MAJOR_VERSION) && defined(SHMEM_MINOR_VERSION) && \
    (SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5)
#define COMM_TEAMS 1
#else
#define COMM_TEAMS 0
#endif

enum { COMM_MOST_PES = 1024 };
static int comm_own_pe, comm_all_pes;

#if !COMM_TEAMS
// Work arrays may be used again only when every PE is through with them: a ring, with a barrier each time round.
enum { COMM_RING = 32 };
static long comm_sync_broadcast[COMM_RING][SHMEM_BCAST_SYNC_SIZE];
static long comm_sync_reduce[COMM_RING][SHMEM_REDUCE_SYNC_SIZE];
static long comm_sync_collect[COMM_RING][SHMEM_COLLECT_SYNC_SIZE];
static long comm_sync_alltoall[COMM_RING][SHMEM_ALLTOALL_SYNC_SIZE];
static double* comm_work[COMM_RING];
static size_t comm_work_count;
static unsigned comm_turn;

static inline unsigned comm_next_turn(void) {
  if (++comm_turn % COMM_RING == 0) shmem_barrier_all();
  return comm_turn % COMM_RING;
}
#endif

static inline int comm_me(void) { return comm_own_pe; }
static inline int comm_pes(void) { return comm_all_pes; }

static inline void comm_begin(int* argc, char*** argv, size_t heap_bytes, int threads) {
  (void)argc, (void)argv, (void)heap_bytes;
  if (threads > 1) {
    int provided = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    if (provided != SHMEM_THREAD_MULTIPLE) comm_fail("this library has no SHMEM_THREAD_MULTIPLE");
  } else {
    shmem_init();
  }
  comm_own_pe = shmem_my_pe();
  comm_all_pes = shmem_n_pes();
  if (comm_all_pes > COMM_MOST_PES) comm_fail("at most 1024 PEs");
#if !COMM_TEAMS
  for (int turn = 0; turn < COMM_RING; ++turn) {
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; ++i) comm_sync_broadcast[turn][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) comm_sync_reduce[turn][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_COLLECT_SYNC_SIZE; ++i) comm_sync_collect[turn][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; ++i) comm_sync_alltoall[turn][i] = SHMEM_SYNC_VALUE;
  }
  shmem_barrier_all();
#endif
}

static inline void comm_end(void) { shmem_finalize(); }

static inline const char* comm_library(void) {
  static char text[SHMEM_MAX_NAME_LEN + 32];
  char name[SHMEM_MAX_NAME_LEN + 1] = "";
  int major = 0, minor = 0;
  shmem_info_get_name(name);
  shmem_info_get_version(&major, &minor);
  snprintf(text, sizeof text, "%s (OpenSHMEM %d.%d)", name, major, minor);
  return text;
}

static inline void* comm_alloc(size_t bytes) {
  void* block = shmem_align(comm_alignment(bytes), comm_round_up(bytes));
  if (block == NULL) comm_fail("the symmetric heap is too small: set SHMEM_SYMMETRIC_SIZE");
  memset(block, 0, comm_round_up(bytes));
  shmem_barrier_all();
  return block;
}

static inline void comm_put(void* to, const void* from, size_t bytes, int pe) { shmem_putmem(to, from, bytes, pe); }
static inline void comm_put_nbi(void* to, const void* from, size_t bytes, int pe) {
  shmem_putmem_nbi(to, from, bytes, pe);
}
static inline void comm_get(void* to, const void* from, size_t bytes, int pe) { shmem_getmem(to, from, bytes, pe); }
static inline void comm_get_nbi(void* to, const void* from, size_t bytes, int pe) {
  shmem_getmem_nbi(to, from, bytes, pe);
}
static inline void comm_put_word(uint64_t* to, uint64_t value, int pe) { shmem_ulong_p(to, value, pe); }
static inline uint64_t comm_get_word(const uint64_t* from, int pe) { return shmem_ulong_g(from, pe); }
static inline uint64_t comm_fetch_add(uint64_t* at, uint64_t value, int pe) {
  return shmem_ulong_atomic_fetch_add(at, value, pe);
}
static inline uint64_t comm_compare_swap(uint64_t* at, uint64_t wanted, uint64_t value, int pe) {
  return shmem_ulong_atomic_compare_swap(at, wanted, value, pe);
}
static inline void comm_add(uint64_t* at, uint64_t value, int pe) { shmem_ulong_atomic_add(at, value, pe); }
static inline void comm_xor(uint64_t* at, uint64_t value, int pe) { shmem_ulong_atomic_xor(at, value, pe); }
static inline void comm_quiet(void) { shmem_quiet(); }

static inline void comm_put_flag(void* to, const void* from, size_t bytes, uint64_t* flag, uint64_t value, int pe) {
#if COMM_TEAMS
  shmem_putmem_signal(to, from, bytes, flag, value, SHMEM_SIGNAL_SET, pe);
#else
  shmem_putmem(to, from, bytes, pe);
  shmem_fence();
  shmem_ulong_p(flag, value, pe);
#endif
}

static inline void comm_wait(uint64_t* flag, uint64_t value) {
#if COMM_TEAMS
  shmem_signal_wait_until(flag, SHMEM_CMP_GE, value);
#else
  shmem_ulong_wait_until(flag, SHMEM_CMP_GE, value);
#endif
}

static inline void comm_ping(uint64_t* word, uint64_t value, int pe) { shmem_ulong_p(word, value, pe); }
static inline void comm_pong(uint64_t* word, uint64_t value, int pe) {
  (void)pe;
  shmem_ulong_wait_until(word, SHMEM_CMP_EQ, value);
}
static inline void comm_ping_block(void* to, const void* from, size_t bytes, uint64_t* flag, uint64_t value, int pe) {
  comm_put_flag(to, from, bytes, flag, value, pe);
}
static inline void comm_pong_block(void* to, size_t bytes, uint64_t* flag, uint64_t value, int pe) {
  (void)pe, (void)to, (void)bytes;
  comm_wait(flag, value);
}

static inline void comm_barrier(void) { shmem_barrier_all(); }
static inline void comm_sync(void) { shmem_sync_all(); }

static inline void comm_broadcast(void* to, const void* from, size_t bytes, int root) {
#if COMM_TEAMS
  shmem_broadcastmem(SHMEM_TEAM_WORLD, to, from, bytes, root);
#else
  shmem_broadcast64(to, from, bytes / 8, root, 0, 0, comm_all_pes, comm_sync_broadcast[comm_next_turn()]);
#endif
}

static inline void comm_allgather(void* to, const void* from, size_t bytes) {
#if COMM_TEAMS
  shmem_fcollectmem(SHMEM_TEAM_WORLD, to, from, bytes);
#else
  shmem_fcollect64(to, from, bytes / 8, 0, 0, comm_all_pes, comm_sync_collect[comm_next_turn()]);
#endif
}

static inline void comm_alltoall(void* to, const void* from, size_t bytes) {
#if COMM_TEAMS
  shmem_alltoallmem(SHMEM_TEAM_WORLD, to, from, bytes);
#else
  shmem_alltoall64(to, from, bytes / 8, 0, 0, comm_all_pes, comm_sync_alltoall[comm_next_turn()]);
#endif
}

#if !COMM_TEAMS
static inline double* comm_reduce_work(unsigned turn, size_t count) {
  size_t wanted = count / 2 + 1 > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? count / 2 + 1 : SHMEM_REDUCE_MIN_WRKDATA_SIZE;
  if (wanted > comm_work_count) {
    shmem_barrier_all();
    for (int i = 0; i < COMM_RING; ++i) {
      if (comm_work[i] != NULL && i < 2) shmem_free(comm_work[i]);
      // Large work arrays take turns two by two: a ring of 32 of them would not fit.
      comm_work[i] = i < 2 ? shmem_malloc(wanted * sizeof(double)) : comm_work[i % 2];
      if (comm_work[i] == NULL) comm_fail("the symmetric heap is too small: set SHMEM_SYMMETRIC_SIZE");
    }
    comm_work_count = wanted;
  }
  return comm_work[turn];
}
#endif

static inline void comm_sum(double* to, const double* from, size_t count) {
#if COMM_TEAMS
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, to, from, count);
#else
  unsigned turn = comm_next_turn();
  double* work = comm_reduce_work(turn, count);
  shmem_double_sum_to_all(to, (double*)from, (int)count, 0, 0, comm_all_pes, work, comm_sync_reduce[turn]);
#endif
}

// Both by the plainest means, as they are in every program: the collectives are measured, not leant on.
static inline double comm_max(double value) {
  static double all[COMM_MOST_PES];
  for (int pe = 0; pe < comm_all_pes; ++pe) shmem_double_p(&all[comm_own_pe], value, pe);
  shmem_barrier_all();
  for (int pe = 0; pe < comm_all_pes; ++pe)
    if (all[pe] > value) value = all[pe];
  shmem_barrier_all();
  return value;
}

static inline uint64_t comm_total(uint64_t value) {
  static uint64_t sum;
  sum = 0;
  shmem_barrier_all();
  for (int pe = 0; pe < comm_all_pes; ++pe) shmem_ulong_atomic_add(&sum, value, pe);
  shmem_barrier_all();
  uint64_t answer = sum;
  shmem_barrier_all();
  return answer;
}

#endif
