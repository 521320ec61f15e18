// SPDX-License-Identifier: Apache-2.0
// Put and get. Each tries the direct path of direct.h first, as inlined callers do; otherwise it goes by offset through
// the runtime, which also reaches PEs whose memory is not mapped.
#pragma once

#include <cstddef>

#include "library.hpp"

namespace atl::shmem {

/// A strided transfer of `blocks` blocks of `block` elements.
struct Strided {
  std::ptrdiff_t to;  // between blocks, in elements
  std::ptrdiff_t from;
  std::size_t block;
  std::size_t blocks;
  std::size_t element_bytes;

  std::size_t to_bytes() const { return static_cast<std::size_t>(to) * element_bytes; }
  std::size_t from_bytes() const { return static_cast<std::size_t>(from) * element_bytes; }
  std::size_t block_bytes() const { return block * element_bytes; }
};

/// When the call is complete locally: on return, or at the latest at the next quiet.
enum class Completion { on_return, at_quiet };

void put_by_offset(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count, std::size_t size,
                   int pe, Completion completion = Completion::on_return);
void get_by_offset(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count, std::size_t size,
                   int pe, Completion completion = Completion::on_return);
void put_strided(Call call, shmem_ctx_t ctx, void* dest, const void* source, const Strided& shape, int pe);
void get_strided(Call call, shmem_ctx_t ctx, void* dest, const void* source, const Strided& shape, int pe);

template <class T>
void put_value(Call call, shmem_ctx_t ctx, T* dest, T value, int pe) {
  SHMEMX_P_(T, ctx, dest, value, pe)
  put_by_offset(call, ctx, dest, &value, 1, sizeof(T), pe);
}

template <class T>
T get_value(Call call, shmem_ctx_t ctx, const T* source, int pe) {
  SHMEMX_G_(T, ctx, source, pe)
  T value;
  get_by_offset(call, ctx, &value, source, 1, sizeof(T), pe);
  return value;
}

inline void put(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count, std::size_t size,
                int pe) {
  SHMEMX_PUT_(size, ctx, dest, source, count, pe)
  put_by_offset(call, ctx, dest, source, count, size, pe);
}

inline void get(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count, std::size_t size,
                int pe) {
  SHMEMX_GET_(size, ctx, dest, source, count, pe)
  get_by_offset(call, ctx, dest, source, count, size, pe);
}

inline void put_nbi(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count, std::size_t size,
                    int pe) {
  SHMEMX_PUT_(size, ctx, dest, source, count, pe)
  put_by_offset(call, ctx, dest, source, count, size, pe, Completion::at_quiet);
}

inline void get_nbi(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count, std::size_t size,
                    int pe) {
  SHMEMX_GET_(size, ctx, dest, source, count, pe)
  get_by_offset(call, ctx, dest, source, count, size, pe, Completion::at_quiet);
}

inline void put_strided(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::ptrdiff_t to,
                        std::ptrdiff_t from, std::size_t block, std::size_t blocks, std::size_t element_bytes, int pe) {
  put_strided(call, ctx, dest, source, {to, from, block, blocks, element_bytes}, pe);
}

inline void get_strided(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::ptrdiff_t to,
                        std::ptrdiff_t from, std::size_t block, std::size_t blocks, std::size_t element_bytes, int pe) {
  get_strided(call, ctx, dest, source, {to, from, block, blocks, element_bytes}, pe);
}

}  // namespace atl::shmem
