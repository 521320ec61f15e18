// SPDX-License-Identifier: Apache-2.0
// Ring allgather: n-1 steps between neighbours, for long blocks where distance costs.
#include "algorithms.hpp"

namespace atl::coll::detail {
namespace {

template <class At, class Length>
void ring(ScheduleBuilder& steps, At&& at, Length&& length) {
  int n = steps.size(), rank = steps.rank();
  for (int round = 0; round < n - 1; ++round) {
    int give = (rank - round + n) % n, want = (rank - round - 1 + n) % n;
    steps.send((rank + 1) % n, at(give), length(give));
    steps.recv((rank - 1 + n) % n, at(want), length(want));
    steps.join();
  }
}

}  // namespace

void allgather_ring(ScheduleBuilder& steps, const Arguments& arguments) {
  std::uint64_t bytes = arguments.bytes;
  steps.copy(out_at(bytes * static_cast<std::uint64_t>(steps.rank())), in_at(0), bytes);
  ring(steps, [&](int block) { return out_at(bytes * static_cast<std::uint64_t>(block)); }, [&](int) { return bytes; });
}

void allgatherv_ring(ScheduleBuilder& steps, const Arguments& arguments) {
  auto block = [&](int member) -> const Block& { return arguments.out_blocks[static_cast<std::size_t>(member)]; };
  steps.copy(address_of(block(steps.rank()).data), address_of(arguments.in), arguments.bytes);
  ring(
      steps, [&](int member) { return address_of(block(member).data); },
      [&](int member) { return block(member).bytes; });
}

}  // namespace atl::coll::detail
