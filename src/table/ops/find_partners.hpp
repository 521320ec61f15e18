// SPDX-License-Identifier: Apache-2.0
// The partners of every left row, two ways.
#pragma once

#include <optional>
#include <vector>

#include "atoll/array/engine.hpp"
#include "atoll/array/kernel/sort_key.hpp"
#include "atoll/table/kernel/join.hpp"

namespace atl::table {

/// The partners of this PE's left rows, the pairs that they make, and what lists lie in.
struct FoundPartners {
  array::Array partners;  // int64, a word for each row
  std::optional<JoinPairs> pairs;
  JoinTable table;
  std::vector<Buffer<std::int64_t>> kept;  // others read them, too
};

/// Right keys come to every PE, which looks up its own left rows. Memory: 40 to 75 bytes for each right row, on every
/// PE.
FoundPartners find_in_whole_table(array::Engine& engine, const array::CompositeKey& left,
                                  const array::CompositeKey& right, std::int64_t right_rows, JoinKind kind);

/// Keys of both sides are dealt to PEs by a hash, each row once, and meet there bucket by bucket, in the cache; the
/// partners come back. Rows of keys that many rows have stay where they are (match_heavy()). Memory: 16 bytes for each
/// row on this PE, and as many for rows of other nodes.
FoundPartners find_by_dealing(array::Engine& engine, const array::CompositeKey& left, const array::CompositeKey& right,
                              std::int64_t right_rows, JoinKind kind);

}  // namespace atl::table
