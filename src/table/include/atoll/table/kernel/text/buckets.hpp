// SPDX-License-Identifier: Apache-2.0
// Strings in order: dealt into buckets by their first bytes, each bucket sorted in a cache.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "atoll/array/kernel/work.hpp"
#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

/// Strings in buckets, each string with its first 15 bytes at hand, so that short ones are not read from memory again:
/// neither where they tie, nor to write them in order.
///
/// Where several have parts of the strings, each deals its own by the same plan, and then sorts the buckets of a range
/// with what all have dealt into them (`share`).
class TextBuckets {
 public:
  /// The plan that all PEs agree on before strings are dealt.
  struct Terms {
    std::size_t depth = 0;  // so many first bytes are equal
    std::size_t rows = 0;   // of all
    unsigned threads = 1;   // of all
    enum class Bytes : std::uint8_t { of_sample, any } bytes = Bytes::of_sample;
  };
  /// The beginnings of some strings, to be put together with those of others.
  static std::vector<std::uint64_t> sample(const TextView& texts, const Terms& terms, std::uint64_t seed);
  /// Deals by a sample of all strings. Nothing where sorting by words is as good: where strings are few, or so many
  /// begin alike that a bucket would be too much for one thread; that depends on terms and sample alone. MemoryError:
  /// 25 bytes a string are needed.
  static std::optional<TextBuckets> deal(const array::Work& work, const TextView& texts, const Terms& terms,
                                         std::span<const std::uint64_t> sample);
  /// All of that for strings of a single PE; nullopt also if there is no memory for it.
  static std::optional<TextBuckets> of(const array::Work& work, const TextView& texts, std::size_t depth);
  TextBuckets(TextBuckets&&) noexcept;
  TextBuckets& operator=(TextBuckets&&) noexcept;
  ~TextBuckets();

  /// Whether the strings had no bytes but those of the sample. If not, nothing below is of use: deal again, on terms of
  /// any bytes.
  bool fit() const;
  /// Whether most strings are written from what is at hand. Long ones are waited for, one by one.
  bool mostly_short() const;
  /// Too much for one thread, for all that the sample said.
  bool crowded() const;

  /// What one has dealt, where it lies.
  struct Dealt {
    const void *lists, *next, *rows, *images;
    const std::int64_t* offsets;
    const char* bytes;
    std::size_t threads;
    std::size_t first_row;
  };
  Dealt dealt() const;
  /// Of each bucket, how many strings, and how many bytes these have.
  struct Size {
    std::int64_t rows, bytes;
  };
  const std::vector<Size>& sizes() const;
  /// Takes buckets [begin, end) of what all have dealt, in order of rows. `sizes` are everybody's, added up.
  void share(std::span<const Dealt> dealt, std::vector<Size> sizes, std::size_t begin, std::size_t end);

  // -- of the buckets shared, or all --

  std::int64_t rows() const;
  std::int64_t bytes() const;
  /// rows[i] is the row of the string that is i-th in order, equal ones in order of rows; apart[i] whether it differs
  /// from the one before, also if that is in another's buckets (null: not wanted).
  void order(const array::Work& work, std::int64_t* rows, bool* apart) const;
  /// All strings in order: text i is bytes [offsets[i], offsets[i + 1]), from 0 on.
  void write(const array::Work& work, std::int64_t* offsets, char* bytes) const;

  /// The distinct strings.
  class Distinct {
   public:
    std::size_t count() const { return static_cast<std::size_t>(rows_before_.back()); }
    std::int64_t bytes() const { return bytes_before_.back(); }
    /// In order, as TextBuckets::write, and the first row of each.
    void write(const array::Work& work, std::int64_t* offsets, char* bytes, std::int64_t* first) const;

   private:
    friend class TextBuckets;
    Buffer<char> bytes_;  // a bucket's where all of its strings would be
    Buffer<std::int64_t> ends_;
    Buffer<std::uint32_t> rows_;
    std::vector<std::int64_t> rows_from_, bytes_from_;  // where a bucket has room
    std::vector<std::int64_t> rows_before_, bytes_before_;  // how much all before it have
  };
  Distinct distinct(const array::Work& work) const;

 private:
  class Impl;
  explicit TextBuckets(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace atl::table
