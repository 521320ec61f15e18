// SPDX-License-Identifier: Apache-2.0
// Broadcast of two levels: from the root to the leaders, then inside each node. A node hears the vector once.
#include "hierarchy.hpp"

namespace atl::coll::detail {

void broadcast_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  Hierarchy hierarchy(steps, arguments.root);
  Arguments level = arguments;
  if (hierarchy.leads()) {
    ScheduleBuilder across = hierarchy.across();
    level.root = hierarchy.placement().node_of(arguments.root);
    Selection::write_level(Kind::broadcast, across, level);
  }
  ScheduleBuilder inside = hierarchy.inside();
  level.root = hierarchy.leader_inside();
  Selection::write_level(Kind::broadcast, inside, level);
}

}  // namespace atl::coll::detail
