// SPDX-License-Identifier: Apache-2.0
// Scatter, then ring allgather (van de Geijn): 2·b·bytes whatever the number of members, for long vectors.
#include "algorithms.hpp"

namespace atl::coll::detail {

void broadcast_scatter_allgather(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size();
  int shifted = (steps.rank() - arguments.root + n) % n;
  auto begin = [&](int part) {
    return part_begin(arguments.bytes, 1, static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(part));
  };
  auto length = [&](int part) { return begin(part + 1) - begin(part); };
  if (shifted == 0) {
    for (int part = 1; part < n; ++part) steps.send((steps.rank() + part) % n, out_at(begin(part)), length(part));
  } else {
    steps.recv(arguments.root, out_at(begin(shifted)), length(shifted));
  }
  steps.join();
  // The root has all parts already, and only forwards.
  for (int round = 0; round < n - 1; ++round) {
    int give = (shifted - round + n) % n, want = (shifted - round - 1 + n) % n;
    if ((shifted + 1) % n != 0) steps.send((steps.rank() + 1) % n, out_at(begin(give)), length(give));
    if (shifted != 0) steps.recv((steps.rank() - 1 + n) % n, out_at(begin(want)), length(want));
    steps.join();
  }
}

}  // namespace atl::coll::detail
