// SPDX-License-Identifier: Apache-2.0
// Values as 8-byte words, and back.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace atl::table {

/// Floats as the double of the same value, signed integers as int64, unsigned ones and bool as uint64.
template <class T>
constexpr std::uint64_t to_word(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  else if constexpr (std::is_signed_v<T>) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  else return static_cast<std::uint64_t>(value);
}

/// Inverse for values that came from a T.
template <class T>
constexpr T from_word(std::uint64_t word) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(std::bit_cast<double>(word));
  else return static_cast<T>(word);
}

}  // namespace atl::table
