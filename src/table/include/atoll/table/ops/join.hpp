// SPDX-License-Identifier: Apache-2.0
// Joins of distributed columns, as row numbers.
#pragma once

#include <vector>

#include "atoll/array/command.hpp"
#include "atoll/array/engine.hpp"
#include "atoll/table/kernel/join.hpp"

namespace atl::table {

/// The rows of two tables with equal keys (all NaN are equal, and so are -0.0 and 0.0): row numbers of the left table
/// and, but for semi and anti, of the right one, int64, in order of left and then of right rows. Key i of either side
/// has the same dtype.
///
/// A small right side's keys come to every PE, which looks up its own left rows; else the keys of both sides go to PEs
/// by a hash, each row once, in buckets that meet in the cache, and partners come back. Rows of keys that many rows
/// have stay where they are. Every PE writes the pairs of its left rows to where they belong. Throws MemoryError on
/// every PE, before anything is made, when the pairs do not fit; ValueError when the keys together span more than 64
/// bits. Collective.
std::vector<array::Array> join_rows(array::Engine& engine, std::vector<array::Array> left,
                                    std::vector<array::Array> right, JoinKind kind);

}  // namespace atl::table
