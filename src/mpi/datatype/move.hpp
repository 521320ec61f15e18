// SPDX-License-Identifier: Apache-2.0
// The innermost copy loops: equal blocks at a fixed stride to or from contiguous memory, or between two strides.
#pragma once

#include <cstddef>
#include <cstring>

#include "datatype/node.hpp"

namespace atl::mpi::datatype {

/// Copies blocks of a compile-time size with one load and store each: to[i * to_stride] = from[i * from_stride].
template <std::size_t bytes>
inline void move_fixed(std::byte* to, Count to_stride, const std::byte* from, Count from_stride, Count count) {
  Count i = 0;
  for (; i + 4 <= count; i += 4, to += 4 * to_stride, from += 4 * from_stride) {
    std::byte block[4][bytes];
    for (int k = 0; k < 4; ++k) std::memcpy(block[k], from + k * from_stride, bytes);
    for (int k = 0; k < 4; ++k) std::memcpy(to + k * to_stride, block[k], bytes);
  }
  for (; i < count; ++i, to += to_stride, from += from_stride) std::memcpy(to, from, bytes);
}

inline void move_rows(std::byte* to, Count to_stride, const std::byte* from, Count from_stride, Count count,
                      Count bytes) {
  switch (bytes) {
    case 1: return move_fixed<1>(to, to_stride, from, from_stride, count);
    case 2: return move_fixed<2>(to, to_stride, from, from_stride, count);
    case 4: return move_fixed<4>(to, to_stride, from, from_stride, count);
    case 8: return move_fixed<8>(to, to_stride, from, from_stride, count);
    case 12: return move_fixed<12>(to, to_stride, from, from_stride, count);
    case 16: return move_fixed<16>(to, to_stride, from, from_stride, count);
    case 24: return move_fixed<24>(to, to_stride, from, from_stride, count);
    case 32: return move_fixed<32>(to, to_stride, from, from_stride, count);
    case 48: return move_fixed<48>(to, to_stride, from, from_stride, count);
    case 64: return move_fixed<64>(to, to_stride, from, from_stride, count);
    default:
      for (Count i = 0; i < count; ++i, to += to_stride, from += from_stride)
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

}  // namespace atl::mpi::datatype
