// SPDX-License-Identifier: Apache-2.0
// Runs of equal neighbours.
#pragma once

#include "atoll/array/engine.hpp"

namespace atl::array {

/// Of a 1-d array: whether each element differs from the one before it (bool); all NaN are equal. Collective.
Array run_starts(Engine& engine, Array array);

}  // namespace atl::array
