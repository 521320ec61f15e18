// SPDX-License-Identifier: Apache-2.0
// Values as unsigned keys. Private to the look-up kernels.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace atl::array {

template <class T>
using KeyOf = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

/// Equal values give equal keys (-0.0 becomes 0.0); integers keep their order.
template <class T>
inline __attribute__((always_inline)) KeyOf<T> key_of(T value) {
  using K = KeyOf<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<K>(value + T(0));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<K>(static_cast<K>(value) ^ (K{1} << (8 * sizeof(K) - 1)));
  } else {
    return static_cast<K>(value);
  }
}

template <class T>
bool is_nan(T value) {
  return value != value;
}

}  // namespace atl::array
