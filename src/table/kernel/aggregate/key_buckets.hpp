// SPDX-License-Identifier: Apache-2.0
// Which bucket of neighbouring keys a row goes to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/array/kernel/partition.hpp"

namespace atl::table {

/// Buckets in order of keys. Ranges of equal width, or by magnitude, which are found in a few instructions
/// (array/kernel/partition.hpp), where these share a sample evenly; otherwise ranges between quantiles of the sample,
/// as where most keys lie close together and one far from them.
class KeyBuckets {
 public:
  /// About `buckets` of them. `width`: bits of the largest key; `sample` in any order.
  KeyBuckets(std::vector<std::uint64_t> sample, unsigned width, std::size_t buckets);

  std::size_t count() const { return borders_.empty() ? plan_.buckets() : shifts_.size(); }
  /// Keys of a bucket differ in this many low bits at most.
  unsigned shift(std::size_t bucket) const { return borders_.empty() ? plan_.shift(bucket) : shifts_[bucket]; }
  /// Which part of the sample lies in the bucket.
  double share(std::size_t bucket) const { return shares_[bucket]; }
  /// Of n keys, n up to array::CompositeKey::block.
  void find(const std::uint64_t* keys, std::size_t n, std::uint16_t* buckets) const;

 private:
  void split(const std::vector<std::uint64_t>& sample, unsigned width, std::size_t buckets);
  bool shares_evenly(const std::vector<std::uint64_t>& sample, std::size_t buckets) const;

  array::PartitionPlan plan_;
  std::vector<std::uint64_t> borders_;  // the first key of each bucket; behind them none, up to a power of two
  std::vector<std::uint8_t> shifts_;
  std::vector<double> shares_;
};

}  // namespace atl::table
