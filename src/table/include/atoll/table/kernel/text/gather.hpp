// SPDX-License-Identifier: Apache-2.0
// Short strings by row numbers that jump about in a column larger than the caches.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "atoll/array/kernel/deal.hpp"
#include "atoll/table/kernel/text/spans.hpp"

namespace atl::table {

/// The strings of some rows, on their way to a column: dealt by where they lie, fetched, and dealt by where they go, so
/// that neither offsets nor bytes are waited for one row at a time.
///
/// A random read of memory takes 7 to 10 ns a row however it is fetched ahead, and a string is two of them: 10^7
/// strings of 1 to 15 bytes took 210 ms (one thread, AMD EPYC), dealt 100.
class GatheredTexts {
 public:
  /// Row rows[i] of the blocks, as locate() takes them. Nothing where locating them one by one is as fast (few rows,
  /// long strings, rows in order) or there is no memory for this: 24 bytes a row, and 8 for each of up to 16 million.
  static std::optional<GatheredTexts> of(const array::Work& work, std::span<const TextBlock> blocks,
                                         std::span<const std::int64_t> begins, const std::int64_t* rows,
                                         std::size_t count);

  /// Of all strings together.
  std::int64_t bytes() const { return starts_.back(); }
  /// offsets[0] = 0, offsets[i + 1] is where text i ends in `bytes`.
  void write(const array::Work& work, std::int64_t* offsets, char* bytes) const;

 private:
  /// A string of up to 16 bytes, or where it lies.
  struct Record {
    std::uint32_t length;
    char text[16];
  };
  using Records = array::Dealt<Record>;
  /// Positions a bucket has: lengths and strings of so many stay in a second-level cache.
  static constexpr unsigned target_shift = 15;

  GatheredTexts() = default;
  void place(const Records& from, std::size_t bucket, std::size_t first, Record* room, std::int64_t* offsets,
             char* bytes) const;

  Buffer<Record> room_;  // a bucket's for each thread
  std::vector<std::unique_ptr<Records>> rounds_;  // of up to `round_rows` positions each
  std::vector<std::int64_t> starts_;  // of each bucket's bytes, and the end
};

}  // namespace atl::table
