// SPDX-License-Identifier: Apache-2.0
// Short strings as two words, which are compared instead of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace atl::table {

/// A string's first 15 bytes, zeros where it ends before, and in the last byte its length and one more, or `long_mark`:
/// images of strings of up to 15 bytes are equal where these are, and none is zero. As two little-endian words.
struct Image {
  std::uint64_t low, high;

  static constexpr std::size_t longest = 15;
  static constexpr std::uint64_t long_mark = 255;

  bool operator==(const Image&) const = default;
  bool is_long() const { return high >> 56 == long_mark; }
  /// Of a string that is not long.
  std::size_t length() const { return static_cast<std::size_t>(high >> 56) - 1; }
  /// Whether the string comes before another in order; of two long ones with equal images that is not known.
  bool operator<(const Image& other) const {
    const std::uint64_t a = __builtin_bswap64(low), b = __builtin_bswap64(other.low);
    return a != b ? a < b : __builtin_bswap64(high) < __builtin_bswap64(other.high);
  }
};

inline std::uint64_t load_word(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Reads 16 bytes, whatever the length.
inline Image image_of(const char* text, std::size_t length) {
  // From byte 16 - n on, what keeps the first n bytes of 16.
  alignas(32) static constexpr char kept[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  constexpr std::uint64_t top = ~std::uint64_t{0} >> 8;
  if (length > Image::longest) [[unlikely]]
    return {load_word(text), (load_word(text + 8) & top) | Image::long_mark << 56};
  // Lengths differ from text to text: no branch on them.
  const char* mask = kept + 16 - length;
  return {load_word(text) & load_word(mask),
          (load_word(text + 8) & load_word(mask + 8)) | std::uint64_t{length + 1} << 56};
}

}  // namespace atl::table
