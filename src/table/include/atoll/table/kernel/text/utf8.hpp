// SPDX-License-Identifier: Apache-2.0
// UTF-8: whether bytes are, and code points in strings that are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "atoll/array/kernel/work.hpp"
#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

/// Whether all bytes are below 128.
inline bool is_ascii(const char* bytes, std::size_t length) {
  std::uint64_t seen = 0;
  std::size_t i = 0;
  for (; i + 32 <= length; i += 32) {
    std::uint64_t word[4];
    std::memcpy(word, bytes + i, 32);
    seen |= word[0] | word[1] | word[2] | word[3];
  }
  for (; i < length; ++i) seen |= static_cast<unsigned char>(bytes[i]);
  return (seen & 0x8080808080808080u) == 0;
}
inline bool is_ascii(std::string_view text) { return is_ascii(text.data(), text.size()); }
inline bool is_ascii(const TextView& texts) {
  return is_ascii(texts.bytes + texts.offsets[0], static_cast<std::size_t>(texts.size_bytes()));
}

/// Whether this byte begins a code point.
inline bool is_lead(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

/// Code points of a valid text.
inline std::size_t count_points(std::string_view text) {
  std::size_t count = 0;
  for (char byte : text) count += is_lead(byte) ? 1 : 0;
  return count;
}

/// The code point at `at` of a valid text; moves on behind it.
inline std::uint32_t next_point(const char*& at) {
  const auto byte = [&](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return at += 1, first;
  if (first < 0xe0) return at += 2, ((at[-2] & 0x1fu) << 6) | (at[-1] & 0x3fu);
  if (first < 0xf0) return at += 3, ((at[-3] & 0x0fu) << 12) | ((at[-2] & 0x3fu) << 6) | (at[-1] & 0x3fu);
  return at += 4, ((at[-4] & 0x07u) << 18) | ((at[-3] & 0x3fu) << 12) | ((at[-2] & 0x3fu) << 6) | (at[-1] & 0x3fu);
}
/// The code point that ends at `at`; moves before it.
inline std::uint32_t last_point(const char*& at) {
  do --at;
  while (!is_lead(*at));
  const char* copy = at;
  return next_point(copy);
}
/// Writes a code point, at most 4 bytes; returns how many.
inline std::size_t put_point(char* to, std::uint32_t point) {
  if (point < 0x80) return to[0] = static_cast<char>(point), 1;
  if (point < 0x800) {
    to[0] = static_cast<char>(0xc0 | (point >> 6));
    to[1] = static_cast<char>(0x80 | (point & 0x3f));
    return 2;
  }
  if (point < 0x10000) {
    to[0] = static_cast<char>(0xe0 | (point >> 12));
    to[1] = static_cast<char>(0x80 | ((point >> 6) & 0x3f));
    to[2] = static_cast<char>(0x80 | (point & 0x3f));
    return 3;
  }
  to[0] = static_cast<char>(0xf0 | (point >> 18));
  to[1] = static_cast<char>(0x80 | ((point >> 12) & 0x3f));
  to[2] = static_cast<char>(0x80 | ((point >> 6) & 0x3f));
  to[3] = static_cast<char>(0x80 | (point & 0x3f));
  return 4;
}
/// Where code point number `n` begins; the end when there are fewer.
inline std::size_t place_of_point(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (is_lead(text[at]) && n-- == 0) return at;
  return at;
}

/// The first byte that is not UTF-8 (overlong forms, surrogates and code points above U+10FFFF are not), or the length.
std::size_t valid_bytes(std::string_view bytes);

/// Throws ValueError unless offsets never fall, lie within `size` bytes, and every string is UTF-8.
void check_texts(const array::Work& work, const TextView& texts, std::int64_t size);

}  // namespace atl::table
