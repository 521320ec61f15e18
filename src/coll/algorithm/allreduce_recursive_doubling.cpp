// SPDX-License-Identifier: Apache-2.0
// Recursive doubling: log2 n exchanges of the whole vector, for short ones.
#include "algorithms.hpp"

namespace atl::coll::detail {

void allreduce_recursive_doubling(ScheduleBuilder& steps, const Arguments& arguments) {
  ReductionTree tree(steps.rank(), steps.size());
  std::uint64_t bytes = arguments.bytes;
  if (tree.hands_over()) {
    steps.send(steps.rank() - 1, in_at(0), bytes);
    steps.join();
    steps.recv(steps.rank() - 1, out_at(0), bytes);
    steps.join();
    return;
  }
  // Long messages are read in place by the partner, so that the result of a step must not overwrite its input. A single
  // step may write to `out` when that is another place.
  bool single = tree.leaves() + (tree.paired() ? 1 : 0) == 2;
  bool read_in_place = steps.reads_in_place(bytes) && (arguments.in_place || !single);
  Ref spare[2] = {out_at(0), out_at(0)};
  if (read_in_place) spare[0] = steps.scratch(bytes), spare[1] = steps.scratch(bytes);
  int turn = 0;
  Ref current = in_at(0);
  auto fold = [&](int peer, Side side) {
    Ref into = spare[turn];
    turn ^= 1;
    steps.recv_fold(peer, into, current, bytes, side);
    steps.join();
    current = into;
  };
  if (tree.paired()) fold(steps.rank() + 1, Side::right);
  for (int distance = 1; distance < tree.leaves(); distance *= 2) {
    int partner = tree.leaf() ^ distance;
    steps.send(tree.rank_of(partner), current, bytes);
    fold(tree.rank_of(partner), partner < tree.leaf() ? Side::left : Side::right);
  }
  if (current.space != Space::output) steps.copy(out_at(0), current, bytes);
  if (tree.paired()) {
    steps.send(steps.rank() + 1, out_at(0), bytes);
    steps.join();
  }
}

}  // namespace atl::coll::detail
