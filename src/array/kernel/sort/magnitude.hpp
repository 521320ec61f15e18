// SPDX-License-Identifier: Apache-2.0
// Keys as short floating-point numbers: which entry of a plan's table a key falls into.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace atl::array::magnitude {

inline constexpr unsigned mantissa_bits = 4;
inline constexpr std::uint64_t zero_code = 1022u << mantissa_bits;  // below the exponent of 1
inline constexpr std::size_t entries = 65u << mantissa_bits;        // of 8 bytes: 8 KiB stay in L1

/// Monotone. By way of a double, for want of a vector instruction that counts leading zeros below AVX-512CD; the low
/// bits of long keys are cleared, so that none is rounded up. Keys below 16 have an entry each.
inline std::uint64_t entry_of(std::uint64_t key) {
  std::uint64_t exact = key & ~((key >> 53) != 0 ? std::uint64_t{0x7FF} : std::uint64_t{0});
  std::uint64_t code = std::bit_cast<std::uint64_t>(static_cast<double>(exact)) >> (52 - mantissa_bits);
  return code < zero_code ? 0 : code - zero_code;
}

/// First key and width of the entry of keys in [2^exponent, 2^(exponent + 1)), exponent ≥ 4, mantissa < 16.
inline unsigned bits_of(unsigned exponent) { return exponent - mantissa_bits; }
inline std::uint64_t begin_of(unsigned exponent, unsigned mantissa) {
  return std::uint64_t{(1u << mantissa_bits) + mantissa} << bits_of(exponent);
}

}  // namespace atl::array::magnitude
