// SPDX-License-Identifier: Apache-2.0
// Which rows of two tables have equal keys, on one PE: one side's rows are put into a hash table, the other's are
// looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/array/kernel/work.hpp"
#include "atoll/base/memory.hpp"

namespace atl::table {

/// A left row's partners in one word: the one right row, none, or a list, which is its length and then its rows,
/// ascending, somewhere among words that its finder tells.
class Partners {
 public:
  static constexpr std::int64_t none = -1;
  static constexpr std::int64_t list(std::uint64_t at) { return -2 - static_cast<std::int64_t>(at); }
  static constexpr bool is_list(std::int64_t partners) { return partners < none; }
  /// Where a list is, in words.
  static constexpr std::uint64_t place(std::int64_t partners) { return static_cast<std::uint64_t>(-2 - partners); }
};

/// The rows of one side, found by key: a table of cache lines with five keys each, so that a look costs one miss and no
/// guess.
class JoinTable {
 public:
  /// Row i has key keys[i], and is called rows[i], ascending, or i without `rows`, which stay where they are. What was
  /// in the table is forgotten, its memory kept. Cost: a random access to the table per row, several under way at once;
  /// memory of 32 to 64 bytes per row, 4 for a while, and up to 20 more where keys repeat.
  void fill(array::Work work, std::span<const std::uint64_t> keys, const std::int64_t* rows = nullptr);

  /// partners[i] of a row of the other side with keys[i], n of them; they may lie where the keys do.
  void find(const std::uint64_t* keys, std::size_t n, std::int64_t* partners) const;
  /// No key repeats: there are no lists.
  bool unique() const { return !repeats_; }
  /// What places of lists count from, and how many words there are.
  const std::int64_t* lists() const { return lists_.data(); }
  std::size_t list_words() const { return list_words_; }

 private:
  static constexpr std::size_t line_keys = 5;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
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
  bool enter(array::Work work, std::span<const std::uint64_t> keys, std::size_t parts);
  void list_rows(array::Work work, std::size_t n);
  std::int64_t row(std::size_t i) const { return rows_ == nullptr ? static_cast<std::int64_t>(i) : rows_[i]; }

  Buffer<Line> lines_;  // lines_used_ of them
  std::size_t lines_used_ = 0;
  std::size_t part_mask_ = 0;  ///< lines that a key may lie in have the other bits in common
  unsigned shift_ = 0;
  const std::int64_t* rows_ = nullptr;
  bool repeats_ = false;
  Buffer<std::uint32_t> numbers_;  // by row: the first row of its key
  Buffer<std::int64_t> heads_;  // by number: its key's partners; where keys repeat
  Buffer<std::int64_t> lists_;
  std::size_t list_words_ = 0;
};

/// What a join keeps of a left row.
enum class JoinKind : std::uint8_t {
  inner,  ///< a pair with every right row of its key
  left,  ///< the same, or one pair without a right row (-1)
  semi,  ///< the row itself when its key is on the right
  anti,  ///< the row itself when it is not
};

/// The pairs of a join whose left rows' partners are known: first how many there are, then their rows.
class JoinPairs {
 public:
  /// Left row first_row + i has partners[i], to be written before they are counted, whose lists lie behind `lists`
  /// (null: their places are addresses, in words).
  JoinPairs(std::span<std::int64_t> partners, std::int64_t first_row, const std::int64_t* lists, JoinKind kind);

  /// Counts the pairs of a block of block_rows rows; any thread, each block once. Then, once, adds them up.
  void count_block(std::size_t block);
  void add_up();

  std::size_t count() const { return begins_.back(); }
  /// Whether a row may have several pairs.
  bool has_lists() const { return has_lists_; }
  /// Writes pairs [begin, end), in order of left and then of right rows, of either side where there is room for it.
  void write(array::Work work, std::size_t begin, std::size_t end, std::int64_t* left_rows,
             std::int64_t* right_rows) const;
  /// The same for all pairs, when there are no lists: the right rows come to lie where the partners did.
  void write_in_place(array::Work work, std::int64_t* left_rows);

 private:
  std::size_t pairs_of(std::int64_t partners) const;
  const std::int64_t* list(std::int64_t partners) const;
  std::size_t write_block(std::size_t block, std::int64_t* left_rows, std::int64_t* right_rows) const;
  void write_pairs(std::size_t begin, std::size_t end, std::int64_t* left_rows, std::int64_t* right_rows) const;

  std::span<std::int64_t> partners_;
  std::int64_t first_row_;
  const std::int64_t* lists_;
  JoinKind kind_;
  bool has_lists_ = false;
  std::vector<std::size_t> begins_;  // of the pairs of each block of rows, and the end
  std::vector<std::uint8_t> listed_;  // whether a block has rows with lists
};

}  // namespace atl::table
