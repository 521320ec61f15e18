// SPDX-License-Identifier: Apache-2.0
// Reductions over some axes of an n-dimensional program, axis 0 being the one that is spread over PEs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/array/kernel/plan.hpp"
#include "atoll/array/kernel/tree.hpp"

namespace atl::array {

/// Bit d is set when axis d is reduced.
using AxisSet = std::uint32_t;

/// Reduces results[0] of the plan over `axes`, which must not hold axis 0: every local row by itself, in a fixed
/// order. `out`: dense over the kept axes, of dtype result_type(kind, results[0]). argmin and argmax: one axis; the
/// result is the index along it. Float sums and products as tree.hpp defines them: no exponent has bounds. min, max,
/// argmin and argmax need reduced axes without a 0 in their shape.
Outcome reduce_inner(const Plan& plan, Work& work, const Domain& domain, std::span<const Leaf> leaves, Reduction kind,
                     AxisSet axes, void* out);

/// Nodes of the tree over rows, each with one value per kept element of a row.
struct RowNodes {
  std::vector<TreeNode> nodes;             ///< bits and position unused
  std::vector<std::byte> values;  ///< nodes × width elements of the result dtype (argmin, argmax: the extremes)
  std::vector<std::int64_t> positions;  ///< argmin, argmax: nodes × width global row numbers; sums and products of
                                        ///< floats: exponents of the values, none while all are 0
  std::vector<std::byte> to_bytes() const;
  static RowNodes from_bytes(std::span<const std::byte> bytes);
};

/// Like TreeFold, with a row vector of `width` values per node.
class RowFold {
 public:
  /// `type`: the dtype of the reduced elements.
  RowFold(Reduction kind, DType type, std::uint64_t width);

  void push(const RowNodes& nodes);
  void push(TreeNode node, const std::byte* values, const std::int64_t* positions);
  void pad_to(std::uint64_t end);
  const RowNodes& nodes() const { return nodes_; }
  std::uint64_t width() const { return width_; }
  Reduction kind() const { return kind_; }
  /// Writes `width` results of dtype result_type(kind, type): for argmin and argmax the row numbers. Without rows:
  /// 0 for sum, 1 for prod, and so on; min, max, argmin, argmax must have had rows.
  void finish(void* out) const;
  /// The values themselves, as scans need them, and their exponents unless all are 0.
  void finish_values(void* out, std::vector<std::int64_t>& exponents) const;

 private:
  void merge_last();
  void merge_scaled(std::byte* left, std::byte* right);
  Reduction kind_;
  DType type_, value_type_;
  std::uint64_t width_;
  RowNodes nodes_;
};

/// Reduces results[0] over axis 0 and the other axes of `axes` (which must hold axis 0). `grid` counts rows: its
/// granule is what no PE border splits; domain.first must be such a border times the row's elements; `total_rows`
/// those of all PEs. Pushes the local rows' nodes into `fold`, whose width is the number of kept elements of a row.
/// argmin and argmax: axis 0 alone.
Outcome reduce_rows(const Plan& plan, Work& work, const Domain& domain, std::span<const Leaf> leaves, AxisSet axes,
                    std::uint64_t total_rows, const UnitGrid& grid, RowFold& fold);

/// Reduces a dense matrix of floats to one value per row, as reduce_rows would reduce a transposed copy over axis 0
/// whose rows are units by themselves. Sums and products. False where one left the range of its type: `out` is
/// meaningless.
[[nodiscard]] bool reduce_transposed_rows(Work& work, Reduction kind, DType type, const void* in, std::size_t rows,
                                          std::size_t columns, void* out);
/// The same to one value per column, as reduce_inner would reduce a transposed copy over axis 1.
[[nodiscard]] bool reduce_transposed_columns(Work& work, Reduction kind, DType type, const void* in, std::size_t rows,
                                             std::size_t columns, void* out);

}  // namespace atl::array
