// SPDX-License-Identifier: Apache-2.0
#include "kernel/text/unicode.hpp"

#include <utf8proc.h>

namespace atl::table {
namespace {

bool among(std::span<const PointRange> ranges, std::uint32_t point) {
  const auto* after =
      std::upper_bound(ranges.data(), ranges.data() + ranges.size(), point,
                       [](std::uint32_t value, const PointRange& range) { return value < range.first; });
  return after != ranges.data() && point <= after[-1].last;
}
utf8proc_category_t category(std::uint32_t point) { return utf8proc_category(static_cast<utf8proc_int32_t>(point)); }

std::size_t mapped(std::span<const SpecialCase> special, std::uint32_t point, std::uint32_t simple,
                   std::uint32_t (&to)[4]) {
  const auto* found = std::lower_bound(special.data(), special.data() + special.size(), point,
                                       [](const SpecialCase& one, std::uint32_t value) { return one.point < value; });
  if (found == special.data() + special.size() || found->point != point) return to[0] = simple, 1;
  std::size_t count = 0;
  while (count < 3 && found->mapped[count] != 0) to[count] = found->mapped[count], ++count;
  return count;
}

}  // namespace

bool is_alpha(std::uint32_t point) {
  const auto kind = category(point);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}
bool is_decimal(std::uint32_t point) { return category(point) == UTF8PROC_CATEGORY_ND; }
bool is_digit(std::uint32_t point) { return is_decimal(point) || among(other_digits(), point); }
bool is_numeric(std::uint32_t point) { return is_digit(point) || among(other_numerics(), point); }
bool is_space(std::uint32_t point) {
  if (point < 128) return point == ' ' || (point >= 9 && point <= 13) || (point >= 28 && point <= 31);
  return among(spaces(), point);
}
bool is_lower(std::uint32_t point) {
  return category(point) == UTF8PROC_CATEGORY_LL || among(other_lowercase(), point);
}
bool is_upper(std::uint32_t point) {
  return category(point) == UTF8PROC_CATEGORY_LU || among(other_uppercase(), point);
}
bool is_title(std::uint32_t point) { return category(point) == UTF8PROC_CATEGORY_LT; }
bool is_case_ignorable(std::uint32_t point) { return among(case_ignorable(), point); }

std::size_t to_lower(std::uint32_t point, std::uint32_t (&to)[4]) {
  return mapped(special_lower(), point,
                static_cast<std::uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point))), to);
}
std::size_t to_upper(std::uint32_t point, std::uint32_t (&to)[4]) {
  return mapped(special_upper(), point,
                static_cast<std::uint32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(point))), to);
}
std::size_t to_title(std::uint32_t point, std::uint32_t (&to)[4]) {
  return mapped(special_title(), point,
                static_cast<std::uint32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(point))), to);
}
std::size_t to_folded(std::uint32_t point, std::uint32_t (&to)[4]) {
  utf8proc_int32_t folded[4];
  int last = 0;
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point), folded, 4, UTF8PROC_CASEFOLD, &last);
  for (utf8proc_ssize_t i = 0; i < count; ++i) to[i] = static_cast<std::uint32_t>(folded[i]);
  return static_cast<std::size_t>(count);
}

}  // namespace atl::table
