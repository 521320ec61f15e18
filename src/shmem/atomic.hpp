// SPDX-License-Identifier: Apache-2.0
// Atomic memory operations: by the direct path, else by offset through the runtime.
#pragma once

#include <fmt/format.h>

#include <type_traits>

#include "library.hpp"

namespace atl::shmem {

// The runtime's atomics take fixed-width integers, which all integer types of the standard are.
template <class T>
using Word = std::conditional_t<std::is_floating_point_v<T>, T,
                                std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>;

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
  return static_cast<T>(from.context.fetch<Word<T>>(from.pe, from.at));
}

template <class T>
void atomic_set(Call call, shmem_ctx_t ctx, T* dest, T value, int pe) {
  SHMEMX_SET_(T, ctx, dest, value, pe)
  Target to = atomic_target(call, ctx, "dest", dest, pe);
  to.context.set<Word<T>>(to.pe, to.at, static_cast<Word<T>>(value));
}

template <class T>
T atomic_swap(Call call, shmem_ctx_t ctx, T* dest, T value, int pe) {
  SHMEMX_SWAP_(T, ctx, dest, value, pe)
  Target to = atomic_target(call, ctx, "dest", dest, pe);
  return static_cast<T>(to.context.swap<Word<T>>(to.pe, to.at, static_cast<Word<T>>(value)));
}

template <class T>
T atomic_compare_swap(Call call, shmem_ctx_t ctx, T* dest, T cond, T value, int pe) {
  SHMEMX_COMPARE_SWAP_(T, ctx, dest, cond, value, pe)
  Target to = atomic_target(call, ctx, "dest", dest, pe);
  return static_cast<T>(
      to.context.compare_swap<Word<T>>(to.pe, to.at, static_cast<Word<T>>(cond), static_cast<Word<T>>(value)));
}

#define ATOLL_SHMEM_FETCH_OP_(name, builtin, method) \
  template <class T> \
  T atomic_fetch_##name(Call call, shmem_ctx_t ctx, T* dest, T value, int pe) { \
    SHMEMX_FETCH_OP_(builtin, T, ctx, dest, value, pe) \
    Target to = atomic_target(call, ctx, "dest", dest, pe); \
    return static_cast<T>(to.context.method<Word<T>>(to.pe, to.at, static_cast<Word<T>>(value))); \
  } \
  template <class T> \
  void atomic_##name(Call call, shmem_ctx_t ctx, T* dest, T value, int pe) { \
    SHMEMX_OP_(builtin, T, ctx, dest, value, pe) \
    Target to = atomic_target(call, ctx, "dest", dest, pe); \
    to.context.method<Word<T>>(to.pe, to.at, static_cast<Word<T>>(value)); \
  }
ATOLL_SHMEM_FETCH_OP_(add, __atomic_fetch_add, fetch_add)
ATOLL_SHMEM_FETCH_OP_(and, __atomic_fetch_and, fetch_and)
ATOLL_SHMEM_FETCH_OP_(or, __atomic_fetch_or, fetch_or)
ATOLL_SHMEM_FETCH_OP_(xor, __atomic_fetch_xor, fetch_xor)
#undef ATOLL_SHMEM_FETCH_OP_

/// Completes the non-blocking forms, which fetch at once.
template <class T>
void store_fetched(Call, T* fetch, T value) {
  *fetch = value;
}

}  // namespace atl::shmem
