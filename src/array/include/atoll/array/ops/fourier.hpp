// SPDX-License-Identifier: Apache-2.0
// Fourier transforms along the last axis of distributed arrays: each PE its rows.
#pragma once

#include <vector>

#include "atoll/array/engine.hpp"

namespace atl::array {

/// Real and imaginary parts of the transforms, not scaled, of `re` and `im` (null: zeros), float32 or float64 of at least two axes.
std::vector<Array> fourier(Engine& engine, Array re, Array im, bool backward);

}  // namespace atl::array
