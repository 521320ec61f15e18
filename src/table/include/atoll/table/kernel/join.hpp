// SPDX-License-Identifier: Apache-2.0
// Which rows of two tables have equal keys, on one PE: one side's rows are put into a hash table, the other's are looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/array/kernel/sort_key.hpp"
#include "atoll/array/kernel/work.hpp"
#include "atoll/base/memory.hpp"

namespace atl::table {

/// The rows of one side, found by key: a table of cache lines with five keys each, so that a look costs one miss and no guess.
class JoinTable {
 public:
  /// Row i has key keys[i]. Cost: a random access to the table per row, several under way at once; memory of 32 to 64 bytes per
  /// row, and 8 more where keys repeat.
  JoinTable(array::Work work, std::span<const std::uint64_t> keys);

  /// For a row of the other side: the number of its key here, which is its first row, or `none`.
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// numbers[i] for keys[i], n of them.
  void find(const std::uint64_t* keys, std::size_t n, std::uint32_t* numbers) const;

  /// No key repeats: a number is the one row.
  bool unique() const { return rows_.size() == 0; }
  /// The rows with the key of a number, ascending; where keys repeat.
  std::span<const std::uint32_t> rows(std::uint32_t number) const {
    return {rows_.data() + begins_[number], begins_[number + 1] - begins_[number]};
  }
  std::size_t count(std::uint32_t number) const { return unique() ? 1 : begins_[number + 1] - begins_[number]; }

 private:
  static constexpr std::size_t line_keys = 5;
  static constexpr std::uint32_t go_on = none - 1;  ///< keys that belong here are in the next line, too
  /// Filled from the front. Of a key that is not there the first free place is found, or the one behind the last.
  struct alignas(64) Line {
    std::uint64_t keys[line_keys];
    std::uint32_t numbers[line_keys + 1];  // `none`: free; the last: none or go_on
  };
  static_assert(sizeof(Line) == 64);

  std::size_t place(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15ull) >> shift_; }
  std::size_t after(std::size_t line) const { return (line & ~part_mask_) | ((line + 1) & part_mask_); }
  static unsigned place_in(const Line& line, std::uint64_t key);
  bool fill(array::Work work, std::span<const std::uint64_t> keys, std::uint32_t* numbers, std::size_t parts);
  void list_rows(std::span<const std::uint32_t> numbers);

  Buffer<Line> lines_;
  std::size_t part_mask_ = 0;  ///< lines that a key may lie in have the other bits in common
  unsigned shift_ = 0;
  Buffer<std::uint32_t> begins_;  // by number, and the end
  Buffer<std::uint32_t> rows_;
};

/// What a join keeps of a left row.
enum class JoinKind : std::uint8_t {
  inner,  ///< a pair with every right row of its key
  left,   ///< the same, or one pair without a right row (-1)
  semi,   ///< the row itself when its key is on the right
  anti,   ///< the row itself when it is not
};

/// The pairs of a join under way: first how many there are, then their rows.
class JoinMatches {
 public:
  /// Looks up every left row. Scratch of 4 bytes per row.
  JoinMatches(array::Work work, const array::CompositeKey& left, const JoinTable& right, JoinKind kind);

  std::size_t count() const { return begins_.back(); }
  /// Writes the pairs, in order of left and then of right rows. Left rows are numbered as the key numbers them; `right_rows` is
  /// null for semi and anti.
  void write(array::Work work, std::int64_t* left_rows, std::int64_t* right_rows) const;

 private:
  std::size_t pairs_of(std::uint32_t number) const;
  void write_unique(std::size_t begin, std::size_t end, std::int64_t* left_rows, std::int64_t* right_rows) const;

  const JoinTable& right_;
  JoinKind kind_;
  std::int64_t first_row_;
  Buffer<std::uint32_t> numbers_;    // by left row
  std::vector<std::size_t> begins_;  // of the pairs of each block of rows, and the end
};

}  // namespace atl::table
