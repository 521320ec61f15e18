// SPDX-License-Identifier: Apache-2.0
// Columns as keys, over all PEs.
#pragma once

#include <span>
#include <vector>

#include "atoll/array/engine.hpp"
#include "atoll/array/kernel/sort_key.hpp"

namespace atl::table {

/// The columns' ranges over all rows of all PEs. Collective; one read of the columns.
std::vector<array::KeyRange> ranges_of(array::Engine& engine, const std::vector<array::Array>& keys);

/// This PE's rows of the columns as one key. Throws ValueError when it has more than 64 bits.
array::CompositeKey composite(const std::vector<array::Array>& keys, std::span<const array::KeyRange> ranges);

}  // namespace atl::table
