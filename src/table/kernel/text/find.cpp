// SPDX-License-Identifier: Apache-2.0
// Whether, where and how often a string occurs in each string.
#include <array>
#include <limits>

#include "atoll/table/kernel/text/utf8.hpp"
#include "kernel/text/families.hpp"
#include "kernel/text/search.hpp"

namespace atl::table {
namespace {

Measure contains(const TextCall& call) {
  return {array::DType::b1, [needle = call.texts.at(0)](const TextView& texts, void* values) {
            auto* out = static_cast<bool*>(values);
            std::memset(out, needle.empty() ? 1 : 0, texts.count);
            std::vector<std::uint32_t> places;
            if (!needle.empty())
              for_each_place(texts, needle, places, [&](std::size_t row, std::size_t) { out[row] = true; });
          }};
}

/// Occurrences that do not overlap.
Measure count(const TextCall& call) {
  return {array::DType::i64, [needle = call.texts.at(0)](const TextView& texts, void* values) {
            auto* out = static_cast<std::int64_t*>(values);
            if (needle.empty()) {
              for (std::size_t i = 0; i < texts.count; ++i)
                out[i] = static_cast<std::int64_t>(count_points(texts[i])) + 1;
              return;
            }
            std::memset(out, 0, texts.count * sizeof(std::int64_t));
            std::vector<std::uint32_t> places;
            std::size_t last = std::numeric_limits<std::size_t>::max(), free = 0;
            for_each_place(texts, needle, places, [&](std::size_t row, std::size_t place) {
              if (row == last && place < free) return;
              ++out[row];
              last = row;
              free = place + needle.size();
            });
          }};
}

/// Python's slice of a string, in code points; `first` is where it begins.
std::string_view part_of(std::string_view text, std::int64_t start, std::int64_t stop, std::int64_t& first) {
  const auto length = static_cast<std::int64_t>(is_ascii(text) ? text.size() : count_points(text));
  auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + length : at, 0, length); };
  first = start;
  if (first < 0) first = std::max<std::int64_t>(first + length, 0);
  stop = place(stop);
  if (first > length || first > stop) {
    first = -1;
    return {};
  }
  const std::size_t begin = place_of_point(text, static_cast<std::size_t>(first)),
                    end = place_of_point(text, static_cast<std::size_t>(stop));
  return text.substr(begin, end - begin);
}

enum class From : std::uint8_t { left, right };

/// str.find and str.rfind, with start and stop.
template <From from>
Measure find(const TextCall& call) {
  const bool whole = call.numbers.at(0) == 0 && call.numbers.at(1) == std::numeric_limits<std::int64_t>::max();
  return {
      array::DType::i64, [needle = call.texts.at(0), whole, start = call.numbers[0], stop = call.numbers[1]](
                             const TextView& texts, void* values) {
        auto* out = static_cast<std::int64_t*>(values);
        for (std::size_t i = 0; i < texts.count; ++i) {
          std::int64_t first = 0;
          const std::string_view part = whole ? texts[i] : part_of(texts[i], start, stop, first);
          const std::size_t place = first < 0 ? part.npos : from == From::left ? part.find(needle) : part.rfind(needle);
          out[i] = place == part.npos ? -1 : first + static_cast<std::int64_t>(count_points(part.substr(0, place)));
        }
      }};
}

constexpr std::array entries{
    MeasureEntry{"contains", contains},
    MeasureEntry{"count", count},
    MeasureEntry{"find", find<From::left>},
    MeasureEntry{"rfind", find<From::right>},
};

}  // namespace

std::span<const MeasureEntry> finding_measures() { return entries; }

}  // namespace atl::table
