// SPDX-License-Identifier: Apache-2.0
// Reduce-scatter by recursive halving, then the root collects the parts: 2·b·bytes, for long vectors.
#include "algorithms.hpp"

namespace atl::coll::detail {
namespace {

// Which part a leaf holds after halving: the bits of its number in reverse.
std::uint64_t part_of_leaf(std::uint64_t leaf, std::uint64_t leaves) {
  std::uint64_t part = 0;
  for (std::uint64_t bit = 1; bit < leaves; bit *= 2) part = part * 2 + ((leaf & bit) != 0 ? 1 : 0);
  return part;
}

}  // namespace

void reduce_halving(ScheduleBuilder& steps, const Arguments& arguments) {
  ReductionTree tree(steps.rank(), steps.size());
  bool root = steps.rank() == arguments.root;
  auto leaves = static_cast<std::uint64_t>(tree.leaves());
  auto at = [&](std::uint64_t part) { return part_begin(arguments.bytes, arguments.element_bytes, leaves, part); };
  std::uint64_t own_part = leaves;
  Ref work = root ? out_at(0) : steps.scratch(arguments.bytes);
  if (tree.hands_over()) {
    steps.send(steps.rank() - 1, in_at(0), arguments.bytes);
    steps.join();
  } else {
    Ref current = in_at(0);
    if (tree.paired()) {
      steps.recv_fold(steps.rank() + 1, work, in_at(0), arguments.bytes, Side::right);
      steps.join();
      current = work;
    }
    auto result = reduce_scatter_halving(steps, arguments, tree, current, work);
    own_part = result.first;
    if (leaves == 1 && !tree.paired()) steps.copy(work, current, arguments.bytes);
  }
  if (root) {
    for (std::uint64_t leaf = 0; leaf < leaves; ++leaf) {
      std::uint64_t part = part_of_leaf(leaf, leaves);
      int from = tree.rank_of(static_cast<int>(leaf));
      if (from != steps.rank()) steps.recv(from, out_at(at(part)), at(part + 1) - at(part));
    }
  } else if (own_part < leaves) {
    steps.send(arguments.root, work + at(own_part), at(own_part + 1) - at(own_part));
  }
  steps.join();
}

}  // namespace atl::coll::detail
