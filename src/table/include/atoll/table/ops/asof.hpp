// SPDX-License-Identifier: Apache-2.0
// As-of joins of distributed columns that are in order.
#pragma once

#include <vector>

#include "atoll/array/command.hpp"
#include "atoll/array/engine.hpp"
#include "atoll/table/kernel/window/asof.hpp"

namespace atl::table {

/// For each left row the row of the nearest right key that is not later (backward), not earlier (forward), or either
/// (nearest; of two equally near the earlier one): int64, -1 where there is none, or none within `tolerance`. Of equal
/// right keys the last row is taken backward, the first one forward.
///
/// Keys are int64, uint64 or float64 without NaN, of one dtype. `left_by` and `right_by` (int64, both or neither): only
/// rows of equal values are joined. Either side is in order of these and then of its keys; without them a ValueError
/// says when it is not. `tolerance` is not negative, in the keys' unit, or infinite: any distance. Collective: every PE
/// reads the right rows that its left ones may meet, where they are its own in place. MemoryError on every PE when the
/// others' do not fit.
array::Array asof_rows(array::Engine& engine, array::Array left, array::Array left_by, array::Array right,
                       array::Array right_by, AsofDirection direction, ExactMatches exact, double tolerance);

}  // namespace atl::table
