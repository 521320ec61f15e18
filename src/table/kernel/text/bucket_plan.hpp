// SPDX-License-Identifier: Apache-2.0
// Which bucket a string goes to, by a sample of the strings.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "atoll/table/kernel/text/buckets.hpp"
#include "kernel/text/codes.hpp"

namespace atl::table {

/// Buckets are ranges of cells; a cell is what keys have in common in their first bits. Many enough for the sample's
/// strings to spread evenly, few enough to stay in a cache.
class BucketPlan {
 public:
  static constexpr unsigned cell_bits = 14;

  /// The images of some strings, as words: as many as this part of all strings is to give.
  static std::vector<std::uint64_t> sample(const TextView& texts, const TextBuckets::Terms& terms, std::uint64_t seed);
  /// With codes for the bytes of the sample, or for all. Nothing where a bucket would hold too many of the strings.
  static std::optional<BucketPlan> of(std::span<const std::uint64_t> sample, const TextBuckets::Terms& terms);

  std::size_t buckets() const { return buckets_; }
  std::size_t bucket_of(std::uint64_t key) const { return bucket_of_cell_[key >> (64 - cell_bits)]; }
  const ByteCodes& codes() const { return codes_; }
  /// How many strings a bucket may hold: what one thread sorts soon, or a part of all that leaves the others something
  /// to do.
  std::size_t most_rows() const { return most_rows_; }
  bool mostly_short() const { return mostly_short_; }

 private:
  std::vector<std::uint16_t> bucket_of_cell_;
  std::size_t buckets_ = 0;
  ByteCodes codes_;
  std::size_t most_rows_ = 0;
  bool mostly_short_ = true;
};

}  // namespace atl::table
