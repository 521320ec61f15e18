// SPDX-License-Identifier: Apache-2.0
// Two-level broadcast: from the root to the leaders, then inside each node. A node receives the vector once.
#include "atoll/base/units.hpp"
#include "hierarchy.hpp"

namespace atl::coll::detail {

void broadcast_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  Hierarchy hierarchy(steps, arguments.root);
  Arguments level = arguments;
  ScheduleBuilder across = hierarchy.across();
  if (hierarchy.leads()) {
    level.root = hierarchy.placement().node_of(arguments.root);
    // A leader's node does not wait until other nodes have the vector.
    if (across.size() <= 4 || arguments.bytes <= 8 * KiB) broadcast_binomial_open(across, level);
    else Selection::write_level(Kind::broadcast, across, level);
  }
  ScheduleBuilder inside = hierarchy.inside();
  level.root = hierarchy.leader_inside();
  Selection::write_level(Kind::broadcast, inside, level);
  across.join();
}

}  // namespace atl::coll::detail
