// SPDX-License-Identifier: Apache-2.0
// The operations of comm.h by hand, on one mapping that forked processes share: what the machine gives when nothing
// is in the way. The contender `limit`. Started by itself: PROGRAM --pes N.
//
// A PE's part of the mapping: a first area with the flags of barriers and the slots of small collectives, then the
// heap. The parts lie one after the other, at the same addresses in all processes, so a peer's word is at a fixed
// distance from one's own.
#ifndef ATOLL_BENCH_COMM_BARE_H
#define ATOLL_BENCH_COMM_BARE_H

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMM_GLOBALS 0

enum {
  COMM_MOST_PES = 64,
  COMM_RING = 32,     // small collectives under way at a time
  COMM_SMALL = 48,    // bytes that travel in one line with their flag
  COMM_SPINS = 2000,  // looks before the core is lent to another PE, when there are more PEs than cores
};

typedef struct {
  uint64_t epoch;
  uint64_t spare;
  unsigned char data[COMM_SMALL];
} CommSlot;

typedef struct {
  _Alignas(COMM_LINE) uint64_t rounds[8][COMM_LINE / 8];  // of the dissemination barrier, a line each
  CommSlot slots[COMM_RING][COMM_MOST_PES];               // [epoch % ring][sender]
} CommArea;

static char* comm_part;  // of this PE
static size_t comm_part_bytes, comm_used;
static int comm_own_pe, comm_all_pes, comm_crowded;
static uint64_t comm_barriers, comm_epoch;

static inline int comm_me(void) { return comm_own_pe; }
static inline int comm_pes(void) { return comm_all_pes; }
static inline const char* comm_library(void) { return "bare shared mapping"; }

static inline void* comm_at(const void* address, int pe) {
  return (char*)address + (ptrdiff_t)(pe - comm_own_pe) * (ptrdiff_t)comm_part_bytes;
}
static inline CommArea* comm_area(int pe) { return comm_at(comm_part, pe); }

static inline void comm_wait(uint64_t* flag, uint64_t value) {
  for (int spins = 0; __atomic_load_n(flag, __ATOMIC_ACQUIRE) < value; ++spins) {
#if defined(__x86_64__)
    __builtin_ia32_pause();  // fewer loads in flight when the line arrives: a ping-pong in 35 ns instead of 58
#endif
    if (comm_crowded && spins >= COMM_SPINS) sched_yield();
  }
}

// Takes "--pes N" out of the arguments, forks N PEs, and returns in each of them.
static inline void comm_begin(int* argc, char*** argv, size_t heap_bytes, int threads) {
  char** words = *argv;
  comm_all_pes = 1;
  int left = 1;
  for (int i = 1; i < *argc; ++i) {
    if (strcmp(words[i], "--pes") == 0 && i + 1 < *argc) comm_all_pes = atoi(words[++i]);
    else words[left++] = words[i];
  }
  words[*argc = left] = NULL;
  if (comm_all_pes < 1 || comm_all_pes > COMM_MOST_PES) comm_fail("--pes: give a number from 1 to 64");
  comm_crowded = comm_all_pes * threads > sysconf(_SC_NPROCESSORS_ONLN);
  comm_used = comm_round_up(sizeof(CommArea));
  const size_t huge = (size_t)2 << 20;  // parts begin at a huge page
  comm_part_bytes = (comm_used + heap_bytes + (1 << 20) + huge - 1) / huge * huge;
  size_t bytes = comm_part_bytes * (size_t)comm_all_pes;
  char* raw = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) comm_fail("cannot map the shared memory");
  char* all = (char*)(((uintptr_t)raw + huge - 1) / huge * huge);
  madvise(all, bytes, MADV_HUGEPAGE);
  pid_t children[COMM_MOST_PES];
  pid_t parent = getpid();
  for (int pe = 0; pe < comm_all_pes; ++pe) {
    children[pe] = fork();
    if (children[pe] < 0) comm_fail("cannot fork");
    if (children[pe] == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) exit(1);
      comm_own_pe = pe;
      comm_part = all + comm_part_bytes * (size_t)pe;
      return;
    }
  }
  int failed = 0, status;
  for (int left_over = comm_all_pes; left_over > 0; --left_over) {
    wait(&status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      if (!failed)
        for (int pe = 0; pe < comm_all_pes; ++pe) kill(children[pe], SIGKILL);
      failed = 1;
    }
  }
  exit(failed);
}

static inline void comm_end(void) { fflush(stdout); }

