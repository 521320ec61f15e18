// SPDX-License-Identifier: Apache-2.0
// Numbers as digits, eight at a time, and the fewest digits that read back to the same bits.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace atl::table {

/// The 8 digits of a number below 10^8, 0 to 9 each, the first in the lowest byte.
inline std::uint64_t spread_digits(std::uint64_t value) {
  std::uint64_t left = value * 3518437209 >> 45;  // without what 10^4 leaves
  std::uint64_t word = left | (value - left * 10000) << 32;
  left = (word * 10486 >> 20) & 0x0000007f0000007f;
  word = left | (word - left * 100) << 16;
  left = (word * 103 >> 10) & 0x000f000f000f000f;
  return left | (word - left * 10) << 8;
}

inline constexpr std::uint64_t eight_zeros = 0x3030303030303030;
inline constexpr std::uint64_t ten_to_8 = 100'000'000;

inline void store8(char* to, std::uint64_t word) {
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  std::memcpy(to, &word, 8);
}

/// Writes a whole number: returns behind its last digit. 24 bytes may be written.
inline char* write_whole(char* to, std::uint64_t value) {
  constexpr std::uint64_t ten_to_16 = ten_to_8 * ten_to_8;
  // Zeros in front go; of 0 the last one stays.
  const auto first_word = [](char* at, std::uint64_t digits) {
    const int zeros = std::countr_zero(digits | std::uint64_t{1} << 56) / 8;
    store8(at, (digits | eight_zeros) >> 8 * zeros);
    return at + 8 - zeros;
  };
  if (value < ten_to_8) return first_word(to, spread_digits(value));
  if (value < ten_to_16) {
    const std::uint64_t high = value / ten_to_8;
    to = first_word(to, spread_digits(high));
    store8(to, spread_digits(value - high * ten_to_8) | eight_zeros);
    return to + 8;
  }
  to = first_word(to, spread_digits(value / ten_to_16));
  value %= ten_to_16;
  store8(to, spread_digits(value / ten_to_8) | eight_zeros);
  store8(to + 8, spread_digits(value % ten_to_8) | eight_zeros);
  return to + 16;
}

inline char* write_whole(char* to, std::int64_t value) {
  *to = '-';
  const auto bits = static_cast<std::uint64_t>(value);
  return write_whole(to + (value < 0), value < 0 ? 0 - bits : bits);
}

inline constexpr std::array<std::uint64_t, 21> powers_of_five = [] {
  std::array<std::uint64_t, 21> found{};
  std::uint64_t power = 1;
  for (std::uint64_t& one : found) one = power, power *= 5;
  return found;
}();

/// Writes c * 2^q, which is no whole number, at least 10^-4 and below 2^53, with the fewest digits of the numbers that
/// are nearer to it than to its neighbours (c - 1) * 2^q and (c + 1) * 2^q, and of these the nearest. `more`: 0 where c
/// has 53 bits, 8 where it has 24, so that there are as many digits as of doubles. Returns behind the last digit. 32
/// bytes may be written.
inline char* write_fraction(char* to, std::uint64_t c, int q, unsigned more) {
  // With so many places that a step of c is 1 to 10 of the last one, c * 2^q * 10^places = c * 5^places / 2^r: exact in
  // 128 bits.
  auto places = static_cast<unsigned>((-q * 315653 + 0xfffff) >> 20);
  const unsigned r = static_cast<unsigned>(-q) - places;
  if (r > 63) __builtin_unreachable();
  const std::uint64_t step = powers_of_five[places];
  const auto scaled = static_cast<unsigned __int128>(c) * step;
  const auto low = static_cast<std::uint64_t>(scaled), high = static_cast<std::uint64_t>(scaled >> 64);
  const std::uint64_t whole = high << 1 << (63 - r) | low >> r, rest = low & ((std::uint64_t{1} << r) - 1);
  // A multiple of ten within half a step is shorter, and there is no more than one. Else the nearest whole number; of
  // two that are as near, the even one. Both ways are taken often, so there is no branch.
  const std::uint64_t tens = whole / 10;
  const std::uint64_t above = ((whole - tens * 10) << r | rest) << 1, below = (std::uint64_t{20} << r) - above;
  const std::uint64_t edge = step + (~c & 1);
  const bool is_above = above < edge, is_below = below < edge;
  const std::uint64_t nearest = whole + static_cast<std::uint64_t>((rest << 1) + (whole & 1) > std::uint64_t{1} << r);
  const std::uint64_t shorter = (tens + is_below) * 10;
  std::uint64_t digits = nearest ^ ((nearest ^ shorter) & (0 - static_cast<std::uint64_t>(is_above | is_below)));
  if (more != 0) digits *= ten_to_8, places += more;
  // 16 digits, and one in front of them or a 0; the point lies before the last `places`.
  const std::uint64_t front = digits / ten_to_8, first = static_cast<std::uint32_t>(front) / 100'000'000U;
  const std::uint64_t one = spread_digits(front - first * ten_to_8), two = spread_digits(digits - front * ten_to_8);
  const int used = two != 0 ? 16 - std::countl_zero(two) / 8 : 8 - std::countl_zero(one) / 8;
  const std::uint64_t a = one | eight_zeros, b = two | eight_zeros;
  const int point = 16 - static_cast<int>(places);
  const char digit = static_cast<char>('0' + first);
  if (point <= 0) {
    store8(to, eight_zeros - (std::uint64_t{'0' - '.'} << 8));
    to[(1 - point) & -static_cast<int>(point != 0)] = digit;
    store8(to + 2 - point, a);
    store8(to + 10 - point, b);
    return to + 2 - point + used;
  }
  *to = digit;
  to += first != 0;
  const auto with_point = [](std::uint64_t word, int at) {  // and without its last digit
    const std::uint64_t bit = std::uint64_t{1} << 8 * at, before = word & (bit - 1);
    return before | bit * '.' | (word ^ before) << 8;
  };
  store8(to + 9, b);
  if (point < 8) [[likely]] {
    store8(to + 1, a);
    store8(to, with_point(a, point));
  } else {
    store8(to, a);
    store8(to + 8, with_point(b, point - 8));
    to[16] = static_cast<char>(b >> 56);
  }
  return to + used + 1;
}

}  // namespace atl::table
