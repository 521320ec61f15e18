// SPDX-License-Identifier: Apache-2.0
// Parts of texts: strip, slice, get, removeprefix and their kin.
#include <algorithm>
#include <array>
#include <limits>

#include "atoll/table/kernel/text/utf8.hpp"
#include "kernel/text/families.hpp"
#include "kernel/text/unicode.hpp"

namespace atl::table {
namespace {

/// A part of each string.
template <class Part>
TextMap cut_each(Part part) {
  return {[part](const TextView& texts, const char** data, std::int64_t* lengths) {
            for (std::size_t i = 0; i < texts.count; ++i) {
              const std::string_view found = part(texts[i]);
              data[i] = found.data();
              lengths[i] = static_cast<std::int64_t>(found.size());
            }
          },
          nullptr};
}

enum Sides : std::uint8_t { left = 1, right = 2 };

/// What to strip: bytes below 128 by a table, other code points by `is`.
template <std::uint8_t sides, class Is>
std::string_view stripped(std::string_view text, const std::array<bool, 128>& ascii, Is&& is) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if constexpr ((sides & left) != 0) {
    while (begin < end) {
      const auto byte = static_cast<unsigned char>(*begin);
      if (byte < 128) {
        if (!ascii[byte]) break;
        ++begin;
      } else {
        const char* next = begin;
        if (!is(next_point(next))) break;
        begin = next;
      }
    }
  }
  if constexpr ((sides & right) != 0) {
    while (end > begin) {
      const auto byte = static_cast<unsigned char>(end[-1]);
      if (byte < 128) {
        if (!ascii[byte]) break;
        --end;
      } else {
        const char* last = end;
        if (!is(last_point(last))) break;
        end = last;
      }
    }
  }
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Without arguments space, else the code points of the string that is given.
template <std::uint8_t sides>
TextMap strip(const TextCall& call) {
  std::array<bool, 128> ascii{};
  std::vector<std::uint32_t> points;
  if (call.texts.empty()) {
    for (std::uint32_t point = 0; point < 128; ++point) ascii[point] = is_space(point);
    return cut_each([ascii](std::string_view text) { return stripped<sides>(text, ascii, is_space); });
  }
  const std::string& wanted = call.texts[0];
  for (const char* at = wanted.data(); at < wanted.data() + wanted.size();) {
    const std::uint32_t point = next_point(at);
    if (point < 128) ascii[point] = true;
    else points.push_back(point);
  }
  return cut_each([ascii, points](std::string_view text) {
    return stripped<sides>(text, ascii, [&](std::uint32_t point) {
      return std::find(points.begin(), points.end(), point) != points.end();
    });
  });
}

/// Python's slice with a step of 1, in code points.
TextMap slice(const TextCall& call) {
  return cut_each([start = call.numbers.at(0), stop = call.numbers.at(1)](std::string_view text) {
    const auto size = static_cast<std::int64_t>(text.size());
    const bool simple = is_ascii(text);
    const std::int64_t length =
        simple || (start >= 0 && stop >= 0) ? size : static_cast<std::int64_t>(count_points(text));
    auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + length : at, 0, length); };
    const std::int64_t first = place(start), last = place(stop);
    if (first >= last) return text.substr(0, 0);
    if (simple) return text.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    const std::size_t begin = place_of_point(text, static_cast<std::size_t>(first));
    const std::string_view rest = text.substr(begin);
    return rest.substr(0, place_of_point(rest, static_cast<std::size_t>(last - first)));
  });
}

TextMap remove_prefix(const TextCall& call) {
  return cut_each([prefix = call.texts.at(0)](std::string_view text) {
    return text.substr(text.starts_with(prefix) ? prefix.size() : 0);
  });
}
TextMap remove_suffix(const TextCall& call) {
  return cut_each([suffix = call.texts.at(0)](std::string_view text) {
    return text.substr(0, text.size() - (text.ends_with(suffix) ? suffix.size() : 0));
  });
}

/// Part 0, 1 or 2 of str.partition or, from the right, str.rpartition.
template <std::uint8_t side>
TextMap partition(const TextCall& call) {
  return cut_each([separator = call.texts.at(0), which = call.numbers.at(0)](std::string_view text) {
    const std::size_t at = side == left ? text.find(separator) : text.rfind(separator);
    if (at == text.npos) return which == (side == left ? 0 : 2) ? text : text.substr(0, 0);
    return which == 0   ? text.substr(0, at)
           : which == 1 ? text.substr(at, separator.size())
                        : text.substr(at + separator.size());
  });
}

constexpr std::array entries{
    TextMapEntry{"strip", strip<left | right>},  TextMapEntry{"lstrip", strip<left>},
    TextMapEntry{"rstrip", strip<right>},        TextMapEntry{"slice", slice},
    TextMapEntry{"removeprefix", remove_prefix}, TextMapEntry{"removesuffix", remove_suffix},
    TextMapEntry{"partition", partition<left>},  TextMapEntry{"rpartition", partition<right>},
};

}  // namespace

std::span<const TextMapEntry> cutting_maps() { return entries; }

}  // namespace atl::table
