/* SPDX-License-Identifier: Apache-2.0 */
/* -- the direct way ------------------------------------------------------------------------------------------
   What lies in memory that this process maps is reached without a call. The tables below are part of the binary
   interface: a change needs a new version number in their names.

   A symmetric address lies in the symmetric heap or in the program's data. The same object of a peer is at
       address + delta[peer]                 for the heap,
       address + data_shift + delta[peer]    for the data, by the place where the data lie in the segment.
   The ranges are empty before shmem_init, after shmem_finalize and with ATOLL_SHMEM_CHECK=1: then, and whenever an
   operation is not plain, the library does it. */

struct shmemx_peer_v1 {
  ptrdiff_t delta;      /* from an own address to the peer's */
  const uint32_t* bell; /* not 0: the peer sleeps and must be woken after a change */
};

struct shmemx_ctx_v1 {
  size_t npes;                        /* PEs of its team that are reached directly; 0: none, ask the library */
  const struct shmemx_peer_v1* peers; /* by number in the team */
  unsigned flags;                     /* SHMEMX_CTX_PLAIN_ */
  unsigned reserved;
  void* self; /* the library's */
};
#define SHMEMX_CTX_PLAIN_ 1u /* a processor fence is all that fence and quiet need */

struct shmemx_team_v1 {
  int my_pe; /* -1: not a member */
  int n_pes;
  void* self; /* the library's */
  void* reserved[6];
};

struct __attribute__((__aligned__(128))) shmemx_direct_v1_t {
  uintptr_t heap_begin;
  size_t heap_bytes; /* 16 less than there are: a scalar that begins inside also ends inside */
  uintptr_t data_begin;
  size_t data_bytes; /* likewise */
  ptrdiff_t data_shift;
  int my_pe; /* -1: ask the library */
  int n_pes;
  struct shmemx_ctx_v1 world;
  size_t looks; /* of a wait at its word before it asks the library; 0 where PEs share cores */
  void* reserved[5];
};

extern struct shmemx_direct_v1_t shmemx_direct_v1;
extern struct shmemx_ctx_v1 shmemx_ctx_invalid_v1; /* a context without PEs, so that its use comes to the library */
extern struct shmemx_team_v1 shmemx_team_world_v1, shmemx_team_shared_v1;

/* Wakes the PE whose bell is not 0. */
void shmemx_ring_v1(const uint32_t* bell);
/* Where PEs share cores: a PE that finds the same value in the same word again yields the core. */
void shmemx_looked_v1(const void* word, uint64_t value);

#define SHMEMX_HELPER_ extern __inline__ __attribute__((__gnu_inline__, __always_inline__))
#define SHMEMX_LIKELY_(condition) __builtin_expect(!!(condition), 1)

typedef uint8_t __attribute__((__may_alias__)) shmemx_u8_;
typedef uint16_t __attribute__((__may_alias__)) shmemx_u16_;
typedef uint32_t __attribute__((__may_alias__)) shmemx_u32_;
typedef uint64_t __attribute__((__may_alias__)) shmemx_u64_;

/* An address found is no null pointer: callers then need not look twice. */
SHMEMX_HELPER_ char* shmemx_found_(uintptr_t address) {
  if (address == 0) __builtin_unreachable();
  return (char*)address;
}

/* The peer's scalar at a symmetric address, or null: ask the library. */
SHMEMX_HELPER_ char* shmemx_at_(shmem_ctx_t ctx, const void* address, int pe) {
  uintptr_t own = (uintptr_t)address;
  if (SHMEMX_LIKELY_((size_t)(ptrdiff_t)pe < ctx->npes)) {
    uintptr_t there = own + (uintptr_t)ctx->peers[pe].delta;
    if (SHMEMX_LIKELY_(own - shmemx_direct_v1.heap_begin < shmemx_direct_v1.heap_bytes)) return shmemx_found_(there);
    if (own - shmemx_direct_v1.data_begin < shmemx_direct_v1.data_bytes)
      return shmemx_found_(there + (uintptr_t)shmemx_direct_v1.data_shift);
  }
  return (char*)0;
}

/* The same for `bytes` from there on. */
SHMEMX_HELPER_ char* shmemx_range_(shmem_ctx_t ctx, const void* address, size_t bytes, int pe) {
  uintptr_t own = (uintptr_t)address;
  if (SHMEMX_LIKELY_((size_t)(ptrdiff_t)pe < ctx->npes)) {
    uintptr_t there = own + (uintptr_t)ctx->peers[pe].delta;
    uintptr_t at = own - shmemx_direct_v1.heap_begin;
    if (SHMEMX_LIKELY_(at < shmemx_direct_v1.heap_bytes && bytes <= shmemx_direct_v1.heap_bytes - at))
      return shmemx_found_(there);
    at = own - shmemx_direct_v1.data_begin;
    if (at < shmemx_direct_v1.data_bytes && bytes <= shmemx_direct_v1.data_bytes - at)
      return shmemx_found_(there + (uintptr_t)shmemx_direct_v1.data_shift);
  }
  return (char*)0;
}

