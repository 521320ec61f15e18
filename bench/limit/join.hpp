// SPDX-License-Identifier: Apache-2.0
// A hand-written join without any of the engine's machinery: what the machine can do, as a contender in benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/base/parallel.hpp"

namespace atl::limit {

/// Row numbers of pairs with equal keys, where right keys are different from each other, in room for as many pairs as
/// left rows. A thread writes the pairs of its left rows, in order, from the place of the first of these on; behind
/// them `rights` stays as it was, or is -1.
void join(ThreadPool& threads, const std::int64_t* left, std::size_t n, const std::int64_t* right,
          std::size_t right_rows, std::int64_t* lefts, std::int64_t* rights);

}  // namespace atl::limit
