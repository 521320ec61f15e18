// SPDX-License-Identifier: Apache-2.0
// Two-level reduction in the documented order (node_subtrees.hpp): the values of the nodes go up a binomial tree of
// leaders to the root, which evaluates the rest of the tree. For short vectors.
#include "node_subtrees.hpp"

namespace atl::coll::detail {

void reduce_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  Hierarchy hierarchy(steps, arguments.root);
  NodeSubtrees values(steps, hierarchy, arguments.bytes);
  values.reduce_inside();
  if (!hierarchy.leads()) return;
  ScheduleBuilder across = hierarchy.across();
  gather_circle(across, values.circle(), values.parts(), hierarchy.placement().node_of(arguments.root));
  if (steps.rank() == arguments.root) steps.copy(out_at(0), values.evaluate(), arguments.bytes);
}

}  // namespace atl::coll::detail
