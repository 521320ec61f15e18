// SPDX-License-Identifier: Apache-2.0
// Each member sends to all others: one step without intermediate copies; for few members, and for long blocks of
// members of one node.
#include "algorithms.hpp"

namespace atl::coll::detail {

void allgather_flat(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size(), rank = steps.rank();
  std::uint64_t bytes = arguments.bytes;
  for (int i = 1; i < n; ++i) steps.send((rank + i) % n, in_at(0), bytes);
  steps.copy(out_at(bytes * static_cast<std::uint64_t>(rank)), in_at(0), bytes);
  for (int i = 1; i < n; ++i) {
    int from = (rank - i + n) % n;
    steps.recv(from, out_at(bytes * static_cast<std::uint64_t>(from)), bytes);
  }
  steps.join();
}

void allgatherv_flat(ScheduleBuilder& steps, const Arguments& arguments) {
  int n = steps.size(), rank = steps.rank();
  for (int i = 1; i < n; ++i) steps.send((rank + i) % n, address_of(arguments.in), arguments.bytes);
  steps.copy(address_of(arguments.out_blocks[static_cast<std::size_t>(rank)].data), address_of(arguments.in),
             arguments.bytes);
  for (int i = 1; i < n; ++i) {
    int from = (rank - i + n) % n;
    const Block& block = arguments.out_blocks[static_cast<std::size_t>(from)];
    steps.recv(from, address_of(block.data), block.bytes);
  }
  steps.join();
}

}  // namespace atl::coll::detail
