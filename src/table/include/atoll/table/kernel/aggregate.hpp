// SPDX-License-Identifier: Apache-2.0
// Groups one PE's rows by a key and aggregates columns per group, in one pass where groups are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/array/kernel/sort_key.hpp"
#include "atoll/array/kernel/work.hpp"
#include "atoll/base/memory.hpp"
#include "atoll/table/kernel/state.hpp"

namespace atl::table {

/// What an exact sum keeps aside of a value in a group.
struct Rest {
  std::uint64_t key;
  std::uint32_t spec;
  double value;
};

/// The groups of some rows, in ascending order of their keys.
struct Aggregated {
  std::size_t count = 0;
  Buffer<std::uint64_t> keys;             ///< chunk 0 of the key
  std::vector<Buffer<std::byte>> states;  ///< by spec: count states
  std::vector<Rest> rests;                ///< in any order
  /// No groups: a key lies outside the range that the CompositeKey was made for.
  bool outside = false;
  /// No groups: more was to be kept aside than is worth it (some rows in a hundred). Windows must fit the values
  /// better.
  bool crowded = false;
};

/// Aggregates the rows of `key`, which has one chunk at most. `specs` has one of kind rows or an exact sum at
/// `presence`: it says which groups there are.
///
/// The key may have been made for a range that does not hold all keys: that is noticed.
///
/// A table indexed by the key where its range is small; a hash table per thread where a sample promises few groups;
/// otherwise rows are moved into buckets by key first (array/kernel/partition.hpp), each of which is aggregated in the
/// cache. Cost: O(n), reads each column once; when groups are many each row moves once, and scratch has the size of the
/// key and columns.
Aggregated aggregate(array::Work work, const array::CompositeKey& key, std::span<const Column> columns,
                     std::span<const StateSpec> specs, std::size_t presence);

/// Some neighbouring groups, wherever they lie.
struct GroupsView {
  std::size_t count = 0;
  const std::uint64_t* keys = nullptr;
  std::vector<const std::byte*> states;  // by spec
};

/// Joins the groups of several parts, each in ascending order. Equal keys become one group.
Aggregated join(array::Work work, std::span<const GroupsView> parts, std::span<const StateSpec> specs);

}  // namespace atl::table
