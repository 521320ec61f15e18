// SPDX-License-Identifier: Apache-2.0
// Bruck's alltoall (1997): ⌈log2 n⌉ steps of n/2 blocks, for short blocks of many members.
#include "algorithms.hpp"

namespace atl::coll::detail {

void alltoall_bruck(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size(), rank = steps.rank();
  std::uint64_t bytes = arguments.bytes;
  auto at = [&](int member) { return bytes * static_cast<std::uint64_t>(member); };
  // Block i of `work` is for the member i ranks ahead.
  Ref work = steps.scratch(at(n)), outgoing = steps.scratch(at(n)), incoming = steps.scratch(at(n));
  steps.copy(work, in_at(at(rank)), at(n - rank));
  steps.copy(work + at(n - rank), in_at(0), at(rank));
  for (int distance = 1; distance < n; distance *= 2) {
    int packed = 0;
    for (int i = distance; i < n; ++i)
      if ((i & distance) != 0) steps.copy(outgoing + at(packed++), work + at(i), bytes);
    steps.send((rank + distance) % n, outgoing, at(packed));
    steps.recv((rank - distance + n) % n, incoming, at(packed));
    steps.join();
    packed = 0;
    for (int i = distance; i < n; ++i)
      if ((i & distance) != 0) steps.copy(work + at(i), incoming + at(packed++), bytes);
  }
  // Block i came from rank - i.
  for (int i = 0; i < n; ++i) steps.copy(out_at(at((rank - i + n) % n)), work + at(i), bytes);
}

}  // namespace atl::coll::detail
