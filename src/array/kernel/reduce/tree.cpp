// SPDX-License-Identifier: Apache-2.0
// The tree of a reduction: where its units lie, and how neighbouring subtrees become one.
#include "atoll/array/kernel/tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "atoll/array/kernel/program.hpp"
#include "atoll/base/validate.hpp"
#include "kernel/reduce/combine.hpp"

namespace atl::array {

std::string_view name_of(Reduction kind) {
  constexpr std::string_view names[] = {"sum", "prod", "min", "max", "argmin", "argmax", "any", "all", "count_nonzero"};
  return names[static_cast<std::size_t>(kind)];
}

DType result_type(Reduction kind, DType input) {
  switch (kind) {
    case Reduction::any:
    case Reduction::all: return DType::b1;
    case Reduction::argmin:
    case Reduction::argmax:
    case Reduction::count_nonzero: return DType::i64;
    default: return input;
  }
}

UnitGrid::UnitGrid(std::uint64_t granule) : granule_(granule) {
  ATOLL_VALIDATE(granule > 0, ValueError, "a granule of a distribution has at least one element");
  units_ = (granule + max_unit - 1) / max_unit;
  // Units of about equal length; whole cache lines of any dtype, where the granule allows.
  unit_ = units_ == 1 ? granule : std::min<std::uint64_t>(max_unit, ((granule + units_ - 1) / units_ + 63) / 64 * 64);
  units_ = (granule + unit_ - 1) / unit_;
  shift_ = static_cast<unsigned>(std::bit_width(units_ - 1));
}

std::uint64_t UnitGrid::units_before(std::uint64_t end) const {
  return end / granule_ * units_ + (end % granule_ + unit_ - 1) / unit_;
}

UnitGrid::Unit UnitGrid::at(std::uint64_t u, std::uint64_t total) const {
  const std::uint64_t granule = u / units_, sub = u % units_;
  const std::uint64_t begin = granule * granule_ + sub * unit_;
  const std::uint64_t end = std::min({begin + unit_, (granule + 1) * granule_, total});
  return Unit{begin, end, (granule << shift_) + sub};
}

namespace {

template <class T, bool minimum>
void combine_places(TreeNode& left, const TreeNode& right) {
  if (right.empty) return;
  if (left.empty ||
      precedes<T, minimum>(from_bits<T>(right.bits), right.position, from_bits<T>(left.bits), left.position)) {
    left.bits = right.bits;
    left.position = right.position;
    left.empty = 0;
  }
}

using Combine = void (*)(TreeNode&, const TreeNode&);

Combine find_combine(Reduction kind, DType type) {
  if (kind == Reduction::count_nonzero) return &combine_values<std::int64_t, Sum<std::int64_t>>;
  if (kind == Reduction::any) return &combine_values<std::uint8_t, Max<std::uint8_t>>;
  if (kind == Reduction::all) return &combine_values<std::uint8_t, Min<std::uint8_t>>;
  return dispatch(type, [kind](auto t) -> Combine {
    using Stored = typename decltype(t)::type;
    using T = std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>;
    switch (kind) {
      case Reduction::sum: return &combine_values<T, Sum<T>>;
      case Reduction::prod: return &combine_values<T, Product<T>>;
      case Reduction::min: return &combine_values<T, Min<T>>;
      case Reduction::max: return &combine_values<T, Max<T>>;
      case Reduction::argmin: return &combine_places<T, true>;
      default: return &combine_places<T, false>;
    }
  });
}

}  // namespace

TreeFold::TreeFold(Reduction kind, DType type) : kind_(kind), type_(type), combine_(find_combine(kind, type)) {}

void TreeFold::push(TreeNode node) {
  while (!nodes_.empty()) {
    const TreeNode& left = nodes_.back();
    if (left.level != node.level || (left.index & 1) != 0 || left.index + 1 != node.index) break;
    TreeNode merged = left;
    combine_(merged, node);
    merged.index >>= 1;
    ++merged.level;
    node = merged;
    nodes_.pop_back();
  }
  nodes_.push_back(node);
}

void TreeFold::push_leaves(std::uint64_t first, std::span<const std::uint64_t, leaf_group> bits) {
  TreeNode nodes[leaf_group];
  for (std::size_t i = 0; i < leaf_group; ++i) nodes[i].bits = bits[i];
  for (std::size_t apart = 1; apart < leaf_group; apart *= 2)
    for (std::size_t i = 0; i < leaf_group; i += 2 * apart) combine_(nodes[i], nodes[i + apart]);
  nodes[0].index = first / leaf_group;
  nodes[0].level = leaf_group_level;
  push(nodes[0]);
}

void TreeFold::pad_to(std::uint64_t end) {
  if (nodes_.empty()) return;
  std::uint64_t at = (nodes_.back().index + 1) << nodes_.back().level;
  while (at < end) {
    // The largest aligned subtree that begins here and stays below `end`.
    const unsigned fit = static_cast<unsigned>(std::bit_width(end - at)) - 1;
    const unsigned level = at == 0 ? fit : std::min(static_cast<unsigned>(std::countr_zero(at)), fit);
    push(TreeNode{at >> level, 0, 0, level, 1});
    at += std::uint64_t{1} << level;
  }
}

TreeNode TreeFold::total() const {
  TreeNode sum;
  sum.empty = 1;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    TreeNode left = nodes_[i];
    combine_(left, sum);
    sum = left;
  }
  return sum;
}

ReductionValue TreeFold::finish() const {
  const TreeNode sum = total();
  if (!sum.empty) {
    if (!may_leave_range(kind_, type_)) return ReductionValue{sum.bits, sum.position, false};
    return ReductionValue{type_ == DType::f32 ? to_bits(load<float>(sum).value()) : to_bits(load<double>(sum).value()),
                          0, false};
  }
  ReductionValue nothing;
  if (kind_ == Reduction::prod) {
    nothing.bits = dispatch(type_, [](auto t) { return to_bits(static_cast<typename decltype(t)::type>(1)); });
  }
  if (kind_ == Reduction::all) nothing.bits = 1;
  return nothing;
}

}  // namespace atl::array
