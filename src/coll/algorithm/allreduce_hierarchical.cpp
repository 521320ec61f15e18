// SPDX-License-Identifier: Apache-2.0
// Allreduce of two levels, in the documented order (node_subtrees.hpp): leaders exchange their nodes' values by Bruck's
// allgather, each evaluates the rest, then every node hears the result. For short vectors.
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
