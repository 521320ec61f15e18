// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/meeting.hpp"

#include <gtest/gtest.h>

#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class MeetingOnPes : public testing::OnPes {};

TEST_P(MeetingOnPes, NoPeLeavesABarrierBeforeAllHaveCome) {
  run([](Context& context) {
    Meeting& meeting = context;
    auto word = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(word) = 0;
    meeting.barrier();
    for (std::uint64_t round = 1; round <= 20; ++round) {
      context.put_value<std::uint64_t>(context.pe(), word, round);
      meeting.barrier();
      for (std::uint32_t pe = 0; pe < context.npes(); ++pe)
        EXPECT_EQ(context.get_value<std::uint64_t>(PeId(pe), word), round);
      meeting.barrier();
    }
  });
}

TEST_P(MeetingOnPes, ExchangeGivesEachValueByPe) {
  run([](Context& context) {
    Meeting& meeting = context;
    for (std::uint64_t round = 0; round < 20; ++round) {
      auto values = meeting.exchange(round << 32 | context.pe().value());
      ASSERT_EQ(values.size(), context.npes());
      for (std::uint32_t pe = 0; pe < context.npes(); ++pe) EXPECT_EQ(values[pe], round << 32 | pe);
    }
  });
}

ATOLL_ON_PES(MeetingOnPes);

}  // namespace
}  // namespace atl::runtime
