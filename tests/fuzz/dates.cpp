// SPDX-License-Identifier: Apache-2.0
// Datetimes by ISO 8601 and by formats of strptime, their offsets from UTC, and durations.
#include <array>
#include <vector>

#include "atoll/base/error.hpp"
#include "kernel/text/families.hpp"
#include "target.hpp"

namespace {

/// A block of its own, with the 64 readable bytes that are promised behind the text.
std::int64_t read(const atl::table::Measure& measure, std::string_view text) {
  std::vector<char> copy(text.size() + 64);
  std::copy(text.begin(), text.end(), copy.begin());
  const std::array<std::int64_t, 2> offsets{0, static_cast<std::int64_t>(text.size())};
  std::int64_t result = 0;
  measure.run({offsets.data(), copy.data(), 1}, &result);
  return result;
}

}  // namespace

ATOLL_FUZZ(dates) {
  constexpr std::array<std::int64_t, 5> days{1, 86'400, 86'400'000, 86'400'000'000, 86'400'000'000'000};
  atl::fuzz::Input input(bytes);
  const unsigned how = input.byte();
  const auto part = input.take(how & 128 ? input.byte() % 32 : 0);
  const std::string format(part.begin(), part.end());
  for (const atl::table::MeasureEntry& entry : atl::table::date_measures()) {
    const bool durations = entry.name == "read_duration";
    const std::int64_t day = days[durations ? 1 + how % 4 : how % 5];
    try {
      (void)read(entry.make({std::string(entry.name), {format}, {day, how / 8 % 3}}), input.text());
    } catch (const atl::ValueError&) {}
  }
}
