// SPDX-License-Identifier: Apache-2.0
// Private to reductions and scans: how two values become one. Scalar forms with the rules that the vector loops follow.
#pragma once

#include <cstdint>
#include <type_traits>

namespace atl::array {

/// The unsigned integer of T's size.
template <class T>
using Unsigned = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The type in which sums and products of integers wrap without undefined behaviour: of the same size, unsigned.
template <class T>
using Wrap = std::conditional_t<std::is_floating_point_v<T>, T, Unsigned<T>>;

template <class T>
struct Sum {
  static T call(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) return x + y;
    else return static_cast<T>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
  }
};
template <class T>
struct Product {
  static T call(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) return x * y;
    else return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  }
};
/// NaN wins; of two equal ones the first.
template <class T>
struct Min {
  static T call(T x, T y) { return x <= y || x != x ? x : y; }
};
template <class T>
struct Max {
  static T call(T x, T y) { return x >= y || x != x ? x : y; }
};

/// Whether (x at place p) is the better extreme than (y at place q): NaN first, then value, then the lower place.
template <class T, bool minimum>
bool precedes(T x, std::uint64_t p, T y, std::uint64_t q) {
  const bool x_nan = x != x, y_nan = y != y;
  if (x_nan || y_nan) return x_nan && (!y_nan || p < q);
  if (x == y) return p < q;
  return minimum ? x < y : x > y;
}

}  // namespace atl::array
