// SPDX-License-Identifier: Apache-2.0
// Strings beside one string.
#include <array>
#include <cstring>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/table/kernel/text/compare.hpp"
#include "kernel/text/families.hpp"

namespace atl::table {
namespace {

template <class Compare>
Measure compare_with(const TextCall& call) {
  return {array::DType::b1, [other = call.texts.at(0)](const TextView& texts, void* values) {
            auto* out = static_cast<bool*>(values);
            for (std::size_t i = 0; i < texts.count; ++i) out[i] = Compare()(texts[i], std::string_view(other));
          }};
}

/// Up to eight bytes of a string, and zeros; reads beyond it.
std::uint64_t head_of(const char* text, std::size_t length) {
  std::uint64_t word;
  std::memcpy(&word, text, 8);
  return length >= 8 ? word : word & ((std::uint64_t{1} << (8 * length)) - 1);
}

enum class Part : std::uint8_t { whole, start, end };

/// Whether a string is, begins with or ends in one of some texts: by a word of it, then by the rest.
template <Part part>
Measure test_for(const TextCall& call) {
  std::vector<std::string> wanted = call.texts;
  for (std::string& text : wanted) text.append(8, '\0');
  return {array::DType::b1, [wanted](const TextView& texts, void* values) {
            auto* out = static_cast<bool*>(values);
            bool first = true;
            for (const std::string& padded : wanted) {
              const std::size_t length = padded.size() - 8;
              const std::uint64_t head = head_of(padded.data(), length);
              const std::uint64_t mask = length >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * length)) - 1;
              for (std::size_t i = 0; i < texts.count; ++i) {
                const auto size = static_cast<std::size_t>(texts.offsets[i + 1] - texts.offsets[i]);
                const bool fits = part == Part::whole ? size == length : size >= length;
                const char* at = texts.bytes + texts.offsets[i] + (part == Part::end && fits ? size - length : 0);
                std::uint64_t word;
                std::memcpy(&word, at, 8);
                bool same = fits & ((word & mask) == head);
                if (length > 8 && same) same = std::memcmp(at + 8, padded.data() + 8, length - 8) == 0;
                out[i] = first ? same : out[i] | same;
              }
              first = false;
            }
            if (first) std::memset(out, 0, texts.count);
          }};
}

constexpr std::array entries{
    MeasureEntry{"equal", test_for<Part::whole>},
    MeasureEntry{"less", compare_with<std::less<>>},
    MeasureEntry{"less_equal", compare_with<std::less_equal<>>},
    MeasureEntry{"startswith", test_for<Part::start>},
    MeasureEntry{"endswith", test_for<Part::end>},
};

}  // namespace

std::span<const MeasureEntry> comparing_measures() { return entries; }

void compare_texts(const array::Work& work, const TextView& a, const TextView& b, Comparison comparison, bool* out) {
  auto loop = [&](auto compare) {
    array::Polling(work).for_pieces(a.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i) out[i] = compare(a[i], b[i]);
    });
  };
  switch (comparison) {
    case Comparison::equal: return loop(std::equal_to<>());
    case Comparison::less: return loop(std::less<>());
    case Comparison::less_equal: return loop(std::less_equal<>());
  }
}

}  // namespace atl::table