/* After a change that the peer may wait for. The sleeper's own fence keeps this load behind our store in the
   processor; here only the compiler must not swap them. */
SHMEMX_HELPER_ void shmemx_bell_(shmem_ctx_t ctx, int pe) {
  const uint32_t* bell = ctx->peers[pe].bell;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (!SHMEMX_LIKELY_(__atomic_load_n(bell, __ATOMIC_RELAXED) == 0)) shmemx_ring_v1(bell);
}

/* After a look at a word, which may be one of many in a loop of the program's own. */
SHMEMX_HELPER_ void shmemx_look_(const void* word, const void* seen, size_t size) {
  if (!SHMEMX_LIKELY_(shmemx_direct_v1.looks != 0)) {
    uint64_t value = 0;
    __builtin_memcpy(&value, seen, size);
    shmemx_looked_v1(word, value);
  }
}

/* One element arrives at once, and after what was put before it. */
SHMEMX_HELPER_ void shmemx_store_(char* at, const void* from, size_t size) {
  if (size == 8) {
    shmemx_u64_ value;
    __builtin_memcpy(&value, from, 8);
    __atomic_store_n((shmemx_u64_*)(void*)at, value, __ATOMIC_RELEASE);
  } else if (size == 4) {
    shmemx_u32_ value;
    __builtin_memcpy(&value, from, 4);
    __atomic_store_n((shmemx_u32_*)(void*)at, value, __ATOMIC_RELEASE);
  } else if (size == 2) {
    shmemx_u16_ value;
    __builtin_memcpy(&value, from, 2);
    __atomic_store_n((shmemx_u16_*)(void*)at, value, __ATOMIC_RELEASE);
  } else if (size == 1) {
    shmemx_u8_ value;
    __builtin_memcpy(&value, from, 1);
    __atomic_store_n((shmemx_u8_*)(void*)at, value, __ATOMIC_RELEASE);
  } else {
    __builtin_memcpy(at, from, size);
  }
}

SHMEMX_HELPER_ void shmemx_load_(void* to, const char* at, size_t size) {
  if (size == 8) {
    shmemx_u64_ value = __atomic_load_n((const shmemx_u64_*)(const void*)at, __ATOMIC_ACQUIRE);
    __builtin_memcpy(to, &value, 8);
  } else if (size == 4) {
    shmemx_u32_ value = __atomic_load_n((const shmemx_u32_*)(const void*)at, __ATOMIC_ACQUIRE);
    __builtin_memcpy(to, &value, 4);
  } else if (size == 2) {
    shmemx_u16_ value = __atomic_load_n((const shmemx_u16_*)(const void*)at, __ATOMIC_ACQUIRE);
    __builtin_memcpy(to, &value, 2);
  } else if (size == 1) {
    shmemx_u8_ value = __atomic_load_n((const shmemx_u8_*)(const void*)at, __ATOMIC_ACQUIRE);
    __builtin_memcpy(to, &value, 1);
  } else {
    __builtin_memcpy(to, at, size);
  }
}

#define SHMEMX_ALIGNED_(at, size) (((uintptr_t)(at) & ((size) - 1)) == 0)

/* `bytes` of elements of `size`. */
SHMEMX_HELPER_ void shmemx_copy_to_(char* at, const void* from, size_t bytes, size_t size) {
  if (bytes == size && size <= 8 && SHMEMX_ALIGNED_(at, size)) shmemx_store_(at, from, size);
  else __builtin_memcpy(at, from, bytes);
}

SHMEMX_HELPER_ void shmemx_copy_from_(void* to, const char* at, size_t bytes, size_t size) {
  if (bytes == size && size <= 8 && SHMEMX_ALIGNED_(at, size)) shmemx_load_(to, at, size);
  else __builtin_memcpy(to, at, bytes);
}

/* Bodies of operations: each returns when it could do the operation, and falls through to the library's when not. */

#define SHMEMX_P_(type, ctx, dest, value, pe) \
  { \
    char* at_ = shmemx_at_(ctx, dest, pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      shmemx_store_(at_, &value, sizeof(type)); \
      shmemx_bell_(ctx, pe); \
      return; \
    } \
  }

#define SHMEMX_G_(type, ctx, source, pe) \
  { \
    const char* at_ = shmemx_at_(ctx, source, pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      type value_; \
      shmemx_load_(&value_, at_, sizeof(type)); \
      return value_; \
    } \
  }

