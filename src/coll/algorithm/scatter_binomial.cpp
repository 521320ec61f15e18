// SPDX-License-Identifier: Apache-2.0
// Binomial tree from the root: each member forwards the blocks of its subtree, ⌈log2 n⌉ messages deep, for short
// blocks.
#include <algorithm>

#include "algorithms.hpp"

namespace atl::coll::detail {

void scatter_binomial(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size();
  int shifted = (steps.rank() - arguments.root + n) % n;
  std::uint64_t bytes = arguments.bytes;
  int width = 1;
  while ((shifted & width) == 0 && shifted + width < n) width *= 2;
  int members = std::min(width, n - shifted);
  Ref held = members > 1 ? steps.scratch(bytes * static_cast<std::uint64_t>(members)) : out_at(0);
  if (shifted == 0) {
    auto head = static_cast<std::uint64_t>(n - arguments.root);
    if (members > 1) {
      steps.copy(held, in_at(bytes * static_cast<std::uint64_t>(arguments.root)), bytes * head);
      steps.copy(held + bytes * head, in_at(0), bytes * static_cast<std::uint64_t>(arguments.root));
    } else {
      held = in_at(0);
    }
  } else {
    int parent_distance = shifted & -shifted;
    steps.recv((steps.rank() - parent_distance + n) % n, held, bytes * static_cast<std::uint64_t>(members));
    steps.join();
  }
  for (int distance = width / 2; distance > 0; distance /= 2) {
    if (shifted + distance >= n) continue;
    int theirs = std::min(distance, n - shifted - distance);
    steps.send((steps.rank() + distance) % n, held + bytes * static_cast<std::uint64_t>(distance),
               bytes * static_cast<std::uint64_t>(theirs));
  }
  steps.join();
  steps.copy(out_at(0), held, bytes);
}

}  // namespace atl::coll::detail
