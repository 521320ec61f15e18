// SPDX-License-Identifier: Apache-2.0
// Selecting by a mask.
#pragma once

#include "atoll/array/engine.hpp"

namespace atl::array {

/// array[mask]: a mask of the array's shape selects elements (the result is 1-d), a 1-d mask along axis 0 selects rows.
Array compress_rows(Engine& engine, Array array, Array mask);
/// Row-major indices of the trues.
Array find_true(Engine& engine, Array mask);
/// array[mask] = value: one element (or row), or as many as there are trues. In place.
void assign_mask(Engine& engine, Array array, Array mask, Array value);

}  // namespace atl::array
