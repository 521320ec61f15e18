// SPDX-License-Identifier: Apache-2.0
// Reductions whose bits do not depend on how many PEs and threads there are: one fixed binary tree over fixed
// units of the global row-major index, of which every thread and PE folds the aligned subtrees it owns.
//
// Sums and products of floats are those of an arithmetic whose exponents have no bounds: each operation of the tree
// rounds to the precision of the type alone, and the end result once more to its range. So nothing overflows or
// underflows on the way; results below the least normal number are rounded twice. An infinity or NaN among the elements
// acts as IEEE 754 says (inf - inf and 0 × inf are NaN), also when a finite part is out of range: 0 × 1e200 × 1e200 is
// 0, inf × 1e-200 × 1e-200 is inf. Subnormal elements are exact; signs of zeros are kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoll/array/dtype.hpp"

namespace atl::array {

/// `sum`, `prod`: dtype of the result is the input's (cast to the accumulator's first). `any`, `all`: bool.
/// `argmin`, `argmax`, `count_nonzero`: int64. Codes cross wires: append only.
enum class Reduction : std::uint8_t { sum, prod, min, max, argmin, argmax, any, all, count_nonzero };
std::string_view name_of(Reduction kind);
DType result_type(Reduction kind, DType input);

/// Where units begin. A granule is what the distribution never splits between PEs (rows_per_granule × row
/// elements); a unit is at most 1024 elements of one granule, and is a leaf of the tree.
///
///   granule g:  | unit 0 | unit 1 | … | unit units-1 (maybe short) |   tree index of unit k: (g << shift) + k
class UnitGrid {
 public:
  static constexpr std::uint64_t max_unit = 1024;

  /// `granule` elements, at least 1. All PEs must pass the same.
  explicit UnitGrid(std::uint64_t granule = max_unit);

  struct Unit {
    std::uint64_t begin;  ///< global element index
    std::uint64_t end;
    std::uint64_t tree_index;
  };

  std::uint64_t granule() const { return granule_; }
  std::uint64_t unit() const { return unit_; }
  unsigned shift() const { return shift_; }
  /// Number of units that begin before global element `end`.
  std::uint64_t units_before(std::uint64_t end) const;
  /// Unit number `u` of all, of an array of `total` elements.
  Unit at(std::uint64_t u, std::uint64_t total) const;
  /// Tree index past the whole granule of this unit.
  std::uint64_t tree_end(const Unit& unit) const { return ((unit.tree_index >> shift_) + 1) << shift_; }
  /// True when `element` is a place where a PE may begin.
  bool is_border(std::uint64_t element) const { return element % granule_ == 0; }

 private:
  std::uint64_t granule_, unit_, units_;  // units_: per granule
  unsigned shift_;  // log2 of units_, rounded up
};

/// A subtree's value. It covers tree indices [index << level, (index + 1) << level).
///
///   offset  0  u64  index
///           8  u64  bits      value, zero-extended (result dtype; of argmin and argmax the extreme itself)
///          16  u64  position  global index of the extreme (argmin, argmax); of sums and products of floats the
///                             exponent e: the value is bits × 2^e, and e is 0 where the dtype can hold it
///          24  u32  level     < 64
///          28  u32  empty     1: no elements below; value is meaningless
struct TreeNode {
  std::uint64_t index = 0;
  std::uint64_t bits = 0;
  std::uint64_t position = 0;
  std::uint32_t level = 0;
  std::uint32_t empty = 0;
};
static_assert(sizeof(TreeNode) == 32);

struct ReductionValue {
  std::uint64_t bits = 0;  ///< of result_type(kind, input)
  std::uint64_t position =
      0;  ///< argmin, argmax: global index (then bits holds the extreme value, in the input's dtype)
  bool empty = true;  ///< there was no element
};

/// Folds nodes that arrive from left to right into maximal aligned subtrees: at most 2 log2 n of them.
/// Concatenating the lists of neighbours (threads, then PEs) in order and folding again gives the list of the whole.
class TreeFold {
 public:
  /// `type`: the dtype of the reduced elements (of count_nonzero, any, all too).
  TreeFold(Reduction kind, DType type);

  void push(TreeNode node);
  void push(std::span<const TreeNode> nodes) {
    for (const TreeNode& node : nodes) push(node);
  }
  /// Pushes the values of leaves [first, first + leaf_group) at once; `first` is a multiple of that. Not for places.
  static constexpr unsigned leaf_group_level = 3;
  static constexpr std::size_t leaf_group = std::size_t{1} << leaf_group_level;
  void push_leaves(std::uint64_t first, std::span<const std::uint64_t, leaf_group> bits);
  /// Marks that nothing more comes below tree index `end` although the last unit ends before it.
  void pad_to(std::uint64_t end);

  std::span<const TreeNode> nodes() const { return nodes_; }
  void clear() { nodes_.clear(); }
  Reduction kind() const { return kind_; }
  DType type() const { return type_; }
  /// The node of everything pushed so far, provided the first began at tree index 0 (its index and level say nothing).
  TreeNode total() const;
  /// Its value. Sums and products of nothing are 0 and 1; min, max and their places are `empty`.
  ReductionValue finish() const;

 private:
  using Combine = void (*)(TreeNode& left, const TreeNode& right);
  Reduction kind_;
  DType type_;
  Combine combine_;
  std::vector<TreeNode> nodes_;
};

}  // namespace atl::array
