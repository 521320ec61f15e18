// SPDX-License-Identifier: Apache-2.0
// Rings begin small and are replaced once: no message is lost, repeated or overtaken by that, whenever it happens.
#include <gtest/gtest.h>

#include <array>

#include "atoll/runtime/parts.hpp"
#include "atoll/runtime/progress.hpp"
#include "mailbox.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

class Ring : public atl::testing::OnPes {};

void exchange(Communicator& all, std::uint64_t call) {
  std::array<std::uint64_t, detail::longest_small_message / 8> own, sum;
  own.fill(call + static_cast<std::uint64_t>(all.rank()));
  all.allreduce(own.data(), sum.data(), own.size(), Reduction(Type::u64, Op::sum));
  const auto n = static_cast<std::uint64_t>(all.size());
  ASSERT_EQ(sum.front(), n * call + n * (n - 1) / 2);
  ASSERT_EQ(sum.back(), sum.front());
}

TEST_P(Ring, GrowsWhenItsWriterIsAhead) {
  run([](runtime::Context& context) {
    Communicator all(context);
    for (std::uint64_t round = 0; round < 8; ++round) {
      // The root is ahead by as many cells as a ring has. The first round begins with a small ring, at another cell in
      // each communicator.
      Communicator part(all, 0);
      for (std::uint64_t call = 0; call < round; ++call) part.barrier();
      if (part.rank() != 0)
        (void)runtime::Parts(context).progress.wait([] { return false; }, Deadline::after_seconds(1e-3));
      for (std::uint64_t call = 0; call < 3 * detail::ring_cells; ++call) {
        std::uint64_t value = part.rank() == 0 ? call * 3 + round : 0;
        part.broadcast(&value, sizeof(value), 0);
        ASSERT_EQ(value, call * 3 + round);
      }
    }
  });
}

TEST_P(Ring, GrowsForLongerMessagesBothWays) {
  run([](runtime::Context& context) {
    Communicator all(context);
    for (std::uint64_t before = 0; before < 10; ++before) {
      Communicator part(all, 0);
      for (std::uint64_t call = 0; call < before; ++call)
        ASSERT_EQ(part.allreduce_sum<std::uint64_t>(call), call * static_cast<std::uint64_t>(part.size()));
      for (std::uint64_t call = 0; call < 5; ++call) exchange(part, call);
    }
  });
}

// Numbers of cells have 16 bits: those of the small ring come round while the larger one lies ready and empty.
TEST_P(Ring, StaysSmallForAsLongAsItDoes) {
  if (name_of(fabric()) != std::string("loop") || npes() != 2) GTEST_SKIP() << "long, and of one kind of memory";
  run([](runtime::Context& context) {
    Communicator all(context);
    Communicator part(all, 0);
    part.barrier();
    exchange(part, 1);
    for (std::uint64_t call = 0; call < 70'000; ++call) ASSERT_EQ(part.allreduce_sum<std::uint64_t>(call), 2 * call);
    for (std::uint64_t call = 0; call < 5; ++call) exchange(part, call);
  });
}

ATOLL_ON_PES(Ring);

}  // namespace
}  // namespace atl::coll
