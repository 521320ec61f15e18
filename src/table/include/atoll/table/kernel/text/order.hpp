// SPDX-License-Identifier: Apache-2.0
// Strings in order: by their first bytes as numbers, and where these tie by what follows.
//
// The order is that of the bytes, which for UTF-8 is that of the code points; a string that another begins with comes
// first.
#pragma once

#include <bit>
#include <cstring>
#include <span>

#include "atoll/table/kernel/text/spans.hpp"

namespace atl::table {

/// Bytes [depth, depth + 8) of a string as a number that compares as they do; zeros stand for what is beyond its end.
/// Reads up to 8 bytes beyond it.
inline std::uint64_t word_at(const char* text, std::size_t length, std::size_t depth) {
  if (depth >= length) return 0;
  std::uint64_t word;
  std::memcpy(&word, text + depth, sizeof word);
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  const std::size_t rest = length - depth;
  return rest >= 8 ? word : word & ~(~std::uint64_t{0} >> (8 * rest));
}

/// words[i] = the word of text i at `depth`. Returns whether any of those words has a zero byte inside its text: if
/// not, words that tie and end in a zero byte are of equal strings.
bool load_words(const array::Work& work, const TextView& texts, std::size_t depth, std::uint64_t* words);

/// How many bytes all strings have in common with `first`, and whether all are as long.
struct Common {
  std::size_t bytes;
  bool equal;
};
Common common_prefix(const array::Work& work, const TextView& texts, std::string_view first);

/// A string with the number that it has as a row.
struct Item {
  const char* data;
  std::size_t length;
  std::int64_t row;
};
/// Sorts by the strings from `depth` on, up to which they are equal, and then by row. Bytes that all of several strings
/// share are looked at once each.
void sort_items(std::span<Item> items, std::size_t depth);

}  // namespace atl::table
