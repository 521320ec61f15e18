// SPDX-License-Identifier: Apache-2.0
// The operations of comm.h in MPI: one window over all symmetric memory, locked for the whole run, and MPI's own
// collectives. A PE is a rank of MPI_COMM_WORLD.
#ifndef ATOLL_BENCH_COMM_MPI_H
#define ATOLL_BENCH_COMM_MPI_H

#include <mpi.h>
#include <sched.h>

#define COMM_GLOBALS 0

static MPI_Win comm_window;
static char* comm_heap;
static size_t comm_heap_bytes, comm_heap_used;
static int comm_own_pe, comm_all_pes;

static inline int comm_me(void) { return comm_own_pe; }
static inline int comm_pes(void) { return comm_all_pes; }

static inline void comm_begin(int* argc, char*** argv, size_t heap_bytes, int threads) {
  int provided = 0;
  int wanted = threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(argc, argv, wanted, &provided);
  if (provided < wanted) comm_fail("this library has no MPI_THREAD_MULTIPLE");
  MPI_Comm_rank(MPI_COMM_WORLD, &comm_own_pe);
  MPI_Comm_size(MPI_COMM_WORLD, &comm_all_pes);
  comm_heap_bytes = comm_round_up(heap_bytes) + (1 << 20);
  MPI_Win_allocate((MPI_Aint)comm_heap_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &comm_heap, &comm_window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, comm_window);
}

static inline void comm_end(void) {
  MPI_Win_unlock_all(comm_window);
  MPI_Win_free(&comm_window);
  MPI_Finalize();
}

static inline const char* comm_library(void) {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  text[strcspn(text, ",\n\t")] = '\0';
  return text;
}

static inline void* comm_alloc(size_t bytes) {
  size_t base = (size_t)(uintptr_t)comm_heap, alignment = comm_alignment(bytes);
  size_t at = (base + comm_heap_used + alignment - 1) / alignment * alignment - base;
  // The same offset everywhere, although bases may be aligned differently.
  MPI_Allreduce(MPI_IN_PLACE, &at, 1, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
  if (at + bytes > comm_heap_bytes) comm_fail("comm_alloc: more than comm_begin() was told of");
  comm_heap_used = at + bytes;
  memset(comm_heap + at, 0, bytes);
  MPI_Win_sync(comm_window);
  MPI_Barrier(MPI_COMM_WORLD);
  return comm_heap + at;
}

static inline MPI_Aint comm_offset(const void* address) { return (const char*)address - comm_heap; }

// The source of a put must stay until it is complete: values wait in a ring.
static inline uint64_t* comm_keep(uint64_t value) {
  enum { kept = 1024 };
  static _Thread_local uint64_t ring[kept];
  static _Thread_local unsigned next;
  if (++next % kept == 0) MPI_Win_flush_local_all(comm_window);
  ring[next % kept] = value;
  return &ring[next % kept];
}

static inline void comm_quiet(void) { MPI_Win_flush_all(comm_window); }

static inline void comm_put_nbi(void* to, const void* from, size_t bytes, int pe) {
  MPI_Put(from, (int)bytes, MPI_BYTE, pe, comm_offset(to), (int)bytes, MPI_BYTE, comm_window);
}
static inline void comm_put(void* to, const void* from, size_t bytes, int pe) {
  comm_put_nbi(to, from, bytes, pe);
  MPI_Win_flush_local(pe, comm_window);
}
static inline void comm_get_nbi(void* to, const void* from, size_t bytes, int pe) {
  MPI_Get(to, (int)bytes, MPI_BYTE, pe, comm_offset(from), (int)bytes, MPI_BYTE, comm_window);
}
static inline void comm_get(void* to, const void* from, size_t bytes, int pe) {
  comm_get_nbi(to, from, bytes, pe);
  MPI_Win_flush_local(pe, comm_window);
}
static inline void comm_put_word(uint64_t* to, uint64_t value, int pe) {
  MPI_Put(comm_keep(value), 1, MPI_UINT64_T, pe, comm_offset(to), 1, MPI_UINT64_T, comm_window);
}
static inline uint64_t comm_get_word(const uint64_t* from, int pe) {
  uint64_t value;
  MPI_Get(&value, 1, MPI_UINT64_T, pe, comm_offset(from), 1, MPI_UINT64_T, comm_window);
  MPI_Win_flush_local(pe, comm_window);
  return value;
}
static inline uint64_t comm_fetch_add(uint64_t* at, uint64_t value, int pe) {
  uint64_t before;
  MPI_Fetch_and_op(&value, &before, MPI_UINT64_T, pe, comm_offset(at), MPI_SUM, comm_window);
  MPI_Win_flush_local(pe, comm_window);
  return before;
}
static inline uint64_t comm_compare_swap(uint64_t* at, uint64_t wanted, uint64_t value, int pe) {
  uint64_t before;
  MPI_Compare_and_swap(&value, &wanted, &before, MPI_UINT64_T, pe, comm_offset(at), comm_window);
  MPI_Win_flush_local(pe, comm_window);
  return before;
}
static inline void comm_add(uint64_t* at, uint64_t value, int pe) {
  MPI_Accumulate(comm_keep(value), 1, MPI_UINT64_T, pe, comm_offset(at), 1, MPI_UINT64_T, MPI_SUM, comm_window);
}
static inline void comm_xor(uint64_t* at, uint64_t value, int pe) {
  MPI_Accumulate(comm_keep(value), 1, MPI_UINT64_T, pe, comm_offset(at), 1, MPI_UINT64_T, MPI_BXOR, comm_window);
}

static inline void comm_put_flag(void* to, const void* from, size_t bytes, uint64_t* flag, uint64_t value, int pe) {
  comm_put_nbi(to, from, bytes, pe);
  MPI_Win_flush(pe, comm_window);
  MPI_Accumulate(comm_keep(value), 1, MPI_UINT64_T, pe, comm_offset(flag), 1, MPI_UINT64_T, MPI_REPLACE, comm_window);
  MPI_Win_flush(pe, comm_window);
}

static inline void comm_wait(uint64_t* flag, uint64_t value) {
  for (unsigned turns = 1; __atomic_load_n(flag, __ATOMIC_ACQUIRE) < value; ++turns) {
    MPI_Win_sync(comm_window);
    if (turns % 128 == 0) {
      int flagged;  // libraries that need a call to move on get one
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flagged, MPI_STATUS_IGNORE);
      sched_yield();
    }
  }
}

