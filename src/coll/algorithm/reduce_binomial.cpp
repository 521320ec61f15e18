// SPDX-License-Identifier: Apache-2.0
// Binomial tree over the leaves of the reduction tree towards rank 0, then one message to the root: ranks stay in
// order whatever the root.
#include "algorithms.hpp"

namespace atl::coll::detail {

void reduce_binomial(ScheduleBuilder& steps, const Arguments& arguments) {
  ReductionTree tree(steps.rank(), steps.size());
  std::uint64_t bytes = arguments.bytes;
  bool root = steps.rank() == arguments.root;
  if (tree.hands_over()) {
    steps.send(steps.rank() - 1, in_at(0), bytes);
    steps.join();
  } else {
    Ref current = in_at(0);
    Ref into{};
    bool have_room = false;
    auto fold = [&](int peer) {
      // `out` exists on the root only.
      if (!have_room) into = root ? out_at(0) : steps.scratch(bytes);
      have_room = true;
      steps.recv_fold(peer, into, current, bytes, Side::right);
      steps.join();
      current = into;
    };
    if (tree.paired()) fold(steps.rank() + 1);
    for (int distance = 1; distance < tree.leaves(); distance *= 2) {
      if ((tree.leaf() & distance) != 0) {
        steps.send(tree.rank_of(tree.leaf() - distance), current, bytes);
        steps.join();
        break;
      }
      fold(tree.rank_of(tree.leaf() + distance));
    }
    if (steps.rank() == 0 && !root) {
      steps.send(arguments.root, current, bytes);
      steps.join();
    } else if (steps.rank() == 0) {
      steps.copy(out_at(0), current, bytes);
    }
  }
  if (root && steps.rank() != 0) {
    steps.recv(0, out_at(0), bytes);
    steps.join();
  }
}

}  // namespace atl::coll::detail
