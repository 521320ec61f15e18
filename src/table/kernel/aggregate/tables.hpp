// SPDX-License-Identifier: Apache-2.0
// A thread's states, one table per spec, and the rows that enter them block by block.
#pragma once

#include <span>
#include <vector>

#include "atoll/base/memory.hpp"
#include "atoll/table/kernel/aggregate.hpp"

namespace atl::table {

/// Which words a row brings along beside its key: the columns that specs read, and its number where one asks for it.
struct RowWords {
  std::vector<std::uint32_t> columns;  // ascending
  std::vector<std::uint32_t> place;    // by spec: of its column in `columns`
  bool row_number = false;             // a word behind the columns

  explicit RowWords(std::span<const StateSpec> specs);
  std::size_t count() const { return columns.size() + (row_number ? 1 : 0); }
};

class StateTables {
 public:
  StateTables(Memory& memory, std::span<const StateSpec> specs, std::size_t capacity);

  std::size_t capacity() const { return capacity_; }
  void clear(std::size_t begin, std::size_t end);
  /// Rows that lie where they were: words[i] are those of RowWords::columns[i].
  void update(const RowWords& layout, const std::uint32_t* codes, const std::uint64_t* const* words, std::size_t n,
              std::int64_t first_row);
  /// Rows that have been moved: their numbers come behind the columns' words.
  void update_moved(const RowWords& layout, const std::uint32_t* codes, const std::uint64_t* const* words,
                    std::size_t n);
  /// states[codes[i]] takes in other's state i, i below n. Without codes state i does. Rests stay where they are.
  void join(const StateTables& other, const std::uint32_t* codes, std::size_t n);
  /// A group has this many rows, or 0.
  bool present(std::size_t presence, std::size_t code) const;
  /// Copies the states of these codes, of every spec, to `out` at `at`.
  void copy_to(std::vector<Buffer<std::byte>>& out, std::size_t at, std::span<const std::uint32_t> codes) const;
  /// Appends what sums keep aside since the last call to `out`, of codes whose keys `key_of(code)` are.
  template <class KeyOf>
  void take_rests(std::vector<Rest>& out, KeyOf&& key_of) {
    for (std::uint32_t spec = 0; spec < specs_.size(); ++spec) {
      for (const CodeRest& rest : rests_[spec]) out.push_back({key_of(rest.code), spec, rest.value});
      rests_[spec].clear();
    }
  }
  std::size_t rests() const {
    std::size_t count = 0;
    for (const auto& rests : rests_) count += rests.size();
    return count;
  }

 private:
  std::span<const StateSpec> specs_;
  std::size_t capacity_;
  std::vector<Buffer<std::byte>> tables_;
  std::vector<std::vector<CodeRest>> rests_;  // by spec
};

/// Room for `count` groups.
Aggregated make_aggregated(Memory& memory, std::span<const StateSpec> specs, std::size_t count);

}  // namespace atl::table
