// SPDX-License-Identifier: Apache-2.0
// Bruck's allgather (1997): ⌈log2 n⌉ steps for any n, for short blocks of many members.
#include <algorithm>

#include "algorithms.hpp"

namespace atl::coll::detail {

void allgather_bruck(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size(), rank = steps.rank();
  std::uint64_t bytes = arguments.bytes;
  // Block i here is that of rank + i.
  Ref work = steps.scratch(bytes * static_cast<std::uint64_t>(n));
  steps.copy(work, in_at(0), bytes);
  for (int have = 1; have < n; have *= 2) {
    auto more = static_cast<std::uint64_t>(std::min(have, n - have));
    steps.send((rank - have + n) % n, work, bytes * more);
    steps.recv((rank + have) % n, work + bytes * static_cast<std::uint64_t>(have), bytes * more);
    steps.join();
  }
  auto head = static_cast<std::uint64_t>(n - rank);
  steps.copy(out_at(bytes * static_cast<std::uint64_t>(rank)), work, bytes * head);
  steps.copy(out_at(0), work + bytes * head, bytes * static_cast<std::uint64_t>(rank));
}

}  // namespace atl::coll::detail
