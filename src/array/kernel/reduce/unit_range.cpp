// SPDX-License-Identifier: Apache-2.0
// Units that stay in the range of their type, and those that do not.
#include <limits>

#include "atoll/array/kernel/program.hpp"
#include "kernel/reduce/range_watch.hpp"
#include "kernel/reduce/unit.hpp"

namespace atl::array {

UnitReduction::UnitReduction(Reduction kind, DType type) : plain_(find_unit_kernels(kind, type)) {
  if (!may_leave_range(kind, type)) return;
  scaled_ = &find_scaled_kernels(kind, type);
  watch_ = kind == Reduction::sum ? Watch::sum : Watch::product;
  infinity_ = type == DType::f32 ? to_bits(std::numeric_limits<float>::infinity())
                                 : to_bits(std::numeric_limits<double>::infinity());
}

// A sum that overflows ends infinite or NaN, but so does one of such elements: the flags tell them apart.
void UnitReduction::one_sum(const void* data, std::size_t count, TreeNode& node) const {
  RangeWatch watch;
  node.bits = plain_.one(data, count);
  if (watch.left()) scaled_->unit(data, nullptr, count, node);
}

void UnitReduction::one_product(const void* data, std::size_t count, TreeNode& node) const {
  RangeWatch watch;
  node.bits = plain_.one(data, count);
  if (watch.left()) [[unlikely]] scaled_->unit(data, nullptr, count, node);
}

bool UnitReduction::each(const void* data, std::size_t length, std::size_t units, std::uint64_t* bits) const {
  if (watch_ == Watch::product) {
    RangeWatch watch;
    plain_.each(data, length, units, bits);
    return !watch.left();
  }
  plain_.each(data, length, units, bits);
  if (watch_ == Watch::sum) {
    for (std::size_t u = 0; u < units; ++u)
      if (is_infinite_or_nan(bits[u])) [[unlikely]] return false;
  }
  return true;
}

}  // namespace atl::array
