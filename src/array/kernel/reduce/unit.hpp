// SPDX-License-Identifier: Apache-2.0
// Private to reductions and scans: the value of one unit, in a fixed order of operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/array/kernel/tree.hpp"
#include "kernel/reduce/scaled.hpp"

namespace atl::array {

inline constexpr std::size_t unit_vector_bytes = 64;  ///< of an accumulator; there are four

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

/// Values of units where a plain evaluation may leave the range of its type.
class UnitReduction {
 public:
  UnitReduction(Reduction kind, DType type);
  /// Sets bits and, where the kind has it, the exponent.
  void one(const void* data, std::size_t count, TreeNode& node) const {
    if (watch_ == Watch::product) return one_product(data, count, node);
    node.bits = plain_.one(data, count);
    if (watch_ == Watch::sum && is_infinite_or_nan(node.bits)) [[unlikely]]
      one_sum(data, count, node);
  }
  /// The node of TreeFold::leaf_group units of `length` elements each, one behind the other: its bits. False where this
  /// cannot be told at once (one has left the range, or the kind never does): then ask for each by itself.
  bool group(const void* data, std::size_t length, TreeNode& node) const;
  /// Those that know of no exponents.
  const UnitKernels& plain() const { return plain_; }
  bool may_leave_range() const { return watch_ != Watch::nothing; }
  /// Where may_leave_range().
  bool is_infinite_or_nan(std::uint64_t bits) const { return (bits & infinity_) == infinity_; }

 private:
  enum class Watch : std::uint8_t { nothing, sum, product };
  std::uint64_t (*join_)(const std::uint64_t* bits) = nullptr;
  void one_sum(const void* data, std::size_t count, TreeNode& node) const;
  void one_product(const void* data, std::size_t count, TreeNode& node) const;
  UnitKernels plain_;
  const ScaledKernels* scaled_ = nullptr;
  std::uint64_t infinity_ = 0;
  Watch watch_ = Watch::nothing;
};

/// First index below `count` of the value (or of a NaN, when the value is one). It must be there.
using LocateKernel = std::size_t (*)(const void* data, std::size_t count, std::uint64_t bits);
LocateKernel find_locate_kernel(DType type);

/// Whether extreme `x` at place p goes before extreme `y` at place q.
using PrecedesKernel = bool (*)(std::uint64_t x, std::uint64_t p, std::uint64_t y, std::uint64_t q);
PrecedesKernel find_precedes(Reduction kind, DType type);

}  // namespace atl::array
