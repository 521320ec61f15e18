// SPDX-License-Identifier: Apache-2.0
// Private to axis reductions: reducing the inner axes of a block of rows that lies in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/array/kernel/axis.hpp"
#include "kernel/axis/row_kernels.hpp"
#include "kernel/reduce/unit.hpp"

namespace atl::array {

/// A run of `length` dense elements to one value, in a fixed order: units of the reduction tree.
class LineReducer {
 public:
  LineReducer(Reduction kind, DType type);
  /// `count` lines of at most max_unit elements each, one behind the other. `places` may be null unless the kind is
  /// argmin or argmax. Writes one value of the accumulator's dtype for each.
  void reduce_units(void* out, std::int64_t* places, const void* lines, std::size_t length, std::size_t count) const;
  /// One of any length; the flags tell when it left the range of its type.
  void reduce(void* out, std::int64_t* place, const void* line, std::size_t length);
  /// In pieces of at most max_unit elements, all but the last of that many.
  void begin() {
    fold_.clear();
    units_ = 0;
    position_ = 0;
    best_.empty = 1;
  }
  void push(const void* piece, std::size_t count);
  /// The same with the piece's value; only sums.
  void push_sum(std::uint64_t bits, std::size_t count);
  void end(void* out, std::int64_t* place) const;
  /// Shorter lines are cheaper by find_short_lines, whose order is another: decide by the length alone.
  static bool is_short(std::size_t length) { return length <= 32; }

 private:
  void reduce_unit(void* out, const void* line, std::size_t length) const;
  bool places_, product_;
  std::size_t size_, out_size_;
  UnitReduction unit_;
  LocateKernel locate_;
  PrecedesKernel precedes_;
  TreeFold fold_;
  TreeNode best_;  ///< of argmin and argmax, instead of fold_
  std::uint64_t units_ = 0, position_ = 0;
};

/// The dtype reductions accumulate in (argmin and argmax: the extremes').
DType accumulator_type(Reduction kind, DType type);
/// What a reduction of accumulators is: counts are summed up.
Reduction continued(Reduction kind);
/// Writes the value of a reduction of nothing `count` times. ValueError where there is none.
void fill_empty(Reduction kind, DType type, void* out, std::size_t count);

/// Axes in groups of kept and reduced ones, neighbours of one sort merged, extents of 1 left out.
struct AxisGroup {
  bool reduced;
  std::uint64_t extent;
};
std::vector<AxisGroup> group_axes(const Domain& domain, int first_axis, AxisSet axes);

/// Reduces `rows` rows, each of `groups` (row-major), to accumulators.
class InnerReducer {
 public:
  InnerReducer(Reduction kind, DType type, std::vector<AxisGroup> groups);
  std::uint64_t row_elements() const { return row_elements_; }
  std::uint64_t kept_elements() const { return kept_elements_; }
  /// `out`: rows × kept accumulators; `places` for argmin and argmax.
  void reduce(void* out, std::int64_t* places, const void* in, std::size_t rows);
  /// The same in the same order with exponents apart, for sums and products of floats. `exponents`: of the results, or
  /// null to round these.
  void reduce_scaled(void* out, std::int64_t* exponents, const void* in, std::size_t rows) const;

 private:
  /// One reduced group of those still there, the innermost first.
  struct Level {
    std::size_t group, outer, length, inner;
    bool last;
  };
  static Level next_level(const std::vector<AxisGroup>& groups, std::size_t rows);
  void reduce_one_group(void* out, std::int64_t* places, const void* in, Reduction kind, DType type, std::size_t outer,
                        std::size_t length, std::size_t inner);
  Reduction kind_;
  DType type_;
  std::vector<AxisGroup> groups_;
  std::uint64_t row_elements_ = 1, kept_elements_ = 1;
  std::vector<std::byte> between_[2];
};

}  // namespace atl::array
