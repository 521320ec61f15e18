// SPDX-License-Identifier: Apache-2.0
// Private to reductions and scans: how two values become one. Scalar forms with the rules that the vector loops follow.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "atoll/array/kernel/program.hpp"
#include "kernel/reduce/scaled.hpp"

namespace atl::array {

/// The unsigned integer of T's size.
template <class T>
using Unsigned =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The type in which sums and products of integers wrap without undefined behaviour: of the same size, unsigned.
template <class T>
using Wrap = std::conditional_t<std::is_floating_point_v<T>, T, Unsigned<T>>;

template <class T>
struct Sum {
  static constexpr T identity = std::is_floating_point_v<T> ? T(-0.0) : T(0);  // x + -0.0 is x, also for x = -0.0
  static T call(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) return x + y;
    else return static_cast<T>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
  }
  static Scaled<T> call(const Scaled<T>& x, const Scaled<T>& y)
    requires std::is_floating_point_v<T>
  {
    return x + y;
  }
  /// False where a result may have been rounded to infinity.
  static bool in_range(T result) { return std::fabs(result) <= std::numeric_limits<T>::max(); }
};
template <class T>
struct Product {
  static constexpr T identity = T(1);
  static T call(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) return x * y;
    else return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  }
  static Scaled<T> call(const Scaled<T>& x, const Scaled<T>& y)
    requires std::is_floating_point_v<T>
  {
    return x * y;
  }
  /// False where a result may have been rounded to infinity, or lost bits below the least normal number.
  static bool in_range(T result) {
    return std::fabs(result) <= std::numeric_limits<T>::max() && std::fabs(result) >= std::numeric_limits<T>::min();
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

/// A node of a float sum or product, and back.
template <class T>
Scaled<T> load(const TreeNode& node) {
  return Scaled<T>::of(from_bits<T>(node.bits), static_cast<std::int64_t>(node.position));
}
template <class T>
void store(TreeNode& node, const Scaled<T>& value) {
  const Scaled<T> settled = value.settled();
  node.bits = to_bits(settled.mantissa);
  node.position = static_cast<std::uint64_t>(settled.exponent);
}

/// left = left ⊕ right with exponents apart. Not inline: what calls it stays short.
template <class T, class Add>
[[gnu::noinline]] void combine_scaled(TreeNode& left, const TreeNode& right) {
  store(left, Add::call(load<T>(left), load<T>(right)));
}

/// left = left ⊕ right: their values, not their places in the tree.
template <class T, class Add>
void combine_values(TreeNode& left, const TreeNode& right) {
  if (right.empty) return;
  if (left.empty) {
    left.bits = right.bits;
    left.position = right.position;
    left.empty = 0;
    return;
  }
  const T result = Add::call(from_bits<T>(left.bits), from_bits<T>(right.bits));
  if constexpr (std::is_floating_point_v<T> && requires { Add::in_range(result); }) {
    if ((left.position | right.position) != 0 || !Add::in_range(result)) [[unlikely]]
      return combine_scaled<T, Add>(left, right);
  }
  left.bits = to_bits(result);
}

/// Whether (x at place p) is the better extreme than (y at place q): NaN first, then value, then the lower place.
template <class T, bool minimum>
bool precedes(T x, std::uint64_t p, T y, std::uint64_t q) {
  const bool x_nan = x != x, y_nan = y != y;
  if (x_nan || y_nan) return x_nan && (!y_nan || p < q);
  if (x == y) return p < q;
  return minimum ? x < y : x > y;
}

}  // namespace atl::array
