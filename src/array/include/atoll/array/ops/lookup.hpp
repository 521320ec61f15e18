// SPDX-License-Identifier: Apache-2.0
// Finding and counting values.
#pragma once

#include "atoll/array/engine.hpp"
#include "atoll/array/kernel/lookup.hpp"

namespace atl::array {

/// Where each of `values` would go in the sorted 1-d `table` of the same dtype.
Array search_sorted(Engine& engine, Array table, Array values, Side side);
/// Whether each element is among those of `test`, of the same dtype.
Array is_in(Engine& engine, Array array, Array test);
/// int64 counts of numpy.histogram(array, bins, (low, high)).
Array histogram_between(Engine& engine, Array array, double low, double high, std::int64_t bins);
/// numpy.histogram(array, edges, weights): float64 edges that never fall; int64 counts, or float64 sums of float64
/// weights of the array's shape (null: none).
Array histogram_at(Engine& engine, Array array, Array edges, Array weights);
/// numpy.bincount of an integer array: max(minlength, largest + 1) counts, or sums of float64 weights (null: none).
Array count_bins(Engine& engine, Array array, std::int64_t minlength, Array weights);

}  // namespace atl::array
