// SPDX-License-Identifier: Apache-2.0
// Numbers as they stand in files: the usual forms at once, all others by the C++ library. Both are exact.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace atl::table {

/// 8 digits in ASCII, the first in the lowest byte; at least 8 bytes may be read.
inline std::uint64_t load8(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

inline bool are_digits(std::uint64_t word) {
  return (((word + 0x4646464646464646) | (word - 0x3030303030303030)) & 0x8080808080808080) == 0;
}

inline std::uint64_t value_of_digits(std::uint64_t word) {
  word = ((word & 0x0f0f0f0f0f0f0f0f) * 2561) >> 8;
  word = ((word & 0x00ff00ff00ff00ff) * 6553601) >> 16;
  return ((word & 0x0000ffff0000ffff) * 42949672960001) >> 32;
}

/// The number that `count` bytes are, 0 to 19 of them; false when one is no digit. 8 bytes from each may be read.
inline bool read_digits(const char* at, std::size_t count, std::uint64_t& value) {
  std::uint64_t sum = 0;
  if (const std::size_t first = count & 7; first != 0) {  // as many zeros in front as are missing
    const std::uint64_t word = (load8(at) << (64 - 8 * first)) | (0x3030303030303030 >> (8 * first));
    if (!are_digits(word)) return false;
    sum = value_of_digits(word);
    at += first;
  }
  for (std::size_t left = count >> 3; left > 0; --left, at += 8) {
    const std::uint64_t word = load8(at);
    if (!are_digits(word)) return false;
    sum = sum * 100000000 + value_of_digits(word);
  }
  value = sum;
  return true;
}

/// A whole number of at most 18 digits, or 19 that fit. False: it has to be looked at more closely.
inline bool read_int_fast(const char* begin, const char* end, std::int64_t& value) {
  const bool negative = begin < end && *begin == '-';
  begin += negative;
  const auto count = static_cast<std::size_t>(end - begin);
  std::uint64_t magnitude;
  if (count - 1 >= 19 || !read_digits(begin, count, magnitude) || magnitude > static_cast<std::uint64_t>(INT64_MAX))
    return false;
  value = negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  return true;
}

/// A power of 5 with its highest bit set, 2^127 divided by it (without what is behind the point, and at most 2^64 - 1),
/// and by how many bits it was moved.
struct DecimalDivisor {
  std::uint64_t power, inverse;
  int up;
};

inline constexpr std::array<DecimalDivisor, 28> decimal_divisors = [] {  // 5^27 is the last one in 64 bits
  std::array<DecimalDivisor, 28> found{};
  std::uint64_t power = 1;
  for (DecimalDivisor& one : found) {
    const int up = std::countl_zero(power);
    const std::uint64_t high = power << up;
    const unsigned __int128 inverse = (static_cast<unsigned __int128>(1) << 127) / high;
    one = {high, (inverse >> 64) != 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(inverse), up};
    power *= 5;
  }
  return found;
}();

/// The double nearest to `digits` / 10^`places`, of two that are as near the even one. `places` is at most 27, `digits`
/// not 0.
inline double decimal_fraction(std::uint64_t digits, unsigned places) {
  // digits / 10^places = a / power * 2^(up - up_a - places), where a and power have their highest bits set: 63 or 64
  // bits of a / power, and whether that is all of it, say how to round. They are found by multiplication, at most 2 too
  // few of the lowest; where that much decides, by division. Nothing else branches: either way is taken by half of all
  // numbers.
  const auto& [power, inverse, up] = decimal_divisors[places];
  const int up_a = std::countl_zero(digits);
  const std::uint64_t a = digits << up_a;
  auto quotient = static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * inverse) >> 64);
  unsigned short_by = static_cast<unsigned>(~quotient >> 63);
  quotient <<= short_by;
  std::uint64_t rest = quotient & 0x7ff;
  if (rest - 0x3f8 <= 8) [[unlikely]] {
    const auto numerator = static_cast<unsigned __int128>(a) << 63;
    quotient = static_cast<std::uint64_t>(numerator / power);
    const bool exact = static_cast<unsigned __int128>(quotient) * power == numerator;
    short_by = static_cast<unsigned>(~quotient >> 63);
    quotient <<= short_by;
    rest = (quotient & 0x7ff) | (exact ? 0 : 1);
  }
  // 53 bits of the 64 stay. One more is added where what goes is more than half, or is half and the number odd.
  std::uint64_t kept = quotient >> 11;
  kept += static_cast<std::uint64_t>(rest + (kept & 1) > 0x400);
  // The highest bit is the exponent's lowest, and so a carry goes where it belongs.
  const int exponent = up - up_a - static_cast<int>(places) - 63 - static_cast<int>(short_by) + 11;
  return std::bit_cast<double>((static_cast<std::uint64_t>(exponent + 1074) << 52) + kept);
}

/// Digits with at most one point among the first 8 bytes, at most 19 of them. False: it has to be looked at more
/// closely.
inline bool read_float_fast(const char* begin, const char* end, double& value) {
  const bool negative = begin < end && *begin == '-';
  begin += negative;
  const auto count = static_cast<std::size_t>(end - begin);
  if (count - 1 >= 20) return false;
  const std::uint64_t points = load8(begin) ^ 0x2e2e2e2e2e2e2e2e;
  const std::uint64_t found = (points - 0x0101010101010101) & ~points & 0x8080808080808080;
  const std::size_t whole = found == 0 ? 8 : static_cast<std::size_t>(std::countr_zero(found)) / 8;
  std::uint64_t digits, fraction;
  double magnitude;
  if (whole >= count || found == 0) {
    if (count > 19 || !read_digits(begin, count, digits)) return false;
    magnitude = static_cast<double>(digits);
  } else {
    const std::size_t places = count - whole - 1;
    if (count == 1 || places + (*begin == '0' && whole == 1 ? 0 : whole) > 19 || !read_digits(begin, whole, digits) ||
        !read_digits(begin + whole + 1, places, fraction))
      return false;
    static constexpr std::uint64_t powers[] = {1,
                                               10,
                                               100,
                                               1000,
                                               10000,
                                               100000,
                                               1000000,
                                               10000000,
                                               100000000,
                                               1000000000,
                                               10000000000,
                                               100000000000,
                                               1000000000000,
                                               10000000000000,
                                               100000000000000,
                                               1000000000000000,
                                               10000000000000000,
                                               100000000000000000,
                                               1000000000000000000};
    digits = places == 19 ? fraction : digits * powers[places] + fraction;
    magnitude = digits == 0 ? 0.0 : decimal_fraction(digits, static_cast<unsigned>(places));
  }
  value = negative ? -magnitude : magnitude;
  return true;
}

/// The same of any string, as Arrow and pandas read numbers: space around it and a sign before it are passed over.
/// Nothing where it is none.
std::optional<std::int64_t> read_int(std::string_view text);
std::optional<double> read_float(std::string_view text);

}  // namespace atl::table
