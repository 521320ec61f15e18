// SPDX-License-Identifier: Apache-2.0
// Sorting and distinct values. The data crosses between PEs once.
#pragma once

#include <vector>

#include "atoll/array/engine.hpp"

namespace atl::array {

/// Sorted along the last axis, NaN last.
Array sort_array(Engine& engine, Array array);
/// Stable order along the last axis, int64.
Array argsort_array(Engine& engine, Array array);
/// Stable lexicographic order of 1-d arrays of one length, the first most significant.
Array coargsort_arrays(Engine& engine, std::vector<Array> keys);

/// What unique_array gives besides the sorted distinct values, in this order.
enum UniqueOutput : std::uint8_t { unique_index = 1, unique_inverse = 2, unique_counts = 4 };
/// Sorted distinct values of the flattened array (all NaN are one); then, as `outputs` asks, the first index of each,
/// the place of each element among them, and how often each occurs (int64; null where not asked).
std::vector<Array> unique_array(Engine& engine, Array array, std::uint8_t outputs);

/// Of a 1-d array: whether each element differs from the one before it (bool); all NaN are equal. Collective.
Array run_starts(Engine& engine, Array array);

}  // namespace atl::array
