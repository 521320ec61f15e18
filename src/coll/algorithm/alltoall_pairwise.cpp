// SPDX-License-Identifier: Apache-2.0
// Pairwise exchange: n-1 steps; in step i each member sends to rank + i and receives from rank - i, so that it has one
// partner in each direction at a time. For long blocks of many members.
#include "algorithms.hpp"

namespace atl::coll::detail {

void alltoall_pairwise(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size(), rank = steps.rank();
  std::uint64_t bytes = arguments.bytes;
  auto at = [&](int member) { return bytes * static_cast<std::uint64_t>(member); };
  steps.copy(out_at(at(rank)), in_at(at(rank)), bytes);
  for (int i = 1; i < n; ++i) {
    steps.send_to(out_at(at(rank)), (rank + i) % n, in_at(at((rank + i) % n)), bytes);
    steps.recv_at((rank - i + n) % n, out_at(at((rank - i + n) % n)), bytes);
    steps.join();
  }
}

void alltoallv_pairwise(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size(), rank = steps.rank();
  auto in = [&](int member) -> const ConstBlock& { return arguments.in_blocks[static_cast<std::size_t>(member)]; };
  auto out = [&](int member) -> const Block& { return arguments.out_blocks[static_cast<std::size_t>(member)]; };
  steps.copy(address_of(out(rank).data), address_of(in(rank).data), in(rank).bytes);
  for (int i = 1; i < n; ++i) {
    int to = (rank + i) % n, from = (rank - i + n) % n;
    steps.send(to, address_of(in(to).data), in(to).bytes);
    steps.recv(from, address_of(out(from).data), out(from).bytes);
    steps.join();
  }
}

}  // namespace atl::coll::detail
