// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/split.hpp"

#include <algorithm>
#include <array>

#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/text/utf8.hpp"
#include "kernel/text/families.hpp"
#include "kernel/text/regex.hpp"
#include "kernel/text/unicode.hpp"

namespace atl::table {
namespace {

/// Words between space, at most `most` + 1 (negative: all); the last one is then the rest.
void split_space(std::string_view text, std::int64_t most, std::vector<std::string_view>& parts) {
  const char* at = text.data();
  const char* end = at + text.size();
  for (;;) {
    const char* begin = at;
    while (at < end && is_space(next_point(at))) begin = at;
    if (begin == end) return;
    at = begin;
    if (most-- == 0) break;
    const char* stop = at;
    while (at < end && !is_space(next_point(at))) stop = at;
    parts.emplace_back(begin, static_cast<std::size_t>(stop - begin));
    if (stop == end) return;
    at = stop;
  }
  const char* stop = end;
  for (const char* before = stop; before > at && is_space(last_point(before));) stop = before;
  parts.emplace_back(at, static_cast<std::size_t>(stop - at));
}

void split_space_from_right(std::string_view text, std::int64_t most, std::vector<std::string_view>& parts) {
  const std::size_t first = parts.size();
  const char* begin = text.data();
  const char* at = begin + text.size();
  for (;;) {
    const char* end = at;
    while (at > begin && is_space(last_point(at))) end = at;
    if (end == begin) break;
    at = end;
    if (most-- == 0) {
      const char* start = begin;
      for (const char* next = begin; next < end && is_space(next_point(next));) start = next;
      parts.emplace_back(start, static_cast<std::size_t>(end - start));
      break;
    }
    const char* start = at;
    while (at > begin && !is_space(last_point(at))) start = at;
    parts.emplace_back(start, static_cast<std::size_t>(end - start));
    if (start == begin) break;
    at = start;
  }
  std::reverse(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
}

void split_text(std::string_view text, std::string_view separator, std::int64_t most,
                std::vector<std::string_view>& parts) {
  for (; most != 0; --most) {
    const std::size_t at = text.find(separator);
    if (at == text.npos) break;
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
}

void split_text_from_right(std::string_view text, std::string_view separator, std::int64_t most,
                           std::vector<std::string_view>& parts) {
  const std::size_t first = parts.size();
  for (; most != 0; --most) {
    const std::size_t at = text.rfind(separator);
    if (at == text.npos) break;
    parts.push_back(text.substr(at + separator.size()));
    text.remove_suffix(text.size() - at);
  }
  parts.push_back(text);
  std::reverse(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
}

Measure count_parts(const TextCall& call) {
  return {array::DType::i64, [split = make_splitter(call)](const TextView& texts, void* values) {
            std::vector<std::string_view> parts;
            for (std::size_t i = 0; i < texts.count; ++i) {
              parts.clear();
              split(texts[i], parts);
              static_cast<std::int64_t*>(values)[i] = static_cast<std::int64_t>(parts.size());
            }
          }};
}

/// numbers[2]: which part; negative from the end. Empty where there are not so many.
TextMap part(const TextCall& call) {
  return {[split = make_splitter(call), which = call.numbers.at(2)](const TextView& texts, const char** data,
                                                                    std::int64_t* lengths) {
            std::vector<std::string_view> parts;
            for (std::size_t i = 0; i < texts.count; ++i) {
              parts.clear();
              split(texts[i], parts);
              const auto count = static_cast<std::int64_t>(parts.size());
              const std::int64_t place = which < 0 ? which + count : which;
              const std::string_view found =
                  place >= 0 && place < count ? parts[static_cast<std::size_t>(place)] : texts[i].substr(0, 0);
              data[i] = found.data() == nullptr ? texts.bytes : found.data();
              lengths[i] = static_cast<std::int64_t>(found.size());
            }
          },
          nullptr};
}

constexpr std::array measures{
    MeasureEntry{"space.count", count_parts}, MeasureEntry{"text.count", count_parts},
    MeasureEntry{"regex.count", count_parts}, MeasureEntry{"match.count", count_parts},
    MeasureEntry{"group.count", count_parts},
};
constexpr std::array maps{
    TextMapEntry{"space.part", part}, TextMapEntry{"text.part", part},  TextMapEntry{"regex.part", part},
    TextMapEntry{"match.part", part}, TextMapEntry{"group.part", part},
};

}  // namespace

Splitter make_splitter(const TextCall& call) {
  const std::string way = call.name.substr(0, call.name.find('.'));
  const std::int64_t most = call.numbers.at(0);
  const bool from_right = call.numbers.at(1) != 0;
  if (way == "space" && from_right)
    return [most](std::string_view text, auto& parts) { split_space_from_right(text, most, parts); };
  if (way == "space") return [most](std::string_view text, auto& parts) { split_space(text, most, parts); };
  if (way == "text") {
    ATOLL_VALIDATE(!call.texts.at(0).empty(), ValueError, "empty separator");
    if (from_right)
      return [most, separator = call.texts[0]](std::string_view text, auto& parts) {
        split_text_from_right(text, separator, most, parts);
      };
    return [most, separator = call.texts[0]](std::string_view text, auto& parts) {
      split_text(text, separator, most, parts);
    };
  }
  const auto regex = std::make_shared<const Regex>(call.texts.at(0), call.numbers.at(call.numbers.size() - 1));
  if (way == "regex") return [regex, most](std::string_view text, auto& parts) { regex->split(text, most, parts); };
  const bool groups = way == "group";
  return [regex, groups](std::string_view text, auto& parts) { regex->find_all(text, groups, parts); };
}

std::span<const MeasureEntry> splitting_measures() { return measures; }
std::span<const TextMapEntry> splitting_maps() { return maps; }

}  // namespace atl::table
