// SPDX-License-Identifier: Apache-2.0
// Scatter of two levels: each node's blocks down a binomial tree of leaders, then to its members.
#include "hierarchy.hpp"

namespace atl::coll::detail {

void scatter_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  const std::uint64_t bytes = arguments.bytes;
  Hierarchy hierarchy(steps, arguments.root);
  const Placement& placement = hierarchy.placement();
  if (!hierarchy.leads()) {
    steps.recv(hierarchy.leader(), out_at(0), bytes);
    steps.join();
    return;
  }
  const Circle circle = Circle::of_nodes(hierarchy, bytes);
  Ref work = steps.scratch(circle.bytes());
  if (steps.rank() == arguments.root)
    for (int node = 0; node < placement.nodes(); ++node) {
      Ref to = work + circle.offset_of(node);
      for (int member : placement.members(node)) {
        steps.copy(to, in_at(bytes * static_cast<std::uint64_t>(member)), bytes);
        to = to + bytes;
      }
    }
  ScheduleBuilder across = hierarchy.across();
  scatter_circle(across, circle, work, placement.node_of(arguments.root));
  Ref at = work;
  for (int member : hierarchy.members()) {
    if (member == steps.rank()) steps.copy(out_at(0), at, bytes);
    else steps.send(member, at, bytes);
    at = at + bytes;
  }
  steps.join();
}

}  // namespace atl::coll::detail
