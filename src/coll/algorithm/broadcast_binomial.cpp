// SPDX-License-Identifier: Apache-2.0
// Binomial tree from the root: ⌈log2 n⌉ messages deep, for short vectors.
#include "algorithms.hpp"

namespace atl::coll::detail {

void broadcast_binomial_open(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size();
  int shifted = (steps.rank() - arguments.root + n) % n;
  int distance = 1;
  for (; distance < n; distance *= 2) {
    if ((shifted & distance) != 0) {
      steps.recv((steps.rank() - distance + n) % n, out_at(0), arguments.bytes);
      steps.join();
      break;
    }
  }
  // The farthest first: its subtree is the deepest.
  for (distance /= 2; distance > 0; distance /= 2)
    if (shifted + distance < n) steps.send((steps.rank() + distance) % n, out_at(0), arguments.bytes);
}

void broadcast_binomial(ScheduleBuilder& steps, const Arguments& arguments) {
  broadcast_binomial_open(steps, arguments);
  steps.join();
}

}  // namespace atl::coll::detail
