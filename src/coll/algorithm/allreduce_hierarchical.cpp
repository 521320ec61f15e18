// SPDX-License-Identifier: Apache-2.0
// Two-level allreduce in the documented order (node_subtrees.hpp): leaders exchange the values of their nodes by
// Bruck's allgather, each leader evaluates the rest of the tree and broadcasts the result inside its node. For short
// vectors.
#include "node_subtrees.hpp"

namespace atl::coll::detail {

void allreduce_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  Hierarchy hierarchy(steps);
  NodeSubtrees values(steps, hierarchy, arguments.bytes);
  values.reduce_inside();
  if (hierarchy.leads()) {
    ScheduleBuilder across = hierarchy.across();
    allgather_circle(across, values.circle(), values.parts());
    steps.copy(out_at(0), values.evaluate(), arguments.bytes);
  }
  ScheduleBuilder inside = hierarchy.inside();
  Arguments result;
  result.bytes = arguments.bytes;
  result.root = hierarchy.leader_inside();
  Selection::write_level(Kind::broadcast, inside, result);
}

}  // namespace atl::coll::detail
