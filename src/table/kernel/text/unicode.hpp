// SPDX-License-Identifier: Apache-2.0
// Classes of code points, and their other cases, as in Python: Unicode 15.0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace atl::table {

struct PointRange {
  std::uint32_t first, last;
};
/// A case that takes several code points; 0: no more.
struct SpecialCase {
  std::uint32_t point;
  std::uint32_t mapped[3];
};

// -- unicode_tables.cpp --
std::span<const PointRange> other_lowercase();
std::span<const PointRange> other_uppercase();
std::span<const PointRange> other_digits();
std::span<const PointRange> other_numerics();
std::span<const PointRange> spaces();
std::span<const PointRange> case_ignorable();
std::span<const SpecialCase> special_upper();
std::span<const SpecialCase> special_title();
std::span<const SpecialCase> special_lower();

bool is_alpha(std::uint32_t point);
bool is_decimal(std::uint32_t point);
bool is_digit(std::uint32_t point);
bool is_numeric(std::uint32_t point);
bool is_space(std::uint32_t point);
bool is_lower(std::uint32_t point);
bool is_upper(std::uint32_t point);
bool is_title(std::uint32_t point);
bool is_case_ignorable(std::uint32_t point);
inline bool is_alnum(std::uint32_t point) {
  return is_alpha(point) || is_numeric(point) || is_decimal(point) || is_digit(point);
}
inline bool is_cased(std::uint32_t point) { return is_lower(point) || is_upper(point) || is_title(point); }

/// At most three code points; returns how many.
std::size_t to_lower(std::uint32_t point, std::uint32_t (&to)[4]);
std::size_t to_upper(std::uint32_t point, std::uint32_t (&to)[4]);
std::size_t to_title(std::uint32_t point, std::uint32_t (&to)[4]);
std::size_t to_folded(std::uint32_t point, std::uint32_t (&to)[4]);

}  // namespace atl::table
