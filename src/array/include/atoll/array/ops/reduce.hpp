// SPDX-License-Identifier: Apache-2.0
// Reductions along axes, and scans.
#pragma once

#include "atoll/array/engine.hpp"
#include "atoll/array/kernel/scan.hpp"
#include "atoll/array/kernel/tree.hpp"

namespace atl::array {

/// Removes the axes whose bits are set in `axes` (at least one). The array has the accumulator's dtype already.
Array reduce_axes(Engine& engine, Array array, Reduction kind, std::uint32_t axes);
/// Along one axis; the array has the result's dtype already.
Array scan_along(Engine& engine, Array array, Scan kind, int axis);

}  // namespace atl::array
