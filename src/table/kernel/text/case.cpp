// SPDX-License-Identifier: Apache-2.0
// Strings in other cases, as Python has them, and in Unicode's normal forms.
#include <fmt/format.h>
#include <utf8proc.h>

#include <array>
#include <cstdlib>

#include "atoll/base/raise.hpp"
#include "atoll/table/kernel/text/utf8.hpp"
#include "kernel/text/families.hpp"
#include "kernel/text/unicode.hpp"

namespace atl::table {
namespace {

constexpr char lowered(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte; }
constexpr char raised(char byte) { return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 32) : byte; }
constexpr char swapped(char byte) { return lowered(byte) != byte ? lowered(byte) : raised(byte); }

void put(TextBuilder& out, const std::uint32_t* points, std::size_t count) {
  char* to = out.room(4 * count);
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) used += put_point(to + used, points[i]);
  out.advance(used);
}

/// Lower case of the code point that ends at `at`. A capital sigma behind a letter and before none is the final one.
std::size_t lower_at(std::string_view text, const char* at, std::uint32_t point, std::uint32_t (&to)[4]) {
  if (point != 0x3a3) return to_lower(point, to);
  const char* begin = at - 2;
  std::uint32_t other = 0;
  bool last = false;
  while (begin > text.data() && is_case_ignorable(other = last_point(begin))) other = 0;
  if (other != 0 && is_cased(other)) {
    const char* end = text.data() + text.size();
    const char* next = at;
    other = 0;
    while (next < end && is_case_ignorable(other = next_point(next))) other = 0;
    last = other == 0 || !is_cased(other);
  }
  return to[0] = last ? 0x3c2 : 0x3c3, 1;
}

using Ascii = char (*)(char);
using Points = std::size_t (*)(std::string_view, const char*, std::uint32_t, std::uint32_t (&)[4]);

/// Each code point by itself: pieces of ASCII as one string.
template <Ascii ascii, Points points>
TextMap mapped(const TextCall&) {
  return {nullptr, [](const TextView& texts, TextBuilder& out) {
            if (is_ascii(texts)) {
              const auto size = static_cast<std::size_t>(texts.size_bytes());
              const char* from = texts.bytes + texts.offsets[0];
              char* to = out.room(size);
              for (std::size_t i = 0; i < size; ++i) to[i] = ascii(from[i]);
              for (std::size_t i = 0; i < texts.count; ++i) {
                out.advance(texts[i].size());
                out.end();
              }
              return;
            }
            std::uint32_t made[4];
            for (std::size_t i = 0; i < texts.count; ++i) {
              const std::string_view text = texts[i];
              for (const char* at = text.data(); at < text.data() + text.size();) {
                const std::uint32_t point = next_point(at);
                put(out, made, points(text, at, point, made));
              }
              out.end();
            }
          }};
}

std::size_t upper_at(std::string_view, const char*, std::uint32_t point, std::uint32_t (&to)[4]) {
  return to_upper(point, to);
}
std::size_t fold_at(std::string_view, const char*, std::uint32_t point, std::uint32_t (&to)[4]) {
  return to_folded(point, to);
}
std::size_t swap_at(std::string_view text, const char* at, std::uint32_t point, std::uint32_t (&to)[4]) {
  if (is_upper(point)) return lower_at(text, at, point, to);
  if (is_lower(point)) return to_upper(point, to);
  return to[0] = point, 1;
}

/// The first letter, of the string or of each word, in title case, the others in lower case.
template <bool every_word>
TextMap titled(const TextCall&) {
  return {nullptr, [](const TextView& texts, TextBuilder& out) {
            std::uint32_t made[4];
            for (std::size_t i = 0; i < texts.count; ++i) {
              const std::string_view text = texts[i];
              bool inside = false;
              for (const char* at = text.data(); at < text.data() + text.size();) {
                const std::uint32_t point = next_point(at);
                put(out, made, inside ? lower_at(text, at, point, made) : to_title(point, made));
                inside = every_word ? is_cased(point) : true;
              }
              out.end();
            }
          }};
}

TextMap normalized(const TextCall& call) {
  const std::string& form = call.texts.at(0);
  int options = UTF8PROC_STABLE;
  if (form == "NFC") options |= UTF8PROC_COMPOSE;
  else if (form == "NFD") options |= UTF8PROC_DECOMPOSE;
  else if (form == "NFKC") options |= UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
  else if (form == "NFKD") options |= UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
  else raise<ValueError>(fmt::format("invalid normalization form '{}': there are NFC, NFD, NFKC and NFKD", form));
  return {nullptr, [options](const TextView& texts, TextBuilder& out) {
            for (std::size_t i = 0; i < texts.count; ++i) {
              const std::string_view text = texts[i];
              if (is_ascii(text)) {
                out.append(text);
              } else {
                utf8proc_uint8_t* made = nullptr;
                const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                               static_cast<utf8proc_ssize_t>(text.size()), &made,
                                               static_cast<utf8proc_option_t>(options));
                if (size < 0) raise<MemoryError>("no memory for a text's normal form");
                out.append({reinterpret_cast<const char*>(made), static_cast<std::size_t>(size)});
                std::free(made);
              }
              out.end();
            }
          }};
}

constexpr std::array entries{
    TextMapEntry{"lower", mapped<lowered, lower_at>},
    TextMapEntry{"upper", mapped<raised, upper_at>},
    TextMapEntry{"casefold", mapped<lowered, fold_at>},
    TextMapEntry{"swapcase", mapped<swapped, swap_at>},
    TextMapEntry{"title", titled<true>},
    TextMapEntry{"capitalize", titled<false>},
    TextMapEntry{"normalize", normalized},
};

}  // namespace

std::span<const TextMapEntry> case_maps() { return entries; }

}  // namespace atl::table
