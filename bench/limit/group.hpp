// SPDX-License-Identifier: Apache-2.0
// Hand-written group-by loops without any of the engine's machinery: what the machine can do, as a contender in
// benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/base/parallel.hpp"

namespace atl::limit {

/// Sum and mean of the values of each key; keys are below `groups`; those that do not occur get 0 and NaN. Plain sums:
/// they depend on threads.
void group_sum(ThreadPool& threads, const std::int64_t* keys, const double* values, std::size_t n, std::size_t groups,
               double* sums, double* means);

}  // namespace atl::limit
