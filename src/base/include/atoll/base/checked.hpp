// SPDX-License-Identifier: Apache-2.0
// Checked sums and products of sizes. Sizes come from data and from users, so any of them may be too large: a number of
// elements or bytes that overflows the type exceeds memory, too.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>

namespace atl {

namespace detail {
[[noreturn]] void size_overflows();
}

/// a + b. Throws MemoryError when it does not fit the type.
template <std::integral T>
constexpr T checked_add(T a, std::type_identity_t<T> b) {
  T sum{};
  if (__builtin_add_overflow(a, b, &sum)) [[unlikely]]
    detail::size_overflows();
  return sum;
}

/// a * b. Throws MemoryError when it does not fit the type.
template <std::integral T>
constexpr T checked_multiply(T a, std::type_identity_t<T> b) {
  T product{};
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]]
    detail::size_overflows();
  return product;
}

/// The sum of a range of sizes. Throws MemoryError when it does not fit their type.
template <class Iterator>
constexpr std::iter_value_t<Iterator> checked_sum(Iterator begin, Iterator end) {
  std::iter_value_t<Iterator> sum{};
  for (; begin != end; ++begin) sum = checked_add(sum, *begin);
  return sum;
}
template <class Range>
constexpr auto checked_sum(const Range& range) {
  return checked_sum(std::begin(range), std::end(range));
}

}  // namespace atl
