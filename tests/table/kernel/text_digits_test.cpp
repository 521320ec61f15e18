// SPDX-License-Identifier: Apache-2.0
// Numbers as digits, beside the C++ library's.
#include "atoll/table/kernel/text/digits.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "atoll/table/kernel/text/numbers.hpp"

namespace atl::table {
namespace {

/// The fewest digits that read back, in Python's form.
template <class T>
std::string wanted(T value) {
  const double size = std::fabs(static_cast<double>(value));
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  char text[64];
  std::string found(text, std::to_chars(text, text + sizeof text, value,
                                        plain ? std::chars_format::fixed : std::chars_format::scientific)
                              .ptr);
  if (plain && found.find('.') == std::string::npos) found += ".0";
  return found;
}

template <class T>
void check(T value) {
  char text[32];
  const std::string found(text, write_float(text, value));
  ASSERT_EQ(found, wanted(value)) << std::hexfloat << value;
}

/// A number and what lies around it.
template <class T>
void check_around(T value) {
  constexpr T most = std::numeric_limits<T>::max();
  for (T one : {std::nextafter(value, -most), value, std::nextafter(value, most)}) {
    if (!std::isfinite(one)) continue;
    check(one);
    check(-one);
  }
}

template <class T>
class Digits : public testing::Test {};
using Floats = testing::Types<double, float>;
TYPED_TEST_SUITE(Digits, Floats);

TYPED_TEST(Digits, OfPowersAndWhatLiesAroundThem) {
  using T = TypeParam;
  for (int exponent = -80; exponent < 80; ++exponent) check_around(static_cast<T>(std::ldexp(1.0, exponent)));
  for (int exponent = -6; exponent < 18; ++exponent)
    for (int first = 1; first < 10; ++first) check_around(static_cast<T>(first * std::pow(10.0, exponent)));
  check(T{0});
  check(-T{0});
}

TYPED_TEST(Digits, OfFewDecimals) {
  using T = TypeParam;
  for (int places = 0; places < 9; ++places)
    for (int i = 0; i < 3000; ++i) check_around(static_cast<T>(i * 7 / std::pow(10.0, places)));
}

TYPED_TEST(Digits, OfAnyBits) {
  using T = TypeParam;
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr int bits = std::numeric_limits<T>::digits, bias = std::numeric_limits<T>::max_exponent - 1;
  std::mt19937_64 random(7);
  for (int i = 0; i < 300'000; ++i) {
    const auto any = static_cast<Word>(random());
    if (const T value = std::bit_cast<T>(any); std::isfinite(value)) check(value);
    // Those that are written without an exponent.
    const Word exponent = static_cast<Word>(bias - 14 + static_cast<int>(random() % 68)) << (bits - 1);
    check(std::bit_cast<T>(static_cast<Word>((any & ((Word{1} << (bits - 1)) - 1)) | exponent)));
    // Halves of the last digit: ties.
    check(static_cast<T>(
        std::ldexp(static_cast<double>(any >> (sizeof(T) == 8 ? 11 : 8)), -static_cast<int>(random() % 60))));
  }
}

TEST(WholeNumbers, AsTheLibraryWritesThem) {
  std::mt19937_64 random(8);
  auto check_whole = [](auto value) {
    char text[40], library[40];
    const std::string found(text, write_whole(text, value));
    ASSERT_EQ(found, std::string(library, std::to_chars(library, library + sizeof library, value).ptr));
  };
  std::uint64_t power = 1;
  for (int i = 0; i < 20; ++i, power *= 10) {
    for (std::uint64_t one : {power - 1, power, power + 1}) {
      check_whole(one);
      check_whole(static_cast<std::int64_t>(one));
      check_whole(-static_cast<std::int64_t>(one));
    }
  }
  check_whole(std::numeric_limits<std::uint64_t>::max());
  check_whole(std::numeric_limits<std::int64_t>::min());
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t one = random() >> (random() % 64);
    check_whole(one);
    check_whole(static_cast<std::int64_t>(one));
  }
}

}  // namespace
}  // namespace atl::table
