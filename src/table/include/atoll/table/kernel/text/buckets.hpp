// SPDX-License-Identifier: Apache-2.0
// One PE's texts in order: dealt into buckets by their first bytes, each bucket sorted in a cache.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "atoll/array/kernel/work.hpp"
#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

/// Texts in buckets, each text with its first 15 bytes at hand, so that short ones are not read from memory again: neither where they
/// tie, nor to write them in order.
class TextBuckets {
 public:
  /// Texts whose first `depth` bytes are equal. Nothing where sorting by words is as good: where texts are few, or so many begin alike
  /// that a bucket would be too much for one thread; or where there is no memory for it, some 25 bytes a text.
  static std::optional<TextBuckets> of(const array::Work& work, const TextView& texts, std::size_t depth);
  TextBuckets(TextBuckets&&) noexcept;
  TextBuckets& operator=(TextBuckets&&) noexcept;
  ~TextBuckets();

  /// Whether most texts are written from what is at hand. Long ones are waited for, one by one.
  bool mostly_short() const;

  /// rows[i] is the row of the text that is i-th in order, equal ones in order of rows; apart[i] whether it differs from the one before
  /// (null: not wanted).
  void order(const array::Work& work, std::int64_t* rows, bool* apart) const;
  /// All texts in order: text i is bytes [offsets[i], offsets[i + 1]), from 0 on.
  void write(const array::Work& work, std::int64_t* offsets, char* bytes) const;

  /// The distinct texts.
  class Distinct {
   public:
    std::size_t count() const { return static_cast<std::size_t>(rows_before_.back()); }
    std::int64_t bytes() const { return bytes_before_.back(); }
    /// In order, as TextBuckets::write, and the first row of each.
    void write(const array::Work& work, std::int64_t* offsets, char* bytes, std::int64_t* first) const;

   private:
    friend class TextBuckets;
    Buffer<char> bytes_;  // a bucket's where all of its texts would be
    Buffer<std::int64_t> ends_;
    Buffer<std::uint32_t> rows_;
    std::vector<std::int64_t> rows_from_, bytes_from_;      // where a bucket has room
    std::vector<std::int64_t> rows_before_, bytes_before_;  // how much all before it have
  };
  Distinct distinct(const array::Work& work) const;

 private:
  class Impl;
  explicit TextBuckets(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace atl::table
