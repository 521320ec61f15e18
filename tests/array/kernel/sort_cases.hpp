// SPDX-License-Identifier: Apache-2.0
// Inputs that sorts and groupings are tested with: every distribution that has a way of its own through them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "atoll/array/dtype.hpp"
#include "atoll/base/random.hpp"

namespace atl::array::cases {

enum class Shape {
  uniform,
  narrow,
  constant,
  few,
  zipf,
  sorted,
  reversed,
  organ_pipe,
  outlier,
  outlier_below,
  shared_top,
  two_clusters,
  heavy_middle,
  geometric,
  specials
};
inline constexpr Shape all_shapes[] = {
    Shape::uniform,    Shape::narrow,       Shape::constant,     Shape::few,       Shape::zipf,
    Shape::sorted,     Shape::reversed,     Shape::organ_pipe,   Shape::outlier,   Shape::outlier_below,
    Shape::shared_top, Shape::two_clusters, Shape::heavy_middle, Shape::geometric, Shape::specials};
inline constexpr const char* shape_names[] = {
    "uniform", "narrow",        "constant",   "few",          "zipf",         "sorted",    "reversed", "organ_pipe",
    "outlier", "outlier_below", "shared_top", "two_clusters", "heavy_middle", "geometric", "specials"};

/// 64 bits that the element types are cut from.
inline std::uint64_t bits_of(Shape shape, std::size_t i, std::size_t n, SequentialRandom& random) {
  std::uint64_t r = random();
  switch (shape) {
    case Shape::uniform: return r;
    case Shape::narrow: return r >> 40;
    case Shape::constant: return 42;
    case Shape::few: return r % 7 * 0x0123456789ABCDEFull;
    case Shape::zipf: return static_cast<std::uint64_t>(std::min(1e18, std::pow(to_unit_interval(r) + 1e-18, -1.0)));
    case Shape::sorted: return i;
    case Shape::reversed: return n - i;
    case Shape::organ_pipe: return std::min(i, n - i);
    case Shape::outlier: return i == n / 2 ? std::uint64_t{1} << 63 : r >> 50;
    case Shape::outlier_below: return i == n / 2 ? 0 : (std::uint64_t{3} << 61) + (r >> 45);
    case Shape::shared_top: return 0xABCDEF0123000000ull | (r >> 40);
    case Shape::two_clusters: return (r & 1) * 0xF000000000000000ull + (r >> 44);
    case Shape::heavy_middle: return r % 3 != 0 ? 0x7777777777777777ull : random();
    case Shape::geometric: return random() >> (r % 64);
    case Shape::specials: return r;
  }
  return 0;
}

template <class T>
std::vector<T> make(Shape shape, std::size_t n, std::uint64_t seed) {
  SequentialRandom random(seed);
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = bits_of(shape, i, n, random);
    if constexpr (std::is_same_v<T, bool>) {
      values[i] = bits & 1;
    } else if constexpr (std::is_floating_point_v<T>) {
      constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
      const T special[] = {nan,
                           -nan,
                           infinity,
                           -infinity,
                           T{0},
                           -T{0},
                           T{1},
                           T{-1},
                           std::numeric_limits<T>::denorm_min(),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::lowest()};
      if (shape == Shape::specials) values[i] = special[bits % 11];
      else if (shape == Shape::uniform) values[i] = static_cast<T>(to_unit_interval(bits) - 0.25);
      else values[i] = static_cast<T>(static_cast<std::int64_t>(bits)) * T{0.5};
    } else {
      values[i] = static_cast<T>(bits);
      if (shape == Shape::specials)
        values[i] = bits % 2 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    }
  }
  return values;
}

/// NumPy's order: NaN last, zeros equal.
template <class T>
bool before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a < b || (b != b && a == a);
  else return a < b;
}

}  // namespace atl::array::cases
