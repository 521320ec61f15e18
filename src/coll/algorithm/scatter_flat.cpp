// SPDX-License-Identifier: Apache-2.0
// The root sends to all members: one step without intermediate copies, for long blocks and few members.
#include "algorithms.hpp"

namespace atl::coll::detail {

void scatter_flat(ScheduleBuilder& steps, const Arguments& arguments) {
  std::uint64_t bytes = arguments.bytes;
  if (steps.rank() == arguments.root) {
    for (int i = 1; i < steps.size(); ++i) {
      int to = (steps.rank() + i) % steps.size();
      steps.send(to, in_at(bytes * static_cast<std::uint64_t>(to)), bytes);
    }
    steps.copy(out_at(0), in_at(bytes * static_cast<std::uint64_t>(steps.rank())), bytes);
  } else {
    steps.recv(arguments.root, out_at(0), bytes);
  }
  steps.join();
}

void scatterv_flat(ScheduleBuilder& steps, const Arguments& arguments) {
  if (steps.rank() == arguments.root) {
    for (int i = 1; i < steps.size(); ++i) {
      int to = (steps.rank() + i) % steps.size();
      const ConstBlock& block = arguments.in_blocks[static_cast<std::size_t>(to)];
      steps.send(to, address_of(block.data), block.bytes);
    }
    steps.copy(address_of(arguments.out), address_of(arguments.in_blocks[static_cast<std::size_t>(steps.rank())].data),
               arguments.bytes);
  } else {
    steps.recv(arguments.root, address_of(arguments.out), arguments.bytes);
  }
  steps.join();
}

}  // namespace atl::coll::detail