// Two-sided: MPI's own quickest way. The receiver names the sender: with MPI_ANY_SOURCE, ping-pongs of MPICH
// 5.0.2 over UCX's TCP hang in about one of three runs on a busy machine.
static inline void comm_ping(uint64_t* word, uint64_t value, int pe) {
  (void)word;
  MPI_Send(&value, 1, MPI_UINT64_T, pe, 0, MPI_COMM_WORLD);
}
static inline void comm_pong(uint64_t* word, uint64_t value, int pe) {
  MPI_Recv(word, 1, MPI_UINT64_T, pe, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (*word != value) comm_fail("comm_pong: another message than awaited");
}
static inline void comm_ping_block(void* to, const void* from, size_t bytes, uint64_t* flag, uint64_t value, int pe) {
  (void)to, (void)flag, (void)value;
  MPI_Send(from, (int)bytes, MPI_BYTE, pe, 0, MPI_COMM_WORLD);
}
static inline void comm_pong_block(void* to, size_t bytes, uint64_t* flag, uint64_t value, int pe) {
  (void)flag, (void)value;
  MPI_Recv(to, (int)bytes, MPI_BYTE, pe, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline void comm_barrier(void) {
  MPI_Win_flush_all(comm_window);
  MPI_Win_sync(comm_window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(comm_window);
}
static inline void comm_sync(void) { MPI_Barrier(MPI_COMM_WORLD); }
static inline void comm_broadcast(void* to, const void* from, size_t bytes, int root) {
  MPI_Bcast(comm_own_pe == root ? (void*)from : to, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}
static inline void comm_allgather(void* to, const void* from, size_t bytes) {
  MPI_Allgather(from, (int)bytes, MPI_BYTE, to, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static inline void comm_alltoall(void* to, const void* from, size_t bytes) {
  MPI_Alltoall(from, (int)bytes, MPI_BYTE, to, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static inline void comm_sum(double* to, const double* from, size_t count) {
  MPI_Allreduce(from, to, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static inline double comm_max(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return value;
}
static inline uint64_t comm_total(uint64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

#endif
