// SPDX-License-Identifier: Apache-2.0
// The root offers its data to all members, which copy directly from it. One step, for few members.
#include "algorithms.hpp"

namespace atl::coll::detail {

void broadcast_flat(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size();
  if (steps.rank() == arguments.root) {
    for (int i = 1; i < n; ++i) steps.send((steps.rank() + i) % n, out_at(0), arguments.bytes);
  } else {
    steps.recv(arguments.root, out_at(0), arguments.bytes);
  }
  steps.join();
}

}  // namespace atl::coll::detail
