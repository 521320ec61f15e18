// SPDX-License-Identifier: Apache-2.0
// Strings to numbers, on one PE: which rows have equal strings.
#pragma once

#include "atoll/array/kernel/work.hpp"
#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

/// 64 bits of a string that differ where strings do, most likely; the same on every machine.
std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0);

struct Encoded {
  Buffer<std::int64_t> first;  ///< for each distinct text, the row where it was met first; ascending with its number
  Buffer<std::uint32_t> numbers;  ///< for each row, the number of its text
  std::size_t count = 0;  ///< of distinct strings
};

enum class Numbers : std::uint8_t { no, yes };

/// Whether most strings occur several times, by a sample.
bool has_repeats(const TextView& texts);

/// Numbers the strings in the order of first occurrence, at most 2^32 - 1 distinct ones; the rows' numbers, if they are
/// wanted.
Encoded encode(const array::Work& work, const TextView& texts, Numbers wanted);

}  // namespace atl::table
