// SPDX-License-Identifier: Apache-2.0
// Keys as short floating-point numbers: which entry of a plan's table a key falls into.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace atl::array::magnitude {

inline constexpr unsigned mantissa_bits = 4;  // 976 entries of 8 bytes: stays in L1 beside the write buffers
inline constexpr std::size_t entries = (64 - mantissa_bits + 1) << mantissa_bits;

/// Monotone; keys below 32 have an entry each.
inline std::size_t entry_of(std::uint64_t key) {
  unsigned bits = 63 - mantissa_bits - static_cast<unsigned>(std::countl_zero(key | (1u << mantissa_bits)));
  return (std::size_t{bits} << mantissa_bits) + static_cast<std::size_t>(key >> bits);
}

/// An entry is the range [begin_of, begin_of + 2^bits_of).
inline unsigned bits_of(std::size_t entry) {
  return entry < (2u << mantissa_bits) ? 0 : static_cast<unsigned>(entry >> mantissa_bits) - 1;
}
inline std::uint64_t begin_of(std::size_t entry) {
  unsigned bits = bits_of(entry);
  return static_cast<std::uint64_t>(entry - (std::size_t{bits} << mantissa_bits)) << bits;
}

}  // namespace atl::array::magnitude
