// SPDX-License-Identifier: Apache-2.0
// Which way of grouping suits a key.
#pragma once

#include <cstddef>
#include <optional>

#include "atoll/array/kernel/group.hpp"

namespace atl::array {

/// The key's range is small enough for a table indexed by it.
bool suits_table(const CompositeKey& key);
/// A sample of the rows promises few enough groups for a hash table in the cache.
bool suits_hash(const CompositeKey& key);
/// Nothing when there are more groups than the sample promised.
std::optional<Groups> group_by_hash(Work work, const CompositeKey& key, std::size_t n, GroupWants wants);

}  // namespace atl::array
