// SPDX-License-Identifier: Apache-2.0
// Queues of events, pools of numbered objects, and the arithmetic of atomics.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <type_traits>

#include "atoll/portal/portal.hpp"
#include "state.hpp"

namespace atl::runtime {
namespace {

TEST(PortalQueue, DropsAndReportsTheOldest) {
  EventQueue queue(4);
  Event event;
  EXPECT_EQ(queue.take(event), EventQueue::Taken::nothing);
  const std::uint64_t room = 4 + EventQueue::reserve;
  for (std::uint64_t i = 0; i < room + 3; ++i) {
    EXPECT_EQ(queue.has_room(), i < 4);
    event.header = i;
    queue.push(event);
  }
  EXPECT_EQ(queue.take(event), EventQueue::Taken::event_after_loss);
  EXPECT_EQ(event.header, 3u);
  EXPECT_EQ(queue.take(event), EventQueue::Taken::event);
  EXPECT_EQ(event.header, 4u);
}

TEST(PortalPool, NumbersThatWereGivenBackAreNoticed) {
  Pool<int> pool(3);
  std::uint32_t a = pool.take(), b = pool.take(), c = pool.take();
  EXPECT_EQ(pool.take(), Pool<int>::nothing);
  pool[b] = 7;
  EXPECT_EQ(*pool.find(b), 7);
  pool.give_back(b);
  EXPECT_EQ(pool.find(b), nullptr);
  std::uint32_t again = pool.take();
  EXPECT_NE(again, b);
  EXPECT_EQ(pool.find(b), nullptr);
  EXPECT_NE(pool.find(again), nullptr);
  EXPECT_EQ(pool.find(12345), nullptr);
  EXPECT_EQ(pool.used(), 3u);
  (void)a, (void)c;
}

// Every operation on every type it is defined on, beside plain C++.
template <class T>
void compare_with_plain(Scalar type) {
  ASSERT_EQ(bytes_of(type), sizeof(T));
  T before[3] = {T(6), T(0), T(3)}, with[3] = {T(3), T(5), T(3)};
  auto check = [&](Arithmetic operation, auto plain) {
    ASSERT_TRUE(is_defined(operation, type));
    T target[3];
    std::copy(before, before + 3, target);
    portal::apply(operation, type, reinterpret_cast<std::byte*>(target), reinterpret_cast<const std::byte*>(with),
                  sizeof(target));
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(target[i], T(plain(before[i], with[i])))
          << static_cast<int>(operation) << " type " << static_cast<int>(type);
  };
  check(Arithmetic::sum, [](T a, T b) { return a + b; });
  check(Arithmetic::product, [](T a, T b) { return a * b; });
  if constexpr (requires(T a) { a < a; }) {
    check(Arithmetic::min, [](T a, T b) { return b < a ? b : a; });
    check(Arithmetic::max, [](T a, T b) { return a < b ? b : a; });
  } else {
    EXPECT_FALSE(is_defined(Arithmetic::min, type));
    EXPECT_FALSE(is_defined(Arithmetic::swap_less, type));
  }
  if constexpr (std::is_integral_v<T>) {
    check(Arithmetic::logical_or, [](T a, T b) { return a || b; });
    check(Arithmetic::logical_and, [](T a, T b) { return a && b; });
    check(Arithmetic::logical_xor, [](T a, T b) { return !a != !b; });
    check(Arithmetic::bit_or, [](T a, T b) { return a | b; });
    check(Arithmetic::bit_and, [](T a, T b) { return a & b; });
    check(Arithmetic::bit_xor, [](T a, T b) { return a ^ b; });
  } else {
    EXPECT_FALSE(is_defined(Arithmetic::bit_or, type));
    EXPECT_FALSE(is_defined(Arithmetic::masked_swap, type));
  }
  auto swaps = [&](Arithmetic operation, T operand) {
    T target = T(6), source = T(3);
    portal::apply_swap(operation, type, reinterpret_cast<std::byte*>(&target),
                       reinterpret_cast<const std::byte*>(&source), reinterpret_cast<const std::byte*>(&operand),
                       sizeof(T));
    return target;
  };
  EXPECT_EQ(swaps(Arithmetic::swap, T(0)), T(3));
  EXPECT_EQ(swaps(Arithmetic::compare_swap, T(6)), T(3));
  EXPECT_EQ(swaps(Arithmetic::compare_swap, T(5)), T(6));
  EXPECT_EQ(swaps(Arithmetic::swap_unequal, T(6)), T(6));
  EXPECT_EQ(swaps(Arithmetic::swap_unequal, T(5)), T(3));
  if constexpr (requires(T a) { a < a; }) {
    // The operand, compared with the target.
    EXPECT_EQ(swaps(Arithmetic::swap_less, T(5)), T(3));
    EXPECT_EQ(swaps(Arithmetic::swap_less, T(6)), T(6));
    EXPECT_EQ(swaps(Arithmetic::swap_less_equal, T(6)), T(3));
    EXPECT_EQ(swaps(Arithmetic::swap_less_equal, T(7)), T(6));
    EXPECT_EQ(swaps(Arithmetic::swap_greater, T(7)), T(3));
    EXPECT_EQ(swaps(Arithmetic::swap_greater, T(6)), T(6));
    EXPECT_EQ(swaps(Arithmetic::swap_greater_equal, T(6)), T(3));
    EXPECT_EQ(swaps(Arithmetic::swap_greater_equal, T(5)), T(6));
  }
  if constexpr (std::is_integral_v<T>) { EXPECT_EQ(swaps(Arithmetic::masked_swap, T(5)), T((3 & 5) | (6 & ~5))); }
}

TEST(PortalArithmetic, IsThatOfTheLanguage) {
  compare_with_plain<std::int8_t>(Scalar::int8);
  compare_with_plain<std::uint8_t>(Scalar::uint8);
  compare_with_plain<std::int16_t>(Scalar::int16);
  compare_with_plain<std::uint16_t>(Scalar::uint16);
  compare_with_plain<std::int32_t>(Scalar::int32);
  compare_with_plain<std::uint32_t>(Scalar::uint32);
  compare_with_plain<std::int64_t>(Scalar::int64);
  compare_with_plain<std::uint64_t>(Scalar::uint64);
  compare_with_plain<float>(Scalar::float32);
  compare_with_plain<double>(Scalar::float64);
  compare_with_plain<long double>(Scalar::long_double);
  compare_with_plain<std::complex<float>>(Scalar::complex64);
  compare_with_plain<std::complex<double>>(Scalar::complex128);
  compare_with_plain<std::complex<long double>>(Scalar::complex_long_double);
}

}  // namespace
}  // namespace atl::runtime
