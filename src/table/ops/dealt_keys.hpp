// SPDX-License-Identifier: Apache-2.0
// Dealt keys of all PEs: each PE has a range of the buckets.
#pragma once

#include <vector>

#include "atoll/array/ops/reach.hpp"
#include "atoll/table/kernel/deal_keys.hpp"
#include "atoll/table/kernel/join.hpp"

namespace atl::table {

/// The runs of all PEs that lie in this PE's buckets: used where they lie, or fetched from other nodes, each once.
class IncomingKeys {
 public:
  /// Collective; `mine` has `buckets_per_pe` buckets for every PE, and stays until all PEs are done with it.
  IncomingKeys(array::Engine& engine, const DealtKeys& mine, std::size_t buckets_per_pe);

  bool maps(std::uint32_t pe) const { return records_.maps(pe); }
  /// Appends the runs of a PE in this PE's bucket number `bucket`, in order of rows.
  void runs(std::uint32_t pe, std::size_t bucket, std::vector<KeyRun>& out) const;
  /// Brings what now stands in the runs back to their PEs, where it is after a barrier.
  void put_back();

 private:
  struct Section {
    std::uint64_t begin, words, lanes;
  };
  struct Peer {
    Section section;
    std::uint64_t* records;
    const std::uint64_t* counts;        // by bucket and lane
    std::vector<std::uint64_t> starts;  // by bucket, in words
    Buffer<std::uint64_t> fetched_records, fetched_counts;
  };

  array::Engine& engine_;
  std::size_t width_;
  array::Reach counts_, records_;
  std::vector<Peer> peers_;
};

/// The right rows of heavy keys stay where they are; a PE whose left rows have such a key fetches its rows.
struct HeavyPartners {
  std::vector<std::int64_t> partners;  // of each heavy key that a left row of this PE has; lists are addresses
  Buffer<std::int64_t> lists;
};
/// Keys that many of either side's rows have, hashed, ascending: the same on every PE. None on one PE. Collective.
std::vector<std::uint64_t> heavy_keys(array::Engine& engine, const array::CompositeKey& left,
                                      const array::CompositeKey& right);
/// Collective.
HeavyPartners match_heavy(array::Engine& engine, const BucketRule& rule, const DealtKeys& left, const DealtKeys& right);

}  // namespace atl::table
