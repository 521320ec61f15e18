// SPDX-License-Identifier: Apache-2.0
// A token goes once around a ring of PEs by triggered puts, and each PE's share of a sum is reduced: counters,
// triggered operations and collectives in one program. Starts alone (one PE) or by `atoll-run -n 4 ring`.
#include <cstdint>
#include <cstdio>

#include "atoll/bootstrap/job.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/context.hpp"

using namespace atl;

int main() {
  auto member = runtime::join_from_environment();
  if (!member) member = runtime::single_job();
  runtime::Context context(member->job, member->pe);
  coll::Communicator world(context);

  // A PE forwards the token, without its own help, as soon as the token has arrived and been counted.
  HeapOffset token = context.allocate_symmetric(sizeof(std::uint64_t));
  runtime::CounterId arrived = context.allocate_counter();
  PeId right((context.pe().value() + 1) % context.npes());
  context.trigger(arrived, 1,
                  runtime::TriggeredOp::make_put(right, token, token, sizeof(std::uint64_t), {right, arrived}));
  world.barrier();
  if (world.rank() == 0) {
    *context.local_pointer<std::uint64_t>(token) = 42;
    context.bump({context.pe(), arrived});
  }
  context.wait_counter(arrived, 1);

  std::uint64_t mine = *context.local_pointer<std::uint64_t>(token), sum = 0;
  world.allreduce(&mine, &sum, 1, coll::reduction_of<std::uint64_t>(coll::Op::sum));
  if (world.rank() == 0)
    std::printf("%d PEs received the token, sum %llu\n", world.size(), static_cast<unsigned long long>(sum));
  world.barrier();
  return sum == 42 * static_cast<std::uint64_t>(world.size()) ? 0 : 1;
}
