// SPDX-License-Identifier: Apache-2.0
// Each member sends to all others at once, beginning with its right neighbour, so that no member receives from all at
// the same time.
#include "algorithms.hpp"

namespace atl::coll::detail {

void alltoall_flat(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size(), rank = steps.rank();
  std::uint64_t bytes = arguments.bytes;
  auto at = [&](int member) { return bytes * static_cast<std::uint64_t>(member); };
  for (int i = 1; i < n; ++i) steps.send_to(out_at(at(rank)), (rank + i) % n, in_at(at((rank + i) % n)), bytes);
  steps.copy(out_at(at(rank)), in_at(at(rank)), bytes);
  for (int i = 1; i < n; ++i) steps.recv_at((rank - i + n) % n, out_at(at((rank - i + n) % n)), bytes);
  steps.join();
}

void alltoallv_flat(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size(), rank = steps.rank();
  auto in = [&](int member) -> const ConstBlock& { return arguments.in_blocks[static_cast<std::size_t>(member)]; };
  auto out = [&](int member) -> const Block& { return arguments.out_blocks[static_cast<std::size_t>(member)]; };
  for (int i = 1; i < n; ++i) {
    int to = (rank + i) % n;
    steps.send(to, address_of(in(to).data), in(to).bytes);
  }
  steps.copy(address_of(out(rank).data), address_of(in(rank).data), in(rank).bytes);
  for (int i = 1; i < n; ++i) {
    int from = (rank - i + n) % n;
    steps.recv(from, address_of(out(from).data), out(from).bytes);
  }
  steps.join();
}

}  // namespace atl::coll::detail
