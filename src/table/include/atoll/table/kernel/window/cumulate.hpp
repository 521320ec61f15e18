// SPDX-License-Identifier: Apache-2.0
// States of running sums, products and extremes in a column's own type.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace atl::table {

enum class Cumulation : std::uint8_t { sum, prod, min, max };

/// Integers wrap. A NaN makes every extreme after it NaN.
template <class T, Cumulation kind>
struct CumulationState {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;
  static constexpr T start() {
    if constexpr (kind == Cumulation::sum) return T{0};
    else if constexpr (kind == Cumulation::prod) return T{1};
    else if constexpr (std::is_floating_point_v<T>)
      return kind == Cumulation::min ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    else return kind == Cumulation::min ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  }
  T value = start();

  void add(T x) {
    if constexpr (kind == Cumulation::sum) value = static_cast<T>(static_cast<Wide>(value) + static_cast<Wide>(x));
    else if constexpr (kind == Cumulation::prod)
      value = static_cast<T>(static_cast<Wide>(value) * static_cast<Wide>(x));
    else if constexpr (kind == Cumulation::min) value = x < value || x != x ? x : value;
    else value = x > value || x != x ? x : value;
  }
  void join(const CumulationState& right) { add(right.value); }
};

}  // namespace atl::table
