// SPDX-License-Identifier: Apache-2.0
// Binomial tree towards the root, each member sending all it has collected: ⌈log2 n⌉ messages deep, for short blocks.
#include <algorithm>

#include "algorithms.hpp"

namespace atl::coll::detail {

void gather_binomial(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size();
  int shifted = (steps.rank() - arguments.root + n) % n;
  std::uint64_t bytes = arguments.bytes;
  // Members of the subtree: [shifted, shifted + width).
  int width = 1;
  while ((shifted & width) == 0 && shifted + width < n) width *= 2;
  int members = std::min(width, n - shifted);
  Ref collected = members > 1 ? steps.scratch(bytes * static_cast<std::uint64_t>(members)) : in_at(0);
  if (members > 1) steps.copy(collected, in_at(0), bytes);
  for (int distance = 1; distance < width && shifted + distance < n; distance *= 2) {
    int theirs = std::min(distance, n - shifted - distance);
    steps.recv((steps.rank() + distance) % n, collected + bytes * static_cast<std::uint64_t>(distance),
               bytes * static_cast<std::uint64_t>(theirs));
    steps.join();
  }
  if (shifted != 0) {
    int parent_distance = shifted & -shifted;
    steps.send((steps.rank() - parent_distance + n) % n, collected, bytes * static_cast<std::uint64_t>(members));
    steps.join();
  } else {
    // Rank order starts at rank 0, the tree's at the root.
    auto head = static_cast<std::uint64_t>(n - arguments.root);
    steps.copy(out_at(bytes * static_cast<std::uint64_t>(arguments.root)), collected, bytes * head);
    steps.copy(out_at(0), collected + bytes * head, bytes * static_cast<std::uint64_t>(arguments.root));
  }
}

}  // namespace atl::coll::detail
