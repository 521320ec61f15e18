// SPDX-License-Identifier: Apache-2.0
// All members send to the root: one step without intermediate copies, for long blocks and few members.
#include "algorithms.hpp"

namespace atl::coll::detail {

void gather_flat(ScheduleBuilder& steps, const Arguments& arguments) {
  std::uint64_t bytes = arguments.bytes;
  if (steps.rank() != arguments.root) {
    steps.send(arguments.root, in_at(0), bytes);
  } else {
    steps.copy(out_at(bytes * static_cast<std::uint64_t>(steps.rank())), in_at(0), bytes);
    for (int i = 1; i < steps.size(); ++i) {
      int from = (steps.rank() + i) % steps.size();
      steps.recv(from, out_at(bytes * static_cast<std::uint64_t>(from)), bytes);
    }
  }
  steps.join();
}

void gatherv_flat(ScheduleBuilder& steps, const Arguments& arguments) {
  if (steps.rank() != arguments.root) {
    steps.send(arguments.root, address_of(arguments.in), arguments.bytes);
  } else {
    steps.copy(address_of(arguments.out_blocks[static_cast<std::size_t>(steps.rank())].data), address_of(arguments.in),
               arguments.bytes);
    for (int i = 1; i < steps.size(); ++i) {
      int from = (steps.rank() + i) % steps.size();
      const Block& block = arguments.out_blocks[static_cast<std::size_t>(from)];
      steps.recv(from, address_of(block.data), block.bytes);
    }
  }
  steps.join();
}

}  // namespace atl::coll::detail
