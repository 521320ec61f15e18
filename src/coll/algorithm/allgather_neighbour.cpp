// SPDX-License-Identifier: Apache-2.0
// Neighbour exchange (Chen, Zhang, Zhang, Yuan 2005): each member exchanges with its two neighbours in turns, and
// forwards the pair of blocks that it received last: n/2·α + (n-1)·bytes·β, half as many steps as a ring. For even
// numbers of members; odd numbers use the ring.
#include "algorithms.hpp"

namespace atl::coll::detail {

void allgather_neighbour(ScheduleBuilder& steps, const Arguments& arguments) {
  const int n = steps.size(), rank = steps.rank();
  if (n % 2 != 0) return allgather_ring(steps, arguments);
  const std::uint64_t bytes = arguments.bytes;
  auto at = [&](int block) { return out_at(bytes * static_cast<std::uint64_t>(block)); };
  steps.copy(at(rank), in_at(0), bytes);
  // Pairs (0,1), (2,3), … first; then each member turns to the other side, and back, and so on.
  const bool even = rank % 2 == 0;
  const int pair = rank - rank % 2;
  const int partner[2] = {even ? rank + 1 : rank - 1, even ? (rank - 1 + n) % n : (rank + 1) % n};
  steps.send(partner[0], at(rank), bytes);
  steps.recv(partner[0], at(partner[0]), bytes);
  steps.join();
  // Blocks [newest, newest + 2) were received last. Each side delivers pairs in order of their distance.
  int newest = pair, from[2] = {pair, pair};
  for (int step = 1; step < n / 2; ++step) {
    const int side = step % 2;
    const int away = (side == 1) == even ? -2 : 2;
    from[side] = (from[side] + away + n) % n;
    steps.send(partner[side], at(newest), 2 * bytes);
    steps.recv(partner[side], at(from[side]), 2 * bytes);
    steps.join();
    newest = from[side];
  }
}

}  // namespace atl::coll::detail
