// SPDX-License-Identifier: Apache-2.0
// Reduce-scatter by recursive halving, then allgather by recursive doubling (Rabenseifner 2004), with near partners
// first, so that the order of evaluation is that of recursive doubling and the bits are the same.
#include "algorithms.hpp"

namespace atl::coll::detail {

HalvingResult reduce_scatter_halving(ScheduleBuilder& steps, const Arguments& arguments, const ReductionTree& tree,
                                     Ref current, Ref into) {
  auto leaves = static_cast<std::uint64_t>(tree.leaves());
  auto at = [&](std::uint64_t part) { return part_begin(arguments.bytes, arguments.element_bytes, leaves, part); };
  std::uint64_t first = 0, last = leaves;
  for (int distance = 1; distance < tree.leaves(); distance *= 2) {
    int partner = tree.leaf() ^ distance;
    std::uint64_t middle = (first + last) / 2;
    bool upper = (tree.leaf() & distance) != 0;
    std::uint64_t give_first = upper ? first : middle, give_last = upper ? middle : last;
    std::uint64_t keep_first = upper ? middle : first, keep_last = upper ? last : middle;
    steps.send(tree.rank_of(partner), current + at(give_first), at(give_last) - at(give_first));
    steps.recv_fold(tree.rank_of(partner), into + at(keep_first), current + at(keep_first),
                    at(keep_last) - at(keep_first), partner < tree.leaf() ? Side::left : Side::right);
    steps.join();
    current = into;
    first = keep_first, last = keep_last;
  }
  return {first, last};
}

void allreduce_halving_doubling(ScheduleBuilder& steps, const Arguments& arguments) {
  ReductionTree tree(steps.rank(), steps.size());
  if (tree.hands_over()) {
    steps.send(steps.rank() - 1, in_at(0), arguments.bytes);
    steps.join();
    steps.recv(steps.rank() - 1, out_at(0), arguments.bytes);
    steps.join();
    return;
  }
  Ref current = in_at(0);
  if (tree.paired()) {
    steps.recv_fold(steps.rank() + 1, out_at(0), in_at(0), arguments.bytes, Side::right);
    steps.join();
    current = out_at(0);
  }
  auto leaves = static_cast<std::uint64_t>(tree.leaves());
  auto at = [&](std::uint64_t part) { return part_begin(arguments.bytes, arguments.element_bytes, leaves, part); };
  auto [first, last] = reduce_scatter_halving(steps, arguments, tree, current, out_at(0));
  if (leaves == 1 && !tree.paired()) steps.copy(out_at(0), current, arguments.bytes);
  for (int distance = tree.leaves() / 2; distance > 0; distance /= 2) {
    int partner = tree.leaf() ^ distance;
    bool upper = (tree.leaf() & distance) != 0;
    std::uint64_t length = last - first;
    std::uint64_t want = upper ? first - length : last;
    steps.send(tree.rank_of(partner), out_at(at(first)), at(last) - at(first));
    steps.recv(tree.rank_of(partner), out_at(at(want)), at(want + length) - at(want));
    steps.join();
    first = first < want ? first : want;
    last = first + 2 * length;
  }
  if (tree.paired()) {
    steps.send(steps.rank() + 1, out_at(0), arguments.bytes);
    steps.join();
  }
}

}  // namespace atl::coll::detail
