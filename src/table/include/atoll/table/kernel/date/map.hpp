// SPDX-License-Identifier: Apache-2.0
// Operations on each datetime by itself, by name: parts of its date, rounding, other calendars and zones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "atoll/array/dtype.hpp"
#include "atoll/table/kernel/text/call.hpp"

namespace atl::table {

/// What stands for no result, as NumPy's NaT.
inline constexpr std::int64_t no_time = INT64_MIN;

/// Moments, whole numbers of a unit since 1970, to values of a type. Called by several threads at once. Where there is
/// no result, it is `no_time`.
struct DateMap {
  array::DType type;
  std::function<void(const std::int64_t* values, std::size_t count, void* out)> run;
};

struct DateMapEntry {
  std::string_view name;
  DateMap (*make)(const TextCall& call);
};

/// `call.numbers` begins with how many units a day has: 1 of dates, 86,400 of seconds. Throws ValueError for an unknown
/// name.
DateMap make_date_map(const TextCall& call);

/// Moments to strings, by a format of strftime.
struct DateWriter {
  std::function<void(const std::int64_t* values, std::size_t count, TextBuilder& out)> write;
  /// Of each string, where all years have four digits; 0: it varies.
  std::size_t width = 0;
  /// Such strings side by side; false when a year has more or fewer digits.
  std::function<bool(const std::int64_t* values, std::size_t count, char* to)> write_fixed;
};
/// `call.texts` are the format and the abbreviations of the zone's intervals, `call.numbers` the units of a day and the
/// zone (date/zone.hpp).
DateWriter make_date_writer(const TextCall& call);

}  // namespace atl::table
