// SPDX-License-Identifier: Apache-2.0
// Up a k-nomial tree to the first member, and down again. Cost: 2 ⌈log_k n⌉ (L + G m) + (k - 1) ⌈log_k n⌉ (2 o + γ m).
// The radix is a power of two, and the vectors of k - 1 children are combined in pairs: the order of evaluation is the
// tree over the ranks, as in all other algorithms.
#include <algorithm>

#include "algorithms.hpp"

namespace atl::coll::detail {

template <int radix>
void allreduce_tree(ScheduleBuilder& steps, const Arguments& arguments) {
  const ReductionTree tree(steps.rank(), steps.size());
  const std::uint64_t bytes = arguments.bytes;
  if (tree.hands_over()) {
    steps.send(steps.rank() - 1, in_at(0), bytes);
    steps.join();
    steps.recv(steps.rank() - 1, out_at(0), bytes);
    steps.join();
    return;
  }
  Ref parts[radix];
  Ref current = in_at(0);
  auto combine = [&](int count) {
    for (int width = 1; width < count; width *= 2)
      for (int part = 0; part + width < count; part += 2 * width) {
        const Ref left = part == 0 ? current : parts[part];
        const Ref into = part == 0 ? out_at(0) : parts[part];
        steps.reduce(into, left, parts[part + width], bytes);
        if (part == 0) current = into;
      }
  };
  auto room = [&](int part) {
    if (parts[part] == Ref{}) parts[part] = steps.scratch(bytes);
    return parts[part];
  };
  for (Ref& part : parts) part = Ref{};
  if (tree.paired()) {
    steps.recv(steps.rank() + 1, room(1), bytes);
    steps.join();
    combine(2);
  }
  int distance = 1;
  for (; distance < tree.leaves(); distance *= radix) {
    const int digit = tree.leaf() / distance % radix;
    if (digit != 0) {
      const int parent = tree.rank_of(tree.leaf() - digit * distance);
      steps.send(parent, current, bytes);
      steps.join();
      steps.recv(parent, out_at(0), bytes);
      steps.join();
      break;
    }
    const int parts_here = std::min(radix, tree.leaves() / distance);
    for (int child = 1; child < parts_here; ++child)
      steps.recv(tree.rank_of(tree.leaf() + child * distance), room(child), bytes);
    steps.join();
    combine(parts_here);
  }
  if (steps.size() == 1) steps.copy(out_at(0), current, bytes);
  for (distance /= radix; distance > 0; distance /= radix)
    for (int child = 1; child < std::min(radix, tree.leaves() / distance); ++child)
      steps.send(tree.rank_of(tree.leaf() + child * distance), out_at(0), bytes);
  if (tree.paired()) steps.send(steps.rank() + 1, out_at(0), bytes);
  steps.join();
}
template void allreduce_tree<2>(ScheduleBuilder&, const Arguments&);
template void allreduce_tree<4>(ScheduleBuilder&, const Arguments&);
template void allreduce_tree<8>(ScheduleBuilder&, const Arguments&);
template void allreduce_tree<16>(ScheduleBuilder&, const Arguments&);

}  // namespace atl::coll::detail
