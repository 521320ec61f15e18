// SPDX-License-Identifier: Apache-2.0
// Private to reductions: sums of products, of squared distances and of converted elements, computed in registers from
// the arrays in memory. The bits are those of a sum of stored elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "atoll/array/kernel/plan.hpp"

namespace atl::array {

enum class FusedForm : std::uint8_t {
  none,
  product,   ///< x[i] * y[i]
  widened,   ///< double(x[i])
  distance,  ///< (double(x[i]) - y)²
};

/// Kernels of one form and type, see FusedSum.
struct FusedKernels {
  std::uint64_t (*unit)(const void* x, const void* y, std::size_t count) = nullptr;
  void (*tree)(void* acc, const void* const* x, const void* const* y, std::size_t count) = nullptr;
};

/// One sum whose elements are computed on the way, where program and leaves allow it.
class FusedSum {
 public:
  enum class Along : std::uint8_t {
    everything,  ///< one result
    lines,       ///< one result for each line: the last axes are reduced
    rows,        ///< one result for each element of a row: axis 0 is reduced
  };
  FusedSum(const Program& program, Reduction kind, const Domain& domain, std::span<const Leaf> leaves, Along along);

  bool is_usable() const { return form_ != FusedForm::none; }
  /// The sum of `count` elements from local element `begin` on, at most a unit, which are of line `line`. Not finite
  /// where an element or the sum left the range: then the program must be run.
  std::uint64_t unit(std::uint64_t begin, std::size_t count, std::uint64_t line = 0) const {
    const void* y = &bits_;
    if (y_ != nullptr) y = y_ + (form_ == FusedForm::product ? begin : y_moves_ ? line : 0) * y_size_;
    return kernels_.unit(x_ + begin * x_size_, y, count);
  }
  /// The tree of so many rows (that of RowKernels) for `count` columns from `column` on of the rows of `row_elements`
  /// from `row` on.
  static constexpr std::size_t tree_rows = 8;
  void tree(void* acc, std::uint64_t row, std::uint64_t row_elements, std::uint64_t column, std::size_t count) const;

 private:
  FusedForm form_ = FusedForm::none;
  const std::byte *x_ = nullptr, *y_ = nullptr;
  std::size_t x_size_ = 1, y_size_ = 1;
  bool y_moves_ = false;  // y_ of a distance is one number for each line or column, not one for all
  std::uint64_t bits_ = 0;  // of a constant, where y_ is null
  FusedKernels kernels_;
};

}  // namespace atl::array
