// SPDX-License-Identifier: Apache-2.0
// Cumulative sums, products, maxima and minima of local memory, with the same bits for any number of PEs and threads.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/array/kernel/axis.hpp"
#include "atoll/array/kernel/tree.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

enum class Scan : std::uint8_t { cumsum, cumprod, cummax, cummin };
/// The reduction whose tree holds the scan's carries.
Reduction reduction_of(Scan kind);

/// out[i] = carry ⊕ in[0] ⊕ … ⊕ in[i] over `count` dense elements, of which the first is global element `first`
/// (a granule's border) of `total`. The carry into a unit is the tree's value of all units before it (its maximal
/// aligned subtrees, folded right to left); inside a unit the order is fixed too. `before`: nodes of all elements
/// before `first` (the previous PEs' lists pushed into one TreeFold), empty when first is 0. out must not overlap in.
/// One pass over memory; threads take blocks in turn. Sums and products of floats are evaluated as the tree's are, with
/// exponents that have no bounds: an element is infinite or zero only where its own rounding makes it so, and what
/// comes after is in range again where its value is.
void scan(Work& work, Scan kind, DType type, const void* in, void* out, std::uint64_t count, std::uint64_t first,
          std::uint64_t total, const UnitGrid& grid, std::span<const TreeNode> before);

/// Along the middle of [outer, length, inner], each line from its start in plain order (NumPy's bits, also where they
/// overflow). out may be in.
void scan_axis(Work& work, Scan kind, DType type, const void* in, void* out, std::uint64_t outer, std::uint64_t length,
               std::uint64_t inner);

/// Along axis 0 of `rows` local rows of `width` elements, first_row being the global number of the first (a granule's
/// border of `grid`, which counts rows) of `total_rows`. `before`: nodes of all rows before, of scan_row_nodes
/// merged by a RowFold; null when first_row is 0. out must not overlap in. Exponents have no bounds, as in scan.
void scan_rows(Work& work, Scan kind, DType type, const void* in, void* out, std::uint64_t rows, std::uint64_t width,
               std::uint64_t first_row, std::uint64_t total_rows, const UnitGrid& grid, const RowNodes* before);

/// Pushes the nodes of these rows, as scan_rows adds them, for the `before` of the PEs that follow. (reduce_rows adds
/// in another order: its last bits may differ.)
void scan_row_nodes(Work& work, Scan kind, DType type, const void* in, std::uint64_t rows, std::uint64_t width,
                    std::uint64_t first_row, std::uint64_t total_rows, const UnitGrid& grid, RowFold& fold);

}  // namespace atl::array
