// SPDX-License-Identifier: Apache-2.0
// Days since 1970 and dates of the Gregorian calendar, before and after its time, for any number of 64 bits.
//
// The arithmetic is that of Neri and Schneider ("Euclidean affine functions and their application to calendar
// algorithms", 2022) inside a cycle of 400 years; years begin in March there, so that leap days come last.
#pragma once

#include <cstdint>

namespace atl::table {

/// Quotient rounded down and what is left, for divisors above 0. In floating point, which vectors have; what rounding
/// spoils is mended by what is left: two steps do for any numbers.
struct Quotient {
  std::int64_t whole, left;
};
inline __attribute__((always_inline)) Quotient divide(std::int64_t value, std::int64_t by) {
  const double divisor = static_cast<double>(by);
  std::int64_t whole = static_cast<std::int64_t>(__builtin_floor(static_cast<double>(value) / divisor));
  std::int64_t left = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) -
                                                static_cast<std::uint64_t>(whole) * static_cast<std::uint64_t>(by));
  const std::int64_t more = static_cast<std::int64_t>(__builtin_floor(static_cast<double>(left) / divisor));
  whole += more;
  left -= more * by;
  return {whole, left};
}
/// The same where the quotient is below 2^52: by a multiplication, and wrong by one at most before it is mended.
inline __attribute__((always_inline)) Quotient divide_small(std::int64_t value, std::int64_t by, double inverse) {
  std::int64_t whole = static_cast<std::int64_t>(__builtin_floor(static_cast<double>(value) * inverse));
  std::int64_t left = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) -
                                                static_cast<std::uint64_t>(whole) * static_cast<std::uint64_t>(by));
  const std::int64_t low = left < 0 ? 1 : 0, high = left >= by ? 1 : 0;
  whole += high - low;
  left += (low - high) * by;
  return {whole, left};
}

struct Civil {
  std::int64_t year;
  std::uint32_t month, day;  // from 1
  std::uint32_t of_year;     // days since 1 March before it
};

inline __attribute__((always_inline)) Civil civil_of(std::int64_t days) {
  const Quotient cycle = divide_small(days + 719'468, 146'097, 1.0 / 146'097);
  const std::uint32_t n1 = 4 * static_cast<std::uint32_t>(cycle.left) + 3;
  const std::uint32_t century = n1 / 146'097, n2 = (n1 % 146'097) | 3;
  const std::uint64_t p2 = std::uint64_t{2'939'745} * n2;
  const std::uint32_t of_century = static_cast<std::uint32_t>(p2 >> 32);
  const std::uint32_t of_year = static_cast<std::uint32_t>(p2) / 2'939'745 / 4;
  const std::uint32_t n3 = 2'141 * of_year + 197'913;
  const std::uint32_t late = of_year >= 306 ? 1 : 0;
  Civil civil;
  civil.year = 400 * cycle.whole + 100 * century + of_century + late;
  civil.month = (n3 >> 16) - 12 * late;
  civil.day = (n3 & 0xffff) / 2'141 + 1;
  civil.of_year = of_year;
  return civil;
}

/// Days since 1970 of the first of a month, counted from January of year 0.
inline __attribute__((always_inline)) std::int64_t days_of_month(std::int64_t months) {
  const Quotient in_year = divide_small(months - 2, 12, 1.0 / 12);  // March first
  const Quotient cycle = divide_small(in_year.whole, 400, 1.0 / 400);
  const std::uint32_t year = static_cast<std::uint32_t>(cycle.left), month = static_cast<std::uint32_t>(in_year.left);
  return 146'097 * cycle.whole + 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 - 719'468;
}
/// Days since 1970 of a date of the years 1 to 9999.
inline __attribute__((always_inline)) std::int64_t days_of_date(std::uint32_t year, std::uint32_t month,
                                                                std::uint32_t day) {
  const std::uint32_t late = month <= 2 ? 1 : 0;
  const std::uint32_t since = year - late, of_year = (979 * (month + 12 * late) - 2'919) / 32;
  return std::int64_t{365 * since + since / 4 - since / 100 + since / 400 + of_year + day} - 719'469;
}

inline __attribute__((always_inline)) bool is_leap(std::int64_t year) {
  return (year & 3) == 0 && (year % 25 != 0 || (year & 15) == 0);
}
inline __attribute__((always_inline)) std::uint32_t days_in_month(std::int64_t year, std::uint32_t month) {
  return month == 2 ? 28u + (is_leap(year) ? 1u : 0u) : 30u + ((month + (month >> 3)) & 1u);
}

/// Monday is 0. Below 7 for any number, as callers take it for a place in a table.
inline __attribute__((always_inline)) std::uint32_t weekday_of(std::int64_t days) {
  return static_cast<std::uint32_t>((days % 7 + 10) % 7);
}
/// Days since 1 January, from 1.
inline __attribute__((always_inline)) std::uint32_t day_of_year(const Civil& civil) {
  return civil.month > 2 ? civil.of_year + 60 + (is_leap(civil.year) ? 1u : 0u) : civil.of_year - 305;
}
/// Week and its year as ISO 8601 counts them.
struct IsoWeek {
  std::int64_t year;
  std::uint32_t week;
};
inline __attribute__((always_inline)) IsoWeek iso_week(std::int64_t days) {
  const std::int64_t thursday = days - weekday_of(days) + 3;
  const Civil civil = civil_of(thursday);
  return {civil.year, (day_of_year(civil) - 1) / 7 + 1};
}

}  // namespace atl::table
