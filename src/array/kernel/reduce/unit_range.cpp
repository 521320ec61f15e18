// SPDX-License-Identifier: Apache-2.0
// Units that stay in the range of their type, and those that do not.
#include <limits>

#include "atoll/array/kernel/program.hpp"
#include "kernel/reduce/combine.hpp"
#include "kernel/reduce/range_watch.hpp"
#include "kernel/reduce/unit.hpp"

namespace atl::array {
namespace {

/// The tree's upper levels over the values of a group of units.
template <class T, class Add>
std::uint64_t join(const std::uint64_t* bits) {
  T v[TreeFold::leaf_group];
  for (std::size_t i = 0; i < TreeFold::leaf_group; ++i) v[i] = from_bits<T>(bits[i]);
  for (std::size_t apart = 1; apart < TreeFold::leaf_group; apart *= 2)
    for (std::size_t i = 0; i < TreeFold::leaf_group; i += 2 * apart) v[i] = Add::call(v[i], v[i + apart]);
  return to_bits(v[0]);
}

}  // namespace

UnitReduction::UnitReduction(Reduction kind, DType type) : plain_(find_unit_kernels(kind, type)) {
  if (!array::may_leave_range(kind, type)) return;
  scaled_ = &find_scaled_kernels(kind, type);
  watch_ = kind == Reduction::sum ? Watch::sum : Watch::product;
  const bool sum = kind == Reduction::sum;
  if (type == DType::f32) join_ = sum ? &join<float, Sum<float>> : &join<float, Product<float>>;
  else join_ = sum ? &join<double, Sum<double>> : &join<double, Product<double>>;
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
  if (watch.left()) [[unlikely]]
    scaled_->unit(data, nullptr, count, node);
}

bool UnitReduction::group(const void* data, std::size_t length, TreeNode& node) const {
  if (watch_ == Watch::nothing) return false;
  std::uint64_t bits[TreeFold::leaf_group];
  if (watch_ == Watch::sum) {
    plain_.each(data, length, TreeFold::leaf_group, bits);
    node.bits = join_(bits);
    if (!is_infinite_or_nan(node.bits)) [[likely]]
      return true;  // what overflows on the way stays infinite or becomes NaN
  }
  const RangeWatch watch;
  plain_.each(data, length, TreeFold::leaf_group, bits);
  node.bits = join_(bits);
  return !watch.left();
}

}  // namespace atl::array
