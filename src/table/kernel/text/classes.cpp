// SPDX-License-Identifier: Apache-2.0
// Classes of the characters of a string (isalpha, isdigit, …), as in Python, and its length.
#include <array>

#include "atoll/table/kernel/text/utf8.hpp"
#include "kernel/text/families.hpp"
#include "kernel/text/unicode.hpp"

namespace atl::table {
namespace {

/// A test of each string. The test gets the string.
template <class Test>
Measure test_each(Test test) {
  return {array::DType::b1, [test](const TextView& texts, void* values) {
            auto* out = static_cast<bool*>(values);
            for (std::size_t i = 0; i < texts.count; ++i) out[i] = test(texts[i]);
          }};
}

/// Not empty, and every code point is such.
template <bool (*is)(std::uint32_t)>
Measure all_are(const TextCall&) {
  std::array<bool, 128> ascii;
  for (std::uint32_t point = 0; point < 128; ++point) ascii[point] = is(point);
  return test_each([ascii](std::string_view text) {
    const char* at = text.data();
    const char* end = at + text.size();
    while (at < end) {
      const auto byte = static_cast<unsigned char>(*at);
      if (byte < 128 ? !ascii[byte] : !is(next_point(at))) return false;
      if (byte < 128) ++at;
    }
    return !text.empty();
  });
}

/// Some code point is of this case, and none of another one.
template <bool (*is)(std::uint32_t), bool (*other)(std::uint32_t)>
Measure cased_as(const TextCall&) {
  return test_each([](std::string_view text) {
    bool found = false;
    for (const char* at = text.data(); at < text.data() + text.size();) {
      const std::uint32_t point = next_point(at);
      if (other(point) || is_title(point)) return false;
      found = found || is(point);
    }
    return found;
  });
}

bool titled(std::string_view text) {
  bool found = false, inside = false;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    const std::uint32_t point = next_point(at);
    if (is_upper(point) || is_title(point)) {
      if (inside) return false;
      inside = found = true;
    } else if (is_lower(point)) {
      if (!inside) return false;
      found = true;
    } else {
      inside = false;
    }
  }
  return found;
}

Measure length(const TextCall&) {
  return {array::DType::i64, [](const TextView& texts, void* values) {
            auto* out = static_cast<std::int64_t*>(values);
            if (is_ascii(texts)) {
              for (std::size_t i = 0; i < texts.count; ++i) out[i] = texts.offsets[i + 1] - texts.offsets[i];
            } else {
              for (std::size_t i = 0; i < texts.count; ++i) out[i] = static_cast<std::int64_t>(count_points(texts[i]));
            }
          }};
}
Measure byte_length(const TextCall&) {
  return {array::DType::i64, [](const TextView& texts, void* values) {
            auto* out = static_cast<std::int64_t*>(values);
            for (std::size_t i = 0; i < texts.count; ++i) out[i] = texts.offsets[i + 1] - texts.offsets[i];
          }};
}

constexpr std::array entries{
    MeasureEntry{"len", length},
    MeasureEntry{"byte_len", byte_length},
    MeasureEntry{"isalpha", all_are<is_alpha>},
    MeasureEntry{"isdecimal", all_are<is_decimal>},
    MeasureEntry{"isdigit", all_are<is_digit>},
    MeasureEntry{"isnumeric", all_are<is_numeric>},
    MeasureEntry{"isalnum", all_are<is_alnum>},
    MeasureEntry{"isspace", all_are<is_space>},
    MeasureEntry{"islower", cased_as<is_lower, is_upper>},
    MeasureEntry{"isupper", cased_as<is_upper, is_lower>},
    MeasureEntry{"istitle", [](const TextCall&) { return test_each(titled); }},
    MeasureEntry{"isascii",
                 [](const TextCall&) { return test_each([](std::string_view text) { return is_ascii(text); }); }},
};

}  // namespace

std::span<const MeasureEntry> class_measures() { return entries; }

}  // namespace atl::table
