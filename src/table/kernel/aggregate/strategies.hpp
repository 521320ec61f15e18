// SPDX-License-Identifier: Apache-2.0
// The three strategies of aggregate().
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>

#include "atoll/base/prefetch.hpp"
#include "kernel/aggregate/tables.hpp"

namespace atl::table {

/// Why threads stopped early.
struct Trouble {
  std::atomic<bool> outside{false}, crowded{false};

  bool any() const { return outside.load(std::memory_order_relaxed) || crowded.load(std::memory_order_relaxed); }
  Aggregated answer() const {
    Aggregated none;
    none.outside = outside.load(std::memory_order_relaxed);
    none.crowded = crowded.load(std::memory_order_relaxed);
    return none;
  }
};

/// What every way is given.
struct Task {
  array::Work work;
  const array::CompositeKey& key;
  std::span<const Column> columns;
  std::span<const StateSpec> specs;
  std::size_t presence;
  RowWords words;

  std::size_t state_bytes() const {
    std::size_t bytes = 0;
    for (const StateSpec& spec : specs) bytes += spec.bytes();
    return bytes;
  }
  /// A thread gives up when it has kept so much aside.
  std::size_t most_rests() const { return 4096 + key.rows() / 64; }
};

/// A table indexed by the key: `range` is one past the largest.
Aggregated aggregate_dense(const Task& task, std::size_t range);
/// A hash table per thread; nothing when there are more groups than it holds.
std::optional<Aggregated> aggregate_few(const Task& task);
inline constexpr std::size_t few_groups = 8192;
/// By buckets of rows. `sample` are keys of some of the rows.
Aggregated aggregate_many(const Task& task, std::vector<std::uint64_t> sample);

/// Reads one PE's rows block by block: keys and words.
class BlockReader {
 public:
  explicit BlockReader(const Task& task)
      : task_(task), scratch_(task.words.columns.size() * block_rows), words_(task.words.columns.size()) {}

  /// Rows [begin, begin + n), n up to block_rows: keys and words.
  void load(std::size_t begin, std::size_t n) {
    task_.key.load(begin, n, keys_);
    for (std::size_t i = 0; i < n; ++i) bits_ |= keys_[i];
    load_columns(begin, n);
  }
  /// The same with the keys as 32-bit codes. Asks for words as many rows further on as CompositeKey::load_codes() does
  /// for keys.
  void load_codes(std::size_t begin, std::size_t n, std::uint32_t* codes) {
    bits_ |= task_.key.load_codes(begin, n, codes);
    load_columns(begin, n);
    const std::size_t next = begin + 256;
    if (next + n > task_.key.rows()) return;
    for (const std::uint32_t column : task_.words.columns) {
      const std::size_t size = array::size_of(task_.columns[column].type);
      const char* at = static_cast<const char*>(task_.columns[column].data) + next * size;
      for (std::size_t byte = 0; byte < n * size; byte += 64) prefetch_for_read(at + byte);
    }
  }
  /// A key of this block or one before needs more bits than the key was made for.
  bool outside() const {
    return task_.key.chunks() != 0 && task_.key.width(0) < 64 && bits_ >> task_.key.width(0) != 0;
  }
  const std::uint64_t* keys() const { return keys_; }
  const std::uint64_t* const* words() const { return words_.data(); }
  std::int64_t first_row() const { return first_row_; }

 private:
  void load_columns(std::size_t begin, std::size_t n) {
    for (std::size_t i = 0; i < words_.size(); ++i)
      words_[i] = load_words(task_.columns[task_.words.columns[i]], begin, n, scratch_.data() + i * block_rows);
    first_row_ = static_cast<std::int64_t>(task_.key.first_row() + begin);
  }

  const Task& task_;
  std::uint64_t bits_ = 0;
  std::int64_t first_row_ = 0;
  alignas(64) std::uint64_t keys_[block_rows];
  std::vector<std::uint64_t> scratch_;
  std::vector<const std::uint64_t*> words_;
};

}  // namespace atl::table
