// SPDX-License-Identifier: Apache-2.0
// Counting values into bins, with NumPy's rules for edges.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/gather.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// The bins + 1 edges that numpy.linspace(low, high, bins + 1) gives.
void uniform_edges(double low, double high, std::size_t bins, double* edges);

/// numpy.histogram(values, bins, (low, high)): `counts` (bins of them) are overwritten. Bins are half open but the
/// last, which holds `high`; values outside and NaN are left out. low < high, both finite; bins >= 1. float32 is
/// compared with edges rounded to float32, as NumPy does.
void histogram_uniform(const Work& work, DType type, const void* values, std::size_t n, double low, double high,
                       std::size_t bins, std::int64_t* counts);
/// The same, adding weights; those of one bin in the order of the values, whatever the number of threads.
void histogram_uniform(const Work& work, DType type, const void* values, std::size_t n, double low, double high,
                       std::size_t bins, const double* weights, double* sums);

/// numpy.histogram(values, edges): bins + 1 edges that never fall.
void histogram_edges(const Work& work, DType type, const void* values, std::size_t n, const double* edges,
                     std::size_t bins, std::int64_t* counts);
void histogram_edges(const Work& work, DType type, const void* values, std::size_t n, const double* edges,
                     std::size_t bins, const double* weights, double* sums);

/// numpy.bincount for integers and bools in [0, bins). `counts` are overwritten. The first value outside is
/// returned, and the counts are then undefined.
BadIndex bincount(const Work& work, DType type, const void* values, std::size_t n, std::size_t bins,
                  std::int64_t* counts);
BadIndex bincount(const Work& work, DType type, const void* values, std::size_t n, std::size_t bins,
                  const double* weights, double* sums);

}  // namespace atl::array
