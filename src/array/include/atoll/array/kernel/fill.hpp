// SPDX-License-Identifier: Apache-2.0
// One value everywhere.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// The bytes of a value in the low end of a word, as the kernels that only move data take it.
template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// Writes the low `element_size` (1, 2, 4 or 8) bytes of `bits` to each of the `n` elements.
void fill(const Work& work, std::size_t element_size, std::uint64_t bits, void* to, std::size_t n);

inline void fill(const Work& work, DType type, std::uint64_t bits, void* to, std::size_t n) {
  fill(work, size_of(type), bits, to, n);
}

}  // namespace atl::array
