// SPDX-License-Identifier: Apache-2.0
// k-nomial tree: each member forwards the message k - 1 times per level, ⌈log_k n⌉ levels deep. Cost: (k - 1)
// ⌈log_k n⌉ o + ⌈log_k n⌉ (L + G m): a larger radix is faster where the latency is long beside the overhead. Radix 2
// is the binomial tree.
#include "algorithms.hpp"

namespace atl::coll::detail {
namespace {

enum class Order { far_first, near_first };

void broadcast(ScheduleBuilder& steps, const Arguments& arguments, int radix, Order order) {
  const int n = steps.size(), shifted = (steps.rank() - arguments.root + n) % n;
  int top = 1;
  for (; top < n; top *= radix) {
    const int digit = shifted / top % radix;
    if (digit == 0) continue;
    steps.recv((steps.rank() - digit * top + n) % n, out_at(0), arguments.bytes);
    steps.join();
    break;
  }
  auto pass_on = [&](int distance) {
    for (int child = 1; child < radix; ++child)
      if (shifted + child * distance < n) steps.send((steps.rank() + child * distance) % n, out_at(0), arguments.bytes);
  };
  if (order == Order::far_first)
    for (int distance = top / radix; distance > 0; distance /= radix) pass_on(distance);
  else
    for (int distance = 1; distance < top; distance *= radix) pass_on(distance);
  steps.join();
}

}  // namespace

template <int radix>
void broadcast_knomial(ScheduleBuilder& steps, const Arguments& arguments) {
  broadcast(steps, arguments, radix, Order::far_first);
}
template void broadcast_knomial<4>(ScheduleBuilder&, const Arguments&);
template void broadcast_knomial<8>(ScheduleBuilder&, const Arguments&);
template void broadcast_knomial<16>(ScheduleBuilder&, const Arguments&);

// The contender of the far-first order: the deepest subtree receives last.
void broadcast_binomial_near(ScheduleBuilder& steps, const Arguments& arguments) {
  broadcast(steps, arguments, 2, Order::near_first);
}

}  // namespace atl::coll::detail
