// SPDX-License-Identifier: Apache-2.0
// Barrier through the first member: all members signal it, then it signals all. For members that share cores: each
// member must be scheduled twice, instead of once in each of log2 n rounds.
#include "algorithms.hpp"

namespace atl::coll::detail {

void barrier_central(ScheduleBuilder& steps, const Arguments&) {
  int n = steps.size();
  if (steps.rank() != 0) {
    steps.signal(0);
    steps.await(0);
    return;
  }
  for (int member = 1; member < n; ++member) steps.await(member);
  for (int member = 1; member < n; ++member) steps.signal(member);
}

}  // namespace atl::coll::detail
