// SPDX-License-Identifier: Apache-2.0
// Reductions along axes, and scans.
#pragma once

#include <vector>

#include "atoll/array/engine.hpp"
#include "atoll/array/kernel/scan.hpp"
#include "atoll/array/kernel/tree.hpp"
#include "atoll/array/ops/elementwise.hpp"

namespace atl::array {

/// Reduces result 0 of a program over `shape` along the axes whose bits are set in `axes` (at least one); result 0 has
/// the accumulator's dtype. The program's other results are not stored.
Array reduce_axes(Engine& engine, Program program, std::vector<LeafSource> leaves, Shape shape, Reduction kind,
                  std::uint32_t axes);
/// Reduces the transpose of a matrix over one axis of the transpose, where the matrix lies, with the bits of
/// reduce_axes on a transposed copy. None when the bits would show the order of the elements (zeros or NaN among
/// extremes, sums and products that are not finite) or there is no kernel: then a copy must be made. One PE.
std::vector<Array> reduce_transposed(Engine& engine, Array matrix, Reduction kind, int axis);
/// Along one axis; the array has the result's dtype already.
Array scan_along(Engine& engine, Array array, Scan kind, int axis);

}  // namespace atl::array
