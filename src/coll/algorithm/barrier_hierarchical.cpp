// SPDX-License-Identifier: Apache-2.0
// Two-level barrier: up a binomial tree to the node's leader, dissemination among leaders, down the tree again.
#include "hierarchy.hpp"

namespace atl::coll::detail {

void barrier_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  Hierarchy hierarchy(steps);
  ScheduleBuilder inside = hierarchy.inside();
  int n = inside.size(), rank = inside.rank(), distance = 1;
  for (; distance < n && (rank & distance) == 0; distance *= 2)
    if (rank + distance < n) inside.await(rank + distance);
  if (rank != 0) {
    inside.signal(rank - distance);
    inside.await(rank - distance);
  } else {
    ScheduleBuilder across = hierarchy.across();
    barrier_dissemination(across, arguments);
  }
  for (distance /= 2; distance > 0; distance /= 2)
    if (rank + distance < n) inside.signal(rank + distance);
}

}  // namespace atl::coll::detail