static inline void comm_quiet(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static inline void comm_barrier(void) {
  ++comm_barriers;
  int round = 0;
  comm_quiet();
  for (int distance = 1; distance < comm_all_pes; distance *= 2, ++round) {
    __atomic_store_n(comm_area((comm_own_pe + distance) % comm_all_pes)->rounds[round], comm_barriers,
                     __ATOMIC_RELEASE);
    comm_wait(comm_area(comm_own_pe)->rounds[round], comm_barriers);
  }
}
static inline void comm_sync(void) { comm_barrier(); }

static inline void* comm_alloc(size_t bytes) {
  size_t alignment = comm_alignment(bytes);
  comm_used = (comm_used + alignment - 1) / alignment * alignment;
  if (comm_used + comm_round_up(bytes) > comm_part_bytes) comm_fail("comm_alloc: more than comm_begin() was told of");
  char* block = comm_part + comm_used;
  comm_used += comm_round_up(bytes);
  memset(block, 0, comm_round_up(bytes));
  comm_barrier();
  return block;
}

static inline void comm_put(void* to, const void* from, size_t bytes, int pe) { memcpy(comm_at(to, pe), from, bytes); }
static inline void comm_get(void* to, const void* from, size_t bytes, int pe) { memcpy(to, comm_at(from, pe), bytes); }
// Each copy counts: the compiler may not drop one that a later one hides.
static inline void comm_put_nbi(void* to, const void* from, size_t bytes, int pe) {
  comm_put(to, from, bytes, pe);
  __asm__ volatile("" ::: "memory");
}
static inline void comm_get_nbi(void* to, const void* from, size_t bytes, int pe) {
  comm_get(to, from, bytes, pe);
  __asm__ volatile("" ::: "memory");
}
static inline void comm_put_word(uint64_t* to, uint64_t value, int pe) {
  __atomic_store_n((uint64_t*)comm_at(to, pe), value, __ATOMIC_RELEASE);
}
static inline uint64_t comm_get_word(const uint64_t* from, int pe) {
  return __atomic_load_n((uint64_t*)comm_at(from, pe), __ATOMIC_RELAXED);
}
static inline uint64_t comm_fetch_add(uint64_t* at, uint64_t value, int pe) {
  return __atomic_fetch_add((uint64_t*)comm_at(at, pe), value, __ATOMIC_RELAXED);
}
static inline uint64_t comm_compare_swap(uint64_t* at, uint64_t wanted, uint64_t value, int pe) {
  __atomic_compare_exchange_n((uint64_t*)comm_at(at, pe), &wanted, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return wanted;
}
static inline void comm_add(uint64_t* at, uint64_t value, int pe) {
  __atomic_fetch_add((uint64_t*)comm_at(at, pe), value, __ATOMIC_RELAXED);
}
static inline void comm_xor(uint64_t* at, uint64_t value, int pe) {
  __atomic_fetch_xor((uint64_t*)comm_at(at, pe), value, __ATOMIC_RELAXED);
}
static inline void comm_put_flag(void* to, const void* from, size_t bytes, uint64_t* flag, uint64_t value, int pe) {
  comm_put(to, from, bytes, pe);
  comm_put_word(flag, value, pe);
}
static inline void comm_ping(uint64_t* word, uint64_t value, int pe) { comm_put_word(word, value, pe); }
static inline void comm_pong(uint64_t* word, uint64_t value, int pe) {
  (void)pe;
  comm_wait(word, value);
}
static inline void comm_ping_block(void* to, const void* from, size_t bytes, uint64_t* flag, uint64_t value, int pe) {
  comm_put_flag(to, from, bytes, flag, value, pe);
}
static inline void comm_pong_block(void* to, size_t bytes, uint64_t* flag, uint64_t value, int pe) {
  (void)pe, (void)to, (void)bytes;
  comm_wait(flag, value);
}

// Small collectives: a line per sender that carries the data and the epoch. A ring of lines, and a barrier each time
// round, keeps a quick PE from overwriting what a slow one has yet to read.
static inline CommSlot* comm_slot(int pe, int sender) { return &comm_area(pe)->slots[comm_epoch % COMM_RING][sender]; }
static inline void comm_next_epoch(void) {
  if (++comm_epoch % COMM_RING == 0) comm_barrier();
}
static inline void comm_send_small(int pe, const void* from, size_t bytes) {
  CommSlot* slot = comm_slot(pe, comm_own_pe);
  if (bytes == 8) memcpy(slot->data, from, 8);
  else memcpy(slot->data, from, bytes);
  __atomic_store_n(&slot->epoch, comm_epoch, __ATOMIC_RELEASE);
}
static inline const void* comm_receive_small(int sender) {
  CommSlot* slot = comm_slot(comm_own_pe, sender);
  comm_wait(&slot->epoch, comm_epoch);
  return slot->data;
}

static inline void comm_broadcast(void* to, const void* from, size_t bytes, int root) {
  if (bytes <= COMM_SMALL) {
    comm_next_epoch();
    if (comm_own_pe != root) memcpy(to, comm_receive_small(root), bytes);
    else
      for (int pe = 0; pe < comm_all_pes; ++pe)
        if (pe != root) comm_send_small(pe, from, bytes);
    return;
  }
  comm_barrier();
  if (comm_own_pe != root) memcpy(to, comm_at(from, root), bytes);
  comm_barrier();
}

// From each PE to each: the block for a PE begins `step` bytes after that for the one before.
static inline void comm_exchange(void* to, const void* from, size_t bytes, size_t step) {
  char* out = to;
  const char* in = from;
  if (bytes <= COMM_SMALL) {
    comm_next_epoch();
    for (int pe = 0; pe < comm_all_pes; ++pe)
      if (pe != comm_own_pe) comm_send_small(pe, in + (size_t)pe * step, bytes);
    memcpy(out + (size_t)comm_own_pe * bytes, in + (size_t)comm_own_pe * step, bytes);
    for (int pe = 0; pe < comm_all_pes; ++pe)
      if (pe != comm_own_pe) memcpy(out + (size_t)pe * bytes, comm_receive_small(pe), bytes);
    return;
  }
  comm_barrier();
  for (int turn = 0; turn < comm_all_pes; ++turn) {
    int pe = (comm_own_pe + turn) % comm_all_pes;
    memcpy(out + (size_t)pe * bytes, (char*)comm_at(in, pe) + (size_t)comm_own_pe * step, bytes);
  }
  comm_barrier();
}
static inline void comm_allgather(void* to, const void* from, size_t bytes) { comm_exchange(to, from, bytes, 0); }
static inline void comm_alltoall(void* to, const void* from, size_t bytes) { comm_exchange(to, from, bytes, bytes); }

static inline void comm_sum(double* to, const double* from, size_t count) {
  if (count == 1) {
    comm_next_epoch();
    double sum = from[0], other;
    for (int pe = 0; pe < comm_all_pes; ++pe)
      if (pe != comm_own_pe) comm_send_small(pe, from, 8);
    for (int pe = 0; pe < comm_all_pes; ++pe)
      if (pe != comm_own_pe) {
        memcpy(&other, comm_receive_small(pe), 8);
        sum += other;
      }
    to[0] = sum;
    return;
  }
  // Each PE adds its share of the elements, then all fetch the shares of the others.
  size_t pes = (size_t)comm_all_pes, me = (size_t)comm_own_pe;
  comm_barrier();
  size_t first = count * me / pes, last = count * (me + 1) / pes;
  for (size_t at = first; at < last; at += 1024) {
    size_t end = at + 1024 < last ? at + 1024 : last;
    const double* left = comm_at(from, 0);
    const double* right = comm_at(from, 1 % comm_all_pes);
    for (size_t i = at; i < end; ++i) to[i] = pes > 1 ? left[i] + right[i] : left[i];
    for (int pe = 2; pe < comm_all_pes; ++pe) {
      const double* more = comm_at(from, pe);
      for (size_t i = at; i < end; ++i) to[i] += more[i];
    }
  }
  comm_barrier();
  for (size_t step = 1; step < pes; ++step) {
    size_t pe = (me + step) % pes, begin = count * pe / pes, end = count * (pe + 1) / pes;
    memcpy(to + begin, (double*)comm_at(to, (int)pe) + begin, (end - begin) * sizeof(double));
  }
  comm_barrier();
}

static inline double comm_max(double value) {
  double all[COMM_MOST_PES];
  comm_allgather(all, &value, 8);
  for (int pe = 0; pe < comm_all_pes; ++pe)
    if (all[pe] > value) value = all[pe];
  return value;
}
static inline uint64_t comm_total(uint64_t value) {
  uint64_t all[COMM_MOST_PES], sum = 0;
  comm_allgather(all, &value, 8);
  for (int pe = 0; pe < comm_all_pes; ++pe) sum += all[pe];
  return sum;
}

#endif
