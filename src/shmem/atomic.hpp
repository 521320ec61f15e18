// SPDX-License-Identifier: Apache-2.0
// Atomic memory operations: by the direct path, else by offset through the runtime.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "atoll/runtime/one_sided.hpp"
#include "library.hpp"

namespace atl::shmem {

// The runtime's atomics take fixed-width integers, which all integer types of the standard are.
template <class T>
using Word = std::conditional_t<std::is_floating_point_v<T>, T,
                                std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>;

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
Target atomic_target(Call call, shmem_ctx_t ctx, const char* argument, const T* address, int pe) {
  if ((reinterpret_cast<std::uintptr_t>(address) & (sizeof(T) - 1)) != 0)
    fail(call, "argument '{}': {} is not aligned to the {} bytes of an atomic", argument, fmt::ptr(address), sizeof(T));
  return resolve(call, ctx, argument, address, sizeof(T), pe);
}

template <class T>
T atomic_fetch(Call call, shmem_ctx_t ctx, const T* source, int pe) {
  SHMEMX_FETCH_(T, ctx, source, pe)
  Target from = atomic_target(call, ctx, "source", source, pe);
  return static_cast<T>(from.one_sided.fetch<Word<T>>(from.pe, from.at));
}

template <class T>
void atomic_set(Call call, shmem_ctx_t ctx, T* dest, T value, int pe) {
  SHMEMX_SET_(T, ctx, dest, value, pe)
  Target to = atomic_target(call, ctx, "dest", dest, pe);
  if (fabric::Queueing* path = queueing_path_to(to))
    return path->queue_update(fabric::AtomicOp::set, sizeof(T), to.pe, to.at, bits_of(value));
  to.one_sided.set<Word<T>>(to.pe, to.at, static_cast<Word<T>>(value));
}

template <class T>
T atomic_swap(Call call, shmem_ctx_t ctx, T* dest, T value, int pe) {
  SHMEMX_SWAP_(T, ctx, dest, value, pe)
  Target to = atomic_target(call, ctx, "dest", dest, pe);
  return static_cast<T>(to.one_sided.swap<Word<T>>(to.pe, to.at, static_cast<Word<T>>(value)));
}

template <class T>
T atomic_compare_swap(Call call, shmem_ctx_t ctx, T* dest, T cond, T value, int pe) {
  SHMEMX_COMPARE_SWAP_(T, ctx, dest, cond, value, pe)
  Target to = atomic_target(call, ctx, "dest", dest, pe);
  return static_cast<T>(
      to.one_sided.compare_swap<Word<T>>(to.pe, to.at, static_cast<Word<T>>(cond), static_cast<Word<T>>(value)));
}

/// The non-blocking forms: a PE of another node sends the old value until quiet; on this node it is fetched at once.
template <class T, class AtOnce>
void fetch_until_quiet(Call call, shmem_ctx_t ctx, T* fetch, const T* dest, int pe, fabric::AtomicOp op, T value,
                       T expected, AtOnce&& at_once) {
  const bool is_one_node = shmemx_direct_v1.world.npes != 0;
  if (!is_one_node) {
    const Target to = atomic_target(call, ctx, op == fabric::AtomicOp::fetch ? "source" : "dest", dest, pe);
    if (fabric::Queueing* path = queueing_path_to(to))
      return path->queue_atomic(op, sizeof(T), to.pe, to.at, bits_of(value), bits_of(expected), fetch);
  }
  *fetch = at_once();
}

template <class T>
void atomic_fetch_nbi(Call call, shmem_ctx_t ctx, T* fetch, const T* source, int pe) {
  fetch_until_quiet(call, ctx, fetch, source, pe, fabric::AtomicOp::fetch, T{}, T{},
                    [&] { return atomic_fetch(call, ctx, source, pe); });
}

template <class T>
void atomic_swap_nbi(Call call, shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe) {
  fetch_until_quiet(call, ctx, fetch, dest, pe, fabric::AtomicOp::swap, value, T{},
                    [&] { return atomic_swap(call, ctx, dest, value, pe); });
}

template <class T>
void atomic_compare_swap_nbi(Call call, shmem_ctx_t ctx, T* fetch, T* dest, T cond, T value, int pe) {
  fetch_until_quiet(call, ctx, fetch, dest, pe, fabric::AtomicOp::compare_swap, value, cond,
                    [&] { return atomic_compare_swap(call, ctx, dest, cond, value, pe); });
}

#define ATOLL_SHMEM_FETCH_OP_(name, builtin, method, operation) \
  template <class T> \
  T atomic_fetch_##name(Call call, shmem_ctx_t ctx, T* dest, T value, int pe) { \
    SHMEMX_FETCH_OP_(builtin, T, ctx, dest, value, pe) \
    Target to = atomic_target(call, ctx, "dest", dest, pe); \
    return static_cast<T>(to.one_sided.method<Word<T>>(to.pe, to.at, static_cast<Word<T>>(value))); \
  } \
  template <class T> \
  void atomic_fetch_##name##_nbi(Call call, shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe) { \
    fetch_until_quiet(call, ctx, fetch, dest, pe, fabric::AtomicOp::operation, value, T{}, \
                      [&] { return atomic_fetch_##name(call, ctx, dest, value, pe); }); \
  } \
  template <class T> \
  void atomic_##name(Call call, shmem_ctx_t ctx, T* dest, T value, int pe) { \
    SHMEMX_OP_(builtin, T, ctx, dest, value, pe) \
    Target to = atomic_target(call, ctx, "dest", dest, pe); \
    if (fabric::Queueing* path = queueing_path_to(to)) \
      return path->queue_update(fabric::AtomicOp::operation, sizeof(T), to.pe, to.at, bits_of(value)); \
    to.one_sided.method<Word<T>>(to.pe, to.at, static_cast<Word<T>>(value)); \
  }
ATOLL_SHMEM_FETCH_OP_(add, __atomic_fetch_add, fetch_add, add)
ATOLL_SHMEM_FETCH_OP_(and, __atomic_fetch_and, fetch_and, bit_and)
ATOLL_SHMEM_FETCH_OP_(or, __atomic_fetch_or, fetch_or, bit_or)
ATOLL_SHMEM_FETCH_OP_(xor, __atomic_fetch_xor, fetch_xor, bit_xor)
#undef ATOLL_SHMEM_FETCH_OP_

}  // namespace atl::shmem