#define SHMEMX_PUT_(size, ctx, dest, source, count, pe) \
  { \
    char* at_ = shmemx_range_(ctx, dest, (count) * (size), pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      shmemx_copy_to_(at_, source, (count) * (size), size); \
      shmemx_bell_(ctx, pe); \
      return; \
    } \
  }

#define SHMEMX_GET_(size, ctx, dest, source, count, pe) \
  { \
    const char* at_ = shmemx_range_(ctx, source, (count) * (size), pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      shmemx_copy_from_(dest, at_, (count) * (size), size); \
      return; \
    } \
  }

/* Of bytes, most often words. */
#define SHMEMX_PUTMEM_(ctx, dest, source, bytes, pe) \
  { \
    char* at_ = shmemx_range_(ctx, dest, bytes, pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      if (bytes == 4) shmemx_copy_to_(at_, source, bytes, 4); \
      else shmemx_copy_to_(at_, source, bytes, 8); \
      shmemx_bell_(ctx, pe); \
      return; \
    } \
  }

#define SHMEMX_GETMEM_(ctx, dest, source, bytes, pe) \
  { \
    const char* at_ = shmemx_range_(ctx, source, bytes, pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      if (bytes == 4) shmemx_copy_from_(dest, at_, bytes, 4); \
      else shmemx_copy_from_(dest, at_, bytes, 8); \
      return; \
    } \
  }

#define SHMEMX_PUT_SIGNAL_(size, ctx, dest, source, count, signal_address, signal, operator_, pe) \
  { \
    char* at_ = shmemx_range_(ctx, dest, (count) * (size), pe); \
    char* signal_at_ = shmemx_at_(ctx, signal_address, pe); \
    int set_ = (operator_) == SHMEM_SIGNAL_SET; \
    if (SHMEMX_LIKELY_(at_ != 0 && signal_at_ != 0 && (set_ || (operator_) == SHMEM_SIGNAL_ADD))) { \
      __builtin_memcpy(at_, source, (count) * (size)); \
      if (set_) __atomic_store_n((uint64_t*)(void*)signal_at_, signal, __ATOMIC_RELEASE); \
      else __atomic_fetch_add((uint64_t*)(void*)signal_at_, signal, __ATOMIC_ACQ_REL); \
      shmemx_bell_(ctx, pe); \
      return; \
    } \
  }

#define SHMEMX_SIGNAL_FETCH_(address) \
  { \
    if (SHMEMX_LIKELY_(shmemx_direct_v1.my_pe >= 0)) { \
      uint64_t now_ = __atomic_load_n(address, __ATOMIC_ACQUIRE); \
      shmemx_look_(address, &now_, sizeof(now_)); \
      return now_; \
    } \
  }

/* Atomics are acquire-release: a word updated here publishes what its updater did before. */

#define SHMEMX_FETCH_INTO_(type, ctx, source, pe, ...) \
  { \
    char* at_ = shmemx_at_(ctx, source, pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      type old_; \
      __atomic_load((type*)(void*)at_, &old_, __ATOMIC_ACQUIRE); \
      shmemx_look_(at_, &old_, sizeof(type)); \
      __VA_ARGS__; \
    } \
  }
#define SHMEMX_FETCH_(type, ctx, source, pe) SHMEMX_FETCH_INTO_(type, ctx, source, pe, return old_)
#define SHMEMX_FETCH_NBI_(type, ctx, fetch, source, pe) SHMEMX_FETCH_INTO_(type, ctx, source, pe, *fetch = old_; return)

#define SHMEMX_SET_(type, ctx, dest, value, pe) SHMEMX_P_(type, ctx, dest, value, pe)

#define SHMEMX_SWAP_INTO_(type, ctx, dest, value, pe, ...) \
  { \
    char* at_ = shmemx_at_(ctx, dest, pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      type old_; \
      __atomic_exchange((type*)(void*)at_, &value, &old_, __ATOMIC_ACQ_REL); \
      shmemx_bell_(ctx, pe); \
      __VA_ARGS__; \
    } \
  }
#define SHMEMX_SWAP_(type, ctx, dest, value, pe) SHMEMX_SWAP_INTO_(type, ctx, dest, value, pe, return old_)
#define SHMEMX_SWAP_NBI_(type, ctx, fetch, dest, value, pe) \
  SHMEMX_SWAP_INTO_(type, ctx, dest, value, pe, *fetch = old_; return)

