// SPDX-License-Identifier: Apache-2.0
// Private to reductions and scans: the value of one unit, in a fixed order of operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/array/kernel/tree.hpp"

namespace atl::array {

/// Value of `count` (1 … UnitGrid::max_unit) elements, as TreeNode::bits holds it. For argmin and argmax the extreme.
/// The order depends on `count` and the dtype alone: 256-byte blocks of lanes, then the lanes pairwise.
using UnitKernel = std::uint64_t (*)(const void* data, std::size_t count);

/// The same for `units` units of `length` elements each, one behind the other: bits[u] is the value of unit u.
using EachUnitKernel = void (*)(const void* data, std::size_t length, std::size_t units, std::uint64_t* bits);

struct UnitKernels {
  UnitKernel one;
  EachUnitKernel each;
};
UnitKernels find_unit_kernels(Reduction kind, DType type);
/// Those of min, max and their places.
UnitKernels find_extreme_kernels(Reduction kind, DType type);

/// First index below `count` of the value (or of a NaN, when the value is one). It must be there.
using LocateKernel = std::size_t (*)(const void* data, std::size_t count, std::uint64_t bits);
LocateKernel find_locate_kernel(DType type);

/// Whether extreme `x` at place p goes before extreme `y` at place q.
using PrecedesKernel = bool (*)(std::uint64_t x, std::uint64_t p, std::uint64_t y, std::uint64_t q);
PrecedesKernel find_precedes(Reduction kind, DType type);

}  // namespace atl::array
