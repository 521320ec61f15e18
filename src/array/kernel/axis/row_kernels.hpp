// SPDX-License-Identifier: Apache-2.0
// Private to axis reductions and row scans: operations between whole rows, element by element.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/array/kernel/scan.hpp"
#include "atoll/array/kernel/tree.hpp"

namespace atl::array {

// `acc` has the result's dtype (argmin, argmax: the input's, with a place beside it), `row` the input's.
struct RowKernels {
  /// acc = row, as a reduction of one row.
  void (*first)(void* acc, const void* row, std::size_t n);
  /// acc = acc ⊕ row.
  void (*add)(void* acc, const void* row, std::size_t n);
  /// acc = acc ⊕ other, both accumulators.
  void (*merge)(void* acc, const void* other, std::size_t n);
  /// acc = tree_rows rows, joined as a subtree: ((r0 ⊕ r1) ⊕ (r2 ⊕ r3)) ⊕ ((r4 ⊕ r5) ⊕ (r6 ⊕ r7)).
  void (*tree)(void* acc, const void* const* rows, std::size_t n);
  static constexpr unsigned tree_level = 3;
  static constexpr std::size_t tree_rows = std::size_t{1} << tree_level;
};
/// Not for argmin and argmax.
RowKernels find_row_kernels(Reduction kind, DType type);

struct PlaceKernels {
  /// Where row beats acc, acc becomes row and its place `place`.
  void (*add)(void* acc, std::int64_t* places, const void* row, std::int64_t place, std::size_t n);
  /// The same between two accumulators, `other` being of later rows.
  void (*merge)(void* acc, std::int64_t* places, const void* other, const std::int64_t* other_places, std::size_t n);
};
PlaceKernels find_place_kernels(Reduction kind, DType type);

/// out[i] = carry[i] ⊕ row[i], and carry becomes out: one step of a scan along axis 0. out may be row.
using RowScan = void (*)(void* out, void* carry, const void* row, std::size_t n);
RowScan find_row_scan(Scan kind, DType type);

/// Reduces each of `lines` consecutive runs of `length` (≥ 1, short) elements, in plain order; places: the index
/// within the run, for argmin and argmax (null otherwise).
using ShortLines = void (*)(void* out, std::int64_t* places, const void* in, std::size_t lines, std::size_t length);
ShortLines find_short_lines(Reduction kind, DType type);

/// Scans each of `lines` consecutive runs of `length` elements in plain order. out may be in.
using LineScan = void (*)(void* out, const void* in, std::size_t lines, std::size_t length);
LineScan find_line_scan(Scan kind, DType type);

}  // namespace atl::array