#define SHMEMX_COMPARE_SWAP_INTO_(type, ctx, dest, cond, value, pe, ...) \
  { \
    char* at_ = shmemx_at_(ctx, dest, pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      type old_ = cond; \
      if (!__atomic_compare_exchange_n((type*)(void*)at_, &old_, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) \
        shmemx_look_(at_, &old_, sizeof(type)); \
      shmemx_bell_(ctx, pe); \
      __VA_ARGS__; \
    } \
  }
#define SHMEMX_COMPARE_SWAP_(type, ctx, dest, cond, value, pe) \
  SHMEMX_COMPARE_SWAP_INTO_(type, ctx, dest, cond, value, pe, return old_)
#define SHMEMX_COMPARE_SWAP_NBI_(type, ctx, fetch, dest, cond, value, pe) \
  SHMEMX_COMPARE_SWAP_INTO_(type, ctx, dest, cond, value, pe, *fetch = old_; return)

#define SHMEMX_OP_(operation, type, ctx, dest, value, pe) \
  { \
    char* at_ = shmemx_at_(ctx, dest, pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      operation((type*)(void*)at_, value, __ATOMIC_ACQ_REL); \
      shmemx_bell_(ctx, pe); \
      return; \
    } \
  }
#define SHMEMX_FETCH_OP_INTO_(operation, type, ctx, dest, value, pe, ...) \
  { \
    char* at_ = shmemx_at_(ctx, dest, pe); \
    if (SHMEMX_LIKELY_(at_ != 0)) { \
      type old_ = operation((type*)(void*)at_, value, __ATOMIC_ACQ_REL); \
      shmemx_bell_(ctx, pe); \
      __VA_ARGS__; \
    } \
  }
#define SHMEMX_FETCH_OP_(operation, type, ctx, dest, value, pe) \
  SHMEMX_FETCH_OP_INTO_(operation, type, ctx, dest, value, pe, return old_)
#define SHMEMX_FETCH_OP_NBI_(operation, type, ctx, fetch, dest, value, pe) \
  SHMEMX_FETCH_OP_INTO_(operation, type, ctx, dest, value, pe, *fetch = old_; return)

#if defined(__SANITIZE_THREAD__)
/* The thread sanitizer knows no fences: the library has something that it understands. */
#define SHMEMX_FENCE_(ctx)
#define SHMEMX_QUIET_(ctx)
#else
/* Puts before become visible before puts after: loads that wait are acquire loads. */
#define SHMEMX_FENCE_(ctx) \
  { \
    if (SHMEMX_LIKELY_((ctx) != 0 && ((ctx)->flags & SHMEMX_CTX_PLAIN_) != 0)) { \
      __atomic_thread_fence(__ATOMIC_RELEASE); \
      return; \
    } \
  }
/* Puts before are visible to all: later loads of this thread stay behind them. */
#define SHMEMX_QUIET_(ctx) \
  { \
    if (SHMEMX_LIKELY_((ctx) != 0 && ((ctx)->flags & SHMEMX_CTX_PLAIN_) != 0)) { \
      __atomic_thread_fence(__ATOMIC_SEQ_CST); \
      return; \
    } \
  }
#endif

/* A peer that runs answers within a microsecond: the first looks are nothing but that. */
#define SHMEMX_HOLDS_(now, cmp, value) \
  ((cmp) == SHMEM_CMP_EQ   ? (now) == (value) \
   : (cmp) == SHMEM_CMP_NE ? (now) != (value) \
   : (cmp) == SHMEM_CMP_GE ? (now) >= (value) \
   : (cmp) == SHMEM_CMP_GT ? (now) > (value) \
   : (cmp) == SHMEM_CMP_LE ? (now) <= (value) \
                           : (cmp) == SHMEM_CMP_LT && (now) < (value))
#define SHMEMX_WAIT_UNTIL_(type, address, cmp, value) \
  { \
    for (size_t looks_ = shmemx_direct_v1.looks; looks_ != 0; --looks_) { \
      type now_ = __atomic_load_n(address, __ATOMIC_ACQUIRE); \
      if (SHMEMX_HOLDS_(now_, cmp, value)) return; \
    } \
  }
#define SHMEMX_SIGNAL_WAIT_UNTIL_(address, cmp, value) \
  { \
    for (size_t looks_ = shmemx_direct_v1.looks; looks_ != 0; --looks_) { \
      uint64_t now_ = __atomic_load_n(address, __ATOMIC_ACQUIRE); \
      if (SHMEMX_HOLDS_(now_, cmp, value)) return now_; \
    } \
  }

#define SHMEMX_MY_PE_() \
  { \
    int pe_ = shmemx_direct_v1.my_pe; \
    if (SHMEMX_LIKELY_(pe_ >= 0)) return pe_; \
  }
#define SHMEMX_N_PES_() \
  { \
    int pes_ = shmemx_direct_v1.n_pes; \
    if (SHMEMX_LIKELY_(pes_ > 0)) return pes_; \
  }
