// SPDX-License-Identifier: Apache-2.0
// Up a k-nomial tree to the first member, and down again: 2 (n - 1) messages, where dissemination has n log2 n. Cost: 2
// ⌈log_k n⌉ L + 2 (k - 1) ⌈log_k n⌉ o.
#include "algorithms.hpp"

namespace atl::coll::detail {

template <int radix>
void barrier_tree(ScheduleBuilder& steps, const Arguments&) {
  const int n = steps.size(), rank = steps.rank();
  int distance = 1;
  for (; distance < n; distance *= radix) {
    const int digit = rank / distance % radix;
    if (digit != 0) {
      steps.signal(rank - digit * distance);
      steps.await(rank - digit * distance);
      break;
    }
    for (int child = 1; child < radix; ++child)
      if (rank + child * distance < n) steps.await(rank + child * distance);
  }
  for (distance /= radix; distance > 0; distance /= radix)
    for (int child = 1; child < radix; ++child)
      if (rank + child * distance < n) steps.signal(rank + child * distance);
}
template void barrier_tree<2>(ScheduleBuilder&, const Arguments&);
template void barrier_tree<4>(ScheduleBuilder&, const Arguments&);
template void barrier_tree<8>(ScheduleBuilder&, const Arguments&);
template void barrier_tree<16>(ScheduleBuilder&, const Arguments&);

}  // namespace atl::coll::detail
