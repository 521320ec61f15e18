// SPDX-License-Identifier: Apache-2.0
// Dissemination barrier (Hensgen, Finkel, Manber 1988): in round k signal rank + 2^k, wait for rank - 2^k.
#include "algorithms.hpp"

namespace atl::coll::detail {

void barrier_dissemination(ScheduleBuilder& steps, const Arguments&) {
  int n = steps.size();
  for (int distance = 1; distance < n; distance *= 2) {
    steps.signal((steps.rank() + distance) % n);
    steps.await((steps.rank() - distance + n) % n);
  }
}

}  // namespace atl::coll::detail
